// From covering numbers to the excess risk of the empirical minimizer.

export interface RiskOptions {
  /** Examples. */
  readonly n: number;
  /** Losses lie in [0, M] and are Lipschitz in the prediction with this constant. */
  readonly M: number;
  readonly lipschitz: number;
  readonly delta: number;
}

export interface RiskBound {
  readonly value: number;
  /** The radius at which the bound is least. */
  readonly eps: number;
  /** No better than what is known without data: excess risks are at most M. */
  readonly vacuous: boolean;
}

/**
 * With probability at least 1 - delta over n examples, R(empirical minimizer) - min R is at most
 * 4 lipschitz eps + 2 M sqrt((ln 2 N(eps) + ln 1/delta) / (2 n)), for each eps that is chosen beforehand. eps is chosen
 * from the class alone here, among powers of 2^(1/4).
 */
export function excessRiskBound(
  logCovering: (eps: number) => number,
  { n, M, lipschitz, delta }: RiskOptions,
): RiskBound {
  let best = { value: Number.POSITIVE_INFINITY, eps: 0 };
  for (let k = -120; k <= 40; k++) {
    const eps = (M / lipschitz) * 2 ** (k / 4);
    const deviation = Math.sqrt((Math.LN2 + logCovering(eps) + Math.log(1 / delta)) / (2 * n));
    const value = 4 * lipschitz * eps + 2 * M * deviation;
    if (value < best.value) best = { value, eps };
  }
  return { ...best, vacuous: best.value >= M };
}

/** The printed form: no constants, no probability, no loss (Shen, Benefits to Generalization, k = 1). */
export const printedExcessRisk = (logCovering: (eps: number) => number, n: number): number =>
  Math.sqrt(Math.max(0, logCovering(1 / n)) / n);
