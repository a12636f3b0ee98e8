// Pseudoinverses and least squares by singular values: the rank is a decision, and is stated.
import { EngineError } from "../engine/error.ts";
import { matrixBlock, wholeBlock } from "./block.ts";
import type { Matrix } from "./matrix-norm.ts";
import { productOf } from "./product.ts";
import { residualOf } from "./solve.ts";
import { type SingularDecomposition, singularDecomposition } from "./svd.ts";
import { requireFinite } from "./well-formed.ts";

/** Singular values up to this part of the greatest are rounding: max(rows, columns) 2^-52. */
const rounding = ({ rows, columns }: Matrix): number => Math.max(rows, columns) * 2 ** -52;

/** How many singular values count as other than 0. */
function rankOf({ values }: SingularDecomposition, tolerance: number): number {
  const least = tolerance * (values[0] ?? 0);
  const rank = values.findIndex((value) => !(value > least));
  return rank < 0 ? values.length : rank;
}

/** The first rows, row k divided by values[k]. */
function dividedRows({ rows, columns, entries }: Matrix, values: Float64Array, rank: number): Matrix {
  if (rank > 0 && !Number.isFinite(1 / values[rank - 1]!))
    throw new EngineError(`a singular value of ${values[rank - 1]} has no inverse among doubles`);
  const divided = entries.slice(0, Math.min(rows, rank) * columns);
  for (let k = 0; k < divided.length; k++) divided[k]! /= values[Math.floor(k / columns)]!;
  return { rows: rank, columns, entries: divided };
}

/**
 * The matrix A+ = sum_k v_k u_k^T / values[k] over the singular values above `tolerance` times the greatest.
 * @example (await pseudoInverse(matrixOfRows([[2, 0], [0, 0]]))).entries // Float64Array [0.5, 0, 0, 0]
 */
export async function pseudoInverse(matrix: Matrix, tolerance = rounding(matrix)): Promise<Matrix> {
  const svd = await singularDecomposition(matrix);
  const rank = rankOf(svd, tolerance);
  const right = dividedRows(svd.right, svd.values, rank);
  const left = matrixBlock(svd.left, [0, rank], [0, matrix.rows]);
  const inverse = await productOf(wholeBlock(right), left, { transposed: true });
  for (let k = 0; k < inverse.entries.length; k++) inverse.entries[k]! += 0; // no -0
  return inverse;
}

export interface LeastSquares {
  /** The shortest of all X with |A X - B| least, a column a right-hand side. */
  readonly solution: Matrix;
  /** Singular values above the tolerance. */
  readonly rank: number;
  /** The greatest singular value divided by the least above the tolerance; 0 where there is none. */
  readonly condition: number;
  /** |A x - b| for each right-hand side. */
  readonly residuals: Float64Array;
}

/**
 * X with |A X - B| least, and of those the shortest; singular values up to `tolerance` times the greatest count as 0.
 * @example (await leastSquares(matrixOfRows([[1], [1]]), matrixOfRows([[1], [3]]))).solution.entries.map(Math.round) // Float64Array [2]
 */
export async function leastSquares(a: Matrix, b: Matrix, tolerance = rounding(a)): Promise<LeastSquares> {
  if (a.rows !== b.rows)
    throw new EngineError(`the matrix has ${a.rows} rows, the right-hand side ${b.rows}`);
  requireFinite("right-hand sides", b);
  const svd = await singularDecomposition(a);
  const rank = rankOf(svd, tolerance);
  const along = await productOf(matrixBlock(svd.left, [0, rank], [0, a.rows]), wholeBlock(b)); // U^T B
  const right = dividedRows(svd.right, svd.values, rank);
  const solution = await productOf(wholeBlock(right), wholeBlock(along), { transposed: true });
  const rest = await residualOf(a, solution, b);
  return {
    ...{ solution, rank, residuals: columnLengths(rest) },
    condition: rank === 0 ? 0 : svd.values[0]! / svd.values[rank - 1]!,
  };
}

function columnLengths({ rows, columns, entries }: Matrix): Float64Array {
  const lengths = new Float64Array(columns);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) lengths[j] = Math.hypot(lengths[j]!, entries[i * columns + j]!);
  return lengths;
}
