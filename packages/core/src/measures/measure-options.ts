// What measuring a model takes, and how far it has come.
import type { Graph } from "../graph/graph.ts";
import type { Examples } from "../train/data/dataset.ts";
import type { SharpnessOptions } from "./sharpness.ts";

export interface MeasureOptions {
  /** Examples that the model was trained on: classes (int64) or numbers as targets. */
  readonly data?: Examples;
  readonly test?: Examples;
  /** The model before training, with the same names of weights. */
  readonly initial?: Graph;
  /** What is known of the training: the loss of each step, and the model after the first epoch. */
  readonly history?: { readonly losses?: readonly number[]; readonly afterFirstEpoch?: Graph };
  readonly seed?: number | string;
  /** Whether to search for the greatest Jacobian, which no named measure needs; default: yes. */
  readonly slopes?: boolean;
  /** Examples for sharpness; 0 leaves it out. Default: 250. */
  readonly sharpnessExamples?: number;
  readonly sharpness?: Partial<Omit<SharpnessOptions, "random" | "signal" | "onProgress">>;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly what: string; readonly share: number }) => void;
}

/** Shares of the whole that parts of the work take, for progress. */
export const stages = { layers: 0, paths: 0.25, slopes: 0.3, data: 0.4, sharpness: 0.5, done: 1 };
