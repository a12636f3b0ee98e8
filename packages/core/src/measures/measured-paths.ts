// Path norms of a model, in one convention: those of the function's own layers, however its file splits them.

import { foldNodes } from "../equivalence/simplify/fold-nodes.ts";
import { type Graph, isSparse, type Node } from "../graph/graph.ts";
import { inferTypes } from "../graph/infer.ts";
import { canonical } from "../graph/upgrade.ts";
import { pathNorms } from "../passes/path-norm.ts";
import { euclidean } from "./euclidean.ts";
import type { MeasuredValue } from "./sharpness.ts";
import { unlessMissing } from "./unless-missing.ts";

/** What the two norms are of; whoever compares them with those of other programs needs to know. */
export const pathConvention =
  "over all paths from inputs and from biases; a batch normalization is folded into the layer before it, and every entry of a pooling window has paths of its own";

/** Path norms over all outputs: the sum of the first, the Euclidean norm of the second. */
export async function measuredPaths(
  graph: Graph,
): Promise<{ readonly norm1: MeasuredValue; readonly norm2: MeasuredValue }> {
  const found = await unlessMissing(() => pathNorms(foldedNormalizations(graph)));
  if ("reason" in found) return { norm1: found, norm2: found };
  const known = (value: number): MeasuredValue =>
    Number.isNaN(value) ? { reason: "it is beyond the range of doubles" } : { value };
  return {
    norm1: known(found.norm1.reduce((s, v) => s + v, 0)),
    norm2: known(euclidean(found.norm2)),
  };
}

/**
 * The same function with every BatchNormalization behind a layer in that layer's weights: a bias before it and its own
 * shift are then one bias, as in a file whose exporter folded it.
 */
export function foldedNormalizations(original: Graph): Graph {
  const graph = canonical(original);
  if (!graph.nodes.some(({ op }) => op === "BatchNormalization")) return graph;
  return foldNodes(withGemms(graph), false).graph;
}

/** Rows times a constant matrix, and a constant row added, as one Gemm: what a normalization is folded into. */
function withGemms(graph: Graph): Graph {
  const types = inferTypes(graph);
  const readers = (name: string): readonly Node[] => graph.nodes.filter((n) => n.inputs.includes(name));
  const constant = (name: string | undefined): readonly number[] | undefined => {
    const weight = name === undefined ? undefined : graph.initializers.get(name);
    return weight && !isSparse(weight) ? weight.dims : undefined;
  };
  const outputs = new Set(graph.outputs.map(({ name }) => name));
  const gone = new Set<Node>();
  const written = new Map<Node, Node>();
  for (const node of graph.nodes) {
    const [x, w] = node.inputs as readonly [string, string];
    const width = constant(w)?.[1];
    if (node.op !== "MatMul" || constant(w)?.length !== 2 || constant(x)) continue;
    if (types.get(x)?.shape?.length !== 2) continue;
    const [value] = node.outputs as readonly [string];
    const [next, another] = readers(value);
    const bias = next?.op === "Add" ? next.inputs.find((name) => name !== value) : undefined;
    const dims = constant(bias);
    const isRow =
      dims !== undefined && dims.length <= 2 && dims.at(-1) === width && (dims.length === 1 || dims[0] === 1);
    if (next && !another && bias && isRow && !outputs.has(value)) {
      gone.add(next);
      written.set(node, gemm(node, [x, w, bias], next.outputs[0]!));
    } else written.set(node, gemm(node, [x, w], value));
  }
  const nodes = graph.nodes.flatMap((node) => (gone.has(node) ? [] : [written.get(node) ?? node]));
  return { ...graph, nodes };
}

const gemm = (node: Node, inputs: readonly string[], output: string): Node => ({
  ...node,
  op: "Gemm",
  inputs,
  outputs: [output],
  attributes: new Map(),
});
