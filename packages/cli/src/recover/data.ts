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
import { loadDataset } from "../datasets.ts";
import { readData } from "../files.ts";
import { loadGraph } from "../model.ts";
import { UsageError } from "../usage-error.ts";

export interface RealArray {
  readonly dims: readonly number[];
  readonly values: Float64Array;
}

/** `mnist:3`, `photos.npy:3`, `digits.npz:x_test:3` */
const oneOfMany = /^(?:(mnist)|(.+\.npy)|(.+\.npz):([^:]+)):(\d+)$/i;

/** A signal, or one of an array of them: of bytes, which are grey values, 255 is 1. */
export function signalIn(path: string): RealArray {
  const match = oneOfMany.exec(path);
  if (match) {
    const [, mnist, npy, npz, key = "", index] = match;
    return rowOf(mnist ? mnistTests() : arrayIn((npy ?? npz)!, npz && key), Number(index), path);
  }
  const { values, ...rest } = realArray(path);
  return { ...rest, values: rest.isBytes ? values.map((v) => v / 255) : values };
}

/** MNIST's test images. */
function mnistTests(): Tensor {
  const { x } = loadDataset("mnist").test!;
  return { ...x, dims: [x.dims[0]!, 28, 28] };
}

function arrayIn(file: string, key: string | undefined): Tensor {
  const arrays = readData(file);
  const [name = "", more] = Object.keys(arrays);
  const wanted = key ?? name;
  if (key === undefined && more !== undefined)
    throw new UsageError(`${file} holds ${Object.keys(arrays).length} arrays: one is wanted`);
  if (!Object.hasOwn(arrays, wanted))
    throw new UsageError(`${file} has no array ${wanted}; there are ${Object.keys(arrays).join(", ")}`);
  return arrays[wanted]!;
}

function rowOf({ dims, ...whole }: Tensor, index: number, path: string): RealArray {
  const [count = 0, ...rest] = dims;
  if (rest.length === 0 || index >= count)
    throw new UsageError(
      `${path}: there are ${rest.length === 0 ? "no signals in a list of numbers" : `signals 0 to ${count - 1}`}`,
    );
  const size = rest.reduce((a, b) => a * b, 1);
  const { values, isBytes } = realNumbers({ ...whole, dims } as Tensor, path);
  const row = values.subarray(size * index, size * (index + 1));
  return { dims: rest, values: isBytes ? row.map((v) => v / 255) : row.slice() };
}

/** The one array of a file, finite. */
function realArray(path: string): RealArray & { readonly isBytes: boolean } {
  const arrays = Object.values(readData(path));
  const [given] = arrays;
  if (!given || arrays.length > 1)
    throw new UsageError(`${path} holds ${arrays.length} arrays: one is wanted`);
  return { dims: given.dims, ...realNumbers(given, path) };
}

function realNumbers(
  given: Tensor,
  path: string,
): { readonly values: Float64Array; readonly isBytes: boolean } {
  if (given.type === "string" || given.type.startsWith("complex"))
    throw new UsageError(`${path} holds ${given.type}, not real numbers`);
  if (given.dims.includes(0))
    throw new UsageError(`${path} has shape [${given.dims.join(", ")}]: it is empty`);
  const values = Float64Array.from(numbers(asReal(given)));
  const bad = values.findIndex((v) => !Number.isFinite(v));
  if (bad >= 0) throw new UsageError(`${path}: number ${bad} is ${values[bad]}`);
  return { values, isBytes: given.type === "uint8" };
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
