// The arithmetic that Taylor coefficients are computed in: plain numbers, or intervals that hold them.
import type { Interval } from "../numbers/interval/index.ts";
import * as I from "../numbers/interval/index.ts";

export interface Arithmetic<T> {
  point(x: number): T;
  add(a: T, b: T): T;
  mul(a: T, b: T): T;
  div(a: T, b: T): T;
  neg(a: T): T;
  /** a^2, which knows that both factors are the same number. */
  squared(a: T): T;
  /** a^exponent, infinite where a negative power meets 0. */
  pow(a: T, exponent: number): T;
  isZero(a: T): boolean;
}

export const numbers: Arithmetic<number> = {
  point: (x) => x,
  add: (a, b) => a + b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  neg: (a) => -a,
  squared: (a) => a * a,
  pow: (a, exponent) => a ** exponent,
  isZero: (a) => a === 0,
};

export const intervals: Arithmetic<Interval> = {
  point: I.point,
  add: I.add,
  mul: I.mul,
  div: I.div,
  neg: I.neg,
  squared: I.squared,
  pow(a, exponent) {
    if (exponent === 0) return I.point(1);
    if (exponent > 0 || a.lower > 0 || a.upper < 0) return I.pow(a, I.point(exponent));
    if (a.lower === 0 && a.upper > 0)
      return {
        lower: I.pow(I.point(a.upper), I.point(exponent)).lower,
        upper: Number.POSITIVE_INFINITY,
      };
    return { lower: Number.NEGATIVE_INFINITY, upper: Number.POSITIVE_INFINITY };
  },
  isZero: ({ lower, upper }) => lower === 0 && upper === 0,
};
