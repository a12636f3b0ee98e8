// What the command line says about a training run, as the library reads it.
import {
  type LogitPenalties,
  logitPenaltyNames,
  type OptimizerName,
  optimizers,
  type ScheduleName,
  schedules,
  type TrainOptions,
} from "@lemmata/core/train";
import { oneOf } from "./choice.ts";
import { checkOutput } from "./files.ts";
import type { CommonOptions } from "./output.ts";
import type { RunSettings } from "./train-checkpoint.ts";
import type { Task, TrainSettings } from "./train-data.ts";
import { UsageError } from "./usage-error.ts";

export interface TrainCommandOptions extends CommonOptions, TrainSettings {
  readonly seed: number;
  readonly optimizer: string;
  readonly rate?: number;
  readonly schedule: string;
  readonly warmup?: number;
  readonly momentum?: number;
  readonly epochs: number;
  readonly steps?: number;
  readonly batch?: string;
  readonly weightDecay?: number;
  readonly l1?: number;
  readonly proximalL1?: number;
  readonly penalty?: string;
  readonly clip?: number;
  readonly sparsityGraph?: string;
  readonly prune?: number;
  readonly pruneRounds?: number;
  readonly pruneRestart?: string;
  readonly pruneScope?: string;
  readonly pruneBy?: string;
  readonly average?: string;
  readonly stopBelow?: number;
  readonly patience?: number;
  readonly threads?: number;
  readonly operator?: string;
  readonly out?: string;
  readonly log?: string;
  readonly svg?: string;
  readonly checkpoint?: string;
  readonly resume?: boolean;
}

/** What would stop the command at its end is said at its beginning. */
export function checkFiles(options: TrainCommandOptions): void {
  checkOutput("--out", options.out, ".onnx");
  checkOutput("--log", options.log, ".csv");
  checkOutput("--svg", options.svg, ".svg");
  checkOutput("--checkpoint", options.checkpoint, ".npz");
  if (options.resume && !options.checkpoint)
    throw new UsageError("--resume needs --checkpoint FILE to go on from");
  if (options.patience !== undefined && options.checkpoint)
    throw new UsageError(
      "--patience and --checkpoint exclude each other: a checkpoint does not hold the best weights",
    );
}

export function trainOptions(options: TrainCommandOptions, { loss, train: { x }, test }: Task): TrainOptions {
  const { average, stopBelow, steps, epochs, seed, threads, rate, warmup, momentum } = options;
  const given = options.batch ?? (options.optimizer === "gd" ? "full" : "128");
  const batch = given === "full" ? "full" : Number(given);
  if (batch !== "full" && !(Number.isInteger(batch) && batch > 0))
    throw new UsageError(`--batch ${options.batch}: a number of examples, or full`);
  const decay = average === undefined || average === "mean" ? average : Number(average);
  if (typeof decay === "number" && !(decay > 0 && decay < 1))
    throw new UsageError(`--average ${average}: "mean", or a number between 0 and 1`);
  if (options.patience !== undefined && !test)
    throw new UsageError("--patience needs test data: set --test-fraction above 0");
  const optimizer = oneOf("--optimizer", options.optimizer, Object.keys(optimizers) as OptimizerName[]);
  return {
    ...definite({
      weightDecay: options.weightDecay,
      l1: options.l1,
      proximalL1: options.proximalL1,
      clip: options.clip,
    }),
    ...penaltyOf(options.penalty),
    ...definite({ averaging: decay, floor: stopBelow, steps, threads, rate, warmup, momentum }),
    ...{ loss, optimizer, epochs, seed },
    batch: batch === "full" || batch >= x.dims[0]! ? "full" : batch,
    schedule: oneOf("--schedule", options.schedule, Object.keys(schedules) as ScheduleName[]),
    epochsApart:
      options.patience === undefined ? Math.ceil(epochsOf(options, batch, x.dims[0]!) / mostTests) : 1,
  };
}

/** `darc1=0.064` */
function penaltyOf(text: string | undefined): LogitPenalties {
  if (text === undefined) return {};
  const [name, value, more] = text.split("=");
  const lambda = value?.trim() ? Number(value) : Number.NaN;
  if (more !== undefined || !(lambda >= 0 && lambda < Number.POSITIVE_INFINITY))
    throw new UsageError(`--penalty ${text}: a name and a number that is not negative, as in darc1=0.064`);
  return { [oneOf("--penalty", name!, [...logitPenaltyNames])]: lambda };
}

/** With many short epochs the test data are looked at now and then: at fixed steps, whatever the clock says. */
const mostTests = 200;

const epochsOf = (
  { steps, epochs }: TrainCommandOptions,
  batch: number | "full",
  examples: number,
): number => (steps === undefined ? epochs : steps / (batch === "full" ? 1 : Math.ceil(examples / batch)));

/** Without the entries that are undefined. */
const definite = <T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, v]) => v !== undefined)) as never;

/** Schedules whose rates depend on how long the run will be: such a run cannot be prolonged. */
const timed = ["linear", "cosine", "staircase"];

const settingNames = [
  ...([
    "data",
    "type",
    "optimizer",
    "schedule",
    "rate",
    "warmup",
    "momentum",
    "weightDecay",
    "l1",
    "proximalL1",
    "penalty",
  ] as const),
  ...(["clip", "average", "testFraction", "count", "noise", "labelNoise", "seed", "sparsityGraph"] as const),
];

/** All that a step depends on. */
export const runSettings = (
  net: string,
  options: TrainCommandOptions,
  { loss, train }: Task,
  { batch }: TrainOptions,
): RunSettings => ({
  network: net,
  loss,
  examples: train.x.dims[0]!,
  batch: batch!,
  ...Object.fromEntries(settingNames.map((name) => [name, options[name] ?? null])),
  ...(timed.includes(options.schedule)
    ? { epochs: options.steps === undefined ? options.epochs : null, steps: options.steps ?? null }
    : {}),
});
