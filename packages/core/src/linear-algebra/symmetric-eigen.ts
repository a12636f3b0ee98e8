// Eigenvalues and eigenvectors of small symmetric matrices, by Jacobi's rotations.

export type Rows = readonly (readonly number[])[];

export interface SymmetricEigen {
  /** In ascending order. */
  readonly values: readonly number[];
  /** vectors[k] belongs to values[k]; they are orthonormal. */
  readonly vectors: Rows;
}

/**
 * A = sum_k values[k] vectors[k] vectors[k]^T. Each sweep of rotations squares what is left off the diagonal.
 * @example symmetricEigen([[2, 1], [1, 2]]).values.map(Math.round) // [1, 3]
 */
export function symmetricEigen(matrix: Rows): SymmetricEigen {
  const n = matrix.length;
  const A = matrix.map((row) => [...row]);
  const V = matrix.map((_, i) => matrix.map((__, j) => (i === j ? 1 : 0)));
  for (let sweep = 0; sweep < 60; sweep++) {
    let rotated = false;
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) {
        // An entry that does not change the diagonal in floating point counts as zero.
        if (Math.abs(A[p]![q]!) <= 2 ** -54 * Math.sqrt(Math.abs(A[p]![p]! * A[q]![q]!))) continue;
        rotate(A, V, p, q);
        rotated = true;
      }
    if (!rotated) break;
  }
  const order = A.map((_, i) => i).sort((i, j) => A[i]![i]! - A[j]![j]!);
  return { values: order.map((i) => A[i]![i]!), vectors: order.map((i) => V.map((row) => row[i]!)) };
}

/** The rotation in the plane of p and q that makes A_pq zero. */
function rotate(A: number[][], V: number[][], p: number, q: number): void {
  const theta = (A[q]![q]! - A[p]![p]!) / (2 * A[p]![q]!);
  const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  const turn = (row: number[]): void => {
    const [a, b] = [row[p]!, row[q]!];
    row[p] = c * a - s * b;
    row[q] = s * a + c * b;
  };
  A.forEach(turn);
  V.forEach(turn);
  for (let k = 0; k < A.length; k++) {
    const [a, b] = [A[p]![k]!, A[q]![k]!];
    A[p]![k] = c * a - s * b;
    A[q]![k] = s * a + c * b;
  }
  A[p]![q] = 0;
  A[q]![p] = 0;
}
