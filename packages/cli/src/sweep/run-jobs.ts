// Runs jobs, here or by whoever takes them from a queue, and tells each outcome as it comes.
import type { Job } from "@lemmata/core/sweep";
import { LocalCrew } from "./crew.ts";
import type { JobLimits, Sealed, Task } from "./task.ts";

export interface JobsOptions {
  readonly workers?: number | undefined;
  /** redis://host:port */
  readonly queue?: string | undefined;
  readonly limits: JobLimits;
  readonly signal: AbortSignal;
  /** Under which a queue keeps the results for whoever comes back for them. */
  readonly id: string;
  /** Whether a queue may know some of the jobs already, from an earlier try. */
  readonly isResumed: boolean;
  /** Told once for each job. */
  onOutcome(job: Job<Task>, outcome: Sealed): void;
  /** A line for the user. */
  remark(text: string): void;
  /** Done when what was told is safe: only then does a queue forget it. */
  settled(): Promise<void>;
}

/** Jobs of one worker that wait for their outcomes: as many short ones as travel together, and some to follow. */
const ahead = 40;

/** Ends when every job has an outcome, or when the user has enough. */
export async function runJobs(jobs: readonly Job<Task>[], options: JobsOptions): Promise<void> {
  if (jobs.length === 0) return;
  if (options.queue === undefined) return runHere(jobs, options);
  const { runThroughQueue } = await import("./queue.ts");
  return runThroughQueue(jobs, options.queue, options);
}

async function runHere(
  jobs: readonly Job<Task>[],
  { workers, limits, signal, onOutcome, settled }: JobsOptions,
): Promise<void> {
  const crew = new LocalCrew(workers);
  const rest = jobs.values();
  const lane = async (): Promise<void> => {
    for (const job of rest) {
      if (signal.aborted) return;
      const outcome = await crew.run(job.task, limits);
      if (signal.aborted) return;
      onOutcome(job, outcome);
    }
  };
  const aborted = new Promise<void>((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true }),
  );
  try {
    const lanes = Array.from({ length: Math.min(ahead * crew.size, jobs.length) }, lane);
    await Promise.race([Promise.all(lanes), aborted]);
  } finally {
    await settled().finally(() => crew.close());
  }
}
