/// <reference types="node" />
// Models as files, in Node.
import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { gunzipSync } from "node:zlib";
import { GraphError } from "../error.ts";
import type { Graph } from "../graph.ts";
import { checkLocation, type ExternalData } from "./external.ts";
import { readModel } from "./read.ts";
import { maxModelBytes } from "./wire-writer.ts";
import { encodeModel, writeModelAndWeights } from "./write.ts";

/**
 * Reads an ONNX file, and the weights that it keeps in other files of its own folder.
 * @example (await loadModel("net.onnx")).inputs
 */
export async function loadModel(path: string): Promise<Graph> {
  let bytes: Uint8Array;
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new GraphError(`${path} is a folder, not an ONNX file`);
    if (!found.isFile()) throw new GraphError(`${path} is not a file`);
    if (found.size > maxModelBytes) {
      throw new GraphError(`${path} has ${found.size} bytes: an ONNX file ends at 2 GiB`);
    }
    bytes = await readFile(path);
    // As competitions keep theirs.
    if (path.toLowerCase().endsWith(".gz")) bytes = gunzipSync(bytes, { maxOutputLength: maxModelBytes });
  } catch (error) {
    throw asGraphError(error, `${path} cannot be read`);
  }
  try {
    return readModel(bytes, { external: filesIn(dirname(path)) });
  } catch (error) {
    throw error instanceof GraphError ? new GraphError(`${path}: ${error.message}`) : error;
  }
}

export interface SaveOptions {
  /** Large weights go to `<path>.data`: by default only where the model would pass protobuf's 2 GiB. */
  readonly external?: boolean;
  /** With `external`: weights of at least this many bytes go there. */
  readonly threshold?: number;
}

/**
 * Writes an ONNX file. It appears whole or not at all: it is written beside its place, then renamed.
 * @example await saveModel(net, "net.onnx")
 */
export async function saveModel(graph: Graph, path: string, options: SaveOptions = {}): Promise<void> {
  const { external, threshold } = options;
  const whole = external ? undefined : encodeModel(graph);
  if (whole && (external === false || whole.size <= maxModelBytes)) {
    return replaceFiles([[path, [whole.finish()]]]);
  }
  const location = `${basename(path)}.data`;
  const { model, weights } = writeModelAndWeights(graph, { location, threshold });
  return replaceFiles([
    [join(dirname(path), location), weights],
    [path, [model]],
  ]);
}

/** Writes all files under temporary names, and only then puts them in their places. */
async function replaceFiles(
  files: readonly (readonly [path: string, chunks: readonly Uint8Array[]])[],
): Promise<void> {
  const pending = new Map<string, string>();
  try {
    for (const [path, chunks] of files) {
      if ((await stat(path).catch(() => undefined))?.isDirectory()) {
        throw new GraphError(`${path} cannot be written: it is a folder`);
      }
      const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
      const file = await open(temporary, "wx");
      pending.set(temporary, path);
      try {
        for (const chunk of chunks) await file.writeFile(chunk);
        await file.sync();
      } finally {
        await file.close();
      }
    }
    for (const [temporary, path] of pending) {
      await rename(temporary, path);
      pending.delete(temporary);
    }
  } catch (error) {
    throw asGraphError(error, `${files.at(-1)?.[0]} cannot be written`);
  } finally {
    for (const temporary of pending.keys()) await rm(temporary, { force: true });
  }
}

/** Reads byte ranges of files in one folder; a path or symbolic link that leads out of it is refused. */
function filesIn(folder: string): ExternalData {
  return (location, offset, length) => {
    checkLocation(location);
    const named = `external data ${JSON.stringify(location)}`;
    let file: number | undefined;
    try {
      const home = realpathSync(folder);
      const path = realpathSync(join(home, location));
      const inside = relative(home, path);
      if (inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
        throw new GraphError(`${named} is refused: it leads out of the model's folder`);
      }
      // Opening a pipe would wait for somebody to write into it.
      file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
      const found = fstatSync(file);
      if (!found.isFile()) throw new GraphError(`${named} is not a file`);
      if (offset + length > found.size) {
        throw new GraphError(`${named} has ${found.size} bytes: ${length} from ${offset} on are not there`);
      }
      return readRange(file, offset, length, named);
    } catch (error) {
      throw asGraphError(error, `${named} cannot be read`);
    } finally {
      if (file !== undefined) closeSync(file);
    }
  };
}

function readRange(file: number, offset: number, length: number, named: string): Uint8Array {
  const bytes = new Uint8Array(length);
  // One call reads at most 2 GiB.
  for (let done = 0; done < length; ) {
    const count = readSync(file, bytes, done, Math.min(length - done, 2 ** 30), offset + done);
    if (count === 0) throw new GraphError(`${named} ended early`);
    done += count;
  }
  return bytes;
}

function asGraphError(error: unknown, what: string): GraphError {
  if (error instanceof GraphError) return error;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const reasons: Record<string, string> = {
    ENOENT: "there is no such file or folder",
    EACCES: "permission denied",
    EISDIR: "it is a folder",
    ENOTDIR: "a part of its path is not a folder",
    ENOSPC: "the disk is full",
    Z_DATA_ERROR: "it is not packed by gzip",
    Z_BUF_ERROR: "it ends too early for what gzip packed",
    ERR_BUFFER_TOO_LARGE: "unpacked it has more than 2 GiB",
    ELOOP: "its symbolic links run in a circle",
  };
  const reason = reasons[String(code)] ?? (error instanceof Error ? error.message : String(error));
  return new GraphError(`${what}: ${reason}`);
}
