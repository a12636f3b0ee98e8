// What a person sees of a sweep: done of all, how fast, how many failed.
import { type CommonOptions, number } from "../output.ts";
import { progressBar } from "../progress.ts";

export class SweepProgress {
  readonly #bar;
  readonly #total: number;
  readonly #before: number;
  readonly #start = performance.now();
  #ran = 0;
  #failed = 0;

  /** Of `total` jobs, `before` were done earlier. */
  constructor(label: string, total: number, before: number, options: CommonOptions) {
    this.#bar = progressBar(label, options, { onPipe: false });
    [this.#total, this.#before] = [total, before];
  }

  get ran(): number {
    return this.#ran;
  }

  ended(isDone: boolean): void {
    this.#ran++;
    if (!isDone) this.#failed++;
    this.show();
  }

  show(): void {
    const rate = this.#ran / ((performance.now() - this.#start) / 1000);
    const failed = this.#failed > 0 ? `, ${number(this.#failed)} failed` : "";
    const done = `${number(this.#before + this.#ran)} of ${number(this.#total)} jobs`;
    this.#bar.update(
      this.#ran / Math.max(1, this.#total - this.#before),
      `${done}, ${number(Number(rate.toPrecision(2)))} a second${failed}`,
    );
  }

  close(): Promise<void> {
    return this.#bar.done();
  }
}
