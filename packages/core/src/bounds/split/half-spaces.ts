// Several linear forms that would all have to be <= 0 somewhere in a box: can they, and where?

import { unitRoundoff } from "../../numbers/floating-point.ts";
import type { LowerForm } from "../linear/box-bounds.ts";
import type { Box } from "../linear/row-bounds.ts";

type Form = Pick<LowerForm, "slopes" | "constant">;

const corner = (slope: number, lower: number, upper: number): number => (slope > 0 ? lower : upper);

/** The least value on the box, rounded down. */
export function leastValue({ slopes, constant }: Form, { lower, upper }: Box): number {
  let [value, size] = [constant, Math.abs(constant)];
  for (let i = 0; i < slopes.length; i++) {
    const term = slopes[i]! * corner(slopes[i]!, lower[i]!, upper[i]!);
    value += term;
    size += Math.abs(term);
  }
  return value - 4 * (slopes.length + 4) * unitRoundoff * size;
}

const valueAtCorner = ({ slopes, constant }: Form, by: Form, { lower, upper }: Box): number => {
  let value = constant;
  for (let i = 0; i < slopes.length; i++) value += slopes[i]! * corner(by.slopes[i]!, lower[i]!, upper[i]!);
  return value;
};

/** A bound of all that is added up when the form is evaluated on the box. */
const sizeOn = ({ slopes, constant }: Form, { lower, upper }: Box): number =>
  slopes.reduce(
    (sum, a, i) => sum + Math.abs(a) * Math.max(Math.abs(lower[i]!), Math.abs(upper[i]!)),
    Math.abs(constant),
  );

/** (1 - step) p + step q, lowered by what rounding its coefficients can change on the box. */
const between = (p: Form, q: Form, step: number, sizes: number): Form => ({
  slopes: p.slopes.map((a, i) => (1 - step) * a + step * q.slopes[i]!),
  constant: (1 - step) * p.constant + step * q.constant - 8 * unitRoundoff * sizes,
});

const [rounds, halvings] = [10, 5];

/**
 * A convex combination of the forms whose least value on the box is great: where it is above 0, no point of the box has
 * all forms <= 0. Found by steps towards the form that is greatest at the present one's minimum (Frank and Wolfe).
 */
export function greatestCombination(forms: readonly LowerForm[], box: Box): LowerForm {
  if (forms.length === 0)
    return { slopes: box.lower.map(() => 0), constant: 0, least: Number.NEGATIVE_INFINITY, rounding: 0 };
  let best = forms.reduce((p, q) => (q.least > p.least ? q : p));
  if (forms.length === 1) return best;
  for (let round = 0; round < rounds && !(best.least > 0); round++) {
    let [towards, greatest] = [best, Number.NEGATIVE_INFINITY];
    for (const form of forms) {
      const value = valueAtCorner(form, best, box);
      if (value > greatest) [towards, greatest] = [form, value];
    }
    const better = bestStep(best, towards, box);
    if (!better) break;
    best = better;
  }
  return best;
}

function bestStep(from: LowerForm, towards: LowerForm, box: Box): LowerForm | undefined {
  const sizes = (sizeOn(from, box) + sizeOn(towards, box)) * (1 + 4 * box.lower.length * unitRoundoff);
  const rounding = Math.max(from.rounding, towards.rounding) + 16 * unitRoundoff * sizes;
  let found: LowerForm | undefined;
  for (let k = 1; k <= halvings; k++) {
    const form = between(from, towards, 2 ** -k, sizes);
    const least = leastValue(form, box);
    if (least > (found ?? from).least) found = { ...form, least, rounding };
    else if (found) break;
  }
  return found;
}

/** The part of the box where the form can be <= 0, rounded outward: undefined if there is none. */
export function contracted({ slopes, constant }: Form, box: Box): Box | undefined {
  const [lower, upper] = [box.lower.slice(), box.upper.slice()];
  let [sum, size] = [constant, Math.abs(constant)];
  for (let i = 0; i < slopes.length; i++) {
    const term = slopes[i]! * corner(slopes[i]!, lower[i]!, upper[i]!);
    sum += term;
    size += Math.abs(term);
  }
  const slack = 4 * (slopes.length + 8) * unitRoundoff * size;
  if (sum - slack > 0) return undefined;
  for (let i = 0; i < slopes.length; i++) {
    const a = slopes[i]!;
    // a x_i <= a corner - sum of all terms
    const room = (slack - sum) / Math.abs(a);
    const reach = room * (1 + 8 * unitRoundoff);
    if (a > 0) upper[i] = Math.min(upper[i]!, outward(box.lower[i]! + reach, reach));
    else if (a < 0) lower[i] = Math.max(lower[i]!, -outward(-box.upper[i]! + reach, reach));
  }
  return { lower, upper };
}

const outward = (x: number, reach: number): number =>
  x + 4 * unitRoundoff * (Math.abs(x) + reach) + Number.MIN_VALUE;
