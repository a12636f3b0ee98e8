// Trains a network: chunks of steps, each one call of ONNX Runtime, with progress in between.
import type { Graph } from "../graph/graph.ts";
import {
  type Advance,
  type AdvanceOptions,
  advance,
  initialState,
  type TrainingData,
  type TrainingState,
  trainedModel,
} from "./advance.ts";
import { checkData } from "./check-data.ts";
import { TrainError } from "./error.ts";
import { defaultCoefficients, optimizers } from "./optimizer.ts";
import { type RateOptions, rates } from "./schedule.ts";
import type { TrainingOptions } from "./training/options.ts";
import { batchOf, type Training, training } from "./training.ts";

export interface TrainOptions extends TrainingOptions, Partial<RateOptions> {
  /** Passes over the data; default 10. */
  readonly epochs?: number;
  /** Steps, instead of epochs. */
  readonly steps?: number;
  readonly seed?: number;
  /** Training ends when a batch's loss is at or below this. */
  readonly floor?: number;
  readonly threads?: number;
  /** A run to go on with: the state of an earlier one with the same options. */
  readonly from?: TrainingState;
  /** Seconds between two reports; default 0.3. */
  readonly every?: number;
  /** Called between chunks of steps; "enough" ends the run. */
  readonly onProgress?: (progress: Progress) => Promise<"enough" | undefined> | undefined;
  /** Report at the end of every so many epochs, however short they are: where that is does not depend on the clock. */
  readonly epochsApart?: number;
  /** Ends the run after the steps under way; what has been learned is kept. */
  readonly signal?: AbortSignal;
}

export interface Progress {
  /** Steps made, of how many, and how many make an epoch. */
  readonly step: number;
  readonly steps: number;
  readonly perEpoch: number;
  /** Of the steps since the last report. */
  readonly losses: readonly number[];
  readonly accuracies: readonly number[];
  readonly state: TrainingState;
  readonly training: Training;
  /** Whether an epoch has just ended. */
  readonly epochEnded: boolean;
  /** Of the steps since the last report. */
  readonly rates: readonly number[];
}

export interface Trained {
  readonly model: Graph;
  readonly training: Training;
  readonly state: TrainingState;
  readonly steps: number;
  readonly perEpoch: number;
  /** The loss of every step's batch, before the step, and the share classified right. */
  readonly losses: readonly number[];
  readonly accuracies: readonly number[];
  /** "done", or why it ended before: the loss reached the floor, grew beyond all bounds, `onProgress` or `signal` said so. */
  readonly ended: "done" | "floor" | "diverged" | "enough" | "stopped";
  /** The step in which the loss was seen to diverge, counted from 1. */
  readonly badStep?: number;
  readonly seconds: number;
}

/** A loss that is this many times the first one (or this many, if that is more) will not come back. */
const diverging = 1e8;

/**
 * Trains a network on data; a diverging run ends with the last weights whose loss was finite.
 * @example train(initialNetwork("1-8-tanh-1"), { x: tensor([[0], [1]], { type: "float32" }), target: tensor([[1], [0]], { type: "float32" }) }, { loss: "square", epochs: 2 })
 */
export async function train(model: Graph, data: TrainingData, options: TrainOptions): Promise<Trained> {
  const run = training(model, options);
  checkData(run, data);
  const examples = data.x.dims[0]!;
  const batch = batchOf(options);
  const perEpoch = batch === "full" ? 1 : Math.ceil(examples / batch);
  const steps = options.steps ?? (options.epochs ?? 10) * perEpoch;
  if (!(Number.isInteger(steps) && steps > 0)) throw new TrainError(`cannot train for ${steps} steps`);
  const optimizer = optimizers[options.optimizer ?? "sgd"]({ ...defaultCoefficients, ...options });
  const rateOptions = { ...options, rate: options.rate ?? optimizer.defaultRate };
  const began = performance.now();
  const walk = { run, data, options, rateOptions, steps, perEpoch };
  const walked = await walkOn(walk, options.from ?? initialState(run, options.seed));
  const seconds = (performance.now() - began) / 1000;
  return { ...walked, model: trainedModel(run, walked.state), training: run, steps, perEpoch, seconds };
}

interface Walk {
  readonly run: Training;
  readonly data: TrainingData;
  readonly options: TrainOptions;
  readonly rateOptions: RateOptions;
  readonly steps: number;
  readonly perEpoch: number;
}

type Walked = Pick<Trained, "state" | "losses" | "accuracies" | "ended" | "badStep">;

/** A chunk that was made: from where, and how. */
interface Chunk {
  readonly from: TrainingState;
  readonly options: AdvanceOptions;
}

async function walkOn(walk: Walk, first: TrainingState): Promise<Walked> {
  const { run, data, options, rateOptions, steps } = walk;
  const { floor, threads, every = 0.3, signal } = options;
  const [losses, accuracies]: [number[], number[]] = [[], []];
  let [state, last, ended]: [TrainingState, Chunk | undefined, Trained["ended"]] = [first, undefined, "done"];
  for (let [size, limit] = [1, Number.MAX_VALUE]; state.step < steps && ended === "done"; ) {
    if (signal?.aborted) return { state, losses, accuracies, ended: "stopped" };
    const end = endOfChunk(walk, state.step, size);
    const chunk = {
      from: state,
      options: { rates: rates(rateOptions, state.step, end, steps), limit, floor, threads },
    };
    const began = performance.now();
    const next = await advance(run, state, data, chunk.options);
    for (const loss of next.losses) losses.push(loss);
    for (const accuracy of next.accuracies) accuracies.push(accuracy);
    if (next.stopped === "limit")
      return diverged(walk, [last, chunk], next.losses.length - 1, { losses, accuracies });
    [state, last] = [next.state, chunk];
    limit = diverging * Math.max(1, losses[0]!);
    size = nextSize(chunk.options.rates.length, (performance.now() - began) / 1000, every);
    const verdict = await report(walk, next, chunk.options.rates);
    ended = next.stopped === "floor" ? "floor" : (verdict ?? "done");
    await breathe();
  }
  return checkedEnd(walk, last, { state, losses, accuracies, ended });
}

/** The last step may have been the bad one: its weights are looked at by the loss of one more batch. */
async function checkedEnd(walk: Walk, last: Chunk | undefined, walked: Walked): Promise<Walked> {
  if (!last) return walked;
  const look = { ...last.options, floor: Number.NEGATIVE_INFINITY, rates: [0] };
  const { stopped, losses } = await advance(walk.run, walked.state, walk.data, look);
  if (stopped !== "limit") return walked;
  const seen = { losses: [...walked.losses, losses[0]!], accuracies: walked.accuracies };
  return diverged(walk, [last, { from: walked.state, options: look }], 0, seen);
}

/**
 * The run has no memory of its past, but it can be repeated: up to the weights before the step that led to the first
 * bad loss, whose own loss was good. That loss is the one at place `bad` of the second chunk.
 */
async function diverged(
  { run, data }: Walk,
  [before, chunk]: readonly [Chunk | undefined, Chunk],
  bad: number,
  seen: Pick<Trained, "losses" | "accuracies">,
): Promise<Walked> {
  const again = async ({ from, options }: Chunk, count: number): Promise<TrainingState> =>
    count === 0
      ? from
      : (await advance(run, from, data, { ...options, rates: options.rates.slice(0, count) })).state;
  const state =
    bad > 0
      ? await again(chunk, bad - 1)
      : before
        ? await again(before, chunk.from.step - before.from.step - 1)
        : chunk.from;
  return { ...seen, state, ended: "diverged", badStep: chunk.from.step + bad + 1 };
}

/** A chunk ends with an epoch rather than across its end; many short epochs go in one. */
function endOfChunk({ steps, perEpoch, options }: Walk, step: number, size: number): number {
  const whole = size < perEpoch ? 1 : Math.floor(size / perEpoch);
  const stretch = perEpoch * (options.epochsApart ?? Number.POSITIVE_INFINITY);
  const stop = Number.isFinite(stretch) ? (Math.floor(step / stretch) + 1) * stretch : steps;
  const boundary = Math.min(stop, (Math.floor(step / perEpoch) + whole) * perEpoch);
  return Math.min(steps, step + size, boundary);
}

const report = (
  { run, steps, perEpoch, options }: Walk,
  { state, losses, accuracies }: Advance,
  rates: readonly number[],
) =>
  options.onProgress?.({
    ...{ step: state.step, steps, perEpoch, losses, accuracies, state, training: run, rates },
    epochEnded: state.step % perEpoch === 0,
  });

/** As many steps as fit between two reports, growing carefully, since the first ones are slow. */
const nextSize = (size: number, seconds: number, every: number): number =>
  Math.max(1, Math.min(size * 8, Math.round((size * every) / Math.max(seconds, 1e-6))));

/** Lets signals and timers through: ONNX Runtime for Node blocks the thread while it runs. */
const breathe = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
