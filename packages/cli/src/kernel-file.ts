// The matrices of a kernel on disk, in the .npz file that they end up in: block by block, under another name until all of it
// is there. A run that was killed goes on with what it left.
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  statfsSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { npyHeader } from "@lemmata/core/data";
import type { StoredMatrix } from "@lemmata/core/kernels";
import { UsageError } from "./usage-error.ts";
import { directoryOf, localHeader, type ZipEntry } from "./zip-record.ts";

/** What must be the same for a run to go on. */
export type KernelSettings = Readonly<Record<string, string | number | null>>;

interface Shape {
  readonly name: string;
  readonly rows: number;
  readonly columns: number;
}

/** A matrix with its place in the file. */
interface Part extends Shape {
  /** Where its entry of the archive begins, its .npy header, and its numbers. */
  readonly start: number;
  readonly header: number;
  readonly numbers: number;
  readonly end: number;
}

/** What a run has done, in one of two places behind the archive: one of them is whole, whenever it was killed. */
interface Progress {
  readonly sequence: number;
  readonly settings: KernelSettings;
  readonly rows: Readonly<Record<string, number>>;
}
const progressBytes = 4096;

/** The name under which a kernel is made. */
export const unfinished = (path: string): string => `${path}.part`;

export class KernelFile {
  readonly #descriptor: number;
  readonly #path: string;
  readonly #parts: readonly Part[];
  #progress: Progress;

  private constructor(path: string, descriptor: number, parts: readonly Part[], progress: Progress) {
    this.#path = path;
    this.#descriptor = descriptor;
    this.#parts = parts;
    this.#progress = progress;
  }

  /** A new file, or one that an earlier run has begun with the same settings. */
  static open(
    path: string,
    shapes: readonly Shape[],
    settings: KernelSettings,
    { resume }: { readonly resume: boolean },
  ): KernelFile {
    const [name, parts] = [unfinished(path), placed(shapes)];
    if (resume && !existsSync(name))
      throw new UsageError(`--resume: there is no ${name} from a run that was not finished`);
    if (!resume && existsSync(name))
      throw new UsageError(
        `${name} is there from a run that was not finished: --resume goes on with it, or remove it`,
      );
    if (!resume) requireRoom(name, endOf(parts));
    try {
      const descriptor = openSync(name, resume ? "r+" : "wx+");
      const progress = resume
        ? kept({ name, path, descriptor }, parts, settings)
        : { sequence: 0, settings, rows: Object.fromEntries(shapes.map((s) => [s.name, 0])) };
      const file = new KernelFile(path, descriptor, parts, progress);
      if (!resume) file.#begin();
      return file;
    } catch (error) {
      if (error instanceof UsageError) throw error;
      throw cannotWrite(name, error);
    }
  }

  /** How many rows of a matrix are there. */
  done(name: string): number {
    return this.#progress.rows[name] ?? 0;
  }

  /** All rows before this one are there. */
  note(name: string, rows: number): void {
    const { sequence, settings, rows: before } = this.#progress;
    this.#progress = { sequence: sequence + 1, settings, rows: { ...before, [name]: rows } };
    this.#writeProgress();
  }

  matrix(name: string): StoredMatrix {
    const { rows, columns, numbers } = this.#parts.find((part) => part.name === name)!;
    let buffer = new Float64Array(0);
    const place = (row: number, column: number): number => numbers + 8 * (row * columns + column);
    return {
      rows,
      columns,
      read: (from, to) => {
        const count = (to - from) * columns;
        if (buffer.length < count) buffer = new Float64Array(count);
        const bytes = new Uint8Array(buffer.buffer, 0, 8 * count);
        readAll(this.#descriptor, bytes, place(from, 0));
        return buffer.subarray(0, count);
      },
      write: (row, column, block) => {
        const bytes = new Uint8Array(
          block.entries.buffer,
          block.entries.byteOffset,
          8 * block.entries.length,
        );
        if (block.columns === columns) return this.#write(bytes, place(row, 0));
        const width = 8 * block.columns;
        for (let i = 0; i < block.rows; i++)
          this.#write(bytes.subarray(i * width, (i + 1) * width), place(row + i, column));
      },
    };
  }

  /** Gives the archive its checksums and its directory, and the file its name; until it is on the disk, what was done stays noted. */
  finish(): void {
    const entries = this.#parts.map((part): ZipEntry => this.#entry(part));
    for (const entry of entries) this.#write(localHeader(entry), entry.start);
    this.#write(directoryOf(entries, this.#parts.at(-1)!.end), this.#parts.at(-1)!.end);
    try {
      fsyncSync(this.#descriptor);
      ftruncateSync(this.#descriptor, endOf(this.#parts));
      this.close();
      renameSync(unfinished(this.#path), this.#path);
    } catch (error) {
      throw cannotWrite(this.#path, error);
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #begin(): void {
    for (const part of this.#parts) this.#write(npyHeader("float64", [part.rows, part.columns]), part.header);
    this.#writeProgress();
  }

  #entry({ name, start, header, end }: Part): ZipEntry {
    const piece = new Uint8Array(2 ** 24);
    let checksum = 0;
    for (let at = header; at < end; at += piece.length) {
      const bytes = piece.subarray(0, Math.min(piece.length, end - at));
      readAll(this.#descriptor, bytes, at);
      checksum = crc32(bytes, checksum);
    }
    return { name: `${name}.npy`, start, size: end - header, checksum };
  }

  #writeProgress(): void {
    const text = new TextEncoder().encode(JSON.stringify(this.#progress));
    const record = new Uint8Array(progressBytes);
    record.set(text.subarray(0, progressBytes));
    const slot = this.#progress.sequence % 2;
    this.#write(record, endOf(this.#parts) + slot * progressBytes);
  }

  #write(bytes: Uint8Array, position: number): void {
    try {
      for (let done = 0; done < bytes.length; )
        done += writeSync(this.#descriptor, bytes, done, bytes.length - done, position + done);
    } catch (error) {
      throw cannotWrite(unfinished(this.#path), error);
    }
  }
}

/** Said before the work, not after most of it. */
function requireRoom(name: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(dirname(name));
  const gigabytes = (of: number): string => `${(of / 1e9).toPrecision(3)} GB`;
  if (bytes > bavail * bsize)
    throw new UsageError(
      `cannot write ${name}: the kernel takes ${gigabytes(bytes)}, and the disk has ${gigabytes(bavail * bsize)} left`,
    );
}

const cannotWrite = (name: string, error: unknown): UsageError => {
  const { code, message } = error as NodeJS.ErrnoException;
  return new UsageError(`cannot write ${name}: ${code === "ENOSPC" ? "the disk is full" : message}`);
};

function readAll(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    const count = readSync(descriptor, bytes, done, bytes.length - done, position + done);
    if (count === 0) throw new UsageError("the file of the kernel became shorter while it was read");
    done += count;
  }
}

/** One matrix after the other. */
function placed(shapes: readonly Shape[]): readonly Part[] {
  let start = 0;
  return shapes.map((shape) => {
    const headerBytes = npyHeader("float64", [shape.rows, shape.columns]).length;
    const size = headerBytes + 8 * shape.rows * shape.columns;
    const header = start + localHeader({ name: `${shape.name}.npy`, start, size, checksum: 0 }).length;
    const part = { ...shape, start, header, numbers: header + headerBytes, end: header + size };
    start = part.end;
    return part;
  });
}

/** Where the archive will end: its directory is as long whatever the checksums are. */
function endOf(parts: readonly Part[]): number {
  const entries = parts.map(({ name, start, header, end }) => ({
    ...{ name: `${name}.npy`, start, size: end - header, checksum: 0 },
  }));
  const end = parts.at(-1)!.end;
  return end + directoryOf(entries, end).length;
}

/** What an earlier run has noted; it must be of this kernel. */
function kept(
  { name, path, descriptor }: { readonly name: string; readonly path: string; readonly descriptor: number },
  parts: readonly Part[],
  settings: KernelSettings,
): Progress {
  const end = endOf(parts);
  const records = [0, 1].flatMap((slot) => recordAt(descriptor, end + slot * progressBytes));
  const last = records
    .filter(({ rows }) => parts.every((part) => isCount(rows[part.name], part.rows)))
    .toSorted((a, b) => b.sequence - a.sequence)[0];
  if (!last && fstatSync(descriptor).size === end)
    throw new UsageError(`${name} is whole, a run was killed just before it named it: rename it to ${path}`);
  if (!last)
    throw new UsageError(`${name} is not a kernel of this many examples that was begun here: remove it`);
  for (const [key, value] of Object.entries(settings))
    if (last.settings[key] !== value)
      throw new UsageError(
        `${name} is of a run with another ${key} (${last.settings[key]}, not ${value}): go on with the same, or remove it`,
      );
  return last;
}

const isCount = (rows: unknown, most: number): boolean =>
  Number.isInteger(rows) && Number(rows) >= 0 && Number(rows) <= most;

function recordAt(descriptor: number, position: number): Progress[] {
  if (fstatSync(descriptor).size < position + progressBytes) return [];
  const bytes = new Uint8Array(progressBytes);
  readAll(descriptor, bytes, position);
  try {
    const text = new TextDecoder().decode(bytes).replace(/\0+$/, "");
    const found = JSON.parse(text) as Partial<Progress>;
    return found.settings && found.rows && typeof found.sequence === "number" ? [found as Progress] : [];
  } catch {
    return [];
  }
}
