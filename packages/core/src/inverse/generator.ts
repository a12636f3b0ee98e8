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
  /** Of a flow: the output with ln |det dx / dz| of each row. */
  readonly logdet?: string;
}

const product = (dims: readonly number[]): number => dims.reduce((a, b) => a * b, 1);

/**
 * A graph read as a generator: one input [N, ...] and one output [N, ...] of floating-point numbers; a flow has a second output
 * "logdet" [N].
 * @example generatorOf(initialNetwork("2-8-relu-16")).size // 16
 */
export function generatorOf(original: Graph): Generator {
  const graph = batchFree(original);
  const [input, more] = requiredInputs(graph);
  const [output, another, third] = graph.outputs;
  const isFlow = another?.name === "logdet";
  if (!input || more || !output || third || (another && !isFlow))
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
  const [latent, size] = [product(latentShape), product(shape)];
  if (isFlow && latent !== size)
    throw new InverseError(`a flow makes as many numbers as it takes, not ${size} of ${latent}`);
  return {
    ...{ graph, type: input.type.type, input: input.name, output: output.name },
    ...{ latentShape, latent, shape, size },
    ...(isFlow ? { logdet: another.name } : {}),
  };
}

/** G(z) for rows z [N, latent]: x [N, size]; of a flow logdet [N], too. */
export function generated(
  { graph, input, output, logdet, latentShape, size }: Generator,
  z: Value,
): { readonly x: Value; readonly logdet?: Value } {
  const found = z.builder.inline(graph, {
    [input]: latentShape.length === 1 ? z : z.reshape([-1, ...latentShape]),
  });
  return {
    x: found[output]!.reshape([-1, size]),
    ...(logdet === undefined ? {} : { logdet: found[logdet]! }),
  };
}
