// Singular values and vectors: QR of tall matrices, bidiagonal form, divide and conquer, and back.

import { bidiagonalSvd } from "./bidiagonal-divide.ts";
import { bidiagonalReduction } from "./bidiagonal-reduction.ts";
import { packedTranspose, wholeBlock } from "./block.ts";
import { timesReflections } from "./compact-wy.ts";
import { householderQr, timesOrthonormal } from "./householder-qr.ts";
import type { Matrix } from "./matrix-norm.ts";
import { requireFinite, scaleExponent, timesPowerOfTwo } from "./well-formed.ts";

/** A = sum_k values[k] u_k v_k^T, min(rows, columns) terms. */
export interface SingularDecomposition {
  /** Descending, none below 0. */
  readonly values: Float64Array;
  /** Row k is u_k; the rows are orthonormal. */
  readonly left: Matrix;
  /** Row k is v_k; the rows are orthonormal. */
  readonly right: Matrix;
}

/**
 * All singular values and vectors. Their errors are some n 2^-53 of the greatest singular value, whatever the rank.
 * @example (await singularDecomposition(matrixOfRows([[0, 2], [1, 0]]))).values // Float64Array [2, 1]
 */
export async function singularDecomposition(matrix: Matrix): Promise<SingularDecomposition> {
  const exponent = scaleExponent(requireFinite("a matrix with singular values", matrix));
  const scaled: Matrix = { ...matrix, entries: timesPowerOfTwo(matrix.entries, -exponent) };
  const { rows, columns } = matrix;
  if (rows <= columns) {
    const { values, left, right } = await decomposeWide(scaled);
    return { values: timesPowerOfTwo(values, exponent), left, right };
  }
  const { values, left, right } = await decomposeWide(transposeOf(scaled));
  return { values: timesPowerOfTwo(values, exponent), left: right, right: left };
}

/** The transpose, in an array of its own. */
export const transposeOf = (matrix: Matrix): Matrix => ({
  rows: matrix.columns,
  columns: matrix.rows,
  entries: packedTranspose(wholeBlock(matrix)),
});

/** At least as many columns as rows. */
async function decomposeWide(matrix: Matrix): Promise<SingularDecomposition> {
  if (matrix.rows === matrix.columns) return decomposeSquare(matrix);
  const qr = await householderQr(matrix); // A^T = Q R, A = R^T Q^T
  const { values, left, right } = await decomposeSquare(qr.lower);
  const whole = await timesOrthonormal(right, qr);
  qr.reflections.release?.();
  return { values, left, right: whole };
}

async function decomposeSquare(matrix: Matrix): Promise<SingularDecomposition> {
  const reduction = await bidiagonalReduction(matrix);
  const { values, left, right } = await bidiagonalSvd(reduction.bidiagonal);
  await timesReflections(left, reduction.left);
  await timesReflections(right, reduction.right);
  reduction.right.release?.();
  return { values, left, right };
}
