// Functions of one variable: enclosures of values, slopes and Taylor coefficients, and the sign of the curvature.

import type { UnivariateName } from "../functions/names.ts";
import type { Interval } from "../numbers/interval/index.ts";
import * as I from "../numbers/interval/index.ts";

/** A function by its name, and its exponent if it is a power. */
export interface RealFunction {
  readonly op: UnivariateName;
  readonly exponent?: number | undefined;
}

const one = I.point(1);
const pi: Interval = { lower: Math.PI, upper: Math.PI + 2 ** -51 };

const { sqrt, exp, log, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, erf, sigmoid, inverse } = I;
const named = {
  sqrt,
  exp,
  log,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  erf,
  sigmoid,
  reciprocal: inverse,
};

/** f(x) for all x of the interval; a RangeError where f has no value. */
export const enclosureOf = ({ op, exponent }: RealFunction, x: Interval): Interval =>
  op === "power" ? I.pow(x, I.point(exponent!)) : named[op](x);

/** f'(x) for all x of the interval; a RangeError where it is not bounded. */
export function slopeOf(f: RealFunction, x: Interval): Interval {
  if (f.op !== "sigmoid") return taylorOf(f, x, 1)[1]!;
  // s(x) s(-x), which falls on both sides of 0
  const at = (t: number): Interval => I.mul(sigmoid(I.point(t)), sigmoid(I.point(-t)));
  const nearest = Math.min(Math.max(0, x.lower), x.upper);
  return { lower: Math.min(at(x.lower).lower, at(x.upper).lower), upper: Math.min(0.25, at(nearest).upper) };
}

/** 1 where f'' >= 0 on the whole interval, -1 where f'' <= 0, 0 where it may change its sign. */
export function bendOf({ op, exponent }: RealFunction, x: Interval): -1 | 0 | 1 {
  const side = x.lower >= 0 ? 1 : x.upper <= 0 ? -1 : 0;
  const opposite = side === 1 ? -1 : side === -1 ? 1 : 0;
  const sameSign = ({ lower, upper }: Interval): -1 | 0 | 1 => (lower >= 0 ? 1 : upper <= 0 ? -1 : 0);
  switch (op) {
    case "exp":
    case "cosh":
      return 1;
    case "log":
    case "sqrt":
      return -1;
    case "sin":
      return sameSign(I.neg(I.sin(x)));
    case "cos":
      return sameSign(I.neg(I.cos(x)));
    case "tan":
      return sameSign(I.tan(x));
    case "asin":
    case "sinh":
    case "reciprocal":
      return side;
    case "acos":
    case "atan":
    case "tanh":
    case "erf":
    case "sigmoid":
      return opposite;
    case "power": {
      const p = exponent!;
      if (p * (p - 1) === 0) return 1;
      const outer = p * (p - 1) > 0 ? 1 : -1;
      if (side === 1 || (Number.isInteger(p) && p % 2 === 0)) return outer;
      return side === -1 && Number.isInteger(p) ? (outer === 1 ? -1 : 1) : 0;
    }
  }
}

/**
 * g_0 ... g_n of a g with (q0 + q1 w + q2 w^2) g' = (r0 + r1 w) g around the point, where w is the distance from it:
 * q0 (k + 1) g_{k+1} = (r0 - q1 k) g_k + (r1 - q2 (k - 1)) g_{k-1}.
 */
function holonomic(
  first: Interval,
  [q0, q1, q2]: readonly [Interval, Interval, number],
  [r0, r1]: readonly [Interval, number],
  n: number,
): Interval[] {
  const g = [first];
  for (let k = 0; k < n; k++) {
    const own = I.mul(I.sub(r0, I.mul(q1, I.point(k))), g[k]!);
    const next = k === 0 ? own : I.add(own, I.mul(I.point(r1 - q2 * (k - 1)), g[k - 1]!));
    g.push(I.div(next, I.mul(q0, I.point(k + 1))));
  }
  return g;
}

/** f from f(x) and the Taylor coefficients of f'. */
const integrated = (value: Interval, g: readonly Interval[]): Interval[] => [
  value,
  ...g.map((c, k) => I.div(c, I.point(k + 1))),
];

/** x^p: binomial(p, k) x^(p - k). */
function powers(x: Interval, p: number, n: number): Interval[] {
  let binomial = one;
  return Array.from({ length: n + 1 }, (_, k) => {
    const isZero = binomial.lower === 0 && binomial.upper === 0;
    const exponent = I.sub(I.point(p), I.point(k)); // p - k may be no double
    const c = isZero ? binomial : I.mul(binomial, p === k ? one : I.pow(x, exponent));
    binomial = I.div(I.mul(binomial, exponent), I.point(k + 1));
    return c;
  });
}

/** f'' = sign f. */
function waves(value: Interval, slope: Interval, sign: 1 | -1, n: number): Interval[] {
  const c = [value, slope];
  for (let k = 0; c.length <= n; k++) c.push(I.div(c[k]!, I.point(sign * (k + 1) * (k + 2))));
  return c.slice(0, n + 1);
}

/** y' = a + b y + c y^2. */
function riccati(y: Interval, [a, b, c]: readonly [number, number, number], n: number): Interval[] {
  const found = [y];
  for (let k = 0; k < n; k++) {
    let square = k % 2 === 0 ? I.squared(found[k / 2]!) : I.point(0);
    for (let j = 0; 2 * j < k; j++)
      square = I.add(square, I.mul(I.point(2), I.mul(found[j]!, found[k - j]!)));
    const linear = I.add(I.point(k === 0 ? a : 0), I.mul(I.point(b), found[k]!));
    found.push(I.div(I.add(linear, I.mul(I.point(c), square)), I.point(k + 1)));
  }
  return found;
}

const opposite = (c: Interval[]): Interval[] => c.map(I.neg);
const arcs = (x: Interval, n: number): Interval[] => {
  const w = I.sub(one, I.squared(x));
  return holonomic(I.inverse(I.sqrt(w)), [w, I.mul(I.point(-2), x), -1], [x, 1], n);
};
const twoOverRootPi = I.div(I.point(2), I.sqrt(pi));

/** f^(k) / k! for k = 0 ... n on an interval. */
export function taylorOf({ op, exponent }: RealFunction, x: Interval, n: number): readonly Interval[] {
  const rest = Math.max(0, n - 1);
  switch (op) {
    case "exp":
      return holonomic(I.exp(x), [one, I.point(0), 0], [one, 0], n);
    case "log":
      return integrated(I.log(x), powers(x, -1, rest));
    case "sqrt":
      return powers(x, 0.5, n);
    case "reciprocal":
      return powers(x, -1, n);
    case "power":
      return powers(x, exponent!, n);
    case "sin":
      return waves(I.sin(x), I.cos(x), -1, n);
    case "cos":
      return waves(I.cos(x), I.neg(I.sin(x)), -1, n);
    case "sinh":
      return waves(I.sinh(x), I.cosh(x), 1, n);
    case "cosh":
      return waves(I.cosh(x), I.sinh(x), 1, n);
    case "tan":
      return riccati(I.tan(x), [1, 0, 1], n);
    case "tanh":
      return riccati(I.tanh(x), [1, 0, -1], n);
    case "sigmoid":
      return riccati(I.sigmoid(x), [0, 1, -1], n);
    case "asin":
      return integrated(I.asin(x), arcs(x, rest));
    case "acos":
      return integrated(I.acos(x), opposite(arcs(x, rest)));
    case "atan": {
      const w = I.add(one, I.squared(x));
      const g = holonomic(I.inverse(w), [w, I.mul(I.point(2), x), 1], [I.mul(I.point(-2), x), -2], rest);
      return integrated(I.atan(x), g);
    }
    case "erf": {
      const first = I.mul(twoOverRootPi, I.exp(I.neg(I.squared(x))));
      return integrated(I.erf(x), holonomic(first, [one, I.point(0), 0], [I.mul(I.point(-2), x), -2], rest));
    }
  }
}
