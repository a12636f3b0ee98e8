// Tables of functions of two variables by minima of trapezoids (Poggio): 11 units for one cell.

import type { Graph } from "../../graph/graph.ts";
import { layer, network, sparseLayer } from "../../networks/layers/layers.ts";
import { SobolevError } from "./error.ts";

/** min(a, b) = (a)_+ - (-a)_+ - (a - b)_+. */
const minimumWeights = [1, -1, -1];

/**
 * min(R(x), R(y)) for trapezoids R on [from, to) with ramps of width eta at the right of both ends: 4 + 4 + 3 units.
 * @example complexity(cellIndicator([0, 0], [0.5, 0.5], 0.125)).architecture // [2, 8, 3, 1]
 */
export function cellIndicator(
  from: readonly [number, number],
  to: readonly [number, number],
  eta: number,
): Graph {
  if (!(eta > 0) || from.some((u, i) => !(to[i]! - u >= eta)))
    throw new SobolevError(
      `ramps of width ${eta} do not fit the cell [${from.join(", ")}] to [${to.join(", ")}]`,
    );
  const knots = from.map((u, i) => [u, u + eta, to[i]!, to[i]! + eta]);
  const first = sparseLayer(
    8,
    2,
    knots.flatMap((_, i) => [0, 1, 2, 3].map((k) => [4 * i + k, i, 1] as const)),
    knots.flat().map((t) => 0 - t),
  );
  const trapezoid = [1, -1, -1, 1].map((s) => s / eta);
  const [a, none] = [trapezoid, trapezoid.map(() => 0)];
  const minus = a.map((w) => -w);
  const second = layer([
    [...a, ...none],
    [...minus, ...none],
    [...a, ...minus],
  ]);
  return network([first, second, layer([minimumWeights])], { name: "cell_indicator" });
}

/** ||chi - min(R, R)||^2 in L2: 2 eta (s + t) / 3 - eta^2 / 3 for a cell with sides s and t (ramps within the plane). */
export const cellIndicatorDistance = (s: number, t: number, eta: number): number =>
  (2 * eta * (s + t)) / 3 - eta ** 2 / 3;

/**
 * sum_ij g(i/k, j/k) min(R_i(x), R_j(y)) on the cells of [0, 1]^2: 2 (k + 1) ramp units an axis, which cells share, and
 * 3 k^2 for the minima.
 * @example complexity(cellTable((x, y) => x + y, 4, 0.05)).architecture // [2, 20, 48, 1]
 */
export function cellTable(g: (x: number, y: number) => number, k: number, eta: number): Graph {
  if (!(Number.isSafeInteger(k) && k >= 1 && k <= 512))
    throw new SobolevError(`a table has from 1 to 512 cells a side, not ${k}`);
  if (!(eta > 0 && eta <= 1 / k))
    throw new SobolevError(`ramps of width ${eta} do not fit cells of side 1/${k}`);
  const knots = Array.from({ length: k + 1 }, (_, i) => [i / k, i / k + eta]).flat();
  const first = sparseLayer(
    2 * knots.length,
    2,
    Array.from({ length: 2 * knots.length }, (_, r) => [r, r < knots.length ? 0 : 1, 1] as const),
    [...knots, ...knots].map((t) => 0 - t),
  );
  const trapezoid = (row: number, axis: number, i: number, sign: number) =>
    [1, -1, -1, 1].map((s, j) => [row, axis * knots.length + 2 * i + j, (sign * s) / eta] as const);
  const entries: (readonly [number, number, number])[] = [];
  const outputs: (readonly [number, number, number])[] = [];
  for (let i = 0; i < k; i++)
    for (let j = 0; j < k; j++) {
      const row = 3 * (i * k + j);
      entries.push(...trapezoid(row, 0, i, 1), ...trapezoid(row + 1, 0, i, -1));
      entries.push(...trapezoid(row + 2, 0, i, 1), ...trapezoid(row + 2, 1, j, -1));
      const value = g(i / k, j / k);
      outputs.push(...minimumWeights.map((w, c) => [0, row + c, w * value] as const));
    }
  return network(
    [first, sparseLayer(3 * k * k, 2 * knots.length, entries), sparseLayer(1, 3 * k * k, outputs)],
    {
      name: "cell_table",
    },
  );
}
