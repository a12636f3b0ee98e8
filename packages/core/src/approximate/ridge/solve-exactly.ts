// Linear systems with integer matrices, solved exactly: Bareiss elimination, in which no fraction ever appears.
import { type Exact, fraction, reduce } from "../../numbers/exact/rational.ts";

/**
 * The x with A x = b; nothing where A is singular. Columns may be swapped, so A is square.
 * @example solveExactly([[2n, 0n], [1n, 4n]], [1, 1])[1] // 0.125
 */
export function solveExactly(A: readonly (readonly bigint[])[], b: readonly Exact[]): Exact[] | undefined {
  const n = A.length;
  const common = b.reduce((q: bigint, x) => leastMultiple(q, fraction(x).denominator), 1n);
  const rows = A.map((row, k) => {
    const { numerator, denominator } = fraction(b[k]!);
    return [...row, (numerator * common) / denominator];
  });
  let before = 1n;
  for (let k = 0; k < n; k++) {
    const pivot = rows.findIndex((row, i) => i >= k && row[k] !== 0n);
    if (pivot < 0) return undefined;
    [rows[k], rows[pivot]] = [rows[pivot]!, rows[k]!];
    const top = rows[k]!;
    for (let i = 0; i < n; i++) {
      if (i === k) continue;
      const row = rows[i]!;
      const factor = row[k]!;
      // Each entry stays a minor of A, so that the division leaves no rest.
      for (let j = i < k ? 0 : k; j <= n; j++) row[j] = (top[k]! * row[j]! - factor * top[j]!) / before;
    }
    before = top[k]!;
  }
  return rows.map((row, k) => reduce(row[n]!, row[k]! * common));
}

function leastMultiple(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y > 0n) [x, y] = [y, x % y];
  return (a / x) * b;
}
