// Derivatives of smooth activations on intervals: enclosures, and bounds of how large they are.

import { factorial } from "../numbers/factorial.ts";
import { type Interval, interval, magnitude, mul, point } from "../numbers/interval/index.ts";
import { addUp, mulUp } from "../numbers/rounding.ts";
import type { Taylor } from "./definition.ts";
import { ConstructError } from "./error.ts";
import { type Having, library, partsOf } from "./library.ts";

/** Activations that are smooth everywhere and no polynomials, with enclosures of their derivatives. */
export type SmoothActivation = Having<{ readonly taylor: Taylor }>;
export const smoothActivations = partsOf("taylor").map(([name]) => name) as readonly SmoothActivation[];

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
  return mul(point(factorial(order)), library[name].taylor(x, order)[order]!);
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
