// Small constants that shape rules compute with: a shape is often the result of arithmetic in the graph itself.
import { eachCoordinate, stridesOf } from "../elements/positions.ts";
import type { Dim, Shape } from "../graph.ts";
import { type DataType, elementCount, encode, isFloat, type NumericType, numbers } from "../tensor.ts";
import { numericShape } from "./dims.ts";
import type { Inferred } from "./spec.ts";

/** No constant with more elements than this is reasoned with, so that a hostile graph cannot fill the memory. */
export const constantLimit = 4096;

/** A constant of which each entry is a number, the name of a dimension, or unknown. */
export interface Constant {
  readonly dims: readonly number[];
  readonly entries: readonly Dim[];
}

const readable = /^(u?int(8|16|32|64)|bool|b?float16|float32|float64)$/;
const isNumeric = (type: DataType): type is NumericType => readable.test(type);

/** The dimensions, if they are all known and hold few enough elements to compute with. */
export function smallDims(shape: Shape | undefined): readonly number[] | undefined {
  const dims = numericShape(shape);
  return dims?.every((d) => d >= 0) && elementCount(dims) <= constantLimit ? dims : undefined;
}

// 64-bit integers beyond 2^53 are not numbers here, but for the two that mean "as far as it goes" in a Slice.
const isEndless = (n: number): boolean => Math.abs(n) === 2 ** 63;

/** What is known of the entries of a value, if anything. */
export function constantOf(x: Inferred | undefined): Constant | undefined {
  if (!x) return undefined;
  if (x.value) {
    if (!isNumeric(x.value.type) || x.value.data.length > constantLimit) return undefined;
    const keep = isFloat(x.value.type) || x.value.type === "bfloat16";
    const entries = Array.from(numbers(x.value), (n) =>
      keep || Number.isSafeInteger(n) || isEndless(n) ? n : undefined,
    );
    return { dims: x.value.dims, entries };
  }
  const dims = x.entries && smallDims(x.shape);
  return dims && x.entries && { dims, entries: x.entries };
}

/** The entries, when every one is a number. */
export function numbersOf(x: Inferred | undefined): readonly number[] | undefined {
  return numericShape(constantOf(x)?.entries);
}

/** The only entry of a scalar (or of a vector of one). */
export function scalarOf(x: Inferred | undefined): Dim {
  const entries = constantOf(x)?.entries;
  return entries?.length === 1 ? entries[0] : undefined;
}

/** A value from its entries, with as much of them as is known. */
export function inferred(type: DataType, dims: readonly number[], entries: readonly Dim[]): Inferred {
  if (!isNumeric(type)) return { type, shape: dims };
  const all = numericShape(entries);
  if (all) return { type, shape: dims, value: { type, dims, data: encode(all, type) } };
  const some = !isFloat(type) && entries.some((e) => e !== undefined);
  return some ? { type, shape: dims, entries } : { type, shape: dims };
}

/** The same entries in row-major order under another shape (or another type that holds them). */
export function relabelled(x: Inferred | undefined, shape: Shape | undefined, type = x?.type): Inferred {
  const dims = smallDims(shape);
  const constant = dims && constantOf(x);
  const plain = { type: type ?? "undefined", shape };
  if (!constant || constant.entries.length !== elementCount(dims)) return plain;
  return inferred(plain.type, dims, constant.entries);
}

/** A constant whose element at `at` is that of `x` at `source(at)`. */
export function rearranged(
  x: Inferred | undefined,
  shape: Shape | undefined,
  source: (at: readonly number[]) => readonly number[],
): Inferred {
  const dims = smallDims(shape);
  const constant = dims && constantOf(x);
  if (!x || !dims || !constant) return { type: x?.type ?? "undefined", shape };
  const strides = stridesOf(constant.dims);
  const entries = eachCoordinate(dims, (at) => {
    const flat = source(at).reduce((sum, index, k) => sum + index * strides[k]!, 0);
    return constant.entries[flat];
  });
  return inferred(x.type, dims, entries);
}

/** Coordinates in a tensor of `dims` that a broadcast reads for coordinates `at` of its result. */
export const broadcastSource =
  (dims: readonly number[]) =>
  (at: readonly number[]): readonly number[] =>
    dims.map((d, k) => (d === 1 ? 0 : at[at.length - dims.length + k]!));

/** Entry by entry, with broadcasting: `f` gets one entry of each input. */
export function combined(
  inputs: readonly (Inferred | undefined)[],
  type: DataType,
  shape: Shape | undefined,
  f: (...entries: readonly Dim[]) => Dim,
): Inferred {
  const dims = smallDims(shape);
  if (!dims || !inputs.every((x) => x?.value ?? x?.entries)) return { type, shape };
  const constants = inputs.map(constantOf);
  if (!constants.every((c) => c !== undefined)) return { type, shape };
  const readers = constants.map(({ dims: own, entries }) => {
    const strides = stridesOf(own);
    const source = broadcastSource(own);
    return (at: readonly number[]) => entries[source(at).reduce((sum, i, k) => sum + i * strides[k]!, 0)];
  });
  const round = rounding(type);
  return inferred(
    type,
    dims,
    eachCoordinate(dims, (at) => round(f(...readers.map((read) => read(at))))),
  );
}

/** The nearest value of an element type; an integer that does not fit is left unknown (it would wrap). */
export function rounding(type: DataType): (entry: Dim) => Dim {
  if (isFloat(type) || type === "bfloat16") return (e) => e;
  if (type === "bool") return (e) => (typeof e === "number" ? Number(e !== 0) : undefined);
  const bits = Number(/\d+$/.exec(type)?.[0] ?? 0);
  const [least, greatest] = type.startsWith("u")
    ? [0, 2 ** bits - 1]
    : [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1];
  return (e) => {
    if (typeof e !== "number") return e;
    return Number.isSafeInteger(e) && e >= least && e <= greatest ? e : undefined;
  };
}
