// Taylor coefficients f^(k)(x) / k! as enclosures on an interval, by the recurrences of the functions' equations.

import type { Interval } from "../numbers/interval/index.ts";
import * as I from "../numbers/interval/index.ts";

/** c_{k+1} = next(c_k, k). */
export function chainTaylor(
  first: Interval,
  order: number,
  next: (c: Interval, k: number) => Interval,
): readonly Interval[] {
  const found = [first];
  for (let k = 0; k < order; k++) found.push(next(found[k]!, k));
  return found;
}

/** x^q, for any real q, with an infinite end where a negative power meets 0. */
function power(x: Interval, q: number): Interval {
  if (q === 0) return I.point(1);
  if (q > 0 || x.lower > 0 || x.upper < 0) return I.pow(x, I.point(q));
  if (x.lower === 0 && x.upper > 0)
    return { lower: I.pow(I.point(x.upper), I.point(q)).lower, upper: Number.POSITIVE_INFINITY };
  return { lower: Number.NEGATIVE_INFINITY, upper: Number.POSITIVE_INFINITY };
}

/** x^p: binomial(p, k) x^(p-k). */
export function powerTaylor(x: Interval, p: number, order: number): readonly Interval[] {
  const found: Interval[] = [];
  let binomial = I.point(1);
  for (let k = 0; k <= order; k++) {
    found.push(binomial.lower === 0 && binomial.upper === 0 ? I.point(0) : I.mul(binomial, power(x, p - k)));
    binomial = I.div(I.mul(binomial, I.sub(I.point(p), I.point(k))), I.point(k + 1));
  }
  return found;
}

/** f'' = sign f with f and f' given: f_{k+2} = sign f_k / ((k + 1) (k + 2)). */
export function waveTaylor(
  [value, derivative]: readonly [Interval, Interval],
  sign: 1 | -1,
  order: number,
): readonly Interval[] {
  const found = [value, derivative];
  for (let k = 0; found.length <= order; k++) found.push(I.div(found[k]!, I.point(sign * (k + 1) * (k + 2))));
  return found.slice(0, order + 1);
}

/** y' = a + b y + c y^2: (k + 1) y_{k+1} = (b + 2 c y) y_k + c sum_{0<j<k} y_j y_{k-j} for k > 0. */
export function riccatiTaylor(
  y: Interval,
  [a, b, c]: readonly [number, number, number],
  order: number,
): readonly Interval[] {
  // Without a linear term y^2 is known to be a square.
  const growth =
    b === 0 ? I.mul(I.point(c), I.squared(y)) : I.mul(y, I.add(I.point(b), I.mul(I.point(c), y)));
  const found = [y, I.add(I.point(a), growth)];
  const slope = I.add(I.point(b), I.mul(I.point(2 * c), y));
  for (let k = 1; k < order; k++) {
    let square = I.point(0);
    for (let j = 1; 2 * j < k; j++)
      square = I.add(square, I.mul(I.point(2), I.mul(found[j]!, found[k - j]!)));
    if (k % 2 === 0) square = I.add(square, I.squared(found[k / 2]!));
    const sum = I.add(I.mul(slope, found[k]!), I.mul(I.point(c), square));
    found.push(I.div(sum, I.point(k + 1)));
  }
  return found.slice(0, order + 1);
}
