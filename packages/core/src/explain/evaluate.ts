// Is an explanation any good? What it calls important is taken away first: the faster the score falls, the better; what
// it says must change when the network's weights are others; and where a mask is known, it should lie on it.

import type { Random } from "../numbers/random.ts";
import { studentTQuantile } from "../numbers/statistics.ts";
import type { Groups } from "./methods/groups.ts";
import type { Point, ScoreModel } from "./score-model.ts";

export interface Flipping {
  /** The score as regions go, those that count most first; and those that count least first. */
  readonly most: readonly number[];
  readonly least: readonly number[];
  /** The mean drop along the curve (AOPC), and how much faster the first curve falls than the second (ABPC). */
  readonly drop: number;
  readonly between: number;
}

const mean = (values: readonly number[]): number => values.reduce((s, v) => s + v, 0) / values.length;

/** At most so many regions go one by one; of more, several go at a time. */
const mostSteps = 100;

async function curve(
  model: ScoreModel,
  order: readonly number[],
  groups: Groups,
  baseline: Point,
): Promise<readonly number[]> {
  const x = model.start;
  const stride = Math.ceil(order.length / mostSteps);
  const points = [x];
  const y = Float64Array.from(x);
  order.forEach((g, k) => {
    for (const i of groups[g]!) y[i] = baseline[i]!;
    if ((k + 1) % stride === 0 || k === order.length - 1) points.push(Float64Array.from(y));
  });
  return (await model.at(points)).map(({ score }) => score);
}

/** What each group has, all its positions together. */
export const groupSums = (relevance: ArrayLike<number>, groups: Groups): number[] =>
  groups.map((group) => group.reduce((s, k) => s + relevance[k]!, 0));

/** Takes regions away by the relevance that they have. */
export async function flipping(
  model: ScoreModel,
  relevance: ArrayLike<number>,
  groups: Groups,
  baseline: Point,
): Promise<Flipping> {
  const sums = groupSums(relevance, groups);
  const order = sums.map((_, g) => g).sort((a, b) => sums[b]! - sums[a]!);
  const most = await curve(model, order, groups, baseline);
  const least = await curve(model, order.toReversed(), groups, baseline);
  return { most, least, drop: most[0]! - mean(most), between: mean(least) - mean(most) };
}

/** The same for orders drawn at random: what an explanation that says nothing does. */
export async function randomFlipping(
  model: ScoreModel,
  groups: Groups,
  baseline: Point,
  draws: number,
  random: Random,
): Promise<Flipping> {
  const all: Flipping[] = [];
  for (let k = 0; k < draws; k++)
    all.push(await flipping(model, random.normal(model.size), groups, baseline));
  const pointwise = (curves: readonly (readonly number[])[]): number[] =>
    curves[0]!.map((_, k) => mean(curves.map((c) => c[k]!)));
  return {
    most: pointwise(all.map((f) => f.most)),
    least: pointwise(all.map((f) => f.least)),
    drop: mean(all.map((f) => f.drop)),
    between: mean(all.map((f) => f.between)),
  };
}

export interface Localization {
  /** The part of the positive relevance that lies on the mask. */
  readonly mass: number;
  /** Of as many regions as the mask has, those with most relevance: the part that lies on it. */
  readonly rank: number;
  readonly isHit: boolean;
}

/** By position: is it on what counts? Relevance of several channels is pooled before. */
export function localization(relevance: ArrayLike<number>, mask: ArrayLike<number>): Localization {
  const indices = Array.from({ length: mask.length }, (_, k) => k);
  const positive = indices.map((k) => Math.max(0, relevance[k]!));
  const total = positive.reduce((s, v) => s + v, 0);
  const onMask = indices.filter((k) => mask[k]! > 0);
  const best = indices.toSorted((a, b) => relevance[b]! - relevance[a]!);
  return {
    mass: total > 0 ? onMask.reduce((s, k) => s + positive[k]!, 0) / total : 0,
    rank: best.slice(0, onMask.length).filter((k) => mask[k]! > 0).length / Math.max(1, onMask.length),
    isHit: mask[best[0]!]! > 0,
  };
}

/** The rank correlation of two lists: 1 in the same order, -1 in the opposite one; ties share their ranks. */
export function rankCorrelation(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const [p, q] = [ranks(a), ranks(b)];
  const [mp, mq] = [mean(p), mean(q)];
  let [top, left, right] = [0, 0, 0];
  p.forEach((v, k) => {
    top += (v - mp) * (q[k]! - mq);
    left += (v - mp) ** 2;
    right += (q[k]! - mq) ** 2;
  });
  return left === 0 || right === 0 ? 0 : top / Math.sqrt(left * right);
}

function ranks(values: ArrayLike<number>): number[] {
  const order = Array.from({ length: values.length }, (_, k) => k).sort((i, j) => values[i]! - values[j]!);
  const found = new Array<number>(order.length);
  for (let k = 0; k < order.length; ) {
    let end = k;
    while (end + 1 < order.length && values[order[end + 1]!] === values[order[k]!]) end++;
    for (let i = k; i <= end; i++) found[order[i]!] = (k + end) / 2;
    k = end + 1;
  }
  return found;
}

export interface Estimate {
  readonly mean: number;
  /** Half the width of a 95 % confidence interval over the examples; NaN for one example. */
  readonly plusMinus: number;
}

/** A mean over examples with Student's interval. */
export function estimate(values: readonly number[]): Estimate {
  const m = mean(values);
  const n = values.length;
  if (n < 2) return { mean: m, plusMinus: Number.NaN };
  const variance = values.reduce((s, v) => s + (v - m) ** 2, 0) / (n - 1);
  return { mean: m, plusMinus: studentTQuantile(n - 1, 0.975) * Math.sqrt(variance / n) };
}
