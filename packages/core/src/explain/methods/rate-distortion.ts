// The least part of the input that keeps the score: a mask between 0 and 1, where what is masked is noise.
import type { Random } from "../../numbers/random.ts";
import type { Point, ScoreModel } from "../score-model.ts";
import type { Attribution } from "./attribution.ts";
import { boxDescent } from "./box-descent.ts";

export interface RateDistortionOptions {
  /** What the whole mask costs, as a part of the distortion of nothing but noise. */
  readonly price: number;
  readonly steps: number;
  /** What stands where the mask is 0: a sample of its law. */
  readonly noises: readonly Point[];
}

/** Normal noise with this mean and deviation, each draw with its mirror image: the mean of the sample is exact. */
export function mirroredNoise(
  size: number,
  { pairs, mean, deviation, random }: { pairs: number; mean: number; deviation: number; random: Random },
): Point[] {
  return Array.from({ length: pairs }, () => random.normal(size)).flatMap((z) =>
    [deviation, -deviation].map((d) => z.map((v) => mean + d * v)),
  );
}

/** D(s) = E (f(x) - f(s x + (1 - s) n))^2 / 2 and its gradient. */
export async function distortionAt(
  model: ScoreModel,
  mask: Point,
  noises: readonly Point[],
  score: number,
): Promise<{ readonly value: number; readonly slope: Point }> {
  const x = model.start;
  const points = noises.map((n) => x.map((v, k) => mask[k]! * v + (1 - mask[k]!) * n[k]!));
  const [waves, slopes] = [await model.at(points), await model.slopes(points)];
  const changes = waves.map((wave) => wave.score - score);
  return {
    value: changes.reduce((s, c) => s + c * c, 0) / (2 * noises.length),
    slope: x.map(
      (v, k) => changes.reduce((s, c, d) => s + c * slopes[d]![k]! * (v - noises[d]![k]!), 0) / noises.length,
    ),
  };
}

/** Min over s in [0, 1]^d of D(s) / D(0) + price |s|_1 / d, from the whole input down. */
export async function rateDistortion(
  model: ScoreModel,
  { price, steps, noises }: RateDistortionOptions,
): Promise<Attribution> {
  const d = model.size;
  const score = await model.score(model.start);
  const { value: ofNoise } = await distortionAt(model, new Float64Array(d), noises, score);
  // A score that noise does not change needs no part of the input.
  if (ofNoise === 0) return { relevance: new Float64Array(d), details: { distortion: 0, rate: 0, ofNoise } };
  const cost = async (mask: Point) => {
    const { value, slope } = await distortionAt(model, mask, noises, score);
    const rate = mask.reduce((s, v) => s + v, 0) / d;
    return { value: value / ofNoise + price * rate, slope: slope.map((g) => g / ofNoise + price / d) };
  };
  const { point: mask, steps: taken } = await boxDescent(cost, new Float64Array(d).fill(1), steps);
  const { value } = await distortionAt(model, mask, noises, score);
  const rate = mask.reduce((s, v) => s + v, 0) / d;
  return { relevance: mask, details: { distortion: value / ofNoise, rate, ofNoise, steps: taken } };
}
