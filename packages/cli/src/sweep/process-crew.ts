// Processes that run tasks: each can be ended, whatever it does, and its memory is its own.
import { type Allowance, allowed } from "./crew.ts";
import { JobProcess } from "./job-process.ts";
import type { JobLimits, Outcome, Task } from "./task.ts";

export class ProcessCrew {
  readonly #size: number;
  readonly #free: JobProcess[] = [];
  readonly #all = new Set<JobProcess>();
  readonly #waiting: (() => void)[] = [];
  #busy = 0;
  #isClosed = false;

  constructor(size: number) {
    this.#size = size;
  }

  async run(task: Task, limits: JobLimits): Promise<Outcome> {
    if (this.#busy >= this.#size) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#busy++;
    try {
      if (this.#isClosed) return { status: "failed", seconds: 0, error: "nobody waits for it any more" };
      const allowance = allowed(task, limits);
      const process = this.#free.pop() ?? this.#start(allowance);
      const wasUsed = process.isUsed;
      const outcome = await this.#runIn(process, task, allowance);
      // What earlier tasks have left behind is not this one's fault: it has a second try, alone.
      if (outcome.status !== "memory" || !wasUsed) return outcome;
      return await this.#runIn(this.#start(allowance), task, allowance);
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#busy--;
    }
  }

  async #runIn(process: JobProcess, task: Task, allowance: Allowance): Promise<Outcome> {
    const outcome = await process.run(task, allowance);
    if (process.isOver) this.#all.delete(process);
    else this.#free.push(process);
    return outcome;
  }

  #start(allowance: Allowance): JobProcess {
    const process = new JobProcess(this.#size, allowance);
    this.#all.add(process);
    return process;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const process of this.#all) process.end();
  }
}
