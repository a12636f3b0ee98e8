// A generator: an ONNX graph from latent vectors z to signals, one a row.
import { type Graph, isTensorType, requiredInputs } from "../graph/graph.ts";
import { inferTypes } from "../graph/infer.ts";
import type { Value } from "../graph/value.ts";
import { batchFree } from "../train/weights.ts";
import { InverseError } from "./error.ts";

export interface Generator {
  readonly graph: Graph;
  readonly type: "float32" | "float64";
  readonly input: string;
  readonly output: string;
  /** The shape of a latent vector, and how many numbers it has. */
  readonly latentShape: readonly number[];
  readonly latent: number;
  /** The shape of a signal, and how many numbers it has. */
  readonly shape: readonly number[];
  readonly size: number;
}

const product = (dims: readonly number[]): number => dims.reduce((a, b) => a * b, 1);

/**
 * A graph read as a generator: one input [N, ...] and one output [N, ...] of floating-point numbers.
 * @example generatorOf(initialNetwork("2-8-relu-16")).size // 16
 */
export function generatorOf(original: Graph): Generator {
  const graph = batchFree(original);
  const [input, more] = requiredInputs(graph);
  const [output, another] = graph.outputs;
  if (!input || more || !output || another)
    throw new InverseError(
      `a generator has one input and one output, "${graph.name}" has ${requiredInputs(graph).length} and ${graph.outputs.length}`,
    );
  if (!isTensorType(input.type) || (input.type.type !== "float32" && input.type.type !== "float64"))
    throw new InverseError(`a generator takes f32 or f64, input "${input.name}" does not`);
  const latentShape = (input.type.shape ?? []).slice(1);
  const at = inferTypes(graph, {
    inputs: new Map([[input.name, { type: input.type.type, shape: [1, ...latentShape] }]]),
  }).get(output.name)?.shape;
  const shape = at?.slice(1) ?? [];
  const known = (dims: readonly unknown[]): dims is readonly number[] =>
    dims.length > 0 && dims.every((d) => typeof d === "number" && d > 0);
  if (!known(latentShape) || !known(shape))
    throw new InverseError(
      `the shapes of input "${input.name}" and output "${output.name}" must be known: [N, numbers...]`,
    );
  return {
    ...{ graph, type: input.type.type, input: input.name, output: output.name },
    ...{ latentShape, latent: product(latentShape), shape, size: product(shape) },
  };
}

/** G(z) for rows z [N, latent]: [N, size]. */
export const generated = ({ graph, input, output, latentShape, size }: Generator, z: Value): Value =>
  z.builder
    .inline(graph, { [input]: latentShape.length === 1 ? z : z.reshape([-1, ...latentShape]) })
    [output]!.reshape([-1, size]);
