// Singular values and vectors: QR of tall matrices, bidiagonal form, divide and conquer, and back.

import { bidiagonalSvd, numbersForBidiagonal } from "./bidiagonal-divide.ts";
import { bidiagonalReduction } from "./bidiagonal-reduction.ts";
import { matrixBlock, wholeBlock } from "./block.ts";
import { packedTranspose } from "./block-moves.ts";
import { numbersForReflections, timesReflections } from "./compact-wy.ts";
import { householderQr, timesOrthonormal } from "./householder-qr.ts";
import type { Matrix } from "./matrix-norm.ts";
import { VectorWorkspace } from "./vector-workspace.ts";
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
  const n = matrix.rows;
  const reduction = await bidiagonalReduction(matrix);
  const workspace = new VectorWorkspace(numbersForBidiagonal(n) + numbersForReflections(n, n), 60);
  const { values, left, right } = await bidiagonalSvd(reduction.bidiagonal, workspace);
  await timesReflections(wholeBlock(left), reduction.left, workspace);
  await timesReflections(matrixBlock(right, [0, n], [0, n]), reduction.right, workspace);
  reduction.right.release?.();
  const order = Array.from(values.keys()).sort((a, b) => values[b]! - values[a]!);
  const sorted = ({ entries, columns }: Matrix): Matrix => {
    const rows = new Float64Array(n * n);
    order.forEach((k, place) => {
      rows.set(entries.subarray(k * columns, k * columns + n), place * n);
    });
    return { rows: n, columns: n, entries: rows };
  };
  const descending = {
    values: Float64Array.from(order, (k) => values[k]!),
    left: sorted(left),
    right: sorted(right),
  };
  workspace.release();
  return descending;
}
