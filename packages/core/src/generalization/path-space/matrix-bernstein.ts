// The matrix Bernstein inequality (Tropp 2012, Theorem 1.4; Lemma 2.11 of the book's chapter 2): how far the greatest
// eigenvalue of a sum of independent centred symmetric matrices strays.

export interface MatrixSum {
  /** Rows of the matrices; its logarithm is enough where it overflows. */
  readonly logDimension: number;
  /** lambda_max of each matrix is at most this. */
  readonly R: number;
  /** The spectral norm of sum_i E M_i^2. */
  readonly variance: number;
}

/**
 * ln of d exp(-(t^2/2) / (variance + R t/3)), which bounds P[lambda_max >= t].
 * @example logBernsteinTail({ logDimension: 0, R: 0, variance: 1 }, 2) // -2
 */
export const logBernsteinTail = ({ logDimension, R, variance }: MatrixSum, t: number): number =>
  t === 0 ? logDimension : logDimension - (t * t) / 2 / (variance + (R * t) / 3);

/**
 * The t at which that bound is delta: q R/3 + sqrt((q R/3)^2 + 2 variance q), q = ln(d / delta).
 * @example bernsteinQuantile({ logDimension: 0, R: 0, variance: 1 }, Math.exp(-2)) // 2
 */
export function bernsteinQuantile({ logDimension, R, variance }: MatrixSum, delta: number): number {
  const q = logDimension - Math.log(delta);
  return (q * R) / 3 + Math.sqrt(((q * R) / 3) ** 2 + 2 * variance * q);
}

/**
 * The same with the root split, as theorems write it: 2 q R/3 + sqrt(2 variance q).
 * @example splitQuantile({ logDimension: 0, R: 3, variance: 0 }, Math.exp(-2)) // 4
 */
export function splitQuantile({ logDimension, R, variance }: MatrixSum, delta: number): number {
  const q = logDimension - Math.log(delta);
  return (2 * q * R) / 3 + Math.sqrt(2 * variance * q);
}
