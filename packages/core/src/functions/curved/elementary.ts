// Elementary functions as ONNX has them, by enclosures of values and slopes, and by the turns of their curvature.
import {
  acos,
  acosh,
  add,
  asin,
  asinh,
  atanh,
  cos,
  cosh,
  erf,
  exp,
  type Interval,
  inverse,
  log,
  mul,
  neg,
  point,
  pow,
  type RealFunction,
  sin,
  sinh,
  sqrt,
  squared,
  sub,
} from "../../numbers/interval/index.ts";
import type { Bend, Curvature } from "../bends.ts";
import { always, bend, near, turning } from "./curvature.ts";
import { hardSwish } from "./hard-swish.ts";
import { mish } from "./mish.ts";

const [half, one] = [point(0.5), point(1)];
/** 1 - x^2, without cancellation. */
const fallOf = (x: Interval): Interval => mul(sub(one, x), add(one, x));

const errorFactor = near(2 / Math.sqrt(Math.PI));
export const errorFunction = bend("Erf", erf, (x) => mul(errorFactor, exp(neg(squared(x)))), turning(1));

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
    (x) => neg(inverse(squared(x))),
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
  Acos: bend("Acos", acos, (x) => neg(reciprocalRoot(fallOf(x))), turning(1)),
  Sin: bend("Sin", sin, cos, (low, high) => waves(low, high, 0)),
  Cos: bend(
    "Cos",
    cos,
    (x) => neg(sin(x)),
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
