// What local Taylor polynomials err by, seen at points: the construction of C3-15 before its products are networks.
import type { GridAxis } from "../sobolev/axis.ts";
import { nodeTuples, type TaylorData } from "../sobolev/taylor-data.ts";

/** The bump of node m: 1 on the middle third around it, and neighbours share a ramp. */
const bump = ({ slope, firstRamp, cells }: GridAxis, m: number, x: number): number => {
  const right = m < cells ? Math.max(0, slope * x - firstRamp - 3 * m) : 0;
  const left = m > 0 ? Math.max(0, firstRamp + 3 * m - 2 - slope * x) : 0;
  return Math.max(0, 1 - right - left);
};

/** The greatest |f - sum_m phi_m P_m| at the points, rounding left to doubles. */
export function localTaylorError(
  { axes, indices, coefficients }: TaylorData,
  f: (x: readonly number[]) => number,
  points: readonly (readonly number[])[],
): number {
  const tuples = [...nodeTuples(axes)];
  return points.reduce((most, x) => {
    const bumps = axes.map((axis, k) => axis.nodes.map((_, m) => bump(axis, m, x[k]!)));
    const value = tuples.reduce((sum, tuple, node) => {
      const share = tuple.reduce((product, m, k) => product * bumps[k]![m]!, 1);
      if (share === 0) return sum;
      const local = tuple.map((m, k) => axes[k]!.scale * (x[k]! - axes[k]!.nodes[m]!));
      return indices.reduce(
        (total, alpha, i) =>
          total +
          share *
            coefficients[node * indices.length + i]! *
            alpha.reduce((power, n, k) => power * local[k]! ** n, 1),
        sum,
      );
    }, 0);
    return Math.max(most, Math.abs(value - f(x)));
  }, 0);
}
