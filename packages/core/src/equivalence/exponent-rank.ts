// How many of a class's scales are independent: the rank of the matrix of their exponents.
import type { UnitScale } from "./unit-scale.ts";

type Exponents = readonly (readonly [number, number])[];

/** Ranks over the reals (positive scales) and modulo 2 (signs). */
export function exponentRank(
  legs: readonly Exponents[],
  own: readonly number[],
  scales: readonly UnitScale[],
): { readonly magnitude: number; readonly sign: number } {
  const rows = (allowed: (s: UnitScale) => boolean) =>
    legs.map((leg) => own.map((k) => (allowed(scales[k]!) ? (leg.find(([s]) => s === k)?.[1] ?? 0) : 0)));
  const odd = rows((s) => s.sign).map((row) => row.map((e) => Math.abs(e % 2)));
  return {
    magnitude: rank(
      rows((s) => s.magnitude),
      (a, b, f) => a - f * b,
    ),
    sign: rank(odd, (a, b, f) => (a + f * b) % 2),
  };
}

/** Gaussian elimination; exponents are small whole numbers. */
function rank(
  matrix: readonly (readonly number[])[],
  combine: (a: number, b: number, f: number) => number,
): number {
  const rows = matrix.map((row) => [...row]);
  const columns = rows[0]?.length ?? 0;
  let found = 0;
  for (let c = 0; c < columns && found < rows.length; c++) {
    const pivot = rows.findIndex((row, k) => k >= found && Math.abs(row[c]!) > 1e-9);
    if (pivot < 0) continue;
    [rows[found], rows[pivot]] = [rows[pivot]!, rows[found]!];
    const lead = rows[found]!;
    for (let k = found + 1; k < rows.length; k++) {
      const f = rows[k]![c]! / lead[c]!;
      rows[k] = rows[k]!.map((a, i) => combine(a, lead[i]!, f));
    }
    found++;
  }
  return found;
}
