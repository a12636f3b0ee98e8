// What ONNX Runtime computes for both networks at a point.

import { representable } from "../../bounds/query/representable.ts";
import { run } from "../../engine/run.ts";
import type { Graph } from "../../graph/graph.ts";
import { elementCount, type NumericType, numbers, type Tensor, tensor } from "../../graph/tensor.ts";
import { inputShapes } from "../../passes/affine/compile.ts";

/** How many numbers a network takes. */
export const inputSize = (graph: Graph): number =>
  inputShapes(graph).reduce((n, { dims }) => n + elementCount(dims), 0);

/** Flat numbers as the tensors that a graph takes. */
export function inputTensors(graph: Graph, x: ArrayLike<number>): Record<string, Tensor> {
  let first = 0;
  return Object.fromEntries(
    inputShapes(graph).map(({ name, type, dims }) => {
      const size = elementCount(dims);
      const values = Array.from({ length: size }, (_, k) => x[first + k]!);
      first += size;
      return [name, tensor(values, { type: type.type as NumericType, dims })];
    }),
  );
}

/** All outputs, flat. */
export async function runtimeOutputs(graph: Graph, x: ArrayLike<number>): Promise<Float64Array> {
  const outputs = await run(graph, inputTensors(graph, x));
  return Float64Array.from(graph.outputs.flatMap(({ name }) => [...numbers(outputs[name]!)]));
}

/** The element types of the inputs. */
export const typesOf = (...graphs: readonly Graph[]): readonly string[] =>
  graphs.flatMap((graph) => inputShapes(graph).map(({ type }) => type.type));

/** A point of the box whose numbers the element types of both networks have, near x. */
export function representableIn(
  graphs: readonly Graph[],
  x: Float64Array,
  lower: ArrayLike<number>,
  upper: ArrayLike<number>,
): Float64Array {
  const types = typesOf(...graphs);
  const coarsest = ["bfloat16", "float16", "float32"].find((type) => types.includes(type));
  return x.map((v, i) => representable(v, coarsest ?? "float64", lower[i]!, upper[i]!));
}

/** A point and what both networks give there, as ONNX Runtime computes it. */
export interface Replay {
  readonly at: Float64Array;
  readonly first: Float64Array;
  readonly second: Float64Array;
  /** The greatest |second - first|, and the output where it is. */
  readonly difference: number;
  readonly output: number;
}

export async function replayBoth(first: Graph, second: Graph, at: Float64Array): Promise<Replay> {
  const [a, b] = [await runtimeOutputs(first, at), await runtimeOutputs(second, at)];
  let [difference, output] = [0, 0];
  for (let k = 0; k < a.length; k++) {
    const size = a[k] === b[k] || (Number.isNaN(a[k]) && Number.isNaN(b[k])) ? 0 : Math.abs(b[k]! - a[k]!);
    if (!(size <= difference))
      [difference, output] = [Number.isNaN(size) ? Number.POSITIVE_INFINITY : size, k];
  }
  return { at, first: a, second: b, difference, output };
}
