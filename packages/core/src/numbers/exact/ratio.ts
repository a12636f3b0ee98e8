// Quotients of integers that are not reduced: what long exact computations pass along, and long exact sums.

import { type Enclosure, exactly } from "../interval/exact.ts";
import {
  bitLength,
  type Exact,
  fraction,
  fractionBits,
  gcd,
  reduce,
  scaledInteger,
  trailingZeros,
} from "./rational.ts";

/** numerator / (odd 2^shift), with odd positive and odd. */
export interface Ratio {
  readonly numerator: bigint;
  readonly odd: bigint;
  readonly shift: number;
}

/** A number as a quotient. `ratioOf(0.75)` is 3 / 2^2. */
export function ratioOf(x: Exact): Ratio {
  if (typeof x === "number") {
    const shift = fractionBits(x);
    return { numerator: scaledInteger(x, shift), odd: 1n, shift };
  }
  const { numerator, denominator } = fraction(x);
  const shift = trailingZeros(denominator);
  return { numerator, odd: denominator >> BigInt(shift), shift };
}

/** The number that a quotient is. */
export const exactOf = ({ numerator, odd, shift }: Ratio): Exact => reduce(numerator, odd << BigInt(shift));

/** a + b, over the product of their odd parts unless these are equal. */
export function addRatios(a: Ratio, b: Ratio): Ratio {
  const shift = Math.max(a.shift, b.shift);
  const left = a.numerator << BigInt(shift - a.shift);
  const right = b.numerator << BigInt(shift - b.shift);
  if (a.odd === b.odd) return { numerator: left + right, odd: a.odd, shift };
  return { numerator: left * b.odd + right * a.odd, odd: a.odd * b.odd, shift };
}

/** The least common multiple of two positive integers. */
export const leastCommonMultiple = (a: bigint, b: bigint): bigint =>
  a === b || b === 1n ? a : (a / gcd(a, b)) * b;

/** Bits of a denominator up to which a sum is worth reducing; beyond, it is enclosed instead. */
const exactBits = 2 ** 17;
/** Bits behind the leading one to which the terms of a long sum are known. */
const enclosedBits = 192;

/**
 * A sum of many quotients. Neighbours with one denominator are added at once, the others at the end: exactly,
 * or, where the common denominator would be astronomic, between two bounds about 2^-180 apart, relatively.
 * @example new ExactSum().enclosure() // 0; after add(ratioOf(0.5)): 0.5, exactly
 */
export class ExactSum {
  #dyadic: Ratio = { numerator: 0n, odd: 1n, shift: 0 };
  readonly #others: Ratio[] = [];

  add(term: Ratio): void {
    const last = this.#others.at(-1);
    if (term.odd === 1n) this.#dyadic = addRatios(this.#dyadic, term);
    else if (last?.odd === term.odd) this.#others[this.#others.length - 1] = addRatios(last, term);
    else this.#others.push(term);
  }

  /** With more bits than the limit in the common denominator, bounds; Infinity asks for the exact sum always. */
  enclosure(limit = exactBits): Enclosure {
    const bits = this.#others.reduce((sum, { odd }) => sum + bitLength(odd), 0);
    return bits <= limit ? exactly(this.#exact()) : this.#enclosed();
  }

  /** In a balanced tree, so that no long fraction is made more often than it must be. */
  #exact(): Exact {
    let level = [this.#dyadic, ...this.#others];
    while (level.length > 1) {
      const next: Ratio[] = [];
      for (let k = 0; k < level.length; k += 2)
        next.push(k + 1 < level.length ? addRatios(level[k]!, level[k + 1]!) : level[k]!);
      level = next;
    }
    return exactOf(level[0]!);
  }

  /** Each term rounded down to a multiple of 2^-shift: the sum lies below by less than one such unit a term. */
  #enclosed(): Enclosure {
    const terms = [this.#dyadic, ...this.#others].filter((r) => r.numerator !== 0n);
    if (terms.length === 0) return exactly(0);
    const leading = terms.map((r) => bitLength(r.numerator) - bitLength(r.odd) - r.shift);
    const shift = enclosedBits - leading.reduce((most, bits) => Math.max(most, bits));
    let lower = 0n;
    for (const { numerator, odd, shift: own } of terms) {
      const scaled = shift >= own ? numerator << BigInt(shift - own) : numerator >> BigInt(own - shift);
      const quotient = scaled / odd;
      lower += scaled < 0n ? quotient - 1n : quotient;
    }
    const scale = { odd: 1n, shift: Math.max(shift, 0) };
    const unscale = BigInt(Math.max(-shift, 0));
    return {
      lower: exactOf({ numerator: lower << unscale, ...scale }),
      // A negative shift drops bits before the division: one unit more for each term.
      upper: exactOf({ numerator: (lower + 2n * BigInt(terms.length)) << unscale, ...scale }),
    };
  }
}
