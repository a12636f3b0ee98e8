// PAC-Bayes with a Gaussian posterior: trained on a bound of its own risk, then certified.

import { type Graph, isSparse } from "../../graph/graph.ts";
import { encode, numbers, type Tensor } from "../../graph/tensor.ts";
import { createRandom } from "../../numbers/random.ts";
import { advance, type TrainingData, type TrainingState } from "../../train/advance.ts";
import { takeRows } from "../../train/data/dataset.ts";
import { TrainError } from "../../train/error.ts";
import { weightKey } from "../../train/state.ts";
import { type TrainOptions, train } from "../../train/train.ts";
import { trainableWeights } from "../../train/weights.ts";
import { certifyPosterior, type PacBayesBound } from "./pac-bayes-bound.ts";
import { posteriorTraining, shiftName, spreadName } from "./posterior-objective.ts";
import type { GaussianPosterior } from "./posterior-risk.ts";

export interface PacBayesOptions {
  /** The bound fails with at most this probability; default 0.05. */
  readonly delta?: number;
  /** Passes of the posterior over the data, default 5, and the rate of Adam, default 0.01. */
  readonly epochs?: number;
  readonly rate?: number;
  readonly batch?: number;
  /** Standard deviation of a weight at first, as a share of the root mean square of its tensor; default 0.1. */
  readonly spread?: number;
  /** Several of these to try instead: a posterior for each, at delta / how many, and the one with the least bound. */
  readonly spreads?: readonly number[];
  /** Passes of the Monte Carlo estimate over the data; default 3. */
  readonly passes?: number;
  readonly seed?: number;
  readonly threads?: number;
  readonly onProgress?: (fraction: number) => Promise<void> | void;
}

export interface PacBayesResult extends PacBayesBound {
  readonly posterior: GaussianPosterior;
  /** The one that the posterior started from. */
  readonly spread: number;
}

/**
 * Trains a posterior around a prior network on examples that the prior has not seen, and bounds the risk of the
 * randomized classifier that draws its weights anew for each prediction. The network has an output for each class, or
 * one for two classes.
 */
export async function trainPacBayes(
  prior: Graph,
  data: TrainingData,
  { spread, spreads = [spread ?? 0.1], ...options }: PacBayesOptions = {},
): Promise<PacBayesResult> {
  const { delta = 0.05, onProgress } = options;
  if (!(delta > 0 && delta < 1)) throw new TrainError(`delta = ${delta} is not between 0 and 1`);
  if (spreads.length === 0) throw new TrainError("there is no spread to try");
  const wrong = spreads.find((s) => !(s > 0 && s < Number.POSITIVE_INFINITY));
  if (wrong !== undefined) throw new TrainError(`a spread of ${wrong} is not a positive number`);
  let best: PacBayesResult | undefined;
  for (const [k, each] of spreads.entries()) {
    const found = await trainFromSpread(prior, data, each, {
      ...{ ...options, delta: delta / spreads.length }, // all of them hold at once, so that one may choose
      onProgress: (fraction) => onProgress?.((k + fraction) / spreads.length),
    });
    if (!best || found.bound < best.bound) best = found;
  }
  if (spreads.length === 1) return best!;
  const choice = `the best of ${spreads.length} spreads, each bound at delta / ${spreads.length}`;
  return { ...best!, delta, conditions: [...best!.conditions, choice] };
}

async function trainFromSpread(
  prior: Graph,
  data: TrainingData,
  spread: number,
  options: Omit<PacBayesOptions, "spread" | "spreads" | "delta"> & { readonly delta: number },
): Promise<PacBayesResult> {
  const { delta, epochs = 5, rate = 0.01, batch = 128, seed = 0, threads } = options;
  const n = data.x.dims[0]!;
  const weights = trainableWeights(prior);
  if (weights.length === 0) throw new TrainError(`graph "${prior.name}" has no weights`);
  const units = new Map(weights.map((name) => [name, spread * rootMeanSquare(weightOf(prior, name))]));
  const size = Math.min(batch, n);
  const { training, tensors } = posteriorTraining(prior, weights, { n, delta, units, batch: size, seed });
  const perEpoch = Math.ceil(n / size);
  let state: TrainingState = { step: 0, seed, tensors };
  for (let epoch = 0; epoch < epochs; epoch++) {
    // The rate falls to zero along half a cosine, so that the last steps average the noise out.
    const rates = Array.from(
      { length: perEpoch },
      (_, k) => (rate * (1 + Math.cos((Math.PI * (epoch * perEpoch + k)) / (epochs * perEpoch)))) / 2,
    );
    const next = await advance(training, state, data, { rates, ...(threads ? { threads } : {}) });
    const bad = next.losses.findIndex((loss) => !Number.isFinite(loss));
    if (bad >= 0)
      throw new TrainError(
        `the posterior's objective is ${next.losses[bad]} after ${state.step + bad} steps: try a smaller rate than ${rate}`,
      );
    state = next.state;
    await options.onProgress?.((0.7 * (epoch + 1)) / epochs);
  }
  const posterior = posteriorOf(prior, weights, units, state);
  const bound = await certifyPosterior(posterior, { model: prior, units }, data, {
    ...{ delta, passes: options.passes ?? 3, random: createRandom(seed).split("posterior") },
    progress: (fraction) => options.onProgress?.(0.7 + 0.3 * fraction),
  });
  return { ...bound, posterior, spread };
}

export interface HalvedPacBayesOptions extends PacBayesOptions {
  /** How the prior is trained; default: cross-entropy, 10 epochs of Adam. */
  readonly prior?: TrainOptions;
  /** The share of the examples that the prior is trained on; default 0.5. */
  readonly priorShare?: number;
}

/**
 * Trains the prior on the first half of the data from a network whose weights know none of it, and the posterior on the
 * second half, which alone counts in the bound.
 */
export async function halvedPacBayes(
  initial: Graph,
  { x, target }: TrainingData,
  { prior: how, priorShare = 0.5, ...options }: HalvedPacBayesOptions = {},
): Promise<PacBayesResult & { readonly prior: Graph }> {
  const all = x.dims[0]!;
  const first = Math.round(priorShare * all);
  if (!(first > 0 && first < all))
    throw new TrainError(`a prior share of ${priorShare} leaves no examples on one side of ${all}`);
  const part = (from: number, to: number): TrainingData => {
    const rows = Array.from({ length: to - from }, (_, k) => from + k);
    return { x: takeRows(x, rows), target: takeRows(target, rows) };
  };
  const { seed = 0, threads } = options;
  const { model } = await train(initial, part(0, first), {
    ...{ loss: "cross-entropy", optimizer: "adam", epochs: 10, seed },
    ...(threads ? { threads } : {}),
    ...how,
  });
  return { ...(await trainPacBayes(model, part(first, all), options)), prior: model };
}

function weightOf(model: Graph, name: string): Tensor {
  const weight = model.initializers.get(name)!;
  if (isSparse(weight)) throw new TrainError(`weight "${name}" is sparse`);
  return weight;
}

/** At least 1e-3: biases may all be zero. */
function rootMeanSquare(weight: Tensor): number {
  const values = numbers(weight);
  let sum = 0;
  for (const v of values) sum += v * v;
  return Math.max(1e-3, Math.sqrt(sum / values.length));
}

/** mean = centre + unit shift, deviation = unit e^{log-spread}, as the network's own element type holds them. */
function posteriorOf(
  model: Graph,
  weights: readonly string[],
  units: ReadonlyMap<string, number>,
  { tensors }: TrainingState,
): GaussianPosterior {
  const mean = new Map<string, Tensor>();
  const deviation = new Map<string, Tensor>();
  for (const name of weights) {
    const centre = weightOf(model, name);
    const unit = units.get(name)!;
    const like = (values: Float64Array): Tensor => ({
      ...centre,
      data: encode(values, centre.type as "float32"),
    });
    const [shift, spread] = [shiftName, spreadName].map((of) => numbers(tensors[weightKey(of(name))]!));
    mean.set(name, like(Float64Array.from(numbers(centre), (c, k) => c + unit * shift![k]!)));
    deviation.set(name, like(Float64Array.from(spread!, (r) => unit * Math.exp(r))));
  }
  return { model, mean, deviation };
}
