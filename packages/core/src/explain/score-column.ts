// One number for each example is a column: the scores of the only class.
import { type Graph, isTensorType, type Node, requiredInputs } from "../graph/graph.ts";
import { inferTypes } from "../graph/infer.ts";
import { tensor } from "../graph/tensor.ts";

/** Whether the only axis of a value is the first of the inputs, which is open: that of the examples. */
export function isByExample(graph: Graph, name: string): boolean {
  const shape = inferTypes(graph).get(name)?.shape;
  const [examples] = shape ?? [];
  if (shape?.length !== 1 || typeof examples === "number") return false;
  return requiredInputs(graph).some(
    ({ type }) =>
      isTensorType(type) && type.shape !== undefined && type.shape.length > 1 && type.shape[0] === examples,
  );
}

/** The graph with this value of rank 1 as a column. */
export function withColumn(graph: Graph, of: string): { readonly graph: Graph; readonly of: string } {
  const [column, axes] = [`${of}_column`, `${of}_column_axes`];
  const node: Node = {
    name: column,
    op: "Unsqueeze",
    domain: "",
    inputs: [of, axes],
    outputs: [column],
    attributes: new Map(),
  };
  const initializers = new Map(graph.initializers).set(axes, tensor([1], { type: "int64" }));
  return { graph: { ...graph, nodes: [...graph.nodes, node], initializers }, of: column };
}
