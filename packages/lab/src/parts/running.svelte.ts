// A job that a page starts, watches and cancels.
import { Cancelled, type JobOptions, work } from "../worker/client.ts";
import type { JobInput, JobName, JobOutput } from "../worker/jobs.ts";

export class Running {
  isRunning = $state(false);
  fraction = $state<number | undefined>();
  note = $state("");
  /** Why the last run ended without a result, unless it was cancelled. */
  error = $state<string | undefined>();
  #abort: AbortController | undefined;

  /** Runs a job; one that still runs is cancelled. Undefined: cancelled, or failed with `error`. */
  async start<N extends JobName>(
    job: N,
    input: JobInput<N>,
    options: Pick<JobOptions, "onPartial"> = {},
  ): Promise<JobOutput<N> | undefined> {
    this.cancel();
    const abort = new AbortController();
    this.#abort = abort;
    this.isRunning = true;
    this.fraction = undefined;
    this.note = "";
    this.error = undefined;
    const isCurrent = (): boolean => this.#abort === abort;
    try {
      const value = await work(job, input, {
        signal: abort.signal,
        onPartial: (part) => {
          if (isCurrent()) options.onPartial?.(part);
        },
        onProgress: (fraction, note) => {
          if (!isCurrent()) return;
          this.fraction = fraction;
          this.note = note ?? "";
        },
      });
      return isCurrent() ? value : undefined;
    } catch (error) {
      if (isCurrent() && !(error instanceof Cancelled))
        this.error = error instanceof Error ? error.message : String(error);
      return undefined;
    } finally {
      if (isCurrent()) this.isRunning = false;
    }
  }

  cancel(): void {
    this.#abort?.abort();
    this.#abort = undefined;
    this.isRunning = false;
  }
}
