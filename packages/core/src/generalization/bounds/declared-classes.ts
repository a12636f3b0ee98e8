// A class of functions that is chosen after the sample was seen, out of a sequence that was declared before (book,
// chapter 2, A6), and the bound of a validation set by the complexity of what was tried on it (Remark 2.6).

/**
 * The part of delta that class j = 1, 2, ... of a declared sequence gets: 1 / (j (j + 1)), which sum to 1.
 * @example declaredShare(1) // 0.5
 */
export const declaredShare = (j: number): number => 1 / (j * (j + 1));

export interface ComplexityOnSample {
  /** E sup (1/m) sum xi_i loss_i. */
  readonly complexity: number;
  readonly m: number;
  readonly delta: number;
}

/**
 * 2 R_m + sqrt(ln(1/delta) / 2m), for losses in [0, 1] and the complexity under their law.
 * @example complexityGap({ complexity: 0.05, m: 1000, delta: 0.05 }) // 0.1387...
 */
export const complexityGap = ({ complexity, m, delta }: ComplexityOnSample): number =>
  2 * complexity + Math.sqrt(Math.log(1 / delta) / (2 * m));

/**
 * 2 R_S + 3 sqrt(ln(2/delta) / 2m): the same, by the complexity on the sample itself.
 * @example empiricalComplexityGap({ complexity: 0, m: 9, delta: 2 / Math.E ** 2 }) // 1
 */
export const empiricalComplexityGap = ({ complexity, m, delta }: ComplexityOnSample): number =>
  2 * complexity + 3 * Math.sqrt(Math.log(2 / delta) / (2 * m));
