// Planes around f(z2) - f(z1) for rows d = z2 - z1 and z2: from d alone, which is good while d is small beside the range
// of z, or from lines around both units, which is good while z1 and z2 hardly move.

import type { Lines } from "../../functions/lines.ts";
import { unitRoundoff } from "../../numbers/floating-point.ts";
import { addDown, addUp, type Interval, sub } from "../../numbers/interval/index.ts";
import type { Relaxation } from "../linear/relaxation-lines.ts";

const { abs, max, min } = Math;

/** Bounds of the three rows, each narrowed by what the other two say. */
export interface RowTriple {
  readonly before: Interval;
  readonly change: Interval;
  readonly after: Interval;
}

/** Intervals that hold the same number meet; where rounding keeps them apart, the first stays. */
const meet = (x: Interval, y: Interval): Interval => {
  const [lower, upper] = [max(x.lower, y.lower), min(x.upper, y.upper)];
  return lower <= upper ? { lower, upper } : x;
};

export function narrowed(before: Interval, change: Interval, after: Interval): RowTriple {
  const d = meet(change, sub(after, before));
  return {
    before: meet(before, sub(after, d)),
    change: d,
    after: meet(after, {
      lower: addDown(before.lower, d.lower),
      upper: addUp(before.upper, d.upper),
    }),
  };
}

const middle = ({ lower, upper }: Interval): number => lower / 2 + upper / 2;
const size = ({ lower, upper }: Interval): number => max(abs(lower), abs(upper));

/** slope1 d + slope2 z2 + shift. */
interface Plane {
  readonly change: number;
  readonly after: number;
  readonly shift: number;
}

/**
 * The plane over = a z2 + p less under = b z1 + q, with z1 = z2 - d; its slope a - b is rounded, hence the margin, which
 * goes the way of `side`.
 */
function lessLine(a: number, p: number, b: number, q: number, { after }: RowTriple, side: 1 | -1): Plane {
  const margin = 4 * unitRoundoff * ((abs(a) + abs(b)) * size(after) + abs(p) + abs(q));
  return { change: b, after: a - b, shift: p - q + side * margin };
}

const valueInMiddle = ({ change, after, shift }: Plane, rows: RowTriple): number =>
  change * middle(rows.change) + after * middle(rows.after) + shift;

/**
 * Writes the better plane on each side for the rows `first` (d) and `first + 1` (z2): `alone` are lines in d, `second`
 * around f at z2 and `unit` around f at z1.
 */
export function writePlanes(
  alone: Lines,
  unit: Lines,
  second: Lines,
  rows: RowTriple,
  into: Relaxation,
  first: number,
  slot: number,
): void {
  const high: readonly Plane[] = [
    { change: alone.highSlope, after: 0, shift: alone.highShift },
    lessLine(second.highSlope, second.highShift, unit.lowSlope, unit.lowShift, rows, 1),
  ];
  const low: readonly Plane[] = [
    { change: alone.lowSlope, after: 0, shift: alone.lowShift },
    lessLine(second.lowSlope, second.lowShift, unit.highSlope, unit.highShift, rows, -1),
  ];
  const above = valueInMiddle(high[0]!, rows) <= valueInMiddle(high[1]!, rows) ? high[0]! : high[1]!;
  const below = valueInMiddle(low[0]!, rows) >= valueInMiddle(low[1]!, rows) ? low[0]! : low[1]!;
  into.highSlope[first] = above.change;
  into.highSlope[first + 1] = above.after;
  into.highShift[slot] = above.shift;
  into.lowSlope[first] = below.change;
  into.lowSlope[first + 1] = below.after;
  into.lowShift[slot] = below.shift;
}

/** Where the two ranges of a difference agree. */
export const rangeOfBoth = (alone: Interval, unit: Interval, second: Interval): Interval =>
  meet(alone, sub(second, unit));
