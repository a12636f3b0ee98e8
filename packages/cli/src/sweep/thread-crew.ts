// Worker threads: no start of a process, one copy of the runtime. They cannot be ended in the middle of native code.
// Short tasks travel together: a message between threads costs as much as a small task.
import { availableParallelism } from "node:os";
import { Piscina } from "piscina";
import { leaveThreads } from "../guarded.ts";
import { withinSweep } from "../progress.ts";
import type { Crew } from "./crew.ts";
import { entryFile, sessionThreads } from "./entry.ts";
import { type Sealed, seal, type Task } from "./task.ts";
import type { Batch } from "./thread.ts";

/** Milliseconds for threads to end by themselves. */
const patience = 500;
/** Tasks of a batch: at most this many, and no more than take this many seconds. */
const [mostTasks, mostSeconds] = [16, 0.01];
/** Batches under way for each thread: one that runs, one at hand. */
const batchesAhead = 2;

interface Waiting {
  readonly task: Task;
  readonly done: (outcome: Sealed) => void;
}

export class ThreadCrew implements Crew {
  readonly #pool: Piscina<readonly Task[], Batch>;
  readonly #size: number;
  #waiting: Waiting[] = [];
  #underWay = 0;
  #isSending = false;
  /** Seconds that a task takes, as the last ones did. */
  #typical = Number.POSITIVE_INFINITY;

  constructor(size: number) {
    this.#size = size;
    // The runtime reads it when it is loaded, and a thread cannot set it.
    process.env["ORT_DISABLE_TELEMETRY"] ??= "1";
    this.#pool = new Piscina({
      filename: entryFile("sweep-thread").href,
      minThreads: size,
      maxThreads: size,
      env: { ...process.env, [withinSweep]: "1" },
      workerData: { threads: sessionThreads(availableParallelism(), size) },
    });
  }

  get #batchSize(): number {
    return Math.max(1, Math.min(mostTasks, Math.floor(mostSeconds / this.#typical)));
  }

  get lanes(): number {
    return this.#batchSize === 1 ? this.#size : batchesAhead * this.#size * this.#batchSize;
  }

  run(task: Task): Promise<Sealed> {
    return new Promise((done) => {
      this.#waiting.push({ task, done });
      this.#sendSoon();
    });
  }

  /** Not at once: whoever hears of a batch has the next tasks in a moment. */
  #sendSoon(): void {
    if (this.#isSending) return;
    this.#isSending = true;
    setImmediate(() => {
      this.#isSending = false;
      while (this.#waiting.length > 0 && this.#underWay < batchesAhead * this.#size)
        void this.#send(this.#waiting.splice(0, this.#batchSize));
    });
  }

  async #send(batch: readonly Waiting[]): Promise<void> {
    this.#underWay++;
    const tasks = batch.map(({ task }) => task);
    try {
      const { outcomes, seconds } = await this.#pool.run(tasks);
      const latest = seconds / tasks.length;
      this.#typical = Number.isFinite(this.#typical) ? (this.#typical + latest) / 2 : latest;
      for (const [k, { done }] of batch.entries()) done(outcomes[k]!);
    } catch (error) {
      // Of several tasks nobody knows which one is at fault: each gets a try alone.
      this.#typical = Number.POSITIVE_INFINITY;
      const failure = `the thread ended: ${(error as Error).message}`;
      if (batch.length > 1) this.#waiting.unshift(...batch);
      else batch[0]!.done(seal({ status: "failed", seconds: 0, error: failure }));
    } finally {
      this.#underWay--;
      this.#sendSoon();
    }
  }

  /** A thread in the middle of native code crashes when it is ended: then it is left to the end of the process. */
  async close(): Promise<void> {
    this.#waiting = [];
    if (this.#underWay > 0) return leaveThreads();
    const gone = this.#pool.destroy().catch(() => {});
    await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, patience))]);
  }
}
