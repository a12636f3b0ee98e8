// Starts jobs in workers, shows their progress, cancels them. A worker that does not stop when asked is ended.
import type { JobInput, JobName, JobOutput } from "./jobs.ts";
import type { PageMessage, WorkerMessage } from "./protocol.ts";

export interface JobOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (fraction: number, note?: string) => void;
  readonly onPartial?: (value: unknown) => void;
  /** Receives a function that tells the running job something. */
  readonly onStart?: (tell: (message: unknown) => void) => void;
}

/** A cancelled job rejects with this. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}

/** How long a worker may take to stop by itself. */
const patience = 300;
/** Idle workers that are kept: their code and the runtime are loaded. */
const mostIdle = 2;
const idle: Worker[] = [];
let lastId = 0;

const makeWorker = (): Worker =>
  new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "lemmata" });

/** Runs a job in a worker of its own; nothing blocks the page. */
export function work<N extends JobName>(
  job: N,
  input: JobInput<N>,
  options: JobOptions = {},
): Promise<JobOutput<N>> {
  const { signal, onProgress, onPartial, onStart } = options;
  if (signal?.aborted) return Promise.reject(new Cancelled("cancelled"));
  const worker = idle.pop() ?? makeWorker();
  const id = ++lastId;
  const post = (message: PageMessage): void => worker.postMessage(message);
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const settle = (keep: boolean, end: () => void): void => {
      clearTimeout(timer);
      worker.onmessage = null;
      worker.onerror = null;
      worker.onmessageerror = null;
      signal?.removeEventListener("abort", cancel);
      if (keep && idle.length < mostIdle) idle.push(worker);
      else worker.terminate();
      end();
    };
    const cancel = (): void => {
      post({ kind: "cancel", id });
      timer = setTimeout(() => settle(false, () => reject(new Cancelled("cancelled"))), patience);
    };
    signal?.addEventListener("abort", cancel, { once: true });
    worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
      if (data.id !== id) return;
      if (data.kind === "progress") onProgress?.(data.fraction, data.note);
      else if (data.kind === "partial") onPartial?.(data.value);
      else if (data.kind === "done") settle(true, () => resolve(data.value as JobOutput<N>));
      else settle(true, () => reject(signal?.aborted ? new Cancelled("cancelled") : new Error(data.message)));
    };
    worker.onerror = (event) =>
      settle(false, () => reject(new Error(event.message || "the worker failed to start")));
    worker.onmessageerror = () =>
      settle(false, () => reject(new Error("an answer of the worker could not be read")));
    post({ kind: "start", id, job, input });
    onStart?.((message) => post({ kind: "tell", id, message }));
  });
}
