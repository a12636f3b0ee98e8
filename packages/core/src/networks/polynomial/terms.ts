// Polynomials in several variables as lists of terms, with exact coefficients, and their change of variables.

import { ConstructError } from "../../functions/error.ts";
import { abs, add, div, type Exact, mul, neg, sign, sub } from "../../numbers/exact/rational.ts";
import type { Exponents } from "../monomial.ts";

/** coefficient * x^exponents. */
export interface Term {
  readonly coefficient: Exact;
  readonly exponents: Exponents;
}
export type PolynomialTerms = readonly Term[];

/**
 * The polynomial c_0 + c_1 x + c_2 x^2 + ... in one variable.
 * @example univariate([1, 0, 3]).length // 2
 */
export function univariate(coefficients: readonly Exact[]): PolynomialTerms {
  const terms = coefficients.map((coefficient, k): Term => ({ coefficient, exponents: [k] }));
  requireTerms("polynomial", terms);
  return terms.filter(({ coefficient }) => sign(coefficient) !== 0);
}

/** The number of variables; those of a box, if one is given, must be as many. */
export function variablesOf(polynomial: PolynomialTerms, box?: readonly Interval[]): number {
  const dimension = polynomial[0]?.exponents.length ?? 1;
  for (const { exponents } of polynomial)
    if (exponents.length !== dimension)
      throw new ConstructError(
        `a polynomial in ${dimension} variables has a term with exponents [${exponents}]`,
      );
  if (box && box.length !== dimension)
    throw new ConstructError(`a box of ${box.length} intervals for ${dimension} variables`);
  return dimension;
}

/** Coefficients that are numbers, and exponents that are whole numbers. */
export function requireTerms(what: string, polynomial: PolynomialTerms): void {
  for (const { coefficient, exponents } of polynomial) {
    if (typeof coefficient === "number" && !Number.isFinite(coefficient))
      throw new ConstructError(
        `${what}: the coefficient of the term with exponents [${exponents}] is ${coefficient}, not a finite number`,
      );
    if (exponents.length === 0 || exponents.some((a) => !Number.isSafeInteger(a) || a < 0))
      throw new ConstructError(`${what}: exponents [${exponents}] are not whole numbers of at least 0`);
  }
}

/**
 * The value at a point, exactly.
 * @example valueAt(univariate([1, 0, 3]), [2]) // 13
 */
export const valueAt = (polynomial: PolynomialTerms, x: readonly Exact[]): Exact =>
  polynomial.reduce(
    (total: Exact, { coefficient, exponents }) =>
      add(
        total,
        mul(
          coefficient,
          exponents.reduce((p: Exact, a, k) => mul(p, powerOf(x[k]!, a)), 1),
        ),
      ),
    0,
  );

function powerOf(x: Exact, exponent: number): Exact {
  let result: Exact = 1;
  for (let k = 0; k < exponent; k++) result = mul(result, x);
  return result;
}

/** t = scale x + shift. */
export interface Change {
  readonly scale: number;
  readonly shift: number;
}

/**
 * The polynomial as one of t_k = scale_k x_k + shift_k, exactly: x_k = (t_k - shift_k) / scale_k.
 * @example changeVariables(univariate([0, 0, 1]), [{ scale: 2, shift: -1 }]).map((t) => t.coefficient) // [0.25, 0.5, 0.25]
 */
export function changeVariables(polynomial: PolynomialTerms, changes: readonly Change[]): PolynomialTerms {
  const total = new Map<string, { coefficient: Exact; exponents: Exponents }>();
  for (const { coefficient, exponents } of polynomial) {
    let parts: { coefficient: Exact; exponents: readonly number[] }[] = [{ coefficient, exponents: [] }];
    exponents.forEach((exponent, k) => {
      const powers = powerExpansion(changes[k]!, exponent);
      parts = parts.flatMap((p) =>
        powers.map((c, j) => ({ coefficient: mul(p.coefficient, c), exponents: [...p.exponents, j] })),
      );
    });
    for (const { coefficient: c, exponents: e } of parts) {
      const key = e.join(" ");
      total.set(key, { coefficient: add(total.get(key)?.coefficient ?? 0, c), exponents: e });
    }
  }
  return [...total.values()].filter(({ coefficient }) => sign(coefficient) !== 0);
}

/** Coefficients of ((t - shift) / scale)^exponent in t. */
function powerExpansion({ scale, shift }: Change, exponent: number): Exact[] {
  let powers: Exact[] = [1];
  const [constant, slope] = [div(neg(shift), scale), div(1, scale)];
  for (let n = 0; n < exponent; n++)
    powers = Array.from({ length: powers.length + 1 }, (_, j) =>
      add(mul(powers[j] ?? 0, constant), mul(powers[j - 1] ?? 0, slope)),
    );
  return powers;
}

/** Where the variable x_k of a box lies. */
export type Interval = readonly [number, number];
/** centre: t in [-1, 1]; lower: t in [0, 1] from the lower end; upper: t in [0, 1] from the upper end. */
export type Normalization = "centre" | "lower" | "upper";

/**
 * tight: t uses all of its range; binary: the scale is a power of two, so that t = scale x + shift rounds only once,
 * by no more than u |t| however far from 0 the interval is.
 */
export type Scaling = "tight" | "binary";

/** A change of variable with short weights, so that sums of a few are exact, that maps the interval into its range. */
export function normalize([from, to]: Interval, kind: Normalization, scaling: Scaling = "tight"): Change {
  if (!(from < to && Number.isFinite(to - from)))
    throw new ConstructError(`[${from}, ${to}] is not an interval of positive length`);
  const width = kind === "centre" ? (to - from) / 2 : to - from;
  const origin = kind === "centre" ? from + width : kind === "lower" ? from : to;
  const sense = kind === "upper" ? -1 : 1;
  const least = kind === "centre" ? -1 : 0;
  const scales =
    scaling === "tight"
      ? [1, 1 - 2 ** -24, 1 - 2 ** -20].map((shrink) => roundToBits(shrink / width, 26))
      : [1, 2].map((shrink) => roundToBits(1 / width, 1) / shrink);
  for (const [attempt, size] of scales.entries()) {
    const scale = sense * size;
    const margin = least === 0 && attempt > 0 ? 2 ** -26 : 0;
    const shift = Math.round(2 ** 27 * (margin - scale * origin)) / 2 ** 27;
    const ends = [from, to].map((x) => add(mul(scale, x), shift));
    if (ends.every((t) => sign(sub(1, t)) >= 0 && sign(sub(t, least)) >= 0)) return { scale, shift };
  }
  throw new ConstructError(`the interval [${from}, ${to}] is too short for its distance from 0`);
}

/** x > 0 rounded down to so many bits. */
export function roundToBits(x: number, bits: number): number {
  const unit = 2 ** (Math.floor(Math.log2(x)) + 1 - bits);
  return Math.floor(x / unit) * unit;
}

/** sum |coefficient|: a bound of the polynomial on [-1, 1]^d. */
export const absoluteSum = (polynomial: PolynomialTerms): Exact =>
  polynomial.reduce((total: Exact, { coefficient }) => add(total, abs(coefficient)), 0);
