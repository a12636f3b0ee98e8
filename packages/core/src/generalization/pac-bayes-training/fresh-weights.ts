// A network's architecture with new weights: where a prior can start that knows nothing of the data.

import { type Graph, isSparse, type Node } from "../../graph/graph.ts";
import { ownEntry } from "../../graph/own-entry.ts";
import { elementCount, encode, type NumericType, type Tensor } from "../../graph/tensor.ts";
import { canonical } from "../../graph/upgrade.ts";
import { createRandom } from "../../numbers/random.ts";
import { trainableWeights } from "../../train/weights.ts";

/** Places of scale, bias, mean and variance, and what they are before training. */
const normalizations: Readonly<Record<string, readonly number[]>> = {
  BatchNormalization: [1, 0, 0, 1],
  LayerNormalization: [1, 0],
  InstanceNormalization: [1, 0],
};

/** How many inputs an output of the layer adds up. */
function fanIn({ op, attributes }: Node, place: number, dims: readonly number[]): number {
  if (op === "Conv") return elementCount(dims.slice(1));
  const transposed = attributes.get("transB");
  const isTransposed = op === "Gemm" && transposed?.type === "int" && Number(transposed.value) === 1;
  return dims.at(isTransposed || place === 0 ? -1 : -2)!;
}

/**
 * The same network with normal weights of variance 2 / fan-in, biases 0, and normalizations that change nothing.
 * @example freshWeights(initialNetwork("2-3-relu-1"), 1).initializers.get("layer1.bias").data // Float32Array [0, 0, 0]
 */
export function freshWeights(original: Graph, seed: number | string = 0): Graph {
  const graph = canonical(original);
  const trainable = new Set(trainableWeights(graph));
  const random = createRandom(seed);
  const initializers = new Map(graph.initializers);
  const constant = (weight: Tensor, value: number): Tensor => ({
    ...weight,
    data: encode(new Float64Array(elementCount(weight.dims)).fill(value), weight.type as NumericType),
  });
  const drawn = (weight: Tensor, name: string, variance: number): Tensor => {
    const values = random.split(name).normal(elementCount(weight.dims));
    const scaled = values.map((v) => v * Math.sqrt(variance));
    return { ...weight, data: encode(scaled, weight.type as NumericType) };
  };
  for (const node of graph.nodes)
    node.inputs.forEach((name, place) => {
      const weight = graph.initializers.get(name);
      if (!weight || isSparse(weight)) return;
      const still = ownEntry(normalizations, node.op)?.[place - 1];
      if (still !== undefined) initializers.set(name, constant(weight, still));
      else if (trainable.has(name))
        initializers.set(
          name,
          weight.dims.length < 2
            ? constant(weight, 0)
            : drawn(weight, name, 2 / fanIn(node, place, weight.dims)),
        );
    });
  return { ...graph, initializers };
}
