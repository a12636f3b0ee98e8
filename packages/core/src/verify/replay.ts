// A point on ONNX Runtime: what the networks really compute there.
import { run } from "../engine/run.ts";
import { elementCount, type NumericType, numbers, tensor } from "../graph/tensor.ts";
import { inputShapes } from "../passes/regions/compile.ts";
import type { Given } from "./joint.ts";

const bits = new DataView(new ArrayBuffer(4));

/** The next single-precision number above x > 0 or below x < 0; towards 0 with step -1. */
function neighbour(x: number, step: 1 | -1): number {
  bits.setFloat32(0, x);
  bits.setInt32(0, bits.getInt32(0) + step);
  return bits.getFloat32(0);
}

/**
 * x as a number of the element type, inside the bounds if one near it is.
 * @example representable(0.1, "float32", 0.1, 1) >= 0.1 // true
 */
export function representable(x: number, type: string, lower: number, upper: number): number {
  if (type === "float64") return x;
  if (type !== "float32") return numbers(tensor([x], { type: type as NumericType }))[0]!;
  const near = Math.fround(x);
  if (near >= lower && near <= upper) return near;
  const up = near < lower;
  if (near === 0) return up ? 2 ** -149 : -(2 ** -149);
  return neighbour(near, near > 0 === up ? 1 : -1);
}

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
