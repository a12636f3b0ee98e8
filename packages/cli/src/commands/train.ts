import { existsSync, readFileSync } from "node:fs";
import { type Graph, isFloat, numbers } from "@lemmata/core/graph";
import {
  initialState,
  type Progress,
  type PruneOptions,
  prune,
  type Score,
  score as scoreOf,
  type Trained,
  type TrainingState,
  type TrainOptions,
  train,
  trainedModel,
  training,
} from "@lemmata/core/train";
import { writeNetwork, writeWhole } from "../files.ts";
import { number, print, printJson, table } from "../output.ts";
import { interruptSignal } from "../progress.ts";
import { loadCheckpoint, type RunSettings, saveCheckpoint } from "../train-checkpoint.ts";
import { Course, percent } from "../train-course.ts";
import { startingNetwork, type Task, taskFor } from "../train-data.ts";
import { checkFiles, runSettings, type TrainCommandOptions, trainOptions } from "../train-options.ts";
import {
  connections,
  pruneOptions,
  type RoundScore,
  roundCells,
  roundJson,
  roundScore,
} from "../train-pruning.ts";
import { recordCsv, recordFigure } from "../train-record.ts";
import { UsageError } from "../usage-error.ts";
import { isGenerator, trainGenerator } from "./train-generator.ts";

/** `lemmata train "784-256-relu-10" --data mnist --epochs 5 --out trained.onnx` */
export default async function trainCommand(net: string, options: TrainCommandOptions): Promise<void> {
  if (isGenerator(net)) return trainGenerator(net, options);
  if (options.operator !== undefined)
    throw new UsageError("--operator is there for inversion:... and unrolled:...");
  checkFiles(options);
  const model = await startingNetwork(net, options);
  const task = taskFor(model, options);
  const masks = await connections(model, options);
  const plan = { ...trainOptions(options, task), ...(masks ? { masks } : {}) };
  const pruning = pruneOptions(options);
  const settings = runSettings(net, options, task, plan);
  const run = training(model, plan);
  const from = options.resume
    ? loadCheckpoint(options.checkpoint!, run, settings)
    : initialState(run, options.seed);
  requireFinite(from, options.resume ? options.checkpoint! : net);
  if (pruning) return pruneAndFinish(net, options, task, { model, plan, settings, pruning });
  const course = new Course(options, task, plan, settings);
  if (options.resume && options.log && existsSync(options.log))
    course.record.recall(readFileSync(options.log, "utf8"), from.step);
  const result = await train(model, task.train, {
    ...plan,
    from,
    onProgress: (p) => course.progress(p),
    signal: interruptSignal(),
  });
  course.bar.done();
  const state = course.best?.state ?? result.state;
  await finish(net, options, task, result, state, course);
}

interface Pruned {
  readonly model: Graph;
  readonly plan: TrainOptions;
  readonly settings: RunSettings;
  readonly pruning: PruneOptions;
}

/** Rounds of training, each with fewer weights; the files are of the last one. */
async function pruneAndFinish(
  net: string,
  options: TrainCommandOptions,
  task: Task,
  { model, plan, settings, pruning }: Pruned,
): Promise<void> {
  let course = new Course(options, task, plan, settings);
  const scores: RoundScore[] = [];
  const run = { ...plan, onProgress: (p: Progress) => course.progress(p), signal: interruptSignal() };
  const rounds = await prune(model, task.train, run, pruning, async (round) => {
    course.bar.done();
    scores.push(await roundScore(round, task, options));
    if (!options.quiet && !options.json)
      print(`round ${scores.length}: ${percent(round.sparsity)} of the weights cut`);
    if (scores.length <= pruning.rounds!) course = new Course(options, task, plan, settings);
  });
  const { trained } = rounds.at(-1)!;
  await finish(net, options, task, trained, trained.state, course, scores);
}

/** Weights that are no numbers cannot be trained, and must not be written over ones that are. */
function requireFinite({ tensors }: TrainingState, where: string): void {
  for (const [name, tensor] of Object.entries(tensors))
    if (isFloat(tensor.type) && numbers(tensor).some((value) => !Number.isFinite(value)))
      throw new UsageError(
        `${where}: ${name} has values that are not finite: nothing was trained or written`,
      );
}

async function finish(
  net: string,
  options: TrainCommandOptions,
  task: Task,
  result: Trained,
  state: TrainingState,
  { record, settings }: Course,
  rounds: readonly RoundScore[] = [],
): Promise<void> {
  const { training: run, perEpoch, seconds, ended } = result;
  requireFinite(state, "after the training");
  const [onTrain, onTest] = [
    await scoreOf(run, state, task.train, options),
    task.test && (await scoreOf(run, state, task.test, options)),
  ];
  if (options.checkpoint) saveCheckpoint(options.checkpoint, result.state, settings);
  if (options.out) writeNetwork(options.out, trainedModel(run, state));
  if (options.log) writeWhole(options.log, recordCsv(record, perEpoch));
  if (options.svg) {
    const { figureSvg } = await import("../svg.ts");
    writeWhole(
      options.svg,
      await figureSvg(recordFigure(record, perEpoch, `${net} on ${task.dataset.name}`)),
    );
  }
  const summary = {
    steps: state.step,
    epochs: state.step / perEpoch,
    trainLoss: onTrain.loss,
    trainAccuracy: onTrain.accuracy ?? null,
    testLoss: onTest?.loss ?? null,
    testAccuracy: onTest?.accuracy ?? null,
    seconds,
    secondsPerStep: seconds / Math.max(1, result.losses.length),
    ended,
    ...(rounds.length > 0 ? { rounds: rounds.map(roundJson) } : {}),
  };
  if (rounds.length > 0 && !options.json && !options.quiet) print(`\n${roundTable(rounds)}`);
  if (options.json) printJson(summary);
  else if (!options.quiet) print(`\n${resultTable(task, onTrain, onTest, result, state, options)}`);
  if (ended === "diverged") {
    process.exitCode = 1;
    process.stderr.write(
      `lemmata: the loss became ${result.losses.at(-1)} in step ${result.badStep}: training stopped, with the weights of step ${state.step}; try a smaller --rate\n`,
    );
  } else if (ended === "stopped") process.exitCode = 130;
}

function roundTable(rounds: readonly RoundScore[]): string {
  const columns = ["cut", "training loss", "right", ...(rounds[0]!.test ? ["test loss", "right"] : [])];
  return table(columns, rounds.map(roundCells), [0, 1, 2, 3, 4]);
}

function resultTable(
  task: Task,
  train: Score,
  test: Score | undefined,
  { seconds, ended, perEpoch }: Trained,
  { step }: TrainingState,
  options: TrainCommandOptions,
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
    enough: ", ended by --patience",
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
