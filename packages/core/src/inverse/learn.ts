// Trains anything that has a step graph on signals by the loop of all training here; noise is drawn anew for every epoch.
import { release } from "../engine/session.ts";
import type { Graph } from "../graph/graph.ts";
import { type Tensor, view } from "../graph/tensor.ts";
import { createRandom } from "../numbers/random.ts";
import { advance, type TrainingState } from "../train/advance.ts";
import { type Coefficients, defaultCoefficients, optimizers } from "../train/optimizer.ts";
import { slotKey, weightKey } from "../train/state.ts";
import type { TrainingOptions } from "../train/training/options.ts";
import { chunkGraph, type Training } from "../train/training.ts";
import { InverseError } from "./error.ts";
import type { Weights } from "./generators/networks.ts";

/** What learns: from a batch "x" [N, size + noise], signals and beside each of them normal numbers. */
export interface Learner {
  readonly noise: number;
  readonly weights: Weights;
  /** From "x", "target" (which nobody reads) and weights to the loss and each weight's slope. */
  readonly step: Graph;
  readonly coefficients?: Partial<Coefficients>;
}

export interface LearningOptions {
  readonly epochs?: number;
  readonly batch?: number;
  readonly rate?: number;
  readonly seed?: number;
  readonly threads?: number;
  readonly signal?: AbortSignal;
  /** After each epoch: its mean loss. */
  readonly onEpoch?: (epoch: number, loss: number) => void | Promise<void>;
}

export interface Learned {
  readonly weights: Weights;
  /** Mean loss of each epoch. */
  readonly losses: readonly number[];
  readonly ended: "done" | "stopped" | "diverged";
}

/** How many signals there are, and how many numbers each has. */
export function signalSizes({ dims }: Tensor): { readonly rows: number; readonly size: number } {
  const rows = dims[0] ?? 0;
  if (rows === 0) throw new InverseError("no signals to learn from");
  return { rows, size: dims.slice(1).reduce((a, b) => a * b, 1) };
}

/** Adam on rows of signals. */
export async function learn(
  signals: Tensor,
  { noise, weights, step, coefficients = {} }: Learner,
  { epochs = 10, batch = 100, rate = 1e-3, seed = 0, threads, signal, onEpoch }: LearningOptions,
): Promise<Learned> {
  const { rows, size } = signalSizes(signals);
  const random = createRandom(seed);
  const run = trainingOf(step, weights, { loss: "square", optimizer: "adam", batch, ...coefficients });
  const perEpoch = Math.ceil(rows / batch);
  const target = view("float32", [rows, 1], new Float32Array(rows));
  let state: TrainingState = { step: 0, seed, tensors: startingState(run, weights) };
  const losses: number[] = [];
  let ended: Learned["ended"] = "done";
  for (let epoch = 0; epoch < epochs && ended === "done"; epoch++) {
    const x = withNoise(signals, size, random.split(`epoch ${epoch}`).normal(rows * noise));
    const rates = new Array<number>(perEpoch).fill(rate);
    const options = { rates, limit: Number.MAX_VALUE, ...(threads === undefined ? {} : { threads }) };
    const next = await advance(run, state, { x, target }, options);
    if (next.stopped === "limit") ended = "diverged";
    else {
      state = next.state;
      losses.push(next.losses.reduce((a, b) => a + b, 0) / next.losses.length);
      await onEpoch?.(epoch + 1, losses.at(-1)!);
      await new Promise((resolve) => setTimeout(resolve, 0));
      if (signal?.aborted) ended = "stopped";
    }
  }
  await release(run.graph);
  const trained = new Map(
    [...weights.keys()].map((name) => [name, state.tensors[weightKey(name)]!] as const),
  );
  return { weights: trained, losses, ended };
}

function trainingOf(step: Graph, weights: Weights, options: TrainingOptions): Training {
  const names = [...weights.keys()];
  const optimizer = optimizers.adam({ ...defaultCoefficients, ...options });
  const stateNames = names.flatMap((name) => [
    weightKey(name),
    ...Array.from({ length: optimizer.slots }, (_, k) => slotKey(name, k)),
  ]);
  const types = Object.fromEntries(
    stateNames.map((key) => [
      key,
      { type: "float32" as const, shape: weights.get(key.slice(key.indexOf("/") + 1))!.dims },
    ]),
  );
  const graph = chunkGraph(step, types, names, options);
  return { graph, model: step, options, weights: names, outputs: undefined, stateNames };
}

function startingState({ stateNames }: Training, weights: Weights): Record<string, Tensor> {
  return Object.fromEntries(
    stateNames.map((key) => {
      const weight = weights.get(key.slice(key.indexOf("/") + 1))!;
      const zeros = { ...weight, data: new Float32Array((weight.data as Float32Array).length) };
      return [key, key.startsWith("weight/") ? weight : zeros] as const;
    }),
  );
}

/** [N, size + noise]. */
function withNoise(signals: Tensor, size: number, noise: Float64Array): Tensor {
  const rows = signals.dims[0]!;
  const beside = noise.length / rows;
  const width = size + beside;
  const all = new Float32Array(rows * width);
  const given = signals.data as Float32Array;
  for (let k = 0; k < rows; k++) {
    all.set(given.subarray(k * size, (k + 1) * size), k * width);
    all.set(noise.subarray(k * beside, (k + 1) * beside), k * width + size);
  }
  return view("float32", [rows, width], all);
}
