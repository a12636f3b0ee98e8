// Activations that are neither affine nor one kink: what a line above and a line below them needs to know.

import type { Interval } from "../numbers/interval/index.ts";
import type { Activation, Lines } from "./lines.ts";

export type { Lines } from "./lines.ts";

/**
 * A nondecreasing function that is convex up to its inflection and concave from there (infinite: convex or concave
 * throughout).
 */
export interface Curve {
  readonly name: string;
  readonly inflection: number;
  /** Piecewise linear: its values are not rounded. */
  readonly isExact?: boolean;
  /** Above 0 everywhere. */
  readonly isPositive?: boolean;
  value(z: number): number;
  /** A slope of the function at z. */
  slope(z: number): number;
  /** Where value(z) - lambda z can have an extremum inside an interval. */
  stationary(lambda: number): readonly number[];
}

const { exp, expm1, log, log1p, tanh, sqrt, max, min, abs } = Math;
const logistic = (z: number): number => 1 / (1 + exp(-z));

/** Where s (1 - s) = lambda, for s = logistic(z). */
function logisticStationary(lambda: number): readonly number[] {
  if (!(lambda > 0) || lambda > 0.25) return [0];
  const s = 0.5 + sqrt(0.25 - lambda);
  const z = log(s * s) - log(lambda); // s / (1 - s) = s^2 / lambda, without cancellation
  return [-z, z];
}

export const sigmoid: Curve = {
  name: "Sigmoid",
  isPositive: true,
  inflection: 0,
  value: logistic,
  slope: (z) => logistic(z) * logistic(-z),
  stationary: logisticStationary,
};

export const hyperbolicTangent: Curve = {
  name: "Tanh",
  inflection: 0,
  value: tanh,
  slope: (z) => max(0, 1 - tanh(z) ** 2),
  stationary: (lambda) => {
    if (!(lambda > 0) || lambda >= 1) return [0];
    // tanh z = t with 1 - t^2 = lambda: z = log((1 + t) / (1 - t)) / 2, without cancellation
    const z = log(1 + sqrt(1 - lambda)) - log(lambda) / 2;
    return [-z, z];
  },
};

export const exponential: Curve = {
  name: "Exp",
  isPositive: true,
  inflection: Number.POSITIVE_INFINITY,
  value: exp,
  slope: exp,
  stationary: (lambda) => (lambda > 0 ? [log(lambda)] : []),
};

export const softplus: Curve = {
  name: "Softplus",
  isPositive: true,
  inflection: Number.POSITIVE_INFINITY,
  value: (z) => max(z, 0) + log1p(exp(-abs(z))),
  slope: logistic,
  stationary: (lambda) => (lambda > 0 && lambda < 1 ? [log(lambda) - log1p(-lambda)] : []),
};

export const arctangent: Curve = {
  name: "Atan",
  inflection: 0,
  value: Math.atan,
  slope: (z) => 1 / (1 + z * z),
  stationary: (lambda) => {
    const z = lambda > 0 && lambda < 1 ? sqrt(1 / lambda - 1) : 0;
    return [-z, z];
  },
};

/** z / (1 + |z|). */
export const softsign: Curve = {
  name: "Softsign",
  inflection: 0,
  value: (z) => z / (1 + abs(z)),
  slope: (z) => 1 / (1 + abs(z)) ** 2,
  stationary: (lambda) => {
    const z = lambda > 0 && lambda < 1 ? 1 / sqrt(lambda) - 1 : 0;
    return [-z, z];
  },
};

/** z from 0 on, alpha (e^z - 1) before; convex for 0 <= alpha <= 1. */
export const elu = (alpha: number): Curve => ({
  name: `Elu ${alpha}`,
  inflection: Number.POSITIVE_INFINITY,
  value: (z) => (z > 0 ? z : alpha * expm1(z)),
  slope: (z) => (z > 0 ? 1 : alpha * exp(z)),
  stationary: (lambda) => (lambda > 0 && lambda < alpha ? [log(lambda / alpha), 0] : [0]),
});

/** min(high, max(low, z)), for low <= high. */
export const clip = (low: number, high: number): Curve => ({
  name: `Clip ${low} ${high}`,
  isExact: true,
  inflection: Number.isFinite(low)
    ? Number.isFinite(high)
      ? low / 2 + high / 2
      : Number.POSITIVE_INFINITY
    : Number.NEGATIVE_INFINITY,
  value: (z) => min(high, max(low, z)),
  slope: (z) => (z > low && z < high ? 1 : 0),
  stationary: () => [low, high].filter(Number.isFinite),
});

/**
 * Values of elementary functions are taken to be right to 2^-49 of their size (engines promise a unit or two in the
 * last place, 2^-52); sums of two or three such numbers to this.
 */
const valueRounding = 2 ** -46;

/** More than values lose below the normal range: e^z is 0 there, and 1 / (1 + e^-z) is from e^-z = 2^1024 on. */
const lostBelow = 2 ** -1022;

/** How far f(z) may be from the value that was computed; what is 0 at 0 is exact. */
const offBy = ({ isExact }: Curve, z: number, value: number): number =>
  valueRounding * abs(value) + (isExact || (z === 0 && value === 0) ? 0 : lostBelow);

/** f(z) rounded outward: the unit's bounds from those of its row. */
export const valueBelow = (f: Curve, z: number): number => {
  const value = f.value(z);
  const below = value - offBy(f, z, value);
  return f.isPositive ? max(0, below) : below;
};
export const valueAbove = (f: Curve, z: number): number => {
  const value = f.value(z);
  return value + offBy(f, z, value);
};

/**
 * For any slope, the greatest line below and the least above: the shift is an extremum of f(z) - slope z, which is at
 * an end or where the slopes agree. So the choice of the slopes is free, and no search has to be exact.
 */
export function linesAround(f: Curve, low: number, high: number, lines: Lines): void {
  lines.lowSlope = slopeBelow(f, low, high);
  lines.highSlope = slopeAbove(f, low, high);
  lines.lowShift = -shiftAbove(f, low, high, lines.lowSlope, -1);
  lines.highShift = shiftAbove(f, low, high, lines.highSlope, 1);
}

function shiftAbove(f: Curve, low: number, high: number, slope: number, sign: 1 | -1): number {
  let [best, size] = [Number.NEGATIVE_INFINITY, 0];
  const look = (z: number): void => {
    const value = f.value(z);
    best = max(best, sign * (value - slope * z));
    size = max(size, abs(value) + abs(slope * z));
  };
  look(low);
  look(high);
  for (const z of f.stationary(slope)) if (z > low && z < high) look(z);
  return best + valueRounding * size + (f.isExact ? 0 : lostBelow);
}

const secant = (f: Curve, low: number, high: number): number => {
  const slope = (f.value(high) - f.value(low)) / (high - low);
  return Number.isFinite(slope) ? max(0, slope) : f.slope(low / 2 + high / 2);
};

const slopeBelow = (f: Curve, low: number, high: number): number => {
  if (high <= f.inflection) return f.slope(low / 2 + high / 2);
  if (low >= f.inflection) return secant(f, low, high);
  return tangentFrom(f, high, low);
};

const slopeAbove = (f: Curve, low: number, high: number): number => {
  if (low >= f.inflection) return f.slope(low / 2 + high / 2);
  if (high <= f.inflection) return secant(f, low, high);
  return tangentFrom(f, low, high);
};

const bisections = 30;

/** The slope of the line from the curve's point at `from` that touches the other half, or of the secant if none does. */
function tangentFrom(f: Curve, from: number, to: number): number {
  const value = f.value(from);
  const touches = (z: number): boolean => f.slope(z) * abs(z - from) <= abs(f.value(z) - value);
  if (!touches(to)) return secant(f, min(from, to), max(from, to));
  let [inner, outer] = [f.inflection, to];
  for (let k = 0; k < bisections; k++) {
    const middle = inner / 2 + outer / 2;
    if (touches(middle)) outer = middle;
    else inner = middle;
  }
  return max(0, (f.value(outer) - value) / (outer - from));
}

/** A curve as the relaxation reads it. */
export const rising = (f: Curve): Activation => ({
  name: f.name,
  value: f.value,
  slope: f.slope,
  lines: (low, high, into) => linesAround(f, low, high, into),
  range: (low, high) => ({ lower: valueBelow(f, low), upper: valueAbove(f, high) }),
  slopes: (low, high) => slopesBetween(f, low, high),
});

/** Slopes grow up to the inflection and fall from there; 1 - tanh^2 and its like are right to a part of 1, not of themselves. */
function slopesBetween(f: Curve, low: number, high: number): Interval {
  const ends = [f.slope(low), f.slope(high)] as const;
  const top = f.slope(min(high, max(low, f.inflection)));
  const [least, greatest] = [min(...ends), max(...ends, top)];
  return {
    lower: max(0, least - valueRounding * (1 + least)),
    upper: greatest + valueRounding * (1 + greatest),
  };
}
