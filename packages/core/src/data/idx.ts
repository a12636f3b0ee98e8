// IDX, the format of MNIST: 0 0 type rank, the dimensions, then the elements; all big-endian.
import type { NumericType, Tensor } from "../graph/tensor.ts";
import { checkLength, elementsOf } from "./elements.ts";
import { DataError } from "./error.ts";
import { gunzip, gzipStart, isGzip } from "./inflate.ts";
import type { ReadOptions } from "./options.ts";

const typeOfCode = new Map<number | undefined, NumericType>([
  [0x08, "uint8"],
  [0x09, "int8"],
  [0x0b, "int16"],
  [0x0c, "int32"],
  [0x0d, "float32"],
  [0x0e, "float64"],
]);

export const isIdx = (bytes: Uint8Array): boolean =>
  bytes.length >= 4 && bytes[0] === 0 && bytes[1] === 0 && typeOfCode.has(bytes[2]);

/**
 * The array of an IDX file, gzipped or not. Unpacked bytes (`uint8`) are shared, not copied.
 * @example readIdx(new Uint8Array([0, 0, 8, 1, 0, 0, 0, 2, 5, 6])).data // Uint8Array [5, 6]
 */
export function readIdx(packed: Uint8Array, options: ReadOptions = {}): Tensor {
  const { file } = options;
  if (isGzip(packed)) checkPackedIdx(packed, options);
  const bytes = isGzip(packed) ? gunzip(packed, options) : packed;
  const { type, dims, start } = header(bytes, file);
  const body = bytes.subarray(start);
  checkLength(type, dims, body.length, file);
  return { type, dims, data: elementsOf(type, body, "big") };
}

/** If a packed file is an IDX file: its shape against the size that is declared for it, before anything is unpacked. */
export function checkPackedIdx(packed: Uint8Array, { file }: ReadOptions = {}): void {
  const { start: bytes, size } = gzipStart(packed, longestHeader, file);
  if (!isIdx(bytes)) return;
  const { type, dims, start } = header(bytes, file);
  checkLength(type, dims, size - start, file);
}

/** 255 dimensions. */
const longestHeader = 4 + 4 * 255;

function header(bytes: Uint8Array, file?: string) {
  if (bytes.length < 4 || bytes[0] !== 0 || bytes[1] !== 0) {
    throw new DataError("not an IDX file: it does not start with two zero bytes, a type and a rank", file);
  }
  const type = typeOfCode.get(bytes[2]);
  if (!type)
    throw new DataError(`IDX element type 0x${bytes[2]!.toString(16).padStart(2, "0")} is unknown`, file);
  const rank = bytes[3]!;
  const start = 4 + 4 * rank;
  if (bytes.length < start) throw new DataError("the IDX file ends inside its header", file);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { type, start, dims: Array.from({ length: rank }, (_, axis) => view.getUint32(4 + 4 * axis)) };
}
