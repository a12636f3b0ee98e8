// Training with a fixed kernel in closed form, from one spectral decomposition: the mean of what infinitely wide networks
// predict at a time t, and how far they are apart (1.24). At t = infinity it is kernel regression, and with the kernel of a
// Gaussian process its posterior.
import { wholeBlock } from "../linear-algebra/block.ts";
import { spectralDecomposition } from "../linear-algebra/eigen.ts";
import type { Matrix } from "../linear-algebra/matrix-norm.ts";
import { productOf } from "../linear-algebra/product.ts";
import { transposeOf } from "../linear-algebra/svd.ts";
import { KernelError } from "./error.ts";
import { requireConvergence, trainingFilter } from "./training-filter.ts";

export interface KernelRegressionOptions {
  /** Added to the kernel's diagonal: a penalty r |theta - theta_0|^2 / m on the weights, or the variance of noise; default 0. */
  readonly ridge?: number;
  /** Of gradient flow, or steps of descent if there is a rate; default: infinite. */
  readonly time?: number;
  /** The learning rate of gradient descent; default: gradient flow. */
  readonly rate?: number | undefined;
}

/** The covariance of the networks before their training, where the kernel is another one. */
export interface InitialCovariance {
  /** Of the training examples with each other. */
  readonly train: Matrix;
  /** Of test examples (rows) with training examples. */
  readonly test: Matrix;
}

export interface KernelRegression {
  /** Ascending, of the kernel without the ridge. */
  readonly eigenvalues: Float64Array;
  /** alpha, one row an example: predictions are k(x, X) alpha. */
  readonly coefficients: Matrix;
  /** Predictions on the training examples. */
  readonly fitted: Matrix;
  /** Predictions from the kernel between test examples (rows) and training examples. */
  predict(test: Matrix): Promise<Matrix>;
  /**
   * The variance at each test example around the prediction. `own` has the variance of each before training. With an
   * initial covariance S it is that of networks that differ by their start, S(x, x) - 2 C S(X, x) + C S C^T; without one
   * the kernel is the covariance and the ridge the variance of noise in the targets: the posterior, at t = infinity.
   */
  variance(test: Matrix, own: Float64Array, initial?: InitialCovariance): Promise<Float64Array>;
}

/**
 * Trains with the kernel of the training examples on targets (a row an example), from predictions of 0.
 * @example (await kernelRegression(matrixOfRows([[2, 0], [0, 4]]), matrixOfRows([[1], [1]]))).coefficients.entries // Float64Array [0.5, 0.25]
 */
export async function kernelRegression(
  kernel: Matrix,
  targets: Matrix,
  { ridge = 0, time = Number.POSITIVE_INFINITY, rate }: KernelRegressionOptions = {},
): Promise<KernelRegression> {
  const n = kernel.rows;
  if (targets.rows !== n) throw new KernelError(`${targets.rows} targets for a kernel of ${n} examples`);
  if (!(ridge >= 0 && Number.isFinite(ridge)))
    throw new KernelError(`a ridge is finite and at least 0, not ${ridge}`);
  const course = { time, rate, examples: n };
  const filter = trainingFilter(course);
  const { values, vectors } = await spectralDecomposition(kernel);
  requireConvergence(course, values.at(-1)! + ridge);
  // Directions that the kernel does not have, but for rounding: no prediction moves along them.
  const rounding = n * 2 ** -52 * Math.max(Math.abs(values[0]!), values.at(-1)!);
  const isThere = (value: number): boolean => ridge > 0 || value > rounding;
  const mu = values.map((value) => Math.max(0, value) + ridge);
  const phi = mu.map((m, k) => (isThere(values[k]!) ? filter(m) : 0));
  const along = await productOf(wholeBlock(vectors), wholeBlock(targets));
  const back = wholeBlock(transposeOf(vectors));
  const coefficients = await productOf(back, wholeBlock(timesRows(along, phi)));
  const fitted = await productOf(
    back,
    wholeBlock(
      timesRows(
        along,
        phi.map((p, k) => p * Math.max(0, values[k]!)),
      ),
    ),
  );
  return {
    eigenvalues: values,
    coefficients,
    fitted,
    predict: (test) => productOf(wholeBlock(test), wholeBlock(coefficients)),
    async variance(test, own, initial) {
      const parts = await productOf(wholeBlock(test), back); // row i: k(x_i, X) in the eigenvectors
      if (!initial) {
        const weights = phi.map((p, k) => p * (2 - p * mu[k]!));
        return own.map((v, i) => Math.max(0, v - weightedSquares(parts, i, weights)));
      }
      const c = await productOf(wholeBlock(timesColumns(parts, phi)), wholeBlock(vectors));
      const image = await productOf(wholeBlock(c), wholeBlock(initial.train));
      return own.map((v, i) => Math.max(0, v + rowSum(c, image, initial.test, i)));
    },
  };
}

/** Row k times the factor k. */
function timesRows({ rows, columns, entries }: Matrix, factors: Float64Array): Matrix {
  return { rows, columns, entries: entries.map((x, n) => x * factors[Math.floor(n / columns)]!) };
}

/** Column k times the factor k. */
function timesColumns({ rows, columns, entries }: Matrix, factors: Float64Array): Matrix {
  return { rows, columns, entries: entries.map((x, n) => x * factors[n % columns]!) };
}

function weightedSquares({ columns, entries }: Matrix, row: number, weights: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < columns; k++) sum += weights[k]! * entries[row * columns + k]! ** 2;
  return sum;
}

/** sum_j C_ij ((C S)_ij - 2 S(x_i, x_j)) */
function rowSum(c: Matrix, image: Matrix, test: Matrix, row: number): number {
  let sum = 0;
  for (let j = row * c.columns; j < (row + 1) * c.columns; j++)
    sum += c.entries[j]! * (image.entries[j]! - 2 * test.entries[j]!);
  return sum;
}
