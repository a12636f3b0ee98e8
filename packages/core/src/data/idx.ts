// IDX, the format of MNIST: 0 0 type rank, the dimensions, then the elements; all big-endian.
import type { NumericType, Tensor } from "../graph/tensor.ts";
import { checkLength, elementsOf } from "./elements.ts";
import { DataError } from "./error.ts";
import { gunzip, isGzip } from "./inflate.ts";
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
  const bytes = isGzip(packed) ? gunzip(packed, options) : packed;
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
  const dims = Array.from({ length: rank }, (_, axis) => view.getUint32(4 + 4 * axis));
  const body = bytes.subarray(start);
  checkLength(type, dims, body.length, file);
  return { type, dims, data: elementsOf(type, body, "big") };
}
