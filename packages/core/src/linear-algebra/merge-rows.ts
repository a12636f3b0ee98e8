// What merges of two halves do with rows that are vectors: pick, rotate, gather, and multiply only what is not zero.
import { type Block, matrixBlock, wholeBlock } from "./block.ts";
import type { Matrix } from "./matrix-norm.ts";
import { productOf } from "./product.ts";

/** Which half of the columns of a vector is not zero. */
export type Part = "first" | "both" | "second";

/** Row k, a view. */
export const rowOfMatrix = ({ entries, columns }: Matrix, k: number): Float64Array =>
  entries.subarray(k * columns, (k + 1) * columns);

/** The entries of x at these places. */
export const pick = (x: Float64Array, at: readonly number[]): Float64Array =>
  Float64Array.from(at, (k) => x[k]!);

/** (x, y) <- (c x + s y, c y - s x). */
export function rotateRows(x: Float64Array, y: Float64Array, c: number, s: number): void {
  for (let k = 0; k < x.length; k++) {
    const before = x[k]!;
    x[k] = c * before + s * y[k]!;
    y[k] = c * y[k]! - s * before;
  }
}

/** Columns left .. right - 1 of some rows. */
function gathered(rows: readonly Float64Array[], left: number, right: number): Block {
  const columns = right - left;
  const entries = new Float64Array(rows.length * columns);
  rows.forEach((row, k) => {
    entries.set(row.subarray(left, right), k * columns);
  });
  return wholeBlock({ rows: rows.length, columns, entries });
}

const rank: Record<Part, number> = { first: 0, both: 1, second: 2 };

/** Places of vectors such that those of the first half come first and those of the second last. */
export const placesByPart = (parts: readonly Part[]): number[] =>
  Array.from(parts.keys()).sort((a, b) => rank[parts[a]!] - rank[parts[b]!]);

export interface Columns {
  readonly from: number;
  readonly to: number;
}

/** The product of coefficients, with columns placed by part, and the rows: on the columns of each half, one product. */
export async function combineHalves(
  coefficients: Matrix,
  rows: readonly Float64Array[],
  parts: readonly Part[],
  [first, second]: readonly [Columns, Columns],
): Promise<readonly [Matrix, Matrix]> {
  const k = coefficients.columns;
  const placed = placesByPart(parts).map((j) => rows[j]!);
  const inFirst = parts.filter((part) => part !== "second").length;
  const notInSecond = parts.filter((part) => part === "first").length;
  const all = [0, coefficients.rows] as const;
  return [
    await productOf(
      matrixBlock(coefficients, all, [0, inFirst]),
      gathered(placed.slice(0, inFirst), first.from, first.to),
    ),
    await productOf(
      matrixBlock(coefficients, all, [notInSecond, k]),
      gathered(placed.slice(notInSecond), second.from, second.to),
    ),
  ];
}
