// The worker's side of a queue: takes jobs, runs them, stores what came of them, and only then lets them go.
import type { Worker } from "bullmq";
import { LocalCrew } from "./crew.ts";
import { connect, type QueuedJob, queueName, resultsOf, resultsSeconds } from "./redis.ts";

/** Milliseconds after which a job whose worker has said nothing is another's. */
const [silence, look] = [10_000, 5000];
/** A job may lose so many workers; then it is at fault. */
const mostLost = 4;
/** Short jobs that a thread may have at hand: the way to Redis and back takes longer than they do. */
const mostAhead = 8;

export interface WorkerOptions {
  readonly workers?: number | undefined;
  /** Told after each job, and how it ended. */
  onJob(isDone: boolean): void;
}

export interface QueueWorker {
  isBusy(): boolean;
  /** Takes no more jobs; done when those that it has are. */
  close(): Promise<void>;
}

/** Begins to take jobs. */
export async function takeJobs(url: string, { workers, onJob }: WorkerOptions): Promise<QueueWorker> {
  const [{ Worker: BullWorker }, redis] = await connect(url);
  const crew = new LocalCrew(workers);
  let running = 0;
  const worker: Worker<QueuedJob> = new BullWorker<QueuedJob>(
    queueName,
    async ({ data: { sweep, key, task, limits } }) => {
      running++;
      const outcome = await crew.run(task, limits).finally(() => running--);
      const results = resultsOf(sweep);
      // The first result stays: who runs a job a second time changes nothing.
      await redis.multi().hsetnx(results, key, outcome.text).expire(results, resultsSeconds).exec();
      worker.concurrency = Math.min(mostAhead * crew.size, Math.max(crew.size, crew.lanes));
      onJob(outcome.status === "done");
    },
    {
      connection: redis,
      concurrency: crew.size, // what it cannot run at once is for others, except where jobs are short
      lockDuration: silence,
      stalledInterval: look,
      maxStalledCount: mostLost,
    },
  );
  worker.on("error", () => {}); // a Redis that is gone is waited for
  return {
    isBusy: () => running > 0,
    async close() {
      await worker.close();
      await crew.close();
      redis.disconnect();
    },
  };
}
