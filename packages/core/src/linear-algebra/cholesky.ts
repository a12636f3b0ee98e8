// A = R^T R for positive definite A: a few rows at a time by products with vectors, the rest by products of matrices.
import { EngineError } from "../engine/error.ts";
import { matrixBlock, wholeBlock } from "./block.ts";
import type { Matrix } from "./matrix-norm.ts";
import { subtractUpper } from "./product.ts";
import { solveTriangular } from "./triangular.ts";
import { VectorWorkspace } from "./vector-workspace.ts";
import { requireFinite, requireSquareShape, scaledSymmetric } from "./well-formed.ts";

/** A = R^T R. */
export interface CholeskyFactors {
  readonly size: number;
  /** R: upper triangular, zeros below the diagonal, which is positive. */
  readonly factor: Matrix;
}

/** Rows that are eliminated one by one. */
const fewestRows = 16;

/**
 * The factor of a symmetric positive definite matrix: n^3/3 operations. Another matrix is refused, with the pivot that is
 * not positive.
 * @example (await cholesky(matrixOfRows([[4, 2], [2, 5]]))).factor.entries // Float64Array [2, 1, 0, 2]
 */
export async function cholesky(matrix: Matrix): Promise<CholeskyFactors> {
  const n = matrix.rows;
  const what = "a matrix with Cholesky factors";
  requireSquareShape(what, matrix);
  const workspace = new VectorWorkspace(n * (n + 4) + fewestRows, 2);
  // Rows are combined four at a time, so that some beyond the last are read, if with factors of 0.
  const entries = workspace.array(n * (n + 4), "as it is").fill(0, n * n);
  const { upper, exponent } = scaledSymmetric(what, matrix, (length) => entries.subarray(0, length));
  try {
    await eliminate({ workspace, upper, entries, exponent, factors: workspace.array(fewestRows) }, 0, n);
    return { size: n, factor: { ...matrix, entries: upperHalf(upper, 2 ** (exponent / 2)) } };
  } finally {
    workspace.release();
  }
}

interface Elimination {
  readonly workspace: VectorWorkspace;
  /** A, and in the rows that are eliminated already R. */
  readonly upper: Matrix;
  /** Its entries, and four rows of zeros behind them. */
  readonly entries: Float64Array;
  readonly exponent: number;
  /** A number for each row that is eliminated one by one. */
  readonly factors: Float64Array;
}

/** Rows from .. to - 1, up to the last column: half of them, then the others less A22 - R12^T R12. */
async function eliminate(elimination: Elimination, from: number, to: number): Promise<void> {
  if (to - from <= fewestRows) return eliminateRows(elimination, from, to);
  const middle = from + fewestRows * Math.ceil((to - from) / (2 * fewestRows));
  const { upper } = elimination;
  const n = upper.rows;
  await eliminate(elimination, from, middle);
  await subtractUpper(
    matrixBlock(upper, [middle, to], [middle, n]),
    matrixBlock(upper, [from, middle], [middle, to]),
    matrixBlock(upper, [from, middle], [middle, n]),
  );
  await eliminate(elimination, middle, to);
}

/** Rows from .. to - 1 one by one: row k <- (row k - sum_p r_pk row p) / r_kk. */
function eliminateRows(
  { workspace, upper: { columns: n }, entries, exponent, factors }: Elimination,
  from: number,
  to: number,
): void {
  for (let k = from; k < to; k++) {
    const row = k * n + k;
    factors.fill(0);
    for (let p = from; p < k; p++) factors[p - from] = entries[p * n + k]!;
    const rows = 4 * Math.ceil((k - from) / 4);
    const known = { entries, start: from * n + k, stride: n, rows, columns: n - k };
    workspace.subtractCombination(known, { entries: factors, at: 0 }, { entries, at: row });
    const pivot = entries[row]!;
    if (!(pivot > 0)) {
      const value = pivot * 2 ** (exponent / 2) * 2 ** (exponent / 2);
      throw new EngineError(`not positive definite: pivot ${k} is ${value.toExponential(1)}`);
    }
    const root = Math.sqrt(pivot);
    entries[row] = root;
    for (let j = row + 1; j < (k + 1) * n; j++) entries[j]! /= root;
  }
}

/** What is on and above the diagonal, times a factor, in a matrix of zeros. */
function upperHalf({ rows: n, entries }: Matrix, factor: number): Float64Array {
  const half = entries.slice();
  for (let i = 1; i < n; i++) half.fill(0, i * n, i * n + i);
  if (factor !== 1) for (let k = 0; k < half.length; k++) half[k]! *= factor;
  return half;
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
