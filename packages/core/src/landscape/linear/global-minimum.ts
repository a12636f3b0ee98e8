// The least risk of a linear network in closed form, and weights that have it: regression of bounded rank; for y = x, PCA.
import { doubles, type MatrixOf, matrixAlgebra } from "../../linear-algebra/matrix-algebra.ts";
import { smallSvd } from "../../linear-algebra/small-svd.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import { LandscapeError } from "../error.ts";
import type { Covariances } from "./covariances.ts";
import type { Chain } from "./linear-risk.ts";

export interface LinearMinimum {
  /** tr Syy - sum of the p greatest eigenvalues of Sigma, p the least width. */
  readonly risk: number;
  /** The best map of that rank. */
  readonly map: MatrixOf<number>;
  /** Weights of all layers with |W_(l+1)|^2-balance: W_(l+1)^T W_(l+1) = W_l W_l^T. */
  readonly weights: Chain;
  /** Eigenvalues of Sigma, descending. */
  readonly eigenvalues: readonly number[];
  /** Directions of the inputs that the data do not show: Sxx is then not invertible. */
  readonly unseen: number;
}

/** Eigenvalues of Sxx below this part of the greatest count as 0. */
const negligible = 1e-12;

/**
 * The global minimum for widths n_0, ..., n_L, of any covariances: where Sxx is singular, its pseudoinverse stands for the
 * inverse (Theorem 4.3).
 * @example linearMinimum({ xx: [[1, 0], [0, 1]], yx: [[3, 0], [0, 2]], yy: [[10, 0], [0, 5]] }, [2, 1, 2]).risk // 6
 */
export function linearMinimum({ xx, yx, yy }: Covariances, widths: readonly number[]): LinearMinimum {
  if (widths.length < 2 || widths[0] !== xx.length || widths.at(-1) !== yy.length)
    throw new LandscapeError(
      `widths ${widths.join("-")}, but the data have ${xx.length} inputs and ${yy.length} outputs`,
    );
  const { product, transpose } = matrixAlgebra(doubles);
  const { inverse, unseen } = pseudoInverseOf(xx);
  const best = product(yx, inverse);
  const { values, vectors } = symmetricEigen(symmetric(product(best, transpose(yx))));
  const eigenvalues = values.toReversed().map((v) => Math.max(0, v));
  const rank = Math.min(...widths);
  const kept = vectors.toReversed().slice(0, rank);
  const map = product(transpose(kept), kept, best);
  const total = yy.reduce((sum, row, i) => sum + row[i]!, 0);
  return {
    risk: eigenvalues.slice(0, rank).reduce((risk, v) => risk - v, total),
    map,
    weights: balancedFactors(map, widths),
    eigenvalues,
    unseen,
  };
}

const symmetric = (a: MatrixOf<number>): MatrixOf<number> =>
  a.map((row, i) => row.map((x, j) => (x + a[j]![i]!) / 2));

function pseudoInverseOf(xx: MatrixOf<number>): { inverse: MatrixOf<number>; unseen: number } {
  const { values, vectors } = symmetricEigen(xx);
  const floor = negligible * values.at(-1)!;
  const inverse = xx.map((_, i) =>
    xx.map((__, j) =>
      values.reduce((sum, v, k) => (v > floor ? sum + (vectors[k]![i]! * vectors[k]![j]!) / v : sum), 0),
    ),
  );
  return { inverse, unseen: values.filter((v) => !(v > floor)).length };
}

/**
 * Z = A S B^T as W_L ... W_1 with W_1 = S^(1/L) B^T, W_l = S^(1/L), W_L = A S^(1/L), padded with zeros to the widths.
 * @example balancedFactors([[4]], [1, 1, 1]) // [[[2]], [[2]]]
 */
export function balancedFactors(z: MatrixOf<number>, widths: readonly number[]): Chain {
  const layers = widths.length - 1;
  const { values, left, right } = decomposed(z);
  const order = [...values.keys()].sort((a, b) => values[b]! - values[a]!).slice(0, Math.min(...widths));
  const root = (k: number): number => values[order[k]!]! ** (1 / layers);
  const table = (rows: number, columns: number, entry: (i: number, j: number) => number) =>
    Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (__, j) => entry(i, j)));
  return Array.from({ length: layers }, (_, l) => {
    const [rows, columns] = [widths[l + 1]!, widths[l]!];
    if (layers === 1) return z;
    if (l === 0)
      return table(rows, columns, (i, j) => (i < order.length ? root(i) * right[order[i]!]![j]! : 0));
    if (l === layers - 1)
      return table(rows, columns, (i, j) => (j < order.length ? left[order[j]!]![i]! * root(j) : 0));
    return table(rows, columns, (i, j) => (i === j && i < order.length ? root(i) : 0));
  });
}

/** z = sum_k values[k] left_k right_k^T; the rows of what is decomposed are no more than its columns. */
export function decomposed(z: MatrixOf<number>): ReturnType<typeof smallSvd> {
  const rows = (a: MatrixOf<number>) => a.map((row) => Float64Array.from(row));
  if (z.length <= z[0]!.length) return smallSvd(rows(z), z[0]!.length);
  const { values, left, right } = smallSvd(rows(matrixAlgebra(doubles).transpose(z)), z.length);
  return { values, left: right, right: left };
}
