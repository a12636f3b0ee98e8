// Mutual information through a kernel, and its capacity by Blahut and Arimoto's iteration, in nats.
import type { BeliefNetwork } from "./belief-network.ts";
import { exactKernel } from "./exact-kernel.ts";
import type { Kernel } from "./kernel.ts";

const entropy = (p: ArrayLike<number>): number =>
  Array.from(p).reduce((sum, v) => (v > 0 ? sum - v * Math.log(v) : sum), 0);

const outputLaw = ({ rows, outputs }: Kernel, law: ArrayLike<number>): Float64Array =>
  Float64Array.from({ length: 2 ** outputs }, (_, y) =>
    rows.reduce((sum, row, x) => sum + law[x]! * row[y]!, 0),
  );

/**
 * MI(X; Y) = H(Y) - H(Y | X) (6.22), X with this law.
 * @example mutualInformation(kernelOf([[1, 0], [0, 1]]), [0.5, 0.5]) // 0.69314718056
 */
export const mutualInformation = (kernel: Kernel, law: ArrayLike<number>): number =>
  entropy(outputLaw(kernel, law)) - kernel.rows.reduce((sum, row, x) => sum + law[x]! * entropy(row), 0);

/** MI(X; H_l) for each layer, the outputs last. */
export const informationByLayer = ({ inputs, layers }: BeliefNetwork, law: ArrayLike<number>): number[] =>
  layers.map((_, l) => mutualInformation(exactKernel({ inputs, layers: layers.slice(0, l + 1) }), law));

/** Between which the greatest mutual information over all laws of the input lies. */
export interface Capacity {
  readonly lower: number;
  readonly upper: number;
}

/**
 * The capacity: laws are moved towards inputs whose rows diverge most from the output's law, which bounds it from above.
 * @example capacity(kernelOf([[1, 0], [1, 0]])) // { lower: 0, upper: 0 }
 */
export function capacity(kernel: Kernel, steps = 200): Capacity {
  let law = kernel.rows.map(() => 1 / kernel.rows.length);
  let bounds = { lower: 0, upper: Number.POSITIVE_INFINITY };
  for (let t = 0; t < steps; t++) {
    const output = outputLaw(kernel, law);
    const gains = kernel.rows.map((row) =>
      row.reduce((sum, p, y) => (p > 0 ? sum + p * Math.log(p / output[y]!) : sum), 0),
    );
    const weights = law.map((p, x) => p * Math.exp(gains[x]!));
    const total = weights.reduce((a, b) => a + b, 0);
    bounds = { lower: Math.log(total), upper: Math.max(...gains) };
    law = weights.map((w) => w / total);
  }
  return bounds;
}

/** A hidden layer narrower than this cannot carry what a kernel carries: capacity over log 2. */
export const leastWidth = (kernel: Kernel): number => Math.ceil(capacity(kernel).lower / Math.LN2 - 1e-9);
