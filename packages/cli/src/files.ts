// Files: read whole with clear errors, written under a temporary name and then renamed.
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { decodeData } from "@lemmata/core/data";
import { type Graph, lowerFloat64, type Tensor, writeModel } from "@lemmata/core/graph";
import { UsageError } from "./usage-error.ts";

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "this is a folder, not a file",
  EACCES: "no permission",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of the path is not a folder",
  EROFS: "the disk is read-only",
  ELOOP: "its symbolic links run in a circle",
};

/** Why a path could not be used. */
const because = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code && reasons[code]) || message;
};

/** The bytes of a file. */
export function readBytes(path: string): Uint8Array {
  try {
    const found = statSync(path);
    if (found.isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" });
    // A pipe would have to be waited for, and a device may never end.
    if (!found.isFile()) throw new Error("this is a pipe or a device, not a file");
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${because(error)}`);
  }
}

const mostUnpacked = 2 ** 30;

/** The bytes of a file; what gzip packed, by the ending of its name, is unpacked. */
export function readUnpacked(path: string): Uint8Array {
  const bytes = readBytes(path);
  if (!path.toLowerCase().endsWith(".gz")) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: mostUnpacked });
  } catch {
    throw new UsageError(`cannot read ${path}: it is not packed by gzip, or not whole, or too large`);
  }
}

/** The tensors in a data file, by name; a file that holds one unnamed tensor has it under "". */
export const readData = (path: string): Record<string, Tensor> => decodeData(readBytes(path), basename(path));

/** Writes a file so that it is there whole or not at all. */
export function writeWhole(path: string, content: Uint8Array | string | Iterable<string>): void {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    rmSync(temporary, { force: true });
    const file = openSync(temporary, "wx"); // no link that somebody has put there
    try {
      for (const piece of pieces(content)) writeFileSync(file, piece);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    const noFolder = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw new UsageError(`cannot write ${path}: ${noFolder ? "there is no such folder" : because(error)}`);
  }
}

/** Characters of a piece: what is written text by text is never in memory as a whole. */
const pieceSize = 2 ** 20;

function* pieces(content: Uint8Array | string | Iterable<string>): Generator<Uint8Array | string> {
  if (typeof content === "string" || content instanceof Uint8Array) return yield content;
  let piece = "";
  for (const text of content) {
    piece += text;
    if (piece.length < pieceSize) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}

/** All files or none: when one cannot be written, those before it are taken back. */
export function writeAll(
  files: readonly (readonly [path: string | undefined, content: Uint8Array | string])[],
): void {
  const written: string[] = [];
  try {
    for (const [path, content] of files) {
      if (path === undefined) continue;
      writeWhole(path, content);
      written.push(path);
    }
  } catch (error) {
    for (const path of written) rmSync(path, { force: true });
    throw error;
  }
}

/** A network as a file; what the runtime has no f64 kernel for is written out, so that any ONNX Runtime runs it. */
export const networkBytes = (graph: Graph): Uint8Array => writeModel(lowerFloat64(graph));

export const writeNetwork = (path: string, graph: Graph): void => writeWhole(path, networkBytes(graph));

/** Says before the work starts what would stop a file from being written after it. */
export function checkOutput(option: string, path: string | undefined, ...endings: string[]): void {
  if (path === undefined) return;
  if (!endings.some((ending) => path.toLowerCase().endsWith(ending)))
    throw new UsageError(`${option} ${path}: the name of this file must end in ${endings.join(", ")}`);
  if (!existsSync(dirname(path))) throw new UsageError(`cannot write ${path}: there is no such folder`);
  if (existsSync(path) && statSync(path).isDirectory())
    throw new UsageError(`cannot write ${path}: ${reasons["EISDIR"]}`);
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch (error) {
    throw new UsageError(`cannot write ${path}: ${because(error)}`);
  }
}
