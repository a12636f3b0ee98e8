// NumPy's .npy files: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
import { dataLength, type NumericType, type Tensor } from "../graph/tensor.ts";
import {
  type ByteOrder,
  bytesOf,
  checkLength,
  elementsOf,
  hostByteOrder,
  type NumberArray,
  numberArray,
} from "./elements.ts";
import { DataError, quote } from "./error.ts";
import { gzipStart } from "./inflate.ts";
import type { ReadOptions } from "./options.ts";

const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59]; // \x93NUMPY
const maxHeader = 65_536;
const headerAlignment = 64;

const typeOfCode: Readonly<Record<string, NumericType>> = {
  f2: "float16",
  f4: "float32",
  f8: "float64",
  i1: "int8",
  i2: "int16",
  i4: "int32",
  i8: "int64",
  u1: "uint8",
  u2: "uint16",
  u4: "uint32",
  u8: "uint64",
  b1: "bool",
};
const codeOfType = new Map(Object.entries(typeOfCode).map(([code, type]) => [type as string, code]));

/** What the letter of a NumPy type that is no tensor here stands for. */
const refusedKinds: Readonly<Record<string, string>> = {
  O: "Python objects",
  c: "complex numbers",
  U: "strings",
  S: "byte strings",
  a: "byte strings",
  V: "raw or structured records",
  M: "dates",
  m: "time spans",
};

export const isNpy = (bytes: Uint8Array): boolean => magic.every((byte, k) => bytes[k] === byte);

/**
 * The array of an .npy file, in row-major order; it shares the bytes where they are aligned.
 * @example readNpy(writeNpy(tensor([[1, 2], [3, 4]]))).dims // [2, 2]
 */
export function readNpy(bytes: Uint8Array, { file }: ReadOptions = {}): Tensor {
  const { header, body } = splitHeader(bytes, file);
  const { type, order } = parseType(header, file);
  const dims = parseShape(header, file);
  const fortran = parseOrder(header, file);
  checkLength(type, dims, body.byteLength, file);
  const data = elementsOf(type, body, order);
  return { type, dims, data: fortran && dims.length > 1 ? columnsToRows(data, dims) : data };
}

/** A gzipped .npy file: its shape against the size that is declared for it, before anything is unpacked. */
export function checkPackedNpy(packed: Uint8Array, { file }: ReadOptions = {}): void {
  const { start, size } = gzipStart(packed, longestStart + maxHeader, file);
  const { header, body } = splitHeader(start, file);
  const { type } = parseType(header, file);
  checkLength(type, parseShape(header, file), size - (start.length - body.length), file);
}

/** Magic, version, and the length of the header. */
const longestStart = 12;

function splitHeader(bytes: Uint8Array, file?: string): { header: string; body: Uint8Array } {
  if (!isNpy(bytes)) throw new DataError("not an .npy file: it does not start with \\x93NUMPY", file);
  const major = bytes[6];
  if (major !== 1 && major !== 2 && major !== 3) {
    throw new DataError(`.npy version ${major}.${bytes[7]} is unknown (1.0, 2.0 and 3.0 are read)`, file);
  }
  const start = major === 1 ? 10 : 12;
  if (bytes.length < start) throw new DataError("the .npy file ends inside its header", file);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = major === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  if (length > maxHeader) throw new DataError(`the .npy header is too long (${length} bytes)`, file);
  if (start + length > bytes.length) throw new DataError("the .npy file ends inside its header", file);
  const header = new TextDecoder().decode(bytes.subarray(start, start + length));
  return { header, body: bytes.subarray(start + length) };
}

function parseType(header: string, file?: string): { type: NumericType; order: ByteOrder } {
  const match = /['"]descr['"] *: *(?:(\[)|(['"])([<>|=]?)([^'"]*)\2)/.exec(header);
  if (!match) throw new DataError(`the .npy header has no element type: ${quote(header.trim())}`, file);
  const [, structured, , mark = "", code = ""] = match;
  if (structured) throw new DataError("structured arrays are not supported: save each field by itself", file);
  const type = Object.hasOwn(typeOfCode, code) ? typeOfCode[code] : undefined;
  if (!type) {
    const kind = Object.hasOwn(refusedKinds, code[0] ?? "") ? ` (${refusedKinds[code[0]!]})` : "";
    const right = "use f2, f4, f8, i1 to i8, u1 to u8 or b1";
    throw new DataError(`elements of type ${quote(mark + code)}${kind} are not supported: ${right}`, file);
  }
  return { type, order: mark === ">" ? "big" : mark === "<" ? "little" : hostByteOrder };
}

function parseShape(header: string, file?: string): number[] {
  const match = /['"]shape['"] *: *\(([\d, L]*)\)/.exec(header); // Python 2 wrote (3L, 4L)
  if (!match) throw new DataError(`the .npy header has no shape: ${quote(header.trim())}`, file);
  const entries = match[1]!.split(",").map((entry) => entry.trim());
  if (entries.at(-1) === "") entries.pop();
  if (!entries.every((entry) => /^\d{1,15}L?$/.test(entry))) {
    throw new DataError(`the .npy shape (${match[1]!.slice(0, 40)}) is malformed`, file);
  }
  return entries.map((entry) => Number.parseInt(entry, 10));
}

function parseOrder(header: string, file?: string): boolean {
  const match = /['"]fortran_order['"] *: *(True|False)/.exec(header);
  if (!match) throw new DataError("the .npy header does not say fortran_order: True or False", file);
  return match[1] === "True";
}

/** Fortran order, where the first index runs fastest, to row-major order, where the last one does. */
function columnsToRows<Data extends NumberArray>(columns: Data, dims: readonly number[]): Data {
  const rows = columns.slice() as Data;
  const strides: number[] = [];
  dims.reduce((stride, dim) => {
    strides.push(stride);
    return stride * dim;
  }, 1);
  const index = new Array<number>(dims.length).fill(0);
  for (let target = 0, source = 0; target < rows.length; target++) {
    rows[target] = columns[source]!;
    for (let axis = dims.length - 1; axis >= 0; axis--) {
      source += strides[axis]!;
      index[axis]!++;
      if (index[axis]! < dims[axis]!) break;
      source -= strides[axis]! * dims[axis]!;
      index[axis] = 0;
    }
  }
  return rows;
}

/**
 * The beginning of an .npy file (version 1.0, row-major), up to its numbers.
 * @example npyHeader("float64", [2, 3]).length // 128
 */
export function npyHeader(type: Tensor["type"], dims: readonly number[]): Uint8Array<ArrayBuffer> {
  const code = codeOfType.get(type);
  if (!code) throw new DataError(`a tensor of type ${type} cannot be written as .npy`);
  const mark = code.endsWith("1") ? "|" : hostByteOrder === "little" ? "<" : ">";
  const shape = dims.length === 1 ? `(${dims[0]},)` : `(${dims.join(", ")})`;
  const dictionary = `{'descr': '${mark}${code}', 'fortran_order': False, 'shape': ${shape}, }`;
  const unpadded = magic.length + 4 + dictionary.length + 1;
  const out = new Uint8Array(Math.ceil(unpadded / headerAlignment) * headerAlignment);
  out.set([...magic, 1, 0]);
  new DataView(out.buffer).setUint16(8, out.length - 10, true);
  out.set(new TextEncoder().encode(`${dictionary.padEnd(out.length - 11)}\n`), 10);
  return out;
}

/**
 * A tensor as the bytes of an .npy file (version 1.0, row-major), which `numpy.load` reads.
 * @example writeNpy(tensor([1, 2, 3])).length // 128 + 3 * 8
 */
export function writeNpy(tensor: Tensor): Uint8Array<ArrayBuffer> {
  const header = npyHeader(tensor.type, tensor.dims);
  const data = numberArray(tensor, ".npy");
  if (data.length !== dataLength(tensor.type as NumericType, tensor.dims)) {
    throw new DataError(`a tensor of shape [${tensor.dims}] cannot hold ${data.length} values`);
  }
  const out = new Uint8Array(header.length + data.byteLength);
  out.set(header);
  out.set(bytesOf(data), header.length);
  return out;
}
