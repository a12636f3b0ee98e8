// Arrays of intervals: the ends in two typed arrays.
import type { Interval } from "./scalar.ts";

export interface IntervalArray {
  readonly lower: Float64Array;
  /** The lower array itself where every number is known exactly. */
  readonly upper: Float64Array;
}

/** Numbers that are known exactly. */
export function points(values: ArrayLike<number>): IntervalArray {
  const lower = values instanceof Float64Array ? values : Float64Array.from(values);
  return { lower, upper: lower };
}

/** Room for so many intervals, all [0, 0]. */
export const emptyIntervals = (length: number): IntervalArray => ({
  lower: new Float64Array(length),
  upper: new Float64Array(length),
});

export const intervalAt = ({ lower, upper }: IntervalArray, k: number): Interval => ({
  lower: lower[k]!,
  upper: upper[k]!,
});

/** Is every one a single number? */
export function arePoints({ lower, upper }: IntervalArray): boolean {
  if (lower === upper) return true;
  for (let k = 0; k < lower.length; k++) if (lower[k] !== upper[k]) return false;
  return true;
}

/**
 * A function of one interval, on each.
 * @example mapIntervals(points([1, 4]), sqrt).upper // Float64Array [1, 2]
 */
export function mapIntervals(x: IntervalArray, f: (x: Interval) => Interval): IntervalArray {
  const result = emptyIntervals(x.lower.length);
  for (let k = 0; k < x.lower.length; k++) {
    const y = f({ lower: x.lower[k]!, upper: x.upper[k]! });
    result.lower[k] = y.lower;
    result.upper[k] = y.upper;
  }
  return result;
}

/** Which element of an array stands at each place of a result; undefined: each its own. */
export type Positions = ArrayLike<number> | undefined;

/**
 * A function of two intervals, place by place.
 * @example zipIntervals(points([1, 2]), points([3, 4]), add).lower // Float64Array [4, 6]
 */
export function zipIntervals(
  x: IntervalArray,
  y: IntervalArray,
  f: (x: Interval, y: Interval) => Interval,
  [xAt, yAt]: readonly [Positions, Positions] = [undefined, undefined],
): IntervalArray {
  const length = xAt?.length ?? yAt?.length ?? x.lower.length;
  const result = emptyIntervals(length);
  for (let k = 0; k < length; k++) {
    const [i, j] = [xAt ? xAt[k]! : k, yAt ? yAt[k]! : k];
    const z = f({ lower: x.lower[i]!, upper: x.upper[i]! }, { lower: y.lower[j]!, upper: y.upper[j]! });
    result.lower[k] = z.lower;
    result.upper[k] = z.upper;
  }
  return result;
}

/** The elements at the given places, in this order. */
export function pickIntervals(x: IntervalArray, positions: ArrayLike<number>): IntervalArray {
  const pick = (from: Float64Array): Float64Array => {
    const to = new Float64Array(positions.length);
    for (let k = 0; k < positions.length; k++) to[k] = from[positions[k]!]!;
    return to;
  };
  const lower = pick(x.lower);
  return { lower, upper: x.lower === x.upper ? lower : pick(x.upper) };
}
