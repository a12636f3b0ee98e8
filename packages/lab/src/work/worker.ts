// Runs jobs off the page's thread.
import { config } from "zod";
import { type JobName, jobs } from "./jobs.ts";
import type { Job, JobContext, PageMessage, WorkerMessage } from "./protocol.ts";

config({ jitless: true }); // the page's policy forbids code made from text

interface Running {
  readonly abort: AbortController;
  readonly listeners: ((message: unknown) => void)[];
}

const running = new Map<number, Running>();
const say = (message: WorkerMessage): void => postMessage(message);

async function start(id: number, name: JobName, input: unknown): Promise<void> {
  const abort = new AbortController();
  const listeners: Running["listeners"] = [];
  running.set(id, { abort, listeners });
  const context: JobContext = {
    signal: abort.signal,
    progress: (fraction, note) => say({ kind: "progress", id, fraction, ...(note && { note }) }),
    partial: (value) => say({ kind: "partial", id, value }),
    onTell: (listener) => listeners.push(listener),
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

addEventListener("message", ({ data }: MessageEvent<PageMessage>) => {
  if (data.kind === "start") void start(data.id, data.job as JobName, data.input);
  else if (data.kind === "cancel") running.get(data.id)?.abort.abort();
  else for (const listener of running.get(data.id)?.listeners ?? []) listener(data.message);
});
