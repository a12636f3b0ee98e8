// The part of a positive semidefinite matrix that few columns explain: Cholesky's elimination, the greatest pivot first.
import { EngineError } from "../engine/error.ts";
import type { Matrix } from "./matrix-norm.ts";

/** A = L L^T + a rest without negative eigenvalues. */
export interface PivotedCholesky {
  /** L^T: row k is column k of L. */
  readonly factor: Matrix;
  /** The columns of A that were used, in order. */
  readonly pivots: Int32Array;
  /** The trace of the rest: no eigenvalue of it is greater. */
  readonly rest: number;
}

/**
 * The factor of at most `rank` columns, from the diagonal of A and those columns of A alone: n rank^2 operations. It ends
 * early where the rest is rounding.
 * @example (await pivotedCholesky(Float64Array.of(1, 4), async (j) => Float64Array.of(2 * j, 2 + 2 * j), 1)).pivots // Int32Array [1]
 */
export async function pivotedCholesky(
  diagonal: Float64Array,
  column: (j: number) => Float64Array | Promise<Float64Array>,
  rank: number,
): Promise<PivotedCholesky> {
  const n = diagonal.length;
  if (!diagonal.every((d) => d >= 0 && Number.isFinite(d)))
    throw new EngineError("the diagonal of a positive semidefinite matrix is finite and not negative");
  const d = diagonal.slice();
  const greatest = d.reduce((most, x) => Math.max(most, x), 0);
  const rows: Float64Array[] = [];
  const pivots: number[] = [];
  while (rows.length < Math.min(rank, n)) {
    const pivot = d.reduce((best, x, j) => (x > d[best]! ? j : best), 0);
    if (!(d[pivot]! > n * 2 ** -52 * greatest)) break;
    rows.push(eliminated(await column(pivot), rows, pivot, d));
    pivots.push(pivot);
  }
  const entries = new Float64Array(rows.length * n);
  rows.forEach((row, k) => {
    entries.set(row, k * n);
  });
  const rest = d.reduce((sum, x) => sum + x, 0);
  return { factor: { rows: rows.length, columns: n, entries }, pivots: Int32Array.from(pivots), rest };
}

/** The next column of L, less what the others explain; d becomes the diagonal of what remains. */
function eliminated(
  column: Float64Array,
  rows: readonly Float64Array[],
  pivot: number,
  d: Float64Array,
): Float64Array {
  if (column.length !== d.length)
    throw new EngineError(`column ${pivot} has ${column.length} entries, not ${d.length}`);
  if (!column.every(Number.isFinite)) throw new EngineError(`column ${pivot} is not finite`);
  const next = column.slice();
  for (const row of rows) {
    const factor = row[pivot]!;
    for (let i = 0; i < next.length; i++) next[i]! -= factor * row[i]!;
  }
  const root = Math.sqrt(d[pivot]!);
  for (let i = 0; i < next.length; i++) {
    next[i]! /= root;
    d[i] = Math.max(0, d[i]! - next[i]! * next[i]!);
  }
  d[pivot] = 0;
  return next;
}
