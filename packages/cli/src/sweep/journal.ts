// The journal of a sweep: one line a job, as it ends, on the disk before it counts. The table is written from it.
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { UsageError } from "../usage-error.ts";
import type { Outcome, Status } from "./task.ts";

export interface Entry extends Outcome {
  readonly key: string;
}

interface Header {
  readonly sweep: string;
  /** Known to a queue, so that a coordinator that comes back finds what is its own. */
  readonly id: string;
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

const isEntry = (line: Partial<Entry>): line is Entry =>
  typeof line.key === "string" && typeof line.status === "string" && typeof line.seconds === "number";

/** A job counts once: the first line that says that it is done, or else the last one. */
const replaces = (before: Status | undefined): boolean => before !== "done";

export class Journal {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #status = new Map<string, Status>();
  #pending: string[] = [];
  #writing: Promise<void> | undefined;
  readonly id: string;

  private constructor(path: string, file: FileHandle, header: Header, entries: Iterable<Entry>) {
    this.#path = path;
    this.#file = file;
    this.id = header.id;
    for (const { key, status } of entries) this.#note(key, status);
  }

  /** Opens a journal, or begins one, of this sweep. */
  static async open(path: string, sweep: string): Promise<Journal> {
    const [found, entries, isTorn] = readJournal(path);
    if (found && found.sweep !== sweep)
      throw new UsageError(
        `${path} is the journal of another sweep (${found.sweep}): choose another --out, or delete it`,
      );
    const file = await open(path, "a").catch((error: Error) => {
      throw new UsageError(`cannot write ${path}: ${error.message}`);
    });
    const header = found ?? { sweep, id: randomBytes(8).toString("hex") };
    const journal = new Journal(path, file, header, entries);
    if (isTorn) journal.#pending.push("\n");
    if (!found) journal.#pending.push(`${JSON.stringify(header)}\n`);
    await journal.flush();
    return journal;
  }

  statusOf(key: string): Status | undefined {
    return this.#status.get(key);
  }

  #note(key: string, status: Status): boolean {
    if (!replaces(this.#status.get(key))) return false;
    this.#status.set(key, status);
    return true;
  }

  /** Notes how a job ended; a job that is done already is not done twice. */
  append(entry: Entry): void {
    if (!this.#note(entry.key, entry.status)) return;
    this.#pending.push(`${JSON.stringify(entry)}\n`);
    this.#writing ??= this.#write();
  }

  /** What was appended is on the disk. */
  async flush(): Promise<void> {
    while (this.#writing || this.#pending.length > 0) {
      this.#writing ??= this.#write();
      await this.#writing;
    }
  }

  /** Writes what there is as one piece: while the disk works, the next piece gathers. */
  async #write(): Promise<void> {
    try {
      while (this.#pending.length > 0) {
        const lines = this.#pending;
        this.#pending = [];
        await this.#file.appendFile(lines.join(""));
        await this.#file.datasync();
      }
    } catch (error) {
      throw new UsageError(`cannot write ${this.#path}: ${(error as Error).message}`);
    } finally {
      this.#writing = undefined;
    }
  }

  /** Every job that ended, once. */
  entries(): ReadonlyMap<string, Entry> {
    const all = new Map<string, Entry>();
    for (const entry of readJournal(this.#path)[1])
      if (replaces(all.get(entry.key)?.status)) all.set(entry.key, entry);
    return all;
  }

  async close(): Promise<void> {
    await this.flush();
    await this.#file.close();
  }
}

function readJournal(path: string): [header: Header | undefined, entries: readonly Entry[], isTorn: boolean] {
  if (!existsSync(path)) return [undefined, [], false];
  if (!statSync(path).isFile()) throw new UsageError(`cannot write ${path}: it is no file`);
  const text = readFileSync(path, "utf8");
  const lines = text.split("\n").flatMap((line) => parsed(line) ?? []);
  const header = lines.find((line) => typeof line.sweep === "string" && typeof line.id === "string");
  if (!header && text.trim() !== "")
    throw new UsageError(`${path} is not a journal of a sweep: choose another --out`);
  return [header as Header | undefined, lines.filter(isEntry), text !== "" && !text.endsWith("\n")];
}
