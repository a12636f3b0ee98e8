// Relative entropy of the posterior N(mean, diag(deviation^2)) to a prior N(centre, scale^2 I), weight by weight.

export interface GaussianWeights {
  readonly centre: ArrayLike<number>;
  readonly mean: ArrayLike<number>;
  readonly deviation: ArrayLike<number>;
}

/**
 * KL = sum_i ln(scale / s_i) + (s_i^2 + (mean_i - centre_i)^2) / (2 scale^2) - 1/2.
 * @example gaussianDivergence({ centre: [0], mean: [1], deviation: [1] }, 1) // 0.5
 */
export function gaussianDivergence({ centre, mean, deviation }: GaussianWeights, scale: number): number {
  let sum = 0;
  for (let i = 0; i < mean.length; i++) {
    const [ratio, shift] = [deviation[i]! / scale, (mean[i]! - centre[i]!) / scale];
    sum += (ratio * ratio - 1 + shift * shift) / 2 - Math.log(ratio);
  }
  return sum;
}

/**
 * The prior scale of least divergence: its square is the mean of s_i^2 + (mean_i - centre_i)^2.
 * @example bestPriorScale({ centre: [0], mean: [3], deviation: [4] }) // 5
 */
export function bestPriorScale({ centre, mean, deviation }: GaussianWeights): number {
  let sum = 0;
  for (let i = 0; i < mean.length; i++) sum += deviation[i]! ** 2 + (mean[i]! - centre[i]!) ** 2;
  return Math.sqrt(sum / mean.length);
}

/** Prior scales unit e^{-j/20}, j any integer: fixed before the data, so that one may choose among them afterwards. */
const perUnit = 20;

export interface PriorScale {
  readonly scale: number;
  /** ln(1 / weight): what the choice of this scale costs; the weights of all j sum to 1. */
  readonly cost: number;
}

/**
 * The scale of the grid around a unit that is nearest to this one. Weight of j: 3 / (pi^2 + 3) / max(1, j^2).
 * @example priorScaleNear(2.01, 2).scale // 2
 */
export function priorScaleNear(scale: number, unit: number): PriorScale {
  const j = Math.round(-perUnit * Math.log(scale / unit));
  return {
    scale: unit * Math.exp(-j / perUnit),
    cost: Math.log(((Math.PI ** 2 + 3) / 3) * Math.max(1, j * j)),
  };
}
