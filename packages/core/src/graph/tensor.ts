// A tensor is a thin typed view: an element type, dimensions, and a typed array in row-major order.
import { GraphError } from "./error.ts";
import { float16ToNumber, numberToFloat16 } from "./float16.ts";

/** The element types of ONNX, in the order of their numbers there. */
export const dataTypes = [
  "undefined",
  "float32",
  "uint8",
  "int8",
  "uint16",
  "int16",
  "int32",
  "int64",
  "string",
  "bool",
  "float16",
  "float64",
  "uint32",
  "uint64",
  "complex64",
  "complex128",
  "bfloat16",
  "float8e4m3fn",
  "float8e4m3fnuz",
  "float8e5m2",
  "float8e5m2fnuz",
  "uint4",
  "int4",
  "float4e2m1",
  "float8e8m0",
  "uint2",
  "int2",
] as const;
export type DataType = (typeof dataTypes)[number];
export type FloatType = "float16" | "float32" | "float64";

/** float16, bfloat16 and the 8-bit floats hold their bits; 4- and 2-bit types hold packed bytes. */
export type TensorData =
  | Float32Array
  | Float64Array
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | readonly string[];

export interface Tensor {
  readonly type: DataType;
  readonly dims: readonly number[];
  readonly data: TensorData;
}

/** Values at the given flat row-major positions, zero elsewhere. */
export interface SparseTensor {
  readonly type: DataType;
  readonly dims: readonly number[];
  readonly values: Tensor;
  /** Flat positions, strictly increasing. */
  readonly indices: BigInt64Array;
}

const arrayOf = {
  float32: Float32Array,
  uint8: Uint8Array,
  int8: Int8Array,
  uint16: Uint16Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  bool: Uint8Array,
  float16: Uint16Array,
  float64: Float64Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  complex64: Float32Array,
  complex128: Float64Array,
  bfloat16: Uint16Array,
  float8e4m3fn: Uint8Array,
  float8e4m3fnuz: Uint8Array,
  float8e5m2: Uint8Array,
  float8e5m2fnuz: Uint8Array,
  uint4: Uint8Array,
  int4: Uint8Array,
  float4e2m1: Uint8Array,
  float8e8m0: Uint8Array,
  uint2: Uint8Array,
  int2: Uint8Array,
} as const;
export type NumericType = keyof typeof arrayOf;

/** The typed-array class that holds elements of this type. */
export const arrayFor = (type: NumericType) => arrayOf[type];

const bitsPerElement: Partial<Record<DataType, number>> = {
  uint4: 4,
  int4: 4,
  float4e2m1: 4,
  uint2: 2,
  int2: 2,
};

export const isFloat = (type: DataType): type is FloatType =>
  type === "float32" || type === "float64" || type === "float16";

/** The number of elements of a shape. `elementCount([2, 3])` is 6. */
export const elementCount = (dims: readonly number[]): number => dims.reduce((n, d) => n * d, 1);

/** Bytes that `dims` elements of `type` take. `byteLength("float64", [3])` is 24. */
export function byteLength(type: NumericType, dims: readonly number[]): number {
  const bits = bitsPerElement[type];
  if (bits !== undefined) return Math.ceil((elementCount(dims) * bits) / 8);
  const complex = type === "complex64" || type === "complex128" ? 2 : 1;
  return elementCount(dims) * complex * arrayOf[type].BYTES_PER_ELEMENT;
}

/** How many entries the typed array of a tensor has (packed types share bytes, complex ones take two). */
export const dataLength = (type: NumericType, dims: readonly number[]): number =>
  byteLength(type, dims) / arrayOf[type].BYTES_PER_ELEMENT;

export type Nested = number | readonly Nested[];

const isArray = (value: unknown): value is readonly Nested[] => Array.isArray(value);

function nestedDims(value: Nested): number[] {
  return isArray(value) ? [value.length, ...(value.length > 0 ? nestedDims(value[0]!) : [])] : [];
}

const flatten = (value: Nested): readonly number[] => (isArray(value) ? value.flatMap(flatten) : [value]);

/**
 * A tensor from nested numbers, or from flat numbers and dimensions.
 * @example tensor([[1, 2], [3, 4]]).dims // [2, 2]
 */
export function tensor(
  values: Nested | ArrayLike<number>,
  { type = "float64", dims }: { type?: NumericType; dims?: readonly number[] } = {},
): Tensor {
  const shape =
    dims ?? (typeof values === "number" || isArray(values) ? nestedDims(values) : [values.length]);
  const flat = typeof values === "number" ? [values] : isArray(values) ? flatten(values) : values;
  if (flat.length !== elementCount(shape)) {
    throw new GraphError(
      `a tensor of shape [${shape}] needs ${elementCount(shape)} values, not ${flat.length}`,
    );
  }
  return { type, dims: shape, data: encode(flat, type) };
}

/** A tensor around a typed array that is already there: no copy. */
export function view(type: NumericType, dims: readonly number[], data: TensorData): Tensor {
  if (data.length !== dataLength(type, dims)) {
    throw new GraphError(`a ${type} tensor of shape [${dims}] cannot hold ${data.length} values`);
  }
  return { type, dims, data };
}

/** The ends of the 64-bit types. As doubles the upper ones are 2^63 and 2^64, which are no longer in the type. */
const ends64 = { int64: [-(2n ** 63n), 2n ** 63n - 1n], uint64: [0n, 2n ** 64n - 1n] } as const;

/** The 64-bit integer that a number stands for: `numbers` rounds INT64_MAX to 2^63, which must not wrap on its way back. */
function toInteger64(value: number, type: "int64" | "uint64"): bigint {
  const [least, greatest] = ends64[type];
  const integer = BigInt(Math.trunc(value));
  return integer < least ? least : integer > greatest ? greatest : integer;
}

/** Numbers as the typed array that holds this element type (f16 is rounded to nearest even, 64-bit integers saturate). */
export function encode(values: ArrayLike<number>, type: NumericType): Exclude<TensorData, readonly string[]> {
  if (type === "int64" || type === "uint64") {
    const integers = new (type === "int64" ? BigInt64Array : BigUint64Array)(values.length);
    for (let k = 0; k < values.length; k++) integers[k] = toInteger64(values[k]!, type);
    return integers;
  }
  if (type === "float16") return Uint16Array.from(values, numberToFloat16);
  if (type === "bfloat16") return Uint16Array.from(values, numberToBfloat16);
  if (!Object.hasOwn(arrayOf, type)) throw new GraphError(`no numbers are of type ${type}`);
  const array = new arrayOf[type](values.length);
  array.set(values); // converts as an assignment does, but without a loop here
  return array;
}

const scratch = new DataView(new ArrayBuffer(4));
function numberToBfloat16(value: number): number {
  scratch.setFloat32(0, value);
  const bits = scratch.getUint32(0);
  if (Number.isNaN(value)) return 0x7fc0;
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}
function bfloat16ToNumber(bits: number): number {
  scratch.setUint32(0, bits << 16);
  return scratch.getFloat32(0);
}

/**
 * The values of a tensor as numbers: f16 and bf16 are converted, 64-bit integers beyond 2^53 are rounded.
 * No copy where the data is already a Float32Array or Float64Array.
 * @example numbers(tensor([1, 2], { type: "int64" })) // Float64Array [1, 2]
 */
export function numbers(t: Tensor): Float32Array | Float64Array {
  const { data, type } = t;
  if (data instanceof Float64Array || data instanceof Float32Array) return data;
  if (type === "float16") return Float32Array.from(data as Uint16Array, float16ToNumber);
  if (type === "bfloat16") return Float32Array.from(data as Uint16Array, bfloat16ToNumber);
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) {
    const out = new Float64Array(data.length);
    for (let k = 0; k < data.length; k++) out[k] = Number(data[k]);
    return out;
  }
  if (type === "string" || !/^(u?int(8|16|32)|bool)$/.test(type)) {
    throw new GraphError(`values of type ${type} cannot be read as numbers`);
  }
  return Float64Array.from(data as ArrayLike<number>);
}

/** A few bytes can say that there are billions of zeros. */
const mostFilledOut = 1e8;

/** A sparse tensor, filled out. */
export function densify(sparse: SparseTensor): Tensor {
  const type = sparse.type as NumericType;
  const count = elementCount(sparse.dims);
  if (count > mostFilledOut)
    throw new GraphError(
      `a sparse weight of shape [${sparse.dims}] has ${count} values when it is filled out, more than ${mostFilledOut}`,
    );
  const dense = new arrayOf[type](count);
  sparse.indices.forEach((position, k) => {
    dense[Number(position)] = (sparse.values.data as unknown as number[])[k]!;
  });
  return { type, dims: sparse.dims, data: dense };
}

/** The same values in another element type. */
export function cast(t: Tensor, type: NumericType): Tensor {
  return t.type === type ? t : { type, dims: t.dims, data: encode(numbers(t), type) };
}
