// Rectangular parts of matrices, in place: what blocked algorithms read and write.
import type { Matrix } from "./matrix-norm.ts";

/** A part of a matrix that is stored row by row: row i begins at start + i stride. */
export interface Block {
  readonly entries: Float64Array;
  readonly start: number;
  readonly stride: number;
  readonly rows: number;
  readonly columns: number;
}

/** Rows from .. to - 1 and columns left .. right - 1 of a matrix. */
export function matrixBlock(
  { entries, columns }: Matrix,
  [from, to]: readonly [number, number],
  [left, right]: readonly [number, number],
): Block {
  return { entries, start: from * columns + left, stride: columns, rows: to - from, columns: right - left };
}

/** A whole matrix as a block. */
export const wholeBlock = (matrix: Matrix): Block =>
  matrixBlock(matrix, [0, matrix.rows], [0, matrix.columns]);

/** Rows from .. to - 1 of a block. */
export const blockRows = (block: Block, from: number, to: number): Block => ({
  ...block,
  start: block.start + from * block.stride,
  rows: to - from,
});

/** Whether the entries of a block stand together, row by row. */
export const isContiguous = ({ stride, rows, columns }: Block): boolean => stride === columns || rows === 1;

/** An array of rows that stand together, as a block. */
export const rowsIn = (entries: Float64Array, rows: number, columns: number): Block => ({
  entries,
  start: 0,
  stride: columns,
  rows,
  columns,
});

/** The entries of a block whose rows stand together, a view. */
export const entriesOf = ({ entries, start, rows, columns }: Block): Float64Array =>
  entries.subarray(start, start + rows * columns);
