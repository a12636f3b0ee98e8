// Polynomials with rational coefficients: exact values and signs, in doubles wherever these are enough.

import { exactOf, ratioOf } from "../exact/ratio.ts";
import { type Exact, isSafeProduct, mul, productError, sign, toNumber } from "../exact/rational.ts";
import { evaluateRatio, type IntegerPolynomial, integerPolynomial } from "./integer.ts";

/** c0 + c1 x + c2 x^2 + ...: the coefficients, lowest first. */
export type Polynomial = readonly Exact[];

/** A polynomial that is evaluated often; what that needs is computed once. */
export class ExactPolynomial {
  /** Without leading zeros; empty for zero. */
  readonly coefficients: Polynomial;
  readonly #rounded: readonly number[];
  #integers: IntegerPolynomial | undefined;
  #derivative: ExactPolynomial | undefined;

  constructor(coefficients: Polynomial) {
    let length = coefficients.length;
    while (length > 0 && sign(coefficients[length - 1]!) === 0) length--;
    this.coefficients = length === coefficients.length ? coefficients : coefficients.slice(0, length);
    this.#rounded = this.coefficients.every((c) => typeof c === "number")
      ? (this.coefficients as readonly number[])
      : this.coefficients.map(toNumber);
  }

  /** The degree; -1 for zero. */
  get degree(): number {
    return this.coefficients.length - 1;
  }

  get integers(): IntegerPolynomial {
    this.#integers ??= integerPolynomial(this.coefficients);
    return this.#integers;
  }

  get derivative(): ExactPolynomial {
    this.#derivative ??= new ExactPolynomial(this.coefficients.slice(1).map((c, k) => mul(c, k + 1)));
    return this.#derivative;
  }

  at(x: Exact): Exact {
    const inDoubles = typeof x === "number" ? exactHorner(this.coefficients, x) : undefined;
    return inDoubles ?? exactOf(evaluateRatio(this.integers, ratioOf(x)));
  }

  signAt(x: Exact): number {
    const { value, error } = this.near(x);
    if (Math.abs(value) > error) return Math.sign(value);
    const { numerator } = evaluateRatio(this.integers, ratioOf(x));
    return numerator > 0n ? 1 : numerator < 0n ? -1 : 0;
  }

  /**
   * The value in floating point, and a bound on its error: x and d + 1 coefficients are rounded, then follow
   * Horner's 2 d operations, so that 4 (d + 2) half-units of sum |c_i| |x|^i are ample.
   */
  near(exact: Exact): { readonly value: number; readonly error: number } {
    const c = this.#rounded;
    const x = toNumber(exact);
    let value = 0;
    let size = 0;
    for (let i = c.length - 1; i >= 0; i--) {
      value = value * x + c[i]!;
      size = size * Math.abs(x) + Math.abs(c[i]!);
    }
    const error = 4 * (c.length + 1) * 2 ** -53 * size;
    // Where numbers are so small or large that rounding is not relative, nothing is known.
    const isTame = error > 1e-250 && error < 1e250 && (exact === 0 || Math.abs(x) > 1e-250);
    return { value, error: isTame ? error : Number.POSITIVE_INFINITY };
  }

  /** A bound on |p| for |x| <= r: the sum of |c_i| r^i. */
  sizeWithin(r: Exact): Exact {
    const { coefficients, ...scale } = this.integers;
    const sizes = coefficients.map((c) => (c < 0n ? -c : c));
    return exactOf(evaluateRatio({ coefficients: sizes, ...scale }, ratioOf(r)));
  }
}

/** Horner's rule in doubles, or undefined when one of its operations is not exact. */
function exactHorner(coefficients: Polynomial, x: number): number | undefined {
  let value = 0;
  for (let i = coefficients.length - 1; i >= 0; i--) {
    const c = coefficients[i]!;
    if (typeof c !== "number") return undefined;
    const product = value * x;
    if (value !== 0 && x !== 0 && !(isSafeProduct(product) && productError(value, x, product) === 0))
      return undefined;
    const sum = product + c;
    const part = sum - product;
    if (product - (sum - part) + (c - part) !== 0) return undefined;
    value = sum;
  }
  return value;
}

/**
 * The value of a polynomial.
 * @example polynomialAt([1, 0, 2], 0.5) // 1.5
 */
export const polynomialAt = (p: Polynomial, x: Exact): Exact => new ExactPolynomial(p).at(x);
