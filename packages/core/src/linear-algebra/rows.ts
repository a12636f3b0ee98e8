import { EngineError } from "../engine/error.ts";
import type { Matrix } from "./matrix-norm.ts";

/**
 * The matrix with these rows.
 * @example matrixOfRows([[1, 2], [3, 4]]).columns // 2
 */
export function matrixOfRows(rows: readonly ArrayLike<number>[]): Matrix {
  const columns = rows[0]?.length ?? 0;
  const entries = new Float64Array(rows.length * columns);
  rows.forEach((row, i) => {
    if (row.length !== columns)
      throw new EngineError(`row ${i} has ${row.length} numbers, row 0 has ${columns}`);
    entries.set(row, i * columns);
  });
  return { rows: rows.length, columns, entries };
}
