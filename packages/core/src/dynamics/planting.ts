// A small ReLU network added to a wide random one by stretching the rows that already point its way (Theorem 3.10).
import { dot } from "../linear-algebra/dot.ts";
import { regularizedBeta } from "../numbers/statistics.ts";
import type { ShallowNetwork } from "./shallow-network.ts";

/** g(x) = sum_i alpha_i relu(<beta_i, x>), |beta_i| = 1. */
export interface ReferenceNetwork {
  readonly alpha: readonly number[];
  readonly beta: readonly ArrayLike<number>[];
}

/**
 * g(x).
 * @example referenceValue({ alpha: [2], beta: [[0, 1]] }, [5, 3]) // 6
 */
export const referenceValue = ({ alpha, beta }: ReferenceNetwork, x: ArrayLike<number>): number =>
  alpha.reduce((sum, a, i) => sum + a * Math.max(0, dot(beta[i]!, x)), 0);

/**
 * tau_d = tau^{d-1} / 2^{d+2}: half of what a cap of the sphere with the chord tau and one of two signs hold at least.
 * @example plantedShare(1, 0.5) // 0.125
 */
export const plantedShare = (d: number, tau: number): number => tau ** (d - 1) / 2 ** (d + 2);

/**
 * The width from which planting works: 4^{d+2} ln(k / delta) / tau^{2d-2}, for k units with probability at least 1 - delta.
 * @example plantingWidth(1, 1, 0.5, Math.exp(-1)) // 64
 */
export const plantingWidth = (d: number, k: number, tau: number, delta: number): number =>
  Math.ceil((4 ** (d + 2) * Math.log(k / delta)) / tau ** (2 * d - 2));

/**
 * The part of the sphere of R^d within the distance tau <= sqrt(2) of one of its points.
 * @example capShare(3, 1).toFixed(12) // "0.250000000000"
 */
export function capShare(d: number, tau: number): number {
  if (d === 1) return 1 / 2;
  const squaredSine = tau ** 2 * (1 - tau ** 2 / 4); // of the angle, whose half has the sine tau / 2
  return regularizedBeta(Math.min(1, squaredSine), (d - 1) / 2, 1 / 2) / 2;
}

export interface Planting {
  readonly V: readonly Float64Array[];
  /** Rows near each direction with the right sign. */
  readonly near: readonly (readonly number[])[];
  /** Rows of each direction that are stretched. */
  readonly rows: number;
  /** By how much a row is stretched for a unit of size 1. */
  readonly stretch: number;
  /** F(x; V) - F(x; V_0) is about this times g. */
  readonly scale: number;
}

/**
 * Stretches, for each unit of g, the first ceil(m tau_d) of the rows within tau of its direction that have its sign, so
 * that together they give sqrt(m) / tau times the unit. Undefined where there are too few of them.
 * @example plant({ sigma: "relu", a: [1], V: [[2]] }, { alpha: [3], beta: [[1]] }, 1).V[0] // Float64Array [5]
 */
export function plant(start: ShallowNetwork, g: ReferenceNetwork, tau: number): Planting | undefined {
  const m = start.V.length;
  const lengths = start.V.map((v) => Math.sqrt(dot(v, v)));
  const near = g.beta.map((beta, i) => nearRows(start, lengths, beta, Math.sign(g.alpha[i]!), tau));
  const rows = Math.ceil(m * plantedShare(g.beta[0]!.length, tau));
  if (near.some(({ length }) => length < rows)) return undefined;
  const scale = Math.sqrt(m) / tau;
  const stretch = scale / rows;
  const V = start.V.map((v) => Float64Array.from(v));
  near.forEach((found, i) => {
    for (const j of found.slice(0, rows)) {
      const factor = 1 + (stretch * Math.abs(g.alpha[i]!)) / lengths[j]!;
      V[j] = V[j]!.map((value) => value * factor);
    }
  });
  return { V, near, rows, stretch, scale };
}

/** Rows with this sign whose direction is within tau of beta. */
function nearRows(
  { a, V }: ShallowNetwork,
  lengths: readonly number[],
  beta: ArrayLike<number>,
  sign: number,
  tau: number,
): readonly number[] {
  const leastCosine = 1 - tau ** 2 / 2;
  return V.flatMap((v, j) =>
    Math.sign(a[j]!) === sign && dot(v, beta) >= leastCosine * lengths[j]! ? [j] : [],
  );
}
