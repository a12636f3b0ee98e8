// A certificate of convergence from what is known at the start: gradient descent on the squared risk of a network with one
// hidden layer goes to zero risk at a linear rate and never leaves a ball (1.52).

import { activation } from "../../functions/activation.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import { sum } from "../../numbers/sum.ts";
import { TrainError } from "../../train/error.ts";
import { featureMatrix, gramMatrix, spectralNorm } from "./features.ts";
import { hessianBound, type SmoothNetwork } from "./hessian.ts";
import { type Examples, squaredRisk } from "./squared-risk.ts";
import { tangentGram } from "./tangent-model.ts";

/** What is promised of every step: it stays within `radius`, and the risk is at most `factor` times the one before. */
export interface Promised {
  readonly eta: number;
  readonly radius: number;
  readonly factor: number;
  /** |grad r|^2 >= alpha r in the ball. */
  readonly alpha: number;
  /** A Lipschitz constant of grad r along the way. */
  readonly beta: number;
}

export interface LazyCertificate {
  /** r(theta_0). */
  readonly risk: number;
  /** The least eigenvalue of the kernel of the last layer, less what rounding may have added. */
  readonly leastEigenvalue: number;
  /** 8 Lip(rho) |X| sqrt(m r): above it, some rate is certified; for rates that go to 0, half of it is enough. */
  readonly needed: number;
  /**
   * How far the verdict is from turning: the greatest R (s - Lip |X| R) (1 - eta beta / 2) / sqrt(m r) over all radii;
   * at least 1 is a certificate.
   */
  readonly margin: number;
  /** Where the margin would be 1 if the least eigenvalue grew in proportion: an estimate, no promise. */
  readonly widthWanted: number;
  readonly promised?: Promised;
}

/** Radii that are tried, as parts of the greatest one that leaves a singular value. */
const radii = 400;

/**
 * Whether gradient descent at the rate `eta` (default: the greatest that the argument allows) is sure to converge. On the
 * ball of radius R, |grad r|^2 >= alpha r with alpha = (4/m)(s - Lip |X| R)^2, and a step at a rate below 2 / beta lowers
 * sqrt(r) by (1 - eta beta / 2) sqrt(alpha) / 2 times its own length at least: the whole way is at most
 * sqrt(m r) / ((1 - eta beta / 2)(s - Lip |X| R)), which must not exceed R. Computed in floating point; the least eigenvalue
 * is rounded down by what its computation may be off.
 * @example lazyCertificate({ sigma: "tanh", a: [0], V: [[20]] }, { points: [Float64Array.of(1)], values: [0.1] }).promised.radius < 0.3 // true
 */
export function lazyCertificate(
  network: SmoothNetwork,
  examples: Examples,
  { eta }: { readonly eta?: number } = {},
): LazyCertificate {
  if (eta !== undefined && !(eta > 0)) throw new TrainError(`a rate is positive, not ${eta}`);
  const { points } = examples;
  const m = points.length;
  const risk = squaredRisk(network, examples).value;
  const spectrum = symmetricEigen(gramMatrix(featureMatrix(network, points))).values;
  const rounding = 2 ** -52 * (network.V.length + 4 * m * m) * spectrum.at(-1)!; // of the sums, and of the rotations
  const leastEigenvalue = Math.max(0, spectrum[0]! - rounding);
  const s = Math.sqrt(leastEigenvalue);
  const slope = activation(network.sigma).lipschitz * spectralNorm(points);
  const wanted = Math.sqrt(m * risk);
  const smoothness = smoothnessBound(network, examples, risk);
  const needed = 8 * slope * wanted;
  const seen = { risk, leastEigenvalue, needed };
  const promise = (radius: number, rate: number, beta: number): Promised => {
    const alpha = (4 / m) * (s - slope * radius) ** 2;
    return { eta: rate, radius, alpha, beta, factor: 1 - rate * (1 - (rate * beta) / 2) * alpha };
  };
  if (eta === undefined) {
    const margin = leastEigenvalue / needed;
    const widthWanted = network.V.length / margin;
    if (!(margin >= 1)) return { ...seen, margin, widthWanted };
    // The smaller root of R (s - slope R) = 2 sqrt(m r): there eta = 1 / beta does.
    const radius = (4 * wanted) / (s + Math.sqrt(leastEigenvalue - needed));
    const beta = smoothness(radius);
    return { ...seen, margin, widthWanted, promised: promise(radius, 1 / beta, beta) };
  }
  const marginAt = (radius: number): number =>
    (radius * (s - slope * radius) * (1 - (eta * smoothness(radius)) / 2)) / wanted;
  const tried = Array.from({ length: radii - 1 }, (_, k) => ((k + 1) * s) / (slope * radii));
  const margins = tried.map(marginAt);
  const margin = Math.max(0, ...margins);
  const found = { ...seen, margin, widthWanted: network.V.length / margin };
  const first = margins.findIndex((v) => v >= 1);
  if (first < 0) return found;
  let [low, high] = [first === 0 ? 0 : tried[first - 1]!, tried[first]!];
  for (let round = 0; round < 60; round++) {
    const middle = (low + high) / 2;
    if (marginAt(middle) >= 1) high = middle;
    else low = middle;
  }
  return { ...found, promised: promise(high, eta, smoothness(high)) };
}

/**
 * R -> beta with |Hessian of r| <= (2/m)(|J|^2 + sum_i |e_i| h_i) <= beta at all weights in the ball of radius R where the
 * risk is not above that of the start: |J| <= |J_0| + R |h|, h_i the bound of the Hessian of Phi(x_i).
 */
function smoothnessBound(
  network: SmoothNetwork,
  { points }: Examples,
  risk: number,
): (radius: number) => number {
  const m = points.length;
  const jacobian = Math.sqrt(symmetricEigen(tangentGram(network, points)).values.at(-1)!);
  return (radius) => {
    const curvature = Math.sqrt(sum(points.map((x) => hessianBound(network, x, radius) ** 2)));
    return (2 / m) * ((jacobian + radius * curvature) ** 2 + Math.sqrt(m * risk) * curvature);
  };
}
