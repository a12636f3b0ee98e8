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

function solvePlainly(matrix: Block, { half, unit = false, transposed = false }: Triangle, b: Block): void {
  const size = b.rows;
  const downwards = (half === "lower") !== transposed;
  const [rowStep, columnStep] = transposed ? [1, matrix.stride] : [matrix.stride, 1];
  const [t, x] = [matrix.entries, b.entries];
  for (let step = 0; step < size; step++) {
    const i = downwards ? step : size - 1 - step;
    const row = b.start + i * b.stride;
    const [from, to] = downwards ? [0, i] : [i + 1, size];
    for (let p = from; p < to; p++) {
      const factor = t[matrix.start + i * rowStep + p * columnStep]!;
      if (factor === 0) continue;
      const other = b.start + p * b.stride;
      for (let j = 0; j < b.columns; j++) x[row + j]! -= factor * x[other + j]!;
    }
    if (unit) continue;
    const pivot = t[matrix.start + i * (matrix.stride + 1)]!;
    for (let j = 0; j < b.columns; j++) x[row + j]! /= pivot;
  }
}
