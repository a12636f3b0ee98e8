// Dropout of hidden units of a linear network: its expected loss is the loss plus a product of norms.
import type { MatrixAlgebra, MatrixOf } from "../../linear-algebra/matrix-algebra.ts";

export interface Factors<T> {
  /** One row an output, one column a hidden unit. */
  readonly u: MatrixOf<T>;
  /** One row an input, one column a hidden unit. */
  readonly v: MatrixOf<T>;
  readonly y: MatrixOf<T>;
}

/**
 * |Y - U V^T|^2 + (1 - q) / q sum_i |u_i|^2 |v_i|^2: what dropout with probability q of keeping a unit minimizes.
 * @example dropoutLoss(matrixAlgebra(doubles), { u: [[2]], v: [[3]], y: [[6]] }, 0.5) // 36
 */
export function dropoutLoss<T>(algebra: MatrixAlgebra<T>, { u, v, y }: Factors<T>, keep: T): T {
  const { scalars, product, transpose, minus, inner } = algebra;
  const { of, add, mul, div, sub } = scalars;
  const rest = minus(y, product(u, transpose(v)));
  const square = (a: MatrixOf<T>, k: number): T => a.map((row) => mul(row[k]!, row[k]!)).reduce(add);
  const penalty = u[0]!.map((_, k) => mul(square(u, k), square(v, k))).reduce(add);
  return add(inner(rest, rest), mul(div(sub(of(1), keep), keep), penalty));
}

/**
 * E |Y - (1/q) U diag(b) V^T|^2 over all masks b, each weighed by its probability.
 * @example expectedDropoutLoss(matrixAlgebra(doubles), { u: [[2]], v: [[3]], y: [[6]] }, 0.5) // 36
 */
export function expectedDropoutLoss<T>(algebra: MatrixAlgebra<T>, { u, v, y }: Factors<T>, keep: T): T {
  const { scalars, product, transpose, minus, inner } = algebra;
  const { of, add, mul, div, sub } = scalars;
  const hidden = u[0]!.length;
  let sum = of(0);
  for (let mask = 0; mask < 2 ** hidden; mask++) {
    const isKept = (k: number): boolean => Math.floor(mask / 2 ** k) % 2 === 1;
    const masked = u.map((row) => row.map((x, k) => (isKept(k) ? div(x, keep) : of(0))));
    const rest = minus(y, product(masked, transpose(v)));
    const chance = u[0]!.map((_, k) => (isKept(k) ? keep : sub(of(1), keep))).reduce(mul);
    sum = add(sum, mul(chance, inner(rest, rest)));
  }
  return sum;
}
