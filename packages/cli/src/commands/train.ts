import {
  initialState,
  type OptimizerName,
  optimizers,
  type Progress,
  type ScheduleName,
  type Score,
  schedules,
  score as scoreOf,
  type Trained,
  type TrainingState,
  type TrainOptions,
  train,
  trainedModel,
  training,
} from "@lemmata/core/train";
import { oneOf } from "../choice.ts";
import { checkOutput, writeNetwork, writeWhole } from "../files.ts";
import { type CommonOptions, number, print, printJson, table } from "../output.ts";
import { interruptSignal, progressBar } from "../progress.ts";
import { loadCheckpoint, type RunSettings, saveCheckpoint } from "../train-checkpoint.ts";
import { startingNetwork, type Task, type TrainSettings, taskFor } from "../train-data.ts";
import { recordCsv, recordFigure, TrainRecord } from "../train-record.ts";
import { UsageError } from "../usage-error.ts";

interface Options extends CommonOptions, TrainSettings {
  readonly seed: number;
  readonly optimizer: string;
  readonly rate?: number;
  readonly schedule: string;
  readonly warmup?: number;
  readonly momentum?: number;
  readonly epochs: number;
  readonly steps?: number;
  readonly batch: string;
  readonly weightDecay?: number;
  readonly l1?: number;
  readonly proximalL1?: number;
  readonly clip?: number;
  readonly average?: string;
  readonly stopBelow?: number;
  readonly patience?: number;
  readonly threads?: number;
  readonly out?: string;
  readonly log?: string;
  readonly svg?: string;
  readonly checkpoint?: string;
  readonly resume?: boolean;
}

/** `lemmata train "784-256-relu-10" --data mnist --epochs 5 --out trained.onnx` */
export default async function trainCommand(net: string, options: Options): Promise<void> {
  checkFiles(options);
  const model = await startingNetwork(net, options);
  const task = taskFor(model, options);
  const plan = trainOptions(options, task);
  const settings = runSettings(net, options, task);
  const run = training(model, plan);
  const from = options.resume
    ? loadCheckpoint(options.checkpoint!, run, settings)
    : initialState(run, options.seed);
  const course = new Course(options, task, plan, settings);
  const result = await train(model, task.train, {
    ...plan,
    from,
    onProgress: (p) => course.progress(p),
    signal: interruptSignal(),
  });
  course.bar.done();
  const state = result.ended === "diverged" ? result.state : (course.best?.state ?? result.state);
  await finish(net, options, task, result, state, course);
}

function checkFiles(options: Options): void {
  checkOutput("--out", options.out, ".onnx");
  checkOutput("--log", options.log, ".csv");
  checkOutput("--svg", options.svg, ".svg");
  checkOutput("--checkpoint", options.checkpoint, ".npz");
  if (options.resume && !options.checkpoint)
    throw new UsageError("--resume needs --checkpoint FILE to go on from");
}

function trainOptions(options: Options, { loss, train: { x } }: Task): TrainOptions {
  const { average, stopBelow, steps, epochs, seed, threads, rate, warmup, momentum } = options;
  const batch = options.batch === "full" ? "full" : Number(options.batch);
  if (batch !== "full" && !(Number.isInteger(batch) && batch > 0))
    throw new UsageError(`--batch ${options.batch}: a number of examples, or full`);
  const decay = average === undefined || average === "mean" ? average : Number(average);
  if (typeof decay === "number" && !(decay > 0 && decay < 1))
    throw new UsageError(`--average ${average}: "mean", or a number between 0 and 1`);
  const optimizer = oneOf("--optimizer", options.optimizer, Object.keys(optimizers) as OptimizerName[]);
  return {
    ...definite({
      weightDecay: options.weightDecay,
      l1: options.l1,
      proximalL1: options.proximalL1,
      clip: options.clip,
    }),
    ...definite({ averaging: decay, floor: stopBelow, steps, threads, rate, warmup, momentum }),
    ...{ loss, optimizer, epochs, seed },
    batch: batch === "full" || batch >= x.dims[0]! ? "full" : batch,
    schedule: oneOf("--schedule", options.schedule, Object.keys(schedules) as ScheduleName[]),
    eachEpoch: options.patience !== undefined,
  };
}

/** Without the entries that are undefined. */
const definite = <T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, v]) => v !== undefined)) as never;

/** All that a step depends on. */
const runSettings = (net: string, options: Options, { loss }: Task): RunSettings => ({
  network: net,
  loss,
  data: options.data,
  optimizer: options.optimizer,
  schedule: options.schedule,
  batch: options.batch,
  epochs: options.steps === undefined ? options.epochs : null,
  ...Object.fromEntries(
    (
      [
        "rate",
        "warmup",
        "momentum",
        "steps",
        "weightDecay",
        "l1",
        "proximalL1",
        "clip",
        "average",
        "testFraction",
        "count",
        "noise",
        "seed",
      ] as const
    ).map((name) => [name, options[name] ?? null]),
  ),
});

/** Follows a run: the bar, a line an epoch, tests, checkpoints, and when to stop. */
class Course {
  readonly record = new TrainRecord();
  readonly bar: ReturnType<typeof progressBar>;
  best: { readonly loss: number; readonly state: TrainingState; readonly step: number } | undefined;
  #stale = 0;

  constructor(
    readonly options: Options,
    readonly task: Task,
    readonly plan: TrainOptions,
    readonly settings: RunSettings,
  ) {
    this.bar = progressBar("train", options);
  }

  async progress(progress: Progress): Promise<"stop" | undefined> {
    const { step, steps, losses, rates } = progress;
    this.record.add(progress);
    this.bar.update(
      step / steps,
      `loss ${number(Number(losses.at(-1)!.toPrecision(3)))}, rate ${number(Number(rates.at(-1)!.toPrecision(3)))}`,
    );
    if (!progress.epochEnded && step < steps) return undefined;
    const verdict = await this.#epoch(progress);
    if (this.options.checkpoint) saveCheckpoint(this.options.checkpoint, progress.state, this.settings);
    return verdict;
  }

  async #epoch({ training: run, state, step, steps, perEpoch }: Progress): Promise<"stop" | undefined> {
    const { test } = this.task;
    const score =
      test &&
      (await scoreOf(
        run,
        state,
        test,
        this.plan.threads === undefined ? {} : { threads: this.plan.threads },
      ));
    if (score) this.record.tests.push({ step, score });
    this.#line(score, step / perEpoch, steps / perEpoch, perEpoch);
    const { patience } = this.options;
    if (patience === undefined) return undefined;
    if (!score) throw new UsageError("--patience needs test data: set --test-fraction above 0");
    if (!this.best || score.loss < this.best.loss) this.best = { loss: score.loss, state, step };
    this.#stale = this.best.step === step ? 0 : this.#stale + 1;
    return this.#stale >= patience ? "stop" : undefined;
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

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;
const scoreText = ({ loss, accuracy }: Score): string =>
  `loss ${loss.toPrecision(4)}${accuracy === undefined ? "" : `, ${percent(accuracy)} right`}`;

async function finish(
  net: string,
  options: Options,
  task: Task,
  result: Trained,
  state: TrainingState,
  { record, settings }: Course,
): Promise<void> {
  const { training: run, perEpoch, seconds, ended } = result;
  const threads = options.threads === undefined ? {} : { threads: options.threads };
  const [onTrain, onTest] = [
    await scoreOf(run, state, task.train, threads),
    task.test && (await scoreOf(run, state, task.test, threads)),
  ];
  if (options.out) writeNetwork(options.out, trainedModel(run, state));
  if (options.checkpoint) saveCheckpoint(options.checkpoint, result.state, settings);
  if (options.log) writeWhole(options.log, recordCsv(record, perEpoch));
  if (options.svg) {
    const { figureSvg } = await import("../svg.ts");
    writeWhole(
      options.svg,
      await figureSvg(recordFigure(record, perEpoch, `${net} on ${task.dataset.name}`)),
    );
  }
  const made = record.steps.length;
  const summary = {
    steps: state.step,
    epochs: state.step / perEpoch,
    trainLoss: onTrain.loss,
    trainAccuracy: onTrain.accuracy ?? null,
    testLoss: onTest?.loss ?? null,
    testAccuracy: onTest?.accuracy ?? null,
    seconds,
    secondsPerStep: seconds / Math.max(1, made),
    ended,
  };
  if (options.json) printJson(summary);
  else if (!options.quiet) print(`\n${resultTable(task, onTrain, onTest, result, state, options)}`);
  if (ended === "diverged") {
    process.exitCode = 1;
    process.stderr.write(
      `lemmata: the loss became ${result.losses.at(-1)} at step ${state.step + 2}: training stopped, with the weights of step ${state.step}; try a smaller --rate\n`,
    );
  } else if (ended === "stopped" && options.patience === undefined) process.exitCode = 130;
}

function resultTable(
  task: Task,
  train: Score,
  test: Score | undefined,
  { seconds, ended, perEpoch }: Trained,
  { step }: TrainingState,
  options: Options,
): string {
  const row = (name: string, score: Score) => [
    name,
    score.loss.toPrecision(5),
    score.accuracy === undefined ? "" : percent(score.accuracy),
  ];
  const written = [options.out, options.log, options.svg, options.checkpoint].filter(Boolean);
  const endings = {
    done: "",
    floor: ", ended by --stop-below",
    diverged: ", diverged",
    stopped: ", stopped",
  };
  return [
    table(
      [`${task.loss} loss`, "loss", "right"],
      [row("training", train), ...(test ? [row("test", test)] : [])],
      [1, 2],
    ),
    `${number(step)} steps (${number(Number((step / perEpoch).toFixed(2)))} epochs) in ${seconds.toFixed(1)} s${endings[ended]}`,
    ...(written.length > 0 ? [`written: ${written.join(", ")}`] : []),
  ].join("\n");
}
