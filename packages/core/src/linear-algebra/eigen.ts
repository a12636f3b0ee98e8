// Eigenvalues and eigenvectors of large symmetric matrices: tridiagonal form, divide and conquer, and back; and how good
// they are.
import { EngineError } from "../engine/error.ts";
import { wholeBlock } from "./block.ts";
import { packedTranspose } from "./block-moves.ts";
import { numbersForReflections, timesReflections } from "./compact-wy.ts";
import { tridiagonalEigenpairs } from "./divide-and-conquer.ts";
import type { Matrix } from "./matrix-norm.ts";
import { numbersForMerge, rowOfMatrix } from "./merge-rows.ts";
import { productOf } from "./product.ts";
import { tridiagonalEigen } from "./tridiagonal.ts";
import { tridiagonalReduction } from "./tridiagonal-reduction.ts";
import { VectorWorkspace } from "./vector-workspace.ts";
import { requireSquare, timesPowerOfTwo } from "./well-formed.ts";

/** A = sum_k values[k] v_k v_k^T. */
export interface SpectralDecomposition {
  /** Ascending. */
  readonly values: Float64Array;
  /** Row k is the unit eigenvector v_k of values[k]; the rows are orthonormal. */
  readonly vectors: Matrix;
}

const what = "a matrix with an eigendecomposition";

/**
 * All eigenvalues and eigenvectors of a symmetric matrix. Their errors are some n 2^-53 of the greatest eigenvalue.
 * @example (await spectralDecomposition(matrixOfRows([[2, 1], [1, 2]]))).values.map(Math.round) // Float64Array [1, 3]
 */
export async function spectralDecomposition(matrix: Matrix): Promise<SpectralDecomposition> {
  const n = matrix.rows;
  const { exponent, tridiagonal, reflections } = await tridiagonalReduction(what, matrix);
  const meanwhile = Math.max(numbersForMerge(n), numbersForReflections(n, n));
  const workspace = new VectorWorkspace(n * n + meanwhile, 40);
  const { values, vectors } = await tridiagonalEigenpairs(tridiagonal, workspace);
  await timesReflections(wholeBlock(vectors), reflections, workspace);
  reflections.release?.();
  const order = Array.from(values.keys()).sort((a, b) => values[a]! - values[b]!);
  const sorted: Matrix = { rows: n, columns: n, entries: new Float64Array(n * n) };
  order.forEach((k, place) => {
    sorted.entries.set(rowOfMatrix(vectors, k), place * n);
  });
  workspace.release();
  const ascending = Float64Array.from(order, (k) => values[k]!);
  return { values: timesPowerOfTwo(ascending, exponent), vectors: sorted };
}

/**
 * All eigenvalues of a symmetric matrix, ascending, without the vectors: more than twice as quick.
 * @example (await symmetricEigenvalues(matrixOfRows([[0, 1], [1, 0]]))).map(Math.round) // Float64Array [-1, 1]
 */
export async function symmetricEigenvalues(matrix: Matrix): Promise<Float64Array> {
  const { tridiagonal, exponent, reflections } = await tridiagonalReduction(what, matrix);
  reflections.release?.();
  return timesPowerOfTwo(tridiagonalEigen(tridiagonal).values, exponent);
}

export interface EigenQuality {
  /** max_k |A v_k - values[k] v_k| / max_k |values[k]|; 0 for a matrix of zeros. */
  readonly residual: number;
  /** max_jk |<v_j, v_k> - (1 if j = k, 0 otherwise)|. */
  readonly orthogonality: number;
}

/**
 * How far eigenpairs are from being that, by two products of matrices.
 * @example (await eigenQuality(matrixOfRows([[3]]), await spectralDecomposition(matrixOfRows([[3]])))).residual // 0
 */
export async function eigenQuality(matrix: Matrix, eigen: SpectralDecomposition): Promise<EigenQuality> {
  requireSquare(what, matrix);
  const { vectors, values } = eigen;
  if (vectors.columns !== matrix.rows || values.length !== vectors.rows)
    throw new EngineError(
      `${values.length} eigenpairs of size ${vectors.columns} for a matrix of size ${matrix.rows}`,
    );
  const norm = values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const exponent = norm === 0 ? 0 : Math.floor(Math.log2(norm));
  const scaled: Matrix = { ...matrix, entries: timesPowerOfTwo(matrix.entries, -exponent) };
  const images = await productOf(wholeBlock(vectors), wholeBlock(scaled)); // row k is (A v_k)^T
  const small = timesPowerOfTwo(values, -exponent);
  return {
    residual: greatestResidual(images, vectors, small),
    orthogonality: await orthogonalityOf(vectors),
  };
}

/** max_k |A v_k - values[k] v_k|, relative to the greatest value unless all are 0; row k of the images is A v_k. */
function greatestResidual(images: Matrix, vectors: Matrix, values: Float64Array): number {
  const n = vectors.columns;
  let greatest = 0;
  for (let k = 0; k < vectors.rows; k++) {
    let square = 0;
    for (let j = k * n; j < (k + 1) * n; j++)
      square += (images.entries[j]! - values[k]! * vectors.entries[j]!) ** 2;
    greatest = Math.max(greatest, square);
  }
  const norm = values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  return Math.sqrt(greatest) / (norm === 0 ? 1 : norm);
}

/**
 * max |<v_j, v_k> - (1 if j = k, 0 otherwise)| over the rows of a matrix.
 * @example await orthogonalityOf(matrixOfRows([[0, 1], [1, 0]])) // 0
 */
export async function orthogonalityOf(vectors: Matrix): Promise<number> {
  const { rows, columns } = vectors;
  const transposed = { rows: columns, columns: rows, entries: packedTranspose(wholeBlock(vectors)) };
  const gram = await productOf(wholeBlock(vectors), wholeBlock(transposed));
  let greatest = 0;
  for (let k = 0; k < gram.entries.length; k++)
    greatest = Math.max(greatest, Math.abs(gram.entries[k]! - (k % (rows + 1) === 0 ? 1 : 0)));
  return greatest;
}
