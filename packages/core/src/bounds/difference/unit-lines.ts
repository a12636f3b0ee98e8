// Lines around the change f(z + d) - f(z) of a unit, as a function of the change d of its row.

import type { Lines } from "../../functions/lines.ts";
import { unitRoundoff } from "../../numbers/floating-point.ts";
import type { Interval } from "../../numbers/interval/index.ts";

const { abs, max, min } = Math;
const rounding = 8 * unitRoundoff;

/** The line through two values of a convex function, raised by rounding: its slope and shift. */
function chordAbove(low: number, high: number, atLow: number, atHigh: number): readonly [number, number] {
  const found = high > low ? (atHigh - atLow) / (high - low) : 0;
  const slope = Number.isFinite(found) ? found : 0;
  const size = abs(atLow) + abs(atHigh) + abs(slope) * (abs(low) + abs(high));
  return [slope, max(atLow - slope * low, atHigh - slope * high) + rounding * size];
}

function write(low: readonly [number, number], high: readonly [number, number], into: Lines): void {
  [into.lowSlope, into.lowShift] = low;
  [into.highSlope, into.highShift] = high;
}

/** The change is s d with some s of `slopes` (mean value theorem): between the chords of min and max of both ends' lines. */
export function slopeLines({ lower: m, upper: M }: Interval, low: number, high: number, into: Lines): void {
  if (low >= 0) write([m, 0], [M, 0], into);
  else if (high <= 0) write([M, 0], [m, 0], into);
  else {
    const [slope, shift] = chordAbove(low, high, -M * low, -m * high);
    write([-slope, -shift], chordAbove(low, high, m * low, M * high), into);
  }
}

/** All values of s d. */
export function slopeRange({ lower: m, upper: M }: Interval, low: number, high: number): Interval {
  const corners = [m * low, M * low, m * high, M * high] as const;
  const [least, greatest] = [min(...corners), max(...corners)];
  return { lower: least - rounding * abs(least), upper: greatest + rounding * abs(greatest) };
}

/** A hinge: slope `below` up to 0, `above` from there. */
export interface Hinge {
  readonly below: number;
  readonly above: number;
}

/**
 * Which slopes a hinge has between z and z + d for z in `row`, d in [low, high]; a sum's sign is that of its rounding.
 * "both": z may be on either side.
 */
function sideOf(
  row: Interval,
  low: number,
  high: number,
): "below" | "above" | "from-below" | "from-above" | "both" {
  if (row.lower >= 0) return row.lower + low >= 0 ? "above" : "from-above";
  if (row.upper <= 0) return row.upper + high <= 0 ? "below" : "from-below";
  return "both";
}

/**
 * The convex hull of a hinge's change as a set over d: for below <= above the greatest change is convex in d,
 * max(below d, above d) if z may have any sign, above d + (above - below) z if z <= 0 crosses, and so on; the least is
 * a line, or min(below d, above d).
 */
export function hingeLines(
  { below, above }: Hinge,
  row: Interval,
  low: number,
  high: number,
  into: Lines,
): void {
  if (above < below) {
    hingeLines({ below: -below, above: -above }, row, low, high, into);
    write([-into.highSlope, -into.highShift], [-into.lowSlope, -into.lowShift], into);
    return;
  }
  const side = sideOf(row, low, high);
  if (side === "below" || side === "above") {
    const slope = side === "below" ? below : above;
    write([slope, 0], [slope, 0], into);
  } else if (side === "both") slopeLines({ lower: below, upper: above }, low, high, into);
  else {
    const slope = side === "from-below" ? below : above;
    const greatest = (d: number): number => greatestChange({ below, above }, side, row, d);
    write([slope, 0], chordAbove(low, high, greatest(low), greatest(high)), into);
  }
}

/** For below <= above and z of one sign: at the z nearest to 0, where the hinge is crossed first; rounded up. */
function greatestChange(
  { below, above }: Hinge,
  side: "from-below" | "from-above",
  row: Interval,
  d: number,
): number {
  const crossed =
    side === "from-below" ? above * d + (above - below) * row.upper : below * d - (above - below) * row.lower;
  const straight = side === "from-below" ? below * d : above * d;
  const size =
    abs(below * d) + abs(above * d) + abs((above - below) * (side === "from-below" ? row.upper : row.lower));
  return max(straight, crossed + rounding * size);
}

/** Bounds of a hinge's change. */
export function hingeRange(hinge: Hinge, row: Interval, low: number, high: number): Interval {
  const { below, above } = hinge;
  const side = sideOf(row, low, high);
  const slope = side === "below" ? below : side === "above" ? above : undefined;
  const slopes = { lower: slope ?? min(below, above), upper: slope ?? max(below, above) };
  return slopeRange(slopes, low, high);
}

/** Lines around a hinge itself on an interval: the chord on one side, on the other the slope that is better in the middle. */
export function hingeAround({ below, above }: Hinge, { lower: l, upper: u }: Interval, into: Lines): void {
  if (l >= 0 || u <= 0) {
    const slope = l >= 0 ? above : below;
    write([slope, 0], [slope, 0], into);
    return;
  }
  const free = u > -l ? above : below;
  if (above >= below) write([free, 0], chordAbove(l, u, below * l, above * u), into);
  else {
    const [slope, shift] = chordAbove(l, u, -below * l, -above * u);
    write([-slope, -shift], [free, 0], into);
  }
}

/** All values of a hinge on an interval. */
export function hingeValues({ below, above }: Hinge, { lower: l, upper: u }: Interval): Interval {
  const ends = [l * (l > 0 ? above : below), u * (u > 0 ? above : below), ...(l < 0 && u > 0 ? [0] : [])];
  const [least, greatest] = [min(...ends), max(...ends)];
  return { lower: least - rounding * abs(least), upper: greatest + rounding * abs(greatest) };
}
