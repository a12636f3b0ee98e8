// A piecewise-linear function by ReLUs with stored weights, and a proof of how far it is from a function: the bound is
// about the stored weights, whatever made them.

import type { Univariate } from "../../functions/univariate.ts";
import * as I from "../../numbers/interval/index.ts";
import { type Interval, magnitude } from "../../numbers/interval/index.ts";
import { type Arithmetic, summand } from "../precision.ts";
import { type Polygon, tangency } from "./fit.ts";

/**
 * S(z) = offset + slope z + sum_{j<pivot} changes[j] relu(x_j - z) + sum_{j>=pivot} changes[j] relu(z - x_j): the slope is
 * that of one piece, from which the units look outward, so that steep parts far away do not cancel.
 */
export interface ReluSpline {
  readonly offset: number;
  readonly slope: number;
  readonly knots: readonly number[];
  readonly changes: readonly number[];
  readonly pivot: number;
}

/** Knots in a type, in order and distinct; the two ends are not stored, so they stay as they are. */
function roundedKnots({ knots, values }: Polygon, round: (x: number) => number): Polygon {
  const places: number[] = [];
  const heights: number[] = [];
  knots.forEach((x, j) => {
    const isEnd = j === 0 || j === knots.length - 1;
    const rounded = isEnd ? x : summand(round(x));
    const before = places.at(-1);
    if (before !== undefined && !(rounded > before)) return;
    places.push(rounded);
    heights.push(values[j]!);
  });
  return { knots: places, values: heights };
}

/** The piece from which the terms of the sum are smallest. */
function pivotOf(knots: readonly number[], values: readonly number[]): number {
  const [from, to] = [knots[0]!, knots.at(-1)!];
  const slopes = knots.slice(1).map((x, j) => (values[j + 1]! - values[j]!) / (x - knots[j]!));
  const bends = slopes.slice(1).map((s, j) => Math.abs(s - slopes[j]!));
  let left = 0;
  let right = bends.reduce((sum, c, j) => sum + c * (to - knots[j + 1]!), 0);
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  slopes.forEach((slope, p) => {
    const offset = values[p]! - slope * knots[p]!;
    const size = left + right + Math.abs(offset) + Math.abs(slope) * Math.max(Math.abs(from), Math.abs(to));
    if (size < least) [best, least] = [p, size];
    if (p < bends.length) {
      left += bends[p]! * (knots[p + 1]! - from);
      right -= bends[p]! * (to - knots[p + 1]!);
    }
  });
  return best;
}

/** The polygon in the weights of a type. A value that rounding missed is caught up with by the next piece. */
export function reluSpline(polygon: Polygon, { round }: Arithmetic): ReluSpline {
  const { knots, values } = roundedKnots(polygon, round);
  if (knots.length === 1)
    return { offset: summand(round(values[0]!)), slope: 0, knots: [], changes: [], pivot: 0 };
  const p = pivotOf(knots, values);
  const slope = round((values[p + 1]! - values[p]!) / (knots[p + 1]! - knots[p]!));
  const offset = summand(round(values[p]! - slope * knots[p]!));
  const outward = (from: number, step: 1 | -1): [number, number][] => {
    const found: [number, number][] = [];
    let [value, current] = [offset + slope * knots[from]!, slope];
    for (let j = from; knots[j + step] !== undefined; j += step) {
      const wanted = (values[j + step]! - value) / (knots[j + step]! - knots[j]!);
      const change = round(step * (wanted - current));
      if (change !== 0) found.push([knots[j]!, change]);
      current += step * change;
      value += current * (knots[j + step]! - knots[j]!);
    }
    return found;
  };
  const [left, right] = [outward(p, -1).reverse(), outward(p + 1, 1)];
  const units = [...left, ...right];
  return {
    offset,
    slope,
    knots: units.map(([x]) => x),
    changes: units.map(([, c]) => c),
    pivot: left.length,
  };
}

/** The pieces of S on an interval, with enclosures of S at their ends and of its slope. */
interface Piece {
  readonly from: number;
  readonly to: number;
  readonly start: Interval;
  readonly end: Interval;
  readonly slope: Interval;
}

/** The slopes of all pieces; piece j ends at knot j. They are summed from the pivot outward, as steep parts far away would blur them. */
function slopesOf({ slope, changes, pivot }: ReluSpline): readonly Interval[] {
  const slopes: Interval[] = [];
  slopes[pivot] = I.point(slope);
  for (let j = pivot; j < changes.length; j++) slopes[j + 1] = I.add(slopes[j]!, I.point(changes[j]!));
  for (let j = pivot - 1; j >= 0; j--) slopes[j] = I.sub(slopes[j + 1]!, I.point(changes[j]!));
  return slopes;
}

/** S at a point. */
export function splineAt({ offset, slope, knots, changes, pivot }: ReluSpline, z: number): Interval {
  let sum = I.add(I.point(offset), I.mul(I.point(slope), I.point(z)));
  knots.forEach((x, j) => {
    const distance = j < pivot ? I.sub(I.point(x), I.point(z)) : I.sub(I.point(z), I.point(x));
    if (distance.upper > 0) sum = I.add(sum, I.mul(I.point(changes[j]!), I.max(distance, I.point(0))));
  });
  return sum;
}

function piecesOn(s: ReluSpline, { lower, upper }: Interval): readonly Piece[] {
  const all = slopesOf(s).map((slope, j) => ({
    slope,
    from: Math.max(lower, s.knots[j - 1] ?? lower),
    to: Math.min(upper, s.knots[j] ?? upper),
    isLeft: j < s.pivot,
  }));
  const pieces = all.filter(({ from, to }) => to > from);
  const right = pieces.filter(({ isLeft }) => !isLeft);
  const left = pieces.filter(({ isLeft }) => isLeft);
  const anchor = right[0]?.from ?? upper;
  const rise = ({ slope, from, to }: (typeof all)[number]): Interval =>
    I.mul(slope, I.sub(I.point(to), I.point(from)));
  let value = splineAt(s, anchor);
  const rightward = right.map((piece): Piece => {
    const start = value;
    value = I.add(start, rise(piece));
    return { ...piece, start, end: value };
  });
  value = splineAt(s, anchor);
  const leftward = left.toReversed().map((piece): Piece => {
    const end = value;
    value = I.sub(end, rise(piece));
    return { ...piece, start: value, end };
  });
  return [...leftward.reverse(), ...rightward];
}

/**
 * A bound of |S - f| on an interval. Where f'' keeps its sign, S - f is extremal at the ends of a piece or above the
 * tangent of f at one point; elsewhere M h^2 / 8 with |f''| <= M is added to the ends.
 * @example splineBound({ offset: 0, slope: 1, knots: [], changes: [], pivot: 0 }, univariateFunction("power", 2), { lower: 0, upper: 1 }) < 0.2501 // true
 */
export function splineBound(s: ReluSpline, f: Univariate, on: Interval): number {
  if (on.lower === on.upper) return slack * magnitude(I.sub(splineAt(s, on.lower), f.enclosure(on)));
  let bound = 0;
  for (const piece of piecesOn(s, on)) bound = Math.max(bound, pieceBound(piece, f, 8));
  return slack * bound;
}

/** A checker encloses the same numbers in another way, and must come out below: the claim leaves it some room. */
const slack = 1 + 2 ** -40;

function pieceBound({ from, to, start, end, slope }: Piece, f: Univariate, cuts: number): number {
  const atEnds = Math.max(
    magnitude(I.sub(start, f.enclosure(I.point(from)))),
    magnitude(I.sub(end, f.enclosure(I.point(to)))),
  );
  const bend = f.taylor({ lower: from, upper: to }, 2)[2]!;
  const middle = (from + to) / 2;
  if (bend.lower >= 0 || bend.upper <= 0) {
    const sign = bend.lower >= 0 ? 1 : -1;
    const at = tangency(f, (slope.lower + slope.upper) / 2, from, to, sign);
    const c = at > from && at < to ? at : middle;
    const [value, derivative] = f.taylor(I.point(c), 1) as [Interval, Interval];
    const gap = I.sub(I.add(start, I.mul(slope, I.sub(I.point(c), I.point(from)))), value);
    const reach = Math.max(to - c, c - from) * (1 + 2 ** -50);
    return Math.max(
      atEnds,
      I.add(I.point(magnitude(gap)), I.mul(I.point(magnitude(I.sub(slope, derivative))), I.point(reach)))
        .upper,
    );
  }
  const length = I.sub(I.point(to), I.point(from));
  const bulge = I.mul(I.point(magnitude(bend) / 4), I.squared(length)).upper; // taylor[2] is f'' / 2
  const direct = I.add(I.point(atEnds), I.point(bulge)).upper;
  if (cuts === 0 || bulge <= 1e-4 * atEnds || !(middle > from && middle < to)) return direct;
  const half = I.add(start, I.mul(slope, I.sub(I.point(middle), I.point(from))));
  return Math.max(
    pieceBound({ from, to: middle, start, end: half, slope }, f, cuts - 1),
    pieceBound({ from: middle, to, start: half, end, slope }, f, cuts - 1),
  );
}

/** The greatest |slope| of all pieces, and of the two outer ones. */
export function splineSlopes(s: ReluSpline): { readonly all: number; readonly outer: number } {
  const sizes = slopesOf(s).map(magnitude);
  return {
    all: sizes.reduce((most, size) => Math.max(most, size), 0),
    outer: Math.max(sizes[0]!, sizes.at(-1)!),
  };
}
