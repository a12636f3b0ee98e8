// Linear models that fit everything: any labels, or the truth with parameters as large and as far away as one likes.

import { leastSquares, nearestSolution } from "../../dynamics/minimum-norm.ts";
import { dot } from "../../linear-algebra/dot.ts";
import type { Random } from "../../numbers/random.ts";

type Row = ArrayLike<number>;
export type MatrixRows = readonly Row[];

/** |A|_F */
export const frobenius = (rows: MatrixRows): number =>
  Math.sqrt(rows.reduce((s, row) => s + dot(row, row), 0));

/**
 * A w, for w with one row a feature.
 * @example matrixProductOf([[1, 2]], [[3], [4]])[0] // Float64Array [11]
 */
export const matrixProductOf = (A: MatrixRows, w: MatrixRows): readonly Float64Array[] =>
  A.map((row) => {
    const sum = new Float64Array(w[0]!.length);
    for (let j = 0; j < w.length; j++) for (let c = 0; c < sum.length; c++) sum[c]! += row[j]! * w[j]![c]!;
    return sum;
  });

/**
 * w = Phi^T (Phi Phi^T)^{-1} Y: predictions Phi w are Y, whatever Y is; the rows of Phi are linearly independent.
 * @example memorize([[2, 0]], [[6]]) // [[3], [0]], nearly
 */
export function memorize(Phi: readonly (readonly number[])[], Y: MatrixRows): readonly (readonly number[])[] {
  const columns = Array.from({ length: Y[0]!.length }, (_, c) =>
    nearestSolution(
      leastSquares(
        Phi,
        Y.map((row) => row[c]!),
      ),
      Phi[0]!.map(() => 0),
    ),
  );
  return Phi[0]!.map((_, j) => columns.map((column) => column[j]!));
}

/** An orthonormal basis of the rows' span; directions shorter than this share of their row are rounding. */
const negligible = 1e-9;
export function rowBasis(rows: MatrixRows): readonly Float64Array[] {
  const basis: Float64Array[] = [];
  for (const row of rows) {
    const rest = without(Float64Array.from(row), basis);
    const length = Math.sqrt(dot(rest, rest));
    if (length > negligible * Math.sqrt(dot(row, row))) basis.push(rest.map((v) => v / length));
  }
  return basis;
}

/** What of a vector is orthogonal to a basis; taken twice, since once leaves rounding behind. */
function without(vector: Float64Array, basis: readonly Float64Array[]): Float64Array {
  const rest = vector.slice();
  for (let time = 0; time < 2; time++)
    for (const q of basis) {
      const along = dot(q, rest);
      for (let k = 0; k < rest.length; k++) rest[k]! -= along * q[k]!;
    }
  return rest;
}

export interface FarModel {
  readonly w: readonly Float64Array[];
  /** |Phi w - Phi w*|_F and the same for the test features, as computed. */
  readonly trainError: number;
  readonly testError: number;
  readonly norm: number;
  /** |w - w*|_F */
  readonly distance: number;
  readonly rank: number;
  /** What rounding may add to the errors. */
  readonly floor: number;
}

export interface FarModelOptions {
  readonly eps: number;
  readonly delta: number;
  readonly random: Random;
}

/**
 * Kawaguchi, Bengio and Kaelbling, Theorem 2.1 (ii): w = w* + eps C_1 + alpha C_2 with C_1 in the row space of all
 * features and C_2 in their null space; errors eps at most, norm and distance delta at least. Needs rank < features.
 */
export function farModel(
  Phi: MatrixRows,
  PhiTest: MatrixRows,
  truth: MatrixRows,
  { eps, delta, random }: FarModelOptions,
): FarModel | undefined {
  const all = [...Phi, ...PhiTest];
  const basis = rowBasis(all);
  const n = truth.length;
  if (basis.length >= n) return undefined;
  const outputs = truth[0]!.length;
  const columns = (of: (v: Float64Array) => Float64Array): Float64Array[] =>
    Array.from({ length: outputs }, () => of(random.normal(n)));
  const inside = columns((v) => {
    const outside = without(v, basis);
    return v.map((x, k) => x - outside[k]!);
  });
  const size = Math.max(
    ...[Phi, PhiTest].map((A) => frobenius(A.map((row) => inside.map((c) => dot(row, c))))),
  );
  const flat = columns((v) => without(v, basis));
  const length = frobenius(flat);
  const alpha = delta + frobenius(truth) + (size > 0 ? (eps * frobenius(inside)) / size : 0);
  const w = truth.map((row, j) =>
    Float64Array.from(row as ArrayLike<number>, (v, c) => {
      const small = size > 0 ? (eps * inside[c]![j]!) / size : 0;
      return v + small + (alpha * flat[c]![j]!) / length;
    }),
  );
  const offset = w.map((row, j) => row.map((v, c) => v - truth[j]![c]!));
  return {
    w,
    trainError: frobenius(matrixProductOf(Phi, offset)),
    testError: frobenius(matrixProductOf(PhiTest, offset)),
    norm: frobenius(w),
    distance: frobenius(offset),
    rank: basis.length,
    // Entries of C_2 are known to a few ulp of the largest one, times alpha, through sums of n products.
    floor: 64 * n * 2 ** -52 * (alpha + frobenius(truth)) * frobenius(all),
  };
}
