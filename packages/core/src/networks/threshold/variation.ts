// Total variation V(x), the integral of |g'| up to x: exact from the values at the turning points, and its inverse.
import { cuts, type Segment, type Target } from "../spline/target.ts";

export interface Variation {
  /** Z: the total variation over the whole segment. */
  readonly total: number;
  /** A point x with V(x) = share * total. */
  at(share: number): number;
}

/**
 * V is |g(x) - g(c)| more than V(c) from one turning point c of g to the next.
 * @example variation(targets.wave, [0, 1]).total // 4
 */
export function variation(g: Target, on: Segment): Variation {
  const ends = cuts(on, g.turns);
  const sums = [0];
  for (let k = 1; k < ends.length; k++)
    sums.push(sums[k - 1]! + Math.abs(g.value(ends[k]!) - g.value(ends[k - 1]!)));
  const total = sums.at(-1)!;
  const at = (share: number): number => {
    const wanted = Math.min(1, Math.max(0, share)) * total;
    const k = Math.max(
      1,
      sums.findIndex((s) => s >= wanted),
    );
    return bisect(g, ends[k - 1]!, ends[k]!, wanted - sums[k - 1]!);
  };
  return { total, at };
}

/** The least x with |g(x) - g(from)| >= rise, for g monotone on [from, to]. */
function bisect(g: Target, from: number, to: number, rise: number): number {
  const start = g.value(from);
  let [low, high] = [from, to];
  for (let middle = (low + high) / 2; middle > low && middle < high; middle = (low + high) / 2) {
    if (Math.abs(g.value(middle) - start) < rise) low = middle;
    else high = middle;
  }
  return high;
}
