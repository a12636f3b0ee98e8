// Least squares with fewer examples than weights: the solution of least norm, and how descent gets there.

import { trainingFilter } from "../kernels/training-filter.ts";
import { dot } from "../linear-algebra/dot.ts";
import { type Rows, type SymmetricEigen, symmetricEigen } from "../linear-algebra/symmetric-eigen.ts";
import { TrainError } from "../train/error.ts";

export interface LeastSquares {
  readonly X: Rows;
  readonly y: readonly number[];
  /** Of X X^T. */
  readonly spectrum: SymmetricEigen;
}

/**
 * r(theta) = (1/m) |X theta - y|^2, whose rows must be linearly independent.
 * @example leastSquares([[3, 4]], [1]).spectrum.values // [25]
 */
export function leastSquares(X: Rows, y: readonly number[]): LeastSquares {
  const spectrum = symmetricEigen(X.map((a) => X.map((b) => dot(a, b))));
  const [least, greatest] = [spectrum.values[0]!, spectrum.values.at(-1)!];
  if (!(least > 1e-12 * greatest)) throw new TrainError("the rows of X are linearly dependent");
  return { X, y, spectrum };
}

/** theta + X^T sum_k f(lambda_k) <u_k, y - X theta> u_k */
function corrected(
  { X, y, spectrum }: LeastSquares,
  theta: readonly number[],
  f: (lambda: number) => number,
): number[] {
  const rest = X.map((row, i) => y[i]! - dot(row, theta));
  const weights = rest.map(() => 0);
  spectrum.vectors.forEach((u, k) => {
    const factor = f(spectrum.values[k]!) * dot(u, rest);
    u.forEach((v, i) => {
      weights[i]! += factor * v;
    });
  });
  return theta.map((v, j) => v + X.reduce((sum, row, i) => sum + weights[i]! * row[j]!, 0));
}

/**
 * theta + X^+ (y - X theta): the solution of X . = y that is nearest to theta.
 * @example nearestSolution(leastSquares([[1, 1]], [2]), [0, 0]).map(Math.round) // [1, 1]
 */
export const nearestSolution = (problem: LeastSquares, theta: readonly number[]): readonly number[] =>
  leastSquaresFlow(problem, theta, Number.POSITIVE_INFINITY);

/**
 * Gradient flow from theta at time t, the flow of the kernel X X^T: theta + X^+ (I - e^{-2 X X^T t / m}) (y - X theta).
 * @example leastSquaresFlow(leastSquares([[1, 1]], [2]), [0, 0], 100).map(Math.round) // [1, 1]
 */
export const leastSquaresFlow = (
  problem: LeastSquares,
  theta: readonly number[],
  t: number,
): readonly number[] => corrected(problem, theta, trainingFilter({ time: t, examples: problem.y.length }));

/**
 * The factor by which k steps of gradient descent at this rate shrink the distance to the limit, at most.
 * @example contraction(leastSquares([[1, 0]], [1]), 0.25, 2) // 0.25
 */
export const contraction = ({ spectrum, y }: LeastSquares, rate: number, k: number): number =>
  Math.max(...spectrum.values.map((lambda) => Math.abs(1 - (2 * rate * lambda) / y.length))) ** k;
