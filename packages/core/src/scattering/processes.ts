// Processes of one variable on a periodic line, by their increments: what renormalised moments tell apart (book 1, Figure 8.10).
import type { Random } from "../numbers/random.ts";
import { gridFourier, inverseGridFourier } from "./fourier.ts";

/**
 * The sums of increments without their mean: a path that comes back to where it began.
 * @example [...pathOf([1, -1, 3, 1])] // [0, -2, 0, 0]
 */
export function pathOf(increments: ArrayLike<number>): Float64Array {
  const n = increments.length;
  let mean = 0;
  for (let t = 0; t < n; t++) mean += increments[t]! / n;
  const path = new Float64Array(n);
  let sum = 0;
  for (let t = 0; t < n; t++) {
    sum += increments[t]! - mean;
    path[t] = sum;
  }
  return path;
}

/** Gaussian noise with these covariances at the lags 0 .. n / 2 of a circle; what is not a covariance is cut off. */
function circularNoise(n: number, covariance: (lag: number) => number, random: Random): Float64Array {
  const row = Float64Array.from({ length: n }, (_, t) => covariance(Math.min(t, n - t)));
  const spectrum = gridFourier([n], row).re.map((v) => Math.sqrt(Math.max(0, v)));
  const noise = gridFourier([n], random.normal(n));
  const filtered = {
    re: noise.re.map((v, k) => v * spectrum[k]!),
    im: noise.im.map((v, k) => v * spectrum[k]!),
  };
  return inverseGridFourier([n], filtered).re;
}

/**
 * Increments of fractional Brownian motion with exponent H: independent for H = 1/2.
 * @example fractionalIncrements(8, 0.5, createRandom(1)).length // 8
 */
export const fractionalIncrements = (n: number, H: number, random: Random): Float64Array =>
  circularNoise(
    n,
    (lag) => ((lag + 1) ** (2 * H) - 2 * lag ** (2 * H) + Math.abs(lag - 1) ** (2 * H)) / 2,
    random,
  );

/**
 * Increments of a symmetric stable Levy process, 0 < alpha <= 2, as Chambers, Mallows and Stuck draw them.
 * @example stableIncrements(8, 1.5, createRandom(1)).length // 8
 */
export function stableIncrements(n: number, alpha: number, random: Random): Float64Array {
  return Float64Array.from({ length: n }, () => {
    const angle = Math.PI * (random.uniform() - 0.5);
    const time = -Math.log(1 - random.uniform());
    return (
      (Math.sin(alpha * angle) / Math.cos(angle) ** (1 / alpha)) *
      (Math.cos((1 - alpha) * angle) / time) ** ((1 - alpha) / alpha)
    );
  });
}

/**
 * Points with a density, each of weight 1.
 * @example poissonPoints(8, 0, createRandom(1)).some((v) => v > 0) // false
 */
export const poissonPoints = (n: number, density: number, random: Random): Float64Array =>
  random.uniform(n).map((u) => (u < density ? 1 : 0));

/**
 * A log-normal cascade: increments e^omega with covariances lambda^2 log(n / (lag + 1)) of omega.
 * @example cascadeIncrements(8, 0, createRandom(1)).every((v) => v === 1) // true
 */
export function cascadeIncrements(n: number, lambda2: number, random: Random): Float64Array {
  const variance = lambda2 * Math.log(n);
  const omega = circularNoise(n, (lag) => lambda2 * Math.log(n / (lag + 1)), random);
  return omega.map((v) => Math.exp(v - variance / 2));
}
