// Gradient flow of least squares in the space of a kernel, solved by one spectral decomposition: predictions at every time,
// how far networks are apart that differ by their start (1.24), and the interpolant at the end.
import { wholeBlock } from "../linear-algebra/block.ts";
import { spectralDecomposition } from "../linear-algebra/eigen.ts";
import type { Matrix } from "../linear-algebra/matrix-norm.ts";
import { productOf } from "../linear-algebra/product.ts";
import { transposeOf } from "../linear-algebra/svd.ts";
import { KernelError } from "./error.ts";
import { requireConvergence, trainingFilter } from "./training-filter.ts";

/** The covariance of the networks before their training, where the kernel is another one. */
export interface InitialCovariance {
  /** Of the training examples with each other. */
  readonly train: Matrix;
  /** Of test examples (rows) with training examples. */
  readonly test: Matrix;
}

/** phi(K + ridge) at one time: what training makes of targets. Matrices have a row an example. */
export interface TrainedKernel {
  /** alpha = phi(K + ridge) y: predictions are Phi_0(x) + k(x, X) alpha, for y - Phi_0(X) as targets. */
  coefficients(targets: Matrix): Promise<Matrix>;
  /** K alpha, the predictions on the training examples. */
  fitted(targets: Matrix): Promise<Matrix>;
  /** C = k(x, X) phi(K + ridge) for each test example (row): predictions are Phi_0(x) + C (y - Phi_0(X)). */
  weights(test: Matrix): Promise<Matrix>;
  /**
   * The variance at each test example around the prediction. `own` has the variance of each before training. With an
   * initial covariance S it is that of networks that differ by their start, S(x, x) - 2 C S(X, x) + C S C^T; without one
   * the kernel is the covariance and the ridge the variance of noise in the targets: the posterior, at t = infinity.
   */
  variance(test: Matrix, own: Float64Array, initial?: InitialCovariance): Promise<Float64Array>;
}

/** dPhi(x)/dt = -(2/m) sum_i K(x, x_i) (Phi(x_i) - y_i), for the risk (1/m) sum_i (Phi(x_i) - y_i)^2. */
export interface KernelFlow {
  /** Of the kernel without the ridge, in ascending order. */
  readonly eigenvalues: Float64Array;
  /** Eigenvectors in the same order, one a row. */
  readonly vectors: Matrix;
  /** At a time of the flow, or after so many steps of descent at this rate. Infinity is a time, too. */
  at(time: number, rate?: number): TrainedKernel;
}

/**
 * The flow for the kernel of the training examples, which is decomposed once.
 * @example (await (await kernelFlow(matrixOfRows([[2, 0], [0, 4]]))).at(Infinity).weights(matrixOfRows([[1, 1]]))).entries // Float64Array [0.5, 0.25]
 */
export async function kernelFlow(kernel: Matrix, ridge = 0): Promise<KernelFlow> {
  if (!(ridge >= 0 && Number.isFinite(ridge)))
    throw new KernelError(`a ridge is finite and at least 0, not ${ridge}`);
  const n = kernel.rows;
  const { values, vectors } = await spectralDecomposition(kernel);
  const back = transposeOf(vectors);
  // Directions that the kernel does not have, but for rounding: no prediction moves along them.
  const rounding = n * 2 ** -52 * Math.max(Math.abs(values[0]!), values.at(-1)!);
  const isThere = (value: number): boolean => ridge > 0 || value > rounding;
  const mu = values.map((value) => Math.max(0, value) + ridge);
  const at = (time: number, rate?: number): TrainedKernel => {
    const course = { time, rate, examples: n };
    const filter = trainingFilter(course);
    requireConvergence(course, values.at(-1)! + ridge);
    const phi = mu.map((m, k) => (isThere(values[k]!) ? filter(m) : 0));
    /** sum_k f_k <v_k, b> v_k for each column b. */
    const filtered = async (columns: Matrix, f: Float64Array): Promise<Matrix> => {
      const along = await productOf(wholeBlock(vectors), wholeBlock(columns));
      return productOf(wholeBlock(back), wholeBlock(timesRows(along, f)));
    };
    const weights = async (test: Matrix): Promise<Matrix> => {
      const parts = await productOf(wholeBlock(test), wholeBlock(back));
      return productOf(wholeBlock(timesColumns(parts, phi)), wholeBlock(vectors));
    };
    return {
      coefficients: (targets) => filtered(targets, phi),
      fitted: (targets) =>
        filtered(
          targets,
          phi.map((p, k) => p * Math.max(0, values[k]!)),
        ),
      weights,
      async variance(test, own, initial) {
        if (initial) {
          const C = await weights(test);
          const image = await productOf(wholeBlock(C), wholeBlock(initial.train));
          return startVariance(own, C, image, initial.test);
        }
        const parts = await productOf(wholeBlock(test), wholeBlock(back));
        const squares = phi.map((p, k) => p * (2 - p * mu[k]!));
        return own.map((v, i) => Math.max(0, v - weightedSquares(parts, i, squares)));
      },
    };
  };
  return { eigenvalues: values, vectors, at };
}

/** S(x, x) - 2 C S(X, x) + C S(X, X) C^T for each row of C, from C S(X, X): the variance of Phi_0(x) - C Phi_0(X). */
export const startVariance = (own: Float64Array, C: Matrix, image: Matrix, test: Matrix): Float64Array =>
  own.map((v, i) => Math.max(0, v + rowSum(C, image, test, i)));

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
