// PAC-Bayes for random classifiers: the mean risk under a posterior Q, by its distance from a prior P.

import { klUpperInverse } from "./bernoulli-kl.ts";
import { type GeneralizationBound, isShare, type SampleSize, sampleHypotheses, stated } from "./bound.ts";

export interface PacBayesTerms extends SampleSize {
  /** Mean loss on the sample under Q; with `draws`, its mean over that many classifiers drawn from Q. */
  readonly empirical: number;
  /** KL(Q || P). */
  readonly kl: number;
  readonly draws?: number;
  /** The part of delta that pays for the draws; a fifth if left out. */
  readonly drawsDelta?: number;
  /** P was chosen from a countable family by the sample: ln(1 / weight) of the chosen one. */
  readonly logPriorCost?: number;
}

/**
 * kl(R^(Q) || R(Q)) <= (KL(Q || P) + ln(2 sqrt n / delta)) / n for all Q at once (Maurer), inverted; an estimated R^(Q)
 * is first replaced by the greatest one that its draws allow (Chernoff).
 * @example pacBayesBound({ empirical: 0.03, kl: 5000, n: 60000, delta: 0.05, draws: 10000 }).value // 0.1638...
 */
export function pacBayesBound(o: PacBayesTerms): GeneralizationBound {
  const drawsDelta = o.draws === undefined ? 0 : (o.drawsDelta ?? o.delta / 5);
  return stated(
    {
      id: "pac-bayes",
      name: "PAC-Bayes (kl form)",
      delta: o.delta,
      hypotheses: [
        ...sampleHypotheses(o),
        ["losses lie in [0, 1]", isShare(o.empirical)],
        ["the prior was fixed before the sample, or pays for its choice"],
        ["KL(Q || P) is not negative", o.kl >= 0],
        [
          "draws is a positive whole number",
          o.draws === undefined || (Number.isInteger(o.draws) && o.draws > 0),
        ],
        ["the draws leave some of delta", drawsDelta >= 0 && drawsDelta < o.delta],
      ],
    },
    () => {
      const empirical =
        o.draws === undefined ? o.empirical : klUpperInverse(o.empirical, Math.log(1 / drawsDelta) / o.draws);
      return klUpperInverse(empirical, klBudget(o.kl + (o.logPriorCost ?? 0), o.n, o.delta - drawsDelta));
    },
  );
}

/** (KL + ln(2 sqrt n / delta)) / n. */
export const klBudget = (kl: number, n: number, delta: number): number =>
  (kl + Math.log((2 * Math.sqrt(n)) / delta)) / n;

/** A Gaussian posterior with diagonal variances, told by what its divergence reads. */
export interface DiagonalGaussian {
  readonly parameters: number;
  /** |mean - prior mean|^2. */
  readonly squaredDistance: number;
  readonly varianceSum: number;
  readonly logVarianceSum: number;
}

/**
 * KL(N(mean, diag s^2) || N(prior mean, lambda I)), lambda a variance.
 * @example gaussianKl({ parameters: 2, squaredDistance: 3, varianceSum: 2, logVarianceSum: 0 }, 1) // 1.5
 */
export const gaussianKl = (q: DiagonalGaussian, lambda: number): number =>
  0.5 *
  ((q.varianceSum + q.squaredDistance) / lambda -
    q.parameters +
    q.parameters * Math.log(lambda) -
    q.logVarianceSum);

/** Variances of priors, ceiling * e^(-j / precision) for j = 1, 2, ..., of weight 6 / (pi^2 j^2) (Dziugaite and Roy). */
export interface PriorGrid {
  readonly ceiling: number;
  readonly precision: number;
}

export interface ChosenPrior {
  readonly j: number;
  readonly variance: number;
  readonly kl: number;
  /** ln(1 / weight). */
  readonly logPriorCost: number;
}

/** The prior of the grid with the least KL + ln(1 / weight); the divergence is quasiconvex in ln lambda. */
export function chosenPrior(
  q: DiagonalGaussian,
  { ceiling, precision }: PriorGrid = { ceiling: 0.1, precision: 100 },
): ChosenPrior {
  const at = (j: number): ChosenPrior => {
    const variance = ceiling * Math.exp(-j / precision);
    return { j, variance, kl: gaussianKl(q, variance), logPriorCost: Math.log((Math.PI * j) ** 2 / 6) };
  };
  const total = (p: ChosenPrior): number => p.kl + p.logPriorCost;
  // Least without the weight: lambda = mean of s^2 + distance^2 / d; the weight moves it by little.
  const free = precision * Math.log(ceiling / ((q.varianceSum + q.squaredDistance) / q.parameters));
  let best = at(Math.max(1, Math.round(free)));
  for (const direction of [-1, 1])
    for (let j = best.j + direction; j >= 1; j += direction) {
      const next = at(j);
      if (total(next) >= total(best)) break;
      best = next;
    }
  return best;
}

/** PAC-Bayes for a Gaussian posterior, the prior's variance chosen from the grid. */
export function gaussianPacBayesBound(
  q: DiagonalGaussian,
  { grid, ...options }: Omit<PacBayesTerms, "kl" | "logPriorCost"> & { readonly grid?: PriorGrid },
): GeneralizationBound & { readonly prior: ChosenPrior } {
  const prior = chosenPrior(q, grid);
  return { ...pacBayesBound({ ...options, kl: prior.kl, logPriorCost: prior.logPriorCost }), prior };
}
