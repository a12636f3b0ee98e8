// The directory of a ZIP archive. (fflate's own reader checks neither sizes nor checksums.)

import { DataError } from "./error.ts";
import { checkSize, checkSum, inflate } from "./inflate.ts";
import { defaultMaxBytes, type ReadOptions } from "./options.ts";

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;
const endBytes = 22;
const entryBytes = 46;
const localBytes = 30;
const maxComment = 0xffff;

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly encrypted: boolean;
  readonly checksum: number;
  readonly packedSize: number;
  readonly size: number;
  readonly start: number;
}

export const isZip = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5) && bytes[3] === bytes[2]! + 1;

/**
 * The files of a ZIP archive, in its order, each unpacked when it is asked for; stored ones share the archive's bytes.
 * @example [...unzip(zipSync({ a: new Uint8Array([7]) }))].map(([name, content]) => [name, content.length]) // [["a", 1]]
 */
export function* unzip(
  archive: Uint8Array,
  options: ReadOptions = {},
): Generator<[name: string, content: Uint8Array]> {
  const { file, maxBytes = defaultMaxBytes } = options;
  const entries = directory(archive, file).filter(({ name }) => !name.endsWith("/"));
  checkSize(
    entries.reduce((sum, { size }) => sum + size, 0),
    { file, maxBytes },
  );
  const names = new Set<string>();
  for (const entry of entries) {
    const path = inside(entry.name, file);
    if (names.has(entry.name)) throw new DataError("the archive holds this name twice", path);
    names.add(entry.name);
    yield [entry.name, unpack(archive, entry, { file: path, maxBytes })];
  }
}

/** How an error names a file in an archive: `data.npz/x.npy`. */
export const inside = (name: string, archive?: string): string => (archive ? `${archive}/${name}` : name);

function directory(archive: Uint8Array, file?: string): Entry[] {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const end = findEnd(view);
  if (end < 0) throw new DataError("not a complete ZIP archive: it has no directory at its end", file);
  const count = view.getUint16(end + 10, true);
  const start = view.getUint32(end + 16, true);
  if (count === 0xffff || start === 0xffffffff) throw new DataError("ZIP64 archives are not supported", file);
  const entries: Entry[] = [];
  for (let position = start; entries.length < count; ) {
    if (position + entryBytes > end || view.getUint32(position, true) !== entrySignature) {
      throw new DataError(`damaged: entry ${entries.length + 1} of the ZIP directory is not there`, file);
    }
    const nameEnd = position + entryBytes + view.getUint16(position + 28, true);
    const next = nameEnd + view.getUint16(position + 30, true) + view.getUint16(position + 32, true);
    if (next > end) throw new DataError("damaged: the ZIP directory ends inside an entry", file);
    entries.push(readEntry(view, position, archive.subarray(position + entryBytes, nameEnd)));
    position = next;
  }
  return entries;
}

/** The end record is last, but a comment may follow it. */
function findEnd(view: DataView): number {
  const last = view.byteLength - endBytes;
  for (let position = last; position >= Math.max(0, last - maxComment); position--) {
    if (view.getUint32(position, true) === endSignature) return position;
  }
  return -1;
}

const readEntry = (view: DataView, position: number, name: Uint8Array): Entry => ({
  name: new TextDecoder().decode(name),
  encrypted: (view.getUint16(position + 8, true) & 1) === 1,
  method: view.getUint16(position + 10, true),
  checksum: view.getUint32(position + 16, true),
  packedSize: view.getUint32(position + 20, true),
  size: view.getUint32(position + 24, true),
  start: view.getUint32(position + 42, true),
});

function unpack(archive: Uint8Array, entry: Entry, options: ReadOptions): Uint8Array {
  const { file } = options;
  const { method, size, packedSize, checksum, start } = entry;
  if (entry.encrypted) throw new DataError("the archive is encrypted", file);
  if (size === 0xffffffff || start === 0xffffffff)
    throw new DataError("ZIP64 archives are not supported", file);
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  if (start + localBytes > archive.length || view.getUint32(start, true) !== localSignature) {
    throw new DataError("damaged: the ZIP directory points to a place without a file", file);
  }
  const from = start + localBytes + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
  if (from + packedSize > archive.length) throw new DataError("the ZIP archive ends inside this file", file);
  const bytes = archive.subarray(from, from + packedSize);
  if (method === 8) return inflate({ bytes, size, checksum }, options);
  if (method !== 0)
    throw new DataError(`ZIP compression method ${method} is not supported (use deflate)`, file);
  if (packedSize !== size) throw new DataError("damaged: a stored file has two different sizes", file);
  checkSum(bytes, checksum, file);
  return bytes;
}
