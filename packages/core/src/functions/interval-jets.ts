// Taylor coefficients of smooth activations on intervals: the recurrences of jets.ts, enclosed.

import { factorial } from "../numbers/factorial.ts";
import {
  add,
  atan,
  cos,
  div,
  exp,
  type Interval,
  interval,
  inverse,
  magnitude,
  mul,
  neg,
  point,
  sigmoid,
  sin,
  softplus,
  squared,
  sub,
} from "../numbers/interval/index.ts";
import { addUp, mulUp } from "../numbers/rounding.ts";
import { ConstructError } from "./error.ts";

/** Enclosures of f(x), f'(x), f''(x) / 2!, ... for all x of an interval. */
type IntervalJet = Interval[];
type JetRule = (order: number, x: Interval) => IntervalJet;

const zero = point(0);
const convolve = (a: IntervalJet, b: IntervalJet, k: number): Interval => {
  let total = zero;
  for (let i = 0; i <= k; i++) total = add(total, mul(a[i]!, b[k - i]!));
  return total;
};

/** The jet with f' = rate(f, k), the k-th coefficient of the right-hand side. */
function solve(order: number, start: Interval, rate: (f: IntervalJet, k: number) => Interval): IntervalJet {
  const f = [start];
  for (let k = 0; k < order; k++) f.push(div(rate(f, k), point(k + 1)));
  return f;
}

const logistic: JetRule = (order, x) => solve(order, sigmoid(x), (s, k) => sub(s[k]!, convolve(s, s, k)));
const integrated = (value: Interval, slope: IntervalJet): IntervalJet => [
  value,
  ...slope.slice(0, -1).map((c, k) => div(c, point(k + 1))),
];
const wave =
  (quarterTurns: number): JetRule =>
  (order, x) => {
    const [s, c] = [sin(x), cos(x)];
    const cycle = [s, c, neg(s), neg(c)];
    let factorial = 1;
    return Array.from({ length: order + 1 }, (_, k) => {
      if (k > 0) factorial *= k; // exact up to 18!
      return div(cycle[(k + quarterTurns) % 4]!, point(factorial));
    });
  };

const jets = {
  exp: (order, x) => solve(order, exp(x), (f, k) => f[k]!),
  logistic,
  tanh: (order, x) => {
    const s = logistic(order, mul(point(2), x));
    return s.map((c, k) => (k === 0 ? sub(mul(point(2), c), point(1)) : mul(point(2 ** (k + 1)), c)));
  },
  softplus: (order, x) => integrated(softplus(x), logistic(order, x)),
  gaussian: (order, x) =>
    solve(order, exp(mul(point(-0.5), squared(x))), (g, k) =>
      neg(add(mul(x, g[k]!), k > 0 ? g[k - 1]! : zero)),
    ),
  arctan: (order, x) => {
    const scale = inverse(add(point(1), squared(x)));
    const slope: Interval[] = [];
    for (let k = 0; k <= order; k++) {
      const known = add(k > 0 ? mul(mul(point(2), x), slope[k - 1]!) : zero, k > 1 ? slope[k - 2]! : zero);
      slope.push(mul(sub(point(k === 0 ? 1 : 0), known), scale));
    }
    return integrated(atan(x), slope);
  },
  sin: wave(0),
  cos: wave(1),
} as const satisfies Readonly<Record<string, JetRule>>;

/** Activations that are smooth everywhere and no polynomials, with enclosures of their derivatives. */
export type SmoothActivation = keyof typeof jets;
export const smoothActivations = Object.keys(jets) as readonly SmoothActivation[];

const greatestOrder = 18;

/**
 * An interval that holds sigma^(order)(x) for all x of an interval.
 * @example derivativeEnclosure("exp", 3, { lower: 0, upper: 0 }).upper // 1
 */
export function derivativeEnclosure(name: SmoothActivation, order: number, x: Interval): Interval {
  if (!Number.isInteger(order) || order < 0 || order > greatestOrder)
    throw new ConstructError(
      `derivatives of ${name} are enclosed up to order ${greatestOrder}, not ${order}`,
    );
  return mul(point(factorial(order)), jets[name](order, x)[order]!);
}

const slices = 16;

/**
 * At least sup |sigma^(order)| on [lower, upper]: on each slice, what the next derivative allows around the centre.
 * @example smoothDerivativeBound("sin", 5, 0, 1) >= 1 // true
 */
export function smoothDerivativeBound(
  name: SmoothActivation,
  order: number,
  lower: number,
  upper: number,
): number {
  const cut = (k: number): number => (k === slices ? upper : lower + (k * (upper - lower)) / slices);
  let most = 0;
  for (let k = 0; k < slices; k++) {
    const [low, high] = [cut(k), cut(k + 1)];
    const slice = interval(low, high);
    const centre = Math.min(high, Math.max(low, (low + high) / 2));
    const half = Math.max(addUp(high, -centre), addUp(centre, -low));
    const change = mulUp(half, magnitude(derivativeEnclosure(name, order + 1, slice)));
    const around = addUp(magnitude(derivativeEnclosure(name, order, point(centre))), change);
    most = Math.max(most, Math.min(around, magnitude(derivativeEnclosure(name, order, slice))));
  }
  return most;
}

/** At least sup |sigma| + |t| sup |sigma'| on |t - centre| <= reach: what a relative rounding of t and sigma costs. */
export function roundingScale(name: SmoothActivation, centre: number, reach: number): number {
  const [low, high] = [centre - reach, centre + reach];
  const slope = smoothDerivativeBound(name, 1, low, high);
  const argument = addUp(Math.abs(centre), reach);
  return addUp(smoothDerivativeBound(name, 0, low, high), mulUp(mulUp(2, argument), slope));
}
