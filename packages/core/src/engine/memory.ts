// What a run will need at most, told from shapes alone, before the runtime allocates anything.
import { describe, type Graph, isSparse, type TensorType } from "../graph/graph.ts";
import { inferTypes } from "../graph/infer.ts";
import { lowerSparse } from "../graph/lower-sparse.ts";
import { byteLength, type NumericType, type Tensor } from "../graph/tensor.ts";
import { canonical } from "../graph/upgrade.ts";
import { EngineError } from "./error.ts";

/** Of strings, and of a type that is not known before the run, nothing is known. */
const sizeOf = (t: TensorType | undefined): number => {
  if (!t?.shape?.every((d) => typeof d === "number") || /^(string|undefined)$/.test(t.type)) return 0;
  return byteLength(t.type as NumericType, t.shape as readonly number[]);
};

const tooMuch = (what: string, bytes: number, limit: number): EngineError =>
  new EngineError(
    `${what} needs ${(bytes / 1e9).toPrecision(3)} GB, more than the limit of ${limit / 1e9} GB (--memory raises it)`,
  );

/**
 * Refuses a run in which some node's inputs and outputs, as far as their shapes are known, exceed the limit.
 * Dense weights are there already and do not count; a sparse one does, unless it can stay sparse: the runtime fills it out.
 */
export function checkMemory(original: Graph, inputs: Readonly<Record<string, Tensor>>, limit: number): void {
  const graph = lowerSparse(original);
  for (const [name, weight] of graph.initializers) {
    const bytes = isSparse(weight) ? sizeOf({ type: weight.type, shape: weight.dims }) : 0;
    if (bytes > limit) throw tooMuch(`the sparse weight "${name}", filled out,`, bytes, limit);
  }
  const given = new Map(
    Object.entries(inputs).map(([name, { type, dims }]) => [name, { type, shape: dims }]),
  );
  const types = inferTypes(graph, { inputs: given });
  const isDense = (name: string): boolean => {
    const weight = graph.initializers.get(name);
    return weight !== undefined && !isSparse(weight);
  };
  for (const node of canonical(graph).nodes) {
    const names = new Set([...node.inputs, ...node.outputs]);
    const bytes = [...names].reduce((sum, name) => sum + (isDense(name) ? 0 : sizeOf(types.get(name))), 0);
    if (bytes > limit) throw tooMuch(describe(node), bytes, limit);
  }
}

/** The bytes of all weights as the runtime holds them. */
export function weightBytes(graph: Graph): number {
  let bytes = 0;
  for (const { type, dims } of lowerSparse(graph).initializers.values())
    bytes += sizeOf({ type, shape: dims });
  return bytes;
}
