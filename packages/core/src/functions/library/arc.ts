// The arcsine and the arccosine, infinitely steep at -1 and 1.
import type { Interval } from "../../numbers/interval/index.ts";
import * as I from "../../numbers/interval/index.ts";
import { intervals } from "../arithmetic.ts";
import { bend, turning } from "../curvature.ts";
import type { FunctionOfOneVariable } from "../definition.ts";
import { oneMinusSquare, reciprocalRoot } from "../enclosing.ts";
import { inflectionAtZero } from "../inflections.ts";
import { integrated, inverseRootOfQuadratic } from "../taylor.ts";

const [one, minusTwo] = [I.point(1), I.point(-2)];

/** asin' = (1 - x^2)^(-1/2). */
function slopeTaylor(x: Interval, order: number): Interval[] {
  const { lower, upper } = I.sub(one, I.squared(x));
  const q0 = { lower: Math.max(0, lower), upper };
  const value = divide(one, I.sqrt(q0));
  return inverseRootOfQuadratic(intervals, { value, q: [q0, I.mul(minusTwo, x), -1], divide }, order);
}

/** numerator / w for w >= 0, infinite where w may be 0; nothing is known where it can only be 0. */
function divide(numerator: Interval, w: Interval): Interval {
  if (w.lower > 0) return I.div(numerator, w);
  const isZero = w.upper === 0;
  return {
    lower:
      numerator.lower < 0 || isZero ? Number.NEGATIVE_INFINITY : I.div(numerator, I.point(w.upper)).lower,
    upper:
      numerator.upper > 0 || isZero ? Number.POSITIVE_INFINITY : I.div(numerator, I.point(w.upper)).upper,
  };
}

export const asin = {
  operator: "Asin",
  formula: {
    name: "asin",
    value: Math.asin,
    derivative: (x) => 1 / Math.sqrt(1 - x * x),
    second: (x) => x / (1 - x * x) ** 1.5,
    enclosure: I.asin,
    taylor: (x, order) => integrated(intervals, I.asin(x), slopeTaylor(x, order - 1), order),
    inflections: inflectionAtZero,
    isEven: false,
    isSteep: true,
  },
  bend: bend("Asin", I.asin, (x) => reciprocalRoot(oneMinusSquare(x)), turning(-1)),
} satisfies FunctionOfOneVariable;

export const acos = {
  operator: "Acos",
  formula: {
    name: "acos",
    value: Math.acos,
    derivative: (x) => -1 / Math.sqrt(1 - x * x),
    second: (x) => -x / (1 - x * x) ** 1.5,
    enclosure: I.acos,
    taylor: (x, order) => integrated(intervals, I.acos(x), slopeTaylor(x, order - 1).map(I.neg), order),
    inflections: inflectionAtZero,
    isEven: false,
    isSteep: true,
  },
  bend: bend("Acos", I.acos, (x) => I.neg(reciprocalRoot(oneMinusSquare(x))), turning(1)),
} satisfies FunctionOfOneVariable;
