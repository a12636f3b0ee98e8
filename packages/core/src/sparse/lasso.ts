// Least squares with an l1 penalty, which sets weights to exactly zero: a way to find a graph of connections.
import type { Rows } from "../linear-algebra/symmetric-eigen.ts";
import { softThreshold } from "./pursuit/thresholds.ts";

/**
 * The w that minimizes |X w - y|^2 / n + lambda |w|_1, by coordinate descent: one weight at a time, until none moves.
 * @example lasso([[1, 0], [0, 1]], [4, 1], 2).map((w) => Math.round(w)) // [2, 0]
 */
export function lasso(X: Rows, y: readonly number[], lambda: number, sweeps = 5000): number[] {
  const [n, p] = [X.length, X[0]!.length];
  const w = new Array<number>(p).fill(0);
  const residual = [...y];
  const squares = w.map((_, j) => X.reduce((sum, row) => sum + row[j]! ** 2, 0) / n);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    let moved = 0;
    for (let j = 0; j < p; j++) {
      let c = squares[j]! * w[j]!;
      for (let i = 0; i < n; i++) c += (X[i]![j]! * residual[i]!) / n;
      const next = softThreshold(c, lambda / 2) / squares[j]!;
      const step = next - w[j]!;
      if (step === 0) continue;
      for (let i = 0; i < n; i++) residual[i]! -= step * X[i]![j]!;
      w[j] = next;
      moved = Math.max(moved, Math.abs(step));
    }
    if (moved < 1e-15) break;
  }
  return w;
}

/** By how much w violates |2/n X^T (y - X w)|_j <= lambda, with equality and the sign of w_j where w_j is not 0. */
export function lassoViolation(X: Rows, y: readonly number[], lambda: number, w: readonly number[]): number {
  const residual = X.map((row, i) => y[i]! - row.reduce((sum, v, j) => sum + v * w[j]!, 0));
  return Math.max(
    ...w.map((value, j) => {
      const slope = (2 / X.length) * X.reduce((sum, row, i) => sum + row[j]! * residual[i]!, 0);
      return value === 0
        ? Math.max(0, Math.abs(slope) - lambda)
        : Math.abs(slope - lambda * Math.sign(value));
    }),
  );
}
