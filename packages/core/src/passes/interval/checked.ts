// What no rule may give: an enclosure that holds no number, or integers that their type does not hold.

import { integerRange } from "../../graph/integer-range.ts";
import type { IntervalArray } from "../../numbers/interval/index.ts";
import { type IntervalTensor, Unreadable } from "./tensor.ts";

/** The first place at which bounds hold no number: one is NaN, or the lower one is above the upper one. */
export const emptyPlace = ({ lower, upper }: IntervalArray): number => {
  for (let k = 0; k < lower.length; k++) if (!(lower[k]! <= upper[k]!)) return k;
  return -1;
};

/**
 * The same tensor, if it can be one: an enclosure that is empty would bound everything after it by nothing. An integer
 * beyond its type wraps, saturates or is anything, as the runtime likes.
 */
export function checked(x: IntervalTensor): IntervalTensor {
  const empty = emptyPlace(x);
  if (empty >= 0) {
    const [l, u] = [x.lower[empty]!, x.upper[empty]!];
    throw new Unreadable(
      Number.isNaN(l) || Number.isNaN(u) ? "it gives NaN" : `its bounds ${l} .. ${u} hold no number`,
    );
  }
  const range = integerRange(x.type);
  if (!range) return x;
  const [least, greatest] = range;
  for (let k = 0; k < x.lower.length; k++)
    if (x.lower[k]! < least || x.upper[k]! > greatest)
      throw new Unreadable(`its result ${x.lower[k]} .. ${x.upper[k]} may leave the range of ${x.type}`);
    else if (!Number.isInteger(x.lower[k]!) || !Number.isInteger(x.upper[k]!))
      throw new Unreadable(`its result ${x.lower[k]} .. ${x.upper[k]} is not of ${x.type}`);
  return x;
}
