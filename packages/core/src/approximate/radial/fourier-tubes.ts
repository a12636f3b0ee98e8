// Why two layers cannot make radial functions in many dimensions (Theorem 1.24): times phi, whose Fourier transform is a ball of
// volume 1, a sum of n functions of <w_j, x> lives on n tubes span{w_j} + ball, and these cover little of a sphere.
import { regularizedBeta } from "../../numbers/statistics.ts";

/**
 * The volume of the ball of radius 1 in R^d.
 * @example unitBallVolume(3) === (4 / 3) * Math.PI // true
 */
export const unitBallVolume = (d: number): number => {
  let volume = d % 2 === 0 ? 1 : 2;
  for (let k = d % 2 === 0 ? 2 : 3; k <= d; k += 2) volume *= (2 * Math.PI) / k;
  return volume;
};

/**
 * The radius of the ball of volume 1, dimension by dimension so that no volume underflows.
 * @example unitVolumeRadius(3).toFixed(4) // "0.6204"
 */
export function unitVolumeRadius(d: number): number {
  let logarithm = d % 2 === 0 ? 0 : Math.log(2);
  for (let k = d % 2 === 0 ? 2 : 3; k <= d; k += 2) logarithm += Math.log((2 * Math.PI) / k);
  return Math.exp(-logarithm / d);
}

/**
 * The part of a sphere of R^d that lies within `ratio` of its radius of a line through its centre: the squared sine of the angle
 * to the line has a beta distribution.
 * @example tubeShare(2, Math.SQRT1_2).toFixed(12) // "0.500000000000"
 */
export const tubeShare = (d: number, ratio: number): number =>
  ratio >= 1 ? 1 : regularizedBeta(ratio ** 2, (d - 1) / 2, 1 / 2);

/**
 * At most 2 ratio^(d-1) / ((d - 1) B_d sqrt(1 - ratio^2)), B_d the integral of sin^(d-2) over [0, pi]: the cosine is least at the
 * edge of the cap.
 * @example tubeShareBound(3, 0.6) > tubeShare(3, 0.6) // true
 */
export const tubeShareBound = (d: number, ratio: number): number =>
  (2 * ratio ** (d - 1)) / ((d - 1) * sinePower(d - 2) * Math.sqrt(1 - ratio ** 2));

/** The integral of sin^k over [0, pi], by parts. */
function sinePower(k: number): number {
  let value = k % 2 === 0 ? Math.PI : 2;
  for (let m = k % 2 === 0 ? 2 : 3; m <= k; m += 2) value *= (m - 1) / m;
  return value;
}

/**
 * The mass of mu = phi^2 within R of 0 in an even dimension: 1 - J_0^2 - 2 J_1^2 - ... - 2 J_{d/2-1}^2 - J_{d/2}^2 at
 * 2 pi r_d R. In the plane it is the light of a lens's disc.
 * @example tubeMeasure(2, 0) // 0
 */
export function tubeMeasure(d: number, R: number): number {
  const half = d / 2;
  const x = 2 * Math.PI * unitVolumeRadius(d) * R;
  let rest = 0;
  for (let n = 0; n <= half; n++) rest += (n === 0 || n === half ? 1 : 2) * besselJ(n, x) ** 2;
  return 1 - rest;
}

/** J_n(x) by Bessel's integral: the trapezoid rule is exact there but for J of orders above the number of its points. */
function besselJ(n: number, x: number): number {
  const points = Math.ceil(x + n + 60);
  let sum = 0;
  for (let k = 0; k < points; k++) {
    const tau = (2 * Math.PI * k) / points;
    sum += Math.cos(n * tau - x * Math.sin(tau));
  }
  return sum / points;
}
