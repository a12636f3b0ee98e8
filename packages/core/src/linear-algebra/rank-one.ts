// The roots of a secular equation together, and the z for which they are exact (Gu and Eisenstat 1995): vectors made of it
// are orthogonal, however near the roots are to each other.
import { type SecularEquation, type SecularRoot, secularRoot } from "./secular-equation.ts";

export interface RankOneRoots {
  readonly roots: readonly SecularRoot[];
  /** Row i: the poles minus root i. */
  readonly distances: Float64Array;
  /** z'_j with z'_j^2 = prod_i (root_i - pole_j) / prod_(i != j) (pole_i - pole_j), and the sign of z_j. */
  readonly exact: Float64Array;
}

/** All roots of an equation with z_j^2 as squares. */
export function rankOneRoots(equation: SecularEquation, z: Float64Array): RankOneRoots {
  const k = equation.d.length;
  const distances = new Float64Array(k * k);
  const weights = new Float64Array(k).fill(1);
  const roots: SecularRoot[] = [];
  for (let i = 0; i < k; i++) {
    const row = distances.subarray(i * k, (i + 1) * k);
    roots.push(secularRoot(equation, i, row));
    timesRatios(weights, row, equation, i);
  }
  const exact = weights.map((weight, j) => Math.sqrt(Math.abs(weight)) * Math.sign(z[j]!));
  return { roots, distances, exact };
}

/** weights_j <- weights_j (pole_j - root_i) / (pole_j - pole_i), without the denominator for j = i. */
function timesRatios(
  weights: Float64Array,
  row: Float64Array,
  { d, poles }: SecularEquation,
  i: number,
): void {
  const own = d[i]!;
  const before = weights[i]! * row[i]!;
  if (poles === "d") for (let j = 0; j < d.length; j++) weights[j]! *= row[j]! / (d[j]! - own);
  else for (let j = 0; j < d.length; j++) weights[j]! *= row[j]! / ((d[j]! - own) * (d[j]! + own));
  weights[i] = before;
}

/** Entries j of a vector, scaled to length 1 and put at their places: into[p] = vector[places[p]]. */
export function placeUnit(vector: Float64Array, places: readonly number[], into: Float64Array): void {
  let square = 0;
  for (let j = 0; j < vector.length; j++) square += vector[j]! * vector[j]!;
  const scale = 1 / Math.sqrt(square);
  for (let p = 0; p < vector.length; p++) into[p] = vector[places[p]!]! * scale;
}
