// Logarithms of factorials and binomials, for numbers that no double holds.

/** ln(2 pi) / 2. */
const halfLogTwoPi = 0.9189385332046727;

/** ln n for all n up to here, added up one by one; Stirling's series takes over with an error below 1e-17. */
const summed = Float64Array.from({ length: 64 }, () => 0);
for (let n = 2; n < summed.length; n++) summed[n] = summed[n - 1]! + Math.log(n);

/**
 * ln n!.
 * @example logFactorial(128) / Math.LN10 // 215.586...
 */
export function logFactorial(n: number): number {
  if (!Number.isInteger(n) || n < 0) throw new RangeError(`${n}! is not defined`);
  if (n < summed.length) return summed[n]!;
  const square = n * n;
  const series = (1 / 12 - (1 / 360 - 1 / (1260 * square)) / square) / n;
  return (n + 0.5) * Math.log(n) - n + halfLogTwoPi + series;
}

/**
 * ln of the number of multisets of k out of n: C(n + k - 1, k). Few terms are added one by one, so that a huge n costs
 * no digits.
 * @example Math.exp(logMultisets(3, 2)) // 6.000...
 */
export function logMultisets(n: number, k: number): number {
  if (k > 1e6) return logFactorial(n + k - 1) - logFactorial(n - 1) - logFactorial(k);
  let sum = 0;
  for (let j = 0; j < k; j++) sum += Math.log((n + j) / (j + 1));
  return sum;
}
