// Differences of an activation: sum_i (-1)^i C(k, i) sigma((s_k - i) h x + b) = (h x)^k E sigma^(k)(b + h x U), where
// U has a B-spline as its density: the sum of k uniform numbers, from [-1/2, 1/2] (central) or [0, 1] (forward).

import { ConstructError } from "../../functions/error.ts";
import { derivativeEnclosure, type SmoothActivation, smoothDerivativeBound } from "../../functions/smooth.ts";
import { div, type Interval, magnitude, point } from "../../numbers/interval/index.ts";
import { addDown, addUp, mulUp } from "../../numbers/rounding.ts";

export type DifferenceScheme = "central" | "forward";

export interface DifferenceOptions {
  /** The step of the differences. */
  readonly h: number;
  /** |x| is at most this. */
  readonly radius?: number;
  /** Where the derivatives are taken; the k-th must not vanish there. */
  readonly at: number;
  readonly scheme?: DifferenceScheme;
}

/** Nodes s_k - i, i = 0 .. k, in units of h. */
export const differenceNodes = (k: number, scheme: DifferenceScheme): readonly number[] =>
  Array.from({ length: k + 1 }, (_, i) => (scheme === "central" ? k / 2 : k) - i);

/** (-1)^i C(k, i). */
export function differenceWeights(k: number): readonly number[] {
  let binomial = 1;
  return Array.from({ length: k + 1 }, (_, i) => {
    if (i > 0) binomial = (binomial * (k - i + 1)) / i;
    return i % 2 === 0 ? binomial : -binomial;
  });
}

/** sigma^(k)(at), enclosed; refused where it may be zero. */
export function leadingDerivative(name: SmoothActivation, k: number, at: number): Interval {
  const found = derivativeEnclosure(name, k, point(at));
  if (found.lower <= 0 && found.upper >= 0)
    throw new ConstructError(`derivative ${k} of ${name} at ${at} may be zero: there is no x^${k} to find`);
  return found;
}

/**
 * At least sup_{|x| <= R} |Phi_h(x) - x^k|. Central: (k/24) h^2 R^(k+2) sup |sigma^(k+2)| / |sigma^(k)(b)|, from
 * E U = 0 and E U^2 = k/12; forward: (k/2) h R^(k+1) sup |sigma^(k+1)| / |sigma^(k)(b)|.
 */
export function differenceError(
  name: SmoothActivation,
  k: number,
  { h, radius = 1, at, scheme = "central" }: DifferenceOptions,
): number {
  if (k === 0) return 0;
  const central = scheme === "central";
  const reach = mulUp(central ? k / 2 : k, mulUp(h, radius));
  const order = k + (central ? 2 : 1);
  const most = smoothDerivativeBound(name, order, -addUp(reach, -at), addUp(reach, at));
  const { lower, upper } = leadingDerivative(name, k, at);
  const ratio = magnitude(div({ lower: -most, upper: most }, { lower, upper }));
  let size = mulUp(ratio, central ? mulUp(k / 24, 1 + 2 ** -52) : k / 2);
  size = mulUp(size, central ? mulUp(h, h) : h);
  for (let factor = 0; factor < order; factor++) size = mulUp(size, radius);
  return size;
}

/**
 * At most |Phi_h(R) - R^k|: the same with the least |sigma^(k+2)| (forward: |sigma^(k+1)|) on the way, zero where it
 * may change its sign. Both bounds meet as h goes to 0.
 */
export function differenceErrorAtLeast(
  name: SmoothActivation,
  k: number,
  { h, radius = 1, at, scheme = "central" }: DifferenceOptions,
): number {
  const central = scheme === "central";
  const reach = (central ? k / 2 : k) * h * radius;
  const order = k + (central ? 2 : 1);
  const { lower, upper } = derivativeEnclosure(name, order, {
    lower: central ? addDown(at, -reach) : at,
    upper: addUp(at, reach),
  });
  const least = Math.max(0, lower, -upper);
  const leading = magnitude(leadingDerivative(name, k, at));
  const constant = central ? ((k * h * h) / 24) * radius ** (k + 2) : ((k * h) / 2) * radius ** (k + 1);
  return ((constant * least) / leading) * (1 - 2 ** -46); // some 20 roundings on the way
}
