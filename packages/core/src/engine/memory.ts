// What a run will need at most, told from shapes alone, before the runtime allocates anything.
import { describe, type Graph, type TensorType } from "../graph/graph.ts";
import { inferTypes } from "../graph/infer.ts";
import { byteLength, type NumericType, type Tensor } from "../graph/tensor.ts";
import { canonical } from "../graph/upgrade.ts";
import { EngineError } from "./error.ts";

const sizeOf = (t: TensorType | undefined): number => {
  if (!t?.shape?.every((d) => typeof d === "number") || t.type === "string") return 0;
  return byteLength(t.type as NumericType, t.shape as readonly number[]);
};

/** Refuses a run in which some node's inputs and outputs, as far as their shapes are known, exceed the limit. */
export function checkMemory(graph: Graph, inputs: Readonly<Record<string, Tensor>>, limit: number): void {
  const given = new Map(
    Object.entries(inputs).map(([name, { type, dims }]) => [name, { type, shape: dims }]),
  );
  const types = inferTypes(graph, { inputs: given });
  for (const node of canonical(graph).nodes) {
    const names = new Set([...node.inputs, ...node.outputs]);
    const bytes = [...names].reduce(
      (sum, name) => sum + (graph.initializers.has(name) ? 0 : sizeOf(types.get(name))),
      0,
    );
    if (bytes > limit) {
      throw new EngineError(
        `${describe(node)} needs ${(bytes / 1e9).toPrecision(3)} GB, more than the limit of ${limit / 1e9} GB (--memory raises it)`,
      );
    }
  }
}
