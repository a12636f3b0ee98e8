// The journal of a sweep: one line a job, as it ends, on the disk before it counts. The table is written from it.
// In memory is only where the line of each job is.
import { randomBytes } from "node:crypto";
import { existsSync, readSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { UsageError } from "../usage-error.ts";
import { linesOf } from "./lines.ts";
import type { Outcome, Sealed, Status } from "./task.ts";

export interface Entry extends Outcome {
  readonly key: string;
}

interface Header {
  readonly sweep: string;
  /** Known to a queue, so that a coordinator that comes back finds what is its own. */
  readonly id: string;
}

/** Where a job's line is, in bytes, and what it says in a word. */
interface Place {
  readonly status: Status;
  readonly at: number;
  readonly length: number;
}

/** A line, or nothing: what a crash has torn, or what is not ours. */
function parsed(line: string): Partial<Header & Entry> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const isHeader = (line: Partial<Header>): line is Header =>
  typeof line.sweep === "string" && typeof line.id === "string";
const isEntry = (line: Partial<Entry>): line is Entry =>
  typeof line.key === "string" && typeof line.status === "string" && typeof line.seconds === "number";

const changed = "another process has written it too; when that one is done, run the same command again";

/** A job counts once: the first line that says that it is done, or else the last one. */
const replaces = (before: Place | undefined): boolean => before?.status !== "done";

/** A line of the journal: the outcome is there as the one who ran the job has written it. */
const lineOf = (key: string, { text }: Sealed): string => `{"key":${JSON.stringify(key)},${text.slice(1)}\n`;

export class Journal {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #places: Map<string, Place>;
  #end: number;
  /** Bytes that are on the disk, as far as we have written them. */
  #written: number;
  #pending: string[] = [];
  #writing: Promise<void> | undefined;
  /** Why nothing can be written any more. */
  #failure: UsageError | undefined;
  readonly id: string;
  /** Whether there was one of an earlier try. */
  readonly isResumed: boolean;

  private constructor(path: string, file: FileHandle, header: Header, found: Found) {
    this.#path = path;
    this.#file = file;
    this.id = header.id;
    this.isResumed = found.header !== undefined;
    this.#places = found.places;
    this.#end = this.#written = found.bytes;
  }

  /** Opens a journal, or begins one, of this sweep. */
  static async open(path: string, sweep: string): Promise<Journal> {
    const found = readJournal(path);
    if (found.header && found.header.sweep !== sweep)
      throw new UsageError(
        `${path} is the journal of another sweep (${found.header.sweep}): choose another --out, or delete it`,
      );
    const file = await open(path, "a+").catch((error: Error) => {
      throw new UsageError(`cannot write ${path}: ${error.message}`);
    });
    const header = found.header ?? { sweep, id: randomBytes(8).toString("hex") };
    const journal = new Journal(path, file, header, found);
    if (found.isTorn) journal.#push("\n");
    if (!found.header) journal.#push(`${JSON.stringify(header)}\n`);
    await journal.flush();
    return journal;
  }

  statusOf(key: string): Status | undefined {
    return this.#places.get(key)?.status;
  }

  /** How many bytes it has. */
  #push(line: string): number {
    const length = Buffer.byteLength(line);
    this.#pending.push(line);
    this.#end += length;
    return length;
  }

  /** Notes how a job ended; a job that is done already is not done twice. */
  append(key: string, outcome: Sealed): void {
    if (this.#failure) throw this.#failure;
    if (!replaces(this.#places.get(key))) return;
    const at = this.#end;
    const length = this.#push(lineOf(key, outcome));
    this.#places.set(key, { status: outcome.status, at, length });
    this.#writing ??= this.#write();
  }

  /** What was appended is on the disk. */
  async flush(): Promise<void> {
    while (this.#writing || this.#pending.length > 0) {
      this.#writing ??= this.#write();
      await this.#writing;
    }
    if (this.#failure) throw this.#failure;
  }

  /** Writes what there is as one piece: while the disk works, the next piece gathers. Whoever flushes or appends hears why not. */
  async #write(): Promise<void> {
    try {
      while (this.#pending.length > 0) {
        const piece = this.#pending.join("");
        this.#pending = [];
        if ((await this.#file.stat()).size !== this.#written) throw new Error(changed);
        await this.#file.appendFile(piece);
        await this.#file.datasync();
        this.#written += Buffer.byteLength(piece);
      }
    } catch (error) {
      this.#pending = [];
      this.#failure = new UsageError(`cannot write ${this.#path}: ${(error as Error).message}`);
    } finally {
      this.#writing = undefined;
    }
  }

  /** What came of a job, read from the disk; all must have been written. */
  entry(key: string): Entry | undefined {
    const place = this.#places.get(key);
    if (!place) return undefined;
    const bytes = Buffer.allocUnsafe(place.length);
    readSync(this.#file.fd, bytes, 0, place.length, place.at);
    const line = parsed(bytes.toString("utf8"));
    if (line && isEntry(line) && line.key === key) return line;
    throw new UsageError(`${this.#path}: ${changed}`);
  }

  async close(): Promise<void> {
    await this.flush().finally(() => this.#file.close());
  }
}

interface Found {
  readonly header: Header | undefined;
  readonly places: Map<string, Place>;
  readonly bytes: number;
  /** Whether its last line has no end. */
  readonly isTorn: boolean;
}

function readJournal(path: string): Found {
  const places = new Map<string, Place>();
  if (!existsSync(path)) return { header: undefined, places, bytes: 0, isTorn: false };
  if (!statSync(path).isFile()) throw new UsageError(`cannot write ${path}: it is no file`);
  let [header, bytes, isTorn, isEmpty]: [Header | undefined, number, boolean, boolean] = [
    ...([undefined, 0, false, true] as const),
  ];
  for (const { text, at, length, isWhole } of linesOf(path)) {
    [bytes, isTorn] = [at + length, !isWhole];
    isEmpty &&= text.trim() === "";
    const line = parsed(text) ?? {};
    if (isEntry(line)) {
      if (replaces(places.get(line.key))) places.set(line.key, { status: line.status, at, length });
    } else if (isHeader(line)) header ??= line;
  }
  if (!header && !isEmpty) throw new UsageError(`${path} is not a journal of a sweep: choose another --out`);
  return { header, places, bytes, isTorn };
}
