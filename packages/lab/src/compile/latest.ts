// Runs the newest of many inputs. One that is overtaken may finish while it is quick, so that dragging shows something
// on the way; otherwise it is stopped.

export interface Latest<Input> {
  /** Makes this the newest input. */
  push(input: Input): void;
  /** Stops what runs and forgets what waits. */
  cancel(): void;
}

export interface LatestOptions {
  /** How long the first input waits for newer ones, in milliseconds. */
  readonly delay: number;
  /** How long an overtaken run may go on. */
  readonly patience: number;
  readonly onBusy?: (isBusy: boolean) => void;
}

/** `run` has to end soon when its signal is aborted, and must not reject. */
export function latest<Input>(
  run: (input: Input, signal: AbortSignal) => Promise<void>,
  { delay, patience, onBusy = () => {} }: LatestOptions,
): Latest<Input> {
  let waiting: { readonly input: Input } | undefined;
  let running: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let overtime: ReturnType<typeof setTimeout> | undefined;

  async function next(): Promise<void> {
    if (running || !waiting) return;
    const { input } = waiting;
    waiting = undefined;
    const abort = new AbortController();
    running = abort;
    onBusy(true);
    await run(input, abort.signal);
    clearTimeout(overtime);
    overtime = undefined;
    running = undefined;
    if (waiting) void next();
    else onBusy(false);
  }

  return {
    push(input) {
      waiting = { input };
      timer ??= setTimeout(() => {
        timer = undefined;
        void next();
      }, delay);
      if (running && overtime === undefined) {
        const overtaken = running;
        overtime = setTimeout(() => overtaken.abort(), patience);
      }
    },
    cancel() {
      clearTimeout(timer);
      timer = undefined;
      waiting = undefined;
      running?.abort();
    },
  };
}
