// Points of a box at which a bound is likeliest to fail: corners, random points, and steps uphill by the gradient.
import type { Random } from "../../src/numbers/random.ts";

/** A box whose ends are f32 numbers; flat, over all inputs. */
export interface FlatBox {
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/** All inputs from one number to another. */
export const cube = (count: number, lower: number, upper: number): FlatBox => ({
  lower: new Float64Array(count).fill(lower),
  upper: new Float64Array(count).fill(upper),
});

/** The points within a distance of a random point of the box -1..1. */
export function around(random: Random, count: number, radius: number): FlatBox {
  const center = random.uniform(count).map((u) => Math.fround(2 * u - 1));
  return {
    lower: center.map((c) => Math.fround(c - radius)),
    upper: center.map((c) => Math.fround(c + radius)),
  };
}

/** Rounding to f32 does not leave a box whose ends are f32 numbers. */
const within = ({ lower, upper }: FlatBox, place: (i: number) => number): Float64Array =>
  lower.map((l, i) => Math.min(upper[i]!, Math.max(l, Math.fround(l + place(i) * (upper[i]! - l)))));

export const corner = (box: FlatBox, random: Random): Float64Array => within(box, () => random.integer(0, 1));
export const inside = (box: FlatBox, random: Random): Float64Array => within(box, () => random.uniform());
export const partlyCorner = (box: FlatBox, random: Random): Float64Array =>
  within(box, () => (random.uniform() < 0.5 ? random.integer(0, 1) : random.uniform()));

/** The gradient of a weighted sum of outputs at a point. */
export type Slope = (x: Float64Array, weights: Float64Array) => Promise<Float64Array>;

/** Steps of ascent, first as long as the box, then halved. */
const stepsUp = 4;

/**
 * So many points of a box: corners, random ones, mixtures, and ascents from these along the gradient's signs, each for
 * one output, up or down.
 */
export async function* pointsOf(
  box: FlatBox,
  count: number,
  outputs: number,
  random: Random,
  slope: Slope | undefined,
): AsyncGenerator<Float64Array> {
  const kinds = [corner, inside, partlyCorner];
  for (let made = 0; made < count; ) {
    let x = kinds[made % 3]!(box, random);
    yield x;
    made++;
    if (!slope) continue;
    const weights = new Float64Array(outputs);
    weights[random.integer(0, outputs - 1)] = random.integer(0, 1) * 2 - 1;
    for (let step = 0; step < stepsUp && made < count; step++, made++) {
      const g = await slope(x, weights);
      const from = x;
      x = within(box, (i) => {
        const width = box.upper[i]! - box.lower[i]!;
        const at = width > 0 ? (from[i]! - box.lower[i]!) / width : 0;
        return Math.min(1, Math.max(0, at + 2 ** -step * Math.sign(g[i]!)));
      });
      yield x;
    }
  }
}
