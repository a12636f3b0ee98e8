// Runs a lemma as its parameters move: one run at a time, the newest wish next, and what was shown stays until there is
// something newer.
import { Cancelled, work } from "../worker/client.ts";
import type { LemmaInput, LemmaOutput } from "../worker/jobs/run-lemma.ts";

/** A run may take this long although somebody wants another; so a slider that moves shows pictures on its way. */
const fair = 250;
/** Lemmata that take longer wait until the slider rests. */
const rest = 140;
/** A run that is over before this shows no progress: it would only flicker. */
const noticeable = 350;

const sleep = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time));

export class LemmaRun {
  /** The newest that there is. */
  outcome = $state.raw<LemmaOutput>();
  /** The newest with something to draw: it stays, marked as old, where a hypothesis forbids a newer one. */
  drawn = $state.raw<LemmaOutput>();
  running = $state(false);
  /** Whether it has taken long enough to say so. */
  slow = $state(false);
  fraction = $state(0);
  problem = $state<string>();
  /** Somebody pressed Cancel, and nothing newer was asked for. */
  stopped = $state(false);

  #wish: LemmaInput | undefined;
  #current: { readonly abort: AbortController; readonly since: number } | undefined;
  #lastTook = 0;

  ask(input: LemmaInput): void {
    this.#wish = input;
    this.stopped = false;
    const current = this.#current;
    if (!this.running) void this.#loop();
    if (!current) return;
    setTimeout(() => current.abort.abort(), Math.max(0, current.since + fair - performance.now()));
  }

  cancel(): void {
    this.#wish = undefined;
    this.#current?.abort.abort();
  }

  async #loop(): Promise<void> {
    this.running = true;
    const timer = setTimeout(() => {
      this.slow = true;
    }, noticeable);
    while (this.#wish) {
      if (this.#lastTook > fair) await this.#untilAtRest();
      const wish = this.#wish;
      this.#wish = undefined;
      if (wish) await this.#run(wish);
    }
    clearTimeout(timer);
    this.running = false;
    this.slow = false;
  }

  async #untilAtRest(): Promise<void> {
    let seen: LemmaInput | undefined;
    while (seen !== this.#wish) {
      seen = this.#wish;
      await sleep(rest);
    }
  }

  async #run(input: LemmaInput): Promise<void> {
    const [abort, since] = [new AbortController(), performance.now()];
    this.#current = { abort, since };
    this.fraction = 0;
    try {
      const outcome = await work("runLemma", input, {
        signal: abort.signal,
        onProgress: (fraction) => {
          this.fraction = fraction;
        },
      });
      this.outcome = outcome;
      if (outcome.hypothesis === undefined) this.drawn = outcome;
      this.problem = undefined;
    } catch (error) {
      if (!(error instanceof Cancelled)) this.problem = (error as Error).message;
      else if (!this.#wish) this.stopped = true;
    } finally {
      this.#lastTook = performance.now() - since;
      this.#current = undefined;
    }
  }
}
