// A function of one variable by folds and a layer of ReLUs: S(z) = a + b z + sum_j c_j relu(z - x_j) with its weights
// read from the network, z = |...|u - c_1| - c_2| ...|, and a proof that S is within a claimed distance of the function.

import type { Exact } from "../numbers/exact/rational.ts";
import * as X from "../numbers/exact/rational.ts";
import type { Interval } from "../numbers/interval/index.ts";
import * as I from "../numbers/interval/index.ts";
import type { Scalar } from "./circuit.ts";
import { Refutation } from "./error.ts";
import { bendOf, enclosureOf, type RealFunction, slopeOf } from "./functions.ts";
import { absolute, affineIn, plus, roundedDown, roundedUp, type Span, spanOf } from "./linear.ts";

/** sign f(z). */
export interface Curve {
  readonly f: RealFunction;
  readonly sign: 1 | -1;
}

/** pi lies between these two: 39 digits of it, and one more in the last place. */
const tenTo38 = 10n ** 38n;
const piSpan: Span = {
  lower: { numerator: 314159265358979323846264338327950288419n, denominator: tenTo38 },
  upper: { numerator: 314159265358979323846264338327950288420n, denominator: tenTo38 },
};

/** The shift of a fold z' = |z - c|. */
export function shiftOf(fold: Scalar, before: Scalar, where: string): Exact {
  if (fold.kind !== "abs") throw new Refutation(where, "a fold is no absolute value");
  const { bias, of } = affineIn(fold.of, new Set([before]), where);
  if (of.get(before) !== 1) throw new Refutation(where, "a fold is not of the form |z - c|");
  return X.neg(bias);
}

/**
 * f(u) = curve(|u - c|) up to `defect`, if f is symmetric about a point near c: cos(n pi + w) = (-1)^n cos w and
 * sin((n + 1/2) pi + w) = (-1)^n cos w are even in w, and |cos'| <= 1.
 */
export function unfolded({ f, sign }: Curve, c: Exact, where: string): { curve: Curve; defect: Exact } {
  if (f.op === "sin" || f.op === "cos") {
    const phase = f.op === "sin" ? 0.5 : 0;
    const n = Math.round(X.toNumber(c) / Math.PI - phase);
    const turns = X.add(n, phase); // beyond 2^52 no double
    const [low, high] = [piSpan.lower, piSpan.upper].map((p) => X.sub(c, X.mul(p, turns))) as [Exact, Exact];
    const curve: Curve = { f: { op: "cos" }, sign: n % 2 === 0 ? sign : (-sign as 1 | -1) };
    return { curve, defect: X.max(X.abs(low), X.abs(high)) };
  }
  const isEven = f.op === "cosh" || (f.op === "power" && f.exponent! % 2 === 0);
  if (!isEven || c !== 0) throw new Refutation(where, `${f.op} is not symmetric about ${X.format(c)}`);
  return { curve: { f, sign }, defect: 0 };
}

export const foldedSpan = (z: Span, c: Exact): Span => absolute(plus(z, spanOf(X.neg(c))));

export interface Spline {
  readonly offset: Exact;
  readonly slope: Exact;
  /** Places and changes of slope, from left to right. */
  readonly knots: readonly { readonly at: number; readonly change: Exact }[];
}

/** The spline that a value is, as a function of z. */
export function splineIn(value: Scalar, z: Scalar, where: string): Spline {
  const basis = new Set([z]);
  const { bias, of } = affineIn(value, basis, where, true);
  let [offset, slope]: [Exact, Exact] = [bias, of.get(z) ?? 0];
  const knots: { at: number; change: Exact }[] = [];
  for (const [bend, weight] of of) {
    if (bend === z) continue;
    if (bend.kind !== "relu") throw new Refutation(where, "behind its folds it is no layer of ReLUs");
    const inner = affineIn(bend.of, basis, where);
    const a = inner.of.get(z) ?? 0;
    if (a === 0) offset = X.add(offset, X.mul(weight, X.max(0, inner.bias)));
    else {
      // relu(s) = s + relu(-s): every unit can be read as one that opens to the right
      if (X.sign(a) < 0)
        [offset, slope] = [X.add(offset, X.mul(weight, inner.bias)), X.add(slope, X.mul(weight, a))];
      const at = X.neg(X.div(inner.bias, a));
      if (typeof at !== "number") throw new Refutation(where, "a knot is no double");
      knots.push({ at, change: X.mul(weight, X.abs(a)) });
    }
  }
  return { offset, slope, knots: knots.sort((p, q) => p.at - q.at) };
}

/** The greatest |slope| of all pieces, and of the first and the last one. */
export function slopesOf({ slope, knots }: Spline): { readonly all: Exact; readonly outer: Exact } {
  let [current, all] = [slope, X.abs(slope)];
  for (const { change } of knots) {
    current = X.add(current, change);
    all = X.max(all, X.abs(current));
  }
  return { all, outer: X.max(X.abs(slope), X.abs(current)) };
}

/** A line through (from, start) on one piece. */
interface Line {
  readonly from: number;
  readonly start: Exact;
  readonly slope: Exact;
}
const at = ({ from, start, slope }: Line, x: number): Exact => X.add(start, X.mul(slope, X.sub(x, from)));

/** Is the spline within `allowed` of the curve on the whole span? Otherwise the answer is a place where it may not be. */
export function exceededAt(spline: Spline, curve: Curve, on: Span, allowed: Exact): number | undefined {
  const [lower, upper] = [roundedDown(on.lower), roundedUp(on.upper)];
  let [value, slope] = [X.add(spline.offset, X.mul(spline.slope, lower)), spline.slope];
  let from = lower;
  for (const { at: place, change } of [...spline.knots, { at: upper, change: 0 }]) {
    const to = Math.min(place, upper);
    if (to > from || (to === from && from === upper)) {
      const line: Line = { from, start: value, slope };
      if (!isNear(line, to, curve, allowed)) return from;
      [value, from] = [at(line, to), to];
    }
    // A unit that opens left of the span has come some way already.
    if (place < lower) value = X.add(value, X.mul(change, X.sub(lower, place)));
    slope = X.add(slope, change);
  }
  return undefined;
}

const curveAt = ({ f, sign }: Curve, x: number): Interval =>
  sign === 1 ? enclosureOf(f, I.point(x)) : I.neg(enclosureOf(f, I.point(x)));
const slopeAt = ({ f, sign }: Curve, x: Interval): Interval =>
  sign === 1 ? slopeOf(f, x) : I.neg(slopeOf(f, x));
const gapAt = (line: Line, curve: Curve, x: number): Exact => {
  const [value, { lower, upper }] = [at(line, x), curveAt(curve, x)];
  return X.max(X.sub(value, lower), X.sub(upper, value));
};

/**
 * Where f'' keeps its sign, the line minus f is extremal at the ends, or below its distance from the tangent of f at
 * any point c: |line - f|(c) + |slope - f'(c)| times the way to the farther end. Elsewhere the piece is halved.
 */
function isNear(line: Line, to: number, curve: Curve, allowed: Exact): boolean {
  const { from } = line;
  const isOver = (gap: Exact): boolean => X.compare(gap, allowed) > 0;
  if (isOver(gapAt(line, curve, from)) || isOver(gapAt(line, curve, to))) return false;
  const middle = from + (to - from) / 2;
  if (!(middle > from && middle < to)) return isFlat(line, to, curve, allowed);
  const bend = bendOf(curve.f, { lower: from, upper: to }) * curve.sign;
  if (bend !== 0) return hasTangent(line, to, curve, bend, allowed);
  if (isFlat(line, to, curve, allowed)) return true;
  const half: Line = { ...line, from: middle, start: at(line, middle) };
  return isNear(line, middle, curve, allowed) && isNear(half, to, curve, allowed);
}

/** By the slopes alone: enough for a very short piece. */
function isFlat(line: Line, to: number, curve: Curve, allowed: Exact): boolean {
  const { from, slope } = line;
  if (from === to) return true;
  const { lower, upper } = slopeAt(curve, { lower: from, upper: to });
  const steepest = X.max(X.sub(slope, lower), X.sub(upper, slope));
  return X.compare(X.add(gapAt(line, curve, from), X.mul(steepest, X.sub(to, from))), allowed) <= 0;
}

/** Looks for a point c whose tangent proves the distance, by halving towards f'(c) = slope, and then close by. */
function hasTangent(line: Line, to: number, curve: Curve, bend: number, allowed: Exact): boolean {
  const { from, slope } = line;
  let [low, high] = [from, to];
  const proves = (c: number): boolean => {
    if (!(c > from && c < to)) return false;
    const { lower, upper } = slopeAt(curve, I.point(c));
    const tilt = X.max(X.sub(slope, lower), X.sub(upper, slope));
    const reach = X.max(X.sub(c, from), X.sub(to, c));
    const isRightward = X.compare(X.mul(0.5, X.add(lower, upper)), slope) < 0 === bend > 0;
    if (isRightward) low = c;
    else high = c;
    return X.compare(X.add(gapAt(line, curve, c), X.mul(tilt, reach)), allowed) <= 0;
  };
  for (let c = low + (high - low) / 2; c > low && c < high; c = low + (high - low) / 2)
    if (proves(c)) return true;
  // Enclosures of f are wider at some doubles than at their neighbours.
  const [start, step] = [low, Math.abs(low) * 2 ** -52];
  return Array.from({ length: 64 }, (_, k) => start + (k - 32) * step).some(proves);
}

/** Infinitely steep at an end of its domain, and on any interval steepest at an end. */
const isSteep = ({ op, exponent }: RealFunction): boolean =>
  op === "sqrt" || op === "asin" || op === "acos" || (op === "power" && exponent! > 0 && exponent! < 1);

export const steepestSlope = (f: RealFunction, range: Interval): number => I.magnitude(slopeOf(f, range));

/** By its steepest slope, f changes over a distance e by at most this, and the spline beyond the range too. */
function slopeGrowth(f: RealFunction, range: Interval, steepest: Exact, e: number): Exact | undefined {
  try {
    return X.mul(X.max(steepest, steepestSlope(f, range)), e);
  } catch (error) {
    if (error instanceof RangeError && isSteep(f)) return undefined;
    throw error;
  }
}

/**
 * How far the value may be off because its argument is off by e: f's steepest slope times e, or, if f is steepest at the
 * ends, its change over a distance e there; beyond the range the spline goes on with its own slope.
 */
export function growthOf(f: RealFunction, range: Interval, steepest: Exact, e: number): Exact {
  if (e === 0) return 0;
  const bySlope = slopeGrowth(f, range, steepest, e);
  if (!isSteep(f)) return bySlope!;
  const { lower, upper } = range;
  const change = (from: number, to: number): number =>
    I.magnitude(I.sub(enclosureOf(f, I.point(to)), enclosureOf(f, I.point(from))));
  const right = Math.min(upper, I.addUp(lower, e));
  const left = Math.max(lower, I.addDown(upper, -e));
  const atEnds = X.add(Math.max(change(lower, right), change(left, upper)), X.mul(steepest, e));
  return bySlope === undefined ? atEnds : X.min(bySlope, atEnds);
}

/** The slopes with which the spline goes on beyond a span: those of its outer pieces, if no knot lies there. */
export function slopeBeyond(spline: Spline, { lower, upper }: Span): Exact {
  const { all, outer } = slopesOf(spline);
  const isInside = spline.knots.every(({ at: x }) => X.compare(lower, x) <= 0 && X.compare(x, upper) <= 0);
  return isInside ? outer : all;
}
