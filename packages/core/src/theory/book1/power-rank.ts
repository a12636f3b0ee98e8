import { polynomialDimension } from "../../approximate/interpolation/index.ts";
import { type Matrix, pivotedQr } from "../../linear-algebra/index.ts";
import type { Random } from "../../numbers/random.ts";

/** The rank of the values of random neurons z^q at the points: twice as many neurons as the span has dimensions. */
export function powerRank({ rows, columns, entries }: Matrix, q: number, random: Random): number {
  const count = Math.min(2 * polynomialDimension(q, columns), 2 * rows);
  const values = new Float64Array(count * rows);
  for (let j = 0; j < count; j++) {
    const w = random.normal(columns + 1);
    for (let i = 0; i < rows; i++) {
      let z = w[columns]!;
      for (let c = 0; c < columns; c++) z += w[c]! * entries[i * columns + c]!;
      values[j * rows + i] = z ** q;
    }
  }
  return pivotedQr({ rows: count, columns: rows, entries: values }, { tolerance: 1e-11 }).rank;
}
