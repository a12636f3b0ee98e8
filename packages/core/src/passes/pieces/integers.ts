// Integers stay in the range of their type, or are refused.

import { integerRange } from "../../graph/integer-range.ts";
import { compare, type Exact, floor, toNumber } from "../../numbers/exact/rational.ts";
import { isLines, valueAt } from "./lines.ts";
import type { Pieces } from "./tensor.ts";
import { Unreadable } from "./unreadable.ts";

/** An integer beyond its type wraps, saturates or is anything, as the runtime likes. */
export function checkIntegers({ type, grid, elements }: Pieces): void {
  const range = integerRange(type);
  if (!range) return;
  const [least, greatest] = range;
  const check = (v: Exact): void => {
    if (compare(v, least) < 0 || compare(v, greatest) > 0)
      throw new Unreadable(`its result ${toNumber(v)} is beyond the range of ${type}`);
    if (compare(floor(v), v) !== 0) throw new Unreadable(`its result ${toNumber(v)} is not of ${type}`);
  };
  for (const e of elements) {
    if (!isLines(e)) check(e);
    else
      grid!.isPoint.forEach((_, k) => {
        for (const t of [grid!.knots[k]!, grid!.knots[k + 1]!]) check(valueAt(e, k, t));
      });
  }
}
