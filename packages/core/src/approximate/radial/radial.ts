// Radial functions g(|x|^2) by networks with two hidden layers: squares of the coordinates, then the profile.
import { ConstructError } from "../../functions/error.ts";
import type { Graph } from "../../graph/graph.ts";
import type { Layer } from "../../networks/layers/layered.ts";
import { layersOf, network, sparseLayer } from "../../networks/layers/layers.ts";
import { uniformKnots } from "../../networks/spline/knots.ts";
import { spline } from "../../networks/spline/spline.ts";

export interface RadialOptions {
  /** d. */
  readonly dimension: number;
  /** The cube is [-bound, bound]^d; default 1. */
  readonly bound?: number;
  /** The profile's Lipschitz constant on [0, d bound^2]. */
  readonly lipschitz: number;
  /** The error, half of it for the squares and half for the profile. */
  readonly eps: number;
}

export interface RadialNetwork {
  /** Architecture (d, d n_1, n_2, 1). */
  readonly network: Graph;
  /** x -> about x^2 on [-bound, bound], n_1 units: one coordinate's part of the first layer. */
  readonly square: Graph;
  /** The interpolated profile, n_2 units. */
  readonly profile: Graph;
  /** n_1 and n_2. */
  readonly pieces: readonly [number, number];
  /** C d B^2 / n_1^2 + C d B^2 / (2 n_2): the error of these functions in real arithmetic. */
  readonly error: number;
}

/**
 * g(|x|^2) within eps on a cube, for a Lipschitz profile g: n_1 = ceil(B (2 C d / eps)^(1/2)) pieces for each square,
 * whose interpolants lie above x^2 by B^2 / n_1^2 at most and nowhere above B^2, and n_2 = ceil(C d B^2 / eps) for g.
 * @example radialNetwork(Math.sin, { dimension: 2, lipschitz: 1, eps: 0.5 }).pieces // [3, 4]
 */
export function radialNetwork(
  profile: (square: number) => number,
  { dimension: d, bound: B = 1, lipschitz: C, eps }: RadialOptions,
): RadialNetwork {
  if (!(Number.isSafeInteger(d) && d >= 1))
    throw new ConstructError(`a dimension is a whole number from 1, not ${d}`);
  for (const [name, value] of Object.entries({ bound: B, "Lipschitz constant": C, error: eps }))
    if (!(value > 0 && value < Number.POSITIVE_INFINITY))
      throw new ConstructError(`the ${name} of a radial network is a positive number, not ${value}`);
  const n1 = Math.ceil(B * Math.sqrt((2 * C * d) / eps));
  const n2 = Math.ceil((C * d * B * B) / eps);
  const grid = uniformKnots([-B, B], n1);
  const square = spline(
    grid,
    grid.map((x) => x * x),
  );
  const radii = uniformKnots([0, d * B * B], n2);
  const outer = spline(radii, radii.map(profile));
  return {
    network: composed(square, outer, d),
    square,
    profile: outer,
    pieces: [n1, n2],
    error: (C * d * B * B) / n1 ** 2 + (C * d * B * B) / (2 * n2),
  };
}

/** outer(sum_i square(x_i)): the sum is merged into the second layer, whose rows are all alike but for the bias. */
function composed(square: Graph, outer: Graph, d: number): Graph {
  const [units, sum] = layersOf(square).layers as readonly [Layer, Layer];
  const [knots, last] = layersOf(outer).layers as readonly [Layer, Layer];
  const [n1, n2] = [units.bias.length, knots.bias.length];
  const first = sparseLayer(
    d * n1,
    d,
    coordinates(d, n1).map(([unit, i]) => [unit, i, 1] as const),
    coordinates(d, n1).map(([unit]) => units.bias[unit % n1]!),
  );
  const row = coordinates(d, n1).flatMap(([unit]) => {
    const weight = weightAt(sum, unit % n1);
    return weight === 0 ? [] : [[unit, weight] as const];
  });
  const second = sparseLayer(
    n2,
    d * n1,
    Array.from({ length: n2 }, (_, l) => row.map(([unit, weight]) => [l, unit, weight] as const)).flat(),
    Array.from(knots.bias, (b) => d * sum.bias[0]! + b),
  );
  return network([first, second, last], { name: "radial" });
}

/** Units of the first layer with the coordinate that each reads. */
const coordinates = (d: number, n1: number): (readonly [number, number])[] =>
  Array.from({ length: d * n1 }, (_, unit) => [unit, Math.floor(unit / n1)] as const);

function weightAt({ weights }: Layer, column: number): number {
  const place = weights.columnOf.indexOf(column);
  return place < 0 ? 0 : weights.values[place]!;
}
