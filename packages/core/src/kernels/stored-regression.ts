// Training with a fixed kernel that no memory holds, from products with it: conjugate gradients at t = infinity, a
// polynomial of the kernel at other times. Nothing is factorized but a part of low rank, which preconditions.
import { EngineError } from "../engine/error.ts";
import { lowRankPreconditioner } from "../linear-algebra/conjugate-gradients.ts";
import { functionOfMap } from "../linear-algebra/function-of-map.ts";
import type { Matrix } from "../linear-algebra/matrix-norm.ts";
import { pivotedCholesky } from "../linear-algebra/pivoted-cholesky.ts";
import { simultaneousGradients } from "../linear-algebra/simultaneous-gradients.ts";
import { transposeOf } from "../linear-algebra/svd.ts";
import type { RowsProduct } from "../linear-algebra/top-eigenpairs.ts";
import { KernelError } from "./error.ts";
import { startVariance } from "./kernel-flow.ts";
import type { KernelRegressionOptions } from "./kernel-regression.ts";
import { kernelMoments, storedSpectrum } from "./kernel-spectrum.ts";
import { type StoredMatrix, storedProduct } from "./stored-matrix.ts";
import { requireConvergence, trainingFilter } from "./training-filter.ts";

export interface StoredRegressionOptions extends KernelRegressionOptions {
  /** An upper bound on the kernel's greatest eigenvalue; default: its trace, which takes more products. */
  readonly greatest?: number;
  /** |y - (K + ridge) alpha| / |y|, or how far predictions at a finite time may be off beside |y|; default 1e-5. */
  readonly tolerance?: number;
  /** Columns that the preconditioner knows; default 300. */
  readonly rank?: number;
  /** Passes over the kernel at most; default 2000. */
  readonly passes?: number;
  /** Called with the part that is done and what is left of the right-hand side. */
  readonly onStep?: (part: number, residual: number | undefined) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface StoredRegression {
  /** alpha, one row an example. */
  readonly coefficients: Matrix;
  /** Predictions on the training examples, K alpha. */
  readonly fitted: Matrix;
  readonly method: "conjugate gradients" | "Chebyshev polynomial";
  /** Passes over the kernel. */
  readonly products: number;
  /** |y - (K + ridge) alpha| / |y| of the worst target, at t = infinity. */
  readonly residual: number | undefined;
  /**
   * The variance at each test example around the prediction, as `TrainedKernel` has it. Each row of `test` is solved for as
   * the targets were: give as many at once as memory allows.
   */
  variance(test: Matrix, own: Float64Array, initial?: StoredCovariance): Promise<Float64Array>;
}

/** The covariance of the networks before their training, where the kernel is another one. */
export interface StoredCovariance {
  /** Rows times the covariance of the training examples with each other. */
  readonly train: RowsProduct;
  /** Of test examples (rows) with training examples. */
  readonly test: Matrix;
}

/**
 * Trains with a stored kernel on targets (a row an example), from predictions of 0.
 * @example (await storedRegression(matrixInMemory(2, 2, Float64Array.of(2, 0, 0, 4)), matrixOfRows([[1], [1]]))).coefficients.entries // about [0.5, 0.25]
 */
export async function storedRegression(
  kernel: StoredMatrix,
  targets: Matrix,
  options: StoredRegressionOptions = {},
): Promise<StoredRegression> {
  if (targets.rows !== kernel.rows)
    throw new KernelError(`${targets.rows} targets for a kernel of ${kernel.rows} examples`);
  const { time = Number.POSITIVE_INFINITY, ridge = 0, rate, signal } = options;
  const course = { time, rate, examples: kernel.rows };
  trainingFilter(course); // refuses times and rates that are none
  const greatest = await greatestOf(kernel, options);
  if (rate !== undefined) requireConvergence(course, greatest + ridge);
  const solver = time === Number.POSITIVE_INFINITY ? inverse : polynomial;
  const filter = await solver(kernel, { ...options, greatest });
  const found = await filter(transposeOf(targets));
  const fitted = await storedProduct(kernel, 0, signal)(found.rows);
  return {
    coefficients: transposeOf(found.rows),
    fitted: transposeOf(fitted),
    method: found.method,
    products: found.products + 1,
    residual: found.residual,
    async variance(test, own, initial) {
      const { rows: C } = await filter(test);
      if (initial) return startVariance(own, C, await initial.train(C), initial.test);
      return startVariance(own, C, await storedProduct(kernel, ridge, signal)(C), test);
    },
  };
}

/** phi(K + ridge) applied to rows. */
type StoredFilter = (rows: Matrix) => Promise<Found>;

interface Found extends Pick<StoredRegression, "method" | "products" | "residual"> {
  /** alpha^T */
  readonly rows: Matrix;
}

/** As a part of the mean eigenvalue: the preconditioner subtracts what is so much greater than its result. */
const leastShift = 1e-8;

/** (K + ridge) alpha = y. */
async function inverse(kernel: StoredMatrix, options: StoredRegressionOptions): Promise<StoredFilter> {
  const { ridge = 0, tolerance = 1e-5, rank = 300, passes = 2000, onStep, signal } = options;
  const { diagonal, trace } = await kernelMoments(kernel, signal);
  const n = kernel.rows;
  const column = (j: number): Float64Array => {
    signal?.throwIfAborted();
    return kernel.read(j, j + 1).slice();
  };
  const low = await pivotedCholesky(diagonal, column, Math.min(rank, Math.ceil(n / 2)));
  // What the low rank does not explain counts as a multiple of the identity: its mean eigenvalue, or some digits of it.
  const shift = Math.max(ridge + low.rest / n, (leastShift * trace) / n) || 1;
  const preconditioner = await lowRankPreconditioner(low, shift);
  return async (rows) => {
    const { solution, residual, converged, products } = await simultaneousGradients(
      storedProduct(kernel, ridge, signal),
      rows,
      {
        ...{ preconditioner, tolerance, steps: passes },
        ...(signal && { signal }),
        onStep: (left) => onStep?.(Math.min(1, Math.log(1 / left) / Math.log(1 / tolerance)), left),
      },
    ).catch(noInverse);
    if (!converged)
      throw new KernelError(
        `after ${products} passes conjugate gradients have left ${residual.toExponential(1)} of the targets: a greater ridge makes the kernel easier to invert`,
      );
    return { rows: solution, method: "conjugate gradients", products, residual };
  };
}

/** A kernel that has eigenvalues of 0, as of examples that are there twice. */
function noInverse(error: unknown): never {
  if (!(error instanceof EngineError && error.message.startsWith("not positive"))) throw error;
  throw new KernelError("the kernel has no inverse but for rounding: a ridge above 0 gives it one");
}

/** An upper bound on the kernel's eigenvalues; of descent, whose rate depends on it, one that is hardly above the greatest. */
async function greatestOf(
  kernel: StoredMatrix,
  { greatest, rate, signal }: StoredRegressionOptions,
): Promise<number> {
  if (greatest !== undefined) return greatest;
  if (rate === undefined) return (await kernelMoments(kernel, signal)).trace;
  return (await storedSpectrum(kernel, { signal })).max * (1 + lanczosError);
}

/** How far below the greatest eigenvalue its estimate may be. */
const lanczosError = 1e-6;

/** alpha(t) = phi(K + ridge) y for a finite time. */
async function polynomial(kernel: StoredMatrix, options: StoredRegressionOptions): Promise<StoredFilter> {
  const { ridge = 0, tolerance = 1e-5, time = 0, rate, passes = 2000, onStep, signal } = options;
  const course = { time, rate, examples: kernel.rows };
  const greatest = (options.greatest ?? 0) + ridge;
  const product = storedProduct(kernel, ridge, signal);
  return async (targets) => {
    let products = 0;
    const rows = await functionOfMap(
      trainingFilter(course),
      (v) => {
        products++;
        return product(v);
      },
      targets,
      {
        ...{ interval: [ridge, greatest], degree: passes },
        // Predictions are K alpha, so that alpha must be better by the size of K.
        tolerance: tolerance / (greatest || 1),
        onStep: (part) => onStep?.(part, undefined),
        ...(signal && { signal }),
      },
    ).catch((error: unknown) => {
      if (!(error instanceof EngineError && error.message.startsWith("a polynomial"))) throw error;
      throw new KernelError(
        `training up to the time ${time} takes more than ${passes} passes over the kernel: a shorter time, an infinite one, or a greater ridge`,
      );
    });
    return { rows, method: "Chebyshev polynomial", products, residual: undefined };
  };
}
