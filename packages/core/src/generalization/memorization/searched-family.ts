// The risk of a model that was chosen, out of a family, by its validation error: capacity plays no role.

export interface SearchedFamily {
  /** Validation examples. */
  readonly m: number;
  /** Models that the search could have come to; if it looked at the validation data, all in its space. */
  readonly models: number;
  readonly delta: number;
}

/** |R - loss| <= C and E (R - loss)^2 <= variance, for all models. */
export interface BernsteinConstants {
  readonly C: number;
  readonly variance: number;
}

const budgetOf = ({ models, delta }: SearchedFamily): number => Math.log(models / delta);

/**
 * R <= R_val + 2 C q / (3 m) + sqrt(2 variance q / m), q = ln(models / delta): Proposition 2.5.
 * @example bernsteinDeviation({ m: 1e4, models: 1e9, delta: 0.1 }, { C: 1, variance: 1 }).toFixed(4) // "0.0694"
 */
export function bernsteinDeviation(family: SearchedFamily, { C, variance }: BernsteinConstants): number {
  const q = budgetOf(family);
  return (2 * C * q) / (3 * family.m) + Math.sqrt((2 * variance * q) / family.m);
}

/**
 * The root of Bernstein's inequality itself, without splitting it: C q / (3 m) + sqrt((C q / (3 m))^2 + 2 variance q / m).
 * @example bernsteinRoot({ m: 1e4, models: 1e9, delta: 0.1 }, { C: 1, variance: 1 }).toFixed(4) // "0.0686"
 */
export function bernsteinRoot(family: SearchedFamily, { C, variance }: BernsteinConstants): number {
  const q = budgetOf(family);
  const part = (C * q) / (3 * family.m);
  return part + Math.sqrt(part * part + (2 * variance * q) / family.m);
}

/**
 * sqrt(q / (2 m)), for losses in [0, 1].
 * @example hoeffdingDeviation({ m: 1e4, models: 1e9, delta: 0.1 }).toFixed(4) // "0.0339"
 */
export const hoeffdingDeviation = (family: SearchedFamily): number =>
  Math.sqrt(budgetOf(family) / (2 * family.m));

/**
 * Maurer and Pontil, for losses in [0, 1] with this sample variance (divisor m - 1):
 * sqrt(2 V ln(2 models / delta) / m) + 7 ln(2 models / delta) / (3 (m - 1)).
 * @example empiricalBernstein({ m: 1e4, models: 1e9, delta: 0.1 }, 0.002 * 0.998).toFixed(4) // "0.0086"
 */
export function empiricalBernstein(family: SearchedFamily, sampleVariance: number): number {
  const q = budgetOf(family) + Math.LN2;
  return Math.sqrt((2 * sampleVariance * q) / family.m) + (7 * q) / (3 * (family.m - 1));
}
