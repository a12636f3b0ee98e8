// One process that runs tasks, one after the other, and is ended when a task takes more than it may.
import { type ChildProcess, fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { crashOf, heapOption } from "../guard.ts";
import { lifeline, mark } from "../guarded.ts";
import { withinSweep } from "../progress.ts";
import { alarm, lookAtMemory, milliseconds } from "../watch.ts";
import type { Allowance } from "./crew.ts";
import { entryFile, sessionThreads } from "./entry.ts";
import type { Outcome, Task } from "./task.ts";

export class JobProcess {
  readonly #child: ChildProcess;
  readonly #ready: Promise<void>;
  readonly #ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  #said = "";
  /** Whether it has run something: what it holds in memory may then be another task's. */
  isUsed = false;
  isOver = false;

  constructor(size: number, allowance: Allowance) {
    const threads = String(sessionThreads(availableParallelism(), size));
    this.#child = fork(fileURLToPath(entryFile("sweep-process")), [threads], {
      execArgv: [...heapOption(allowance), ...process.execArgv],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      // No lifeline: a thread there looks whether we are still here.
      env: { ...process.env, [mark]: "1", [withinSweep]: "1", [lifeline]: undefined },
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#said = (this.#said + text).slice(-10_000);
    });
    this.#ready = new Promise((resolve) => this.#child.once("message", () => resolve()));
    this.#ended = new Promise((resolve) => {
      this.#child.once("close", (code, signal) => resolve({ code, signal }));
      this.#child.once("error", () => resolve({ code: null, signal: null }));
    });
    void this.#ended.then(() => {
      this.isOver = true;
    });
  }

  async run(task: Task, allowance: Allowance): Promise<Outcome> {
    const ended = this.#ended.then(
      ({ code, signal }) => `${crashOf(this.#said, signal)} (${signal ?? `code ${code}`})`,
    );
    const crash = await Promise.race([this.#ready, ended]);
    if (crash !== undefined) return { status: "failed", seconds: 0, error: crash };
    this.isUsed = true;
    const start = performance.now();
    const taken = (): number => Number(((performance.now() - start) / 1000).toPrecision(4));
    let stopped: Outcome | undefined;
    const stopWatching = this.#watch(allowance, (reason) => {
      stopped ??= { seconds: taken(), ...reason };
      this.end();
    });
    const answered = this.#answer();
    this.#child.send(task);
    const found = await Promise.race([answered, ended]);
    stopWatching();
    if (stopped) return stopped;
    return typeof found === "string" ? { status: "failed", seconds: taken(), error: found } : found;
  }

  /** Tells when it takes more memory or time than it may. */
  #watch(
    { bytes, seconds, option, verdict }: Allowance,
    stop: (reason: Omit<Outcome, "seconds">) => void,
  ): () => void {
    const looking = lookAtMemory(this.#child, (resident) => {
      if (resident <= alarm * bytes) return;
      const gigabytes = Number(((alarm * bytes) / 1e9).toPrecision(3));
      stop({ status: "memory", error: `it needs over ${gigabytes} GB of memory (--memory allows more)` });
    });
    const late = (): void => {
      const error = `it was ended after ${Number(seconds!.toFixed(1))} s (${option} allows more)`;
      stop(verdict ? { status: "done", values: { verdict, reason: error } } : { status: "timeout", error });
    };
    const timer = seconds === undefined ? undefined : setTimeout(late, milliseconds(seconds));
    return () => {
      clearInterval(looking);
      clearTimeout(timer);
    };
  }

  /** The next outcome; what else a command tells its guard is for nobody here. */
  #answer(): Promise<Outcome> {
    return new Promise((resolve) => {
      const listen = (news: unknown): void => {
        if (typeof news !== "object" || news === null || !("outcome" in news)) return;
        this.#child.off("message", listen);
        resolve(news.outcome as Outcome);
      };
      this.#child.on("message", listen);
    });
  }

  end(): void {
    this.isOver = true;
    this.#child.kill("SIGKILL");
  }
}
