// Runs jobs off the page's thread.
import { config } from "zod";
import { type JobName, jobs } from "./jobs.ts";
import type { Job, JobContext, PageMessage, WorkerMessage } from "./protocol.ts";

config({ jitless: true }); // the page's policy forbids code made from text

interface Running {
  readonly abort: AbortController;
  readonly listeners: ((message: unknown) => void)[];
  /** Told before the job listens: its code may still be loading. */
  readonly early: unknown[];
}

const running = new Map<number, Running>();
const say = (message: WorkerMessage): void => postMessage(message);

async function start(id: number, name: JobName, input: unknown): Promise<void> {
  const abort = new AbortController();
  const [listeners, early]: [Running["listeners"], unknown[]] = [[], []];
  running.set(id, { abort, listeners, early });
  const context: JobContext = {
    signal: abort.signal,
    progress: (fraction, note) => say({ kind: "progress", id, fraction, ...(note && { note }) }),
    partial: (value) => say({ kind: "partial", id, value }),
    onTell: (listener) => {
      listeners.push(listener);
      for (const message of early.splice(0)) listener(message);
    },
  };
  try {
    const job = (await jobs[name]()) as Job<unknown, unknown>;
    say({ kind: "done", id, value: await job(input, context) });
  } catch (error) {
    say({ kind: "failed", id, message: error instanceof Error ? error.message : String(error) });
  } finally {
    running.delete(id);
  }
}

function hear(job: Running | undefined, message: unknown): void {
  if (job?.listeners.length === 0) job.early.push(message);
  for (const listener of job?.listeners ?? []) listener(message);
}

// A promise that nobody awaits would fail in silence.
addEventListener("unhandledrejection", ({ reason }) => {
  const message = reason instanceof Error ? reason.message : String(reason);
  for (const id of running.keys()) say({ kind: "failed", id, message });
});

addEventListener("message", ({ data }: MessageEvent<PageMessage>) => {
  if (data.kind === "start") void start(data.id, data.job as JobName, data.input);
  else if (data.kind === "cancel") running.get(data.id)?.abort.abort();
  else hear(running.get(data.id), data.message);
});
