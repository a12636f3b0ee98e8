// Lines around functions that are known by enclosures of their values and slopes, and by where they bend which way.
//
// For any slope s the line above f on [low, high] is as low as possible when its shift is the maximum of g(z) = f(z) - s z.
// On a piece where g is convex, that is at an end. On a piece [p, q] where g is concave it is below every tangent: for
// whichever z0 of the piece, g(z) <= g(z0) + g'(z0) (z - z0), which is greatest at p or q. All of this is computed with
// intervals, so z0 (a zero of g', about) and s need not be exact: the shift is a sound one whatever they are. Lines below
// are the same for -f. Where the curvature changes is known to lie in a tiny interval; there the
// values themselves are enclosed.

import { add, type Interval, mul, point, type RealFunction, sub } from "../numbers/interval/index.ts";
import type { Activation, Lines } from "./lines.ts";

type Sign = 1 | 0 | -1;

/** Where a function bends which way: `ways[k]` before turn k, the last of them after all turns. */
export interface Curvature {
  /** In order, disjoint; each of them holds the point where the curvature changes. */
  readonly turns: readonly Interval[];
  /** 1: convex, -1: concave, 0: a line. */
  readonly ways: readonly Sign[];
}

export interface Bend {
  readonly name: string;
  /** Encloses the values at points and between the ends of a turn; throws a RangeError outside of the domain. */
  readonly value: RealFunction;
  /** Encloses the slopes between the ends of an interval; at a kink those of both sides. */
  readonly slope: RealFunction;
  readonly curvature: (low: number, high: number) => Curvature;
  /** No value is less: exact where rounding of large numbers would say a little less (squares). */
  readonly least?: number;
}

interface Piece {
  readonly low: number;
  readonly high: number;
  /** Undefined: it may be any. */
  readonly way: Sign | undefined;
}

function piecesOf({ curvature }: Bend, low: number, high: number): readonly Piece[] {
  const { turns, ways } = curvature(low, high);
  const pieces: Piece[] = [];
  const enter = (from: number, to: number, way: Sign | undefined): void => {
    const [p, q] = [Math.max(low, from), Math.min(high, to)];
    if (p < q || (p === q && pieces.length === 0)) pieces.push({ low: p, high: q, way });
  };
  let from = Number.NEGATIVE_INFINITY;
  turns.forEach(({ lower, upper }, k) => {
    enter(from, lower, ways[k]);
    if (lower < upper) enter(lower, upper, undefined);
    from = upper;
  });
  enter(from, Number.POSITIVE_INFINITY, ways[turns.length]);
  return pieces;
}

const middleOf = ({ lower, upper }: Interval): number => lower / 2 + upper / 2;
const bisections = 40;

/** Kinks and infinite slopes are at ends of pieces: the touching point is kept off them, by less than rounding shows. */
const margin = 2 ** -26;

/** Where the slope is about `slope` on a piece that bends one way; beside an end if it is nowhere. */
function touchingPoint(f: Bend, { low, high, way }: Piece, slope: number): number {
  const isBefore = (z: number): boolean => way! * (middleOf(f.slope(point(z))) - slope) < 0;
  const room = margin * (high - low);
  let [before, after] = [Math.min(high, low + room), Math.max(low, high - room)];
  if (!isBefore(before)) return before;
  if (isBefore(after)) return after;
  for (let k = 0; k < bisections; k++) {
    const z = before / 2 + after / 2;
    if (isBefore(z)) before = z;
    else after = z;
  }
  return after;
}

/** At least the maximum of sign (f(z) - slope z) on a piece. */
function greatestOn(f: Bend, piece: Piece, slope: number, sign: Sign): number {
  const { low, high, way } = piece;
  const side = (x: Interval): number => (sign > 0 ? x.upper : -x.lower);
  const above = (z: number): Interval => sub(f.value(point(z)), mul(point(slope), point(z)));
  if (way === undefined) {
    const whole = { lower: low, upper: high };
    return side(sub(f.value(whole), mul(point(slope), whole)));
  }
  if (way * sign >= 0) return Math.max(side(above(low)), side(above(high)));
  const at = touchingPoint(f, piece, slope);
  const tilt = sub(f.slope(point(at)), point(slope));
  const tangent = (z: number): Interval => add(above(at), mul(tilt, sub(point(z), point(at))));
  return Math.max(side(tangent(low)), side(tangent(high)));
}

const shiftOf = (f: Bend, pieces: readonly Piece[], slope: number, sign: Sign): number =>
  pieces.reduce((most, piece) => Math.max(most, greatestOn(f, piece, slope, sign)), Number.NEGATIVE_INFINITY);

const samples = 16;

/**
 * The slope of the convex (sign 1) or concave hull of f in the middle, from samples: the chord across the middle that is
 * least there, or the tangent if none is below the function.
 */
function hullSlope(f: Bend, low: number, high: number, sign: Sign): number {
  const z = Array.from({ length: samples + 1 }, (_, k) => low + (k / samples) * (high - low));
  const values = z.map((x) => sign * middleOf(f.value(point(Math.min(x, high)))));
  const half = samples / 2;
  let [least, slope] = [values[half]!, Number.NaN];
  for (let i = 0; i < half; i++)
    for (let j = half + 1; j <= samples; j++) {
      const chord = (values[j]! - values[i]!) / (z[j]! - z[i]!);
      const value = values[i]! + chord * (z[half]! - z[i]!);
      if (value < least) [least, slope] = [value, chord];
    }
  const found = Number.isNaN(slope) ? middleOf(f.slope(point(z[half]!))) : sign * slope;
  return Number.isFinite(found) ? found : 0;
}

const secant = (f: Bend, low: number, high: number): number => {
  const slope = (middleOf(f.value(point(high))) - middleOf(f.value(point(low)))) / (high - low);
  return Number.isFinite(slope) ? slope : 0;
};

/** The slope of the line below (sign 1) or above a function; any would be sound. */
function slopeFor(f: Bend, pieces: readonly Piece[], low: number, high: number, sign: Sign): number {
  const [only, other] = pieces;
  if (other) return hullSlope(f, low, high, sign);
  if (only!.way === undefined) return 0;
  if (only!.way * sign <= 0) return secant(f, low, high);
  const tangent = middleOf(f.slope(point(low / 2 + high / 2)));
  return Number.isFinite(tangent) ? tangent : 0;
}

function writeLines(f: Bend, low: number, high: number, into: Lines): void {
  const pieces = piecesOf(f, low, high);
  into.lowSlope = slopeFor(f, pieces, low, high, 1);
  into.highSlope = slopeFor(f, pieces, low, high, -1);
  into.lowShift = -shiftOf(f, pieces, into.lowSlope, -1);
  into.highShift = shiftOf(f, pieces, into.highSlope, 1);
}

/** A bend as the relaxation reads it; its range is between the horizontal lines. */
export const bent = (f: Bend): Activation => ({
  name: f.name,
  value: (z) => middleOf(f.value(point(z))),
  slope: (z) => {
    const slope = middleOf(f.slope(point(z)));
    return Number.isFinite(slope) ? slope : 0;
  },
  lines: (low, high, into) => writeLines(f, low, high, into),
  range: (low, high) => {
    const pieces = piecesOf(f, low, high);
    const { least = Number.NEGATIVE_INFINITY } = f;
    return { lower: Math.max(least, -shiftOf(f, pieces, 0, -1)), upper: shiftOf(f, pieces, 0, 1) };
  },
  slopes: (low, high) => f.slope({ lower: low, upper: high }),
});
