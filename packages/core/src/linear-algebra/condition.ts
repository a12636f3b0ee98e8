// How much a linear system amplifies errors: an estimate of |A| |A^-1| from a few solutions (Hager 1984, Higham 1988).

import { type LuFactors, luSolve, luSolveTransposed } from "./lu.ts";
import type { Matrix } from "./matrix-norm.ts";

const mostSteps = 5;

/**
 * An estimate of |A|_inf |A^-1|_inf, from below and seldom off by more than a factor 3; infinite for a singular matrix.
 * @example await conditionNumber(await luFactor({ rows: 2, columns: 2, entries: Float64Array.of(1, 0, 0, 100) })) // 100
 */
export async function conditionNumber(lu: LuFactors): Promise<number> {
  if (lu.singularAt !== undefined) return Number.POSITIVE_INFINITY;
  if (lu.size === 0) return 0;
  const estimate = lu.rowSum * (await inverseNorm(lu));
  return Number.isNaN(estimate) ? Number.POSITIVE_INFINITY : estimate;
}

const columnOf = (entries: Float64Array): Matrix => ({ rows: entries.length, columns: 1, entries });
const sizeOf = (x: Float64Array): number => x.reduce((sum, v) => sum + Math.abs(v), 0);

/** |B|_1 for B = A^-T, which is |A^-1|_inf: the convex function |B x|_1 climbs from corner to corner of the unit ball. */
async function inverseNorm(lu: LuFactors): Promise<number> {
  const n = lu.size;
  const times = async (x: Float64Array) => (await luSolveTransposed(lu, columnOf(x))).entries;
  let x = new Float64Array(n).fill(1 / n);
  let best = 0;
  const tried = new Set<number>();
  for (let step = 0; step < mostSteps; step++) {
    const y = await times(x);
    const size = sizeOf(y);
    if (!(size > best)) break;
    best = size;
    const slope = (await luSolve(lu, columnOf(y.map((v) => (v < 0 ? -1 : 1))))).entries;
    const steepest = slope.reduce((k, v, i) => (Math.abs(v) > Math.abs(slope[k]!) ? i : k), 0);
    if (tried.has(steepest)) break;
    tried.add(steepest);
    x = new Float64Array(n);
    x[steepest] = 1;
  }
  // A vector that no step of the climb would choose, against matrices made to deceive it.
  const alternating = Float64Array.from(
    { length: n },
    (_, i) => (i % 2 === 0 ? 1 : -1) * (1 + i / Math.max(1, n - 1)),
  );
  return Math.max(best, sizeOf(await times(alternating)) / sizeOf(alternating));
}
