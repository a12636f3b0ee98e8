// How fast energy leaves a scattering network: |x|^2 - |x * chi_s|^2 with a Gaussian chi_s (book 1, Theorem 8.4).
import { angularFrequency } from "./filter-bank.ts";
import { fourier } from "./fourier.ts";

/** e^(-(omega / 2 pi s)^2), the transform of chi_s(t) = sqrt(pi) s e^(-(pi s t)^2) at omega radians. */
const windowSpectrum = (s: number, omega: number): number => Math.exp(-((omega / (2 * Math.PI * s)) ** 2));

/**
 * |x|^2 - |x * chi_s|^2 on a periodic grid.
 * @example decayBound([1, -1, 1, -1], 1e-3) // 4
 */
export function decayBound(x: ArrayLike<number>, s: number): number {
  const n = x.length;
  const { re, im } = fourier({ re: Float64Array.from(x), im: new Float64Array(n) });
  let sum = 0;
  for (let k = 0; k < n; k++)
    sum += ((re[k]! ** 2 + im[k]! ** 2) / n) * (1 - windowSpectrum(s, angularFrequency(k, n)) ** 2);
  return sum;
}

/**
 * int chi_s(t) cos(omega t) dt by the trapezoidal rule, which is exact to rounding for Gaussians.
 * @example gaussianGain(1, 0) // 1
 */
export function gaussianGain(s: number, omega: number): number {
  const [steps, reach] = [400, 8];
  let sum = 0;
  for (let k = -steps; k <= steps; k++) {
    const z = (reach * k) / steps; // z = pi s t
    sum += Math.exp(-z * z) * Math.cos((omega * z) / (Math.PI * s));
  }
  return (sum * reach) / steps / Math.sqrt(Math.PI);
}

/**
 * For |x^|^2 = 1 / (omega log^3 omega) beyond e, which has a finite log-Sobolev integral: the bound
 * (int |x^|^2 (1 - e^(-2 (omega / a^m)^2)))^1/2 at m = M, and what those of M .. 2M - 1 add up to.
 * @example logSobolevBounds(1000, 2).block > 0.5 // true
 */
export function logSobolevBounds(M: number, a: number): { readonly bound: number; readonly block: number } {
  // With t = log omega and t = m log a + y it is int h(e^y) (m log a + y)^-3 dy; h rises from 0 to 1 near y = 0.
  const bound = (m: number): number => {
    const centre = m * Math.log(a);
    const [least, most, steps] = [Math.max(-8, 1 - centre), 4, 240];
    const width = (most - least) / steps;
    let sum = 1 / (2 * (centre + most) ** 2); // beyond, h is 1
    for (let k = 0; k < steps; k++) {
      const y = least + (k + 0.5) * width;
      sum += -width * Math.expm1(-2 * Math.exp(2 * y)) * (centre + y) ** -3;
    }
    return Math.sqrt(sum);
  };
  const parts = 64; // by the trapezoidal rule in log m
  let block = 0;
  for (let k = 0; k < parts; k++) {
    const m = M * 2 ** ((k + 0.5) / parts);
    block += (bound(m) * m * Math.LN2) / parts;
  }
  return { bound: bound(M), block };
}
