// Networks with one weight changed, and certificates that still name their file.
import { type Certificate, sha256 } from "../../src/check/certificate.ts";
import type { BoxSide } from "../../src/compile/compile.ts";
import { type Graph, isSparse } from "../../src/graph/graph.ts";
import { readModel, writeModel } from "../../src/graph/onnx/index.ts";
import { isFloat, numbers, type Tensor } from "../../src/graph/tensor.ts";

export const box = (sides: Record<string, readonly [number, number]>): BoxSide[] =>
  Object.entries(sides).map(([name, [lower, upper]]) => ({ name, lower, upper }));

/** A weight of a network. */
export interface Weight {
  readonly name: string;
  readonly index: number;
  readonly value: number;
}

export const weightsOf = (graph: Graph): readonly Weight[] =>
  [...graph.initializers].flatMap(([name, t]) =>
    isSparse(t) || !isFloat(t.type) ? [] : Array.from(numbers(t), (value, index) => ({ name, index, value })),
  );

/** The file with another number in the place of one weight, and the certificate with that file's hash. */
export async function withWeight(
  bytes: Uint8Array,
  certificate: Certificate,
  { name, index }: Weight,
  value: number,
): Promise<{ readonly bytes: Uint8Array; readonly certificate: Certificate; readonly graph: Graph }> {
  const original = readModel(bytes);
  const weight = original.initializers.get(name) as Tensor;
  const data = Float64Array.from(numbers(weight));
  data[index] = value;
  const changed: Tensor = { ...weight, data: weight.type === "float32" ? Float32Array.from(data) : data };
  const graph = { ...original, initializers: new Map([...original.initializers, [name, changed]]) };
  const written = writeModel(graph);
  const network = { ...certificate.network, sha256: await sha256(written) };
  return { bytes: written, certificate: { ...certificate, network }, graph };
}
