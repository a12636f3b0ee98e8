// How large a network is once its rows are written out.
import { type Graph, isSparse } from "../../graph/graph.ts";
import { inferTypes } from "../../graph/infer.ts";
import { elementCount } from "../../graph/tensor.ts";
import { canonical } from "../../graph/upgrade.ts";
import { inputShapes } from "../../passes/affine/compile.ts";

/** Terms of all rows of convolutions, about, where one example goes in; 0 where shapes do not tell. */
function writtenTerms(original: Graph): number {
  const graph = canonical(original);
  const inputs = new Map(
    inputShapes(original).map(({ name, type, dims }) => [name, { type: type.type, shape: dims }]),
  );
  const types = inferTypes(graph, { inputs });
  let terms = 0;
  for (const node of graph.nodes) {
    if (node.op !== "Conv") continue;
    const weight = graph.initializers.get(node.inputs[1]!);
    const shape = types.get(node.outputs[0]!)?.shape;
    if (!weight || isSparse(weight) || !shape?.every((d) => typeof d === "number")) continue;
    terms += elementCount(shape as readonly number[]) * elementCount(weight.dims.slice(1));
  }
  return terms;
}

/** With more terms than this, layers of convolutions are not written out. */
const mostWritten = 2 ** 22;

export const isTooLargeToWrite = (graph: Graph): boolean => writtenTerms(graph) > mostWritten;
