// What sets small numbers to zero: proximal operators of |x|_1, |x|_0 and their nonnegative kin.

/**
 * sign(v) max(|v| - t, 0): the x that minimizes (x - v)^2 / 2 + t |x|.
 * @example softThreshold(-3, 1) // -2
 */
export const softThreshold = (v: number, t: number): number => (v > t ? v - t : v < -t ? v + t : 0);

/**
 * max(v - t, 0): the same among x >= 0, a ReLU with bias -t.
 * @example rectifiedThreshold(3, 1) // 2
 */
export const rectifiedThreshold = (v: number, t: number): number => (v > t ? v - t : 0);

/**
 * v if v^2 > 2 t, else 0: the x that minimizes (x - v)^2 / 2 + t [x != 0].
 * @example hardThreshold(3, 1) // 3
 */
export const hardThreshold = (v: number, t: number): number => (v * v > 2 * t ? v : 0);

/**
 * The k entries of greatest size, the others 0; of equals the first ones.
 * @example keepLargest(Float64Array.of(1, -3, 2), 2) // Float64Array [0, -3, 2]
 */
export function keepLargest(v: Float64Array, k: number): Float64Array {
  const kept = new Float64Array(v.length);
  for (const j of largest(v, k)) kept[j] = v[j]!;
  return kept;
}

/** The indices of the k entries of greatest size, ascending. */
export const largest = (v: Float64Array, k: number): readonly number[] =>
  Array.from(v.keys())
    .sort((a, b) => Math.abs(v[b]!) - Math.abs(v[a]!) || a - b)
    .slice(0, k)
    .sort((a, b) => a - b);
