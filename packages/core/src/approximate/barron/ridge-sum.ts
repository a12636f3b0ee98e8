// Sums of ridge units bias + <slope, x> + sum_j weight_j sigma(<direction_j, x> - offset_j): a signed measure with
// finitely many atoms, which is a network with one hidden layer; and the space L2(P) for P uniform on finitely many points.

import type { Graph } from "../../graph/graph.ts";
import { dot, dotOfDoubles } from "../../linear-algebra/dot.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import type { Random } from "../../numbers/random.ts";
import { BarronError, requireCount, requirePositive } from "./error.ts";

export type RidgeActivation = "threshold" | "relu";

/** weight sigma(<direction, x> - offset), |direction| = 1 unless somebody scaled it. */
export interface RidgeUnit {
  readonly direction: Float64Array;
  readonly offset: number;
  readonly weight: number;
}

export interface RidgeSum {
  readonly dimension: number;
  readonly activation: RidgeActivation;
  readonly units: readonly RidgeUnit[];
  readonly bias: number;
  /** The linear part; as a network it costs two ReLUs. */
  readonly slope?: Float64Array;
}

export type Points = readonly Float64Array[];

const unitValue = (activation: RidgeActivation, z: number): number =>
  activation === "relu" ? Math.max(0, z) : z >= 0 ? 1 : 0;

/** sigma(<direction_j, x_i> - offset_j): one row a unit, one column a point; the weights are left out. */
export const unitRows = ({ activation, units }: RidgeSum, points: Points): readonly Float64Array[] =>
  units.map(({ direction, offset }) => {
    const row = new Float64Array(points.length);
    for (let i = 0; i < row.length; i++)
      row[i] = unitValue(activation, dotOfDoubles(direction, points[i]!) - offset);
    return row;
  });

/** The sum's values at the points. */
export function ridgeValues({ activation, units, bias, slope }: RidgeSum, points: Points): Float64Array {
  const values = Float64Array.from(points, (x) => bias + (slope ? dot(slope, x) : 0));
  for (const { direction, offset, weight } of units)
    for (let i = 0; i < values.length; i++)
      values[i]! += weight * unitValue(activation, dotOfDoubles(direction, points[i]!) - offset);
  return values;
}

/** The mean of the squares: the squared norm of L2(P). */
export const meanSquare = (values: Float64Array): number => dotOfDoubles(values, values) / values.length;

/** The squared distance in L2(P). */
export function meanSquaredGap(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i]! - b[i]!) ** 2;
  return sum / a.length;
}

/**
 * Points of the unit ball, the support of P: random, and in one variable the midpoints of equal cells.
 * @example ballPoints(1, 2, createRandom(1)) // at -1/2 and 1/2
 */
export function ballPoints(d: number, count: number, random: Random): Points {
  requireCount("the dimension", d);
  requireCount("the number of points", count);
  return Array.from({ length: count }, (_, i) => {
    if (d === 1) return Float64Array.of((2 * i + 1) / count - 1);
    const r = random.uniform() ** (1 / d);
    return random.sphere(d).map((x) => r * x);
  });
}

/** The sum as a network with one hidden layer. */
export function ridgeNetwork({ dimension, activation, units, bias, slope }: RidgeSum): Graph {
  if (slope?.some((v) => v !== 0) && activation !== "relu")
    throw new BarronError("a linear part needs ReLUs: thresholds have none");
  const isLinear = slope?.some((v) => v !== 0) ?? false;
  const sides = isLinear ? [Array.from(slope!), Array.from(slope!, (v) => -v)] : [];
  if (units.length + sides.length === 0)
    throw new BarronError(`a network in ${dimension} variables needs a unit`);
  return network(
    [
      layer(
        [...units.map((u) => Array.from(u.direction)), ...sides],
        [...units.map((u) => 0 - u.offset), ...sides.map(() => 0)],
      ),
      layer([[...units.map((u) => u.weight), ...(isLinear ? [1, -1] : [])]], [bias]),
    ],
    { activation, name: `ridge_${units.length}` },
  );
}

/** Steps made steep: logistic(lambda z), or the ramp relu(lambda z) - relu(lambda z - 1) of two ReLUs, for 1[z >= 0]. */
export function sharpNetwork(sum: RidgeSum, activation: "logistic" | "relu", lambda: number): Graph {
  requirePositive("the steepness", lambda);
  const { units, bias } = sum;
  if (sum.activation !== "threshold")
    throw new BarronError("only thresholds are made of steep sigmoids or ramps");
  const rows = units.map((u) => Array.from(u.direction, (v) => lambda * v));
  const offsets = units.map((u) => -lambda * u.offset);
  const weights = units.map((u) => u.weight);
  const isRamp = activation === "relu";
  return network(
    [
      layer(
        isRamp ? [...rows, ...rows] : rows,
        isRamp ? [...offsets, ...offsets.map((b) => b - 1)] : offsets,
      ),
      layer([isRamp ? [...weights, ...weights.map((w) => -w)] : weights], [bias]),
    ],
    { activation, name: `steep_${units.length}` },
  );
}
