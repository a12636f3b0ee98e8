// Weighted sums, exactly: what a value of the network is in terms of other values, with the stored weights multiplied
// out in rational arithmetic.

import type { Exact } from "../numbers/exact/rational.ts";
import * as X from "../numbers/exact/rational.ts";
import { nextDown, nextUp } from "../numbers/rounding.ts";
import type { Scalar } from "./circuit.ts";
import { Refutation } from "./error.ts";

/** bias + sum of coefficient times value. */
export interface Affine {
  readonly bias: Exact;
  readonly of: ReadonlyMap<Scalar, Exact>;
}

/**
 * A value as a weighted sum of the given ones; bends that are not among them are an error, unless `collectsBends`
 * makes them terms of their own.
 */
export function affineIn(
  value: Scalar,
  basis: ReadonlySet<Scalar>,
  where: string,
  collectsBends = false,
): Affine {
  const isEnd = (s: Scalar): boolean =>
    basis.has(s) || (collectsBends && (s.kind === "relu" || s.kind === "abs"));
  const inner = reachable(value, isEnd);
  const weight = new Map<Scalar, Exact>([[value, 1]]);
  const of = new Map<Scalar, Exact>();
  let bias: Exact = 0;
  for (const s of inner) {
    const w = weight.get(s)!;
    if (isEnd(s)) of.set(s, w);
    else if (s.kind !== "sum")
      throw new Refutation(where, `it depends on a ${s.kind} that no block accounts for`);
    else {
      bias = X.add(bias, X.mul(w, s.bias));
      s.terms.forEach((term, k) => {
        weight.set(term, X.add(weight.get(term) ?? 0, X.mul(w, s.weights[k]!)));
      });
    }
  }
  return { bias, of };
}

/** The values between, those that are computed last first. */
function reachable(value: Scalar, isEnd: (s: Scalar) => boolean): readonly Scalar[] {
  const found = new Set([value]);
  const open = [value];
  while (open.length > 0) {
    const s = open.pop()!;
    if (isEnd(s) || s.kind !== "sum") continue;
    for (const term of s.terms) {
      if (found.has(term)) continue;
      found.add(term);
      open.push(term);
    }
  }
  return [...found].sort((a, b) => b.serial - a.serial);
}

/** Numbers between two exact ones. */
export interface Span {
  readonly lower: Exact;
  readonly upper: Exact;
}
export const spanOf = (lower: Exact, upper: Exact = lower): Span => ({ lower, upper });
export const plus = (x: Span, y: Span): Span => ({
  lower: X.add(x.lower, y.lower),
  upper: X.add(x.upper, y.upper),
});
export const times = (c: Exact, { lower, upper }: Span): Span =>
  X.sign(c) >= 0
    ? { lower: X.mul(c, lower), upper: X.mul(c, upper) }
    : { lower: X.mul(c, upper), upper: X.mul(c, lower) };
export const size = ({ lower, upper }: Span): Exact => X.max(X.neg(lower), upper);
export const absolute = (x: Span): Span => ({
  lower: X.max(0, X.max(x.lower, X.neg(x.upper))),
  upper: size(x),
});
export const around = ({ lower, upper }: Span, e: number): Span => ({
  lower: X.sub(lower, e),
  upper: X.add(upper, e),
});
export const total = (terms: readonly Exact[]): Exact => terms.reduce(X.add, 0);

/** A double that is not below. */
export function roundedUp(x: Exact): number {
  const nearest = X.toNumber(x);
  return X.compare(nearest, x) >= 0 ? nearest : nextUp(nearest);
}
export function roundedDown(x: Exact): number {
  const nearest = X.toNumber(x);
  return X.compare(nearest, x) <= 0 ? nearest : nextDown(nearest);
}
