// Outward rounding of exact numbers: doubles that are at least, or at most, a rational, a sum or a product of such. What
// is a double stays exact.
import * as doubles from "../rounding.ts";
import { add, compare, type Exact, mul, neg, toNumber } from "./rational.ts";

/**
 * A double that is at least x, and x itself where x is one.
 * @example roundUp({ numerator: 1n, denominator: 3n }) > 1 / 3 // true
 */
export function roundUp(x: Exact): number {
  if (typeof x === "number") return x;
  const near = toNumber(x);
  return compare(near, x) >= 0 ? near : doubles.nextUp(near);
}
export const roundDown = (x: Exact): number => -roundUp(neg(x));

/** At least a + b. */
export const addUp = (a: Exact, b: Exact): number =>
  typeof a === "number" && typeof b === "number" ? doubles.addUp(a, b) : roundUp(add(a, b));
/** At most a + b. */
export const addDown = (a: Exact, b: Exact): number => -addUp(neg(a), neg(b));

/** At least a b. */
export const mulUp = (a: Exact, b: Exact): number =>
  typeof a === "number" && typeof b === "number" ? doubles.mulUp(a, b) : roundUp(mul(a, b));
/** At most a b. */
export const mulDown = (a: Exact, b: Exact): number => -mulUp(neg(a), b);

/** The least power of two that is at least x; 0 for x <= 0. */
export function powerOfTwoAbove(x: Exact): number {
  if (compare(x, 0) <= 0) return 0;
  if (x === Number.POSITIVE_INFINITY) return x;
  let power = 2 ** Math.ceil(Math.log2(toNumber(x)));
  while (compare(power, x) < 0) power *= 2;
  while (compare(power / 2, x) >= 0) power /= 2;
  return power;
}
