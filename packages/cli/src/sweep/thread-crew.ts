// Worker threads: no start of a process, one copy of the runtime. They cannot be ended in the middle of native code.
import { availableParallelism } from "node:os";
import { Piscina } from "piscina";
import { withinSweep } from "../progress.ts";
import type { Crew } from "./crew.ts";
import { entryFile, sessionThreads } from "./entry.ts";
import type { Outcome, Task } from "./task.ts";

/** Milliseconds for threads to end by themselves. */
const patience = 500;

export class ThreadCrew implements Crew {
  readonly lanes: number;
  readonly #pool: Piscina<Task, Outcome>;

  constructor(size: number) {
    this.lanes = 4 * size;
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

  async run(task: Task): Promise<Outcome> {
    try {
      return await this.#pool.run(task);
    } catch (error) {
      return { status: "failed", seconds: 0, error: `the thread ended: ${(error as Error).message}` };
    }
  }

  async close(): Promise<void> {
    const gone = this.#pool.destroy().catch(() => {});
    await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, patience))]);
  }
}
