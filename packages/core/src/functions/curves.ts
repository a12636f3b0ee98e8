// Lines around a rising function with one inflection, from its values and slopes in plain numbers.

import type { Interval } from "../numbers/interval/index.ts";
import type { Activation, Lines } from "./lines.ts";

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

const { max, min, abs } = Math;

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
