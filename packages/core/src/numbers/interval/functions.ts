// Elementary functions on intervals.
//
// ECMAScript leaves the accuracy of Math.exp and its kin open. V8 takes them from fdlibm and its descendants, whose
// known errors are below 1 ulp for exp, log, expm1, log1p, sin, cos, tan, asin, acos, atan and pow, and below 2.3 ulp for
// the hyperbolic functions and their inverses. ASSUMED here: every one is within 4 ulp, and results are widened by
// that much, then cut to the function's range. Values that are exact in every implementation stay exact.

import { addDown, addUp, divDown, divUp, mulDown, mulUp, sqrtDown, sqrtUp } from "../rounding.ts";
import type { Interval } from "./scalar.ts";

const { MAX_VALUE, MIN_VALUE, POSITIVE_INFINITY, NEGATIVE_INFINITY } = Number;

/** 4 ulp: an ulp is at most 2^-52 of the number, or MIN_VALUE. */
const widenedUp = (y: number): number =>
  y === NEGATIVE_INFINITY ? -MAX_VALUE : y + Math.max(Math.abs(y) * 2 ** -50, 4 * MIN_VALUE);

/** A function of one number, bounded from both sides. */
export interface Rounded {
  /** At most f(x). */
  readonly down: (x: number) => number;
  /** At least f(x). */
  readonly up: (x: number) => number;
}

interface Range {
  readonly least?: number;
  readonly greatest?: number;
  /** Where the computed value is exact. */
  readonly exactAt?: number;
}

function rounded(
  f: (x: number) => number,
  { least = NEGATIVE_INFINITY, greatest = POSITIVE_INFINITY, exactAt = 0 }: Range = {},
): Rounded {
  return {
    down: (x) => (x === exactAt ? f(x) : Math.max(least, 0 - widenedUp(-f(x)))),
    up: (x) => (x === exactAt ? f(x) : Math.min(greatest, widenedUp(f(x)))),
  };
}

export type RealFunction = (x: Interval) => Interval;

/**
 * A function that does not decrease, on intervals.
 * @example increasing({ down: Math.floor, up: Math.floor })({ lower: 0.5, upper: 2.5 }).upper // 2
 */
export const increasing =
  ({ down, up }: Rounded): RealFunction =>
  ({ lower, upper }) => ({ lower: down(lower), upper: up(upper) });

/** A function that does not increase, on intervals. */
export const decreasing =
  ({ down, up }: Rounded): RealFunction =>
  ({ lower, upper }) => ({ lower: down(upper), upper: up(lower) });

/** The same, for arguments from `least` to `greatest` only. */
const within =
  (least: number, greatest: number, what: string, f: RealFunction): RealFunction =>
  (x) => {
    const outside = x.lower < least ? x.lower : x.upper > greatest ? x.upper : undefined;
    if (outside !== undefined)
      throw new RangeError(`it takes the ${what} of a number that may be ${outside}`);
    return f(x);
  };

export const roundedExp = rounded(Math.exp, { least: 0 });
export const roundedLog1p = rounded(Math.log1p);
export const roundedExpm1 = rounded(Math.expm1, { least: -1 });
export const roundedTanh = rounded(Math.tanh, { least: -1, greatest: 1 });

/**
 * e^x.
 * @example exp({ lower: 0, upper: 1 }).upper >= Math.E // true
 */
export const exp = increasing(roundedExp);
export const expm1 = increasing(roundedExpm1);
export const log = within(0, POSITIVE_INFINITY, "logarithm", increasing(rounded(Math.log, { exactAt: 1 })));
export const log1p = within(-1, POSITIVE_INFINITY, "logarithm of 1 plus", increasing(roundedLog1p));
export const sinh = increasing(rounded(Math.sinh));
export const tanh = increasing(roundedTanh);
export const asinh = increasing(rounded(Math.asinh));
export const acosh = within(
  1,
  POSITIVE_INFINITY,
  "inverse hyperbolic cosine",
  increasing(rounded(Math.acosh, { exactAt: 1, least: 0 })),
);
export const atanh = within(-1, 1, "inverse hyperbolic tangent", increasing(rounded(Math.atanh)));
export const asin = within(-1, 1, "arcsine", increasing(rounded(Math.asin)));
export const acos = within(-1, 1, "arccosine", decreasing(rounded(Math.acos, { exactAt: 1, least: 0 })));
export const atan = increasing(rounded(Math.atan));

const roundedCosh = rounded(Math.cosh, { least: 1 });
export const cosh: RealFunction = ({ lower, upper }) => ({
  lower: roundedCosh.down(Math.max(0, lower, -upper)),
  upper: roundedCosh.up(Math.max(-lower, upper)),
});

/**
 * May phase + k period lie in x, for some integer k? Rounding costs the quotients less than (|x| + 2) 2^-50, so with
 * the margin a no is sure.
 */
function mayMeet({ lower, upper }: Interval, phase: number, period: number): boolean {
  if (lower === upper) return false; // one double is never a multiple of pi, but for 0, where functions are exact
  const margin = (2 + Math.max(-lower, upper)) * 2 ** -48;
  return !(Math.ceil((lower - phase) / period - margin) > Math.floor((upper - phase) / period + margin));
}

/** A wave between -1 and 1 with its crest at `crest` and troughs half a turn away. */
function wave(f: (x: number) => number, crest: number): RealFunction {
  const { down, up } = rounded(f, { least: -1, greatest: 1 });
  return (x) => {
    if (!Number.isFinite(x.lower) || !Number.isFinite(x.upper)) return { lower: -1, upper: 1 };
    return {
      lower: mayMeet(x, crest + Math.PI, 2 * Math.PI) ? -1 : Math.min(down(x.lower), down(x.upper)),
      upper: mayMeet(x, crest, 2 * Math.PI) ? 1 : Math.max(up(x.lower), up(x.upper)),
    };
  };
}

/**
 * The sine.
 * @example sin({ lower: 0, upper: 2 }).upper // 1
 */
export const sin = wave(Math.sin, Math.PI / 2);
export const cos = wave(Math.cos, 0);

const increasingTan = increasing(rounded(Math.tan));
/** The tangent; its poles must lie outside. */
export const tan: RealFunction = (x) => {
  if (!Number.isFinite(x.lower) || !Number.isFinite(x.upper) || mayMeet(x, Math.PI / 2, Math.PI))
    throw new RangeError(`it takes the tangent between ${x.lower} and ${x.upper}, where it may have a pole`);
  return increasingTan(x);
};

/** 1 / (1 + e^-x). */
export const roundedSigmoid: Rounded = {
  down: (x) => divDown(1, addUp(1, roundedExp.up(-x))),
  up: (x) => Math.min(1, divUp(1, addDown(1, roundedExp.down(-x)))),
};
export const sigmoid = increasing(roundedSigmoid);

/** log(1 + e^x), as x + log(1 + e^-x) for positive x. */
export const roundedSoftplus: Rounded = {
  down: (x) =>
    x > 0 ? addDown(x, roundedLog1p.down(roundedExp.down(-x))) : roundedLog1p.down(roundedExp.down(x)),
  up: (x) => (x > 0 ? addUp(x, roundedLog1p.up(roundedExp.up(-x))) : roundedLog1p.up(roundedExp.up(x))),
};
export const softplus: RealFunction = (x) => {
  const { lower, upper } = increasing(roundedSoftplus)(x);
  return { lower: Math.max(0, lower), upper };
};

/**
 * erf a = 2/sqrt(pi) e^(-a^2) sum_n 2^n a^(2n+1) / (2n+1)!!, for a from 0 to 6: positive terms, so nothing cancels.
 * After n terms the relative error is below (4n + 2a^2 + 8) 2^-53: three roundings a term and one a sum; a^2, rounded,
 * moves the exponent by a^2 2^-53. The sum stops when each further term is at most half of the one before, and
 * all of them together are below 2^-60 of it.
 */
function erfSeries(a: number): { value: number; error: number } {
  const squared = a * a;
  let [term, sum, n] = [a, a, 0];
  while (term > sum * 2 ** -60 || 4 * squared > 2 * n + 5) {
    term *= (2 * squared) / (2 * n + 3);
    sum += term;
    n++;
  }
  const value = (2 / Math.sqrt(Math.PI)) * Math.exp(-squared) * sum;
  return { value, error: value * (4 * n + 2 * squared + 16) * 2 ** -52 + 4 * MIN_VALUE };
}

/** 1 - erf 6 is 2.2e-17, below 2^-53. */
const roundedErf: Rounded = {
  down: (x) => {
    if (x < 0) return 0 - roundedErf.up(-x);
    if (x >= 6) return 1 - 2 ** -53;
    const { value, error } = erfSeries(x);
    return x === 0 ? 0 : Math.max(0, addDown(value, -error));
  },
  up: (x) => {
    if (x < 0) return 0 - roundedErf.down(-x);
    if (x >= 6) return 1;
    const { value, error } = erfSeries(x);
    return x === 0 ? 0 : Math.min(1, addUp(value, error));
  },
};
/**
 * The error function.
 * @example erf({ lower: 0, upper: 9 }).upper // 1
 */
export const erf = increasing(roundedErf);

/** x^n for x >= 0 and an integer n >= 0, by squaring, with a product that rounds one way. */
function integerPower(x: number, n: number, times: (a: number, b: number) => number): number {
  let [result, base] = [1, x];
  for (let rest = n; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = times(result, base);
    if (rest > 1) base = times(base, base);
  }
  return result;
}

/** x^n for an integer n. */
function powerOf(x: Interval, n: number): Interval {
  if (n < 0) {
    if (x.lower <= 0 && x.upper >= 0)
      throw new RangeError(`it raises a number that may be zero to the power ${n}`);
    const { lower, upper } = powerOf(x, -n);
    return { lower: divDown(1, upper), upper: divUp(1, lower) };
  }
  const [down, up] = [(a: number) => integerPower(a, n, mulDown), (a: number) => integerPower(a, n, mulUp)];
  if (n % 2 === 0)
    return { lower: down(Math.max(0, x.lower, -x.upper)), upper: up(Math.max(-x.lower, x.upper)) };
  return {
    lower: x.lower < 0 ? 0 - up(-x.lower) : down(x.lower),
    upper: x.upper < 0 ? 0 - down(-x.upper) : up(x.upper),
  };
}

/**
 * x^y. For x >= 0 it is monotone in x and in y, so the extremes lie at corners; a negative x needs an integer y.
 * @example pow({ lower: -1, upper: 2 }, { lower: 2, upper: 2 }).upper // 4
 */
export function pow(x: Interval, y: Interval): Interval {
  if (y.lower === y.upper && Number.isInteger(y.lower)) return powerOf(x, y.lower);
  if (x.lower < 0)
    throw new RangeError(
      `it raises a number that may be ${x.lower} to a power between ${y.lower} and ${y.upper}`,
    );
  if (y.lower === 0.5 && y.upper === 0.5) return { lower: sqrtDown(x.lower), upper: sqrtUp(x.upper) };
  if (x.lower === 0 && y.lower < 0)
    throw new RangeError(`it raises a number that may be zero to a power that may be ${y.lower}`);
  const corners = [x.lower, x.upper].flatMap((a) => [y.lower, y.upper].map((b) => cornerPower(a, b)));
  return {
    lower: Math.min(...corners.map((c) => c.lower)),
    upper: Math.max(...corners.map((c) => c.upper)),
  };
}

function cornerPower(x: number, y: number): Interval {
  const value = x === 1 ? 1 : x ** y; // 1 to an infinite power is NaN in JavaScript
  if (x === 0 || x === 1 || y === 0) return { lower: value, upper: value };
  return { lower: Math.max(0, 0 - widenedUp(-value)), upper: widenedUp(value) };
}
