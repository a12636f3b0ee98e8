// The gauge of a linear class: M and N with M^T N kept, so that M M^T = N N^T is diagonal, from large to small.
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import type { SymmetryGroup, UnitLeg, WeightAxis } from "../group.ts";
import { fibreWeights, stridedBlocks } from "../transform.ts";

/** Beyond this many units the eigenvectors would take too long. */
export const mostLinearUnits = 128;

/** Adds the inner products of the units of each fibre, over one weight. */
export function addGram(
  group: SymmetryGroup,
  axes: readonly WeightAxis[],
  values: Float64Array,
  grams: Float64Array,
  takes: (leg: UnitLeg) => boolean,
): void {
  for (const { start, legs } of stridedBlocks(group, axes)) {
    const at = legs.findIndex(takes);
    if (at < 0) continue;
    const fibre = fibreWeights(group, legs)[at]!;
    const { size: n, step } = legs[at]!;
    const index = new Int32Array(legs.length);
    const walk = (d: number, from: number): void => {
      if (d < legs.length) {
        for (let i = 0; i < (d === at ? 1 : legs[d]!.size); i++) {
          index[d] = i;
          walk(d + 1, from + i * legs[d]!.step);
        }
        return;
      }
      let base = 0;
      for (const [leg, weight] of fibre) base += index[leg]! * weight * n * n;
      for (let r = 0; r < n; r++)
        for (let c = 0; c <= r; c++) {
          const p = values[from + r * step]! * values[from + c * step]!;
          grams[base + r * n + c]! += p;
          if (c < r) grams[base + c * n + r]! += p;
        }
    };
    walk(0, start);
  }
}

/** Lower triangular L with L L^T = G; undefined unless G is safely positive definite. */
function cholesky(G: Float64Array, n: number): Float64Array | undefined {
  const L = new Float64Array(n * n);
  for (let r = 0; r < n; r++)
    for (let c = 0; c <= r; c++) {
      let sum = G[r * n + c]!;
      for (let k = 0; k < c; k++) sum -= L[r * n + k]! * L[c * n + k]!;
      if (r !== c) L[r * n + c] = sum / L[c * n + c]!;
      else if (sum > 1e-9 * G[r * n + r]!) L[r * n + r] = Math.sqrt(sum);
      else return undefined;
    }
  return L;
}

/**
 * A with A G A^T = A^-T H A^-1 diagonal and descending: G = L L^T, L^T H L = Q S Q^T, A = S^(1/4) Q^T L^-1.
 * Undefined where units depend on each other: then the gauge does not fix A.
 */
export function balancingMatrix(G: Float64Array, H: Float64Array, n: number): Float64Array | undefined {
  const L = cholesky(G, n);
  if (!L || !cholesky(H, n)) return undefined;
  const at = (r: number, c: number) => r * n + c;
  const sum = (f: (k: number) => number): number => {
    let total = 0;
    for (let k = 0; k < n; k++) total += f(k);
    return total;
  };
  const HL = H.map((_, e) => sum((k) => H[at(Math.floor(e / n), k)]! * L[at(k, e % n)]!));
  const inner = Array.from({ length: n }, (_, r) =>
    Array.from({ length: n }, (__, c) => sum((k) => L[at(k, r)]! * HL[at(k, c)]!)),
  );
  const { values, vectors } = symmetricEigen(inner);
  const A = new Float64Array(n * n);
  for (let r = 0; r < n; r++) {
    const q = vectors[n - 1 - r]!;
    const root = Math.max(values[n - 1 - r]!, 0) ** 0.25;
    if (root === 0) return undefined;
    // x L = q^T, by substitution from the last entry.
    for (let c = n - 1; c >= 0; c--) {
      let rest = q[c]!;
      for (let k = c + 1; k < n; k++) rest -= (A[at(r, k)]! / root) * L[at(k, c)]!;
      A[at(r, c)] = (root * rest) / L[at(c, c)]!;
    }
  }
  return A;
}
