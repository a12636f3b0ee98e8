// Trains generators by the loop of all training here; noise is drawn anew for every epoch.

import { release } from "../../engine/session.ts";
import type { Graph } from "../../graph/graph.ts";
import { type Tensor, view } from "../../graph/tensor.ts";
import { createRandom } from "../../numbers/random.ts";
import { advance, type TrainingState } from "../../train/advance.ts";
import { defaultCoefficients, optimizers } from "../../train/optimizer.ts";
import { slotKey, weightKey } from "../../train/state.ts";
import type { TrainingOptions } from "../../train/training/options.ts";
import { chunkGraph, type Training } from "../../train/training.ts";
import { InverseError } from "../error.ts";
import {
  decoderGraph,
  encoderGraph,
  type GeneratorKind,
  type GeneratorSizes,
  initialWeights,
  type Weights,
} from "./networks.ts";
import { stepGraph } from "./objective.ts";

export interface GeneratorTraining {
  readonly kind: GeneratorKind;
  readonly latent?: number;
  readonly hidden?: readonly number[];
  readonly epochs?: number;
  readonly batch?: number;
  readonly rate?: number;
  readonly seed?: number;
  readonly threads?: number;
  readonly signal?: AbortSignal;
  /** After each epoch: its mean loss. */
  readonly onEpoch?: (epoch: number, loss: number) => void | Promise<void>;
}

export interface TrainedGenerator {
  /** z [N, latent] to x [N, size], values from 0 to 1. */
  readonly generator: Graph;
  readonly encoder?: Graph;
  readonly weights: Weights;
  /** Mean loss of each epoch: of a VAE what ln p(x) is at least, with its sign turned; of a GAN that of the discriminator. */
  readonly losses: readonly number[];
  readonly ended: "done" | "stopped" | "diverged";
}

/** Trains a decoder of signals: rows of numbers from 0 to 1. */
export async function trainedGenerator(
  signals: Tensor,
  {
    kind,
    latent = 20,
    hidden = [500, 500],
    epochs = 10,
    batch = 100,
    rate = 1e-3,
    seed = 0,
    threads,
    signal,
    onEpoch,
  }: GeneratorTraining,
): Promise<TrainedGenerator> {
  const rows = signals.dims[0] ?? 0;
  if (rows === 0) throw new InverseError("no signals to learn from");
  const size = signals.dims.slice(1).reduce((a, b) => a * b, 1);
  const sizes: GeneratorSizes = { size, latent, hidden };
  const random = createRandom(seed);
  const weights = initialWeights(kind, sizes, random.split("weights"));
  const run = trainingOf(kind, sizes, weights, batch);
  const perEpoch = Math.ceil(rows / batch);
  const target = view("float32", [rows, 1], new Float32Array(rows));
  let state: TrainingState = { step: 0, seed, tensors: startingState(run, weights) };
  const losses: number[] = [];
  let ended: TrainedGenerator["ended"] = "done";
  for (let epoch = 0; epoch < epochs && ended === "done"; epoch++) {
    const x = withNoise(signals, rows, sizes, random.split(`epoch ${epoch}`).normal(rows * latent));
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
  const trained: Weights = new Map(
    [...weights.keys()].map((name) => [name, state.tensors[weightKey(name)]!] as const),
  );
  return {
    generator: decoderGraph(trained, sizes),
    ...(kind === "gan" ? {} : { encoder: encoderGraph(kind, trained, sizes) }),
    ...{ weights: trained, losses, ended },
  };
}

function trainingOf(kind: GeneratorKind, sizes: GeneratorSizes, weights: Weights, batch: number): Training {
  const step = stepGraph(kind, sizes, weights);
  // Adversaries: less momentum than alone.
  const options: TrainingOptions = {
    ...{ loss: "square", optimizer: "adam", batch },
    ...(kind === "gan" ? { beta1: 0.5 } : {}),
  };
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

/** [N, size + latent]. */
function withNoise(
  signals: Tensor,
  rows: number,
  { size, latent }: GeneratorSizes,
  noise: Float64Array,
): Tensor {
  const width = size + latent;
  const all = new Float32Array(rows * width);
  const given = signals.data as Float32Array;
  for (let k = 0; k < rows; k++) {
    all.set(given.subarray(k * size, (k + 1) * size), k * width);
    all.set(noise.subarray(k * latent, (k + 1) * latent), k * width + size);
  }
  return view("float32", [rows, width], all);
}
