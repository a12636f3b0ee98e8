// Euclidean norms of numbers whose squares may be beyond the range of doubles.

/** The greatest magnitude. */
export function greatestMagnitude(entries: ArrayLike<number>): number {
  let greatest = 0;
  for (let k = 0; k < entries.length; k++) greatest = Math.max(greatest, Math.abs(entries[k]!));
  return greatest;
}

/** Fourth powers of numbers up to 2^200 and sums of them do not overflow, nor do those from 2^-200 on vanish. */
const moderate = 200;

/** The exponent of a power of 2 that brings a size near 1; 0 where it is moderate, or has no exponent. */
export function moderating(size: number): number {
  const exponent = size > 0 && size < Number.POSITIVE_INFINITY ? Math.floor(Math.log2(size)) : 0;
  return Math.abs(exponent) < moderate ? 0 : -exponent;
}

/** value 2^exponent in two steps, as the power itself may overflow. */
export function timesTwoTo(value: number, exponent: number): number {
  const half = Math.trunc(exponent / 2);
  return value * 2 ** half * 2 ** (exponent - half);
}

/**
 * sqrt(sum v^2).
 * @example euclidean([3e200, 4e200]) // 5e200, though the squares overflow
 */
export function euclidean(entries: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < entries.length; k++) sum += entries[k]! ** 2;
  if (sum > 1e-200 && sum < Number.POSITIVE_INFINITY) return Math.sqrt(sum);
  const exponent = moderating(greatestMagnitude(entries));
  if (exponent === 0) return Math.sqrt(sum);
  let scaled = 0;
  for (let k = 0; k < entries.length; k++) scaled += timesTwoTo(entries[k]!, exponent) ** 2;
  return timesTwoTo(Math.sqrt(scaled), -exponent);
}
