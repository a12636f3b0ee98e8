// How far a network with one hidden layer can be from its Taylor expansion at the start: bounds, and the worst weights.
import { dot } from "../linear-algebra/dot.ts";
import type { ShallowNetwork } from "./shallow-network.ts";

/**
 * sup |sigma''|: where the slope changes fastest, and how fast. Closed forms of the three that theorems speak of.
 * @example greatestCurvature.softplus // { at: 0, beta: 0.25 }
 */
export const greatestCurvature = {
  // s'' = s (1 - s)(1 - 2 s), greatest where 6 s^2 - 6 s + 1 = 0
  logistic: { at: Math.log(2 - Math.sqrt(3)), beta: 1 / (6 * Math.sqrt(3)) },
  // t'' = -2 t (1 - t^2), greatest where t^2 = 1/3
  tanh: { at: -Math.atanh(1 / Math.sqrt(3)), beta: 4 / (3 * Math.sqrt(3)) },
  softplus: { at: 0, beta: 1 / 4 },
} as const;

/**
 * Proposition 3.7 (W = V_0 or any W as near): |a| m^{1/3} (4 B^{4/3} + 2 B ln(1/delta)^{1/4}).
 * @example reluGapBound(8, 1, 1).toFixed(2) // "8.00"
 */
export const reluGapBound = (m: number, radius: number, delta: number): number =>
  Math.cbrt(m) * (4 * radius ** (4 / 3) + 2 * radius * Math.log(1 / delta) ** 0.25);

export interface WorstMove {
  /** |F(x; V) - F_0(x; V)|, the greatest for |V - V_0| <= B. */
  readonly gap: number;
  /** Rows that move. */
  readonly rows: readonly number[];
  /** How far each moves. */
  readonly step: number;
}

/**
 * The worst V for a ReLU network at the unit vector x. A row whose sign a_j sigma'(z_j) turns adds |z_j + t_j|, where t_j
 * is its move along x: with n rows of one sign of a, moved equally far, sqrt(n) B - sum |z_j| over the n least |z_j|.
 * @example worstReluMove([0, 3, -1], [1, 1, -1], 2).gap // 2
 */
export function worstReluMove(z: readonly number[], a: readonly number[], radius: number): WorstMove {
  let worst: WorstMove = { gap: 0, rows: [], step: 0 };
  for (const sign of [1, -1]) {
    const near = z
      .map((_, j) => j)
      .filter((j) => Math.sign(a[j]!) === sign)
      .sort((i, j) => Math.abs(z[i]!) - Math.abs(z[j]!));
    let sum = 0;
    for (let n = 1; n <= near.length; n++) {
      sum += Math.abs(z[near[n - 1]!]!);
      const gap = Math.sqrt(n) * radius - sum;
      if (gap > worst.gap) worst = { gap, rows: near.slice(0, n), step: radius / Math.sqrt(n) };
    }
  }
  return worst;
}

/**
 * The weights of the worst move: rows go along x beyond 0, to the other side.
 * @example movedRows({ sigma: "relu", a: [1], V: [[1, 0]] }, [1, 0], { rows: [0], step: 3, gap: 2 })[0][0] // -2
 */
export function movedRows(
  { V }: ShallowNetwork,
  x: ArrayLike<number>,
  { rows, step }: WorstMove,
): readonly Float64Array[] {
  const moving = new Set(rows);
  return V.map((v, j) => {
    const along = !moving.has(j) ? 0 : dot(v, x) >= 0 ? -step : step;
    return Float64Array.from(v, (value, k) => value + along * x[k]!);
  });
}
