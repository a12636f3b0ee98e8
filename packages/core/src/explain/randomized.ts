// A network with other weights: what an explanation must notice.
import { type Graph, isSparse, type Node } from "../graph/graph.ts";
import { isFloat, type Tensor } from "../graph/tensor.ts";
import type { Random } from "../numbers/random.ts";

/** Which inputs of an operator can be weights, and what exporters put between the two. */
const weighted: Readonly<Record<string, readonly number[]>> = {
  Conv: [1],
  ConvTranspose: [1],
  Gemm: [0, 1],
  MatMul: [0, 1],
  Einsum: [0, 1],
  Gather: [0],
  LSTM: [1, 2],
  GRU: [1, 2],
  RNN: [1, 2],
};
const moving = new Set("Identity Cast Reshape Flatten Squeeze Unsqueeze Transpose".split(" "));

/** The layers from the output down, by the name of their weights: matrices, kernels and tables. */
export function weightNames(graph: Graph): readonly string[] {
  const makers = new Map<string, Node>(graph.nodes.flatMap((n) => n.outputs.map((o) => [o, n] as const)));
  const source = (name: string): string => {
    const node = makers.get(name);
    return node && moving.has(node.op) ? source(node.inputs[0]!) : name;
  };
  const isWeight = (name: string): boolean => {
    const weight = graph.initializers.get(name);
    return weight !== undefined && !isSparse(weight) && isFloat(weight.type) && weight.dims.length > 1;
  };
  const found = graph.nodes.flatMap(({ op, inputs }) => {
    const places = Object.hasOwn(weighted, op) ? weighted[op]! : [];
    return places.map((k) => source(inputs[k] ?? "")).filter(isWeight);
  });
  return [...new Set(found.reverse())];
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
