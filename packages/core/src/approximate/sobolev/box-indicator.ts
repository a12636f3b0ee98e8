// Smoothed indicators of boxes with two hidden layers, and functions that are constant on the cells of a grid.

import type { Graph } from "../../graph/graph.ts";
import { layer, network, sparseLayer } from "../../networks/layers/layers.ts";
import { add, div, type Exact, mul, sub, toNumber } from "../../numbers/exact/rational.ts";
import { SobolevError } from "./error.ts";

function requireRamp(gamma: number): void {
  if (!(gamma > 0 && 1 / gamma < Number.MAX_VALUE))
    throw new SobolevError(`the ramps of a box have a positive width with a finite inverse, not ${gamma}`);
}

/**
 * relu(sum_i f_i(x_i) - (d - 1)), f_i the trapezoid that is 1 on [from_i, to_i] with ramps of width gamma outside:
 * 1 on the box, 0 off the box enlarged by gamma. 4 d + 1 units.
 * @example complexity(boxIndicator([0, 0], [1, 1], 0.5)).architecture // [2, 8, 1, 1]
 */
export function boxIndicator(from: readonly number[], to: readonly number[], gamma: number): Graph {
  requireRamp(gamma);
  const d = from.length;
  if (d === 0 || to.length !== d || from.some((u, i) => !(u <= to[i]!)))
    throw new SobolevError(`there is no box from [${from.join(", ")}] to [${to.join(", ")}]`);
  const knots = from.map((u, i) => [u - gamma, u, to[i]!, to[i]! + gamma]);
  const first = sparseLayer(
    4 * d,
    d,
    knots.flatMap((own, i) => own.map((_, k) => [4 * i + k, i, 1] as const)),
    knots.flat().map((t) => 0 - t),
  );
  const signs = [1, -1, -1, 1].map((s) => s / gamma);
  return network([first, layer([knots.flatMap(() => signs)], [1 - d]), layer([[1]])], {
    name: "box_indicator",
  });
}

/**
 * The L1 distance, on all of space, of a box indicator to the box: sum_j e_{d-j}(sides) (2 gamma)^j / (j + 1)!, since j
 * coordinates on their ramps leave relu(1 - t_1 - ... - t_j), of integral 1 / (j + 1)!.
 * @example boxIndicatorDistance([1], 0.25) // 0.25
 */
export function boxIndicatorDistance(sides: readonly Exact[], gamma: Exact): Exact {
  const symmetric: Exact[] = [1]; // e_0, e_1, ... of the sides
  for (const side of sides)
    for (let k = symmetric.length; k >= 1; k--)
      symmetric[k] = add(symmetric[k] ?? 0, mul(side, symmetric[k - 1]!));
  let [total, ramps, factorial]: [Exact, Exact, number] = [0, 1, 1];
  for (let j = 1; j <= sides.length; j++) {
    ramps = mul(ramps, mul(2, gamma));
    factorial *= j + 1;
    total = add(total, div(mul(symmetric[sides.length - j]!, ramps), factorial));
  }
  return total;
}

/** The volume of the enlarged box less that of the box: the bound that the proof uses. */
export const boxShell = (sides: readonly Exact[], gamma: Exact): Exact =>
  sub(
    sides.reduce<Exact>((p, s) => mul(p, add(s, mul(2, gamma))), 1),
    sides.reduce<Exact>(mul, 1),
  );

/** A function that is constant on the cells of [0, 1]^d, smoothed. */
export interface CellNetwork {
  readonly network: Graph;
  /** Cells a side. */
  readonly cells: number;
  readonly gamma: number;
  /** Of the sum of indicators, by the ramps. */
  readonly rampError: number;
}

/** Cell corners of [0, 1]^d, the last coordinate first to change. */
export function* cellCorners(dimension: number, cells: number): Iterable<readonly number[]> {
  for (let k = 0; k < cells ** dimension; k++)
    yield Array.from({ length: dimension }, (_, i) => Math.floor(k / cells ** (dimension - 1 - i)) % cells);
}

/**
 * sum_j g(corner_j) 1[x in cell_j] with box indicators whose ramps cost at most eps in L1. The boxes share their ramps:
 * 3 k + 1 units an axis in the first layer, one a cell in the second.
 * @example boxGridNetwork((x) => x[0], 1, 4, 0.1).cells // 4
 */
export function boxGridNetwork(
  g: (x: readonly number[]) => number,
  dimension: number,
  cells: number,
  eps: number,
): CellNetwork {
  if (!(Number.isSafeInteger(cells) && cells >= 1 && cells ** dimension <= 2 ** 20))
    throw new SobolevError(`a grid has from 1 to ${2 ** 20} cells, not ${cells}^${dimension}`);
  const tuples = [...cellCorners(dimension, cells)];
  const values = tuples.map((tuple) => g(tuple.map((m) => m / cells)));
  const weight = values.reduce((sum, a) => sum + Math.abs(a), 0);
  const sides = new Array<number>(dimension).fill(1 / cells);
  const costOf = (width: number): number => weight * toNumber(boxIndicatorDistance(sides, width));
  let gamma = 1 / (2 * cells);
  while (costOf(gamma) > eps) gamma /= 2;
  // Knots of an axis: i/k - gamma, i/k, i/k + gamma, where a box begins or ends.
  const knots: number[] = [];
  const placeOf = Array.from({ length: cells + 1 }, (_, i) => {
    const at = (t: number): number => knots.push(t) - 1;
    return {
      before: i < cells ? at(i / cells - gamma) : -1,
      here: at(i / cells),
      after: i > 0 ? at(i / cells + gamma) : -1,
    };
  });
  const first = sparseLayer(
    knots.length * dimension,
    dimension,
    Array.from({ length: knots.length * dimension }, (_, r) => [r, Math.floor(r / knots.length), 1] as const),
    Array.from({ length: dimension }, () => knots.map((t) => 0 - t)).flat(),
  );
  const entries = tuples.flatMap((tuple, r) =>
    tuple.flatMap((m, i) => {
      const [left, right] = [placeOf[m]!, placeOf[m + 1]!];
      const from = i * knots.length;
      return [
        [r, from + left.before, 1 / gamma],
        [r, from + left.here, -1 / gamma],
        [r, from + right.here, -1 / gamma],
        [r, from + right.after, 1 / gamma],
      ] as const;
    }),
  );
  const second = sparseLayer(
    tuples.length,
    knots.length * dimension,
    entries,
    tuples.map(() => 1 - dimension),
  );
  const last = sparseLayer(
    1,
    tuples.length,
    values.map((a, r) => [0, r, a] as const),
  );
  return {
    network: network([first, second, last], { name: "box_grid" }),
    cells,
    gamma,
    rampError: costOf(gamma),
  };
}
