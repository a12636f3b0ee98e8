// Uniform stability (Bousquet and Elisseeff 2002): how much one example can change any loss, and what follows of the gap.

export interface StabilityFacts {
  /** |loss(A(S), z) - loss(A(S without one), z)| is at most this, for all S, examples and z. */
  readonly beta: number;
  readonly m: number;
  /** Losses lie in [0, M]. */
  readonly M: number;
  readonly delta: number;
}

/**
 * R - R_S <= 2 beta + (4 m beta + M) sqrt(ln(1/delta) / 2m).
 * @example stabilityGap({ beta: 0.001, m: 1000, M: 1, delta: 0.05 }) // 0.1955...
 */
export const stabilityGap = ({ beta, m, M, delta }: StabilityFacts): number =>
  2 * beta + (4 * m * beta + M) * Math.sqrt(Math.log(1 / delta) / (2 * m));

export interface KernelStability {
  /** Losses are convex and sigma-Lipschitz in the output. */
  readonly sigma: number;
  /** K(x, x) <= kappa^2. */
  readonly kappa: number;
  /** Of lambda |f|_K^2, besides (1/m) times the sum of the losses (m stays when an example goes). */
  readonly lambda: number;
  readonly m: number;
}

/**
 * beta of the regularized minimizer: sigma^2 kappa^2 / (2 lambda m).
 * @example kernelStability({ sigma: 1, kappa: 2, lambda: 0.5, m: 4 }) // 1
 */
export const kernelStability = ({ sigma, kappa, lambda, m }: KernelStability): number =>
  (sigma * kappa) ** 2 / (2 * lambda * m);

export interface DescentStability {
  /** Losses are convex, and their gradients by the weights have at most this norm. */
  readonly lipschitz: number;
  readonly m: number;
  /** Rates of the steps, each at most 2 / (smoothness of the mean loss). */
  readonly rates: readonly number[];
}

/**
 * beta of gradient descent on the mean of convex smooth losses: steps do not expand, and without an example the mean
 * gradient moves by at most 2 L / m, so beta <= (2 L^2 / m) sum of rates (Hardt, Recht and Singer 2016 for SGD).
 * @example descentStability({ lipschitz: 1, m: 4, rates: [1, 1] }) // 1
 */
export const descentStability = ({ lipschitz, m, rates }: DescentStability): number =>
  ((2 * lipschitz ** 2) / m) * rates.reduce((s, r) => s + r, 0);

/**
 * What was seen of beta: the greatest change of a loss at the probes when an example is left out. The beta of the
 * theorem is a supremum over all samples: this is a lower bound of it.
 * @example seenStability([0.5, 1], [[0.5, 1.5], [0, 1]]) // 0.5
 */
export const seenStability = (whole: ArrayLike<number>, without: readonly ArrayLike<number>[]): number =>
  without.reduce(
    (most, losses) => Array.from(losses).reduce((s, v, k) => Math.max(s, Math.abs(v - whole[k]!)), most),
    0,
  );

/**
 * An algorithm that answers with one model on the one sample that it knows, and with another on every other sample: its
 * gap on that sample is the first model's, however unstable it is (Proposition 2.3 of the book's chapter 2).
 * @example knowsOneSample([1, 2], "good", "bad")([2]) // "bad"
 */
export const knowsOneSample =
  <T>(known: ArrayLike<number>, there: T, elsewhere: T): ((sample: ArrayLike<number>) => T) =>
  (sample) =>
    Array.from(sample).join() === Array.from(known).join() ? there : elsewhere;
