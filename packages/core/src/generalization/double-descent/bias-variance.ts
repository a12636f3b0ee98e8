// The excess risk of minimum-norm regression, split into bias and variance: exactly for a design, and for normal designs.

import { dot } from "../../linear-algebra/dot.ts";
import { pseudoInverse } from "../../linear-algebra/least-squares.ts";
import type { Matrix } from "../../linear-algebra/matrix-norm.ts";

export interface RegressionTask {
  /** E[X X^T], d by d. */
  readonly covariance: Matrix;
  /** theta*: labels are <theta*, X> + noise. */
  readonly target: ArrayLike<number>;
  /** E[nu^2] */
  readonly noise: number;
}

export interface ExcessRisk {
  readonly bias: number;
  readonly variance: number;
}

const row = ({ columns, entries }: Matrix, i: number): Float64Array =>
  entries.subarray(i * columns, (i + 1) * columns);

/** <v, C v> */
const energy = (covariance: Matrix, v: ArrayLike<number>): number => {
  let sum = 0;
  for (let i = 0; i < covariance.rows; i++) sum += v[i]! * dot(row(covariance, i), v);
  return sum;
};

/**
 * What least squares of minimum norm errs by on new data, given the inputs X (a row an example), on average over the noise:
 * theta*^T P C P theta* + E[nu^2] Tr(Sigma^+ C), with Sigma = X^T X, P = I - Sigma^+ Sigma, C = E[X X^T].
 * @example await minimumNormRisk(matrixOfRows([[2, 0]]), { covariance: matrixOfRows([[1, 0], [0, 1]]), target: [5, 3], noise: 4 }) // ({ bias: 9, variance: 1 })
 */
export async function minimumNormRisk(
  design: Matrix,
  { covariance, target, noise }: RegressionTask,
): Promise<ExcessRisk> {
  const inverse = await pseudoInverse(design); // X^+, d by m; Sigma^+ = X^+ (X^+)^T
  const [m, d] = [design.rows, design.columns];
  const seen = Float64Array.from({ length: m }, (_, i) => dot(row(design, i), target));
  const unseen = Float64Array.from({ length: d }, (_, j) => target[j]! - dot(row(inverse, j), seen));
  let trace = 0;
  for (let i = 0; i < m; i++)
    trace += energy(
      covariance,
      Float64Array.from({ length: d }, (_, j) => inverse.entries[j * m + i]!),
    );
  return { bias: energy(covariance, unseen), variance: noise * trace };
}

/** A mean over designs, and the variance of one draw. */
export interface Moments {
  readonly mean: number;
  readonly variance: number;
}

/**
 * Tr(Sigma^+) for m standard normal inputs in R^d, the trace of an inverse Wishart matrix of size p = min(m, d) with
 * n = max(m, d) degrees of freedom: mean p / (n - p - 1), infinite for |m - d| <= 1;
 * variance 2 p (n - 1) / ((n - p) (n - p - 1)^2 (n - p - 3)), infinite for |m - d| <= 3.
 * @example normalDesignVariance(50, 71).mean // 2.5
 */
export function normalDesignVariance(m: number, d: number): Moments {
  const [p, n] = [Math.min(m, d), Math.max(m, d)];
  const gap = n - p;
  return {
    mean: gap > 1 ? p / (gap - 1) : Infinity,
    variance: gap > 3 ? (2 * p * (n - 1)) / (gap * (gap - 1) ** 2 * (gap - 3)) : Infinity,
  };
}

/**
 * |P theta*|^2 / |theta*|^2 for m standard normal inputs in R^d: the share of a direction in a random subspace of dimension
 * d - m, a Beta variable with parameters (d - m) / 2 and m / 2.
 * @example normalDesignBias(50, 100).mean // 0.5
 */
export function normalDesignBias(m: number, d: number): Moments {
  if (m >= d) return { mean: 0, variance: 0 };
  return { mean: (d - m) / d, variance: (2 * m * (d - m)) / (d * d * (d + 2)) };
}
