// The coordinator's side of a queue: puts jobs there once, collects results, and forgets a result only when it is safe.
// Delivery is at least once: a worker stores a result before it says that the job is done, and jobs that nobody knows of
// any more are put there again. A result counts once, by its key. A job leaves the queue when its result is stored: what
// was put there again in that moment is seen by its result, and taken out.
import type { Job } from "@lemmata/core/sweep";
import type { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { version } from "../version.ts";
import { connect, type QueuedJob, queueName, resultsOf } from "./redis.ts";
import type { JobsOptions } from "./run-jobs.ts";
import { type JobLimits, type Sealed, type Status, seal, type Task } from "./task.ts";

/** Jobs that are put at once. */
const batch = 500;
/** Milliseconds between two looks, and without a result after which a job may be lost. */
const [pause, suspicion] = [40, 5000];

/** A result as its worker has stored it: it begins with how the job ended, and the rest is for the journal. */
const stored = (text: string): Sealed => ({
  status: (/^\{"status":"(\w+)"/.exec(text)?.[1] ?? "failed") as Status,
  text,
});

class Coordinator {
  readonly #missing: Map<string, Job<Task>>;
  readonly #queue: Queue<QueuedJob>;
  readonly #redis: Redis;
  readonly #options: JobsOptions;
  /** Jobs that were put there while the queue might know them, or have let them go the moment before. */
  readonly #again = new Set<string>();
  #mayBeKnown: boolean;

  constructor(jobs: readonly Job<Task>[], queue: Queue<QueuedJob>, redis: Redis, options: JobsOptions) {
    this.#missing = new Map(jobs.map((job) => [job.key, job]));
    this.#queue = queue;
    this.#redis = redis;
    this.#options = options;
    this.#mayBeKnown = options.isResumed;
  }

  get isDone(): boolean {
    return this.#missing.size === 0;
  }

  #idOf(key: string): string {
    return `${this.#options.id}-${key}`;
  }

  #tell(key: string, outcome: Sealed): void {
    const job = this.#missing.get(key);
    if (!job || !this.#missing.delete(key)) return;
    this.#options.onOutcome(job, outcome);
  }

  /** Takes what has come; how many. */
  async collect(): Promise<number> {
    const results = Object.entries(await this.#redis.hgetall(resultsOf(this.#options.id)));
    if (results.length === 0) return 0;
    for (const [key, text] of results) this.#tell(key, stored(text));
    await this.#options.settled();
    const keys = results.map(([key]) => key);
    await this.#redis.hdel(resultsOf(this.#options.id), ...keys);
    await Promise.all(keys.filter((key) => this.#again.delete(key)).map((key) => this.#remove(key)));
    return results.length;
  }

  /** A job that a worker has is let go by the worker. */
  async #remove(key: string): Promise<void> {
    await this.#queue.remove(this.#idOf(key)).catch(() => 0);
  }

  /** Jobs that ended their workers again and again, until nobody took them. */
  async #collectFailures(): Promise<void> {
    for (const failed of await this.#queue.getFailed(0, 999)) {
      if (failed.data.sweep !== this.#options.id) continue;
      const error = `its workers ended, one after the other: ${failed.failedReason}`;
      this.#tell(failed.data.key, seal({ status: "failed", seconds: 0, error }));
      await this.#options.settled();
      await failed.remove();
    }
  }

  /** Whoever waits for workers that have not been started, or are of another version, is told. */
  async #saysThatNobodyIsThere(): Promise<boolean> {
    if ((await this.#queue.getWorkersCount()) > 0) return false;
    this.#options.remark(
      `nobody takes jobs there yet: start \`lemmata worker --queue ...\`, of version ${version()}`,
    );
    return true;
  }

  /** Puts every missing job into the queue; one that is there stays as it is. */
  async put(limits: JobLimits): Promise<void> {
    const jobs = [...this.#missing.values()];
    if (this.#mayBeKnown) for (const { key } of jobs) this.#again.add(key);
    this.#mayBeKnown = true;
    for (let k = 0; k < jobs.length && !this.#options.signal.aborted; k += batch) {
      await this.#queue.addBulk(
        jobs.slice(k, k + batch).map(({ key, task }) => ({
          name: task.kind,
          data: { sweep: this.#options.id, key, task, limits },
          opts: { jobId: this.#idOf(key), removeOnComplete: true },
        })),
      );
      await this.collect();
    }
  }

  async run(): Promise<void> {
    const { signal, limits } = this.#options;
    await this.collect(); // what came while nobody was here
    await this.put(limits);
    let last = performance.now();
    let isSaid = false;
    while (!this.isDone && !signal.aborted) {
      if ((await this.collect()) > 0) last = performance.now();
      else if (performance.now() - last > suspicion) {
        if (!isSaid) isSaid = await this.#saysThatNobodyIsThere();
        await this.#collectFailures();
        await this.put(limits);
        last = performance.now();
      } else await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  /** Nobody waits for these any more: the ones that no worker has begun leave the queue. */
  async withdraw(): Promise<void> {
    const keys = [...this.#missing.keys()];
    for (let k = 0; k < keys.length; k += batch)
      await Promise.all(keys.slice(k, k + batch).map((key) => this.#remove(key)));
  }
}

/** Ends when every job has a result, or when the user has enough. */
export async function runThroughQueue(
  jobs: readonly Job<Task>[],
  url: string,
  options: JobsOptions,
): Promise<void> {
  const [{ Queue }, redis] = await connect(url);
  const queue = new Queue<QueuedJob>(queueName, { connection: redis });
  queue.on("error", () => {}); // a Redis that is gone is waited for
  const coordinator = new Coordinator(jobs, queue, redis, options);
  const aborted = new Promise<void>((resolve) =>
    options.signal.addEventListener("abort", () => resolve(), { once: true }),
  );
  try {
    await Promise.race([coordinator.run(), aborted]);
    if (options.signal.aborted)
      await Promise.race([coordinator.withdraw(), new Promise((resolve) => setTimeout(resolve, 5000))]);
  } finally {
    await options.settled().finally(() => {
      redis.disconnect();
      void queue.close().catch(() => {});
    });
  }
}
