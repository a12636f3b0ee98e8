// A = R^T R for positive definite A, recursively on halves, so that nearly all the work is in products of large matrices.
import { EngineError } from "../engine/error.ts";
import { type Block, matrixBlock, wholeBlock } from "./block.ts";
import type { Matrix } from "./matrix-norm.ts";
import { gramStrip, subtractGram } from "./product.ts";
import { solveTriangular } from "./triangular.ts";
import { requireFinite, scaledSymmetric } from "./well-formed.ts";

/** A = R^T R. */
export interface CholeskyFactors {
  readonly size: number;
  /** R: upper triangular, zeros below the diagonal, which is positive. */
  readonly factor: Matrix;
}

/** Rows that are eliminated one by one. */
const panelWidth = 64;

/**
 * The factor of a symmetric positive definite matrix: n^3/3 operations. Another matrix is refused, with the pivot that is
 * not positive.
 * @example (await cholesky(matrixOfRows([[4, 2], [2, 5]]))).factor.entries // Float64Array [2, 1, 0, 2]
 */
export async function cholesky(matrix: Matrix): Promise<CholeskyFactors> {
  const { upper, exponent } = scaledSymmetric("a matrix with Cholesky factors", matrix);
  await eliminate(wholeBlock(upper), 0, exponent);
  const { rows: n, entries } = upper;
  // Products on the diagonal have left their lower halves.
  for (let i = 1; i < n; i++) entries.fill(0, i * n + Math.max(0, i - gramStrip), i * n + i);
  const root = 2 ** (exponent / 2);
  if (root !== 1) for (let k = 0; k < entries.length; k++) entries[k]! *= root;
  return { size: n, factor: upper };
}

/** Overwrites the upper half of a diagonal block that begins at `first` by its factor. */
async function eliminate(block: Block, first: number, exponent: number): Promise<void> {
  const size = block.rows;
  if (size <= panelWidth) return eliminatePanel(block, first, exponent);
  const middle = panelWidth * Math.ceil(size / (2 * panelWidth));
  const part = (top: number, bottom: number, left: number, right: number): Block => ({
    ...block,
    start: block.start + top * block.stride + left,
    rows: bottom - top,
    columns: right - left,
  });
  const [upper, right] = [part(0, middle, 0, middle), part(0, middle, middle, size)];
  const rest = part(middle, size, middle, size);
  await eliminate(upper, first, exponent);
  await solveTriangular(upper, { half: "upper", transposed: true }, right); // R12 = R11^-T A12
  await subtractGram(rest, right); // A22 - R12^T R12
  await eliminate(rest, first + middle, exponent);
}

function eliminatePanel({ entries, start, stride, rows: n }: Block, first: number, exponent: number): void {
  for (let k = 0; k < n; k++) {
    const row = start + k * stride;
    const pivot = entries[row + k]!;
    if (!(pivot > 0))
      throw new EngineError(
        `not positive definite: pivot ${first + k} is ${(pivot * 2 ** (exponent / 2) * 2 ** (exponent / 2)).toExponential(1)}`,
      );
    const root = Math.sqrt(pivot);
    for (let j = k; j < n; j++) entries[row + j]! /= root;
    for (let i = k + 1; i < n; i++) {
      const to = start + i * stride;
      const factor = entries[row + i]!;
      for (let j = i; j < n; j++) entries[to + j]! -= factor * entries[row + j]!;
    }
  }
}

/**
 * X with A X = B, a column of B a right-hand side.
 * @example (await choleskySolve(await cholesky(matrixOfRows([[4]])), matrixOfRows([[2, 8]]))).entries // Float64Array [0.5, 2]
 */
export async function choleskySolve({ size, factor }: CholeskyFactors, b: Matrix): Promise<Matrix> {
  if (b.rows !== size) throw new EngineError(`${b.rows} right-hand sides' rows for a matrix of size ${size}`);
  requireFinite("right-hand sides", b);
  const x: Matrix = { ...b, entries: b.entries.slice() };
  const whole = matrixBlock(factor, [0, size], [0, size]);
  await solveTriangular(whole, { half: "upper", transposed: true }, wholeBlock(x));
  await solveTriangular(whole, { half: "upper" }, wholeBlock(x));
  return x;
}

/**
 * log det A = 2 sum_i log r_ii.
 * @example logDeterminant(await cholesky(matrixOfRows([[1, 0], [0, 1]]))) // 0
 */
export function logDeterminant({ size, factor }: CholeskyFactors): number {
  let sum = 0;
  for (let i = 0; i < size; i++) sum += Math.log(factor.entries[i * (size + 1)]!);
  return 2 * sum;
}
