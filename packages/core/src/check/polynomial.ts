// A curve by a polynomial in t = scale z + shift: is it within a claimed distance on a range?

import type { Exact } from "../engine/exact.ts";
import * as X from "../engine/exact.ts";
import type { Interval } from "../engine/interval.ts";
import * as I from "../engine/interval.ts";
import { type RealFunction, taylorOf } from "./functions.ts";
import { roundedDown, roundedUp } from "./linear.ts";
import type { Curve } from "./spline.ts";

export interface Polynomial {
  /** z = |... ||u - c_1| - c_2| ...|. */
  readonly folds: readonly Exact[];
  readonly scale: number;
  readonly shift: number;
  /** Of t^0, t^1, ... */
  readonly coefficients: readonly Exact[];
}

/** Taylor coefficients of the polynomial at z, by repeated synthetic division. */
function expansion(
  { scale, shift }: Polynomial,
  coefficients: readonly Interval[],
  z: number,
): readonly Interval[] {
  const t = I.add(I.mul(I.point(scale), I.point(z)), I.point(shift));
  const rest = [...coefficients];
  let power = I.point(1);
  return coefficients.map((_, j) => {
    for (let k = rest.length - 2; k >= j; k--) rest[k] = I.add(rest[k]!, I.mul(t, rest[k + 1]!));
    const found = I.mul(power, rest[j]!);
    power = I.mul(power, I.point(scale));
    return found;
  });
}

/** A bound of |f - p| on a cell: the Taylor polynomial of f - p at its middle, and the remainder of f. */
function cellBound(
  f: RealFunction,
  p: Polynomial,
  coefficients: readonly Interval[],
  from: number,
  to: number,
): number {
  const n = coefficients.length;
  const middle = from + (to - from) / 2;
  const reach = I.point(Math.max(I.addUp(to, -middle), I.addUp(middle, -from)));
  try {
    const [exact, own] = [taylorOf(f, I.point(middle), n - 1), expansion(p, coefficients, middle)];
    let sum = I.abs(taylorOf(f, { lower: from, upper: to }, n)[n]!);
    for (let j = n - 1; j >= 0; j--) sum = I.add(I.mul(sum, reach), I.abs(I.sub(exact[j]!, own[j]!)));
    return sum.upper;
  } catch (error) {
    if (error instanceof RangeError) return Number.POSITIVE_INFINITY; // too wide a cell
    throw error;
  }
}

const deepest = 24;

/** Is |curve - p| at most `allowed` for all z in the range? Cells are halved until they show it. */
export function isPolynomialNear(
  { f, sign }: Curve,
  p: Polynomial,
  { lower, upper }: Interval,
  allowed: Exact,
): boolean {
  const bound = roundedDown(allowed);
  const coefficients = p.coefficients
    .map((c) => X.mul(sign, c))
    .map((c) => ({ lower: roundedDown(c), upper: roundedUp(c) }));
  const isNear = (from: number, to: number, depth: number): boolean => {
    if (cellBound(f, p, coefficients, from, to) <= bound) return true;
    const middle = from + (to - from) / 2;
    if (depth === deepest || !(middle > from && middle < to)) return false;
    return isNear(from, middle, depth + 1) && isNear(middle, to, depth + 1);
  };
  return (isMonomial(f, p) && bound >= 0) || isNear(lower, upper, 0);
}

/** x^n itself. */
function isMonomial(
  { op, exponent }: RealFunction,
  { folds, scale, shift, coefficients }: Polynomial,
): boolean {
  const isOwn = (c: Exact, k: number): boolean => X.compare(c, k === exponent ? 1 : 0) === 0;
  return (
    op === "power" &&
    folds.length === 0 &&
    scale === 1 &&
    shift === 0 &&
    coefficients.length > exponent! &&
    coefficients.every(isOwn)
  );
}
