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

/** The entries of a block row by row, in an array of their own unless they stand together already. */
export function packed(block: Block, into?: Float64Array): Float64Array {
  const { entries, start, stride, rows, columns } = block;
  if (isContiguous(block)) return entries.subarray(start, start + rows * columns);
  const copy = into ?? new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++) {
    const from = start + i * stride;
    const to = i * columns;
    // A view of a short row takes longer to make than the row to copy.
    if (columns < 200) for (let j = 0; j < columns; j++) copy[to + j] = entries[from + j]!;
    else copy.set(entries.subarray(from, from + columns), to);
  }
  return copy;
}

/** The entries of the transpose of a block, row by row. Tiles of 16 by 16 keep both sides in the cache. */
export function packedTranspose(
  { entries, start, stride, rows, columns }: Block,
  copy: Float64Array = new Float64Array(rows * columns),
): Float64Array {
  const tile = 16;
  for (let top = 0; top < rows; top += tile)
    for (let left = 0; left < columns; left += tile) {
      const bottom = Math.min(rows, top + tile);
      const right = Math.min(columns, left + tile);
      for (let i = top; i < bottom; i++)
        for (let j = left; j < right; j++) copy[j * rows + i] = entries[start + i * stride + j]!;
    }
  return copy;
}
