// What sparse grids leave out: |v_{l,i}| <= 2^-d 4^-|l|_1 |f|, |f| = sup |D^(2,...,2) f|, summed over the levels that
// the grid does not have.

import { add, div, type Exact, mul, sub } from "../../numbers/exact/rational.ts";
import { roundUp } from "../../numbers/exact/rounding.ts";
import { mulUp } from "../../numbers/rounding.ts";

/**
 * sum_{t >= n + d} C(t-1, d-1) 4^-t = 3^-d - sum_{t < n + d} C(t-1, d-1) 4^-t, times 2^-d: exactly.
 * @example 24 * toNumber(sparseTail(1, 1)) // 1
 */
export function sparseTail(dimension: number, level: number): Exact {
  let rest: Exact = 1;
  for (let j = 0; j < dimension; j++) rest = div(rest, 3);
  // C(t-1, d-1) 4^-t for t = d, d+1, ...
  let term: Exact = 4 ** -dimension;
  for (let t = dimension; t < level + dimension; t++) {
    rest = sub(rest, term);
    term = div(mul(term, t), 4 * (t - dimension + 1));
  }
  return mul(rest, 2 ** -dimension);
}

/** At least sup |f - f_n|, for f with |D^(2,...,2) f| <= mixed that vanishes on the boundary. */
export const truncationBound = (dimension: number, level: number, mixed: number): number =>
  mulUp(mixed, roundUp(sparseTail(dimension, level)));

/**
 * 2 |f| 8^-d 4^-n A(d, n), A = sum_{k<d} C(n+d-1, k): the closed form that is usually quoted.
 * @example toNumber(quotedTail(1, 1)) // 0.0625
 */
export function quotedTail(dimension: number, level: number): Exact {
  let [A, binomial]: [Exact, Exact] = [0, 1];
  for (let k = 0; k < dimension; k++) {
    A = add(A, binomial);
    binomial = div(mul(binomial, level + dimension - 1 - k), k + 1);
  }
  return mul(mul(2 * 8 ** -dimension, 4 ** -level), A);
}
