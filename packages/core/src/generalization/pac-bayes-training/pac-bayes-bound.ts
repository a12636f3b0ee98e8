// What PAC-Bayes proves of a Gaussian posterior, on examples that the prior does not depend on.

import { type Graph, isSparse } from "../../graph/graph.ts";
import { numbers } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";
import type { TrainingData } from "../../train/advance.ts";
import { TrainError } from "../../train/error.ts";
import { type GeneralizationBound, stated } from "../bounds/bound.ts";
import { chosenPrior, diagonalGaussian, pacBayesBound } from "../bounds/pac-bayes.ts";
import { type GaussianPosterior, type SampledRisk, sampledRisk } from "./posterior-risk.ts";

export interface PacBayesBound {
  /** The risk of the randomized classifier is at most this, with probability at least 1 - delta. */
  readonly bound: number;
  readonly vacuous: boolean;
  readonly klDivergence: number;
  /** What the choice of the prior's scales adds to the divergence, a scale for each tensor of weights. */
  readonly scaleCost: number;
  /** The share of mistakes on the n examples, by Monte Carlo; `upper` is its corrected value. */
  readonly empirical: SampledRisk;
  readonly delta: number;
  readonly n: number;
  /** Under which the bound is proved. */
  readonly conditions: readonly string[];
}

export interface PriorDistribution {
  /** Its weights are the prior's means. */
  readonly model: Graph;
  /** The unit of the prior's standard deviations, by weight; as independent of the examples as the means. */
  readonly units: ReadonlyMap<string, number>;
}

export interface CertifyOptions {
  readonly delta: number;
  readonly random: Random;
  readonly passes: number;
  readonly group?: number;
  readonly progress?: (fraction: number) => Promise<void> | void;
}

/** The share of delta that the Monte Carlo estimate may use up. */
const monteCarloShare = 0.2;

/**
 * With probability at least 1 - delta: kl(R_S(Q) || R(Q)) <= (KL(Q || P) + cost + ln(2 sqrt(n) / delta')) / n
 * (Maurer 2004; the prior's scales from a grid by a union bound), R_S(Q) itself bounded by Chernoff from draws.
 */
export async function certifyPosterior(
  posterior: GaussianPosterior,
  prior: PriorDistribution,
  data: TrainingData,
  { delta, ...sampling }: CertifyOptions,
): Promise<PacBayesBound> {
  const n = data.x.dims[0]!;
  if (n < 8) throw new TrainError(`PAC-Bayes needs at least 8 examples, not ${n}`); // Maurer's constant 2 sqrt(n)
  const empirical = await sampledRisk(posterior, data, { ...sampling, delta: monteCarloShare * delta });
  const { klDivergence, scaleCost } = divergences(posterior, prior);
  const rest = (1 - monteCarloShare) * delta;
  const terms = { empirical: empirical.upper, kl: klDivergence, logPriorCost: scaleCost, n, delta: rest };
  const bound = Math.min(1, pacBayesBound(terms).value ?? 1);
  return {
    ...{ bound, vacuous: bound >= 1, klDivergence, scaleCost, empirical, delta, n },
    conditions: [
      `the ${n} examples are independent draws from the distribution that the risk is about`,
      `the prior's mean does not depend on these ${n} examples (it may depend on others)`,
      "the prior's deviation of each weight tensor is a unit of its own, as independent of the examples as the mean, times e^(-j/20), j chosen by a union bound",
      `each prediction draws weights anew from the posterior; ${Math.round(empirical.draws)} draws estimate its risk on the examples, and mislead with probability at most ${(monteCarloShare * delta).toPrecision(2)}`,
      "the loss is the share of wrong classes; sums are in floating point, and the random numbers pseudo-random",
    ],
  };
}

/** The same in the form of the other generalization bounds. */
export const pacBayesStatement = ({ bound, delta, conditions }: PacBayesBound): GeneralizationBound =>
  stated(
    {
      ...{ id: "pac-bayes-gaussian", name: "PAC-Bayes, Gaussian posterior of its own training", delta },
      hypotheses: conditions.map((text) => [text]),
    },
    () => bound,
  );

/** Deviations unit e^(-j/20) for every whole j, that is, variances unit^2 e^(-j/10), for each tensor of weights. */
const scaleGrid = { centre: 1, precision: 10 };

function divergences(
  { mean, deviation }: GaussianPosterior,
  { model, units }: PriorDistribution,
): Pick<PacBayesBound, "klDivergence" | "scaleCost"> {
  let [klDivergence, scaleCost] = [0, 0];
  for (const [name, tensor] of mean) {
    const centre = model.initializers.get(name);
    if (!centre || isSparse(centre)) throw new TrainError(`the prior has no weight "${name}"`);
    const [at, spread] = [numbers(tensor), numbers(deviation.get(name)!)];
    const gaussian = { centre: numbers(centre), mean: at, deviation: spread };
    const prior = chosenPrior(diagonalGaussian(gaussian, units.get(name)!), scaleGrid);
    klDivergence += Math.max(0, prior.kl); // rounding alone makes it negative
    scaleCost += prior.logPriorCost;
  }
  return { klDivergence, scaleCost };
}
