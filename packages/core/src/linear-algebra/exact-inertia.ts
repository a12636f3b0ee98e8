// How many eigenvalues of a symmetric matrix are positive, negative and zero, exactly: Sylvester's law of inertia.
import { add, div, type Exact, mul, sign, sub } from "../numbers/exact/rational.ts";
import type { MatrixOf } from "./matrix-algebra.ts";

export interface Inertia {
  readonly positive: number;
  readonly negative: number;
  readonly zero: number;
}

/**
 * Signs of the pivots of A -> T A T^T: congruence keeps them. A zero diagonal beside a nonzero a_ij gets one by adding row
 * and column j to row and column i.
 * @example exactInertia([[0, 1], [1, 0]]) // { positive: 1, negative: 1, zero: 0 }
 */
export function exactInertia(symmetric: MatrixOf<Exact>): Inertia {
  const a = symmetric.map((row) => [...row]);
  const counts = { positive: 0, negative: 0, zero: 0 };
  const left = new Set(a.map((_, i) => i));
  while (left.size > 0) {
    const places = [...left];
    let pivot = places.find((i) => sign(a[i]![i]!) !== 0);
    if (pivot === undefined) {
      const pair = places.flatMap((i) => places.filter((j) => sign(a[i]![j]!) !== 0).map((j) => [i, j]))[0];
      if (!pair) return { ...counts, zero: left.size };
      const [i, j] = pair as [number, number];
      for (const k of places) a[i]![k] = add(a[i]![k]!, a[j]![k]!);
      for (const k of places) a[k]![i] = add(a[k]![i]!, a[k]![j]!);
      pivot = i;
    }
    left.delete(pivot);
    counts[sign(a[pivot]![pivot]!) > 0 ? "positive" : "negative"]++;
    for (const i of left) {
      const factor = div(a[i]![pivot]!, a[pivot]![pivot]!);
      if (sign(factor) !== 0) for (const k of left) a[i]![k] = sub(a[i]![k]!, mul(factor, a[pivot]![k]!));
    }
  }
  return counts;
}
