// Outward rounding of doubles: sums, products, quotients and roots that are surely not below (Up) or not above (Down)
// the real ones. JavaScript rounds to nearest only, so the sign of the rounding error decides whether to step on; where
// the operation is exact, so is the result.
import { productError } from "./exact/rational.ts";

const { MAX_VALUE, MIN_VALUE, POSITIVE_INFINITY, NEGATIVE_INFINITY } = Number;

/**
 * A double above x by one or two steps. |x| 2^-52 is at least the distance to the next double, and below the normal
 * range that distance is MIN_VALUE. What lies above -Infinity is -MAX_VALUE: that infinity was a sum that overflowed.
 * @example nextUp(1) > 1 // true
 */
export const nextUp = (x: number): number =>
  x === NEGATIVE_INFINITY ? -MAX_VALUE : x + Math.max(Math.abs(x) * 2 ** -52, MIN_VALUE);
/** A double below x, by one or two steps. */
export const nextDown = (x: number): number => -nextUp(-x);

/** Neither overflow nor underflow is near, so that productError tells the truth. */
const isSafe = (x: number): boolean => {
  const size = Math.abs(x);
  return size < 2 ** 900 && size > 2 ** -900;
};

/** Times or by these, nothing is rounded. */
const isUnit = (x: number): boolean => Math.abs(x) === 1 || Math.abs(x) === POSITIVE_INFINITY;

/**
 * At least a + b. Infinite summands stay as they are; Infinity - Infinity may be anything, at most Infinity.
 * @example addUp(0.1, 0.2) > 0.3 // true
 */
export function addUp(a: number, b: number): number {
  const sum = a + b;
  const part = sum - a;
  const lost = a - (sum - part) + (b - part); // a + b - sum, exactly (Knuth)
  if (lost <= 0) return sum + 0; // not -0
  if (lost > 0) return nextUp(sum);
  if (Number.isNaN(sum)) return POSITIVE_INFINITY;
  return Number.isFinite(a) && Number.isFinite(b) ? nextUp(sum) : sum;
}
/** At most a + b. */
export const addDown = (a: number, b: number): number => 0 - addUp(-a, -b);

/**
 * At least a b. Zero times an infinite end of an interval is zero: an end that is infinite is only never reached.
 * @example mulUp(0.1, 0.1) >= 0.01 // true
 */
export function mulUp(a: number, b: number): number {
  if (a === 0 || b === 0) return 0;
  const product = a * b;
  if (isSafe(product) && isSafe(a) && isSafe(b))
    return productError(a, b, product) > 0 ? nextUp(product) : product;
  return isUnit(a) || isUnit(b) ? product : nextUp(product);
}
/** At most a b. */
export const mulDown = (a: number, b: number): number => 0 - mulUp(-a, b);

/**
 * At least a / b, for b other than zero.
 * @example divUp(1, 3) > 1 / 3 // true
 */
export function divUp(a: number, b: number): number {
  if (a === 0) return 0;
  const quotient = a / b;
  if (isSafe(quotient) && isSafe(a) && isSafe(b)) {
    const back = quotient * b;
    const above = back - a + productError(quotient, b, back); // quotient b - a: its sign is exact
    return b > 0 === above >= 0 || above === 0 ? quotient : nextUp(quotient);
  }
  if (Number.isNaN(quotient)) return POSITIVE_INFINITY;
  return Number.isFinite(a) && !isUnit(b) ? nextUp(quotient) : quotient;
}
/** At most a / b. */
export const divDown = (a: number, b: number): number => 0 - divUp(-a, b);

/** root^2 - x for the rounded root: negative when the root was rounded down. */
function rootExcess(x: number, root: number): number {
  const back = root * root;
  return back - x + productError(root, root, back);
}

/**
 * At least the square root of x >= 0.
 * @example sqrtUp(2) ** 2 >= 2 // true
 */
export function sqrtUp(x: number): number {
  if (x === 0 || x === POSITIVE_INFINITY) return x;
  const root = Math.sqrt(x);
  return isSafe(x) && rootExcess(x, root) >= 0 ? root : nextUp(root);
}
/** At most the square root of x >= 0. */
export function sqrtDown(x: number): number {
  if (x === 0 || x === POSITIVE_INFINITY) return x;
  const root = Math.sqrt(x);
  return isSafe(x) && rootExcess(x, root) <= 0 ? root : nextDown(root);
}

/**
 * At least the sum, and the product, of numbers that are not negative.
 * @example sumUp(0.1, 0.2, 0.3) >= 0.6 // true
 */
export const sumUp = (...terms: readonly number[]): number => terms.reduce(addUp, 0);
export const productUp = (...factors: readonly number[]): number => factors.reduce(mulUp, 1);
