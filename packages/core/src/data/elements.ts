// Raw bytes <-> typed arrays: element size, byte order, alignment.
import { arrayFor, type NumericType, type Tensor, type TensorData } from "../graph/tensor.ts";
import { DataError } from "./error.ts";

export type NumberArray = Exclude<TensorData, readonly string[]>;
export type ByteOrder = "little" | "big";

export const hostByteOrder: ByteOrder =
  new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? "little" : "big";

/**
 * The bytes as elements of a type: a view where they are aligned and in this machine's order, else a copy.
 * @example elementsOf("uint16", new Uint8Array([1, 0]), "little") // Uint16Array [1]
 */
export function elementsOf(type: NumericType, bytes: Uint8Array, order: ByteOrder): NumberArray {
  const ArrayClass = arrayFor(type);
  const size = ArrayClass.BYTES_PER_ELEMENT;
  const swap = size > 1 && order !== hostByteOrder;
  const source = swap || bytes.byteOffset % size !== 0 ? new Uint8Array(bytes) : bytes; // a copy is aligned
  if (swap) reverseGroups(source, size);
  return new ArrayClass(source.buffer as ArrayBuffer, source.byteOffset, source.byteLength / size);
}

function reverseGroups(bytes: Uint8Array, size: number): void {
  for (let start = 0; start < bytes.length; start += size) {
    for (let low = start, high = start + size - 1; low < high; low++, high--) {
      const byte = bytes[low]!;
      bytes[low] = bytes[high]!;
      bytes[high] = byte;
    }
  }
}

/** The bytes of a typed array, without a copy. */
export const bytesOf = (data: NumberArray): Uint8Array =>
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

/**
 * Fails unless `byteCount` bytes are exactly the elements of that shape.
 * @example checkLength("float64", [2, 3], 48) // fine
 */
export function checkLength(
  type: NumericType,
  dims: readonly number[],
  byteCount: number,
  file?: string,
): void {
  const size = arrayFor(type).BYTES_PER_ELEMENT;
  const count = dims.includes(0) ? 0 : dims.reduce((product, dim) => product * dim, 1);
  if (count * size === byteCount) return;
  const shape = `shape [${dims.slice(0, 8).join(", ")}${dims.length > 8 ? ", …" : ""}]`;
  throw new DataError(
    `${shape} of ${type} needs ${count * size} bytes, but the file holds ${byteCount}`,
    file,
  );
}

/** A number array of a tensor; strings are refused, with the name of the format that cannot hold them. */
export function numberArray({ type, data }: Tensor, format: string): NumberArray {
  if (ArrayBuffer.isView(data)) return data;
  throw new DataError(`a tensor of type ${type} cannot be written as ${format}`);
}
