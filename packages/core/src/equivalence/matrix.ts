// Small dense matrices, row by row: what symmetries of linear classes need.
import type { Random } from "../numbers/random.ts";
import { SymmetryError } from "./error.ts";

/** The inverse of the transpose, by elimination with the greatest pivot. */
export function inverseTransposed(A: Float64Array, n: number): Float64Array {
  const M = Float64Array.from(A);
  const B = Float64Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 1 : 0));
  for (let c = 0; c < n; c++) {
    let pivot = c;
    for (let r = c + 1; r < n; r++) if (Math.abs(M[r * n + c]!) > Math.abs(M[pivot * n + c]!)) pivot = r;
    const lead = M[pivot * n + c]!;
    if (lead === 0) throw new SymmetryError(`a ${n} x ${n} matrix of a symmetry has no inverse`);
    for (let k = 0; k < n; k++) {
      for (const X of [M, B]) {
        const [a, b] = [X[c * n + k]!, X[pivot * n + k]!];
        X[pivot * n + k] = a;
        X[c * n + k] = b / lead;
      }
    }
    for (let r = 0; r < n; r++) {
      const f = M[r * n + c]!;
      if (r === c || f === 0) continue;
      for (let k = 0; k < n; k++) {
        M[r * n + k]! -= f * M[c * n + k]!;
        B[r * n + k]! -= f * B[c * n + k]!;
      }
    }
  }
  return transposed(B, n);
}

const transposed = (A: Float64Array, n: number): Float64Array =>
  A.map((_, k) => A[(k % n) * n + Math.floor(k / n)]!);

/** A rotation or reflection, uniform, by Gram and Schmidt's method (twice, for its rounding). */
export function randomOrthogonal(random: Random, n: number): Float64Array {
  const Q = random.normal(n * n);
  for (let r = 0; r < n; r++) {
    const row = Q.subarray(r * n, (r + 1) * n);
    for (let pass = 0; pass < 2; pass++)
      for (let s = 0; s < r; s++) {
        const other = Q.subarray(s * n, (s + 1) * n);
        const inner = row.reduce((sum, v, k) => sum + v * other[k]!, 0);
        for (let k = 0; k < n; k++) row[k]! -= inner * other[k]!;
      }
    const norm = Math.sqrt(row.reduce((sum, v) => sum + v * v, 0));
    for (let k = 0; k < n; k++) row[k]! /= norm;
  }
  return Q;
}
