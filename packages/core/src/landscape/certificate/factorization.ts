// 1/2 |Y - U V^T|^2 + lambda/2 (|U|^2 + |V|^2) over factors of any width: its global minimum by singular value thresholding,
// and a bound from below for any factors (Corollary 4.6).
import { frobeniusNorm, type Matrix } from "../../linear-algebra/matrix-norm.ts";
import { matrixProduct } from "../../linear-algebra/product.ts";
import { singularDecomposition, transposeOf } from "../../linear-algebra/svd.ts";
import { LandscapeError } from "../error.ts";

/** Y about U V^T: `u` has a row for each row of Y, `v` one for each column. */
export interface FactorPair {
  readonly u: Matrix;
  readonly v: Matrix;
}

export interface Thresholded extends FactorPair {
  readonly z: Matrix;
  readonly rank: number;
  /** sum_i min(s_i, lambda)^2 / 2 + lambda (s_i - lambda)_+ */
  readonly value: number;
}

const square = (m: Matrix): number => frobeniusNorm(m.entries) ** 2;

/**
 * Singular values shrunk by lambda: the global minimum of 1/2 |Y - Z|^2 + lambda |Z|_*, and factors of it.
 * @example (await singularThresholding(matrixOfRows([[5, 0], [0, 1]]), 2)).value // 8.5
 */
export async function singularThresholding(y: Matrix, lambda: number): Promise<Thresholded> {
  if (!(lambda >= 0)) throw new LandscapeError(`lambda ${lambda} is below 0`);
  const { values, left, right } = await singularDecomposition(y);
  const rank = values.filter((s) => s > lambda).length;
  const width = Math.max(1, rank);
  const factor = (vectors: Matrix): Matrix => {
    const entries = new Float64Array(vectors.columns * width);
    for (let k = 0; k < rank; k++)
      for (let i = 0; i < vectors.columns; i++)
        entries[i * width + k] = Math.sqrt(values[k]! - lambda) * vectors.entries[k * vectors.columns + i]!;
    return { rows: vectors.columns, columns: width, entries };
  };
  const [u, v] = [factor(left), factor(right)];
  const value = values.reduce(
    (sum, s) => sum + Math.min(s, lambda) ** 2 / 2 + lambda * Math.max(0, s - lambda),
    0,
  );
  return { u, v, z: await matrixProduct(u, transposeOf(v)), rank, value };
}

/**
 * (|U|^2 + |V|^2) / 2 - |U V^T|_*, which is never below 0, and 0 where U^T U = V^T V.
 * @example await variationalExcess({ u: matrixOfRows([[2]]), v: matrixOfRows([[1]]) }) // 0.5
 */
export async function variationalExcess({ u, v }: FactorPair): Promise<number> {
  const { values } = await singularDecomposition(await matrixProduct(u, transposeOf(v)));
  return (square(u) + square(v)) / 2 - values.reduce((sum, s) => sum + s, 0);
}

export interface FactorizationGap {
  readonly objective: number;
  /** No factors of any width do better than this. */
  readonly lowerBound: number;
  readonly gap: number;
  /** <Y - U V^T, U V^T> - lambda/2 (|U|^2 + |V|^2): 0 at every first-order point. */
  readonly scaling: number;
  /** The greatest singular value of Y - U V^T; at a global minimum at most lambda. */
  readonly polar: number;
  /** The top pair of singular vectors: the column to add where polar > lambda. */
  readonly left: Float64Array;
  readonly right: Float64Array;
}

/**
 * How far factors are from the global minimum over all widths: Q = (Y - U V^T) min(1, lambda / sigma_max) is feasible for
 * the dual, whose value is 1/2 |Y|^2 - 1/2 |Y - Q|^2.
 * @example (await factorizationGap(matrixOfRows([[3]]), 1, { u: matrixOfRows([[0]]), v: matrixOfRows([[0]]) })).lowerBound // 2.5
 */
export async function factorizationGap(
  y: Matrix,
  lambda: number,
  { u, v }: FactorPair,
): Promise<FactorizationGap> {
  const z = await matrixProduct(u, transposeOf(v));
  const rest: Matrix = { ...y, entries: y.entries.map((t, k) => t - z.entries[k]!) };
  const { values, left, right } = await singularDecomposition(rest);
  const polar = values[0]!;
  const penalty = (lambda / 2) * (square(u) + square(v));
  const objective = square(rest) / 2 + penalty;
  const scale = polar > lambda ? lambda / polar : 1;
  const dual: Matrix = { ...y, entries: y.entries.map((t, k) => t - scale * rest.entries[k]!) };
  const lowerBound = square(y) / 2 - square(dual) / 2;
  const inner = rest.entries.reduce((sum, r, k) => sum + r * z.entries[k]!, 0);
  return {
    ...{ objective, lowerBound, gap: objective - lowerBound, scaling: inner - penalty, polar },
    left: left.entries.slice(0, left.columns),
    right: right.entries.slice(0, right.columns),
  };
}

/** Factors with one more column: sqrt(size) times each vector. */
export function withColumn(
  { u, v }: FactorPair,
  left: Float64Array,
  right: Float64Array,
  size: number,
): FactorPair {
  const widened = (m: Matrix, column: Float64Array): Matrix => {
    const entries = new Float64Array(m.rows * (m.columns + 1));
    for (let i = 0; i < m.rows; i++) {
      entries.set(m.entries.subarray(i * m.columns, (i + 1) * m.columns), i * (m.columns + 1));
      entries[i * (m.columns + 1) + m.columns] = Math.sqrt(size) * column[i]!;
    }
    return { rows: m.rows, columns: m.columns + 1, entries };
  };
  return { u: widened(u, left), v: widened(v, right) };
}

export interface GrowthStep {
  readonly width: number;
  readonly objective: number;
  readonly polar: number;
}

/**
 * From no columns on: the top singular pair of the rest, as long as its singular value is above lambda, with the best size
 * sigma - lambda; each lowers the objective by (sigma - lambda)^2 / 2. Ends at singular value thresholding.
 * @example (await grownFactors(matrixOfRows([[5, 0], [0, 3]]), 2)).steps.length // 3
 */
export async function grownFactors(
  y: Matrix,
  lambda: number,
): Promise<FactorPair & { readonly steps: readonly GrowthStep[] }> {
  const none = (rows: number): Matrix => ({ rows, columns: 1, entries: new Float64Array(rows) });
  let pair: FactorPair = { u: none(y.rows), v: none(y.columns) };
  const steps: GrowthStep[] = [];
  for (let width = 0; ; width++) {
    const { objective, polar, left, right } = await factorizationGap(y, lambda, pair);
    steps.push({ width, objective, polar });
    if (polar <= lambda * (1 + 1e-12) || width >= Math.min(y.rows, y.columns)) return { ...pair, steps };
    pair = withColumn(pair, left, right, polar - lambda);
  }
}
