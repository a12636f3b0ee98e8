// Surrogates: a linear function of which groups are there, fitted to the score. LIME weighs what is near the example;
// with the weights of KernelSHAP the coefficients are Shapley values.
import { matrixOfRows } from "../../linear-algebra/index.ts";
import { pivotedQr, qrSolve } from "../../linear-algebra/qr.ts";
import type { Random } from "../../numbers/random.ts";
import type { Point, ScoreModel } from "../score-model.ts";
import type { Attribution } from "./attribution.ts";
import { allCoalitions, atCoalition, type Coalition, drawnOfSize, sizeOf, tossed } from "./coalitions.ts";
import { type Groups, spreadGroups } from "./groups.ts";

export interface SurrogateOptions {
  readonly groups: Groups;
  readonly baseline: Point;
  /** How many coalitions are run; all of them, if there are no more. */
  readonly samples: number;
  readonly random: Random;
}

export interface LimeOptions extends SurrogateOptions {
  /** The width of the kernel, in cosine distance from the whole example. */
  readonly width?: number;
  /** What a squared coefficient costs. */
  readonly ridge?: number;
}

const values = async (
  model: ScoreModel,
  { groups, baseline }: SurrogateOptions,
  drawn: readonly Coalition[],
) =>
  (await model.at(drawn.map((c) => atCoalition(model.start, baseline, groups, c)))).map(({ score }) => score);

/** The coefficients with sum_k w_k (<row_k, c> - y_k)^2 least. */
function leastSquares(rows: readonly number[][], y: readonly number[], weights: readonly number[]) {
  const scaled = rows.map((row, k) => row.map((v) => v * Math.sqrt(weights[k]!)));
  const right = Float64Array.from(y, (v, k) => v * Math.sqrt(weights[k]!));
  return qrSolve(pivotedQr(matrixOfRows(scaled)), right);
}

/** The part of the weighted variance that a fit explains; 1 where there is none. */
function explained(y: readonly number[], fit: readonly number[], weights: readonly number[]): number {
  const total = weights.reduce((s, w) => s + w, 0);
  const mean = y.reduce((s, v, k) => s + weights[k]! * v, 0) / total;
  const variance = y.reduce((s, v, k) => s + weights[k]! * (v - mean) ** 2, 0);
  const left = y.reduce((s, v, k) => s + weights[k]! * (v - fit[k]!) ** 2, 0);
  return variance === 0 ? 1 : 1 - left / variance;
}

/** min_c sum_z exp(-D(z)^2 / width^2) (c_0 + <c, z> - f(x_z))^2 + ridge |c|^2, D(z) = 1 - sqrt(|z| / n). */
export async function lime(model: ScoreModel, options: LimeOptions): Promise<Attribution> {
  const { groups, samples, random, width = 0.25, ridge = 0 } = options;
  const n = groups.length;
  const isAll = 2 ** n <= samples;
  const drawn = isAll
    ? allCoalitions(n)
    : [new Array<boolean>(n).fill(true), ...Array.from({ length: samples - 1 }, () => tossed(n, random))];
  const y = await values(model, options, drawn);
  const weights = drawn.map((c) => Math.exp(-(((1 - Math.sqrt(sizeOf(c) / n)) / width) ** 2)));
  const rows = drawn.map((c) => [1, ...c.map(Number)]);
  const penalties = groups.map((_, g) => [0, ...groups.map((_, h) => (g === h ? 1 : 0))]);
  const [intercept, ...coefficients] = leastSquares(
    ridge > 0 ? [...rows, ...penalties] : rows,
    ridge > 0 ? [...y, ...groups.map(() => 0)] : y,
    ridge > 0 ? [...weights, ...groups.map(() => ridge)] : weights,
  );
  const fit = drawn.map((c) => coefficients.reduce((s, v, g) => s + (c[g] ? v : 0), intercept!));
  return {
    relevance: spreadGroups(coefficients, groups, model.size),
    details: { groups: n, runs: drawn.length, intercept: intercept!, r2: explained(y, fit, weights) },
  };
}

/** The weight of one coalition of s groups of n: (n - 1) / (C(n, s) s (n - s)). */
export function shapleyKernel(n: number, s: number): number {
  let choose = 1;
  for (let k = 1; k <= s; k++) choose *= (n - s + k) / k;
  return (n - 1) / (choose * s * (n - s));
}

/** Coalitions for the kernel: all with their weights, or sizes drawn by the weight of all of a size, each with its rest. */
function kernelSample(n: number, samples: number, random: Random): { drawn: Coalition[]; weights: number[] } {
  if (2 ** n - 2 <= samples) {
    const drawn = allCoalitions(n).slice(1, -1);
    return { drawn, weights: drawn.map((c) => shapleyKernel(n, sizeOf(c))) };
  }
  const bySize = Array.from({ length: n - 1 }, (_, k) => 1 / ((k + 1) * (n - 1 - k)));
  const total = bySize.reduce((s, v) => s + v, 0);
  const drawn: Coalition[] = [];
  while (drawn.length < samples) {
    let left = random.uniform() * total;
    let size = 1;
    while (size < n - 1 && left >= bySize[size - 1]!) left -= bySize[size++ - 1]!;
    const coalition = drawnOfSize(n, size, random);
    drawn.push(
      coalition,
      coalition.map((isIn) => !isIn),
    );
  }
  return { drawn, weights: drawn.map(() => 1) };
}

/** Shapley values by weighted least squares, where the coefficients add up to f(x) - f(baseline). */
export async function kernelShap(model: ScoreModel, options: SurrogateOptions): Promise<Attribution> {
  const { groups, baseline, samples, random } = options;
  const n = groups.length;
  const [here, there] = await model.at([model.start, baseline]);
  const expected = here!.score - there!.score;
  if (n === 1)
    return {
      relevance: spreadGroups([expected], groups, model.size),
      expected,
      details: { groups: 1, runs: 2 },
    };
  const { drawn, weights } = kernelSample(n, samples, random);
  const y = (await values(model, options, drawn)).map((v) => v - there!.score);
  // The last coefficient is what the others leave of the sum.
  const last = drawn.map((c) => Number(c[n - 1]));
  const rows = drawn.map((c, k) => c.slice(0, -1).map((isIn) => Number(isIn) - last[k]!));
  const free = leastSquares(
    rows,
    y.map((v, k) => v - last[k]! * expected),
    weights,
  );
  const all = [...free, expected - free.reduce((s, v) => s + v, 0)];
  const fit = drawn.map((c) => all.reduce((s, v, g) => s + (c[g] ? v : 0), 0));
  return {
    relevance: spreadGroups(all, groups, model.size),
    expected,
    details: { groups: n, runs: drawn.length + 2, r2: explained(y, fit, weights) },
  };
}
