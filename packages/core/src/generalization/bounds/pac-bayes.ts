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

/** A Gaussian posterior weight by weight, and the means of its prior. */
export interface GaussianWeights {
  readonly centre: ArrayLike<number>;
  readonly mean: ArrayLike<number>;
  readonly deviation: ArrayLike<number>;
}

/**
 * What the divergence reads of weights, in units of a length: then `gaussianKl` at 1 is for a prior of that deviation,
 * and its sums stay small, which costs fewer digits for many weights.
 * @example gaussianKl(diagonalGaussian({ centre: [0], mean: [1], deviation: [1] }), 1) // 0.5
 */
export function diagonalGaussian({ centre, mean, deviation }: GaussianWeights, unit = 1): DiagonalGaussian {
  let [squaredDistance, varianceSum, logVarianceSum] = [0, 0, 0];
  for (let i = 0; i < mean.length; i++) {
    const [shift, spread] = [(mean[i]! - centre[i]!) / unit, deviation[i]! / unit];
    squaredDistance += shift * shift;
    varianceSum += spread * spread;
    logVarianceSum += 2 * Math.log(spread);
  }
  return { parameters: mean.length, squaredDistance, varianceSum, logVarianceSum };
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

/**
 * Variances of priors that were fixed before the data: ceiling * e^(-j / precision) for j = 1, 2, ..., of weight
 * 6 / (pi^2 j^2) (Dziugaite and Roy); or around a centre, for every whole j, of weight 3 / (pi^2 + 3) / max(1, j^2).
 */
export type PriorGrid = ({ readonly ceiling: number } | { readonly centre: number }) & {
  readonly precision: number;
};

export interface ChosenPrior {
  readonly j: number;
  readonly variance: number;
  readonly kl: number;
  /** ln(1 / weight). */
  readonly logPriorCost: number;
}

/** ln(1 / weight) of the j-th prior; the weights of a grid sum to 1. */
const logPriorCost = (grid: PriorGrid, j: number): number =>
  "ceiling" in grid
    ? Math.log((Math.PI * j) ** 2 / 6)
    : Math.log(((Math.PI ** 2 + 3) / 3) * Math.max(1, j * j));

/** The prior of the grid with the least KL + ln(1 / weight). */
export function chosenPrior(
  q: DiagonalGaussian,
  grid: PriorGrid = { ceiling: 0.1, precision: 100 },
): ChosenPrior {
  const isBelow = "ceiling" in grid;
  const origin = isBelow ? grid.ceiling : grid.centre;
  const at = (j: number): ChosenPrior => {
    const variance = origin * Math.exp(-j / grid.precision);
    return { j, variance, kl: gaussianKl(q, variance), logPriorCost: logPriorCost(grid, j) };
  };
  const total = (p: ChosenPrior): number => p.kl + p.logPriorCost;
  // KL is convex in j, ln(1 / weight) concave on either side: there is a valley where the weight is greatest, and one near
  // the least divergence, lambda = mean of s^2 + distance^2 / d.
  const heaviest = isBelow ? 1 : 0;
  const free = grid.precision * Math.log(origin / ((q.varianceSum + q.squaredDistance) / q.parameters));
  const least = isBelow ? 1 : Number.NEGATIVE_INFINITY;
  const valleys = [heaviest, Math.max(least, Math.round(free))].map((start) => {
    let best = at(start);
    for (const direction of [-1, 1])
      for (let j = best.j + direction; j >= least; j += direction) {
        const next = at(j);
        if (total(next) >= total(best)) break;
        best = next;
      }
    return best;
  });
  return total(valleys[1]!) < total(valleys[0]!) ? valleys[1]! : valleys[0]!;
}

/** PAC-Bayes for a Gaussian posterior, the prior's variance chosen from the grid. */
export function gaussianPacBayesBound(
  q: DiagonalGaussian,
  { grid, ...options }: Omit<PacBayesTerms, "kl" | "logPriorCost"> & { readonly grid?: PriorGrid },
): GeneralizationBound & { readonly prior: ChosenPrior } {
  const prior = chosenPrior(q, grid);
  return { ...pacBayesBound({ ...options, kl: prior.kl, logPriorCost: prior.logPriorCost }), prior };
}
