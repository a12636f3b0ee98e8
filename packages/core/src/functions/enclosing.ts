// Enclosures that functions have in common: joints, valleys, tails, roots.
import {
  add,
  hull,
  type Interval,
  inverse,
  mul,
  point,
  type RealFunction,
  sqrt,
  sub,
} from "../numbers/interval/index.ts";

/** One function up to a number, another one from there on. */
export const joinedAt =
  (at: number, below: RealFunction, above: RealFunction): RealFunction =>
  (x) => {
    if (x.upper <= at) return below(x);
    if (x.lower >= at) return above(x);
    return hull(below({ lower: x.lower, upper: at }), above({ lower: at, upper: x.upper }));
  };

/** Multiples of an increasing function. */
export const times =
  (factor: number, f: RealFunction): RealFunction =>
  (x) =>
    mul(point(factor), f(x));
export const itself: RealFunction = (x) => x;

/**
 * A function that falls to its least value and then rises. `f` bounds it at points; `least` is below the value at its
 * minimum, which lies between the ends of `at`.
 */
export const valley =
  (f: RealFunction, at: Interval, least: number): RealFunction =>
  (x) => {
    const [left, right] = [f(point(x.lower)), f(point(x.upper))];
    const upper = Math.max(left.upper, right.upper);
    if (x.lower > at.upper) return { lower: left.lower, upper };
    if (x.upper < at.lower) return { lower: right.lower, upper };
    return { lower: least, upper };
  };

/** At minus infinity these tend to 0, at infinity to infinity. */
export const withTails =
  (f: RealFunction): RealFunction =>
  (x) => {
    if (x.lower === Number.NEGATIVE_INFINITY) return point(0);
    return x.upper === Number.POSITIVE_INFINITY ? { lower: Number.MAX_VALUE, upper: x.upper } : f(x);
  };

const one = point(1);
/** 1 - x^2, without cancellation. */
export const oneMinusSquare: RealFunction = (x) => mul(sub(one, x), add(one, x));

/** 1 / sqrt x, infinite at 0. */
export const reciprocalRoot: RealFunction = (x) => {
  const root = sqrt({ lower: Math.max(0, x.lower), upper: Math.max(0, x.upper) });
  const far = Number.POSITIVE_INFINITY;
  if (root.upper === 0) return { lower: far, upper: far };
  return {
    lower: inverse(point(root.upper)).lower,
    upper: root.lower > 0 ? inverse(point(root.lower)).upper : far,
  };
};
