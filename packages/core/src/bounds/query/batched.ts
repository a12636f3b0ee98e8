// A network of one example as a graph of many at a time: the first axis of the inputs and of what is reshaped is the
// batch. No theorem says that this is right for every graph, so what it computes is compared before it is believed, and
// it serves searches only.
import { GraphError } from "../../graph/error.ts";
import { type Graph, isSparse, type Node, subgraphs } from "../../graph/graph.ts";
import { type Tensor, tensor } from "../../graph/tensor.ts";
import { canonical } from "../../graph/upgrade.ts";
import { inputShapes } from "../../passes/affine/compile.ts";

/** Shapes that begin with 1 begin with `count`: [1, 784] -> [count, 784]. */
function batchedShape(shape: Tensor, count: number): Tensor | undefined {
  const dims = [...(shape.data as BigInt64Array)].map(Number);
  if (shape.dims.length !== 1 || dims[0] !== 1 || dims.length < 2) return undefined;
  return tensor([count, ...dims.slice(1)], { type: "int64", dims: [dims.length] });
}

/**
 * The graph for `count` examples at a time, if its inputs hold one along their first axis; undefined where they do not.
 * @example batchedGraph(net, 256)?.inputs.length // 1
 */
export function batchedGraph(graph: Graph, count: number): Graph | undefined {
  const shapes = inputShapes(graph);
  const whole = canonical(graph);
  if (shapes.some(({ dims }) => dims.length < 2 || dims[0] !== 1)) return undefined;
  if (whole.nodes.some((node) => subgraphs(node).length > 0)) return undefined;
  const initializers = new Map(whole.initializers);
  const nodes = whole.nodes.map((node): Node => {
    const shape = node.op === "Reshape" ? whole.initializers.get(node.inputs[1]!) : undefined;
    const moved =
      shape && !isSparse(shape) && shape.type === "int64" ? batchedShape(shape, count) : undefined;
    if (!moved) return node;
    const name = `${node.inputs[1]!}/batch of ${count}`;
    initializers.set(name, moved);
    return { ...node, inputs: [node.inputs[0]!, name, ...node.inputs.slice(2)] };
  });
  const given = new Map(
    shapes.map(({ name, type, dims }) => [name, { ...type, shape: [count, ...dims.slice(1)] }]),
  );
  return {
    ...whole,
    nodes,
    initializers,
    inputs: whole.inputs.map((input) => ({ ...input, type: given.get(input.name) ?? input.type })),
    outputs: whole.outputs.map((output) => {
      if (output.type.type === "opaque") throw new GraphError(`output "${output.name}" is no tensor`);
      return { ...output, type: { type: output.type.type } };
    }),
    valueTypes: new Map(),
  };
}
