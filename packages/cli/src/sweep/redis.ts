// A connection to Redis and the names under which a sweep is known there.
import type { Redis } from "ioredis";
import { UsageError } from "../usage-error.ts";
import { version } from "../version.ts";
import type { JobLimits, Task } from "./task.ts";

/** Workers of another version compute other numbers: they have a queue of their own. */
export const queueName = `lemmata-sweep-${version()}`;

/** What waits in the queue. */
export interface QueuedJob {
  /** Of the sweep. */
  readonly sweep: string;
  readonly key: string;
  readonly task: Task;
  readonly limits: JobLimits;
}

/** A hash from keys of jobs to outcomes that nobody has collected yet. */
export const resultsOf = (sweep: string): string => `${queueName}:results:${sweep}`;
/** What nobody collects is forgotten after a month. */
export const resultsSeconds = 30 * 86_400;

export type QueueLibrary = Pick<typeof import("bullmq"), "Queue" | "Worker"> &
  Pick<typeof import("ioredis"), "Redis">;

async function loadQueue(): Promise<QueueLibrary> {
  try {
    const [{ Queue, Worker }, { Redis }] = await Promise.all([import("bullmq"), import("ioredis")]);
    return { Queue, Worker, Redis };
  } catch {
    throw new UsageError("--queue needs BullMQ: npm install bullmq ioredis");
  }
}

/** Seconds to wait for the first answer. Later on, a Redis that is gone is waited for. */
const firstPatience = 5;

/** Connects, or says why not. */
export async function connect(url: string): Promise<[QueueLibrary, Redis]> {
  if (!URL.canParse(url) || !/^rediss?:\/\/[^/]/.test(url))
    throw new UsageError(`--queue ${withoutPassword(url)}: write redis://host:port`);
  const library = await loadQueue();
  const redis = new library.Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: null,
    connectTimeout: 1000 * firstPatience,
    retryStrategy: (times) => Math.min(100 * times, 2000),
  });
  let [isThere, reason] = [false, "no answer"];
  redis.on("error", (error: Error) => {
    reason = error.message || (error as NodeJS.ErrnoException).code || reason;
  });
  const answer = redis.connect().then(() => redis.ping());
  const late = new Promise<void>((resolve) => {
    setTimeout(resolve, 1000 * firstPatience).unref();
    redis.once("close", resolve);
  });
  await Promise.race([
    answer.then(
      () => {
        isThere = true;
      },
      (error: Error) => {
        reason = error.message;
      },
    ),
    late,
  ]);
  if (!isThere) {
    answer.catch(() => {});
    redis.disconnect();
    if (/^(NOAUTH|WRONGPASS)/.test(reason))
      throw new UsageError(
        `--queue ${withoutPassword(url)}: Redis asks for another password: write redis://:password@host:port`,
      );
    throw new UsageError(`--queue ${withoutPassword(url)}: Redis does not answer there: ${reason}`);
  }
  return [library, redis];
}

export const withoutPassword = (url: string): string => url.replace(/\/\/[^@/]*@/, "//");
