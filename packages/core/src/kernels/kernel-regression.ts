// Training with a fixed kernel on targets: the mean of what infinitely wide networks predict at a time t. At t = infinity
// it is kernel regression, and with the kernel of a Gaussian process its posterior.
import { wholeBlock } from "../linear-algebra/block.ts";
import type { Matrix } from "../linear-algebra/matrix-norm.ts";
import { productOf } from "../linear-algebra/product.ts";
import { KernelError } from "./error.ts";
import { kernelFlow, type TrainedKernel } from "./kernel-flow.ts";

export interface KernelRegressionOptions {
  /** Added to the kernel's diagonal: a penalty r |theta - theta_0|^2 / m on the weights, or the variance of noise; default 0. */
  readonly ridge?: number;
  /** Of gradient flow, or steps of descent if there is a rate; default: infinite. */
  readonly time?: number;
  /** The learning rate of gradient descent; default: gradient flow. */
  readonly rate?: number | undefined;
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
  /** As `TrainedKernel` has it. */
  readonly variance: TrainedKernel["variance"];
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
  if (targets.rows !== kernel.rows)
    throw new KernelError(`${targets.rows} targets for a kernel of ${kernel.rows} examples`);
  const flow = await kernelFlow(kernel, ridge);
  const trained = flow.at(time, rate);
  const coefficients = await trained.coefficients(targets);
  return {
    eigenvalues: flow.eigenvalues,
    coefficients,
    fitted: await trained.fitted(targets),
    predict: (test) => productOf(wholeBlock(test), wholeBlock(coefficients)),
    variance: trained.variance,
  };
}
