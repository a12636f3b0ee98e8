// The constants of a graph that hold values, of whatever type: what training may have chosen.
import { type Graph, isSparse } from "../../graph/graph.ts";
import { isFloat, type SparseTensor, type Tensor } from "../../graph/tensor.ts";

/** Inputs of operators, by place, that say shapes, axes or positions; of a Reduce operator, the second one. */
const positions: Readonly<Record<string, readonly number[]>> = {
  Reshape: [1],
  Expand: [1],
  Tile: [1],
  Squeeze: [1],
  Unsqueeze: [1],
  Slice: [1, 2, 3, 4],
  Pad: [1, 3],
  Split: [1],
  TopK: [1],
  Gather: [1],
  GatherElements: [1],
  GatherND: [1],
  ConstantOfShape: [0],
  Resize: [3],
  CumSum: [1],
};

/** Floating-point numbers, and whole ones that are not only shapes, axes or positions, as quantized weights are. */
export function storedWeights(graph: Graph): readonly (readonly [string, Tensor | SparseTensor])[] {
  const isPosition = (op: string, place: number): boolean =>
    op.startsWith("Reduce") ? place === 1 : positions[op]?.includes(place) === true;
  const values = new Set(
    graph.nodes.flatMap(({ op, inputs }) => inputs.filter((_, place) => !isPosition(op, place))),
  );
  return [...graph.initializers].filter(
    ([name, weight]) => isSparse(weight) || isFloat(weight.type) || values.has(name),
  );
}
