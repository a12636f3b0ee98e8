// Laws of lengths: chi and gamma with whole numbers of degrees of freedom, and the moments that go with them.
import type { Random } from "../../numbers/random.ts";

/**
 * Gamma(n / 2) for whole n >= 1.
 * @example gammaOfHalf(6) // 2
 */
export function gammaOfHalf(n: number): number {
  let value = n % 2 === 0 ? 1 : Math.sqrt(Math.PI);
  for (let k = n % 2 === 0 ? 2 : 1; k < n; k += 2) value *= k / 2;
  return value;
}

/**
 * E |Z|^order for Z standard normal in R^d: 2^{order / 2} Gamma((d + order) / 2) / Gamma(d / 2).
 * @example normalMoment(3, 2) // 3
 */
export const normalMoment = (d: number, order: number): number =>
  (2 ** (order / 2) * gammaOfHalf(d + order)) / gammaOfHalf(d);

/** |Z| for Z standard normal in R^dof. */
export const drawChi = (dof: number, random: Random): number =>
  Math.sqrt(random.normal(dof).reduce((sum, z) => sum + z * z, 0));

/** A sum of `shape` exponential times of mean 1. */
export const drawGamma = (shape: number, random: Random): number => drawChi(2 * shape, random) ** 2 / 2;

/** The area of the unit sphere of R^d: 2 for d = 1. */
export const sphereArea = (d: number): number => (2 * Math.PI ** (d / 2)) / gammaOfHalf(d);

/**
 * E |nu e + Z| for Z standard normal in R^d and |e| = 1: sqrt(2) Gamma((d+1)/2) / Gamma(d/2) 1F1(-1/2; d/2; -nu^2/2),
 * after Kummer's transformation a series of positive terms; far out, the first terms of its expansion.
 */
export function shiftedNormalMean(d: number, nu: number): number {
  const far = Math.abs(nu);
  if (far > 100) return far + (d - 1) / (2 * far) - ((d - 1) * (d - 3)) / (8 * far ** 3); // off by about nu^-5
  const z = nu ** 2 / 2;
  let [term, sum, logarithm] = [1, 1, -z];
  for (let n = 0; n < z || term > 1e-17 * sum; n++) {
    term *= (((d + 1) / 2 + n) * z) / ((d / 2 + n) * (n + 1));
    sum += term;
    if (sum < 1e200) continue;
    [term, sum, logarithm] = [term * 1e-200, sum * 1e-200, logarithm + 200 * Math.LN10];
  }
  return normalMoment(d, 1) * sum * Math.exp(logarithm);
}
