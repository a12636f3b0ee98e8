// Outward rounding: sums and products that are at least, or at most, the exact ones. Exact results stay exact.
import {
  add,
  compare,
  type Exact,
  isSafeProduct,
  mul,
  neg,
  productError,
  toNumber,
} from "../../numbers/exact/rational.ts";

const bump = (x: number): number => x + Math.max(Math.abs(x) * 2 ** -52, Number.MIN_VALUE);

/**
 * A double that is at least x, and x itself where x is one.
 * @example roundUp({ numerator: 1n, denominator: 3n }) > 1 / 3 // true
 */
export function roundUp(x: Exact): number {
  if (typeof x === "number") return x;
  const near = toNumber(x);
  return compare(near, x) >= 0 ? near : bump(near);
}
export const roundDown = (x: Exact): number => -roundUp(neg(x));

/** At least a + b. */
export function addUp(a: Exact, b: Exact): number {
  if (typeof a !== "number" || typeof b !== "number") return roundUp(add(a, b));
  const sum = a + b;
  const part = sum - a;
  const lost = a - (sum - part) + (b - part); // a + b - sum, exactly (Knuth)
  return lost > 0 ? bump(sum) : sum;
}
export const addDown = (a: Exact, b: Exact): number => -addUp(neg(a), neg(b));

/** At least a b. */
export function mulUp(a: Exact, b: Exact): number {
  if (a === 0 || b === 0) return 0;
  if (typeof a !== "number" || typeof b !== "number") return roundUp(mul(a, b));
  const product = a * b;
  if (!isSafeProduct(product) || !isSafeProduct(a) || !isSafeProduct(b)) return roundUp(mul(a, b));
  return productError(a, b, product) > 0 ? bump(product) : product;
}
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
