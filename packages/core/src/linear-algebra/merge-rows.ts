// What merges of two halves do with rows that are vectors: rotate, gather, and multiply only what is not zero.
import { type Block, matrixBlock, rowsIn } from "./block.ts";
import { copyBlock } from "./block-moves.ts";
import type { Matrix } from "./matrix-norm.ts";
import { writeProduct } from "./product.ts";
import { type Piece, writePieces } from "./rank-one.ts";
import type { VectorWorkspace } from "./vector-workspace.ts";

/** Which half of the columns of a vector is not zero. */
export type Part = "first" | "both" | "second";

/** Row k, a view. */
export const rowOfMatrix = ({ entries, columns }: Matrix, k: number): Float64Array =>
  entries.subarray(k * columns, (k + 1) * columns);

/** (x, y) <- (c x + s y, c y - s x). */
export function rotateRows(x: Float64Array, y: Float64Array, c: number, s: number): void {
  for (let k = 0; k < x.length; k++) {
    const before = x[k]!;
    x[k] = c * before + s * y[k]!;
    y[k] = c * y[k]! - s * before;
  }
}

const rank: Record<Part, number> = { first: 0, both: 1, second: 2 };

/** Places of vectors such that those of the first half come first and those of the second last. */
export const placesByPart = (parts: readonly Part[]): number[] =>
  Array.from(parts.keys()).sort((a, b) => rank[parts[a]!] - rank[parts[b]!]);

/** Numbers in a workspace for merges of n vectors, beside the vectors: no more, whatever is deflated. */
export const numbersForMerge = (n: number): number => 2 * n * n + n * Math.ceil(n / 2) + 16 * n;

/** How new vectors are made of old ones: coefficients for those on the columns of each half, a row for a new vector. */
export interface Coefficients {
  /** The number of new vectors. */
  readonly count: number;
  readonly first: Float64Array;
  readonly second: Float64Array;
  /** Old vectors, by place, that each half is made of. */
  readonly inFirst: number;
  readonly notInSecond: number;
}

/** Room for the coefficients of as many new vectors as there are old ones, whose parts these are. */
export function coefficientsFor(parts: readonly Part[], workspace: VectorWorkspace): Coefficients {
  const count = parts.length;
  const inFirst = parts.filter((part) => part !== "second").length;
  const notInSecond = parts.filter((part) => part === "first").length;
  return {
    ...{ count, inFirst, notInSecond },
    first: workspace.array(count * inFirst, "as it is"),
    second: workspace.array(count * (count - notInSecond), "as it is"),
  };
}

/** New vector i is factor x, entries by place. */
export function setCoefficients(
  coefficients: Coefficients,
  i: number,
  x: Float64Array,
  factor: number,
): void {
  const { count, first, second, inFirst, notInSecond } = coefficients;
  const inSecond = count - notInSecond;
  const pieces: readonly Piece[] = [
    { into: first, at: i * inFirst, from: 0, to: inFirst },
    { into: second, at: i * inSecond, from: notInSecond, to: count },
  ];
  writePieces(x, factor, pieces);
}

export interface Columns {
  readonly from: number;
  readonly to: number;
}

/** Vectors as rows of a matrix, and what becomes of them; numbers of rows are absolute. */
export interface Merge {
  readonly vectors: Matrix;
  /** Rows that new vectors are made of, by place. */
  readonly placed: readonly number[];
  /** Rows that stay as they are. */
  readonly deflated: readonly number[];
  /** New vectors are written from this row on, and the deflated ones behind them. */
  readonly row: number;
  /** Columns of the two halves. */
  readonly halves: readonly [Columns, Columns];
}

/** Replaces the vectors: one product on the columns of each half. */
export async function mergeVectors(
  { vectors, placed, deflated, row, halves: [first, second] }: Merge,
  { count, inFirst, notInSecond, ...coefficients }: Coefficients,
  workspace: VectorWorkspace,
): Promise<void> {
  const gather = (rows: readonly number[], { from, to }: Columns): Block => {
    const columns = to - from;
    const copy = rowsIn(workspace.array(rows.length * columns, "as it is"), rows.length, columns);
    rows.forEach((k, place) => {
      const start = k * vectors.columns;
      copy.entries.set(vectors.entries.subarray(start + from, start + to), place * columns);
    });
    return copy;
  };
  const all = { from: first.from, to: second.to };
  const unchanged = gather(deflated, all);
  const old = [gather(placed.slice(0, inFirst), first), gather(placed.slice(notInSecond), second)] as const;
  const write = (values: Block, from: number, { from: left, to: right }: Columns): void =>
    copyBlock(matrixBlock(vectors, [from, from + values.rows], [left, right]), values);
  const width = Math.max(first.to - first.from, second.to - second.from);
  const product = workspace.array(count * width, "as it is");
  for (const [half, columns] of [first, second].entries()) {
    const matrix = half === 0 ? coefficients.first : coefficients.second;
    const values = rowsIn(
      product.subarray(0, count * (columns.to - columns.from)),
      count,
      columns.to - columns.from,
    );
    await writeProduct(values.entries, rowsIn(matrix, count, matrix.length / Math.max(1, count)), old[half]!);
    write(values, row, columns);
  }
  write(unchanged, row + count, all);
}
