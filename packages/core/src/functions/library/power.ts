// Powers x^p, with the root and the reciprocal.
import * as I from "../../numbers/interval/index.ts";
import { intervals } from "../arithmetic.ts";
import type { Bend } from "../bends.ts";
import { always, bend, turning } from "../curvature.ts";
import type { FunctionOfOneVariable, Univariate } from "../definition.ts";
import { reciprocalRoot } from "../enclosing.ts";
import { inflectionAtZero, noInflection } from "../inflections.ts";
import { powers } from "../taylor.ts";

const half = I.point(0.5);

export const sqrt = {
  operator: "Sqrt",
  formula: {
    name: "sqrt",
    value: Math.sqrt,
    derivative: (x) => 0.5 / Math.sqrt(x),
    second: (x) => -0.25 * x ** -1.5,
    enclosure: I.sqrt,
    taylor: (x, order) => powers(intervals, x, 0.5, order),
    inflections: noInflection,
    isEven: false,
    isSteep: true,
  },
  bend: bend("Sqrt", I.sqrt, (x) => I.mul(half, reciprocalRoot(x)), always(-1)),
} satisfies FunctionOfOneVariable;

/** 1 / x, over numbers of one sign. */
export const reciprocal = {
  operator: "Reciprocal",
  formula: {
    name: "reciprocal",
    value: (x) => 1 / x,
    derivative: (x) => -1 / (x * x),
    second: (x) => 2 / (x * x * x),
    enclosure: I.inverse,
    taylor: (x, order) => powers(intervals, x, -1, order),
    inflections: noInflection,
    isEven: false,
    isSteep: false,
  },
  bend: bend(
    "Reciprocal",
    I.inverse,
    (x) => I.neg(I.inverse(I.squared(x))),
    (low, high) => {
      I.inverse({ lower: low, upper: high });
      return always(low > 0 ? 1 : -1)();
    },
  ),
} satisfies FunctionOfOneVariable;

/** x^p in formulas. */
export function power(p: number): Univariate {
  const isWhole = Number.isInteger(p);
  return {
    name: "power",
    exponent: p,
    value: (x) => x ** p,
    derivative: (x) => p * x ** (p - 1),
    second: (x) => p * (p - 1) * x ** (p - 2),
    enclosure: (x) => I.pow(x, I.point(p)),
    taylor: (x, order) => powers(intervals, x, p, order),
    inflections: isWhole && p > 0 && p % 2 === 1 ? inflectionAtZero : noInflection,
    isEven: isWhole && p > 0 && p % 2 === 0,
    isSteep: !isWhole && p > 0 && p < 1,
  };
}

/** x^n for an integer n >= 2: the second derivative has the sign of x^(n - 2). */
export const powerBend = (n: number): Bend => ({
  ...bend(
    `Pow ${n}`,
    (x) => I.pow(x, I.point(n)),
    (x) => I.mul(I.point(n), I.pow(x, I.point(n - 1))),
    n % 2 === 0 ? always(1) : turning(-1),
  ),
  ...(n % 2 === 0 && { least: 0 }),
});
