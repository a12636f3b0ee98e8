// How nearly the weights of a layer behave as normal ones do: the condition under which the landscape of latent descent is benign
// (Hand and Voroninski 2017).
import type { Matrix } from "../linear-algebra/matrix-norm.ts";
import { symmetricEigen } from "../linear-algebra/symmetric-eigen.ts";

/** E of sum_i [w_i x > 0] [w_i y > 0] w_i w_i^T for rows w_i ~ N(0, I / n): ((pi - t) I + sin t M) / (2 pi), t the angle of x and y. */
export function expectedOverlap(x: Float64Array, y: Float64Array): number[][] {
  const k = x.length;
  const unit = (v: Float64Array): Float64Array => v.map((e) => e / Math.hypot(...v));
  const [a, b] = [unit(x), unit(y)];
  const along = a.reduce((sum, v, i) => sum + v * b[i]!, 0);
  // The part of b that is orthogonal to a; M exchanges a and b, and is 0 on what is orthogonal to both. An arc cosine would lose
  // half of the digits where x and y are nearly parallel.
  const rest = b.map((v, i) => v - along * a[i]!);
  const angle = Math.atan2(Math.hypot(...rest), along);
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const e = sine > 1e-12 ? rest.map((v) => v / sine) : new Float64Array(k);
  return Array.from({ length: k }, (_, i) =>
    Array.from({ length: k }, (__, j) => {
      const exchange = cosine * (a[i]! * a[j]! - e[i]! * e[j]!) + sine * (a[i]! * e[j]! + e[i]! * a[j]!);
      return (Number(i === j) * (Math.PI - angle) + sine * exchange) / (2 * Math.PI);
    }),
  );
}

/** The greatest |sum_i [w_i x > 0] [w_i y > 0] w_i w_i^T - E|_2 over pairs: what was seen, the true one may be greater. */
export function weightDistributionError(
  { rows, columns, entries }: Matrix,
  pairs: readonly (readonly [Float64Array, Float64Array])[],
): number {
  return Math.max(
    0,
    ...pairs.map(([x, y]) => {
      const overlap = expectedOverlap(x, y).map((row) => row.map((v) => -v));
      for (let i = 0; i < rows; i++) {
        const w = entries.subarray(i * columns, (i + 1) * columns);
        const [along, other] = [x, y].map((v) => w.reduce((sum, e, j) => sum + e * v[j]!, 0)) as [
          number,
          number,
        ];
        if (!(along > 0 && other > 0)) continue;
        for (let p = 0; p < columns; p++) for (let q = 0; q < columns; q++) overlap[p]![q]! += w[p]! * w[q]!;
      }
      const { values } = symmetricEigen(overlap);
      return Math.max(Math.abs(values[0]!), Math.abs(values.at(-1)!));
    }),
  );
}
