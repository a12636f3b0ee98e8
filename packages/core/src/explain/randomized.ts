// A network with other weights: what an explanation must notice.
import { type Graph, isSparse } from "../graph/graph.ts";
import type { Tensor } from "../graph/tensor.ts";
import type { Random } from "../numbers/random.ts";
import { relevanceLayers } from "../passes/relevance/layers.ts";

/** The layers from the output down, by the name of their weights. */
export function weightNames(graph: Graph): readonly string[] {
  const isWeight = (name: string): boolean => graph.initializers.has(name);
  return [...relevanceLayers(graph, (name) => !isWeight(name)).values()]
    .map(({ node, weight }) => node.inputs[weight]!)
    .filter(isWeight)
    .reverse();
}

/** The network with the weights of some layers shuffled. */
export function shuffled(graph: Graph, names: readonly string[], random: Random): Graph {
  const initializers = new Map(graph.initializers);
  for (const name of names) {
    const weight = initializers.get(name);
    if (!weight || isSparse(weight)) continue;
    const data = weight.data.slice() as Float64Array;
    for (let k = data.length - 1; k > 0; k--) {
      const j = random.integer(0, k);
      [data[k], data[j]] = [data[j]!, data[k]!];
    }
    initializers.set(name, { ...weight, data } as Tensor);
  }
  return { ...graph, initializers };
}
