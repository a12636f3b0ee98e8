// 1/2 |Y - U V^T X|^2 + lambda/2 (|U|^2 + |V|^2): a linear network with weight decay on data, over networks of all widths. With
// X = I it is the factorization of Y.
import { frobeniusNorm, type Matrix } from "../../linear-algebra/matrix-norm.ts";
import { matrixProduct } from "../../linear-algebra/product.ts";
import { singularDecomposition, transposeOf } from "../../linear-algebra/svd.ts";
import { type FactorPair, singularThresholding } from "./factorization.ts";

const square = (m: Matrix): number => frobeniusNorm(m.entries) ** 2;
const inner = (a: Matrix, b: Matrix): number => a.entries.reduce((sum, v, k) => sum + v * b.entries[k]!, 0);
const combined = (a: Matrix, share: number, b: Matrix): Matrix => ({
  ...a,
  entries: a.entries.map((v, k) => v + share * b.entries[k]!),
});

export interface RegressionGap {
  readonly objective: number;
  /** No linear network of any width does better than this. */
  readonly lowerBound: number;
  readonly gap: number;
  /** <Y - U V^T X, U V^T X> - lambda/2 (|U|^2 + |V|^2): 0 at every first-order point. */
  readonly scaling: number;
  /** The greatest singular value of (Y - U V^T X) X^T; at a global minimum at most lambda. */
  readonly polar: number;
}

/**
 * How far a linear network is from the global minimum over all widths: Q = (Y - U V^T X) min(1, lambda / polar) is feasible for
 * the dual. Data are columns of X and Y.
 * @example (await regressionGap(matrixOfRows([[1]]), matrixOfRows([[3]]), 1, { u: matrixOfRows([[0]]), v: matrixOfRows([[0]]) })).lowerBound // 2.5
 */
export async function regressionGap(
  x: Matrix,
  y: Matrix,
  lambda: number,
  { u, v }: FactorPair,
): Promise<RegressionGap> {
  const outputs = await matrixProduct(await matrixProduct(u, transposeOf(v)), x);
  const rest = combined(y, -1, outputs);
  const polar = (await singularDecomposition(await matrixProduct(rest, transposeOf(x)))).values[0]!;
  const penalty = (lambda / 2) * (square(u) + square(v));
  const objective = square(rest) / 2 + penalty;
  const scale = polar > lambda ? lambda / polar : 1;
  const lowerBound = (square(y) - square(combined(y, -scale, rest))) / 2;
  return {
    objective,
    lowerBound,
    gap: objective - lowerBound,
    scaling: inner(rest, outputs) - penalty,
    polar,
  };
}

export interface RegressionFactors extends FactorPair {
  readonly rank: number;
  readonly steps: number;
  readonly certificate: RegressionGap;
}

/**
 * Balanced factors of the minimum of 1/2 |Y - Z X|^2 + lambda |Z|_*: gradient steps of size 1 / |X|^2, each followed by singular
 * value thresholding, until the gap is below this part of the objective.
 * @example (await regressionFactors(matrixOfRows([[1]]), matrixOfRows([[3]]), 1)).certificate.objective // 2.5
 */
export async function regressionFactors(
  x: Matrix,
  y: Matrix,
  lambda: number,
  { tolerance = 1e-10, steps: most = 2000 }: { readonly tolerance?: number; readonly steps?: number } = {},
): Promise<RegressionFactors> {
  const rate = 1 / (await singularDecomposition(x)).values[0]! ** 2;
  const transposed = transposeOf(x);
  let z: Matrix = { rows: y.rows, columns: x.rows, entries: new Float64Array(y.rows * x.rows) };
  for (let steps = 1; ; steps++) {
    const rest = combined(y, -1, await matrixProduct(z, x));
    const moved = combined(z, rate, await matrixProduct(rest, transposed));
    const { u, v, z: next, rank } = await singularThresholding(moved, lambda * rate);
    z = next;
    const certificate = await regressionGap(x, y, lambda, { u, v });
    if (certificate.gap <= tolerance * certificate.objective || steps >= most)
      return { u, v, rank, steps, certificate };
  }
}
