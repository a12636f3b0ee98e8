// Two examples and k ReLUs with normal weights: when are the rows of their values linearly independent?
import { dot } from "../../linear-algebra/dot.ts";
import type { Random } from "../../numbers/random.ts";

/** The probabilities that a neuron is open at neither, at exactly the one, or at both of two points. */
function openings(x: Float64Array, z: Float64Array) {
  const cosine = dot(x, z) / Math.sqrt(dot(x, x) * dot(z, z));
  const angle = Math.acos(Math.max(-1, Math.min(1, cosine)));
  const both = (Math.PI - angle) / (2 * Math.PI);
  return { neither: both, one: angle / (2 * Math.PI), both };
}

/**
 * The values of k neurons span the plane unless all are on the first axis, or all on the second, or one is open at both
 * points and the others are 0 (two that are open at both are independent almost surely).
 */
export function fullRankProbability(x: Float64Array, z: Float64Array, k: number): number {
  const { neither, one, both } = openings(x, z);
  return 1 - 2 * (neither + one) ** k + neither ** k - k * both * neither ** (k - 1);
}

/** 1 - (1 - delta)^floor(k / 2): groups of two neurons, each of full rank with probability delta. */
export const fullRankBound = (x: Float64Array, z: Float64Array, k: number): number =>
  1 - (1 - fullRankProbability(x, z, 2)) ** Math.floor(k / 2);

/** Draws k neurons and looks. */
export function isFullRank(x: Float64Array, z: Float64Array, k: number, random: Random): boolean {
  let first: readonly [number, number] | undefined;
  let isFull = false;
  for (let j = 0; j < k; j++) {
    const w = random.normal(x.length);
    const [a, b] = [Math.max(0, dot(w, x)), Math.max(0, dot(w, z))];
    if (a === 0 && b === 0) continue;
    if (first)
      isFull ||= Math.abs(first[0] * b - first[1] * a) > 1e-14 * Math.hypot(...first) * Math.hypot(a, b);
    else first = [a, b];
  }
  return isFull;
}
