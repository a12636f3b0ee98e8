// PAC-Bayes for the architecture of an audited model: prior and posterior are trained anew, each on a half of the data.

import { stated } from "../generalization/bounds/bound.ts";
import { freshWeights } from "../generalization/pac-bayes-training/fresh-weights.ts";
import { pacBayesStatement } from "../generalization/pac-bayes-training/pac-bayes-bound.ts";
import { halvedPacBayes } from "../generalization/pac-bayes-training/train-pac-bayes.ts";
import type { Graph } from "../graph/graph.ts";
import type { AuditedModel } from "../measures/audited-model.ts";
import { multiplications } from "../measures/example-budget.ts";
import type { LinearLayer } from "../measures/linear-layers.ts";
import { frozenWeights, storedWeights } from "../measures/stored-weights.ts";
import { lossFor } from "../measures/weight-risk.ts";
import { createRandom } from "../numbers/random.ts";
import type { TrainingData } from "../train/advance.ts";
import { type Examples, takeExamples } from "../train/data/dataset.ts";
import { TrainError } from "../train/error.ts";
import { trainableWeights } from "../train/weights.ts";
import type { AuditBound } from "./audit.ts";
import { boundLemmata } from "./bound-lemmata.ts";
import { grouped } from "./grouped.ts";

export interface TrainedPacBayesOptions {
  readonly delta: number;
  readonly passes: PacBayesPasses;
  readonly seed: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (share: number) => void;
}

/** Passes over a half of the data. */
export interface PacBayesPasses {
  readonly prior: number;
  readonly posterior: number;
  readonly draws: number;
}

/** About a thousand steps of the prior, however few examples there are, and fewer of the posterior to save time. */
function usualPasses(examples: number): PacBayesPasses {
  const enough = Math.ceil(128_000 / Math.max(1, examples / 2));
  return {
    prior: Math.min(60, Math.max(10, enough)),
    posterior: Math.min(15, Math.max(5, Math.ceil(enough / 4))),
    draws: Math.min(30, Math.max(3, Math.ceil(enough / 2))),
  };
}

/** Nothing can check it, and for MNIST it does not quite hold. */
const fixedBefore =
  "architecture and settings of the training were fixed before the data (our defaults were developed on MNIST, where that choice is not paid for)";

const fewestPasses: PacBayesPasses = { prior: 4, posterior: 3, draws: 2 };

/** Operations a second of a training step, of matrices and of convolutions, and seconds that any step takes. */
const [speed, slowSpeed, overhead] = [2.5e10, 2e9, 5e-4];

/** Operations for one multiplication of the network: forward and back; mean, variance and noise; draws. */
const operations = ({ prior, posterior, draws }: PacBayesPasses): number =>
  6 * prior + 14 * posterior + 4 * draws;

/** A guess of the processor's seconds that prior, posterior and draws take. */
function secondsOf(layers: readonly LinearLayer[], examples: number, passes: PacBayesPasses): number {
  const half = examples / 2;
  const weights = layers.reduce((sum, { entries }) => sum + entries.length, 0);
  const hasConvolutions = layers.some((l) => l.convolution); // drawn for groups of 20 examples
  const steps = (half / 128) * (passes.prior + 2 * passes.posterior);
  const groups = (half / (hasConvolutions ? 20 : 500)) * passes.draws;
  return (
    (operations(passes) * multiplications(layers) * half) / (hasConvolutions ? slowSpeed : speed) +
    (steps + groups) * (overhead + weights * 1e-8)
  );
}

export interface PacBayesPlan {
  readonly passes: PacBayesPasses;
  /** A guess. */
  readonly seconds: number;
}

/**
 * How long to train: fewer passes where the usual ones seem to take more than the seconds. It depends on architecture
 * and number of examples alone. The rule itself was settled while looking at bounds on MNIST: there, and only there, that
 * choice is not paid for.
 */
export function pacBayesPlan(
  layers: readonly LinearLayer[],
  examples: number,
  seconds: number,
): PacBayesPlan {
  const usual = usualPasses(examples);
  const share = Math.min(1, seconds / secondsOf(layers, examples, usual));
  const passes = {
    prior: Math.max(fewestPasses.prior, Math.floor(usual.prior * share)),
    posterior: Math.max(fewestPasses.posterior, Math.floor(usual.posterior * share)),
    draws: Math.max(fewestPasses.draws, Math.floor(usual.draws * share)),
  };
  return { passes, seconds: secondsOf(layers, examples, passes) };
}

/** Says of the bound that it was not computed, and why. */
export const untrainedPacBayes = (delta: number, reason: string, remark: string): AuditBound => ({
  ...stated(
    { id: "pac-bayes-gaussian", name: gaussianName, delta, hypotheses: [[reason, false]] },
    () => Number.NaN,
  ),
  ...lemmaOf,
  remark,
});

const gaussianName = "PAC-Bayes, of a randomized network of this architecture";
const lemmaOf = { lemma: boundLemmata["pac-bayes-gaussian"]!, network: "trained for the bound" } as const;

/**
 * The audited weights have seen all examples, so they can be neither prior nor its start: the architecture gets new
 * weights, a prior is trained on one half, in an order that the data does not choose, and the posterior on the other.
 */
export async function trainedPacBayes(
  model: AuditedModel,
  data: Examples,
  { delta, passes, seed, signal, onProgress }: TrainedPacBayesOptions,
): Promise<AuditBound> {
  const [frozen] = frozenWeights(model.graph);
  if (frozen)
    throw new TrainError(
      `"${frozen.name}" is sparse, of whole numbers or inside of an operator: it cannot be trained anew, and as it is it has seen all examples`,
    );
  const n = data.x.dims[0]!;
  const { x, y } = takeExamples(data, createRandom(seed).split("halves").permutation(n));
  const share = (6 * passes.prior) / operations(passes);
  const report = (part: number): void => {
    signal?.throwIfAborted();
    onProgress?.(part);
  };
  const examples: TrainingData = { x, target: y };
  const result = await halvedPacBayes(freshWeights(model.graph, seed), examples, {
    delta,
    seed,
    epochs: passes.posterior,
    passes: passes.draws,
    prior: {
      loss: lossFor(model.outputs, y),
      epochs: passes.prior,
      ...(signal ? { signal } : {}),
      onProgress: ({ step, steps }) => {
        report((share * step) / steps);
        return undefined;
      },
    },
    onProgress: (part) => report(share + (1 - share) * part),
  });
  const statement = pacBayesStatement(result);
  const kept = keptConstants(model.graph);
  const constants =
    kept.length === 0 ? [] : [`constants of the file were fixed before the data: ${kept.join(", ")}`];
  return {
    ...statement,
    name: gaussianName,
    assumptions: [...statement.assumptions, fixedBefore, ...constants],
    ...lemmaOf,
    remark: `it speaks of a classifier that draws its weights anew for each answer, not of the audited weights: prior trained from new weights on ${grouped(n - result.n)} examples, posterior on the other ${grouped(result.n)}, where KL = ${result.klDivergence.toFixed(1)} and ${percent(result.empirical.estimate)} of its answers are wrong`,
  };
}

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;

/** Constants that stay as the file has them. */
function keptConstants(graph: Graph): readonly string[] {
  const trained = new Set(trainableWeights(graph));
  const statistics = new Set(
    graph.nodes.flatMap(({ op, inputs }) => (op === "BatchNormalization" ? inputs.slice(1) : [])),
  );
  return storedWeights(graph).flatMap(({ name }) =>
    trained.has(name) || statistics.has(name) ? [] : [name],
  );
}
