// Points on a line: a direction along which no two of them meet.

import { run } from "../../engine/run.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import type { Matrix } from "../../linear-algebra/index.ts";
import { network } from "../../networks/layers/layers.ts";
import { fromDense } from "../../networks/layers/matrix.ts";
import type { Random } from "../../numbers/random.ts";
import { InterpolationFailure } from "./basis.ts";

/** t = <direction, x> + offset, from 1 to 2 over the points. */
export interface Projection {
  readonly direction: Float64Array;
  readonly offset: number;
  /** t_1 < t_2 < ... as ONNX Runtime computes them. */
  readonly sorted: Float64Array;
  /** Row order[j] of the points is at sorted[j]. */
  readonly order: Int32Array;
  /** The least difference of neighbours; 1 if there is one point only. The range of all is 1. */
  readonly gap: number;
  /** How far a computed t may be off. */
  readonly rounding: number;
}

/** The best of so many random directions: the one with the greatest least gap. */
export async function bestProjection(
  points: Matrix,
  directions: number,
  random: Random,
): Promise<Projection> {
  const { columns } = points;
  let best: { readonly gap: number; readonly direction: Float64Array } = {
    gap: -1,
    direction: new Float64Array(columns),
  };
  for (let k = 0; k < (columns === 1 ? 1 : directions); k++) {
    const direction = random.sphere(columns);
    const gap = leastGap(points, direction);
    if (gap > best.gap) best = { gap, direction };
  }
  const t = products(points, best.direction);
  const [low, high] = [least(t), -least(t.map((v) => -v))];
  const range = high - low || 1;
  const direction = best.direction.map((w) => w / range);
  const offset = 1 - low / range;
  const computed = await onRuntime(points, direction, offset);
  const order = Int32Array.from(computed, (_, i) => i).sort((i, j) => computed[i]! - computed[j]!);
  const sorted = Float64Array.from(order, (i) => computed[i]!);
  const gap = sorted.reduce((g, v, j) => (j > 0 ? Math.min(g, v - sorted[j - 1]!) : g), 1);
  const rounding = roundingOf(points, direction, offset);
  if (!(gap > 4 * rounding))
    throw new InterpolationFailure(
      `on the best of ${directions} lines two points are ${gap.toExponential(1)} of the range apart, which rounding ` +
        `(${rounding.toExponential(1)}) may close. What helps: more directions, or merging rows that are nearly the same`,
      1 / gap,
    );
  return { direction, offset, sorted, order, gap, rounding };
}

const least = (t: Float64Array): number => t.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);

function products({ rows, columns, entries }: Matrix, w: Float64Array): Float64Array {
  return Float64Array.from({ length: rows }, (_, i) => {
    let sum = 0;
    for (let c = 0; c < columns; c++) sum += w[c]! * entries[i * columns + c]!;
    return sum;
  });
}

/** The least gap of neighbours, as a part of the range. */
function leastGap(points: Matrix, direction: Float64Array): number {
  const t = products(points, direction).sort();
  const range = t.at(-1)! - t[0]! || 1;
  let gap = range;
  for (let j = 1; j < t.length; j++) gap = Math.min(gap, t[j]! - t[j - 1]!);
  return gap / range;
}

/** As the network computes them. */
async function onRuntime(points: Matrix, direction: Float64Array, offset: number): Promise<Float64Array> {
  const line = network([{ weights: fromDense(1, points.columns, direction), bias: Float64Array.of(offset) }]);
  const x = tensor(points.entries, { dims: [points.rows, points.columns] });
  return Float64Array.from(numbers((await run(line, { x })).y!), Number);
}

/** (d + 2) u (sum_c |w_c x_c| + |offset|), the greatest over the points. */
function roundingOf({ rows, columns, entries }: Matrix, w: Float64Array, offset: number): number {
  let most = 0;
  for (let i = 0; i < rows; i++) {
    let sum = Math.abs(offset);
    for (let c = 0; c < columns; c++) sum += Math.abs(w[c]! * entries[i * columns + c]!);
    most = Math.max(most, sum);
  }
  return (columns + 2) * 2 ** -53 * most;
}
