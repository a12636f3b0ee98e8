// Restricted isometry: how nearly a matrix keeps the lengths of sparse vectors.
import { type Rows, symmetricEigen } from "../linear-algebra/symmetric-eigen.ts";
import { SparseError } from "./error.ts";

/** Supports that are gone through one by one; more are refused. */
const mostSupports = 2e6;

/** The columns' inner products, with columns scaled to length 1. */
export function normalizedGram(matrix: Rows): Rows {
  const columns = matrix[0]!.map((_, j) => matrix.map((row) => row[j]!));
  const lengths = columns.map((column) => Math.hypot(...column));
  const zero = lengths.indexOf(0);
  if (zero >= 0) throw new SparseError(`column ${zero} is zero: it cannot be scaled to length 1`);
  return gram(columns.map((column, j) => column.map((v) => v / lengths[j]!)));
}

/** <a_i, a_j> of vectors. */
export const gram = (vectors: Rows): Rows =>
  vectors.map((a) => vectors.map((b) => a.reduce((sum, v, k) => sum + v * b[k]!, 0)));

export interface Isometry {
  /** The least delta with (1 - delta) |x|^2 <= |A x|^2 <= (1 + delta) |x|^2 for all x with s nonzeros. */
  readonly delta: number;
  /** The support where it is reached. */
  readonly support: readonly number[];
}

/**
 * delta_s by all supports: the greatest |G_S - I| over sets of s columns, G the matrix of inner products.
 * @example restrictedIsometry([[1, 0.5], [0.5, 1]], 2).delta // 0.5
 */
export function restrictedIsometry(gramMatrix: Rows, s: number): Isometry {
  const n = gramMatrix.length;
  if (!(Number.isInteger(s) && s >= 1 && s <= n))
    throw new SparseError(`a support of ${n} columns has 1 to ${n} of them, not ${s}`);
  if (binomial(n, s) > mostSupports)
    throw new SparseError(`${n} columns have more than ${mostSupports} supports of size ${s}`);
  let best: Isometry = { delta: -1, support: [] };
  for (const support of subsets(n, s)) {
    const delta = isometryOn(gramMatrix, support);
    if (delta > best.delta) best = { delta, support };
  }
  return best;
}

/** |G_S - I|, the spectral norm. */
export function isometryOn(gramMatrix: Rows, support: readonly number[]): number {
  const { values } = symmetricEigen(support.map((i) => support.map((j) => gramMatrix[i]![j]!)));
  return Math.max(values.at(-1)! - 1, 1 - values[0]!);
}

/**
 * The greatest |<a_i, a_j>| of different columns; delta_s is at most (s - 1) times it, and equal to it for s = 2.
 * @example coherence([[1, -0.25], [-0.25, 1]]) // 0.25
 */
export const coherence = (gramMatrix: Rows): number =>
  Math.max(0, ...gramMatrix.flatMap((row, i) => row.filter((_, j) => j !== i).map(Math.abs)));

/** n over k, in floating point. */
export const binomial = (n: number, k: number): number => {
  let product = 1;
  for (let j = 1; j <= k; j++) product = (product * (n - k + j)) / j;
  return product;
};

/**
 * All sets of k of the numbers 0 .. n - 1, each ascending.
 * @example [...subsets(3, 2)] // [[0, 1], [0, 2], [1, 2]]
 */
export function* subsets(n: number, k: number, from = 0): Generator<readonly number[]> {
  if (k === 0) yield [];
  else for (let i = from; i <= n - k; i++) for (const rest of subsets(n, k - 1, i + 1)) yield [i, ...rest];
}
