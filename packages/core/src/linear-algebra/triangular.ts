// T X = B for triangular T, in place: halves, with a product between them, down to small blocks.
import { type Block, blockRows } from "./block.ts";
import { subtractProduct } from "./product.ts";

/** Which triangle of the stored matrix counts, and how it is read. */
export interface Triangle {
  readonly half: "lower" | "upper";
  /** Ones on the diagonal, whatever is stored there. */
  readonly unit?: boolean;
  /** T is the transpose of what is stored. */
  readonly transposed?: boolean;
}

const smallest = 16;

/** Overwrites B by the solution X of T X = B. */
export async function solveTriangular(matrix: Block, triangle: Triangle, b: Block): Promise<void> {
  const size = b.rows;
  if (size <= smallest) return solvePlainly(matrix, triangle, b);
  const middle = Math.floor(size / 2);
  const part = (from: number, to: number): Block => ({
    ...matrix,
    start: matrix.start + from * (matrix.stride + 1),
    rows: to - from,
    columns: to - from,
  });
  const { half, transposed = false } = triangle;
  // Rows from the top when the matrix that acts is lower triangular.
  const downwards = (half === "lower") !== transposed;
  const first = downwards ? ([0, middle] as const) : ([middle, size] as const);
  const second = downwards ? ([middle, size] as const) : ([0, middle] as const);
  const corner: Block =
    half === "lower"
      ? { ...matrix, start: matrix.start + middle * matrix.stride, rows: size - middle, columns: middle }
      : { ...matrix, start: matrix.start + middle, rows: middle, columns: size - middle };
  const [known, rest] = [blockRows(b, ...first), blockRows(b, ...second)];
  await solveTriangular(part(...first), triangle, known);
  await subtractProduct(rest, corner, known, { transposed });
  await solveTriangular(part(...second), triangle, rest);
}

/** Columns of B that are solved for at once: with 16 rows they stay in the cache. */
const stripWidth = 128;

function solvePlainly(matrix: Block, triangle: Triangle, b: Block): void {
  for (let left = 0; left < b.columns; left += stripWidth)
    solveStrip(matrix, triangle, {
      ...b,
      start: b.start + left,
      columns: Math.min(stripWidth, b.columns - left),
    });
}

/** A row of B at a time, less four rows that are known at once. */
function solveStrip(matrix: Block, { half, unit = false, transposed = false }: Triangle, b: Block): void {
  const [size, columns] = [b.rows, b.columns];
  const downwards = (half === "lower") !== transposed;
  const [rowStep, columnStep] = transposed ? [1, matrix.stride] : [matrix.stride, 1];
  const [t, x] = [matrix.entries, b.entries];
  for (let step = 0; step < size; step++) {
    const i = downwards ? step : size - 1 - step;
    const row = b.start + i * b.stride;
    const to = downwards ? i : size;
    let p = downwards ? 0 : i + 1;
    for (; p + 4 <= to; p += 4) {
      const at = matrix.start + i * rowStep + p * columnStep;
      const t0 = t[at]!;
      const t1 = t[at + columnStep]!;
      const t2 = t[at + 2 * columnStep]!;
      const t3 = t[at + 3 * columnStep]!;
      const x0 = b.start + p * b.stride;
      const x1 = x0 + b.stride;
      const x2 = x1 + b.stride;
      const x3 = x2 + b.stride;
      for (let j = 0; j < columns; j++)
        x[row + j]! -= t0 * x[x0 + j]! + t1 * x[x1 + j]! + t2 * x[x2 + j]! + t3 * x[x3 + j]!;
    }
    for (; p < to; p++) {
      const factor = t[matrix.start + i * rowStep + p * columnStep]!;
      const other = b.start + p * b.stride;
      for (let j = 0; j < columns; j++) x[row + j]! -= factor * x[other + j]!;
    }
    if (unit) continue;
    const pivot = t[matrix.start + i * (matrix.stride + 1)]!;
    for (let j = 0; j < columns; j++) x[row + j]! /= pivot;
  }
}
