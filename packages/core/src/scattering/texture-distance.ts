// How far a synthetic texture is from its model, in statistics that it may not have been made for (book 1, Figure 8.16).
import { gridFourier } from "./fourier.ts";
import { harmonicWeights } from "./phase-harmonics.ts";
import { scatteringPlan } from "./plan.ts";
import { convolved } from "./propagate.ts";
import { type SynthesisOptions, statistics } from "./synthesis.ts";
import type { TransformOptions } from "./transform.ts";

export interface TextureDistances {
  /** |S x - S y| / |S y| over the averages of order 1, and of order 2. */
  readonly first: number;
  readonly second: number;
  /** The same of the covariances of phase harmonics, each counted by its deviations. */
  readonly harmonics: number;
  /** The mean over the wavelets of |log (kurtosis of x * psi / kurtosis of y * psi)|: heavy tails are edges and points. */
  readonly kurtosis: number;
}

/**
 * From x to the texture y.
 * @example (await textureDistances([1, 2, 0, 0, 3, 0, 1, 1], [1, 2, 0, 0, 3, 0, 1, 1], { shape: [8], scale: 2 })).second // 0
 */
export async function textureDistances(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  options: TransformOptions,
): Promise<TextureDistances> {
  const whole: SynthesisOptions = { ...options, order: 2 };
  const phases: SynthesisOptions = { ...options, order: 1, model: "harmonics" };
  const { paths } = scatteringPlan(whole);
  const [Sx, Sy] = [await statistics(x, whole), await statistics(y, whole)];
  const [Hx, Hy] = [await statistics(x, phases), await statistics(y, phases)];
  const relative = (a: Float64Array, b: Float64Array, counts: (k: number) => number): number => {
    let [off, all] = [0, 0];
    for (let k = 0; k < a.length; k++) {
      off += (counts(k) * (a[k]! - b[k]!)) ** 2;
      all += (counts(k) * b[k]!) ** 2;
    }
    return all === 0 ? 0 : Math.sqrt(off / all);
  };
  const weights = harmonicWeights(scatteringPlan(phases), Hy);
  const tails = [x, y].map((z) => bandKurtoses(z, options));
  return {
    first: relative(Sx, Sy, (k) => (paths[k]!.order === 1 ? 1 : 0)),
    second: relative(Sx, Sy, (k) => (paths[k]!.order === 2 ? 1 : 0)),
    harmonics: relative(Hx, Hy, (k) => weights[k]!),
    kurtosis:
      tails[0]!.reduce((sum, t, k) => sum + Math.abs(Math.log(t / tails[1]![k]!)), 0) / tails[0]!.length,
  };
}

/**
 * E |x * psi|^4 / (E |x * psi|^2)^2 for each wavelet of the first order, on the periodic grid: 2 for a Gaussian field.
 * @example bandKurtoses([1, 0, 0, 0, 0, 0, 0, 0], { shape: [8], scale: 1 })[0] > 2 // true
 */
export function bandKurtoses(x: ArrayLike<number>, options: TransformOptions): readonly number[] {
  const [bank] = scatteringPlan({ ...options, order: 1, padding: "none" }).banks;
  const spectrum = gridFourier(options.shape, Float64Array.from(x));
  return bank!.wavelets.map((wavelet) => {
    const { re, im } = convolved(bank!, spectrum, wavelet);
    let [second, fourth] = [0, 0];
    re.forEach((v, u) => {
      const square = v ** 2 + im[u]! ** 2;
      second += square;
      fourth += square ** 2;
    });
    return second === 0 ? 2 : (re.length * fourth) / second ** 2;
  });
}
