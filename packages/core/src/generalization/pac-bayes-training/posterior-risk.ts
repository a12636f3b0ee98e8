// The risk of a randomized network on data, by Monte Carlo: a draw for each example, or for each small group of them.

import { run } from "../../engine/run.ts";
import type { Graph } from "../../graph/graph.ts";
import { elementCount, encode, type FloatType, numbers, type Tensor } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";
import type { TrainingData } from "../../train/advance.ts";
import { klUpperInverse } from "../bounds/bernoulli-kl.ts";
import { deviationKey, drawnNetwork, meanKey } from "./randomized-network.ts";

/** A normal distribution of weights: mean and standard deviation of each, by the weight's name. */
export interface GaussianPosterior {
  readonly model: Graph;
  readonly mean: ReadonlyMap<string, Tensor>;
  readonly deviation: ReadonlyMap<string, Tensor>;
}

export interface SampledRisk {
  /** The share of mistakes that was seen. */
  readonly estimate: number;
  /** Independent numbers in [0, 1] whose mean the estimate is. */
  readonly draws: number;
  /** At least the expected share, with probability at least 1 - delta over the draws (Chernoff). */
  readonly upper: number;
}

export interface SampledRiskOptions {
  readonly delta: number;
  readonly random: Random;
  /** Passes over the data. */
  readonly passes: number;
  /** Examples that share a draw, where the network does not let each example have its own. */
  readonly group?: number;
  readonly progress?: (fraction: number) => Promise<void> | void;
}

const rowsAtOnce = 500;

/**
 * The mean over draws of the share of mistakes. The draws for different examples (groups) are independent, so Chernoff's
 * bound holds for their mean although they are not alike (Hoeffding 1963).
 */
export async function sampledRisk(
  { model, mean, deviation }: GaussianPosterior,
  { x, target }: TrainingData,
  { delta, random, passes, group = 20, progress }: SampledRiskOptions,
): Promise<SampledRisk> {
  const weights = [...mean.keys()];
  const { graph, noises, perExample } = drawnNetwork(model, weights);
  const fixed = Object.fromEntries(
    weights.flatMap((name) => [
      [meanKey(name), mean.get(name)!],
      [deviationKey(name), deviation.get(name)!],
    ]),
  );
  const input = graph.inputs[0]!.name;
  const n = x.dims[0]!;
  const classes = numbers(target);
  const size = perExample ? rowsAtOnce : group;
  let [wrong, done] = [0, 0];
  for (let pass = 0; pass < passes; pass++)
    for (let from = 0; from < n; from += size) {
      const to = Math.min(n, from + size);
      const drawn = noises.map(({ name, type }) => {
        const dims = type.shape!.map((d) => (typeof d === "number" ? d : to - from));
        return [name, normalTensor(random, dims, type.type as FloatType)] as const;
      });
      const found = await run(graph, { [input]: rows(x, from, to), ...fixed, ...Object.fromEntries(drawn) });
      wrong += countMistakes(found[graph.outputs[0]!.name]!, classes, from);
      done += to - from;
      await progress?.(done / (n * passes));
    }
  const estimate = wrong / (n * passes);
  // A smaller last group has less weight: E e^{twX} <= (E e^{wX})^t for t <= 1, so it counts by its share.
  const draws = (n * passes) / (perExample ? 1 : Math.min(n, group));
  return { estimate, draws, upper: klUpperInverse(estimate, Math.log(1 / delta) / draws) };
}

function normalTensor(random: Random, dims: readonly number[], type: FloatType): Tensor {
  const count = elementCount(dims);
  if (type === "float32") return { type, dims, data: random.normal(new Float32Array(count)) };
  return { type, dims, data: encode(random.normal(count), type) };
}

/** The class of the greatest output, the first of equals; of one output, its sign. */
function countMistakes(output: Tensor, classes: ArrayLike<number>, from: number): number {
  const values = numbers(output);
  const count = output.dims[0]!;
  const width = values.length / count;
  let mistakes = 0;
  for (let i = 0; i < count; i++) {
    let guess = width === 1 && values[i]! > 0 ? 1 : 0;
    for (let k = 1; k < width; k++) if (values[i * width + k]! > values[i * width + guess]!) guess = k;
    const isNumber = values.subarray(i * width, (i + 1) * width).every((v) => Number.isFinite(v));
    if (!isNumber || guess !== classes[from + i]) mistakes++;
  }
  return mistakes;
}

function rows({ type, dims, data }: Tensor, from: number, to: number): Tensor {
  const size = elementCount(dims.slice(1));
  const view = (data as Float32Array).subarray(from * size, to * size);
  return { type, dims: [to - from, ...dims.slice(1)], data: view };
}
