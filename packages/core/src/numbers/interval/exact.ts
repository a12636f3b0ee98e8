// Enclosures: a number that lies between two exact ones, which are equal where it is known exactly.
import { abs, add, compare, type Exact, max, min, mul, neg, sub, toNumber } from "../exact/rational.ts";

/** lower <= the number <= upper; the number itself when both are equal. */
export interface Enclosure {
  readonly lower: Exact;
  readonly upper: Exact;
}

/** A number that is known exactly. `exactly(2)` encloses 2 alone. */
export const exactly = (x: Exact): Enclosure => ({ lower: x, upper: x });

export const isExact = ({ lower, upper }: Enclosure): boolean => compare(lower, upper) === 0;

/** The middle, as a double. `midpoint({ lower: 1, upper: 2 })` is 1.5. */
export const midpoint = ({ lower, upper }: Enclosure): number => toNumber(mul(add(lower, upper), 0.5));

/** The greater of two enclosed numbers. */
export const greater = (a: Enclosure, b: Enclosure): Enclosure => ({
  lower: max(a.lower, b.lower),
  upper: max(a.upper, b.upper),
});

/** The lesser of two enclosed numbers. */
export const lesser = (a: Enclosure, b: Enclosure): Enclosure => ({
  lower: min(a.lower, b.lower),
  upper: min(a.upper, b.upper),
});

export const negated = ({ lower, upper }: Enclosure): Enclosure => ({ lower: neg(upper), upper: neg(lower) });

/** Is it as narrow as `tolerance` times a number of this size? */
export const isWithin = ({ lower, upper }: Enclosure, tolerance: number, size: Exact): boolean =>
  compare(sub(upper, lower), mul(tolerance, abs(size))) <= 0;
