// Weights that are kept near Parseval frames (Cisse et al. 2017): after some steps of training W <- (1 + beta) W - beta W W^T W.
// The step moves every singular value s to s (1 + beta - beta s^2): for beta <= 1/2 those up to 1 rise to 1 and never pass it.
import { numbers } from "../../graph/tensor.ts";
import { matrixOfRows } from "../../linear-algebra/rows.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import type { TrainingData } from "../../train/advance.ts";
import { type DenseLayer, denseNetwork } from "../../train/dense-network.ts";
import { type TrainOptions, train } from "../../train/train.ts";
import { SparseError } from "../error.ts";

type Rows = readonly (readonly number[])[];

/**
 * (1 + beta) W - beta W W^T W: a step of descent on |W W^T - I|_F^2 / 4 at the rate beta.
 * @example parsevalRetraction([[1, 0], [0, 0.5]], 0.5) // [[1, 0], [0, 0.6875]]
 */
export function parsevalRetraction(W: Rows, beta: number): number[][] {
  if (!(beta > 0 && beta <= 0.5))
    throw new SparseError(`a retraction has a rate above 0 and up to 1/2, not ${beta}`);
  const { entries, columns } = matrixOfRows(W);
  const products = W.map((row) => W.map((other) => row.reduce((sum, w, k) => sum + w * other[k]!, 0)));
  return W.map((row, i) =>
    row.map((w, k) => {
      const back = products[i]!.reduce((sum, p, j) => sum + p * entries[j * columns + k]!, 0);
      return (1 + beta) * w - beta * back;
    }),
  );
}

export interface ParsevalOptions {
  /** Rate of a retraction; 0: none. */
  readonly beta: number;
  /** Retractions after each round of training; default: 1. */
  readonly retractions?: number;
  readonly rounds: number;
  /** Steps of training in a round. */
  readonly steps: number;
}

/**
 * Trains dense ReLU layers in rounds. After each one all layers but the last are moved towards Parseval frames; those that have
 * a singular value above 1 are scaled to 1 before the first, since greater ones could be thrown beyond 0.
 */
export async function trainedNearParseval(
  network: readonly DenseLayer[],
  data: TrainingData,
  { beta, retractions = 1, rounds, steps }: ParsevalOptions,
  options: TrainOptions,
): Promise<readonly DenseLayer[]> {
  let layers = network;
  for (let round = 0; round < rounds; round++) {
    const { model } = await train(denseNetwork(layers, "relu"), data, { ...options, steps, seed: round });
    const stored = (name: string): number[] =>
      Array.from(numbers(model.initializers.get(name) as never), Number);
    layers = layers.map(({ W, b }, l) => {
      const width = W[0]!.length;
      const flat = stored(`W${l + 1}`);
      const rows = W.map((_, i) => flat.slice(i * width, (i + 1) * width));
      const moved = beta === 0 || l === layers.length - 1 ? rows : retracted(rows, beta, retractions);
      return b ? { W: moved, b: stored(`b${l + 1}`) } : { W: moved };
    });
  }
  return layers;
}

function retracted(W: Rows, beta: number, times: number): Rows {
  const products = W.map((row) => W.map((other) => row.reduce((sum, w, k) => sum + w * other[k]!, 0)));
  const greatest = Math.sqrt(Math.max(1, symmetricEigen(products).values.at(-1)!));
  let now: Rows = W.map((row) => row.map((w) => w / greatest));
  for (let k = 0; k < times; k++) now = parsevalRetraction(now, beta);
  return now;
}
