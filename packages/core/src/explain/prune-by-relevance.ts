// Units that carry no relevance are taken out: what a filter or neuron hands on, summed over reference examples, is its worth.
import { run } from "../engine/run.ts";
import { type Graph, isSparse, type Node } from "../graph/graph.ts";
import { operators } from "../graph/operators/index.ts";
import { readAttributes } from "../graph/operators/spec.ts";
import { elementCount, numbers, type Tensor } from "../graph/tensor.ts";
import { type Rule, relevance } from "../passes/relevance.ts";
import { assign, uniform } from "./composite.ts";
import { ExplainError } from "./error.ts";

/** A hidden layer whose units can be taken out: the node with the weights, and the activation behind it. */
export interface UnitLayer {
  readonly node: Node;
  readonly output: string;
  readonly units: number;
}

/** Layers with weights that a Relu follows. */
export function unitLayers(graph: Graph): readonly UnitLayer[] {
  return graph.nodes.flatMap((node) => {
    if (node.op !== "Conv" && node.op !== "Gemm") return [];
    const behind = graph.nodes.find((n) => n.op === "Relu" && n.inputs[0] === node.outputs[0]);
    const bias = graph.initializers.get(node.inputs[2] ?? "");
    if (!behind || !bias || isSparse(bias)) return [];
    return [{ node, output: behind.outputs[0]!, units: bias.data.length }];
  });
}

/** For each layer what its units have of the relevance of the predicted classes, summed over examples and places. */
export async function unitRelevance(
  graph: Graph,
  inputs: Readonly<Record<string, Tensor>>,
  layers: readonly UnitLayer[],
  rule: Rule = { kind: "alpha-beta", alpha: 1, beta: 0 },
): Promise<readonly Float64Array[]> {
  const all: Float64Array[] = [];
  for (const { output, units } of layers) {
    const { graph: walked, names } = relevance(graph, {
      assign: (g, asked) => assign(uniform(rule), g, asked),
      wrt: [output],
    });
    const found = (await run(walked, inputs))[names.get(output)!]!;
    const places = found.data.length / (found.dims[0]! * units);
    const sums = new Float64Array(units);
    numbers(found).forEach((v, k) => {
      const unit = Math.floor(k / places) % units;
      sums[unit] = sums[unit]! + v;
    });
    all.push(sums);
  }
  return all;
}

/** Scaled to length 1, so that layers can be compared; nothing stays nothing. */
export function scaledToLength(values: Float64Array): Float64Array {
  const length = Math.hypot(...values);
  return length > 0 ? values.map((v) => v / length) : values;
}

/** Units by worth, those that matter least first: [layer, unit]. */
export const leastFirst = (worth: readonly Float64Array[]): readonly (readonly [number, number])[] =>
  worth
    .flatMap((layer, l) => Array.from(layer, (v, u) => ({ at: [l, u] as const, v })))
    .sort((a, b) => a.v - b.v)
    .map(({ at }) => at);

/** The network without some units: their weights and biases are 0, so that nothing comes from them. */
export function withoutUnits(
  graph: Graph,
  layers: readonly UnitLayer[],
  removed: readonly (readonly [number, number])[],
): Graph {
  const initializers = new Map(graph.initializers);
  /** Zeros where `unitAt` says that the weight belongs to the unit. */
  const silence = (
    name: string,
    unit: number,
    unitAt: (k: number, dims: readonly number[]) => number,
  ): void => {
    const weight = initializers.get(name);
    if (!weight || isSparse(weight))
      throw new ExplainError(`"${name}" is no dense weight: its units cannot be taken out`);
    const data = (weight.data as Float64Array).map((v, k) => (unitAt(k, weight.dims) === unit ? 0 : v));
    initializers.set(name, { ...weight, data } as Tensor);
  };
  for (const [l, unit] of removed) {
    const { node } = layers[l]!;
    const isRow = node.op === "Conv" || readAttributes(node, operators.Gemm.attributes).transB === 1;
    silence(node.inputs[1]!, unit, (k, dims) =>
      isRow ? Math.floor(k / elementCount(dims.slice(1))) : k % dims[1]!,
    );
    silence(node.inputs[2]!, unit, (k) => k);
  }
  return { ...graph, initializers };
}
