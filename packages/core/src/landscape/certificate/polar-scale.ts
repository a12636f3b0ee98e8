// Numbers of the polar problem brought near 1 by powers of two, where no product of theirs overflows and what underflows is
// far below what rounding is given; and the way back, rounded outwards.
import { mulDown, mulUp } from "../../numbers/rounding.ts";

export interface PolarScale {
  /** Examples and pulls with greatest entries in [1, 2). */
  readonly x: readonly Float64Array[];
  readonly q: readonly Float64Array[];
  /** A bound for the scaled problem as one for the given: at least it, at most it. */
  up(value: number): number;
  down(value: number): number;
}

/** The exponent of the greatest entry in size; 0 for zeros. */
function exponentOf(rows: readonly Float64Array[]): number {
  let most = 0;
  for (const row of rows) for (const v of row) most = Math.max(most, Math.abs(v));
  if (most === 0) return 0;
  const lifted = most < 2 ** -1000 ? most * 2 ** 100 : most;
  let exponent = Math.floor(Math.log2(lifted));
  while (2 ** exponent > lifted) exponent--;
  while (2 ** (exponent + 1) <= lifted) exponent++;
  return lifted === most ? exponent : exponent - 100;
}

/** Powers of two beyond the doubles' range, one half after the other. */
const shifted =
  (times: (a: number, b: number) => number) =>
  (value: number, exponent: number): number => {
    let [rest, left] = [value, exponent];
    while (left !== 0) {
      const step = Math.max(-1000, Math.min(1000, left));
      rest = times(rest, 2 ** step);
      left -= step;
    }
    return rest;
  };
const plainShift = shifted((a, b) => a * b);
const upShift = shifted(mulUp);
const downShift = shifted(mulDown);

/**
 * The same problem with numbers near 1.
 * @example scaledPolar([Float64Array.of(12)], [Float64Array.of(1)]).x[0][0] // 1.5
 */
export function scaledPolar(x: readonly Float64Array[], q: readonly Float64Array[]): PolarScale {
  const [a, b] = [exponentOf(x), exponentOf(q)];
  return {
    x: x.map((row) => row.map((v) => plainShift(v, -a))),
    q: q.map((row) => row.map((v) => plainShift(v, -b))),
    up: (value) => upShift(value, a + b),
    down: (value) => downShift(value, a + b),
  };
}
