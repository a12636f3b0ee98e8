// Descent in a linear model with features of different sizes: each has its own bias-variance curve in time.

export interface Feature {
  /** E[X_i^2], and its mean over the examples: the features are orthogonal on the sample. */
  readonly energy: number;
  /** theta*_i */
  readonly target: number;
}

export interface EpochTask {
  readonly features: readonly Feature[];
  readonly m: number;
  /** E[nu^2] */
  readonly noise: number;
  /** eta of theta - eta grad (1/m) |X theta - y|^2 */
  readonly rate: number;
}

/**
 * The excess risk after so many steps of gradient descent from 0, on average over the noise:
 * sum_i lambda_i theta*_i^2 q_i^2 + (E[nu^2] / m) (1 - q_i)^2, q_i = (1 - 2 eta lambda_i)^k. A feature is best at
 * q_i = E[nu^2] / (m lambda_i theta*_i^2 + E[nu^2]), which fast ones pass long before slow ones get there.
 * @example epochRisk({ features: [{ energy: 1, target: 2 }], m: 4, noise: 4, rate: 0.25 }, 1) // 1.25
 */
export const epochRisk = ({ features, m, noise, rate }: EpochTask, steps: number): number =>
  features.reduce((sum, { energy, target }) => {
    const q = (1 - 2 * rate * energy) ** steps;
    return sum + energy * target ** 2 * q ** 2 + (noise / m) * (1 - q) ** 2;
  }, 0);
