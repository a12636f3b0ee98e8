// What rounding to nearest costs: a rounded number is off by at most u times its size, and by half the spacing of the
// numbers around it.
import { powerOfTwoAbove } from "./exact/rounding.ts";
import { addDown, divUp, mulUp } from "./rounding.ts";

/** u of doubles. */
export const unitRoundoff = 2 ** -53;

/**
 * gamma_n = n u / (1 - n u), rounded up: n roundings change a product by at most this factor, and a sum of products by
 * at most this part of sum |w| |x|, whatever its order (Higham 2002, section 3.1).
 * @example gamma(2) > 2 ** -52 // true
 */
export function gamma(n: number, u = unitRoundoff): number {
  const all = mulUp(n, u);
  return all < 1 ? divUp(all, addDown(1, -all)) : Number.POSITIVE_INFINITY;
}

/**
 * What rounding a number of at most this size to a double costs at most.
 * @example halfSpacing(1) === 2 ** -54 // true
 */
export const halfSpacing = (most: number): number =>
  Math.max((powerOfTwoAbove(most) / 2) * unitRoundoff, Number.MIN_VALUE);
