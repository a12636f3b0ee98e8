// Covering numbers from below: many functions of a class that are far from each other.
import { matrixOfRows, pivotedQr, qrSolve } from "../linear-algebra/index.ts";

/**
 * A lower bound on ln N(eps) of x -> w x + b, |w|, |b| <= B, on [-1, 1]: the pairs (b - w, b + w) fill an area of 8 B^2, and
 * a ball of radius eps one of (2 eps)^2.
 * @example Math.exp(lineLogCovering(1, 0.1)) // 200.0...
 */
export const lineLogCovering = (B: number, eps: number): number =>
  Math.max(0, Math.LN2 + 2 * Math.log(B / eps));

/**
 * A lower bound on ln N(eps) of x -> a tanh(w x + b) + c on [-1, 1], parameters within [-B, B]. With J the derivative of the
 * values at four points, |values(s) - values(t)| >= m |s - t| for s, t within r of the middle of the cube's positive part,
 * m = 1 / (2 |J^-1|), r = 1 / (2 K |J^-1|), K a bound on the second derivatives; in sup norms. So a grid of (r m / eps)^4
 * parameters has functions more than 2 eps apart.
 */
export function tanhLogCovering(B: number, eps: number): number {
  const middle = B / 2;
  const rows = [-1, -1 / 3, 1 / 3, 1].map((x) => {
    const s = Math.tanh(middle * x + middle);
    const slope = middle * (1 - s * s);
    return [slope * x, slope, s, 1];
  });
  const qr = pivotedQr(matrixOfRows(rows), { tolerance: 0 });
  const inverse = [0, 1, 2, 3].map((k) =>
    qrSolve(
      qr,
      Float64Array.from([0, 1, 2, 3], (i) => (i === k ? 1 : 0)),
    ),
  );
  // Columns of J^-1; its norm is the greatest sum of a row. Twice, for the rounding of the solution.
  const norm = 2 * Math.max(...[0, 1, 2, 3].map((i) => inverse.reduce((sum, c) => sum + Math.abs(c[i]!), 0)));
  // |f_ww| + 2 |f_wb| + |f_bb| <= 4 |a| 0.77, 2 |f_wa| + 2 |f_ba| <= 4, where |a| <= B.
  const K = 4 * B + 4;
  const r = Math.min(1 / (2 * K * norm), middle);
  return 4 * Math.max(0, Math.log(r / (2 * norm)) - Math.log(eps));
}
