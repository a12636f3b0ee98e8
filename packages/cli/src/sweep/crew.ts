// Who runs tasks on this machine: threads for what is ours alone, processes for what may have to be ended.
import { availableParallelism } from "node:os";
import { limitsOf } from "../limits.ts";
import type { ProcessCrew } from "./process-crew.ts";
import { type JobLimits, type Sealed, seal, type Task } from "./task.ts";
import type { ThreadCrew } from "./thread-crew.ts";

export interface Crew {
  /** How many tasks it likes to have at hand, so that nobody waits: more of short ones than of long ones. */
  readonly lanes: number;
  run(task: Task, limits?: JobLimits): Promise<Sealed>;
  close(): Promise<void>;
}

/** Commands that read no model: nobody else's file can make them crash or take all memory. */
const ownWork = new Set(["compile", "theory"]);

/** Whether only a process of its own can answer for a task: it reads a file, or has limits that must hold. */
export const needsProcess = (task: Task, { seconds, gigabytes }: JobLimits): boolean =>
  seconds !== undefined ||
  gigabytes !== undefined ||
  (task.kind === "command" && !ownWork.has(task.words[0] ?? ""));

/** What a task may take, and what it is told when it takes more. */
export interface Allowance {
  readonly bytes: number;
  readonly seconds?: number | undefined;
  /** The option that allows more time. */
  readonly option: string;
  /** Its command is then undecided, and says so with this word: that is a result. */
  readonly verdict?: string | undefined;
}

/** What was asked, else what its command may take by itself. */
export function allowed(task: Task, { seconds, gigabytes }: JobLimits): Allowance {
  const own = limitsOf("words" in task ? task.words : ["theory", "falsify"]);
  const bytes = gigabytes === undefined ? own.bytes : gigabytes * 1e9;
  return seconds === undefined ? { ...own, bytes } : { bytes, seconds, option: "--job-timeout" };
}

/** Worker threads and processes, each started when first needed. */
export class LocalCrew implements Crew {
  /** How many it runs at a time. */
  readonly size: number;
  #threads: ThreadCrew | undefined;
  #processes: ProcessCrew | undefined;

  constructor(workers: number | undefined) {
    this.size = workers ?? availableParallelism();
  }

  get lanes(): number {
    return this.#threads?.lanes ?? this.size;
  }

  async run(task: Task, limits: JobLimits = {}): Promise<Sealed> {
    if (needsProcess(task, limits)) {
      const { ProcessCrew } = await import("./process-crew.ts");
      this.#processes ??= new ProcessCrew(this.size);
      return seal(await this.#processes.run(task, limits));
    }
    if (!this.#threads) {
      const { ThreadCrew } = await import("./thread-crew.ts");
      this.#threads ??= new ThreadCrew(this.size);
    }
    return this.#threads.run(task);
  }

  async close(): Promise<void> {
    await this.#threads?.close();
    await this.#processes?.close();
  }
}
