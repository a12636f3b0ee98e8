// What is known of a two-phase model before its second sample is drawn (book, chapter 2, Theorems 2.9 and 2.10).
import { splitQuantile } from "./matrix-bernstein.ts";

/** Assumption 2.8: bounds of one example's terms, and of their second moments. */
export interface TwoPhaseConstants {
  /** lambda_max(E z z' - z_i z_i'), and the spectral norm of the mean square of that matrix. */
  readonly Czz: number;
  readonly squareZz: number;
  /** |Y_k z_k' - E Y_k z_k'| over all outputs k and paths k'. */
  readonly Cyz: number;
  readonly squareYz: number;
  /** |E |Y|^2 - |Y_i|^2|. */
  readonly Cy: number;
  readonly squareY: number;
}

export interface TwoPhaseSize {
  /** m_sigma: examples that the gates did not see. */
  readonly fresh: number;
  /** ln d_z, of the number of paths. */
  readonly logPaths: number;
  readonly outputs: number;
  readonly delta: number;
}

/** How far the three averages may be from their expectations, all at once with probability at least 1 - delta. */
export interface TwoPhaseDeviations {
  readonly beta1: number;
  readonly beta2: number;
  readonly beta3: number;
}

/**
 * beta_1 for the second moments of z, beta_2 for each product of a label and a path, beta_3 for the labels alone: each
 * fails with probability at most delta/3.
 * @example twoPhaseDeviations({ Czz: 0, squareZz: 0, Cyz: 0, squareYz: 0, Cy: 0, squareY: 2 }, { fresh: 4, logPaths: 0, outputs: 1, delta: 3 / Math.E }).beta3 // 1
 */
export function twoPhaseDeviations(
  { Czz, squareZz, Cyz, squareYz, Cy, squareY }: TwoPhaseConstants,
  { fresh, logPaths, outputs, delta }: TwoPhaseSize,
): TwoPhaseDeviations {
  const mean = (C: number, square: number, logDimension: number): number =>
    splitQuantile({ logDimension, R: C / fresh, variance: square / fresh }, delta / 3);
  return {
    beta1: mean(Czz, squareZz, logPaths),
    beta2: mean(Cyz, squareYz, logPaths + Math.log(2 * outputs)), // both signs of each of d_y d_z numbers
    beta3: mean(Cy, squareY, 0),
  };
}

/** The norms of the path weights of each output. */
export interface PathWeightNorms {
  readonly norm1: ArrayLike<number>;
  readonly norm2: ArrayLike<number>;
}

/**
 * Theorem 2.9: the gap on the fresh examples is at most beta_1 sum |w_k|_2^2 + 2 beta_2 sum |w_k|_1 + beta_3.
 * @example twoPhaseGapBound({ beta1: 1, beta2: 1, beta3: 1 }, { norm1: [2], norm2: [3] }) // 14
 */
export function twoPhaseGapBound(
  { beta1, beta2, beta3 }: TwoPhaseDeviations,
  { norm1, norm2 }: PathWeightNorms,
): number {
  let [ones, squares] = [0, 0];
  for (let k = 0; k < norm1.length; k++) {
    ones += norm1[k]!;
    squares += norm2[k]! ** 2;
  }
  return beta1 * squares + 2 * beta2 * ones + beta3;
}

export interface MarginClass {
  readonly outputs: number;
  /** sqrt(E |z|^2) is at most this. */
  readonly pathInput: number;
  /** |w_k|_2 is at most this, for every output. */
  readonly pathNorm: number;
  readonly rho: number;
  readonly fresh: number;
}

/**
 * Theorem 2.10: what the capacity of the path weights adds to the margin loss, 2 d_y^2 C_sigma C_w / (rho sqrt(m_sigma)).
 * @example pathMarginComplexity({ outputs: 2, pathInput: 1, pathNorm: 1, rho: 1, fresh: 64 }) // 1
 */
export const pathMarginComplexity = ({ outputs, pathInput, pathNorm, rho, fresh }: MarginClass): number =>
  (2 * outputs ** 2 * pathInput * pathNorm) / (rho * Math.sqrt(fresh));

/**
 * The rho-margin loss: 1 up to margin 0, 0 from rho on, linear between.
 * @example marginLoss(1, 2) // 0.5
 */
export const marginLoss = (margin: number, rho: number): number => Math.min(1, Math.max(0, 1 - margin / rho));
