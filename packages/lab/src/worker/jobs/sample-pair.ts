// Two networks to compare at once: one with random weights, and what became of it.

import {
  applySymmetry,
  randomSymmetry,
  redundantNetwork,
  simplify,
  symmetryGroup,
} from "@lemmata/core/equivalence";
import { type Graph, numbers, writeModel } from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";
import { initialNetwork } from "@lemmata/core/train";
import type { PairName } from "../../compare/pairs.ts";
import type { Job } from "../protocol.ts";

export interface SamplePair {
  readonly names: readonly [string, string];
  readonly models: readonly [Uint8Array, Uint8Array];
}

/** The graph with the numbers of its weights changed. */
function withWeights(graph: Graph, change: (value: number, weight: string, index: number) => number): Graph {
  const initializers = new Map(
    [...graph.initializers].map(([name, weight]) => {
      if (!("data" in weight) || weight.type !== "float64") return [name, weight];
      const data = Float64Array.from(numbers(weight), (v, k) => change(v, name, k));
      return [name, { ...weight, data }];
    }),
  );
  return { ...graph, initializers } as Graph;
}

const changes: Readonly<Record<PairName, (seed: number) => Promise<readonly [Graph, Graph]>>> = {
  async permuted(seed) {
    const net = dense(seed);
    const element = randomSymmetry(symmetryGroup(net), createRandom(seed), { exact: true });
    return [net, applySymmetry(net, element)];
  },
  async changed(seed) {
    const net = dense(seed);
    const change = (v: number, weight: string, k: number) =>
      weight === "layer2.weight" && k === 0 ? v + 0.1 : v;
    return [net, withWeights(net, change)];
  },
  async rounded(seed) {
    const net = dense(seed);
    return [net, withWeights(net, (v) => Math.round(1000 * v) / 1000)];
  },
  async redundant(seed) {
    const { graph } = redundantNetwork(createRandom(seed), 2, 6, 2);
    return [(await simplify(graph, { box: { lower: [-1, -1], upper: [1, 1] } })).graph, graph];
  },
};

const dense = (seed: number): Graph => initialNetwork("2-12-relu-12-relu-1", { seed, type: "float64" });

export const samplePair: Job<{ readonly pair: PairName; readonly seed: number }, SamplePair> = async ({
  pair,
  seed,
}) => {
  const [first, second] = await changes[pair](seed);
  return {
    names: [pair === "redundant" ? "small.onnx" : "original.onnx", `${pair}.onnx`],
    models: [writeModel(first), writeModel(second)],
  };
};
