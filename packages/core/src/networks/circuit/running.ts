// Running sums of a circuit's network: one unit carries what has been added so far, lifted so that it is not negative.
import { add, type Exact, neg, sub, toNumber } from "../../numbers/exact/rational.ts";
import { powerOfTwoAbove } from "../../numbers/exact/rounding.ts";
import { combine, type Form, form, shifted } from "./form.ts";

/** A running sum: its form without constants over the units of the last layer, and what is kept out of it. */
export interface Running {
  form: Form;
  /** Added to the linear part, so that the unit that carries it is never negative. */
  lift: Exact;
  /** Lifts of other sums that were added to this one; the next layer takes them out. */
  strange: Exact;
  constant: Exact;
  /** Bounds of the linear part, at every level. */
  low: Exact;
  high: Exact;
}

export const running = (constant: Exact): Running => ({
  form: form(),
  lift: 0,
  strange: 0,
  constant,
  low: 0,
  high: 0,
});

/** What the sum's form has to be shifted by to be the sum. */
export const offsetOf = ({ constant, lift, strange }: Running): Exact => sub(sub(constant, lift), strange);

export function addTo(sum: Running, coefficient: Exact, part: Form): void {
  sum.form = combine([
    [1, sum.form],
    [coefficient, part],
  ]);
}

/** Adds another sum, which ends here. */
export function absorb(sum: Running, other: Running): void {
  addTo(sum, 1, other.form);
  sum.strange = add(sum.strange, other.lift);
}

/**
 * The row of the unit that carries the sum on; `least`: a lower bound of the sum, if better than its own.
 * Lifts are powers of two: a difference of lifts is a bias, and has to be a double.
 */
export function liftedRow(sum: Running, least?: number): Form {
  const short = sub(neg(sum.low), sum.lift);
  const more = least === undefined ? powerOfTwoAbove(short) : sub(0 - least, sum.lift);
  const row = shifted(sum.form, sub(more, sum.strange));
  sum.lift = add(sum.lift, more);
  sum.strange = 0;
  return row;
}

/** What the unit of a lifted sum reaches. */
export const topOf = ({ lift, high }: Running): number => toNumber(add(lift, high));
