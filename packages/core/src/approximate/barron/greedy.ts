// Units chosen one after another, without chance: Jones's relaxed greedy algorithm and the orthogonal one.

import { dotOfDoubles } from "../../linear-algebra/dot.ts";
import { BarronError, requireCount } from "./error.ts";
import { totalMass } from "./maurey.ts";
import { meanSquare, type RidgeSum, type RidgeUnit } from "./ridge-sum.ts";

/** The network after k steps, and ||f - f_n||^2 in L2(P) after n = 1, ..., k of them. */
export interface GreedyCourse {
  readonly sum: RidgeSum;
  readonly squaredErrors: readonly number[];
}

/** What is approximated: the units' own sum, without the affine part. */
function targetOf({ units }: RidgeSum, rows: readonly Float64Array[]): Float64Array {
  const target = new Float64Array(rows[0]?.length ?? 0);
  units.forEach(({ weight }, j) => {
    for (let i = 0; i < target.length; i++) target[i]! += weight * rows[j]![i]!;
  });
  return target;
}

function requireRows({ units }: RidgeSum, rows: readonly Float64Array[], k: number): void {
  requireCount("the number of units", k);
  if (rows.length !== units.length || rows.length === 0)
    throw new BarronError(`${rows.length} rows of values for ${units.length} units`);
}

/**
 * f_n = (1 - 1/n) f_{n-1} + V_j / n with V_j = sgn(w_j) mass g_j, the j that leaves the least error. The mean over j of what it
 * might leave is Maurey's, so ||f - f_n||^2 <= (E ||V||^2 - ||f||^2) / n for every n; all weights are +-mass / k in the end.
 */
export function relaxedGreedy(sum: RidgeSum, rows: readonly Float64Array[], k: number): GreedyCourse {
  requireRows(sum, rows, k);
  const [target, mass] = [targetOf(sum, rows), totalMass(sum)];
  const atoms = rows.map((row, j) => ({
    row,
    size: Math.sign(sum.units[j]!.weight) * mass,
    square: dotOfDoubles(row, row),
  }));
  const current = new Float64Array(target.length);
  const chosen: RidgeUnit[] = [];
  const squaredErrors: number[] = [];
  for (let n = 1; n <= k; n++) {
    const rest = current.map((v, i) => (1 - 1 / n) * v - target[i]!);
    let [best, least] = [0, Number.POSITIVE_INFINITY];
    atoms.forEach(({ row, size, square }, j) => {
      const change = (size / n) * (2 * dotOfDoubles(rest, row) + (size / n) * square);
      if (size !== 0 && change < least) [best, least] = [j, change];
    });
    const { row, size } = atoms[best]!;
    for (let i = 0; i < current.length; i++) current[i] = (1 - 1 / n) * current[i]! + (size / n) * row[i]!;
    chosen.push({ ...sum.units[best]!, weight: size / k });
    squaredErrors.push(meanSquare(current.map((v, i) => v - target[i]!)));
  }
  return { sum: { ...sum, units: chosen }, squaredErrors };
}

/**
 * The unit that correlates best with what is left, then the projection on all units chosen so far (Gram and Schmidt, twice).
 * ||f - f_n|| <= sum_j |w_j| ||g_j|| / sqrt(n + 1) (DeVore and Temlyakov). It stops early
 * where nothing is left. The units may serve another target, given by its values less the affine part.
 */
export function orthogonalGreedy(
  sum: RidgeSum,
  rows: readonly Float64Array[],
  k: number,
  target = targetOf(sum, rows),
): GreedyCourse {
  requireRows(sum, rows, k);
  const residual = Float64Array.from(target);
  const norms = rows.map((row) => Math.sqrt(dotOfDoubles(row, row)));
  const basis: Float64Array[] = [];
  const triangle: number[][] = []; // row_n = sum_m triangle[n][m] basis_m
  const coordinates: number[] = [];
  const chosen: number[] = [];
  const squaredErrors: number[] = [];
  while (chosen.length < k) {
    const best = bestCorrelated(rows, norms, residual);
    const entry = rows[best] && orthogonalized(rows[best], basis);
    if (!entry || entry.norm <= 1e-10 * norms[best]!) break;
    basis.push(entry.direction);
    triangle.push([...entry.along, entry.norm]);
    chosen.push(best);
    const c = dotOfDoubles(residual, entry.direction);
    coordinates.push(c);
    for (let i = 0; i < residual.length; i++) residual[i]! -= c * entry.direction[i]!;
    squaredErrors.push(meanSquare(residual));
  }
  const weights = solveTriangle(triangle, coordinates);
  return {
    sum: { ...sum, units: chosen.map((j, n) => ({ ...sum.units[j]!, weight: weights[n]! })) },
    squaredErrors,
  };
}

function bestCorrelated(
  rows: readonly Float64Array[],
  norms: readonly number[],
  residual: Float64Array,
): number {
  let [best, most] = [-1, 0];
  rows.forEach((row, j) => {
    const correlation = norms[j]! > 0 ? Math.abs(dotOfDoubles(row, residual)) / norms[j]! : 0;
    if (correlation > most) [best, most] = [j, correlation];
  });
  return best;
}

function orthogonalized(row: Float64Array, basis: readonly Float64Array[]) {
  const rest = Float64Array.from(row);
  const along = basis.map(() => 0);
  for (let pass = 0; pass < 2; pass++) {
    basis.forEach((q, m) => {
      const c = dotOfDoubles(rest, q);
      along[m]! += c;
      for (let i = 0; i < rest.length; i++) rest[i]! -= c * q[i]!;
    });
  }
  const norm = Math.sqrt(dotOfDoubles(rest, rest));
  return { along, norm, direction: rest.map((v) => v / norm) };
}

/** The weights of the units from the coordinates in the basis: sum_n weight_n triangle[n][m] = coordinate_m. */
function solveTriangle(
  triangle: readonly (readonly number[])[],
  coordinates: readonly number[],
): readonly number[] {
  const weights = coordinates.map(() => 0);
  for (let m = coordinates.length - 1; m >= 0; m--) {
    let left = coordinates[m]!;
    for (let n = m + 1; n < weights.length; n++) left -= weights[n]! * triangle[n]![m]!;
    weights[m] = left / triangle[m]![m]!;
  }
  return weights;
}
