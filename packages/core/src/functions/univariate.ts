// Functions of one variable: values, derivatives, enclosures, Taylor coefficients on intervals, and where they bend.

import type { Interval } from "../numbers/interval/index.ts";
import * as I from "../numbers/interval/index.ts";
import type { UnivariateName } from "./names.ts";
import { chainTaylor, powerTaylor, riccatiTaylor, waveTaylor } from "./univariate-taylor.ts";

export interface Univariate {
  readonly name: UnivariateName;
  readonly exponent?: number;
  value(x: number): number;
  derivative(x: number): number;
  second(x: number): number;
  /** Holds f(x) for all x in the interval; throws where f is not defined. */
  enclosure(x: Interval): Interval;
  /** Enclosures of f^(k) / k! on an interval, k = 0 .. order; ends may be infinite at the edge of the domain. */
  taylor(x: Interval, order: number): readonly Interval[];
  /** Where f'' changes its sign, inside (from, to). */
  inflections(from: number, to: number): readonly number[];
  readonly isEven: boolean;
  /** Infinitely steep at an end of its domain, where the slope is greatest. */
  readonly isSteep: boolean;
}

/** More inflections are not listed: every one is a knot of its own. */
const mostInflections = 200_000;

const none = (): readonly number[] => [];
const zero = (from: number, to: number): readonly number[] => (from < 0 && to > 0 ? [0] : []);
const multiples =
  (phase: number) =>
  (from: number, to: number): readonly number[] => {
    const first = Math.floor((from - phase) / Math.PI) + 1;
    const last = Math.ceil((to - phase) / Math.PI) - 1;
    const count = Math.max(0, last - first + 1);
    if (count > mostInflections)
      throw new RangeError(
        `it has ${count.toExponential(1)} inflections on ${from}..${to}, more than ${mostInflections}`,
      );
    return Array.from({ length: count }, (_, k) => (first + k) * Math.PI + phase);
  };

const one = I.point(1);
const { sqrt, exp, sin, cos, tan, tanh, sinh, cosh, PI } = Math;
const smooth = { isEven: false, isSteep: false };
/** 2 / sqrt(pi). */
const erfSlope = 2 / sqrt(PI);
const erfSlopeInterval = I.div(I.point(2), I.sqrt({ lower: PI, upper: PI + 2 ** -51 }));
const gauss = (x: number): number => erfSlope * exp(-x * x);
const sigmoidOf = (x: number): number => 1 / (1 + exp(-x));
/** 1 - x^2 >= 0. */
const complement = (x: Interval): Interval => {
  const { lower, upper } = I.sub(one, I.squared(x));
  return { lower: Math.max(0, lower), upper };
};

/** erf to about 1e-16, from its enclosure. */
const erfOf = (x: number): number => {
  const { lower, upper } = I.erf(I.point(x));
  return (lower + upper) / 2;
};

/** x^p on an interval of numbers >= 0, with an infinite end at 0 for p < 0. */
const table: Readonly<Record<Exclude<UnivariateName, "power">, Omit<Univariate, "name">>> = {
  exp: {
    ...smooth,
    value: exp,
    derivative: exp,
    second: exp,
    enclosure: I.exp,
    taylor: (x, n) => chainTaylor(I.exp(x), n, (c, k) => I.div(c, I.point(k + 1))),
    inflections: none,
  },
  log: {
    ...smooth,
    value: Math.log,
    derivative: (x) => 1 / x,
    second: (x) => -1 / (x * x),
    enclosure: I.log,
    taylor: (x, n) => [I.log(x), ...powerTaylor(x, -1, n - 1).map((c, k) => I.div(c, I.point(k + 1)))],
    inflections: none,
  },
  sqrt: {
    isEven: false,
    isSteep: true,
    value: sqrt,
    derivative: (x) => 0.5 / sqrt(x),
    second: (x) => -0.25 * x ** -1.5,
    enclosure: I.sqrt,
    taylor: (x, n) => powerTaylor(x, 0.5, n),
    inflections: none,
  },
  reciprocal: {
    ...smooth,
    value: (x) => 1 / x,
    derivative: (x) => -1 / (x * x),
    second: (x) => 2 / (x * x * x),
    enclosure: I.inverse,
    taylor: (x, n) => powerTaylor(x, -1, n),
    inflections: none,
  },
  sin: {
    ...smooth,
    value: sin,
    derivative: cos,
    second: (x) => -sin(x),
    enclosure: I.sin,
    taylor: (x, n) => waveTaylor([I.sin(x), I.cos(x)], -1, n),
    inflections: multiples(0),
  },
  cos: {
    isEven: true,
    isSteep: false,
    value: cos,
    derivative: (x) => -sin(x),
    second: (x) => -cos(x),
    enclosure: I.cos,
    taylor: (x, n) => waveTaylor([I.cos(x), I.neg(I.sin(x))], -1, n),
    inflections: multiples(PI / 2),
  },
  tan: {
    ...smooth,
    value: tan,
    derivative: (x) => 1 + tan(x) ** 2,
    second: (x) => 2 * tan(x) * (1 + tan(x) ** 2),
    enclosure: I.tan,
    taylor: (x, n) => riccatiTaylor(I.tan(x), [1, 0, 1], n),
    inflections: multiples(0),
  },
  asin: {
    isEven: false,
    isSteep: true,
    value: Math.asin,
    derivative: (x) => 1 / sqrt(1 - x * x),
    second: (x) => x / (1 - x * x) ** 1.5,
    enclosure: I.asin,
    taylor: (x, n) => arcTaylor(x, n, I.asin(x), 1),
    inflections: zero,
  },
  acos: {
    isEven: false,
    isSteep: true,
    value: Math.acos,
    derivative: (x) => -1 / sqrt(1 - x * x),
    second: (x) => -x / (1 - x * x) ** 1.5,
    enclosure: I.acos,
    taylor: (x, n) => arcTaylor(x, n, I.acos(x), -1),
    inflections: zero,
  },
  atan: {
    ...smooth,
    value: Math.atan,
    derivative: (x) => 1 / (1 + x * x),
    second: (x) => (-2 * x) / (1 + x * x) ** 2,
    enclosure: I.atan,
    taylor: (x, n) => {
      // g = atan' has (1 + x^2) g = 1: (1 + x^2) g_k = -2 x g_{k-1} - g_{k-2}
      const denominator = I.add(one, I.squared(x));
      const g = [I.inverse(denominator)];
      for (let k = 1; k < n; k++) {
        const twice = I.mul(I.point(-2), I.mul(x, g[k - 1]!));
        g.push(I.div(k === 1 ? twice : I.sub(twice, g[k - 2]!), denominator));
      }
      return [I.atan(x), ...g.slice(0, n).map((c, k) => I.div(c, I.point(k + 1)))];
    },
    inflections: zero,
  },
  sinh: {
    ...smooth,
    value: sinh,
    derivative: cosh,
    second: sinh,
    enclosure: I.sinh,
    taylor: (x, n) => waveTaylor([I.sinh(x), I.cosh(x)], 1, n),
    inflections: zero,
  },
  cosh: {
    isEven: true,
    isSteep: false,
    value: cosh,
    derivative: sinh,
    second: cosh,
    enclosure: I.cosh,
    taylor: (x, n) => waveTaylor([I.cosh(x), I.sinh(x)], 1, n),
    inflections: none,
  },
  tanh: {
    ...smooth,
    value: tanh,
    derivative: (x) => 1 - tanh(x) ** 2,
    second: (x) => -2 * tanh(x) * (1 - tanh(x) ** 2),
    enclosure: I.tanh,
    taylor: (x, n) => riccatiTaylor(I.tanh(x), [1, 0, -1], n),
    inflections: zero,
  },
  sigmoid: {
    ...smooth,
    value: sigmoidOf,
    derivative: (x) => sigmoidOf(x) * sigmoidOf(-x),
    second: (x) => sigmoidOf(x) * sigmoidOf(-x) * (sigmoidOf(-x) - sigmoidOf(x)),
    enclosure: I.sigmoid,
    taylor: (x, n) => riccatiTaylor(I.sigmoid(x), [0, 1, -1], n),
    inflections: zero,
  },
  erf: {
    ...smooth,
    value: erfOf,
    derivative: gauss,
    second: (x) => -2 * x * gauss(x),
    enclosure: I.erf,
    taylor: (x, n) => {
      // g = erf' has g' = -2 x g: (k + 1) g_{k+1} = -2 (x g_k + g_{k-1})
      const g = [I.mul(erfSlopeInterval, I.exp(I.neg(I.squared(x))))];
      for (let k = 0; k + 1 < n; k++) {
        const moved = I.mul(x, g[k]!);
        g.push(I.mul(I.div(I.point(-2), I.point(k + 1)), k === 0 ? moved : I.add(moved, g[k - 1]!)));
      }
      return [I.erf(x), ...g.slice(0, n).map((c, k) => I.div(c, I.point(k + 1)))];
    },
    inflections: zero,
  },
};

/** asin' = (1 - x^2)^(-1/2) = g with (1 - x^2) g' = x g: (k+1) (1 - x^2) g_{k+1} = (2k + 1) x g_k + k g_{k-1}. */
function arcTaylor(x: Interval, n: number, value: Interval, sign: 1 | -1): readonly Interval[] {
  const w = complement(x);
  const over = (numerator: Interval): Interval =>
    w.lower > 0 ? I.div(numerator, w) : infiniteQuotient(numerator, w.upper);
  const root = I.sqrt(w);
  const g = [root.lower > 0 ? I.inverse(root) : infiniteQuotient(one, root.upper)];
  for (let k = 0; k + 1 < n; k++) {
    const moved = I.mul(I.point(2 * k + 1), I.mul(x, g[k]!));
    const sum = k === 0 ? moved : I.add(moved, I.mul(I.point(k), g[k - 1]!));
    g.push(over(I.div(sum, I.point(k + 1))));
  }
  const signed = (c: Interval): Interval => (sign === 1 ? c : I.neg(c));
  return [value, ...g.slice(0, n).map((c, k) => signed(I.div(c, I.point(k + 1))))];
}

/** numerator / w for w in (0, upper]; nothing is known where w can only be 0. */
const infiniteQuotient = (numerator: Interval, upper: number): Interval => ({
  lower:
    numerator.lower < 0 || upper === 0 ? Number.NEGATIVE_INFINITY : I.div(numerator, I.point(upper)).lower,
  upper:
    numerator.upper > 0 || upper === 0 ? Number.POSITIVE_INFINITY : I.div(numerator, I.point(upper)).upper,
});

function power(p: number): Omit<Univariate, "name"> {
  const isWhole = Number.isInteger(p);
  return {
    exponent: p,
    isEven: isWhole && p > 0 && p % 2 === 0,
    isSteep: !isWhole && p > 0 && p < 1,
    value: (x) => x ** p,
    derivative: (x) => p * x ** (p - 1),
    second: (x) => p * (p - 1) * x ** (p - 2),
    enclosure: (x) => I.pow(x, I.point(p)),
    taylor: (x, n) => powerTaylor(x, p, n),
    inflections: isWhole && p > 0 && p % 2 === 1 ? zero : none,
  };
}

/**
 * A function of one variable by its name.
 * @example univariateFunction("exp").value(0) // 1
 */
export function univariateFunction(name: UnivariateName, exponent?: number): Univariate {
  return name === "power" ? { name, ...power(exponent!) } : { name, ...table[name] };
}
