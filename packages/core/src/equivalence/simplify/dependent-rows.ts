// Rows of a matrix as combinations of few of them, by elimination with complete pivoting.

import type { SparseMatrix } from "../../graph/sparse.ts";
import { toDense } from "../../graph/sparse.ts";

export interface RowBasis {
  /** Rows of which all others are combinations, up to rounding. */
  readonly basis: readonly number[];
  /** [row, place in the basis, factor] for each row outside of it. */
  readonly entries: readonly (readonly [number, number, number])[];
}

/** More numbers than this are not eliminated. */
const mostEntries = 2 ** 20;
/** Greater factors would make more of rounding errors than a unit is worth. */
const greatestFactor = 64;

/** Undefined where rows are independent, or the factors too great. `relative`: pivots below this share are rounding. */
export function rowBasis(matrix: SparseMatrix, relative: number): RowBasis | undefined {
  const { rows: m, columns: n } = matrix;
  if (m < 2 || m * n > mostEntries) return undefined;
  const a = toDense(matrix);
  // Rows of the elimination's left factor: row = sum_p left[row][p] * (reduced pivot row p).
  const left = Array.from({ length: m }, () => [] as number[]);
  const order = Array.from({ length: m }, (_, k) => k);
  let [rank, greatest] = [0, 0];
  for (; rank < Math.min(m, n); rank++) {
    let [best, at, column] = [0, rank, 0];
    for (let k = rank; k < m; k++)
      for (let c = 0; c < n; c++) {
        const size = Math.abs(a[order[k]! * n + c]!);
        if (size > best) [best, at, column] = [size, k, c];
      }
    greatest = Math.max(greatest, best);
    if (best <= relative * greatest) break;
    [order[rank], order[at]] = [order[at]!, order[rank]!];
    const pivot = order[rank]! * n;
    left[order[rank]!]!.push(1);
    for (let k = rank + 1; k < m; k++) {
      const start = order[k]! * n;
      const factor = a[start + column]! / a[pivot + column]!;
      left[order[k]!]!.push(factor);
      if (factor === 0) continue;
      for (let c = 0; c < n; c++) a[start + c]! -= factor * a[pivot + c]!;
      a[start + column] = 0;
    }
  }
  if (rank === 0 || rank === m) return undefined;
  const basis = order.slice(0, rank);
  // row = left_row U and basis = L U, so the factors solve f L = left_row, from the last on.
  const entries = order.slice(rank).flatMap((row) => {
    const f = new Float64Array(rank);
    for (let p = rank - 1; p >= 0; p--) {
      let sum = left[row]![p]!;
      for (let q = p + 1; q < rank; q++) sum -= f[q]! * left[basis[q]!]![p]!;
      f[p] = sum;
    }
    return [...f].map((factor, p) => [row, p, factor] as const);
  });
  if (entries.some(([, , factor]) => Math.abs(factor) > greatestFactor)) return undefined;
  return { basis, entries: entries.filter(([, , factor]) => factor !== 0) };
}
