// Explanations by taking inputs away: occlusion, and Shapley values by sampling or by all coalitions.
import type { Random } from "../../numbers/random.ts";
import type { Point, ScoreModel } from "../score-model.ts";
import type { Attribution } from "./attribution.ts";
import { allCoalitions, atCoalition, sizeOf } from "./coalitions.ts";
import { type Groups, spreadGroups } from "./groups.ts";

export interface OcclusionOptions {
  readonly groups: Groups;
  readonly baseline: Point;
  /** The drop of the probability of the class, not of its score: the class that is explained. */
  readonly probabilityOf?: number | undefined;
}

const replaced = (x: Point, baseline: Point, group: readonly number[]): Point => {
  const y = Float64Array.from(x);
  for (const k of group) y[k] = baseline[k]!;
  return y;
};

function probability(scores: Float64Array, index: number): number {
  const most = scores.reduce((m, v) => Math.max(m, v), Number.NEGATIVE_INFINITY);
  const powers = scores.map((v) => Math.exp(v - most));
  return powers[index]! / powers.reduce((s, v) => s + v, 0);
}

/** f(x) - f(x without the group), group by group: one run each. */
export async function occlusion(
  model: ScoreModel,
  { groups, baseline, probabilityOf }: OcclusionOptions,
): Promise<Attribution> {
  const x = model.start;
  const [whole, ...parts] = await model.at([x, ...groups.map((group) => replaced(x, baseline, group))]);
  const value = (wave: typeof whole): number =>
    probabilityOf === undefined ? wave!.score : probability(wave!.scores, probabilityOf);
  const drops = parts.map((part) => value(whole) - value(part));
  return {
    relevance: spreadGroups(drops, groups, x.length),
    details: { groups: groups.length, runs: groups.length + 1 },
  };
}

export interface ShapleyOptions {
  readonly groups: Groups;
  readonly baseline: Point;
  readonly permutations: number;
  readonly random: Random;
}

/** So few groups that all coalitions are run. */
export const mostExact = 10;

/** Each group's mean contribution over orders in which they come in; exact for few groups. */
export async function shapley(model: ScoreModel, options: ShapleyOptions): Promise<Attribution> {
  const { groups, baseline } = options;
  const x = model.start;
  const [here, there] = await model.at([x, baseline]);
  const expected = here!.score - there!.score;
  const { values, error } =
    groups.length <= mostExact ? await exactShapley(model, options) : await sampledShapley(model, options);
  return {
    relevance: spreadGroups(values, groups, x.length),
    expected,
    details: { groups: groups.length, standardError: error },
  };
}

async function exactShapley(model: ScoreModel, { groups, baseline }: ShapleyOptions) {
  const [x, n] = [model.start, groups.length];
  const coalitions = allCoalitions(n);
  const points = coalitions.map((c) => atCoalition(x, baseline, groups, c));
  const scores = (await model.at(points)).map(({ score }) => score);
  /** |S|! (n - |S| - 1)! / n! by the size of S. */
  const weights = Array.from({ length: n }, (_, s) => {
    let w = 1 / n;
    for (let k = 1; k <= s; k++) w *= k / (n - k);
    return w;
  });
  const values = groups.map((_, g) =>
    scores.reduce((sum, score, mask) => {
      if (mask & (1 << g)) return sum;
      return sum + weights[sizeOf(coalitions[mask]!)]! * (scores[mask | (1 << g)]! - score);
    }, 0),
  );
  return { values, error: 0 };
}

/** Each order and the same one backwards: what the one puts too high the other puts too low. */
async function sampledShapley(model: ScoreModel, { groups, baseline, permutations, random }: ShapleyOptions) {
  const [x, n] = [model.start, groups.length];
  const [sums, squares] = [new Float64Array(n), new Float64Array(n)];
  const pairs = Math.max(1, Math.ceil(permutations / 2));
  for (let k = 0; k < pairs; k++) {
    const order = random.shuffle([...Array(n).keys()]);
    const gains = new Float64Array(n);
    for (const way of [order, order.toReversed()]) {
      const points: Point[] = [];
      const y = Float64Array.from(baseline);
      for (const g of way) {
        for (const i of groups[g]!) y[i] = x[i]!;
        points.push(Float64Array.from(y));
      }
      const scores = (await model.at([baseline, ...points])).map(({ score }) => score);
      way.forEach((g, i) => {
        gains[g] = gains[g]! + (scores[i + 1]! - scores[i]!) / 2;
      });
    }
    gains.forEach((v, g) => {
      sums[g] = sums[g]! + v;
      squares[g] = squares[g]! + v * v;
    });
  }
  const values = Array.from(sums, (s) => s / pairs);
  const variances = values.map((m, g) => Math.max(0, squares[g]! / pairs - m * m) / Math.max(1, pairs - 1));
  return { values, error: Math.sqrt(variances.reduce((s, v) => s + v, 0) / n) };
}
