// Three-layer networks through given points, with few parameters: one neuron projects the points to a line on which
// they stay apart, m neurons make the piecewise-linear function through the values there (Zhang et al. 2017).
import { ConstructError } from "../../functions/error.ts";
import type { Graph } from "../../graph/graph.ts";
import type { Matrix } from "../../linear-algebra/index.ts";
import { network, type Precision } from "../../networks/layers/layers.ts";
import { fromDense } from "../../networks/layers/matrix.ts";
import { createRandom } from "../../numbers/random.ts";
import { InterpolationFailure } from "./basis.ts";
import { distinctPoints, distinctValues } from "./data.ts";
import { greatestSize, missesOf } from "./misses.ts";
import { bestProjection, type Projection } from "./projection.ts";

export interface AlongLineOptions {
  /** Random directions tried; the one whose projections are farthest apart is taken. Default 64. */
  readonly directions?: number;
  readonly seed?: number | string;
  /** The residual that is still called a fit, as a part of the greatest value; default 1e-4. */
  readonly tolerance?: number;
}

export interface InterpolatedAlongLine {
  /** In float64: architecture (d, 1, m, k). */
  readonly network: Graph;
  readonly float32: { readonly network: Graph; readonly residual: number };
  readonly projection: Projection;
  /** The greatest |network(x_i) - y_i|, on ONNX Runtime. */
  readonly residual: number;
  /** What rounding may cost at most at the points, to first order: sums of m terms of alternating signs. */
  readonly roundingBound: number;
  /** max |W3|: about twice the steepest slope. */
  readonly greatestWeight: number;
  /** (d + 1) + 2 m + k m + k. */
  readonly parameters: number;
}

/**
 * The network (d, 1, m, k) of ReLUs that has these values (rows) at these points (rows): knots at the data.
 * @example (await interpolateAlongLine(matrixOfRows([[0, 0], [1, 2]]), matrixOfRows([[3], [5]]))).parameters // 3 + 4 + 2 + 1
 */
export async function interpolateAlongLine(
  points: Matrix,
  values: Matrix,
  { directions = 64, seed = 0, tolerance = 1e-4 }: AlongLineOptions = {},
): Promise<InterpolatedAlongLine> {
  if (!(Number.isSafeInteger(directions) && directions >= 1))
    throw new ConstructError(`the number of directions is a whole number from 1, not ${directions}`);
  const distinct = distinctPoints(points);
  const y = distinctValues(distinct, values);
  const projection = await bestProjection(distinct.points, directions, createRandom(seed));
  const make = (weights: Float64Array, precision: Precision) => lineNetwork(projection, weights, precision);
  let weights = slopeChanges(projection, y);
  let made = make(weights, "float64");
  let rest = await missesOf(made, distinct.points, y);
  for (let step = 0; step < 2; step++) {
    const correction = slopeChanges(projection, rest);
    const refined = weights.map((w, k) => w + correction[k]!);
    const next = make(refined, "float64");
    const left = await missesOf(next, distinct.points, y);
    if (!(greatestSize(left.entries) < greatestSize(rest.entries))) break;
    [weights, made, rest] = [refined, next, left];
  }
  const residual = greatestSize(rest.entries);
  const greatest = greatestSize(y.entries);
  if (!(residual <= tolerance * greatest))
    throw new InterpolationFailure(
      `the network misses the values by ${residual.toExponential(1)}, more than ${tolerance} of the greatest value ` +
        `${greatest.toExponential(1)}: the nearest projections are ${projection.gap.toExponential(1)} of their range apart. ` +
        "What helps: more directions, fewer or better separated points, or interpolatePoints",
      1 / projection.gap,
    );
  const [m, d, k] = [distinct.points.rows, points.columns, y.columns];
  const rounded = make(weights, "float32");
  return {
    network: made,
    float32: {
      network: rounded,
      residual: greatestSize((await missesOf(rounded, distinct.points, y)).entries),
    },
    projection,
    residual,
    roundingBound: roundingBound(projection, weights, y),
    greatestWeight: greatestSize(weights),
    parameters: d + 1 + 2 * m + k * m + k,
  };
}

/** s_1 = t_1 - 1 and s_j = t_{j-1}: each point is the next knot. */
const knotsOf = ({ sorted }: Projection): Float64Array =>
  sorted.map((t, j) => (j === 0 ? t - 1 : sorted[j - 1]!));

/** v_j = slope_j - slope_{j-1}, slope_j = (y_j - y_{j-1}) / (t_j - t_{j-1}), from 0 at s_1; m x k by rows. */
function slopeChanges({ sorted, order }: Projection, { columns, entries }: Matrix): Float64Array {
  const changes = new Float64Array(sorted.length * columns);
  for (let c = 0; c < columns; c++) {
    let [slope, value] = [0, 0];
    sorted.forEach((t, j) => {
      const next = entries[order[j]! * columns + c]!;
      const now = (next - value) / (j === 0 ? 1 : t - sorted[j - 1]!);
      changes[j * columns + c] = now - slope;
      [slope, value] = [now, next];
    });
  }
  return changes;
}

function lineNetwork(projection: Projection, weights: Float64Array, precision: Precision): Graph {
  const { direction, offset, sorted } = projection;
  const [m, d] = [sorted.length, direction.length];
  const k = weights.length / m;
  const ones = new Float64Array(m).fill(1);
  return network(
    [
      { weights: fromDense(1, d, direction), bias: Float64Array.of(offset) },
      { weights: fromDense(m, 1, ones), bias: knotsOf(projection).map((s) => 0 - s) },
      { weights: fromDense(k, m, weights, true), bias: new Float64Array(k) },
    ],
    { name: "along_line", precision },
  );
}

/** (m + 6) u max_i sum_j |v_j| (t_i - s_j)_+ for the sums, twice the steepest slope times the rounding of t. */
function roundingBound(projection: Projection, weights: Float64Array, y: Matrix): number {
  const { sorted, rounding } = projection;
  const m = sorted.length;
  let bound = 0;
  for (let c = 0; c < y.columns; c++) {
    let [slope, steepest, size, mass] = [0, 0, 0, 0];
    let last = sorted[0]! - 1;
    let greatest = 0;
    sorted.forEach((t, j) => {
      // sum_{i <= j} |v_i| (t - s_i) grows by the mass so far on the way from the last knot.
      const v = weights[j * y.columns + c]!;
      mass += Math.abs(v);
      slope += v;
      size += mass * (t - last);
      last = t;
      greatest = Math.max(greatest, size);
      steepest = Math.max(steepest, Math.abs(slope));
    });
    bound = Math.max(bound, (m + 6) * 2 ** -53 * greatest + 2 * steepest * rounding);
  }
  return bound;
}
