// Activation functions: monotone ones by their ends, the others by the pieces on which they are monotone.
import {
  add,
  div,
  erf,
  expm1,
  hull,
  type Interval,
  inverse,
  max,
  min,
  mul,
  point,
  type RealFunction,
  sigmoid,
  softplus,
  sub,
  tanh,
} from "../../numbers/interval/index.ts";
import { nextDown, nextUp } from "../../numbers/rounding.ts";
import type { Rules } from "../pass.ts";
import { combined } from "./elementwise.ts";
import { firstDims, type IntervalTensor, mapped } from "./tensor.ts";

const zero = point(0);
const one = point(1);

/** One function up to a number, another one from there on. */
export const joinedAt =
  (at: number, below: RealFunction, above: RealFunction): RealFunction =>
  (x) => {
    if (x.upper <= at) return below(x);
    if (x.lower >= at) return above(x);
    return hull(below({ lower: x.lower, upper: at }), above({ lower: at, upper: x.upper }));
  };

/** Multiples of an increasing function. */
const times =
  (factor: number, f: RealFunction): RealFunction =>
  (x) =>
    mul(point(factor), f(x));
const itself: RealFunction = (x) => x;

/** A number that no double is, between its neighbours. */
const near = (x: number): Interval => ({ lower: nextDown(x), upper: nextUp(x) });

/**
 * A function that falls to its least value and then rises. `f` bounds it at points; `least` is below the value at its
 * minimum, which lies between the ends of `at`.
 */
const valley =
  (f: RealFunction, at: Interval, least: number): RealFunction =>
  (x) => {
    const [left, right] = [f(point(x.lower)), f(point(x.upper))];
    const upper = Math.max(left.upper, right.upper);
    if (x.lower > at.upper) return { lower: left.lower, upper };
    if (x.upper < at.lower) return { lower: right.lower, upper };
    return { lower: least, upper };
  };

/** At minus infinity these tend to 0, at infinity to infinity. */
const withTails =
  (f: RealFunction): RealFunction =>
  (x) => {
    if (x.lower === Number.NEGATIVE_INFINITY) return zero;
    return x.upper === Number.POSITIVE_INFINITY ? { lower: Number.MAX_VALUE, upper: x.upper } : f(x);
  };

const half = point(0.5);
const gelu: RealFunction = (x) => mul(mul(half, x), add(one, erf(mul(near(Math.SQRT1_2), x))));
/** x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2. */
const tanhGelu: RealFunction = (x) => {
  const cubic = mul(x, add(one, mul(near(0.044715), mul(x, x))));
  return mul(mul(half, x), add(one, tanh(mul(near(Math.sqrt(2 / Math.PI)), cubic))));
};
const mish: RealFunction = (x) => mul(x, tanh(softplus(x)));

/** The minima, to 12 places, from 40-digit arithmetic; the least values are rounded down in the last place given. */
const geluValley = valley(
  withTails(gelu),
  { lower: -0.751791524694, upper: -0.751791524693 },
  -0.169971207479904,
);
const tanhGeluValley = valley(
  withTails(tanhGelu),
  { lower: -0.752461422072, upper: -0.752461422071 },
  -0.170040750571255,
);
const mishValley = valley(
  withTails(mish),
  { lower: -1.192431214516, upper: -1.192431214515 },
  -0.308843413017251,
);

/** x / (1 + |x|) = sign(x) (1 - 1 / (1 + |x|)), which increases. */
const softsign: RealFunction = ({ lower, upper }) => ({
  lower: softsignAt(lower).lower,
  upper: softsignAt(upper).upper,
});
const softsignAt = (x: number): Interval => {
  if (Math.abs(x) === Number.POSITIVE_INFINITY) return point(Math.sign(x));
  const quotient = div(point(x), add(one, point(Math.abs(x))));
  return { lower: Math.max(-1, quotient.lower), upper: Math.min(1, quotient.upper) };
};

const ramp = (x: Interval): Interval => min(max(x, zero), one);
/** x min(max(x/6 + 1/2, 0), 1): x (x + 3) / 6 from -3 to 3, with its least value -3/8 at -3/2. */
const hardSwish = joinedAt(
  -3,
  () => zero,
  joinedAt(
    3,
    valley((x) => div(mul(x, add(x, point(3))), point(6)), point(-1.5), -0.375),
    itself,
  ),
);

/** x above alpha, else 0. */
const thresholded =
  (alpha: number): RealFunction =>
  (x) => {
    if (x.lower > alpha) return x;
    return x.upper <= alpha ? zero : hull(zero, { lower: alpha, upper: x.upper });
  };

/** x + bias below -lambd, x - bias above lambd, else 0. */
const shrunk =
  (bias: number, lambd: number): RealFunction =>
  (x) => {
    const parts: Interval[] = [];
    if (x.lower < -lambd) parts.push(add({ lower: x.lower, upper: Math.min(x.upper, -lambd) }, point(bias)));
    if (x.upper > lambd) parts.push(sub({ lower: Math.max(x.lower, lambd), upper: x.upper }, point(bias)));
    if (x.upper >= -lambd && x.lower <= lambd) parts.push(zero);
    return parts.length > 0 ? parts.reduce(hull) : zero;
  };

/** alpha (e^x - 1) below 0, x above. */
const elu = (alpha: number): RealFunction => joinedAt(0, times(alpha, expm1), itself);

export const activations: Rules<IntervalTensor> = {
  Relu: ([x]) => mapped(x!, (a) => max(a, zero)),
  LeakyRelu: ([x], { alpha }) => mapped(x!, joinedAt(0, times(alpha, itself), itself)),
  PRelu: ([x, slope], _, node) =>
    combined(x!, slope!, firstDims(node, [x, slope]), (a, s) =>
      joinedAt(0, (negative) => mul(s, negative), itself)(a),
    ),
  Elu: ([x], { alpha }) => mapped(x!, elu(alpha)),
  Selu: ([x], { alpha, gamma }) => mapped(x!, times(gamma, elu(alpha))),
  Celu: ([x], { alpha }) =>
    mapped(
      x!,
      joinedAt(
        0,
        times(alpha, (a) => expm1(mul(a, inverse(point(alpha))))),
        itself,
      ),
    ),
  Gelu: ([x], { approximate }) => mapped(x!, approximate === "tanh" ? tanhGeluValley : geluValley),
  Sigmoid: ([x]) => mapped(x!, sigmoid),
  Softplus: ([x]) => mapped(x!, softplus),
  Softsign: ([x]) => mapped(x!, softsign),
  HardSigmoid: ([x], { alpha, beta }) => mapped(x!, (a) => ramp(add(mul(point(alpha), a), point(beta)))),
  HardSwish: ([x]) => mapped(x!, hardSwish),
  Mish: ([x]) => mapped(x!, mishValley),
  ThresholdedRelu: ([x], { alpha }) => mapped(x!, thresholded(alpha)),
  Shrink: ([x], { bias, lambd }) => mapped(x!, shrunk(bias, lambd)),
};
