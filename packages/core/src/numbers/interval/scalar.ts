// Intervals of real numbers with outward-rounded ends: whatever numbers lie in the arguments, the real result lies in
// the interval that is given.
import { addDown, addUp, divDown, divUp, mulDown, mulUp, sqrtDown, sqrtUp } from "../rounding.ts";

/** The real numbers from lower to upper; an infinite end stands for numbers without bound. */
export interface Interval {
  readonly lower: number;
  readonly upper: number;
}

/**
 * The interval between two numbers.
 * @example interval(0, 1).upper // 1
 */
export function interval(lower: number, upper: number): Interval {
  if (!(lower <= upper)) throw new RangeError(`there is no number between ${lower} and ${upper}`);
  return { lower, upper };
}

/** One number, known exactly. */
export const point = (x: number): Interval => ({ lower: x, upper: x });
export const isPoint = ({ lower, upper }: Interval): boolean => lower === upper;
export const contains = ({ lower, upper }: Interval, x: number): boolean => lower <= x && x <= upper;

/**
 * The least interval that holds both.
 * @example hull(interval(0, 1), interval(3, 4)).upper // 4
 */
export const hull = (x: Interval, y: Interval): Interval => ({
  lower: Math.min(x.lower, y.lower),
  upper: Math.max(x.upper, y.upper),
});

/** The greatest absolute value. */
export const magnitude = ({ lower, upper }: Interval): number => Math.max(-lower, upper);

/**
 * x + y.
 * @example add(interval(0, 1), interval(2, 3)).upper // 4
 */
export const add = (x: Interval, y: Interval): Interval => ({
  lower: addDown(x.lower, y.lower),
  upper: addUp(x.upper, y.upper),
});

export const neg = (x: Interval): Interval => ({ lower: 0 - x.upper, upper: 0 - x.lower });
export const sub = (x: Interval, y: Interval): Interval => ({
  lower: addDown(x.lower, -y.upper),
  upper: addUp(x.upper, -y.lower),
});

/**
 * x y: the extremes lie at the ends.
 * @example mul(interval(-1, 2), interval(3, 4)).lower // -4
 */
export function mul(x: Interval, y: Interval): Interval {
  if (x.lower >= 0 && y.lower >= 0)
    return { lower: mulDown(x.lower, y.lower), upper: mulUp(x.upper, y.upper) };
  return {
    lower: Math.min(
      mulDown(x.lower, y.lower),
      mulDown(x.lower, y.upper),
      mulDown(x.upper, y.lower),
      mulDown(x.upper, y.upper),
    ),
    upper: Math.max(
      mulUp(x.lower, y.lower),
      mulUp(x.lower, y.upper),
      mulUp(x.upper, y.lower),
      mulUp(x.upper, y.upper),
    ),
  };
}

/**
 * x / y; y must not contain zero.
 * @example div(point(1), interval(2, 4)).upper // 0.5
 */
export function div(x: Interval, y: Interval): Interval {
  if (y.lower <= 0 && y.upper >= 0)
    throw new RangeError(`it divides by a number between ${y.lower} and ${y.upper}, which may be zero`);
  return {
    lower: Math.min(
      divDown(x.lower, y.lower),
      divDown(x.lower, y.upper),
      divDown(x.upper, y.lower),
      divDown(x.upper, y.upper),
    ),
    upper: Math.max(
      divUp(x.lower, y.lower),
      divUp(x.lower, y.upper),
      divUp(x.upper, y.lower),
      divUp(x.upper, y.upper),
    ),
  };
}

export const inverse = (x: Interval): Interval => div(point(1), x);

export const min = (x: Interval, y: Interval): Interval => ({
  lower: Math.min(x.lower, y.lower),
  upper: Math.min(x.upper, y.upper),
});
export const max = (x: Interval, y: Interval): Interval => ({
  lower: Math.max(x.lower, y.lower),
  upper: Math.max(x.upper, y.upper),
});

/**
 * |x|.
 * @example abs(interval(-3, 2)).lower // 0
 */
export const abs = (x: Interval): Interval => ({
  lower: Math.max(0, x.lower, -x.upper),
  upper: magnitude(x),
});

/**
 * x^2, which knows that both factors are the same number.
 * @example squared(interval(-1, 2)).lower // 0
 */
export function squared(x: Interval): Interval {
  const { lower, upper } = abs(x);
  return { lower: mulDown(lower, lower), upper: mulUp(upper, upper) };
}

/** The square root of x, which must not be negative. */
export function sqrt(x: Interval): Interval {
  if (x.lower < 0) throw new RangeError(`it takes the square root of a number that may be ${x.lower}`);
  return { lower: sqrtDown(x.lower), upper: sqrtUp(x.upper) };
}
