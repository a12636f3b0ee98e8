// Lines around max(z_i + d_i) - max z_i as a function of the d_i.

import { unitRoundoff } from "../../numbers/floating-point.ts";
import { add, type Interval, mul, point } from "../../numbers/interval/index.ts";
import type { Relaxation } from "../linear/relaxation-lines.ts";
import type { FirstUnit } from "./first-unit.ts";

/** Which places of the group can hold the maximum: of the z_i (`before`), of the z_i + d_i (`after`). */
function candidates(
  { firstRow, factor }: FirstUnit,
  lower: Float64Array,
  upper: Float64Array,
  first: number,
  end: number,
): { readonly before: readonly number[]; readonly after: readonly number[] } {
  const z: Interval[] = [];
  const moved: Interval[] = [];
  for (let row = first; row < end; row++) {
    const own = firstRow + row - first;
    z.push(mul(point(factor), { lower: lower[own]!, upper: upper[own]! }));
    moved.push(add(z.at(-1)!, { lower: lower[row]!, upper: upper[row]! }));
  }
  return { before: greatest(z), after: greatest(moved) };
}

function greatest(values: readonly Interval[]): readonly number[] {
  const most = values.reduce((m, { lower }) => Math.max(m, lower), Number.NEGATIVE_INFINITY);
  return values.flatMap(({ upper }, k) => (upper >= most ? [k] : []));
}

/**
 * At least the maximum of sign d_i over some places: one of them; or m + the chords of (sign d_i - m)_+ for m the
 * greatest of the lower bounds, or a constant, whichever is less in the middle. Writes slopes, gives the shift.
 */
function above(
  places: readonly number[],
  sign: 1 | -1,
  lower: Float64Array,
  upper: Float64Array,
  first: number,
  slopes: Float64Array,
): number {
  const low = (k: number): number => (sign > 0 ? lower[first + k]! : -upper[first + k]!);
  const high = (k: number): number => (sign > 0 ? upper[first + k]! : -lower[first + k]!);
  if (places.length === 1) {
    slopes[first + places[0]!] = 1;
    return 0;
  }
  const m = Math.max(...places.map(low));
  const most = Math.max(...places.map(high));
  const beyond = places.reduce((sum, k) => sum + Math.max(0, high(k) - m), 0);
  if (beyond / 2 >= most - m) return most;
  let [shift, size] = [m, Math.abs(m)];
  for (const k of places) {
    const [l, u] = [low(k), high(k)];
    if (u <= m) continue;
    const slope = Math.min(1, (u - m) / (u - l));
    slopes[first + k] = slope;
    shift += Math.max(-slope * l, u - m - slope * u);
    size += Math.abs(l) + 2 * Math.abs(u) + Math.abs(m);
  }
  return shift + 8 * unitRoundoff * (places.length + 1) * size;
}

export function maximumLines(
  unit: FirstUnit,
  lower: Float64Array,
  upper: Float64Array,
  first: number,
  end: number,
  into: Relaxation,
  slot: number,
): void {
  const { before, after } = candidates(unit, lower, upper, first, end);
  into.lowSlope.fill(0, first, end);
  into.highSlope.fill(0, first, end);
  into.highShift[slot] = above(after, 1, lower, upper, first, into.highSlope);
  into.lowShift[slot] = -above(before, -1, lower, upper, first, into.lowSlope);
}

export function maximumRange(
  unit: FirstUnit,
  lower: Float64Array,
  upper: Float64Array,
  first: number,
  end: number,
): Interval {
  const { before, after } = candidates(unit, lower, upper, first, end);
  return {
    lower: Math.min(...before.map((k) => lower[first + k]!)),
    upper: Math.max(...after.map((k) => upper[first + k]!)),
  };
}
