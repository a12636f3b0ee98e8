// All that a linear network under the squared loss knows of its data: three matrices of second moments.
import type { MatrixAlgebra, MatrixOf } from "../../linear-algebra/matrix-algebra.ts";
import { LandscapeError } from "../error.ts";

/** E x x^T, E y x^T and E y y^T. */
export interface Covariances<T = number> {
  readonly xx: MatrixOf<T>;
  readonly yx: MatrixOf<T>;
  readonly yy: MatrixOf<T>;
}

/**
 * Second moments of examples, one row each.
 * @example covariancesOf([[1, 0], [0, 2]], [[1], [1]]).yx // [[0.5, 1]]
 */
export function covariancesOf(
  x: readonly (readonly number[])[],
  y: readonly (readonly number[])[],
): Covariances {
  if (x.length === 0 || x.length !== y.length)
    throw new LandscapeError(`${x.length} inputs and ${y.length} targets`);
  const moment = (a: readonly (readonly number[])[], b: readonly (readonly number[])[]) =>
    a[0]!.map((_, i) =>
      b[0]!.map((__, j) => a.reduce((sum, row, k) => sum + row[i]! * b[k]![j]!, 0) / a.length),
    );
  return { xx: moment(x, x), yx: moment(y, x), yy: moment(y, y) };
}

/** The best linear map without a bound on its rank: Syx Sxx^-1. */
export const regression = <T>({ product, inverse }: MatrixAlgebra<T>, { xx, yx }: Covariances<T>) =>
  product(yx, inverse(xx));

/** Sigma = Syx Sxx^-1 Sxy: what of the targets the inputs explain. */
export const explained = <T>(algebra: MatrixAlgebra<T>, covariances: Covariances<T>): MatrixOf<T> =>
  algebra.product(regression(algebra, covariances), algebra.transpose(covariances.yx));
