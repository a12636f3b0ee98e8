// A matrix that may be larger than memory: rows are read and blocks written, wherever they are kept.
import { wholeBlock } from "../linear-algebra/block.ts";
import { packedTranspose } from "../linear-algebra/block-moves.ts";
import type { Matrix } from "../linear-algebra/matrix-norm.ts";
import { productOf } from "../linear-algebra/product.ts";
import { transposeOf } from "../linear-algebra/svd.ts";
import type { RowsProduct } from "../linear-algebra/top-eigenpairs.ts";

export interface StoredMatrix {
  readonly rows: number;
  readonly columns: number;
  /** The entries of rows from .. to - 1, which may be overwritten by the next call. */
  read(from: number, to: number): Float64Array;
  /** Writes a block whose first entry is at this row and column. */
  write(row: number, column: number, block: Matrix): void;
}

/** Entries that are read, or computed, at once: 32 MB. */
const entriesAtOnce = 2 ** 22;

/**
 * How many rows of so many columns are looked at together.
 * @example rowsAtOnce(20_000) // 209
 */
export const rowsAtOnce = (columns: number): number => Math.max(1, Math.floor(entriesAtOnce / columns));

/**
 * A matrix that is kept in memory.
 * @example matrixInMemory(2, 3).read(1, 2) // Float64Array [0, 0, 0]
 */
export function matrixInMemory(
  rows: number,
  columns: number,
  entries: Float64Array = new Float64Array(rows * columns),
): StoredMatrix & Matrix {
  return {
    ...{ rows, columns, entries },
    read: (from, to) => entries.subarray(from * columns, to * columns),
    write(row, column, block) {
      for (let i = 0; i < block.rows; i++)
        entries.set(
          block.entries.subarray(i * block.columns, (i + 1) * block.columns),
          (row + i) * columns + column,
        );
    },
  };
}

export interface FillOptions {
  /** Rows that are there already. */
  readonly from?: number;
  /** Called when all rows before this one are there. */
  readonly onRows?: (rows: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Fills a symmetric matrix from blocks of rows that reach to the diagonal: `rows(from, to)` has the entries of rows
 * from .. to - 1 and columns 0 .. to - 1, of which those right of the diagonal do not count. Blocks are always the same
 * ones, so that a matrix that was filled in two goes has the same bits.
 */
export async function fillSymmetric(
  matrix: StoredMatrix,
  rows: (from: number, to: number) => Promise<Float64Array>,
  { from = 0, onRows, signal }: FillOptions = {},
): Promise<void> {
  const [n, step] = [matrix.rows, rowsAtOnce(matrix.columns)];
  for (let start = from - (from % step); start < n; start += step) {
    signal?.throwIfAborted();
    const end = Math.min(n, start + step);
    writeSymmetric(matrix, start, end, await rows(start, end));
    onRows?.(end);
  }
}

/** Rows start .. end - 1 up to the diagonal, and the columns of the same numbers. */
export function writeSymmetric(
  matrix: StoredMatrix,
  start: number,
  end: number,
  entries: Float64Array,
): void {
  const height = end - start;
  mirrorDiagonal(entries, start, height);
  matrix.write(start, 0, { rows: height, columns: end, entries });
  if (start === 0) return;
  const left = { entries, start: 0, stride: end, rows: height, columns: start };
  matrix.write(0, start, { rows: start, columns: height, entries: packedTranspose(left) });
}

/** The square on the diagonal: what is right of it is what is left of it. */
function mirrorDiagonal(entries: Float64Array, start: number, height: number): void {
  const width = start + height;
  for (let i = 0; i < height; i++)
    for (let j = 0; j < i; j++) entries[j * width + start + i] = entries[i * width + start + j]!;
}

/** Rows of a stored matrix that are looked at together. */
export interface RowBlock extends Matrix {
  /** The first of them. */
  readonly from: number;
}

/**
 * One pass over a stored matrix. A signal is heard between blocks, not between passes, which may take minutes: so the rest
 * of the program gets its turn there.
 * @example (await rowBlocks(matrixInMemory(2, 2)).next()).value.rows // 2
 */
export async function* rowBlocks(matrix: StoredMatrix, signal?: AbortSignal): AsyncGenerator<RowBlock> {
  const { rows, columns } = matrix;
  const step = rowsAtOnce(columns);
  for (let from = 0; from < rows; from += step) {
    if (signal) await new Promise((resolve) => setTimeout(resolve, 0));
    signal?.throwIfAborted();
    const to = Math.min(rows, from + step);
    yield { from, rows: to - from, columns, entries: matrix.read(from, to) };
  }
}

/**
 * Products with a symmetric matrix, some rows of it at a time, plus a multiple of the vectors themselves.
 * @example (await storedProduct(matrixInMemory(1, 1, Float64Array.of(3)), 1)(matrixOfRows([[2]]))).entries // Float64Array [8]
 */
export function storedProduct(matrix: StoredMatrix, shift = 0, signal?: AbortSignal): RowsProduct {
  const n = matrix.rows;
  return async (v) => {
    const turned = wholeBlock(transposeOf(v));
    const result = new Float64Array(v.entries.length);
    for await (const block of rowBlocks(matrix, signal)) {
      const { entries } = await productOf(wholeBlock(block), turned);
      for (let i = 0, at = 0; i < block.rows; i++)
        for (let k = 0; k < v.rows; k++, at++) {
          const place = k * n + block.from + i;
          result[place] = entries[at]! + shift * v.entries[place]!;
        }
    }
    return { ...v, entries: result };
  };
}

/**
 * Products with a symmetric matrix that nobody keeps: `rows(from, to)` makes rows from .. to - 1 up to the diagonal, as
 * `fillSymmetric` reads them, whenever they are needed.
 */
export function unstoredProduct(
  n: number,
  rows: (from: number, to: number) => Promise<Float64Array>,
  { signal, step = rowsAtOnce(n) }: { readonly signal?: AbortSignal; readonly step?: number } = {},
): RowsProduct {
  return async (v) => {
    const result = new Float64Array(v.entries.length);
    const add = ({ rows: count, columns, entries }: Matrix, first: number): void => {
      for (let k = 0, at = 0; k < count; k++)
        for (let j = 0; j < columns; j++, at++) result[k * n + first + j]! += entries[at]!;
    };
    for (let from = 0; from < n; from += step) {
      signal?.throwIfAborted();
      const to = Math.min(n, from + step);
      const entries = await rows(from, to);
      mirrorDiagonal(entries, from, to - from);
      const block = { entries, start: 0, stride: to, rows: to - from, columns: to };
      const columns = (left: number, right: number) => ({
        ...{ entries: v.entries, start: left, stride: n, rows: v.rows, columns: right - left },
      });
      const turned = wholeBlock({ rows: to, columns: to - from, entries: packedTranspose(block) });
      add(await productOf(columns(0, to), turned), from);
      // What is left of the square on the diagonal stands above it, too.
      if (from > 0) add(await productOf(columns(from, to), { ...block, columns: from }), 0);
    }
    return { ...v, entries: result };
  };
}
