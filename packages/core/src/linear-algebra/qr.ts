// A P = Q R by Householder reflections with column exchanges: the rank, a basis of columns, least squares.
import { EngineError } from "../engine/error.ts";
import type { Matrix } from "./matrix-norm.ts";

/** A P = Q R, down to the rank. */
export interface QrFactors {
  readonly rank: number;
  /** Column order[j] of A stands at j; the first `rank` of them are a basis of the columns. */
  readonly order: Int32Array;
  /** Q^T A P: rank x columns, upper triangular at the left. */
  readonly r: Matrix;
  /** |r_11| / |r_rr|, a lower bound on the condition number of the basis. */
  readonly spread: number;
  /** Q^T b, its first `rank` coordinates, for b of as many rows as A. */
  project(b: Float64Array): Float64Array;
}

export interface QrOptions {
  /** Columns whose distance to the span of the others is below this part of the longest count as dependent on them. */
  readonly tolerance?: number;
}

/**
 * QR factors with column exchanges: each step takes the column farthest from the span of those taken.
 * @example pivotedQr({ rows: 2, columns: 2, entries: Float64Array.of(1, 2, 1, 2) }).rank // 1
 */
export function pivotedQr(matrix: Matrix, { tolerance = 1e-12 }: QrOptions = {}): QrFactors {
  const { rows, columns } = matrix;
  // Column by column, since reflections act on columns.
  const work = Array.from({ length: columns }, (_, j) =>
    Float64Array.from({ length: rows }, (__, i) => matrix.entries[i * columns + j]!),
  );
  if (!work.every((column) => column.every(Number.isFinite)))
    throw new EngineError("QR factors need finite entries");
  const order = Int32Array.from({ length: columns }, (_, j) => j);
  const squares = Float64Array.from(work, (column) => squareFrom(column, 0));
  const reference = squares.slice();
  const reflections: Float64Array[] = [];
  const longest = Math.sqrt(squares.reduce((most, s) => Math.max(most, s), 0));
  const most = Math.min(rows, columns);
  let rank = 0;
  for (; rank < most; rank++) {
    let best = rank;
    for (let j = rank + 1; j < columns; j++) if (squares[j]! > squares[best]!) best = j;
    [work[rank], work[best]] = [work[best]!, work[rank]!];
    for (const list of [order, squares, reference]) [list[rank], list[best]] = [list[best]!, list[rank]!];
    const v = reflectionOf(work[rank]!, rank);
    if (!v || Math.sqrt(squareFrom(work[rank]!, rank)) <= tolerance * longest) break;
    reflections.push(v);
    for (let j = rank; j < columns; j++) {
      const column = work[j]!;
      reflect(v, column, rank);
      // Downdating loses digits: below a millionth of where it began, the length is computed anew.
      squares[j]! -= column[rank]! ** 2;
      if (squares[j]! <= 1e-6 * reference[j]!) reference[j] = squares[j] = squareFrom(column, rank + 1);
    }
  }
  const r = new Float64Array(rank * columns);
  for (let i = 0; i < rank; i++) for (let j = i; j < columns; j++) r[i * columns + j] = work[j]![i]!;
  return {
    rank,
    order,
    r: { rows: rank, columns, entries: r },
    spread: rank === 0 ? 1 : Math.abs(r[0]! / r[(rank - 1) * (columns + 1)]!),
    project(b) {
      const image = b.slice();
      reflections.forEach((v, k) => {
        reflect(v, image, k);
      });
      return image.subarray(0, rank);
    },
  };
}

function squareFrom(column: Float64Array, from: number): number {
  let sum = 0;
  for (let i = from; i < column.length; i++) sum += column[i]! ** 2;
  return sum;
}

/** v with |v|^2 = 2 such that x - v <v, x> has zeros below its first entry. */
function reflectionOf(column: Float64Array, from: number): Float64Array | undefined {
  const v = column.slice(from);
  const length = Math.sqrt(squareFrom(v, 0));
  if (length === 0) return undefined;
  v[0]! += v[0]! < 0 ? -length : length;
  const scale = Math.sqrt(2 / squareFrom(v, 0));
  return v.map((x) => x * scale);
}

function reflect(v: Float64Array, column: Float64Array, from: number): void {
  let inner = 0;
  for (let i = 0; i < v.length; i++) inner += v[i]! * column[from + i]!;
  if (inner !== 0) for (let i = 0; i < v.length; i++) column[from + i]! -= inner * v[i]!;
}

/**
 * x with |A x - b| least, from the factors of A; coordinates outside of the basis of columns are zero.
 * @example qrSolve(pivotedQr({ rows: 2, columns: 1, entries: Float64Array.of(1, 1) }), Float64Array.of(1, 3)) // about [2]
 */
export function qrSolve({ rank, order, r, project }: QrFactors, b: Float64Array): Float64Array {
  const y = project(b).slice();
  for (let i = rank - 1; i >= 0; i--) {
    for (let j = i + 1; j < rank; j++) y[i]! -= r.entries[i * r.columns + j]! * y[j]!;
    y[i]! /= r.entries[i * r.columns + i]!;
  }
  const x = new Float64Array(r.columns);
  for (let i = 0; i < rank; i++) x[order[i]!] = y[i]!;
  return x;
}
