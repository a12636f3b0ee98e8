// Directions of negative curvature at critical points of a linear network that are no minima (proof of Theorem 4.2).
import type { MatrixAlgebra, MatrixOf } from "../../linear-algebra/matrix-algebra.ts";
import { type Covariances, regression } from "./covariances.ts";
import type { Chain } from "./linear-risk.ts";

/** A critical point by its eigenvectors: those of J, one a row, the gauge, and one to turn the last of J into. */
export interface Escape<T> {
  readonly gauge: MatrixOf<T>;
  /** An eigenvector q_k, k not in J. */
  readonly towards: readonly T[];
}

/**
 * D_U = q_k e^T C and D_V = Sxx^-1 Sxy q_k e^T C^-T with the last unit vector e: the curvature is 2 (lambda_j - lambda_k)
 * if the last column of Q_J is q_j, and -4 lambda_k if that hidden unit is not used.
 * @example escapeDirection(matrixAlgebra(doubles), { xx: [[1]], yx: [[2]], yy: [[5]] }, { gauge: [[1]], towards: [1] }) // [[[2]], [[1]]]
 */
export function escapeDirection<T>(
  algebra: MatrixAlgebra<T>,
  covariances: Covariances<T>,
  { gauge, towards }: Escape<T>,
): Chain<T> {
  const { product, transpose, inverse, scalars } = algebra;
  const last = gauge.map((_, k) => [scalars.of(k === gauge.length - 1 ? 1 : 0)]);
  const image = product([towards], regression(algebra, covariances));
  return [product(inverse(gauge), last, image), product(transpose([towards]), transpose(last), gauge)];
}

/** A point where U a = 0, with the residual E = U V^T Sxx - Syx. */
export interface DeficientPoint<T> {
  readonly weights: Chain<T>;
  readonly kernel: readonly T[];
}

export interface DeficientEscape<T> {
  readonly direction: Chain<T>;
  /** 2 |Sxx^(1/2) V a|^2 + 4 alpha |a|^2 E_ij, below 0. */
  readonly predicted: T;
}

/**
 * Where U a = 0: D_U = e_i a^T, D_V = alpha e_j a^T at the greatest entry of E, alpha twice what is enough.
 * @example escapeFromDeficient(matrixAlgebra(doubles), { xx: [[1]], yx: [[2]], yy: [[5]] }, { weights: [[[0]], [[0]]], kernel: [1] }).predicted // -4
 */
export function escapeFromDeficient<T>(
  algebra: MatrixAlgebra<T>,
  { xx, yx }: Covariances<T>,
  { weights, kernel }: DeficientPoint<T>,
): DeficientEscape<T> {
  const { product, transpose, minus, zeros, scalars } = algebra;
  const { of, add, mul, div, size, sub } = scalars;
  const [first, second] = weights as readonly [MatrixOf<T>, MatrixOf<T>];
  const residual = minus(product(second, first, xx), yx);
  const [i, j] = greatestPlace(residual, size);
  const square = kernel.map((a) => mul(a, a)).reduce(add);
  const va = product(
    transpose(first),
    kernel.map((a) => [a]),
  );
  const stretch = product(transpose(va), xx, va)[0]![0]!;
  const entry = residual[i]![j]!;
  // -(stretch / (|a|^2 E_ij)) is twice the least; 1 more in size where that is 0.
  const least = div(stretch, mul(square, entry));
  const isZero = size(least) === 0;
  const alpha = isZero ? div(of(-1), entry) : sub(of(0), least);
  const unit = (rows: number, at: number): MatrixOf<T> =>
    zeros(rows, 1).map((_, k) => [of(k === at ? 1 : 0)]);
  const row = [kernel];
  const direction: Chain<T> = [
    algebra.times(alpha, product(transpose(row), transpose(unit(xx.length, j)))),
    product(unit(residual.length, i), row),
  ];
  const predicted = add(mul(of(2), stretch), mul(of(4), mul(alpha, mul(square, entry))));
  return { direction, predicted };
}

function greatestPlace<T>(a: MatrixOf<T>, size: (x: T) => number): readonly [number, number] {
  let [best, i, j] = [-1, 0, 0];
  a.forEach((row, r) => {
    row.forEach((x, c) => {
      if (size(x) > best) [best, i, j] = [size(x), r, c];
    });
  });
  return [i, j];
}
