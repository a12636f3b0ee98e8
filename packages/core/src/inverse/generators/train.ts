// Trains generators: decoders of signals from few numbers.
import type { Graph } from "../../graph/graph.ts";
import type { Tensor } from "../../graph/tensor.ts";
import { createRandom } from "../../numbers/random.ts";
import { type Learned, type LearningOptions, learn, signalSizes } from "../learn.ts";
import {
  decoderGraph,
  encoderGraph,
  type GeneratorKind,
  type GeneratorSizes,
  initialWeights,
} from "./networks.ts";
import { noiseOf, stepGraph } from "./objective.ts";

export interface GeneratorTraining extends LearningOptions {
  readonly kind: GeneratorKind;
  readonly latent?: number;
  readonly hidden?: readonly number[];
}

/** The losses are of a VAE what -ln p(x) is at most, of a GAN those of the discriminator. */
export interface TrainedGenerator extends Learned {
  /** z [N, latent] to x [N, size], values from 0 to 1. */
  readonly generator: Graph;
  readonly encoder?: Graph;
}

/** Trains a decoder of signals: rows of numbers from 0 to 1. */
export async function trainedGenerator(
  signals: Tensor,
  { kind, latent = 20, hidden = [500, 500], ...options }: GeneratorTraining,
): Promise<TrainedGenerator> {
  const sizes: GeneratorSizes = { size: signalSizes(signals).size, latent, hidden };
  const weights = initialWeights(kind, sizes, createRandom(options.seed ?? 0).split("weights"));
  const learned = await learn(
    signals,
    {
      ...{ noise: noiseOf(kind, sizes), weights, step: stepGraph(kind, sizes, weights) },
      // Adversaries: less momentum than alone.
      ...(kind === "gan" ? { coefficients: { beta1: 0.5 } } : {}),
    },
    options,
  );
  return {
    ...learned,
    generator: decoderGraph(learned.weights, sizes),
    ...(kind === "gan" ? {} : { encoder: encoderGraph(kind, learned.weights, sizes) }),
  };
}
