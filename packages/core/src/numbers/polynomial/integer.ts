// Polynomials with integer coefficients over one denominator: long exact computations without reductions.

import { leastCommonMultiple, type Ratio, ratioOf } from "../exact/ratio.ts";
import type { Exact } from "../exact/rational.ts";

/** The coefficients are integers over odd 2^shift. */
export interface IntegerPolynomial {
  readonly coefficients: readonly bigint[];
  readonly odd: bigint;
  readonly shift: number;
}

/** A polynomial over one denominator. */
export function integerPolynomial(p: readonly Exact[]): IntegerPolynomial {
  const ratios = p.map(ratioOf);
  const odd = ratios.reduce((all, r) => leastCommonMultiple(all, r.odd), 1n);
  const shift = ratios.reduce((most, r) => Math.max(most, r.shift), 0);
  const coefficients = ratios.map((r) => {
    const numerator = r.odd === odd ? r.numerator : r.numerator * (odd / r.odd);
    return numerator << BigInt(shift - r.shift);
  });
  return { coefficients, odd, shift };
}

/** The value at x, not reduced: sum_i c_i p^i q^(d-i) over q^d, where x = p / q. */
export function evaluateRatio({ coefficients, odd, shift }: IntegerPolynomial, x: Ratio): Ratio {
  const degree = coefficients.length - 1;
  if (degree < 0) return { numerator: 0n, odd: 1n, shift: 0 };
  const step = BigInt(x.shift);
  let sum = coefficients[degree]!;
  let oddPower = 1n;
  let power = 0n;
  for (let i = degree - 1; i >= 0; i--) {
    power += step;
    let term = coefficients[i]! << power;
    if (x.odd !== 1n) {
      oddPower *= x.odd;
      term *= oddPower;
    }
    sum = sum * x.numerator + term;
  }
  return { numerator: sum, odd: x.odd === 1n ? odd : odd * oddPower, shift: shift + x.shift * degree };
}

/** factor(n) = lcm(1, ..., n): times this, an antiderivative of degree n keeps its denominator. */
function factor(n: number): bigint {
  let all = 1n;
  for (let k = 2n; k <= BigInt(n); k++) all = leastCommonMultiple(all, k);
  return all;
}
const factors = Array.from({ length: 64 }, (_, n) => factor(n));

/** A multiple of the antiderivative that vanishes at 0: `factor` times it, which keeps the denominator. */
export function antiderivative(p: IntegerPolynomial): {
  readonly multiple: IntegerPolynomial;
  readonly factor: bigint;
} {
  const { length } = p.coefficients;
  const all = factors[length] ?? factor(length);
  const coefficients = [0n, ...p.coefficients.map((c, k) => c * (all / BigInt(k + 1)))];
  return { multiple: { coefficients, odd: p.odd, shift: p.shift }, factor: all };
}

export function squared({ coefficients, odd, shift }: IntegerPolynomial): IntegerPolynomial {
  const result = new Array<bigint>(Math.max(0, 2 * coefficients.length - 1)).fill(0n);
  coefficients.forEach((a, i) => {
    result[2 * i] = result[2 * i]! + a * a;
    for (let j = 0; j < i; j++) result[i + j] = result[i + j]! + 2n * a * coefficients[j]!;
  });
  return { coefficients: result, odd: odd * odd, shift: 2 * shift };
}
