// A box with one or two free variables, cut into cells.
import type { Interval } from "../numbers/interval/index.ts";

/** Twice as many along each edge as any certificate needs, so that rounding of the cells' ends cannot matter. */
export const cellsAlong = [0, 4096, 64] as const;

/** The cells of a box; the box itself where that has none or more than two free variables. */
export function* cellsOf(box: readonly Interval[]): Iterable<readonly Interval[]> {
  const free = box.flatMap(({ lower, upper }, k) => (upper > lower ? [k] : []));
  const parts = cellsAlong[free.length] ?? 0;
  if (parts === 0) {
    yield box;
    return;
  }
  const part = ({ lower, upper }: Interval, j: number): Interval => {
    // Twice half the way: the whole width may be greater than all doubles.
    const way = (i: number): number => (upper / 2 - lower / 2) * (i / parts);
    const at = (i: number): number => (i === parts ? upper : Math.min(upper, lower + way(i) + way(i)));
    return { lower: at(j), upper: at(j + 1) };
  };
  for (let cell = 0; cell < parts ** free.length; cell++) {
    const place = [cell % parts, Math.floor(cell / parts)];
    yield box.map((x, k) => (free.includes(k) ? part(x, place[free.indexOf(k)]!) : x));
  }
}
