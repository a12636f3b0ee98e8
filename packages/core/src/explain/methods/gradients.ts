// Explanations by gradients: the gradient, the gradient times the input, averages along a way and over noise.
import type { Random } from "../../numbers/random.ts";
import type { Point, ScoreModel } from "../score-model.ts";
import type { Attribution } from "./attribution.ts";

const times = (a: Point, b: Point): Point => a.map((v, k) => v * b[k]!);
const sum = (a: Point): number => a.reduce((s, v) => s + v, 0);

/** How fast the score changes with each input: no contribution, and nothing that adds up. */
export async function sensitivity(model: ScoreModel, square = false): Promise<Attribution> {
  const [slope] = await model.slopes([model.start]);
  return { relevance: square ? times(slope!, slope!) : slope!, details: {} };
}

/** x df/dx, which adds up to the score of a network without biases. */
export async function gradientTimesInput(model: ScoreModel): Promise<Attribution> {
  const x = model.start;
  const [slope] = await model.slopes([x]);
  const relevance = times(x, slope!);
  const score = await model.score(x);
  return { relevance, expected: score, details: { gap: score - sum(relevance) } };
}

export interface PathOptions {
  readonly steps: number;
  readonly baseline: Point;
}

/** The gradient averaged along the segment from the baseline, at midpoints: adds up to f(x) - f(baseline) with more steps. */
export async function integratedGradients(
  model: ScoreModel,
  { steps, baseline }: PathOptions,
): Promise<Attribution> {
  const x = model.start;
  const at = (t: number): Point => x.map((v, k) => baseline[k]! + t * (v - baseline[k]!));
  const slopes = await model.slopes(Array.from({ length: steps }, (_, k) => at((k + 0.5) / steps)));
  const mean = x.map((_, k) => slopes.reduce((s, slope) => s + slope[k]!, 0) / steps);
  const relevance = mean.map((v, k) => v * (x[k]! - baseline[k]!));
  const [here, there] = await model.at([x, baseline]);
  const expected = here!.score - there!.score;
  return { relevance, expected, details: { steps, completenessError: Math.abs(sum(relevance) - expected) } };
}

export interface NoiseOptions {
  readonly draws: number;
  /** The standard deviation of the noise, as a part of the range of the input. */
  readonly level: number;
  readonly random: Random;
}

/** The gradient averaged over noise around the input. */
export async function smoothGradient(
  model: ScoreModel,
  { draws, level, random }: NoiseOptions,
): Promise<Attribution> {
  const x = model.start;
  const range = Math.max(...x) - Math.min(...x);
  const deviation = level * (range > 0 ? range : 1);
  const points = Array.from({ length: draws }, () => {
    const noise = random.normal(x.length);
    return x.map((v, k) => v + deviation * noise[k]!);
  });
  const slopes = await model.slopes(points);
  const relevance = x.map((_, k) => slopes.reduce((s, slope) => s + slope[k]!, 0) / draws);
  return { relevance, details: { draws, deviation } };
}
