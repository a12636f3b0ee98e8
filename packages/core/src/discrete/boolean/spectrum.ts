// What the Walsh-Fourier coefficients of a function on {-1, 1}^n say of it.
import { variablesOf } from "./walsh.ts";

/**
 * The number of bits that are set: |S|.
 * @example bitCount(0b1011) // 3
 */
export function bitCount(bits: number): number {
  let v = bits - ((bits >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return (((v + (v >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/**
 * W_k = sum_{|S| = k} fhat(S)^2, k = 0 ... n; their sum is E f^2 (Parseval).
 * @example weightByDegree([0, 0, 0, 1]) // Float64Array [0, 0, 1]
 */
export function weightByDegree(coefficients: ArrayLike<number>): Float64Array {
  const weights = new Float64Array(variablesOf(coefficients) + 1);
  for (let S = 0; S < coefficients.length; S++) weights[bitCount(S)]! += coefficients[S]! ** 2;
  return weights;
}

/**
 * Inf_i = sum_{S contains i} fhat(S)^2: for values +-1, the chance that flipping bit i flips f.
 * @example influences([0, 0, 0, 1]) // Float64Array [1, 1]
 */
export function influences(coefficients: ArrayLike<number>): Float64Array {
  const found = new Float64Array(variablesOf(coefficients));
  for (let S = 0; S < coefficients.length; S++) {
    const weight = coefficients[S]! ** 2;
    if (weight > 0) for (let i = 0; i < found.length; i++) if ((S >>> i) & 1) found[i]! += weight;
  }
  return found;
}

/**
 * Stab_rho = sum_S rho^|S| fhat(S)^2 = E f(x) f(y), where each bit of y is that of x with chance (1 + rho) / 2.
 * @example noiseStability([0, 0, 0, 1], 0.5) // 0.25
 */
export const noiseStability = (coefficients: ArrayLike<number>, rho: number): number =>
  weightByDegree(coefficients).reduce((sum, weight, k) => sum + rho ** k * weight, 0);

/**
 * The number of monomials with a coefficient that is not zero.
 * @example monomialCount([0, 0.5, 0, 0.5]) // 2
 */
export function monomialCount(coefficients: ArrayLike<number>): number {
  let count = 0;
  for (let S = 0; S < coefficients.length; S++) if (coefficients[S] !== 0) count++;
  return count;
}

/**
 * The degree of the polynomial, -1 for the zero function.
 * @example degreeOf([1, 0, 0, 0]) // 0
 */
export function degreeOf(coefficients: ArrayLike<number>): number {
  let degree = -1;
  for (let S = 0; S < coefficients.length; S++)
    if (coefficients[S] !== 0) degree = Math.max(degree, bitCount(S));
  return degree;
}

/**
 * E (f - g)^2 for the nearest polynomial g of at most this degree, f's own low part.
 * @example lowDegreeError([0, 0.5, 0, 0.5], 1) // 0.25
 */
export const lowDegreeError = (coefficients: ArrayLike<number>, degree: number): number =>
  weightByDegree(coefficients)
    .subarray(degree + 1)
    .reduce((sum, weight) => sum + weight, 0);
