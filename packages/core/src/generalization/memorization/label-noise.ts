// A network without biases that is trained to fit labels, true or random, and what its norms say of it.

import { run } from "../../engine/run.ts";
import type { Graph } from "../../graph/graph.ts";
import { isSparse } from "../../graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";
import { advance, initialState, type TrainingState, trainedModel } from "../../train/advance.ts";
import { initialNetwork } from "../../train/network.ts";
import { type Training, training } from "../../train/training.ts";

/**
 * Labels 0 and 1, each replaced by a coin's throw with this probability.
 * @example corruptLabels([1, 1, 1], 0, createRandom(1)) // [1, 1, 1]
 */
export const corruptLabels = (labels: ArrayLike<number>, share: number, random: Random): readonly number[] =>
  Array.from(labels, (y) => {
    const [replaced, coin] = [random.uniform() < share, random.uniform() < 0.5 ? 0 : 1];
    return replaced ? coin : y;
  });

export interface Memorizer {
  readonly training: Training;
  readonly start: TrainingState;
  readonly steps: number;
}

/** The training run of d - width - relu - 1 without biases, all examples in each step. */
export function memorizer(
  d: number,
  width: number,
  { seed, steps }: { seed: number; steps: number },
): Memorizer {
  const net = initialNetwork(`${d}-${width}-relu-1`, { seed, type: "float64" }); // its biases are zero, and stay so
  const run = training(net, {
    ...{ loss: "logistic", optimizer: "adam", batch: "full" },
    weights: ["layer1.weight", "layer2.weight"],
  });
  return { training: run, start: initialState(run, seed), steps };
}

export interface Memorized {
  readonly model: Graph;
  /** Steps until every example was right, or all of them. */
  readonly steps: number;
  readonly trainErrors: number;
  /** The least y f(x). */
  readonly margin: number;
  /** Product of the layers' Frobenius norms. */
  readonly normProduct: number;
}

const rate = 0.02;
const chunk = 100;

/** Trains from the same start until the mean loss is so small that no example can be wrong with less than a margin. */
export async function memorizeLabels(
  { training: of, start, steps }: Memorizer,
  x: Tensor,
  labels: readonly number[],
): Promise<Memorized> {
  const target = tensor([...labels], { type: "int64", dims: [labels.length] });
  // m mean losses below ln(1 + e^-1) each: even if one example has all of it, its margin is at least 1.
  const floor = Math.log1p(Math.exp(-1)) / labels.length;
  let state = start;
  while (state.step < steps) {
    const rates = Array.from({ length: Math.min(chunk, steps - state.step) }, () => rate);
    const next = await advance(of, state, { x, target }, { rates, floor, threads: 1 });
    state = next.state;
    if (next.stopped) break;
  }
  const model = trainedModel(of, state);
  const outputs = await outputsOf(model, x);
  const margins = labels.map((y, i) => (2 * y - 1) * outputs[i]!);
  return {
    ...{ model, steps: state.step, trainErrors: margins.filter((v) => !(v > 0)).length },
    ...{ margin: Math.min(...margins), normProduct: normProductOf(model) },
  };
}

/** The outputs of a network with one output, on rows. */
export async function outputsOf(model: Graph, x: Tensor): Promise<readonly number[]> {
  const name = model.inputs.find((i) => !model.initializers.has(i.name))!.name;
  const found = await run(model, { [name]: x }, { threads: 1 });
  return Array.from(numbers(found[model.outputs[0]!.name]!));
}

function normProductOf(model: Graph): number {
  let product = 1;
  for (const [name, weight] of model.initializers)
    if (name.endsWith(".weight") && !isSparse(weight))
      product *= Math.sqrt(Array.from(numbers(weight)).reduce((s, v) => s + v * v, 0));
  return product;
}

/**
 * What fitting coin throws costs: with probability at least 1 - delta over the labels, every ReLU network without biases
 * and with L layers that fits them with margin gamma has
 * (product of Frobenius norms) / gamma >= m / (sqrt(sum |x_i|^2) (c_L + sqrt(2 ln 1/delta))),
 * c_L = min(2^{L-1}, 1 + sqrt(2 (L-1) ln 2)): the mean of y_i f(x_i) is at most the supremum whose expectation is the
 * Rademacher complexity (Golowich, Rakhlin, Shamir), and McDiarmid's inequality keeps it near.
 */
export function normForCoinThrows(lengths: ArrayLike<number>, L: number, delta: number): number {
  let energy = 0;
  for (let i = 0; i < lengths.length; i++) energy += lengths[i]! ** 2;
  const depth = Math.min(2 ** (L - 1), 1 + Math.sqrt(2 * (L - 1) * Math.LN2));
  return lengths.length / (Math.sqrt(energy) * (depth + Math.sqrt(2 * Math.log(1 / delta))));
}
