// The same along a line with a smooth activation: two neurons pass the projection on, nearly unchanged, and m neurons
// interpolate what comes out of them (Proposition 1.17 with d = 1, and its footnote on approximate identities).

import { run } from "../../engine/run.ts";
import type { SmoothActivation } from "../../functions/smooth.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import type { Matrix } from "../../linear-algebra/index.ts";
import { network } from "../../networks/layers/layers.ts";
import { fromDense } from "../../networks/layers/matrix.ts";
import { createRandom } from "../../numbers/random.ts";
import {
  type DifferenceMonomial,
  differenceMonomial,
  differenceRounding,
} from "../smooth-activation/monomial-network.ts";
import { InterpolationFailure, interpolationBasis } from "./basis.ts";
import { distinctPoints, distinctValues } from "./data.ts";
import { outputWeights } from "./interpolate.ts";
import { greatestSize, missesOf } from "./misses.ts";
import { bestProjection, type Projection } from "./projection.ts";

export interface AlongSmoothLineOptions {
  readonly activation: SmoothActivation;
  /** The step of the difference that is nearly the identity; default 1/8. */
  readonly h?: number;
  /** Random directions tried; default 64. */
  readonly directions?: number;
  readonly seed?: number | string;
  /** The residual that is still called a fit, as a part of the greatest value; default 1e-4. */
  readonly tolerance?: number;
}

export interface InterpolatedAlongSmoothLine {
  /** In float64: architecture (d, 2, m, k). */
  readonly network: Graph;
  readonly projection: Projection;
  /** u -> (rho(λ + hu/2) - rho(λ - hu/2)) / (h rho'(λ)) on [-1/2, 1/2], where u = t - 3/2. */
  readonly identity: DifferenceMonomial;
  /** What comes out of it for each distinct point, as ONNX Runtime computes it. */
  readonly passed: Float64Array;
  /** The greatest |network(x_i) - y_i|, on ONNX Runtime. */
  readonly residual: number;
  /** Estimate of the condition number of the m neurons' values. */
  readonly condition: number;
  /** 2 (d + 1) + 3 m + k m + k. */
  readonly parameters: number;
}

/** The middle of the projections, which reach from 1 to 2. */
const middle = 3 / 2;

/**
 * The network (d, 2, m, k) of a smooth activation that has these values (rows) at these points (rows).
 * @example (await interpolateAlongSmoothLine(matrixOfRows([[0, 0], [1, 2]]), matrixOfRows([[3], [5]]), { activation: "tanh" })).parameters // 6 + 6 + 2 + 1
 */
export async function interpolateAlongSmoothLine(
  points: Matrix,
  values: Matrix,
  { activation, h = 1 / 8, directions = 64, seed = 0, tolerance = 1e-4 }: AlongSmoothLineOptions,
): Promise<InterpolatedAlongSmoothLine> {
  const distinct = distinctPoints(points);
  const y = distinctValues(distinct, values);
  const projection = await bestProjection(distinct.points, directions, createRandom(seed));
  const identity = differenceMonomial(activation, 1, { h, radius: 1 / 2 });
  const passed = await passedOn(identity, projection);
  const basis = await interpolationBasis(
    { rows: passed.length, columns: 1, entries: passed },
    { activation, seed },
  );
  const { weights: slopes, biases } = basis.neurons;
  const make = (output: Float64Array): Graph =>
    smoothLineNetwork({ activation, projection, identity, slopes: slopes.entries, biases, output });
  let output = await outputWeights(basis, y);
  let made = make(output);
  let rest = await missesOf(made, distinct.points, y);
  for (let step = 0; step < 3; step++) {
    const correction = await outputWeights(basis, rest);
    const refined = output.map((w, e) => w + correction[e]!);
    const next = make(refined);
    const left = await missesOf(next, distinct.points, y);
    if (!(greatestSize(left.entries) < greatestSize(rest.entries))) break;
    [output, made, rest] = [refined, next, left];
  }
  const residual = greatestSize(rest.entries);
  if (!(residual <= tolerance * greatestSize(y.entries)))
    throw new InterpolationFailure(
      `the network misses the values by ${residual.toExponential(1)}: condition number ` +
        `${basis.condition.toExponential(1)}. What helps: fewer points, more directions, or ReLUs (interpolateAlongLine)`,
      basis.condition,
    );
  const [m, d, k] = [distinct.points.rows, points.columns, y.columns];
  return {
    network: made,
    projection,
    identity,
    passed,
    residual,
    condition: basis.condition,
    parameters: 2 * (d + 1) + 3 * m + k * m + k,
  };
}

/** The approximate identity at the projections, in the order of the points. */
async function passedOn(
  { network: identity }: DifferenceMonomial,
  { sorted, order }: Projection,
): Promise<Float64Array> {
  const found = numbers((await run(identity, { x: tensor(Array.from(sorted, (t) => [t - middle])) })).y!);
  const passed = new Float64Array(sorted.length);
  order.forEach((row, j) => {
    passed[row] = found[j]!;
  });
  return passed;
}

function smoothLineNetwork(o: {
  readonly activation: SmoothActivation;
  readonly projection: Projection;
  readonly identity: DifferenceMonomial;
  /** Neuron j is u -> rho(slopes[j] u + biases[j]). */
  readonly slopes: Float64Array;
  readonly biases: Float64Array;
  readonly output: Float64Array;
}): Graph {
  const { direction, offset } = o.projection;
  const { h, at } = o.identity;
  const { scale } = differenceRounding(o.activation, 1, { h, radius: 1 / 2, at });
  const [m, d] = [o.biases.length, direction.length];
  const first = [h / 2, -h / 2];
  return network(
    [
      {
        weights: fromDense(
          2,
          d,
          Float64Array.from(first.flatMap((s) => Array.from(direction, (w) => s * w))),
        ),
        bias: Float64Array.from(first, (s) => at + s * (offset - middle)),
      },
      {
        weights: fromDense(m, 2, pairs(o.slopes, scale)),
        bias: o.biases,
      },
      {
        weights: fromDense(o.output.length / m, m, o.output, true),
        bias: new Float64Array(o.output.length / m),
      },
    ],
    { activation: o.activation, name: "along_smooth_line" },
  );
}

/** Each neuron reads the difference of the two. */
const pairs = (slopes: Float64Array, scale: number): Float64Array =>
  Float64Array.from(
    { length: 2 * slopes.length },
    (_, e) => (e % 2 === 0 ? scale : -scale) * slopes[e >> 1]!,
  );
