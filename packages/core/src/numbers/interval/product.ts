// Products of matrices of intervals, at the speed of plain loops: one a-priori bound on the rounding errors of a whole
// sum of products takes the place of outward rounding at each step.

import { addDown, addUp, mulDown, mulUp, nextUp } from "../rounding.ts";
import { emptyIntervals, type IntervalArray } from "./array.ts";
import type { Interval } from "./scalar.ts";

/** Rows of the left matrix, its columns (and rows of the right one), columns of the right one. */
export interface ProductSize {
  readonly rows: number;
  readonly inner: number;
  readonly columns: number;
}

/** What decides how a product can be bounded. */
interface Survey {
  readonly isPoints: boolean;
  readonly isFinite: boolean;
  readonly isInteger: boolean;
  readonly isNonnegative: boolean;
  readonly greatest: number;
  /** The least magnitude of an end other than zero. */
  readonly least: number;
}

function survey({ lower, upper }: IntervalArray): Survey {
  let [isPoints, isInteger, isNonnegative] = [true, true, true];
  let [greatest, least] = [0, Number.POSITIVE_INFINITY];
  const ends = lower === upper ? [lower] : [lower, upper];
  for (const end of ends)
    for (let k = 0; k < end.length; k++) {
      const value = end[k]!;
      const size = Math.abs(value);
      if (size > greatest) greatest = size;
      if (size < least && size > 0) least = size;
      if (isInteger && Math.floor(value) !== value) isInteger = false;
      if (value < 0) isNonnegative = false;
    }
  if (lower !== upper) for (let k = 0; isPoints && k < lower.length; k++) isPoints = lower[k] === upper[k];
  return {
    isPoints,
    isFinite: greatest < Number.POSITIVE_INFINITY,
    isInteger,
    isNonnegative,
    greatest,
    least,
  };
}

/**
 * How much a sum of n products may be off: a part gamma of the sum of magnitudes, and `underflow` besides.
 * With u = 2^-53 the computed sum of n products is off by at most n u / (1 - n u) times the sum of their magnitudes
 * (Higham, Accuracy and Stability, section 3.1), in any order; twice that leaves room for the rounding of the
 * magnitudes themselves. Sums of integers below 2^53 are exact, as is a product that cannot underflow.
 */
interface Slack {
  readonly gamma: number;
  readonly underflow: number;
}

function slackOf(a: Survey, b: Survey, inner: number): Slack {
  const isExact =
    a.isPoints && b.isPoints && a.isInteger && b.isInteger && inner * a.greatest * b.greatest <= 2 ** 53;
  if (isExact) return { gamma: 0, underflow: 0 };
  // Radii and magnitudes may be smaller than any end by the factor gamma and by cancellation to one ulp.
  const mayUnderflow = a.least * b.least < 2 ** -800;
  return { gamma: (inner + 4) * 2 ** -52, underflow: mayUnderflow ? 2 * inner * Number.MIN_VALUE : 0 };
}

/**
 * The product of two matrices of intervals, both row by row.
 * @example matrixProduct(points([1, 2]), points([3, 4]), { rows: 1, inner: 2, columns: 1 }).upper // Float64Array [11]
 */
export function matrixProduct(a: IntervalArray, b: IntervalArray, size: ProductSize): IntervalArray {
  const [left, right] = [survey(a), survey(b)];
  if (!left.isFinite || !right.isFinite) return stepwiseProduct(a, b, size);
  const slack = slackOf(left, right, size.inner);
  const result = right.isPoints
    ? productByPoints(a, b.lower, size, slack)
    : left.isPoints
      ? pointsByProduct(a.lower, b, size, slack)
      : productOfBoth(a, b, size, slack);
  if (left.isNonnegative && right.isNonnegative)
    for (let k = 0; k < result.lower.length; k++) if (result.lower[k]! < 0) result.lower[k] = 0;
  return result;
}

/** Midpoint and radius of an interval, the radius rounded up so that nothing is lost. */
function middle(lower: number, upper: number): readonly [number, number] {
  if (lower === upper) return [lower, 0];
  const center = lower / 2 + upper / 2;
  return [center, Math.max(addUp(upper, -center), addUp(center, -lower))];
}

/** A radius that takes care of the rounding of the centers' sum too. */
function widened(halfWidth: number, center: number, { gamma }: Slack): number {
  const radius = halfWidth + gamma * Math.abs(center);
  return radius === 0 ? 0 : nextUp(radius);
}

/** One row of results: the ends around computed centers, given the sums of radii (and of gamma times magnitudes). */
function outward(
  result: IntervalArray,
  start: number,
  centers: Float64Array,
  radii: Float64Array,
  { gamma, underflow }: Slack,
): void {
  for (let j = 0; j < centers.length; j++) {
    const sum = radii[j]!;
    const radius = sum === 0 && underflow === 0 ? 0 : nextUp(sum * (1 + gamma)) + underflow;
    result.lower[start + j] = addDown(centers[j]!, -radius);
    result.upper[start + j] = addUp(centers[j]!, radius);
  }
}

/** Each row of intervals times a matrix of numbers: sum_p [c_p - r_p, c_p + r_p] b_p = sum c_p b_p +- sum r_p |b_p|. */
function productByPoints(a: IntervalArray, b: Float64Array, size: ProductSize, slack: Slack): IntervalArray {
  const { rows, inner, columns } = size;
  const result = emptyIntervals(rows * columns);
  const [centers, radii] = [new Float64Array(columns), new Float64Array(columns)];
  for (let i = 0; i < rows; i++) {
    centers.fill(0);
    radii.fill(0);
    for (let p = 0; p < inner; p++) {
      const [center, halfWidth] = middle(a.lower[i * inner + p]!, a.upper[i * inner + p]!);
      if (center === 0 && halfWidth === 0) continue;
      const radius = widened(halfWidth, center, slack);
      const start = p * columns;
      for (let j = 0; j < columns; j++) {
        const factor = b[start + j]!;
        centers[j] = centers[j]! + center * factor;
        radii[j] = radii[j]! + radius * Math.abs(factor);
      }
    }
    outward(result, i * columns, centers, radii, slack);
  }
  return result;
}

/** A matrix of numbers times one of intervals: the same, with the numbers on the left. */
function pointsByProduct(a: Float64Array, b: IntervalArray, size: ProductSize, slack: Slack): IntervalArray {
  const { rows, inner, columns } = size;
  const result = emptyIntervals(rows * columns);
  const middles = new Float64Array(inner * columns);
  const halfWidths = new Float64Array(inner * columns);
  for (let k = 0; k < middles.length; k++) {
    const [center, halfWidth] = middle(b.lower[k]!, b.upper[k]!);
    middles[k] = center;
    halfWidths[k] = widened(halfWidth, center, slack);
  }
  const [centers, radii] = [new Float64Array(columns), new Float64Array(columns)];
  for (let i = 0; i < rows; i++) {
    centers.fill(0);
    radii.fill(0);
    for (let p = 0; p < inner; p++) {
      const factor = a[i * inner + p]!;
      if (factor === 0) continue;
      const [start, size] = [p * columns, Math.abs(factor)];
      for (let j = 0; j < columns; j++) {
        centers[j] = centers[j]! + factor * middles[start + j]!;
        radii[j] = radii[j]! + size * halfWidths[start + j]!;
      }
    }
    outward(result, i * columns, centers, radii, slack);
  }
  return result;
}

/** Both factors vary: the extremes of each product are at its four corners. */
function productOfBoth(a: IntervalArray, b: IntervalArray, size: ProductSize, slack: Slack): IntervalArray {
  const { rows, inner, columns } = size;
  const result = emptyIntervals(rows * columns);
  const magnitudes = new Float64Array(columns);
  for (let i = 0; i < rows; i++) {
    const [lower, upper] = [result.lower, result.upper].map((end) =>
      end.subarray(i * columns, (i + 1) * columns),
    );
    magnitudes.fill(0);
    for (let p = 0; p < inner; p++)
      addCorners(a.lower[i * inner + p]!, a.upper[i * inner + p]!, b, p * columns, {
        lower: lower!,
        upper: upper!,
        magnitudes,
      });
    for (let j = 0; j < columns; j++) {
      const magnitude = magnitudes[j]!;
      const radius =
        magnitude === 0 && slack.underflow === 0 ? 0 : nextUp(magnitude * slack.gamma) + slack.underflow;
      lower![j] = addDown(lower![j]!, -radius);
      upper![j] = addUp(upper![j]!, radius);
    }
  }
  return result;
}

/** Sums of least and greatest products, and of the greatest magnitudes of the terms. */
interface Sums extends IntervalArray {
  readonly magnitudes: Float64Array;
}

/** Adds [al, au] times a row of intervals to the sums. */
function addCorners(
  al: number,
  au: number,
  b: IntervalArray,
  start: number,
  { lower, upper, magnitudes }: Sums,
): void {
  if (al === 0 && au === 0) return;
  for (let j = 0; j < magnitudes.length; j++) {
    const bl = b.lower[start + j]!;
    const bu = b.upper[start + j]!;
    const ll = al * bl;
    const lu = al * bu;
    const ul = au * bl;
    const uu = au * bu;
    const least = Math.min(Math.min(ll, lu), Math.min(ul, uu));
    const greatest = Math.max(Math.max(ll, lu), Math.max(ul, uu));
    lower[j] = lower[j]! + least;
    upper[j] = upper[j]! + greatest;
    magnitudes[j] = magnitudes[j]! + Math.max(-least, greatest);
  }
}

/** With infinite ends: outward rounding at every step. */
function stepwiseProduct(a: IntervalArray, b: IntervalArray, size: ProductSize): IntervalArray {
  const { rows, inner, columns } = size;
  const result = emptyIntervals(rows * columns);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++)
      for (let p = 0; p < inner; p++) {
        const x = { lower: a.lower[i * inner + p]!, upper: a.upper[i * inner + p]! };
        const y = { lower: b.lower[p * columns + j]!, upper: b.upper[p * columns + j]! };
        const { lower, upper } = cornerProduct(x, y);
        const k = i * columns + j;
        result.lower[k] = addDown(result.lower[k]!, lower);
        result.upper[k] = addUp(result.upper[k]!, upper);
      }
  return result;
}

function cornerProduct(x: Interval, y: Interval): Interval {
  const corners = [
    [x.lower, y.lower],
    [x.lower, y.upper],
    [x.upper, y.lower],
    [x.upper, y.upper],
  ] as const;
  return {
    lower: Math.min(...corners.map(([s, t]) => mulDown(s, t))),
    upper: Math.max(...corners.map(([s, t]) => mulUp(s, t))),
  };
}
