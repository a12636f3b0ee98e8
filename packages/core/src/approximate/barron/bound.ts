// Barron's theorem with its constants: error <= c C / sqrt(n) for n units, and its inverse.
import { BarronError, requireCount } from "./error.ts";

export type BarronActivation = "sigmoidal" | "relu";

/** Units of one pair of thresholds: a sigmoidal unit or two ReLUs make one threshold. */
const unitsOfPair: Readonly<Record<BarronActivation, number>> = { sigmoidal: 2, relu: 4 };

/**
 * c with inf ||f - Phi_n|| <= c C_f / sqrt(n) in L2(P), P on the unit ball, for every n: sqrt(3) for sigmoidal units, sqrt(7) for
 * ReLUs (angular C_f; times 2 pi for the constant of transforms with e^{-2 pi i <xi, x>}). With m = floor(n / 2) or floor(n / 4)
 * pairs the error is at most C_f / sqrt(m), and below one pair f(0) alone is within C_f.
 */
export const barronFactor = (activation: BarronActivation): number =>
  Math.sqrt(2 * unitsOfPair[activation] - 1);

/**
 * The sharper bound for this very n: C / sqrt(number of whole pairs), and C where there is none.
 * @example barronBound(2, 8, "sigmoidal") // 1
 */
export function barronBound(
  constant: number,
  units: number,
  activation: BarronActivation,
  radius = 1,
): number {
  requireCount("the number of units", units, 0);
  requireConstant(constant, radius);
  return (radius * constant) / Math.sqrt(Math.max(1, Math.floor(units / unitsOfPair[activation])));
}

/**
 * Units that are enough for this error: pairs times the units of one.
 * @example barronUnits(2, 0.5, "sigmoidal") // 32
 */
export function barronUnits(
  constant: number,
  error: number,
  activation: BarronActivation,
  radius = 1,
): number {
  requireConstant(constant, radius);
  if (!(error > 0)) throw new BarronError(`an error of ${error}: it is positive`);
  if (radius * constant <= error) return 0;
  const near = Math.ceil(((radius * constant) / error) ** 2);
  // The square root of a rounded quotient may miss by one.
  const pairs = [near - 1, near, near + 1].find((m) => m > 0 && (radius * constant) / Math.sqrt(m) <= error)!;
  return pairs * unitsOfPair[activation];
}

function requireConstant(constant: number, radius: number): void {
  if (!(constant >= 0 && constant < Number.POSITIVE_INFINITY && radius > 0))
    throw new BarronError(
      `a Barron constant ${constant} on a ball of radius ${radius}: both are finite, the radius positive`,
    );
}
