// DEFLATE data of a declared size: unpacked with a limit, and checked. fflate itself checks neither.
import { gzipSync, Inflate, inflateSync } from "fflate";
import { crc32 } from "./checksum.ts";
import { DataError } from "./error.ts";
import { defaultMaxBytes, type ReadOptions } from "./options.ts";

/** DEFLATE cannot pack more tightly than 1032 : 1, so a larger declared size is a lie. */
const greatestRatio = 1032;
const gzipHeaderBytes = 10;
const gzipTrailerBytes = 8;

export interface Packed {
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly checksum: number;
}

/** Fails if `size` bytes are more than the reader wants to unpack. */
export function checkSize(size: number, { maxBytes = defaultMaxBytes, file }: ReadOptions): void {
  if (size > maxBytes)
    throw new DataError(`unpacks to ${size} bytes, more than the limit of ${maxBytes}`, file);
}

/** Fails if the bytes are not the ones whose checksum the file holds. */
export function checkSum(bytes: Uint8Array, checksum: number, file?: string): void {
  if (crc32(bytes) !== checksum) throw new DataError("damaged: the checksum (CRC-32) does not match", file);
}

/** The unpacked bytes: exactly the declared number of them, with the declared checksum. */
export function inflate({ bytes, size, checksum }: Packed, options: ReadOptions): Uint8Array {
  const { file } = options;
  checkSize(size, options);
  if (size > bytes.length * greatestRatio)
    throw new DataError(`${size} unpacked bytes are declared, too many`, file);
  const unpacked = inflateInto(new Uint8Array(size + 1), bytes, file); // one byte more shows an overflow
  if (unpacked.length !== size)
    throw new DataError("damaged: its unpacked size is not the declared one", file);
  checkSum(unpacked, checksum, file);
  return unpacked;
}

function inflateInto(out: Uint8Array, bytes: Uint8Array, file?: string): Uint8Array {
  try {
    return inflateSync(bytes, { out });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DataError(`damaged: the compressed data cannot be unpacked (${reason})`, file);
  }
}

export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/**
 * The content of a gzip file of one member (which is what `gzip` writes).
 * @example gunzip(gzip(new Uint8Array([1, 2, 3]))) // Uint8Array [1, 2, 3]
 */
export const gunzip = (bytes: Uint8Array, options: ReadOptions = {}): Uint8Array =>
  inflate(gzipMember(bytes, options.file), options);

function gzipMember(bytes: Uint8Array, file?: string): Packed {
  const start = gzipBodyStart(bytes);
  const end = bytes.length - gzipTrailerBytes;
  if (!isGzip(bytes) || bytes[2] !== 8 || start > end) throw new DataError("not a complete gzip file", file);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [checksum, size] = [view.getUint32(end, true), view.getUint32(end + 4, true)];
  return { bytes: bytes.subarray(start, end), size, checksum };
}

/** The first bytes of what a gzip file holds, and the declared size of all of it. */
export function gzipStart(
  packed: Uint8Array,
  count: number,
  file?: string,
): { readonly start: Uint8Array; readonly size: number } {
  const { bytes, size } = gzipMember(packed, file);
  const chunks: Uint8Array[] = [];
  const stream = new Inflate((chunk) => chunks.push(chunk));
  let length = 0;
  // Packed 1032 : 1, so 64 bytes are 66,000 at most.
  for (let from = 0; from < bytes.length && length < count; from += 64) {
    try {
      stream.push(bytes.subarray(from, from + 64), false);
    } catch {
      break; // damaged: unpacking all of it says so
    }
    length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  }
  const start = new Uint8Array(Math.min(length, count));
  let at = 0;
  for (const chunk of chunks) {
    if (at >= start.length) break;
    start.set(chunk.subarray(0, start.length - at), at);
    at += chunk.length;
  }
  return { start, size };
}

/** Where the data starts: after the fixed header and the optional fields that the flags announce (RFC 1952). */
function gzipBodyStart(bytes: Uint8Array): number {
  const flags = bytes[3] ?? 0;
  let position = gzipHeaderBytes;
  if (flags & 4) position += 2 + ((bytes[10] ?? 0) | ((bytes[11] ?? 0) << 8));
  for (const text of [8, 16]) {
    if (flags & text) position = afterZero(bytes, position);
  }
  return flags & 2 ? position + 2 : position;
}

function afterZero(bytes: Uint8Array, from: number): number {
  const zero = bytes.indexOf(0, from);
  return zero < 0 ? bytes.length : zero + 1;
}

/** Bytes as a gzip file, without a time stamp: the same bytes give the same file. */
export const gzip = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => gzipSync(bytes, { mtime: 0 });
