// Noisy descent on a line, theta <- theta - eta (r'(theta) + tau xi) with normal xi, as a Markov chain: the probability
// that it ends left of a point, by quadrature instead of by simulation.
import { normalCdf } from "../numbers/statistics.ts";

export interface NoisyLine {
  readonly slope: (theta: number) => number;
  readonly rate: number;
  /** The standard deviation of the noise in the gradient. */
  readonly noise: number;
  readonly steps: number;
  /** Where the chain lives, up to probabilities below rounding. */
  readonly domain: readonly [number, number];
}

/** Probabilities of neighbours on the grid, from a place on. */
interface Row {
  readonly from: number;
  readonly weights: Float64Array;
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
  /** The law of the next point, on the grid: beyond nine standard deviations there is less than 1e-18. */
  const row = (theta: number): Row => {
    const centre = step(theta);
    const from = Math.max(0, Math.ceil((centre - 9 * w - domain[0]) / h));
    const to = Math.min(points - 1, Math.floor((centre + 9 * w - domain[0]) / h));
    const weights = new Float64Array(Math.max(0, to - from + 1));
    for (let k = 0; k < weights.length; k++) weights[k] = (h / w) * density((grid[from + k]! - centre) / w);
    return { from, weights };
  };
  const last = (theta: number): number => normalCdf((barrier - step(theta)) / w);
  if (steps === 1) return starts.map(last);
  const kernel = grid.map(row);
  const expect = ({ from, weights }: Row, u: Float64Array): number =>
    weights.reduce((sum, p, k) => sum + p * u[from + k]!, 0);
  let u = Float64Array.from(grid, last);
  for (let k = steps - 1; k > 1; k--) u = Float64Array.from(kernel, (law) => expect(law, u));
  return starts.map((theta) => expect(row(theta), u));
}
