// Sharpness of the empirical risk at a model's weights: along the worst direction, along random ones, and how far one can
// go before the error rises.

import { EngineError } from "../engine/error.ts";
import { GraphError } from "../graph/error.ts";
import { type Extremes, lanczos } from "../linear-algebra/lanczos.ts";
import type { Random } from "../numbers/random.ts";
import { euclidean } from "./euclidean.ts";
import { unlessMissing } from "./unless-missing.ts";
import type { WeightRisk } from "./weight-risk.ts";

/** A number, or why there is none. */
export type MeasuredValue = { readonly value: number } | { readonly reason: string };

export interface Sharpness {
  readonly examples: number;
  readonly loss: number;
  readonly error: number;
  readonly gradientNorm: MeasuredValue;
  /** The ends of the spectrum of the Hessian of the loss. */
  readonly hessian: Extremes | { readonly reason: string };
  /** E loss(w + sigma z) - loss(w), z standard normal; with magnitudes, each weight's noise is in proportion to it. */
  readonly randomRise: {
    readonly sigma: number;
    readonly draws: number;
    readonly rise: number;
    readonly riseWithMagnitudes: number;
  };
  /** The rise of the error that the radii below allow. */
  readonly allowed: number;
  /** The greatest sigma with E error(w + sigma z) <= error(w) + allowed. */
  readonly sigma: MeasuredValue;
  /** The same with noise of deviation sigma |w_i| + 1e-3. */
  readonly sigmaMagnitude: MeasuredValue;
  /** The greatest alpha such that ascent within |u_i| <= alpha finds no error above error(w) + allowed. */
  readonly alpha: MeasuredValue;
  /** The same with |u_i| <= alpha |w_i| + 1e-3. */
  readonly alphaMagnitude: MeasuredValue;
  /** E |grad loss_i - grad loss|^2 over examples, from means of batches. */
  readonly gradientNoise: MeasuredValue;
  /** Examples in those batches. */
  readonly noiseExamples: number;
}

export interface SharpnessOptions {
  readonly random: Random;
  readonly draws?: number;
  readonly ascentSteps?: number;
  readonly lanczosSteps?: number;
  readonly sigma?: number;
  /** The rise of the error to allow; default: 0.1. For numbers as targets: 0.1 of the variance of the targets. */
  readonly allowed?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (what: string) => void;
}

/** Added to the noise of magnitude-aware versions, so that weights that are 0 have some. */
export const magnitudeFloor = 1e-3;

/** Shares of examples often meet the limit exactly: rounding must not decide that they exceed it. */
const tie = 1e-9;

/** All sharpness measures of a risk at its start. */
export async function sharpnessOf(risk: WeightRisk, options: SharpnessOptions): Promise<Sharpness> {
  const { random, draws = 4, ascentSteps = 5, lanczosSteps = 80, sigma = 0.01, allowed = 0.1 } = options;
  const { signal, onProgress } = options;
  const base = await risk.at(risk.start);
  const limit = base.error + allowed + tie;
  const step = (what: string): void => {
    signal?.throwIfAborted();
    onProgress?.(what);
  };
  const plain = new Float64Array(risk.start.length).fill(1);
  const sizes = risk.start.map(Math.abs);
  const noises = Array.from({ length: draws }, (_, k) =>
    random.split(`noise ${k}`).normal(new Float32Array(risk.start.length)),
  );
  const start = random.split("ascent").uniform(new Float32Array(risk.start.length));
  const noisy = (radius: number, scales: Float64Array, floor: number) =>
    meanUnderNoise(risk, { radius, scales, floor, draws: noises, ...(signal ? { signal } : {}) });
  const worst = (radius: number, scales: Float64Array, floor: number) =>
    worstError(risk, {
      radius,
      scales,
      floor,
      steps: ascentSteps,
      start,
      limit,
      ...(signal ? { signal } : {}),
    });
  step("Hessian");
  const hessian = await unlessMissing(() =>
    lanczos((v) => risk.curvature(v), risk.start.length, {
      random: random.split("hessian"),
      steps: lanczosSteps,
      tolerance: 1e-3,
      ends: ["greatest", "least"],
      rounding: risk.rounding,
      ...(signal ? { signal } : {}),
    }),
  );
  step("random directions");
  const rise = (await noisy(sigma, plain, 0)).loss - base.loss;
  const riseWithMagnitudes = (await noisy(sigma, sizes, 0)).loss - base.loss;
  const greatest = (errorAt: (radius: number) => Promise<number>): Promise<MeasuredValue> =>
    risk.loss !== "square" && limit >= 1 + tie
      ? Promise.resolve({ reason: `an error of ${base.error.toPrecision(3)} cannot rise by ${allowed}` })
      : greatestRadius(errorAt, limit);
  const errorUnder = async (radius: number, scales: Float64Array, floor: number) =>
    (await noisy(radius, scales, floor)).error;
  const sigmaFound = await greatest((r) => errorUnder(r, plain, 0));
  step("random directions by magnitude");
  const sigmaMagnitude = await greatest((r) => errorUnder(r, sizes, magnitudeFloor));
  step("worst directions");
  const alpha = await greatest((r) => worst(r, plain, 0));
  step("worst directions by magnitude");
  const alphaMagnitude = await greatest((r) => worst(r, sizes, magnitudeFloor));
  step("gradients");
  const slope = await unlessMissing(() => risk.gradient(risk.start));
  return {
    examples: risk.examples,
    ...base,
    gradientNorm: slope instanceof Float64Array ? { value: euclidean(slope) } : slope,
    hessian,
    randomRise: { sigma, draws, rise, riseWithMagnitudes },
    allowed,
    sigma: sigmaFound,
    sigmaMagnitude,
    alpha,
    alphaMagnitude,
    gradientNoise: await gradientNoise(risk),
    noiseExamples: noiseExamples(risk),
  };
}

const squareSum = (v: Float64Array): number => {
  let sum = 0;
  for (let k = 0; k < v.length; k++) sum += v[k]! * v[k]!;
  return sum;
};

interface Noise {
  readonly radius: number;
  readonly scales: Float64Array;
  readonly floor: number;
  readonly signal?: AbortSignal;
}

/** Loss and error under Gaussian noise, in the mean; the noise is the same for every radius. */
async function meanUnderNoise(
  risk: WeightRisk,
  { radius, scales, floor, draws, signal }: Noise & { readonly draws: readonly Float32Array[] },
): Promise<{ readonly loss: number; readonly error: number }> {
  let [loss, error] = [0, 0];
  const theta = new Float64Array(risk.start.length);
  for (const noise of draws) {
    signal?.throwIfAborted();
    for (let k = 0; k < theta.length; k++)
      theta[k] = risk.start[k]! + Math.sqrt((radius * scales[k]!) ** 2 + floor ** 2) * noise[k]!;
    const found = await risk.at(theta);
    loss += found.loss / draws.length;
    error += found.error / draws.length;
  }
  return { loss, error };
}

/** The greatest error that steps along the signs of gradients find within the box; it ends once above the limit. */
async function worstError(
  risk: WeightRisk,
  { radius, scales, floor, start, steps, limit, signal }: Noise & Ascent,
): Promise<number> {
  const [bounds, theta] = [new Float64Array(scales.length), new Float64Array(scales.length)];
  // A random start: where all examples are fitted, the gradient at the weights themselves vanishes.
  for (let k = 0; k < theta.length; k++) {
    bounds[k] = radius * scales[k]! + floor;
    theta[k] = risk.start[k]! + (start[k]! - 0.5) * bounds[k]!;
  }
  let worst = 0;
  for (let step = 0; step < steps; step++) {
    signal?.throwIfAborted();
    const slope = await risk.gradient(theta);
    const length = 2 / (step + 2);
    ascend(theta, slope, risk.start, bounds, length);
    worst = Math.max(worst, (await risk.at(theta)).error);
    if (worst > limit) break;
  }
  return worst;
}

/** A step along the signs of the slope, within the box around the weights. */
function ascend(
  theta: Float64Array,
  slope: Float64Array,
  start: Float64Array,
  bounds: Float64Array,
  length: number,
): void {
  for (let k = 0; k < theta.length; k++) {
    const from = start[k]!;
    const bound = bounds[k]!;
    const moved = theta[k]! + bound * Math.sign(slope[k]!) * length;
    theta[k] = Math.min(from + bound, Math.max(from - bound, moved));
  }
}

interface Ascent {
  /** Uniform on [0, 1): where in the box to start. */
  readonly start: Float32Array;
  readonly steps: number;
  readonly limit: number;
}

/** Radii between which the search goes on, its first guess, and its steps. */
const search = { least: 1e-6, most: 1e3, first: 0.02, factor: 4, bisections: 5 };

/** The greatest radius with an error up to the limit, to 5 percent: first by factors, then by bisection of the logarithm. */
async function greatestRadius(
  errorAt: (radius: number) => Promise<number>,
  limit: number,
): Promise<MeasuredValue> {
  try {
    const isFine = async (radius: number): Promise<boolean> => (await errorAt(radius)) <= limit;
    let [low, high] = [search.first, search.first];
    if (await isFine(low)) {
      do {
        low = high;
        high *= search.factor;
        if (high > search.most) return { reason: `no radius up to ${search.most} raises the error so far` };
      } while (await isFine(high));
    } else
      do {
        high = low;
        low /= search.factor;
        if (low < search.least)
          return { reason: `already a radius of ${search.least} raises the error more` };
      } while (!(await isFine(low)));
    for (let k = 0; k < search.bisections; k++) {
      const middle = Math.sqrt(low * high);
      if (await isFine(middle)) low = middle;
      else high = middle;
    }
    return { value: low };
  } catch (error) {
    if (error instanceof GraphError || error instanceof EngineError) return { reason: error.message };
    throw error;
  }
}

/** Examples of a batch whose mean gradient is taken, and batches at most. */
const noiseBatch = 10;
const noiseBatches = 24;

/** How many of the examples the noise of the gradients is taken on. */
export const noiseExamples = ({ examples }: Pick<WeightRisk, "examples">): number =>
  noiseBatch * Math.min(noiseBatches, Math.floor(examples / noiseBatch));

/** E |grad loss_i - grad loss|^2: a mean of b examples has 1 / b of the variance of one. */
export async function gradientNoise(risk: WeightRisk): Promise<MeasuredValue> {
  const batches = Math.min(noiseBatches, Math.floor(risk.examples / noiseBatch));
  if (batches < 2) return { reason: `needs ${2 * noiseBatch} examples, there are ${risk.examples}` };
  const found = await unlessMissing(async () => {
    const mean = new Float64Array(risk.start.length);
    let squares = 0;
    for (let b = 0; b < batches; b++) {
      const slope = await risk.gradient(risk.start, b * noiseBatch, (b + 1) * noiseBatch);
      squares += squareSum(slope) / batches;
      for (let k = 0; k < mean.length; k++) mean[k]! += slope[k]! / batches;
    }
    return (noiseBatch * batches * (squares - squareSum(mean))) / (batches - 1);
  });
  return typeof found === "number" ? { value: Math.max(0, found) } : found;
}

/** (1/n) sum_i <w, grad_w loss_i>^2 over all examples of the risk. */
export async function radialSquare(risk: WeightRisk): Promise<MeasuredValue> {
  const slopes = await unlessMissing(() => risk.radialSlopes());
  return slopes instanceof Float64Array ? { value: squareSum(slopes) / slopes.length } : slopes;
}
