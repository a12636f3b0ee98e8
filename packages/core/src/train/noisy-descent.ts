// Noisy descent on a line, theta <- theta - eta (r'(theta) + tau xi) with normal xi, as a Markov chain: the probability
// that it ends left of a point, by quadrature instead of by simulation.
import { normalCdf } from "../engine/statistics.ts";

export interface NoisyLine {
  readonly slope: (theta: number) => number;
  readonly rate: number;
  /** The standard deviation of the noise in the gradient. */
  readonly noise: number;
  readonly steps: number;
  /** Where the chain lives, up to probabilities below rounding. */
  readonly domain: readonly [number, number];
}

/**
 * P(Theta^K < barrier | Theta^0 = theta), for each start. u_{K-1}(theta) = P(T(theta) + w xi < barrier) in closed form,
 * then u_{k-1}(theta) = E u_k(T(theta) + w xi) with T(theta) = theta - eta r'(theta), w = eta tau, by the trapezoidal
 * rule with at least two points a standard deviation w: its error for a Gaussian is about e^{-2 pi^2 2^2} < 1e-34.
 * @example probabilityLeft({ slope: () => 0, rate: 1, noise: 1, steps: 4, domain: [-9, 9] }, 0, [0]).map((p) => Math.round(100 * p)) // [50]
 */
export function probabilityLeft(
  line: NoisyLine,
  barrier: number,
  starts: readonly number[],
): readonly number[] {
  const { slope, rate, noise, steps, domain } = line;
  const w = rate * noise;
  const step = (theta: number): number => theta - rate * slope(theta);
  const points = Math.ceil((2 * (domain[1] - domain[0])) / w) + 1;
  const h = (domain[1] - domain[0]) / (points - 1);
  const grid = Array.from({ length: points }, (_, k) => domain[0] + k * h);
  const density = (t: number): number => Math.exp(-0.5 * t * t) / Math.sqrt(2 * Math.PI);
  const row = (from: number): Float64Array =>
    Float64Array.from(grid, (s) => (h / w) * density((s - step(from)) / w));
  const last = (theta: number): number => normalCdf((barrier - step(theta)) / w);
  if (steps === 1) return starts.map(last);
  const kernel = grid.map(row);
  const expect = (weights: Float64Array, u: Float64Array): number =>
    weights.reduce((sum, p, k) => sum + p * u[k]!, 0);
  let u = Float64Array.from(grid, last);
  for (let k = steps - 1; k > 1; k--) u = Float64Array.from(kernel, (weights) => expect(weights, u));
  return starts.map((theta) => expect(row(theta), u));
}
