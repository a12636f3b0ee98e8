// Gradient flow of least squares in the space of a kernel, solved: predictions at every time, and the interpolant at the end.
import { dot } from "../linear-algebra/dot.ts";
import { type Rows, symmetricEigen } from "../linear-algebra/symmetric-eigen.ts";

type Vector = readonly number[];

/** dPhi(x)/dt = -(2/m) sum_i K(x, x_i) (Phi(x_i) - y_i), for the risk (1/m) sum_i (Phi(x_i) - y_i)^2. */
export interface KernelFlow {
  /** Eigenvalues of the Gram matrix, in ascending order. */
  readonly values: Vector;
  /** Eigenvectors, in the same order. */
  readonly vectors: Rows;
  /** C(t) = k^T K^{-1} (I - e^{-2 K t / m}): the prediction is Phi_0(x) + C(t) (y - Phi_0(X)). Infinity is a time, too. */
  weights(cross: Vector, t: number): Vector;
  /** The same after so many steps of gradient descent at this rate: (I - 2 rate K / m)^steps for the exponential. */
  descentWeights(cross: Vector, rate: number, steps: number): Vector;
  /** y^T K^{-1} y, the squared kernel norm of the interpolant of least norm. */
  squaredNorm(y: Vector): number;
}

/**
 * The flow for a positive definite Gram matrix, which is decomposed once.
 * @example kernelFlow([[2, 0], [0, 4]]).weights([1, 1], Number.POSITIVE_INFINITY) // [0.5, 0.25]
 */
export function kernelFlow(gram: Rows): KernelFlow {
  const { values, vectors } = symmetricEigen(gram);
  const m = gram.length;
  /** sum_k f(lambda_k) <v_k, b> v_k */
  const filtered = (b: Vector, f: (lambda: number) => number): Vector => {
    const result = b.map(() => 0);
    vectors.forEach((v, k) => {
      const part = f(values[k]!) * dot(v, b);
      for (let i = 0; i < m; i++) result[i]! += part * v[i]!;
    });
    return result;
  };
  return {
    values,
    vectors,
    weights: (cross, t) => filtered(cross, (lambda) => -Math.expm1((-2 * lambda * t) / m) / lambda),
    descentWeights: (cross, rate, steps) =>
      filtered(cross, (lambda) => (1 - (1 - (2 * rate * lambda) / m) ** steps) / lambda),
    squaredNorm: (y) =>
      dot(
        y,
        filtered(y, (lambda) => 1 / lambda),
      ),
  };
}

/** Covariances of a Gaussian process between a point, itself and the data. */
export interface PriorCovariance {
  readonly variance: number;
  readonly cross: Vector;
  readonly gram: Rows;
}

/**
 * The variance of Phi_0(x) - C Phi_0(X): S(x, x) - 2 C S(X, x) + C S(X, X) C^T.
 * @example predictionVariance({ variance: 1, cross: [1], gram: [[1]] }, [1]) // 0
 */
export const predictionVariance = ({ variance, cross, gram }: PriorCovariance, weights: Vector): number =>
  variance -
  2 * dot(weights, cross) +
  dot(
    weights,
    gram.map((row) => dot(row, weights)),
  );
