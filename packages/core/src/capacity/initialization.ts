// How permutations multiply the chance of starting near a solution (Shen, Theorem 5).
import type { Random } from "../engine/random.ts";
import { logFactorial } from "./combinatorics.ts";

/** Rows (weights and bias) of a hidden layer. */
export type Rows = readonly Float64Array[];

/** The greatest difference of entries. */
export const rowDistance = (a: Float64Array, b: Float64Array): number =>
  a.reduce((most, v, k) => Math.max(most, Math.abs(v - b[k]!)), 0);

/** The least distance of rows that differ; Infinity when all are equal. */
export function leastRowDistance(rows: Rows): number {
  let least = Number.POSITIVE_INFINITY;
  rows.forEach((a, i) => {
    for (const b of rows.slice(i + 1)) {
      const distance = rowDistance(a, b);
      if (distance > 0) least = Math.min(least, distance);
    }
  });
  return least;
}

/**
 * In how many orders the rows look different: d! over the factorials of how often each occurs.
 * @example distinctOrders([Float64Array.of(1), Float64Array.of(2), Float64Array.of(1)]) // 3
 */
export function distinctOrders(rows: Rows): number {
  const times = new Map<string, number>();
  for (const row of rows) times.set(row.join(), (times.get(row.join()) ?? 0) + 1);
  const repeated = [...times.values()].reduce((sum, count) => sum + logFactorial(count), 0);
  return Math.round(Math.exp(logFactorial(rows.length) - repeated));
}

/** P(all entries within `radius` of these rows) for entries uniform on [-1, 1]. */
export const chanceNear = (rows: Rows, radius: number): number =>
  rows.reduce(
    (product, row) =>
      row.reduce(
        (p, v) => p * (Math.max(0, Math.min(1, v + radius) - Math.max(-1, v - radius)) / 2),
        product,
      ),
    1,
  );

/** Whether some order of the rows comes within the radius of the solution: rows are matched one by one, with a way back. */
export function isNearCopy(rows: Rows, solution: Rows, radius: number): boolean {
  const taken = new Set<number>();
  const match = (k: number): boolean =>
    k === solution.length ||
    rows.some((row, i) => {
      if (taken.has(i) || rowDistance(row, solution[k]!) > radius) return false;
      taken.add(i);
      if (match(k + 1)) return true;
      taken.delete(i);
      return false;
    });
  return match(0);
}

/** Rows with entries uniform on [-1, 1]. */
export const uniformRows = (units: number, length: number, random: Random): Rows =>
  Array.from({ length: units }, () => random.uniform(length).map((u) => 2 * u - 1));
