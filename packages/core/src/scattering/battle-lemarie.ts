// The cubic-spline wavelets of Battle and Lemarie, made analytic: a bank of one variable that keeps norms exactly.
import type { FilterBank, Wavelet } from "./filter-bank.ts";
import { angularFrequency } from "./filter-bank.ts";
import { checkBank } from "./morlet-1d.ts";

export interface SplineOptions {
  readonly length: number;
  /** J: the scales are 2^0 .. 2^(J-1), and the low-pass filter is at 2^J. */
  readonly scale: number;
  /** Real wavelets have both halves of the frequencies; default: false. */
  readonly real?: boolean;
}

/** P(t) = 105 2^8 sin^8(t) S_8(2 t), where S_8(w) = sum_n (w + 2 pi n)^-8: a sum over the lattice without its poles. */
function latticePolynomial(t: number): number {
  const [c, s] = [Math.cos(t) ** 2, Math.sin(t) ** 2];
  return 5 + 30 * c + 30 * s * c + 70 * c * c + 2 * s * s * c + (2 / 3) * s ** 3;
}

/**
 * |h^(omega)|^2 of the cubic-spline conjugate mirror filter, with h^(0) = 1.
 * @example splineLowPass(Math.PI / 2) + splineLowPass(Math.PI / 2 + Math.PI) // 1
 */
export const splineLowPass = (omega: number): number =>
  (latticePolynomial(omega / 2) * Math.cos(omega / 2) ** 8) / latticePolynomial(omega);

/**
 * |phi^(omega)|^2 of the cubic-spline scaling function: 1 / (omega^8 S_8(omega)).
 * @example splineScaling(0) // 1
 */
export function splineScaling(omega: number): number {
  const half = omega / 2;
  const sinc = half === 0 ? 1 : Math.sin(half) / half;
  return (105 * sinc ** 8) / latticePolynomial(half);
}

/**
 * The unitary bank: |phi^|^2 + 1/2 sum (|psi^(omega)|^2 + |psi^(-omega)|^2) = 1 at every frequency of any grid.
 * @example battleLemarieBank({ length: 100, scale: 4 }).wavelets.length // 4
 */
export function battleLemarieBank({ length, scale, real = false }: SplineOptions): FilterBank {
  checkBank(length, scale);
  const omegas = Float64Array.from({ length }, (_, k) => angularFrequency(k, length));
  // A wavelet of positive frequencies has all of the energy there; 0 and pi are their own opposites.
  const share = omegas.map((_, k) => (real || (2 * k) % length === 0 ? 1 : 2 * k < length ? 2 : 0));
  let low = new Float64Array(length).fill(1);
  const wavelets: Wavelet[] = [];
  for (let j = 0; j < scale; j++) {
    const mirror = omegas.map((omega) => splineLowPass(2 ** j * omega));
    const before = low;
    wavelets.push({
      ...{ j, xi: 0.375 * 2 ** -j },
      re: mirror.map((h, k) => (k === 0 ? 0 : Math.sqrt(Math.max(0, share[k]! * before[k]! * (1 - h))))),
    });
    low = mirror.map((h, k) => before[k]! * h);
  }
  return {
    ...{ kind: "battle-lemarie", shape: [length], scale, average: 2 ** scale },
    ...{ lowPass: { re: low.map(Math.sqrt) }, wavelets },
  };
}
