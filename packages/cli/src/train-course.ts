// Follows a training run: the bar, a line an epoch, tests, checkpoints, and when it is enough.
import {
  type Progress,
  type Score,
  score as scoreOf,
  type TrainingState,
  type TrainOptions,
} from "@lemmata/core/train";
import { number, print } from "./output.ts";
import { progressBar } from "./progress.ts";
import { type RunSettings, saveCheckpoint } from "./train-checkpoint.ts";
import type { Task } from "./train-data.ts";
import type { TrainCommandOptions } from "./train-options.ts";
import { TrainRecord } from "./train-record.ts";

export const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;
const scoreText = ({ loss, accuracy }: Score): string =>
  `loss ${loss.toPrecision(4)}${accuracy === undefined ? "" : `, ${percent(accuracy)} right`}`;

export class Course {
  readonly record = new TrainRecord();
  readonly bar: ReturnType<typeof progressBar>;
  best: { readonly loss: number; readonly state: TrainingState; readonly step: number } | undefined;
  #stale = 0;

  constructor(
    readonly options: TrainCommandOptions,
    readonly task: Task,
    readonly plan: TrainOptions,
    readonly settings: RunSettings,
  ) {
    this.bar = progressBar("train", options);
  }

  async progress(progress: Progress): Promise<"enough" | undefined> {
    const { step, steps, losses, rates } = progress;
    this.record.add(progress);
    this.bar.update(
      step / steps,
      `loss ${number(Number(losses.at(-1)!.toPrecision(3)))}, rate ${number(Number(rates.at(-1)!.toPrecision(3)))}`,
    );
    const apart = progress.perEpoch * (this.plan.epochsApart ?? 1);
    if (step % apart !== 0 && step < steps) return undefined;
    const verdict = await this.#epoch(progress);
    if (this.options.checkpoint) saveCheckpoint(this.options.checkpoint, progress.state, this.settings);
    return verdict;
  }

  async #epoch({ training: run, state, step, steps, perEpoch }: Progress): Promise<"enough" | undefined> {
    const { test } = this.task;
    const score = test && (await scoreOf(run, state, test, this.plan));
    if (score) this.record.tests.push({ step, score });
    this.#line(score, step / perEpoch, steps / perEpoch, perEpoch);
    const { patience } = this.options;
    if (patience === undefined || !score) return undefined;
    if (!this.best || score.loss < this.best.loss) this.best = { loss: score.loss, state, step };
    this.#stale = this.best.step === step ? 0 : this.#stale + 1;
    return this.#stale >= patience ? "enough" : undefined;
  }

  #line(score: Score | undefined, epoch: number, epochs: number, perEpoch: number): void {
    if (this.options.quiet || this.options.json) return;
    const { loss, accuracy } = this.record.lately(perEpoch);
    this.bar.done();
    print(
      `epoch ${number(Number(epoch.toFixed(2)))}/${number(Number(epochs.toFixed(2)))}  ${scoreText({ loss, ...(accuracy === undefined ? {} : { accuracy }) })}${score ? `  test: ${scoreText(score)}` : ""}`,
    );
  }
}
