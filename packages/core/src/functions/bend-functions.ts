// Functions by enclosures of values and slopes, and by the turns of their curvature. Turns without a closed form are from
// 40-digit arithmetic, to 12 places; that there are no others is proved in the tests, by intervals.
import {
  acos,
  acosh,
  add,
  asin,
  asinh,
  atanh,
  cos,
  cosh,
  div,
  erf,
  exp,
  expm1,
  hull,
  type Interval,
  inverse,
  log,
  mul,
  neg,
  nextDown,
  nextUp,
  point,
  pow,
  type RealFunction,
  sigmoid,
  sin,
  sinh,
  softplus,
  sqrt,
  squared,
  sub,
  tanh,
} from "../numbers/interval/index.ts";
import type { Bend, Curvature } from "./bends.ts";

const [half, one, two, three, six] = [0.5, 1, 2, 3, 6].map(point) as [
  Interval,
  Interval,
  Interval,
  Interval,
  Interval,
];
/** A number that no double is, between its neighbours. */
const near = (x: number): Interval => ({ lower: nextDown(x), upper: nextUp(x) });
const minus = (x: Interval): Interval => neg(x);

const always =
  (way: 1 | 0 | -1): (() => Curvature) =>
  () => ({ turns: [], ways: [way] });
/** One way up to 0, the other way from there. */
const turning = (before: 1 | -1): Bend["curvature"] => {
  const curvature: Curvature = { turns: [point(0)], ways: [before, before > 0 ? -1 : 1] };
  return () => curvature;
};
/** Concave, convex around 0, concave again. */
const hump =
  (left: Interval, right: Interval): Bend["curvature"] =>
  () => ({ turns: [left, right], ways: [-1, 1, -1] });

const bend = (
  name: string,
  value: RealFunction,
  slope: RealFunction,
  curvature: Bend["curvature"],
): Bend => ({
  name,
  value,
  slope,
  curvature,
});

const rootOfHalf = near(Math.SQRT1_2);
/** P(X <= x) and the density of a standard normal number. */
const normal: RealFunction = (x) => mul(half, add(one, erf(mul(rootOfHalf, x))));
const density: RealFunction = (x) => mul(near(1 / Math.sqrt(2 * Math.PI)), exp(minus(mul(half, squared(x)))));
const rootOf2 = near(Math.SQRT2);

/** x P(x): the second derivative is density (2 - x^2). */
export const gelu = bend(
  "Gelu",
  (x) => mul(x, normal(x)),
  (x) => add(normal(x), mul(x, density(x))),
  hump(minus(rootOf2), rootOf2),
);

const cubicFactor = near(0.044715);
const tanhFactor = near(Math.sqrt(2 / Math.PI));
/** p = sqrt(2/pi) (x + 0.044715 x^3) and p'. */
const inner: RealFunction = (x) => mul(tanhFactor, mul(x, add(one, mul(cubicFactor, squared(x)))));
const innerSlope: RealFunction = (x) => mul(tanhFactor, add(one, mul(three, mul(cubicFactor, squared(x)))));
const fallOf = (t: Interval): Interval => mul(sub(one, t), add(one, t));
/** Where the second derivative, (1 - t^2) (p' + x p''/2 - x t p'^2) with t = tanh p, is 0: an even function of x. */
const tanhGeluTurn: Interval = { lower: 1.41850400879, upper: 1.418504008791 };

/** x (1 + tanh p) / 2. */
export const tanhGelu = bend(
  "Gelu (tanh)",
  (x) => mul(mul(half, x), add(one, tanh(inner(x)))),
  (x) => {
    const t = tanh(inner(x));
    return mul(half, add(add(one, t), mul(x, mul(fallOf(t), innerSlope(x)))));
  },
  hump(minus(tanhGeluTurn), tanhGeluTurn),
);

/** Where x tanh(x/2) = 2. */
const siluTurn: Interval = { lower: 2.399357280515, upper: 2.399357280516 };
/** x s with s = sigmoid x: the second derivative is s (1 - s) (2 - x tanh(x/2)). */
export const silu = bend(
  "Silu",
  (x) => mul(x, sigmoid(x)),
  (x) => mul(sigmoid(x), add(one, mul(x, sigmoid(minus(x))))),
  hump(minus(siluTurn), siluTurn),
);

/**
 * x w with w = tanh(softplus x) = 1 - 2/d, d = u^2 + 2u + 2, u = e^x. The second derivative has the sign of
 * 2 (u + 1) d + x (2 + 2u - 3u^2 - 2u^3), which is 0 at these two places only.
 */
const mishTurns: readonly [Interval, Interval] = [
  { lower: -2.256376396361, upper: -2.25637639636 },
  { lower: 1.490571179485, upper: 1.490571179486 },
];
export const mish = bend(
  "Mish",
  (x) => mul(x, tanh(softplus(x))),
  (x) => {
    const t = tanh(softplus(x));
    return add(t, mul(x, mul(fallOf(t), sigmoid(x))));
  },
  hump(...mishTurns),
);

/** 0 up to -3, x (x + 3) / 6 from there to 3, then x. */
export const hardSwish = bend(
  "HardSwish",
  (x) => (x.upper <= -3 ? point(0) : x.lower >= 3 ? x : div(mul(x, add(x, three)), six)),
  (x) => {
    const parts: Interval[] = [];
    if (x.lower <= -3) parts.push(point(0));
    if (x.upper >= 3) parts.push(one);
    if (x.upper >= -3 && x.lower <= 3) {
      const inside = { lower: Math.max(-3, x.lower), upper: Math.min(3, x.upper) };
      parts.push(div(add(mul(two, inside), three), six));
    }
    return parts.reduce(hull);
  },
  () => ({ turns: [point(-3), point(3)], ways: [0, 1, 0] }),
);

/** alpha (e^(x / width) - 1) up to 0, then gamma x; alpha, width and gamma above 0. */
export const exponentialUnit = (name: string, alpha: Interval, width: number, gamma: number): Bend =>
  bend(
    name,
    (x) => (x.lower >= 0 ? mul(point(gamma), x) : mul(alpha, expm1(div(x, point(width))))),
    (x) => {
      const left = (upper: number): Interval =>
        mul(div(alpha, point(width)), exp(div({ lower: Math.min(x.lower, upper), upper }, point(width))));
      if (x.lower > 0) return point(gamma);
      return x.upper < 0 ? left(x.upper) : hull(left(0), point(gamma));
    },
    () => ({ turns: [point(0)], ways: [1, 0] }),
  );

const errorFactor = near(2 / Math.sqrt(Math.PI));
export const errorFunction = bend("Erf", erf, (x) => mul(errorFactor, exp(minus(squared(x)))), turning(1));

/** 1 / x over numbers of one sign; the other functions mind their own domains. */
export const functions: Readonly<Record<string, Bend>> = {
  Log: bend(
    "Log",
    (x) => {
      if (x.lower <= 0) throw new RangeError(`it takes the logarithm of a number that may be ${x.lower}`);
      return log(x);
    },
    inverse,
    always(-1),
  ),
  Sqrt: bend("Sqrt", sqrt, (x) => rootSlope(x), always(-1)),
  Reciprocal: bend(
    "Reciprocal",
    inverse,
    (x) => minus(inverse(squared(x))),
    (low, high) => {
      inverse({ lower: low, upper: high });
      return always(low > 0 ? 1 : -1)();
    },
  ),
  Erf: errorFunction,
  HardSwish: hardSwish,
  Mish: mish,
  Sinh: bend("Sinh", sinh, cosh, turning(-1)),
  Cosh: bend("Cosh", cosh, sinh, always(1)),
  Asinh: bend("Asinh", asinh, (x) => inverse(sqrt(add(one, squared(x)))), turning(1)),
  Acosh: bend("Acosh", acosh, (x) => reciprocalRoot(mul(sub(x, one), add(x, one))), always(-1)),
  Atanh: bend("Atanh", openly(atanh), (x) => inverse(fallOf(x)), turning(-1)),
  Asin: bend("Asin", asin, (x) => reciprocalRoot(fallOf(x)), turning(-1)),
  Acos: bend("Acos", acos, (x) => minus(reciprocalRoot(fallOf(x))), turning(1)),
  Sin: bend("Sin", sin, cos, (low, high) => waves(low, high, 0)),
  Cos: bend(
    "Cos",
    cos,
    (x) => minus(sin(x)),
    (low, high) => waves(low, high, -Math.PI / 2),
  ),
};

/** 1 / sqrt x, infinite at 0. */
function reciprocalRoot(x: Interval): Interval {
  const root = sqrt({ lower: Math.max(0, x.lower), upper: Math.max(0, x.upper) });
  const far = Number.POSITIVE_INFINITY;
  if (root.upper === 0) return { lower: far, upper: far };
  return {
    lower: inverse(point(root.upper)).lower,
    upper: root.lower > 0 ? inverse(point(root.lower)).upper : far,
  };
}
function rootSlope(x: Interval): Interval {
  return mul(half, reciprocalRoot(x));
}

/** An end at which a function is infinite is outside of its domain. */
function openly(f: RealFunction): RealFunction {
  return (x) => {
    const y = f(x);
    if (!Number.isFinite(y.lower) || !Number.isFinite(y.upper))
      throw new RangeError(`it is infinite between ${x.lower} and ${x.upper}`);
    return y;
  };
}

/** Beyond so many turns a wave's lines are horizontal ones. */
const mostTurns = 16;
/** A sine bends the other way at every multiple of pi after its phase: down from an even one on. */
function waves(low: number, high: number, phase: number): Curvature {
  const [first, last] = [
    Math.ceil((low - phase) / Math.PI - 0.5),
    Math.floor((high - phase) / Math.PI + 0.5),
  ];
  if (!(last - first < mostTurns) || Math.abs(low) > 2 ** 20 || Math.abs(high) > 2 ** 20)
    return { turns: [{ lower: low, upper: high }], ways: [0, 0] };
  const turns: Interval[] = [];
  const ways: (1 | -1)[] = [];
  for (let k = first; k <= last; k++) {
    const at = phase + k * Math.PI;
    const room = (2 + Math.abs(at)) * 2 ** -50;
    turns.push({ lower: at - room, upper: at + room });
    ways.push(k % 2 === 0 ? 1 : -1);
  }
  ways.push(last % 2 === 0 ? -1 : 1);
  return { turns, ways };
}

/** x^n for an integer n >= 2: the second derivative has the sign of x^(n - 2). */
export const power = (n: number): Bend =>
  bend(
    `Pow ${n}`,
    (x) => pow(x, point(n)),
    (x) => mul(point(n), pow(x, point(n - 1))),
    n % 2 === 0 ? always(1) : turning(-1),
  );
