// The risk of a classifier with local kernels, from its margins and its kernel norms.
import type { Graph } from "../../graph/graph.ts";
import type { Tensor } from "../../graph/tensor.ts";
import { type GeneralizationBound, sampleHypotheses, stated } from "../bounds/bound.ts";
import { exponentialBound, type LocalLayer, type LocalSample, peeledBound } from "./kernel-rademacher.ts";
import { localStructure } from "./local-structure.ts";

export interface KernelMarginOptions {
  readonly delta: number;
  /** Of each training example: the output of its class less the greatest other one; one output: y f(x). */
  readonly margins: ArrayLike<number>;
  /** Outputs of the network: one for two classes, else one for each. */
  readonly outputs: number;
}

type Complexity = (layers: readonly LocalLayer[], sample: LocalSample) => number;

/** 1 / ((|k| + 1)(|k| + 2)) sums to less than 2 over the integers, the half of it to less than 1. */
const prior = (k: number): number => 0.5 / ((Math.abs(k) + 1) * (Math.abs(k) + 2));

/**
 * R <= share of margins <= gamma + (4 C / gamma) R_S + 3 sqrt(ln(2 / delta') / (2 m)) for C outputs, 2 in place of 4 C
 * for one. gamma and the norm product are rounded up to powers of 2, each with its share of
 * delta, since both are read off the data; R_S is linear in the norm product. The least over gamma.
 */
function leastOverMargins(
  { delta, margins, outputs }: KernelMarginOptions,
  layers: readonly LocalLayer[],
  sample: LocalSample,
  complexity: Complexity,
): number {
  const product = layers.reduce((p, { norm }) => p * norm, 1);
  if (product === 0) return 1; // a constant
  const k = Math.ceil(Math.log2(product));
  const rademacher = (complexity(layers, sample) / product) * 2 ** k;
  const m = margins.length;
  const sorted = Float64Array.from(margins).sort();
  const factor = outputs === 1 ? 2 : 4 * outputs;
  let [best, below] = [Number.POSITIVE_INFINITY, 0];
  for (let j = -40; j <= 60; j++) {
    const gamma = 2 ** j;
    while (below < m && sorted[below]! <= gamma) below++;
    const level = delta * prior(k) * prior(j);
    const value = below / m + (factor * rademacher) / gamma + 3 * Math.sqrt(Math.log(2 / level) / (2 * m));
    best = Math.min(best, value);
  }
  return best;
}

/**
 * Margin bounds with kernel norms (two ways to peel the layers) and, for comparison, with Frobenius norms of the whole
 * matrices. A hypothesis that the network does not meet is named, and then there is no value.
 */
export async function kernelMarginBounds(
  model: Graph,
  x: Tensor,
  options: KernelMarginOptions,
): Promise<readonly GeneralizationBound[]> {
  const { layers, matrices, sample, unmet } = await localStructure(model, x);
  const { delta, margins } = options;
  const hypotheses = [
    ...sampleHypotheses({ n: margins.length, delta }),
    ["a margin for each example", margins.length === sample.m] as const,
    ...(unmet.length === 0
      ? ([["convolutions and dense layers in a chain, ReLU between, no pooling", true]] as const)
      : unmet.map((text) => [text, false] as const)),
  ];
  const dense: LocalSample = { ...sample, patchEnergy: sample.energy, patches: 1 };
  const one = (id: string, name: string, of: readonly LocalLayer[], at: LocalSample, by: Complexity) =>
    stated({ id, name, delta, hypotheses }, () => leastOverMargins(options, of, at, by));
  return [
    one("local-kernels", "Margins and kernel norms, 2^(L-1)", layers, sample, peeledBound),
    one("local-kernels-depth", "Margins and kernel norms, root of depth", layers, sample, exponentialBound),
    one("toeplitz-depth", "Margins and Frobenius norms of whole matrices", matrices, dense, exponentialBound),
  ];
}
