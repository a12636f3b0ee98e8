// What `lemmata recover` reads: numbers, an operator in words or from a file, and what its signals look like.
import { cast, numbers, type Tensor } from "@lemmata/core/graph";
import {
  denseMap,
  type Generator,
  type LinearMap,
  linearGraph,
  maskOperator,
  operatorFromSpec,
} from "@lemmata/core/inverse";
import { readData } from "./files.ts";
import { loadGraph } from "./model.ts";
import { UsageError } from "./usage-error.ts";

export interface RealArray {
  readonly dims: readonly number[];
  readonly values: Float64Array;
}

/** A signal: of bytes, which are grey values, 255 is 1. */
export function signalIn(path: string): RealArray {
  const { values, ...rest } = realArray(path);
  return { ...rest, values: rest.isBytes ? values.map((v) => v / 255) : values };
}

/** The one array of a file, finite. */
function realArray(path: string): RealArray & { readonly isBytes: boolean } {
  const arrays = Object.values(readData(path));
  const [given] = arrays;
  if (!given || arrays.length > 1)
    throw new UsageError(`${path} holds ${arrays.length} arrays: one is wanted`);
  if (given.type === "string" || given.type.startsWith("complex"))
    throw new UsageError(`${path} holds ${given.type}, not real numbers`);
  if (given.dims.includes(0))
    throw new UsageError(`${path} has shape [${given.dims.join(", ")}]: it is empty`);
  const values = Float64Array.from(numbers(asReal(given)));
  const bad = values.findIndex((v) => !Number.isFinite(v));
  if (bad >= 0) throw new UsageError(`${path}: number ${bad} is ${values[bad]}`);
  return { dims: given.dims, values, isBytes: given.type === "uint8" };
}

const asReal = (given: Tensor): Tensor => (given.type === "float64" ? given : cast(given, "float64"));

/** `28x28` */
export function shapeFrom(text: string): readonly number[] {
  const shape = text.split("x").map((part) => (/^\d+$/.test(part) ? Number(part) : 0));
  if (shape.length > 3 || shape.some((d) => d === 0) || shape.reduce((a, b) => a * b, 1) > 2 ** 24)
    throw new UsageError(`--shape is 784, 28x28 or 3x64x64 (channels first), not ${text}`);
  return shape;
}

/** Without axes of one in front; more than three axes are no picture. */
function signalShape(dims: readonly number[]): readonly number[] | undefined {
  const from = dims.findIndex((d) => d > 1);
  const rest = from < 0 ? dims.slice(-1) : dims.slice(from);
  return rest.length <= 3 ? rest : undefined;
}

export interface Measuring {
  readonly map: LinearMap;
  readonly shape: readonly number[];
}

/** The operator, and the shape of its signals: as given, or as the truth, the operator's file or the generator has it. */
export async function measuring(
  spec: string,
  given: readonly number[] | undefined,
  like: RealArray | undefined,
  generator: Generator | undefined,
): Promise<Measuring> {
  const shape = given ?? (like && signalShape(like.dims));
  const fromGenerator = generator && (generator.shape.length <= 3 ? generator.shape : [generator.size]);
  const mask = /^mask:(.+\.npy)$/i.exec(spec)?.[1];
  if (mask !== undefined) {
    const { dims, values } = realArray(mask);
    return { map: maskOperator(values), shape: agreed(shape ?? dims, values.length, mask) };
  }
  if (spec.toLowerCase().endsWith(".onnx")) {
    const read = linearGraph(await loadGraph(spec));
    return { map: read.map, shape: agreed(shape ?? fromGenerator ?? read.shape, read.map.inputs, spec) };
  }
  if (spec.toLowerCase().endsWith(".npy")) {
    const { dims, values } = realArray(spec);
    if (dims.length !== 2) throw new UsageError(`${spec} has shape [${dims.join(", ")}]: a matrix is wanted`);
    const map = denseMap({ rows: dims[0]!, columns: dims[1]!, entries: values });
    return { map, shape: agreed(shape ?? fromGenerator ?? [map.inputs], map.inputs, spec) };
  }
  const wanted = shape ?? fromGenerator;
  if (!wanted) throw new UsageError(`--operator ${spec} does not say how large signals are: --shape does`);
  return { map: operatorFromSpec(spec, wanted), shape: wanted };
}

function agreed(shape: readonly number[], size: number, of: string): readonly number[] {
  const product = shape.reduce((a, b) => a * b, 1);
  if (product !== size)
    throw new UsageError(`signals of ${shape.join(" x ")} are ${product} numbers, but ${of} takes ${size}`);
  return shape;
}
