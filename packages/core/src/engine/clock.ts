// Time, signals and progress of a search that must not hold up the rest of the program.
import type { Steps } from "./steps.ts";

export interface SearchOptions {
  /** Stop after so many seconds; default: never. */
  readonly seconds?: number;
  readonly signal?: AbortSignal;
  /** What share of the work is done, and with how many boxes. */
  readonly onProgress?: (fraction: number, boxes: number) => void;
  /** Seed of the random points of the search for counterexamples. */
  readonly seed?: number;
}

/** Milliseconds of work between two looks at the event loop. */
const stretch = 25;

export class Clock {
  readonly #start = performance.now();
  readonly #limit: number;
  readonly #signal: AbortSignal | undefined;
  #rested = this.#start;

  constructor({ seconds = Number.POSITIVE_INFINITY, signal }: SearchOptions) {
    this.#limit = 1000 * seconds;
    this.#signal = signal;
    signal?.throwIfAborted();
  }

  get seconds(): number {
    return (performance.now() - this.#start) / 1000;
  }

  get isOver(): boolean {
    return performance.now() - this.#start > this.#limit;
  }

  /** Is it time to let others run? */
  get isTired(): boolean {
    return performance.now() - this.#rested > stretch;
  }

  async rest(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#signal?.throwIfAborted();
    this.#rested = performance.now();
  }

  /** Runs steps to their end, with rests between them; undefined when the time is over before. */
  async finish<T>(steps: Steps<T>, onRest?: () => void): Promise<T | undefined> {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value as T;
      if (!this.isTired) continue;
      onRest?.();
      await this.rest();
      if (this.isOver) return undefined;
    }
  }
}
