// The least part of the input that keeps the score: a mask between 0 and 1, where what is masked is noise.
import type { Random } from "../../numbers/random.ts";
import type { ScoreModel } from "../score-model.ts";
import type { Attribution } from "./attribution.ts";

export interface RateDistortionOptions {
  /** What a number of the mask costs, as a part of the squared score. */
  readonly price: number;
  readonly steps: number;
  readonly draws: number;
  /** The deviation of the noise around the mean of the input. */
  readonly deviation: number;
  readonly random: Random;
}

/** Min over s of E (f(x) - f(s x + (1 - s) n))^2 / 2 + price |s|_1, by Adam steps that stay in the box. */
export async function rateDistortion(
  model: ScoreModel,
  { price, steps, draws, deviation, random }: RateDistortionOptions,
): Promise<Attribution> {
  const x = model.start;
  const score = await model.score(x);
  const scale = Math.max(score * score, 1e-12);
  const mean = x.reduce((s, v) => s + v, 0) / x.length;
  const mask = new Float64Array(x.length).fill(0.5);
  const [first, second] = [new Float64Array(x.length), new Float64Array(x.length)];
  let distortion = 0;
  for (let step = 1; step <= steps; step++) {
    const noises = Array.from({ length: draws }, () =>
      random.normal(x.length).map((v) => mean + deviation * v),
    );
    const points = noises.map((n) => x.map((v, k) => mask[k]! * v + (1 - mask[k]!) * n[k]!));
    const [waves, slopes] = [await model.at(points), await model.slopes(points)];
    distortion = waves.reduce((s, { score: f }) => s + (f - score) ** 2, 0) / (2 * draws * scale);
    for (let k = 0; k < x.length; k++) {
      let g = price;
      for (let d = 0; d < draws; d++)
        g += ((waves[d]!.score - score) * slopes[d]![k]! * (x[k]! - noises[d]![k]!)) / (draws * scale);
      first[k] = 0.9 * first[k]! + 0.1 * g;
      second[k] = 0.99 * second[k]! + 0.01 * g * g;
      const [m, v] = [first[k]! / (1 - 0.9 ** step), second[k]! / (1 - 0.99 ** step)];
      mask[k] = Math.min(1, Math.max(0, mask[k]! - (0.05 * m) / (Math.sqrt(v) + 1e-12)));
    }
  }
  return { relevance: mask, details: { distortion, rate: mask.reduce((s, v) => s + v, 0) / x.length } };
}
