// Weights that a map moves away from their start, and what the network becomes as its width grows (Theorem 3.14).
import { type ActivationName, activation } from "../functions/activation.ts";
import { gaussianRule } from "../functions/gaussian-rule.ts";
import { dot } from "../linear-algebra/dot.ts";
import type { ShallowNetwork } from "./shallow-network.ts";

/** T(v) = h(<w, v>) u: every row goes along u, by an amount that its product with w says. */
export interface Transport {
  readonly u: readonly number[];
  readonly w: readonly number[];
  /** |h| <= 1. */
  readonly amount: (z: number) => number;
  /** Where the amount jumps. */
  readonly jumps: readonly number[];
}

/**
 * V with v_j = v_0j + a_j factor T(v_0j); the theorem has the factor 1 / (rho sqrt(m)).
 * @example transported({ sigma: "relu", a: [-1], V: [[1]] }, { u: [3], w: [1], amount: () => 1, jumps: [] }, 2)[0] // Float64Array [-5]
 */
export const transported = (
  { a, V }: ShallowNetwork,
  { u, w, amount }: Transport,
  factor: number,
): readonly Float64Array[] =>
  V.map((v, j) => {
    const step = a[j]! * factor * amount(dot(w, v));
    return Float64Array.from(v, (value, k) => value + step * u[k]!);
  });

/**
 * F_inf(x; T) = E <T(v), x sigma'(<v, x>)> = <u, x> E h(<w, v>) sigma'(<x, v>): quadrature over the two products, whose
 * panels end where one of them jumps.
 * @example infiniteWidth("relu", { u: [2], w: [1], amount: () => 1, jumps: [] }, [3]).toFixed(9) // "3.000000000"
 */
export function infiniteWidth(
  sigma: ActivationName,
  { u, w, amount, jumps }: Transport,
  x: readonly number[],
): number {
  const { derivative, smoothness } = activation(sigma);
  const slope = (z: number): number => (z === 0 ? 0 : derivative(1, z));
  const length = Math.sqrt(dot(x, x));
  const along = dot(w, x) / length; // <w, v> = along p + across q with <x, v> = length p
  const across = Math.sqrt(Math.max(0, dot(w, w) - along ** 2));
  const outer = gaussianRule(smoothness < 1 ? [0] : [], 24);
  const mean = outer.nodes.reduce((sum, p, i) => {
    const at = slope(length * p);
    if (at === 0) return sum;
    if (across < 1e-12) return sum + outer.weights[i]! * at * amount(along * p);
    const inner = gaussianRule(
      jumps.map((z) => (z - along * p) / across),
      12,
    );
    const part = inner.nodes.reduce((s, q, n) => s + inner.weights[n]! * amount(along * p + across * q), 0);
    return sum + outer.weights[i]! * at * part;
  }, 0);
  return dot(u, x) * mean;
}
