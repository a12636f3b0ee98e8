// Rows made orthonormal, and orthogonal to others: Gram and Schmidt, twice.
import { wholeBlock } from "./block.ts";
import type { Matrix } from "./matrix-norm.ts";
import { productOf, subtractProduct } from "./product.ts";
import { transposeOf } from "./svd.ts";

/** Rows that lose more than this part of their length count as dependent on what was there. */
const dependent = 2 ** -40;

/** The rows of one matrix above those of another. */
export function stacked(above: Matrix, below: Matrix): Matrix {
  const entries = new Float64Array(above.entries.length + below.entries.length);
  entries.set(above.entries);
  entries.set(below.entries, above.entries.length);
  return { rows: above.rows + below.rows, columns: below.columns, entries };
}

/** Orthonormal rows, orthogonal to the rows of Q, that span the given ones together with Q: as many or fewer. */
export async function orthonormalRows(rows: Matrix, q: Matrix): Promise<Matrix> {
  const work: Matrix = { ...rows, entries: rows.entries.slice() };
  const before = lengths(work);
  let kept = work;
  for (let pass = 0; pass < 2; pass++) {
    if (q.rows > 0 && kept.rows > 0) {
      const along = await productOf(wholeBlock(kept), wholeBlock(transposeOf(q)));
      await subtractProduct(wholeBlock(kept), wholeBlock(along), wholeBlock(q));
    }
    kept = gramSchmidt(kept, pass === 0 ? before : undefined);
  }
  return kept;
}

const lengths = ({ rows, columns, entries }: Matrix): Float64Array =>
  Float64Array.from({ length: rows }, (_, k) => length(entries.subarray(k * columns, (k + 1) * columns)));

function product(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < x.length; k++) sum += x[k]! * y[k]!;
  return sum;
}
const length = (x: Float64Array): number => Math.sqrt(product(x, x));

/** Each row less its part along those before it, twice; a row of which nothing is left is dropped. */
function gramSchmidt({ rows, columns, entries }: Matrix, before: Float64Array | undefined): Matrix {
  const greatest = before?.reduce((most, x) => Math.max(most, x), 0) ?? 1;
  const done: Float64Array[] = [];
  for (let k = 0; k < rows; k++) {
    const row = entries.subarray(k * columns, (k + 1) * columns);
    for (let pass = 0; pass < 2; pass++)
      for (const other of done) {
        const along = product(other, row);
        for (let j = 0; j < columns; j++) row[j]! -= along * other[j]!;
      }
    const size = length(row);
    if (!(size > dependent * greatest)) continue;
    for (let j = 0; j < columns; j++) row[j]! /= size;
    done.push(row);
  }
  const result = new Float64Array(done.length * columns);
  done.forEach((row, k) => {
    result.set(row, k * columns);
  });
  return { rows: done.length, columns, entries: result };
}
