// Which weights of a network training changes, and how they become inputs of a graph.

import { type Graph, isSparse, isTensorType, type Node, requiredInputs } from "../graph/graph.ts";
import { ownEntry } from "../graph/own-entry.ts";
import { renameNode } from "../graph/rename.ts";
import { elementCount, isFloat } from "../graph/tensor.ts";
import { canonical } from "../graph/upgrade.ts";
import { TrainError } from "./error.ts";

/** Inputs of operators, by place, that hold settings or statistics instead of weights. */
const settings: Readonly<Record<string, readonly number[]>> = {
  BatchNormalization: [3, 4],
  Clip: [1, 2],
  Pad: [2],
  Resize: [1, 2],
  Pow: [1],
  OneHot: [2],
  Dropout: [1],
};

/**
 * Names of the weights that training changes: floating-point initializers with more than one element that are not
 * statistics (the mean and variance of BatchNormalization) or settings (bounds of Clip). A single number in a product
 * or a sum is a constant of the architecture; a bias of one output is none.
 * @example trainableWeights(net)
 */
export function trainableWeights(graph: Graph): readonly string[] {
  const { nodes } = canonical(graph);
  return [...graph.initializers].flatMap(([name, weight]) => {
    const uses = nodes.flatMap((node) =>
      node.inputs.flatMap((input, k) => (input === name ? [{ node, k }] : [])),
    );
    const isWeight =
      uses.length > 0 && uses.every(({ node, k }) => !ownEntry(settings, node.op)?.includes(k));
    const isSingle = elementCount(weight.dims) === 1 && !uses.some(({ node, k }) => isLayerWeight(node, k));
    return isFloat(weight.type) && !isSparse(weight) && isWeight && !isSingle ? [name] : [];
  });
}

const layers = new Set("Gemm MatMul Conv ConvTranspose BatchNormalization LayerNormalization".split(" "));
const isLayerWeight = (node: Node, k: number): boolean => layers.has(node.op) && k > 0;

/** The graph with weights as inputs, under new names. */
export function weightsAsInputs(original: Graph, rename: ReadonlyMap<string, string>): Graph {
  const graph = canonical(original);
  const initializers = new Map([...graph.initializers].filter(([name]) => !rename.has(name)));
  const clash = [...rename.values()].find((key) => graph.inputs.some((i) => i.name === key));
  if (clash)
    throw new TrainError(`graph "${graph.name}" has an input "${clash}", a name that training needs`);
  const inputs = [...rename].map(([name, key]) => {
    const weight = graph.initializers.get(name);
    if (!weight) throw new TrainError(`graph "${graph.name}" has no weight "${name}"`);
    return { name: key, type: { type: weight.type, shape: weight.dims } };
  });
  return {
    ...graph,
    inputs: [...requiredInputs(graph), ...inputs],
    initializers,
    nodes: graph.nodes.map((node) => renameNode(node, rename, node.name)),
  };
}

/** The graph for batches of any size: the first axis of its input is called N. */
export function batchFree(original: Graph): Graph {
  const graph = canonical(original);
  return {
    ...graph,
    inputs: graph.inputs.map(({ name, type }) => {
      if (!isTensorType(type) || !type.shape || graph.initializers.has(name)) return { name, type };
      return { name, type: { ...type, shape: ["N", ...type.shape.slice(1)] } };
    }),
    outputs: graph.outputs.map(({ name, type }) => ({
      name,
      type: isTensorType(type) ? { type: type.type } : type,
    })),
    valueTypes: new Map(),
  };
}
