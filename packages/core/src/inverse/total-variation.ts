// Total variation: min 1/2 |A x - y|^2 + lambda TV(x), TV(x) = sum over pixels of the length of the gradient, by the
// primal-dual steps of Chambolle and Pock (book, chapter 1, (1.66); chapter 9, (9.3)).
import { InverseError } from "./error.ts";
import { type LinearMap, lengthOf, squaredNormOf } from "./linear-map.ts";
import { pictureOf } from "./shape.ts";

export interface TotalVariationOptions {
  /** Weight of the total variation; default: 1/1000 of the greatest entry of |A^T y|. */
  readonly lambda?: number;
  /** The values that a pixel may have; default: all. */
  readonly range?: readonly [number, number];
  /** Steps at most; default: 3000. */
  readonly iterations?: number;
  /** The duality gap that is good enough, as a part of |y|^2 / 2; default: 1e-5. */
  readonly gap?: number;
  readonly onStep?: (step: number) => void | Promise<void>;
}

export interface TotalVariation {
  readonly x: Float64Array;
  readonly lambda: number;
  readonly objective: number;
  /** No picture with values in `within` has an objective that is less by more. */
  readonly dualityGap: number;
  readonly within: readonly [number, number];
  readonly iterations: number;
}

/** Differences to the next pixel of the row, then to the next of the column; 0 at the ends. */
export function differences(x: Float64Array, shape: readonly number[]): Float64Array {
  const { columns, rows, size } = pictureOf(shape);
  const d = new Float64Array(2 * size);
  for (let k = 0; k < size; k++) {
    if (k % columns < columns - 1) d[k] = x[k + 1]! - x[k]!;
    if (Math.floor(k / columns) % rows < rows - 1) d[size + k] = x[k + columns]! - x[k]!;
  }
  return d;
}

/** The transpose of the differences. */
export function differencesBack(d: Float64Array, shape: readonly number[]): Float64Array {
  const { columns, rows, size } = pictureOf(shape);
  const x = new Float64Array(size);
  for (let k = 0; k < size; k++) {
    if (k % columns < columns - 1) {
      x[k]! -= d[k]!;
      x[k + 1]! += d[k]!;
    }
    if (Math.floor(k / columns) % rows < rows - 1) {
      x[k]! -= d[size + k]!;
      x[k + columns]! += d[size + k]!;
    }
  }
  return x;
}

/**
 * The total variation of a picture: the sum of the lengths of its differences.
 * @example totalVariationOf(Float64Array.of(0, 1, 1), [3]) // 1
 */
export function totalVariationOf(x: Float64Array, shape: readonly number[]): number {
  const d = differences(x, shape);
  const size = x.length;
  let sum = 0;
  for (let k = 0; k < size; k++) sum += Math.hypot(d[k]!, d[size + k]!);
  return sum;
}

/** Steps between two looks at the gap. */
const between = 25;

/**
 * The picture with few edges that fits the measurements.
 * @example (await totalVariation(identityOperator(4), Float64Array.of(0, 0.1, 1, 1.1), [4], { lambda: 0.1 })).x.map((v) => Math.round(100 * v)) // Float64Array [10, 10, 100, 100]
 */
export async function totalVariation(
  map: LinearMap,
  y: Float64Array,
  shape: readonly number[],
  { lambda: wanted, range, iterations = 3000, gap = 1e-5, onStep }: TotalVariationOptions = {},
): Promise<TotalVariation> {
  const { size } = pictureOf(shape);
  const back = map.transpose(y);
  const lambda = wanted ?? back.reduce((most, v) => Math.max(most, Math.abs(v)), 0) / 1000;
  if (!(lambda > 0 && Number.isFinite(lambda)))
    throw new InverseError(`lambda is a positive number, not ${lambda}`);
  const [low, high] = range ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const allowed = (gap * lengthOf(y) ** 2) / 2;
  // |differences|^2 <= 8; the operator is scaled to the same norm, so that one pair of steps suits both.
  const norm = Math.sqrt(1.02 * squaredNormOf(map));
  const scale = Math.sqrt(8) / (norm || 1);
  // tau sigma |K|^2 <= 1, |K|^2 <= 16. Steps are in the ratio of how far the picture and its dual are from 0.
  const ratio = Math.max(1e-3, Math.min(1e3, lengthOf(y) / ((norm || 1) * lambda * Math.sqrt(size))));
  const [tau, sigma] = [0.25 * ratio, 0.25 / ratio];
  let x: Float64Array = new Float64Array(size);
  let bar = x;
  const u = new Float64Array(map.outputs); // dual of the fit, in units of scale
  const q = new Float64Array(2 * size); // dual of the differences, length <= lambda
  let at = {
    objective: Number.POSITIVE_INFINITY,
    dualityGap: Number.POSITIVE_INFINITY,
    within: [low, high] as const,
  };
  let best = { x, ...at };
  let k = 0;
  for (; k < iterations && best.dualityGap > allowed; ) {
    const [fit, slopes] = [map.apply(bar), differences(bar, shape)];
    // The conjugate of |v / scale - y|^2 / 2 in v = scale A x is scale^2 u^2 / 2 + scale <u, y>.
    for (let i = 0; i < u.length; i++)
      u[i] = (u[i]! + sigma * scale * (fit[i]! - y[i]!)) / (1 + sigma * scale ** 2);
    for (let i = 0; i < size; i++) {
      const [a, b] = [q[i]! + sigma * slopes[i]!, q[size + i]! + sigma * slopes[size + i]!];
      const shrink = Math.max(1, Math.hypot(a, b) / lambda);
      [q[i], q[size + i]] = [a / shrink, b / shrink];
    }
    const [fromFit, fromEdges] = [map.transpose(u), differencesBack(q, shape)];
    const before = x;
    x = before.map((v, i) => Math.min(high, Math.max(low, v - tau * (scale * fromFit[i]! + fromEdges[i]!))));
    const now = x;
    bar = now.map((v, i) => 2 * v - before[i]!);
    k++;
    if (k % between === 0 || k === iterations) {
      at = judged({ map, y, shape, lambda, range }, x, u, scale, q);
      if (at.dualityGap <= best.dualityGap) best = { x, ...at };
      await onStep?.(k);
    }
  }
  return { ...best, lambda, iterations: k };
}

interface Problem {
  readonly map: LinearMap;
  readonly y: Float64Array;
  readonly shape: readonly number[];
  readonly lambda: number;
  readonly range: readonly [number, number] | undefined;
}

/**
 * The objective, and what it can be too large by: for duals u (of the fit) and q (of the differences, no longer than lambda)
 * every x of the range has an objective of at least -|u|^2 / 2 - <u, y> + min over the range of <A^T u + D^T q, x>.
 */
function judged(
  { map, y, shape, lambda, range }: Problem,
  x: Float64Array,
  scaledDual: Float64Array,
  scale: number,
  q: Float64Array,
) {
  const residual = map.apply(x).map((v, i) => v - y[i]!);
  const objective = lengthOf(residual) ** 2 / 2 + lambda * totalVariationOf(x, shape);
  // Where no range is given the bound is for pictures whose values reach at most once as far as those of x.
  const [least, most] = [x.reduce((a, b) => Math.min(a, b), 0), x.reduce((a, b) => Math.max(a, b), 0)];
  const spread = most - least || 1;
  const within = range ?? ([least - spread, most + spread] as const);
  const bound = (u: Float64Array): number => {
    const [fromFit, fromEdges] = [map.transpose(u), differencesBack(q, shape)];
    let value = 0;
    for (let i = 0; i < u.length; i++) value -= u[i]! * (u[i]! / 2 + y[i]!);
    for (let i = 0; i < x.length; i++) {
      const c = fromFit[i]! + fromEdges[i]!;
      value += Math.min(c * within[0], c * within[1]);
    }
    return value;
  };
  const lower = Math.max(bound(scaledDual.map((v) => scale * v)), bound(residual));
  return { objective, dualityGap: Math.max(0, objective - lower), within };
}
