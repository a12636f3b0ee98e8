// Tensors as JSON values: { shape, type, data }, or nested arrays of numbers. JSON has no NaN or infinity: they are
// the strings "NaN", "Infinity" and "-Infinity". 64-bit integers beyond 2^53 are strings of digits.
import {
  type DataType,
  elementCount,
  encode,
  type NumericType,
  numbers,
  type Tensor,
} from "../graph/tensor.ts";
import { DataError, quote } from "./error.ts";
import type { ReadOptions } from "./options.ts";

export interface JsonTensor {
  readonly shape: readonly number[];
  readonly type: DataType;
  readonly data: readonly (number | string)[];
}

const maxRank = 64;
const integerRange: Partial<Record<string, readonly [bigint, bigint]>> = {
  bool: [0n, 1n],
  ...Object.fromEntries([8n, 16n, 32n, 64n].map((bits) => [`uint${bits}`, [0n, 2n ** bits - 1n]])),
  ...Object.fromEntries(
    [8n, 16n, 32n, 64n].map((bits) => [`int${bits}`, [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n]]),
  ),
};
const floatTypes: readonly string[] = ["float16", "float32", "float64", "bfloat16"];
const notFinite = new Map<unknown, number>([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
]);

/**
 * A tensor as a JSON value.
 * @example tensorToJson(tensor([[1, 2]])) // { shape: [1, 2], type: "float64", data: [1, 2] }
 */
export function tensorToJson(tensor: Tensor): JsonTensor {
  const { type, dims, data } = tensor;
  if (!ArrayBuffer.isView(data)) return { shape: dims, type, data };
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) {
    const values = Array.from<bigint, number | string>(data, (value) =>
      Number.isSafeInteger(Number(value)) ? Number(value) : String(value),
    );
    return { shape: dims, type, data: values };
  }
  if (!isJsonType(type)) throw new DataError(`a tensor of type ${type} cannot be written as JSON`);
  const values = Array.from<number, number | string>(numbers(tensor), (value) =>
    Number.isFinite(value) ? value : String(value),
  );
  return { shape: dims, type, data: values };
}

const isJsonType = (type: string): type is NumericType | "string" =>
  type === "string" || floatTypes.includes(type) || Object.hasOwn(integerRange, type);

/**
 * A tensor from a JSON value: a number, nested arrays of numbers (both float64), or { shape, data, type? }.
 * @example tensorFromJson([[1, "NaN"], [3, 4]]).dims // [2, 2]
 */
export function tensorFromJson(value: unknown, { file }: ReadOptions = {}): Tensor {
  return readTensor(value, "", file);
}

/** Several tensors as one JSON value, by name. */
export const tensorsToJson = (tensors: Readonly<Record<string, Tensor>>): Record<string, JsonTensor> =>
  Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [name, tensorToJson(tensor)]));

/**
 * The tensors of a JSON value: a record from name to tensor, or one tensor, which gets the name "".
 * @example tensorsFromJson({ x: [1, 2], y: 3 }).y.dims // []
 */
export function tensorsFromJson(value: unknown, { file }: ReadOptions = {}): Record<string, Tensor> {
  if (!isRecord(value) || isTensorRecord(value)) return { "": readTensor(value, "", file) };
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [name, readTensor(entry, name, file)]),
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isTensorRecord = (value: Record<string, unknown>): boolean =>
  Object.hasOwn(value, "shape") && Object.hasOwn(value, "data");

function readTensor(value: unknown, path: string, file?: string): Tensor {
  if (isRecord(value)) return readTyped(value, path, file);
  const dims: number[] = [];
  for (let level = value; Array.isArray(level); level = level[0]) {
    if (dims.push(level.length) > maxRank) throw at(path, `is nested more than ${maxRank} levels deep`, file);
  }
  const values: number[] = []; // grows with what is there: dims, from the first entries, may lie
  const fill = (entry: unknown, depth: number, place: string): void => {
    const dim = dims[depth];
    if (dim === undefined) {
      values.push(typeof entry === "number" ? entry : readFloat(entry, place, file));
      return;
    }
    if (!Array.isArray(entry)) throw at(place, `is ${show(entry)}, but its neighbours are arrays`, file);
    if (entry.length !== dim) {
      throw at(place, `has ${entry.length} entries, but its neighbours have ${dim}`, file);
    }
    for (let k = 0; k < dim; k++) fill(entry[k], depth + 1, `${place}[${k}]`);
  };
  fill(value, 0, path);
  return { type: "float64", dims, data: Float64Array.from(values) };
}

function readTyped(value: Record<string, unknown>, path: string, file?: string): Tensor {
  const { shape, data, type = "float64" } = value;
  if (!Array.isArray(shape) || shape.length > maxRank || !shape.every(isDimension)) {
    throw at(path, 'needs a "shape": an array of whole numbers', file);
  }
  if (!Array.isArray(data))
    throw at(path, 'needs "data": a flat array of its values in row-major order', file);
  if (typeof type !== "string" || !isJsonType(type))
    throw at(path, `has the unknown type ${show(type)}`, file);
  const count = shape.includes(0) ? 0 : elementCount(shape);
  if (data.length !== count) {
    throw at(path, `has shape [${shape.join(", ")}], so ${count} values, but ${data.length} are given`, file);
  }
  return { type, dims: shape, data: readData(data, type, path ? `${path}.data` : "data", file) };
}

const isDimension = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function readData(
  data: readonly unknown[],
  type: NumericType | "string",
  path: string,
  file?: string,
): Tensor["data"] {
  const each = <Value>(read: (entry: unknown, place: string, file?: string) => Value): Value[] =>
    data.map((entry, k) => read(entry, `${path}[${k}]`, file));
  if (type === "string") return each(readString);
  const range = integerRange[type];
  if (!range) return encode(each(readFloat), type);
  const integers = each((entry, place) => readInteger(entry, type, range, place, file));
  if (type === "int64") return BigInt64Array.from(integers);
  if (type === "uint64") return BigUint64Array.from(integers);
  return encode(integers.map(Number), type);
}

function readFloat(entry: unknown, place: string, file?: string): number {
  const value = typeof entry === "number" ? entry : notFinite.get(entry);
  if (value === undefined) throw at(place, `is ${show(entry)}, not a number`, file);
  return value;
}

function readInteger(
  entry: unknown,
  type: string,
  range: readonly [bigint, bigint],
  place: string,
  file?: string,
): bigint {
  const isWhole = Number.isSafeInteger(entry) || (typeof entry === "string" && /^-?\d{1,20}$/.test(entry));
  const value = isWhole
    ? BigInt(entry as number | string)
    : typeof entry === "boolean"
      ? BigInt(entry)
      : undefined;
  if (value === undefined) throw at(place, `is ${show(entry)}, not a whole number`, file);
  if (value < range[0] || value > range[1]) throw at(place, `is ${value}, beyond the range of ${type}`, file);
  return value;
}

function readString(entry: unknown, place: string, file?: string): string {
  if (typeof entry === "string") return entry;
  throw at(place, `is ${show(entry)}, not a string`, file);
}

const at = (path: string, problem: string, file?: string): DataError =>
  new DataError(`${path ? quote(path) : "the value"} ${problem}`, file);

/** A JSON value in a few words, whatever its size. */
function show(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "string" ? quote(value) : String(value);
}
