// Rows and columns of sparse matrices.
import { type SparseMatrix, sparseMatrix } from "../../graph/sparse.ts";

/** The given rows, in this order. */
export function rowsOfMatrix(
  { columns, starts, columnOf, values }: SparseMatrix,
  rows: readonly number[],
): SparseMatrix {
  const first = new Int32Array(rows.length + 1);
  rows.forEach((r, k) => {
    first[k + 1] = first[k]! + starts[r + 1]! - starts[r]!;
  });
  const [into, kept] = [new Int32Array(first[rows.length]!), new Float64Array(first[rows.length]!)];
  rows.forEach((r, k) => {
    into.set(columnOf.subarray(starts[r]!, starts[r + 1]!), first[k]!);
    kept.set(values.subarray(starts[r]!, starts[r + 1]!), first[k]!);
  });
  return { rows: rows.length, columns, starts: first, columnOf: into, values: kept };
}

/** The given columns, in this order. */
export function columnsOfMatrix(matrix: SparseMatrix, columns: readonly number[]): SparseMatrix {
  const place = new Int32Array(matrix.columns).fill(-1);
  columns.forEach((c, k) => {
    place[c] = k;
  });
  const entries: [number, number, number][] = [];
  eachEntry(matrix, (r, c, value) => {
    if (place[c]! >= 0) entries.push([r, place[c]!, value]);
  });
  return sparseMatrix(matrix.rows, columns.length, entries);
}

/** Calls `visit` for each stored entry. */
export function eachEntry(
  { rows, starts, columnOf, values }: SparseMatrix,
  visit: (row: number, column: number, value: number) => void,
): void {
  for (let r = 0; r < rows; r++)
    for (let k = starts[r]!; k < starts[r + 1]!; k++) visit(r, columnOf[k]!, values[k]!);
}

/** The matrix that picks these of so many numbers. */
export const selection = (indices: readonly number[], columns: number): SparseMatrix =>
  sparseMatrix(
    indices.length,
    columns,
    indices.map((c, r) => [r, c, 1] as const),
  );
