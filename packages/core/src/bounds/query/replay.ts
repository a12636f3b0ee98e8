// A point on ONNX Runtime: what the networks really compute there.
import { run } from "../../engine/run.ts";
import { elementCount, type NumericType, numbers, tensor } from "../../graph/tensor.ts";
import { inputShapes } from "../../passes/affine/compile.ts";
import type { Given } from "./joint.ts";

/** All outputs of a network, flat, for these inputs, flat. */
export async function outputsOf({ graph }: Given, x: ArrayLike<number>): Promise<Float64Array> {
  let first = 0;
  const inputs = inputShapes(graph).map(({ name, type, dims }) => {
    const size = elementCount(dims);
    const values = Array.from({ length: size }, (_, k) => x[first + k]!);
    first += size;
    return [name, tensor(values, { type: type.type as NumericType, dims })] as const;
  });
  const outputs = await run(graph, Object.fromEntries(inputs));
  return Float64Array.from(graph.outputs.flatMap(({ name }) => [...numbers(outputs[name]!)]));
}
