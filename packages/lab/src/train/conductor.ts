// Leads a run in its worker: does what the page says, keeps the pace, and shows how the run stands.
import { tensor } from "@lemmata/core/graph";
import type { TrainReport, TrainTell } from "./messages.ts";
import type { Settings } from "./settings.ts";
import { type OpenRun, openedBy, openRun, snapshotOf } from "./snapshot.ts";
import { taskOf } from "./task.ts";

/** Milliseconds: of a chunk of steps, the least between two snapshots, and of a wait for the pace. */
const [chunkTime, snapshotPause, paceWait] = [25, 70, 10];

export interface ConductorOptions {
  readonly settings: Settings;
  readonly running: boolean;
  /** The address of the folder with MNIST's files. */
  readonly digitsAt: string;
  readonly say: (report: TrainReport) => void;
}

export class Conductor {
  readonly #say: ConductorOptions["say"];
  readonly #digitsAt: string;
  #settings: Settings;
  #running: boolean;
  #run: OpenRun | undefined;
  /** Steps of the next chunk. */
  #chunk = 1;
  /** When the next snapshot may be made, and whether the page has shown the last. */
  #due = 0;
  #isShown = true;
  /** Where the pace is counted from. */
  #pace = { at: 0, step: 0 };

  constructor({ settings, running, digitsAt, say }: ConductorOptions) {
    [this.#settings, this.#running, this.#digitsAt, this.#say] = [settings, running, digitsAt, say];
  }

  get isRunning(): boolean {
    return this.#running && this.#run !== undefined;
  }

  /** A new run with the settings of now. */
  async open(): Promise<void> {
    await this.close();
    this.#say({ kind: "loading" });
    const run = openRun(this.#settings, await taskOf(this.#settings, this.#digitsAt));
    [this.#run, this.#chunk] = [run, 1];
    this.#say(openedBy(this.#settings, run));
    await this.#show(run);
    this.#startPace();
  }

  async close(): Promise<void> {
    const run = this.#run;
    this.#run = undefined;
    await run?.trainer.close();
  }

  stop(): void {
    this.#running = false;
  }

  async hear(message: TrainTell): Promise<void> {
    if (message.kind === "shown") {
      this.#isShown = true;
      return;
    }
    if (message.kind === "configure") {
      [this.#settings, this.#running] = [message.settings, message.running];
      return this.open();
    }
    if (message.kind === "change") this.#settings = message.settings;
    else if (message.kind === "run") this.#running = true;
    else if (message.kind !== "ask" && message.kind !== "model") this.#running = false;
    const run = this.#run;
    if (run) return this.#obey(message, run);
    // What could not be loaded is tried again.
    if (["run", "step", "reset"].includes(message.kind)) await this.open();
  }

  async #obey(message: TrainTell, run: OpenRun): Promise<void> {
    const { trainer } = run;
    if (message.kind === "model") return this.#say({ kind: "model", bytes: trainer.model() });
    if (message.kind === "ask") {
      const { id, input } = message;
      if (input.length !== trainer.inputs) return; // asked of a network that is gone
      const x = tensor(input, { type: "float32", dims: [1, input.length] });
      return this.#say({ kind: "answer", id, scores: await trainer.scores(x) });
    }
    if (message.kind === "reset") trainer.reset();
    if (message.kind === "step" && trainer.step < this.#steps(run)) await this.#advance(run, 1);
    this.#startPace();
    await this.#show(run);
  }

  /** Some steps, if the pace allows them; gives how many milliseconds to wait. */
  async turn(): Promise<number> {
    const run = this.#run;
    if (!run) return 0;
    const count = this.#allowed(run);
    if (count < 1) return paceWait;
    const began = performance.now();
    await this.#advance(run, count);
    const spent = Math.max(0.05, performance.now() - began);
    this.#chunk = Math.max(1, Math.min(8 * count, Math.round((count * chunkTime) / spent)));
    const isOver = run.trainer.step >= this.#steps(run);
    if (isOver) this.#running = false;
    if (!this.#running || (this.#isShown && performance.now() >= this.#due)) await this.#show(run);
    return 0;
  }

  #steps({ trainer }: OpenRun): number {
    return this.#settings.epochs * trainer.perEpoch;
  }

  #startPace(): void {
    this.#pace = { at: performance.now(), step: this.#run?.trainer.step ?? 0 };
  }

  #allowed({ trainer }: OpenRun): number {
    const { speed } = this.#settings;
    if (speed === "full") return this.#chunk;
    const { at, step } = this.#pace;
    const reached = step + (Number(speed) * (performance.now() - at)) / 1000;
    return Math.min(this.#chunk, Math.floor(reached) - trainer.step);
  }

  /** A run whose loss leaves all bounds is paused. */
  async #advance({ trainer }: OpenRun, count: number): Promise<void> {
    const steps = this.#settings.epochs * trainer.perEpoch;
    if (trainer.step >= steps) return;
    const bad = await trainer.advance(count, this.#settings, steps);
    if (!bad) return;
    this.#running = false;
    this.#say({ kind: "diverged", ...bad, kept: trainer.step });
  }

  async #show(run: OpenRun): Promise<void> {
    const began = performance.now();
    const { trainer } = run;
    let snapshot = await snapshotOf(run, this.#settings, this.#running);
    if (Number.isFinite(snapshot.train.loss)) trainer.keep();
    else {
      this.#running = false;
      trainer.back();
      const { step, train } = snapshot;
      this.#say({ kind: "diverged", loss: train.loss, badStep: step, kept: trainer.step });
      snapshot = await snapshotOf(run, this.#settings, false);
    }
    this.#say(snapshot);
    this.#isShown = false;
    const now = performance.now();
    this.#due = now + Math.max(snapshotPause, 3 * (now - began)); // a quarter of the time at most
  }
}
