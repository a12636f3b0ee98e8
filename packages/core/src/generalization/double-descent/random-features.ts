// Regression of least norm on random features: a two-layer network whose first layer is drawn and stays.

import { type ActivationName, activation } from "../../functions/activation.ts";
import { dot } from "../../linear-algebra/dot.ts";
import { leastSquares } from "../../linear-algebra/least-squares.ts";
import type { Matrix } from "../../linear-algebra/matrix-norm.ts";
import { matrixOfRows } from "../../linear-algebra/rows.ts";
import type { Random } from "../../numbers/random.ts";

type Row = ArrayLike<number>;

export interface Labelled {
  readonly x: readonly Row[];
  readonly y: ArrayLike<number>;
}

/**
 * Rows w_j that are uniform on the sphere: the feature is rho(<w_j, x>).
 * @example drawFeatures(3, 2, createRandom(1)).length // 3
 */
export const drawFeatures = (n: number, d: number, random: Random): readonly Float64Array[] =>
  Array.from({ length: n }, () => random.sphere(d));

/** A row an input, a column a feature. */
export function randomFeatures(
  weights: readonly Row[],
  x: readonly Row[],
  rho: ActivationName = "relu",
): Matrix {
  const { value } = activation(rho);
  return matrixOfRows(x.map((input) => weights.map((w) => value(dot(w, input)))));
}

export interface FeatureFit {
  readonly outer: Float64Array;
  /** Means of squares. */
  readonly trainError: number;
  errorOn(data: Labelled): number;
}

/**
 * The outer weights of least norm among those with the least squared error.
 * @example (await fitFeatures([[1]], { x: [[2]], y: [4] })).outer.map(Math.round) // Float64Array [2]
 */
export async function fitFeatures(
  weights: readonly Row[],
  { x, y }: Labelled,
  rho: ActivationName = "relu",
): Promise<FeatureFit> {
  const right = { rows: y.length, columns: 1, entries: Float64Array.from(y) };
  const { solution, residuals } = await leastSquares(randomFeatures(weights, x, rho), right);
  const outer = solution.entries;
  return {
    outer,
    trainError: residuals[0]! ** 2 / y.length,
    errorOn(data) {
      const features = randomFeatures(weights, data.x, rho);
      const n = weights.length;
      const squares = data.x.map(
        (_, i) => (dot(features.entries.subarray(i * n, (i + 1) * n), outer) - data.y[i]!) ** 2,
      );
      return squares.reduce((a, b) => a + b, 0) / squares.length;
    },
  };
}
