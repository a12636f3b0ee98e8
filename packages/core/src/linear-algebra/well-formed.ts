// What dense algorithms ask of their input before they start, in one line each; and a scale on which nothing overflows.
import { EngineError } from "../engine/error.ts";
import type { ColumnsPlace } from "./column-panels.ts";
import type { Matrix } from "./matrix-norm.ts";

/** Symmetric counts as what differs by less than this part of the greatest entry: products of floats are not quite. */
const asymmetry = 2 ** -26;

/** max |a_ij|. Refuses entries that are not finite and those that are too few or too many. */
export function requireFinite(what: string, { rows, columns, entries }: Matrix): number {
  if (entries.length !== rows * columns)
    throw new EngineError(
      `${what} of ${rows} x ${columns} needs ${rows * columns} entries, not ${entries.length}`,
    );
  let greatest = 0;
  for (let k = 0; k < entries.length; k++) {
    const size = Math.abs(entries[k]!);
    if (!(size <= greatest)) {
      if (!Number.isFinite(size))
        throw new EngineError(
          `${what} must be finite: entry (${Math.floor(k / columns)}, ${k % columns}) is ${entries[k]}`,
        );
      greatest = size;
    }
  }
  return greatest;
}

export function requireSquareShape(what: string, { rows, columns }: Matrix): void {
  if (rows !== columns) throw new EngineError(`${what} must be square, not ${rows} x ${columns}`);
}

/** max |a_ij| of a square matrix. */
export function requireSquare(what: string, matrix: Matrix): number {
  requireSquareShape(what, matrix);
  return requireFinite(what, matrix);
}

/** A symmetric matrix on a scale where squares neither overflow nor vanish. */
export interface ScaledSymmetric {
  /** 2^-exponent A on and above the diagonal, and next to it; farther below, what was in the array. */
  readonly upper: Matrix;
  /** Even; 0 for a matrix of zeros. */
  readonly exponent: number;
}

/** The upper half of a symmetric matrix, copied to the scale of 1; what is not symmetric, or not finite, is refused. */
export function scaledSymmetric(
  what: string,
  matrix: Matrix,
  array: (length: number) => Float64Array = (length) => new Float64Array(length),
): ScaledSymmetric {
  const { rows: n, entries } = matrix;
  if (entries.length !== n * n) requireSquare(what, matrix);
  const upper = array(n * n);
  const exponent = copyScaled(what, matrix, upper, () => ({ start: 0, stride: n }));
  return { upper: { ...matrix, entries: upper }, exponent };
}

/** Columns that are looked at together: what stands in panels of columns has a multiple of them in each. */
export const tile = 32;

/** Copies 2^-exponent A on and above the diagonal, and next to it, to where its columns have their place. The exponent. */
export function copyScaled(
  what: string,
  matrix: Matrix,
  into: Float64Array,
  place: (column: number) => ColumnsPlace,
): number {
  const { rows: n, entries } = matrix;
  if (entries.length !== n * n) requireSquare(what, matrix);
  const sums: Squares = { entries: 0, gaps: 0 };
  for (let left = 0; left < n; left += tile) {
    const to = place(left);
    for (let top = 0; top < left; top += tile) copyTile(entries, n, into, to, top, left, sums);
    copyDiagonalTile(entries, n, into, to, left, sums);
  }
  if (isModerate(sums, (n * (n + 1)) / 2)) return 0;
  const greatest = requireSymmetric(what, matrix);
  const exponent = scaleExponent(greatest);
  if (exponent !== 0)
    for (let left = 0; left < n; left += tile) scaleColumns(into, n, place(left), left, -exponent);
  return exponent;
}

/** Sums of the squares of what is on and above the diagonal, and of the differences from the mirror image. */
interface Squares {
  entries: number;
  gaps: number;
}

/**
 * Whether sums of squares are enough to know that a matrix is symmetric and near the scale of 1: the greatest entry lies
 * between the root of the mean square and that of the sum, and no difference is above the root of its sum. Comparisons entry
 * by entry would take four times as long as the copy. What is not finite makes a sum that is not.
 */
function isModerate({ entries, gaps }: Squares, count: number): boolean {
  const mean = entries / count;
  return mean > 2 ** -198 && entries < 2 ** 198 && 2 * gaps <= asymmetry ** 2 * mean;
}

/** Copies a tile above the diagonal, four rows at a time. */
function copyTile(
  from: Float64Array,
  n: number,
  into: Float64Array,
  to: ColumnsPlace,
  top: number,
  left: number,
  sums: Squares,
): void {
  const right = Math.min(n, left + tile);
  let { entries, gaps } = sums;
  const { stride } = to;
  for (let i = top; i < top + tile; i += 4) {
    const first = i * n;
    const [second, third, fourth] = [first + n, first + 2 * n, first + 3 * n];
    const target = to.start + i * stride;
    const [next, then, last] = [target + stride, target + 2 * stride, target + 3 * stride];
    for (let j = left, mirrored = left * n + i; j < right; j++, mirrored += n) {
      const a = from[first + j]!;
      const b = from[second + j]!;
      const c = from[third + j]!;
      const d = from[fourth + j]!;
      const u = a - from[mirrored]!;
      const v = b - from[mirrored + 1]!;
      const w = c - from[mirrored + 2]!;
      const x = d - from[mirrored + 3]!;
      entries += a * a + b * b + (c * c + d * d);
      gaps += u * u + v * v + (w * w + x * x);
      into[target + j] = a;
      into[next + j] = b;
      into[then + j] = c;
      into[last + j] = d;
    }
  }
  sums.entries = entries;
  sums.gaps = gaps;
}

/** The same for a tile on the diagonal, of which both halves are written. */
function copyDiagonalTile(
  from: Float64Array,
  n: number,
  into: Float64Array,
  { start, stride }: ColumnsPlace,
  left: number,
  sums: Squares,
): void {
  const right = Math.min(n, left + tile);
  let { entries, gaps } = sums;
  for (let i = left; i < right; i++)
    for (let j = i; j < right; j++) {
      const value = from[i * n + j]!;
      const gap = value - from[j * n + i]!;
      entries += value * value;
      gaps += gap * gap;
      into[start + i * stride + j] = value;
      into[start + j * stride + i] = value;
    }
  sums.entries = entries;
  sums.gaps = gaps;
}

/** 2^e times a tile's columns, down to the diagonal and next to it; in two steps, since 2^e itself may be out of reach. */
function scaleColumns(
  into: Float64Array,
  n: number,
  { start, stride }: ColumnsPlace,
  left: number,
  e: number,
): void {
  const half = Math.trunc(e / 2);
  const [first, second] = [2 ** half, 2 ** (e - half)];
  const end = Math.min(n, left + tile);
  for (let i = 0; i < end; i++)
    for (let j = left; j < end; j++)
      into[start + i * stride + j] = into[start + i * stride + j]! * first * second;
}

/** max |a_ij|, entry by entry. Refuses what is not finite, and what differs from its mirror image. */
function requireSymmetric(what: string, matrix: Matrix): number {
  const { rows: n, entries } = matrix;
  const greatest = requireSquare(what, matrix);
  for (let i = 0; i < n; i++)
    for (let j = i + 1; j < n; j++) {
      const gap = Math.abs(entries[i * n + j]! - entries[j * n + i]!);
      if (gap > asymmetry * greatest)
        throw new EngineError(
          `${what} must be symmetric: entries (${i}, ${j}) and (${j}, ${i}) differ by ${gap.toPrecision(2)}`,
        );
    }
  return greatest;
}

/** An even e with 2^-e greatest about 1, or 0 where the scale is moderate already, as for a matrix of zeros. */
export function scaleExponent(greatest: number): number {
  if (greatest === 0 || (greatest > 2 ** -100 && greatest < 2 ** 100)) return 0;
  return 2 * Math.round(Math.log2(greatest) / 2);
}

/** 2^e times each entry, in a new array. In two steps, since 2^e itself may be out of reach. */
export function timesPowerOfTwo(entries: Float64Array, e: number): Float64Array {
  if (e === 0) return entries.slice();
  const half = Math.trunc(e / 2);
  const [first, second] = [2 ** half, 2 ** (e - half)];
  const scaled = new Float64Array(entries.length);
  for (let k = 0; k < entries.length; k++) scaled[k] = entries[k]! * first * second;
  return scaled;
}
