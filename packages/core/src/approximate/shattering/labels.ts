// Functions f_y in the unit ball of W^{n,inf}([0,1]^d) with any labels y on a grid of N^d points, and networks for them.

import { ConstructError } from "../../functions/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { layer, network, sparseLayer } from "../../networks/layers/layers.ts";
import { divDown, mulUp } from "../../numbers/rounding.ts";
import { splineBump } from "./spline-bump.ts";

export interface LabelledFunction {
  readonly dimension: number;
  /** Points a side: x_m = (m + 1/2) / N. */
  readonly side: number;
  /** f_y(x_m) = amplitude y_m: c_{n,d} N^-n. */
  readonly amplitude: number;
  value(x: ArrayLike<number>): number;
  /** D^alpha f_y(x). */
  derivative(alpha: readonly number[], x: ArrayLike<number>): number;
}

/**
 * c_{n,d} = 1 / max_{|alpha| <= n} prod_j sup |b^(alpha_j)|, rounded down: with it, c N^-n b(N x_1) ... b(N x_d) is in
 * the unit ball.
 * @example bumpConstant(1, 3) // 0.5
 */
export function bumpConstant(n: number, dimension: number): number {
  const { bounds } = splineBump(n);
  // The greatest product over at most `dimension` orders that add up to each total.
  let best = [1, ...new Array<number>(n).fill(0)];
  for (let j = 0; j < dimension; j++)
    best = best.map((_, total) =>
      Math.max(...Array.from({ length: total + 1 }, (_, k) => mulUp(bounds[k]!, best[total - k]!))),
    );
  return divDown(1, Math.max(...best));
}

/**
 * f_y(x) = sum_m y_m c N^-n prod_j b(N (x_j - x_{m,j})): disjoint bumps.
 * @example labelledFunction(1, 1, 2, [1, 0]).value([0.25]) // 0.25
 */
export function labelledFunction(
  dimension: number,
  n: number,
  side: number,
  labels: ArrayLike<number>,
): LabelledFunction {
  if (labels.length !== side ** dimension)
    throw new ConstructError(
      `a grid of ${side}^${dimension} points has ${side ** dimension} labels, not ${labels.length}`,
    );
  const bump = splineBump(n);
  let amplitude = bumpConstant(n, dimension);
  for (let k = 0; k < n; k++) amplitude = divDown(amplitude, side);
  const derivative = (alpha: readonly number[], x: ArrayLike<number>): number => {
    let [place, product] = [0, amplitude];
    for (let j = 0, stride = 1; j < dimension; j++, stride *= side) {
      const cell = Math.min(side - 1, Math.max(0, Math.floor(x[j]! * side)));
      place += cell * stride;
      product *= bump.derivative(alpha[j]!, x[j]! * side - cell - 1 / 2) * side ** alpha[j]!;
    }
    return labels[place]! * product;
  };
  const none = new Array<number>(dimension).fill(0);
  return { dimension, side, amplitude, value: (x) => derivative(none, x), derivative };
}

/** The point x_m of the grid. */
export const gridPoint = (place: number, side: number, dimension: number): number[] =>
  Array.from({ length: dimension }, (_, j) => ((Math.floor(place / side ** j) % side) + 1 / 2) / side);

/**
 * A ReLU network with two hidden layers within amplitude / 2 of f_y: relu(1 - 2 N |x - x_m|_1) at each label 1. In two
 * dimensions it errs by at most about amplitude / 4.
 * @example complexity(labelNetwork(1, 2, [1, 0], 1)).architecture // [1, 2, 1, 1]
 */
export function labelNetwork(
  dimension: number,
  side: number,
  labels: ArrayLike<number>,
  amplitude: number,
): Graph {
  const ones = Array.from({ length: labels.length }, (_, m) => m).filter((m) => labels[m]);
  if (ones.length === 0)
    return network([layer([new Array<number>(dimension).fill(0)], [0])], { name: "labels" });
  const cells = ones.map((m) =>
    Array.from({ length: dimension }, (_, j) => Math.floor(m / side ** j) % side),
  );
  const used = new Map<string, number>();
  for (const cell of cells)
    for (const [j, c] of cell.entries()) if (!used.has(`${j} ${c}`)) used.set(`${j} ${c}`, used.size);
  const sides = [...used.keys()].map((key) => key.split(" ").map(Number) as [number, number]);
  const first = sparseLayer(
    2 * sides.length,
    dimension,
    sides.flatMap(([j], u) => [[2 * u, j, 2 * side] as const, [2 * u + 1, j, -2 * side] as const]),
    sides.flatMap(([, c]) => [-(2 * c + 1), 2 * c + 1]),
  );
  const second = sparseLayer(
    ones.length,
    2 * sides.length,
    cells.flatMap((cell, m) =>
      cell.flatMap((c, j) => {
        const u = used.get(`${j} ${c}`)!;
        return [[m, 2 * u, -1] as const, [m, 2 * u + 1, -1] as const];
      }),
    ),
    ones.map(() => 1),
  );
  return network([first, second, layer([ones.map(() => amplitude)])], { name: "labels" });
}
