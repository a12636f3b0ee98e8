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
  const sizes: Sizes = { greatest: 0, gap: 0 };
  for (let left = 0; left < n; left += tile) {
    const to = place(left);
    for (let top = 0; top <= left; top += tile) copyTile(entries, n, into, to, top, left, sizes);
  }
  // What is not finite is not less, either.
  const allowed = asymmetry * sizes.greatest;
  if (!(sizes.gap <= allowed)) refuseAsymmetry(what, matrix, asymmetry * requireSquare(what, matrix));
  const exponent = scaleExponent(sizes.greatest);
  if (exponent !== 0)
    for (let left = 0; left < n; left += tile) scaleColumns(into, n, place(left), left, -exponent);
  return exponent;
}

/** The greatest entry on and above the diagonal, and the greatest difference from the mirror image, once it is NaN for ever. */
interface Sizes {
  greatest: number;
  gap: number;
}

/** Copies what is on and above the diagonal: two rows at a time where all of the tile is. */
function copyTile(
  from: Float64Array,
  n: number,
  into: Float64Array,
  to: ColumnsPlace,
  top: number,
  left: number,
  sizes: Sizes,
): void {
  const right = Math.min(n, left + tile);
  if (top === left) {
    copyDiagonalTile(from, n, into, to, left, sizes);
    return;
  }
  let { greatest, gap } = sizes;
  for (let i = top; i < top + tile; i += 2) {
    const [first, second] = [i * n, (i + 1) * n];
    const [upper, lower] = [to.start + i * to.stride, to.start + (i + 1) * to.stride];
    for (let j = left, mirrored = left * n + i; j < right; j++, mirrored += n) {
      const a = from[first + j]!;
      const b = from[second + j]!;
      // Math.max takes several times as long as comparisons that are seldom true. Infinity minus itself is NaN, too.
      if (Math.abs(a) > greatest) greatest = Math.abs(a);
      if (Math.abs(b) > greatest) greatest = Math.abs(b);
      const above = Math.abs(a - from[mirrored]!);
      const below = Math.abs(b - from[mirrored + 1]!);
      if (!(above <= gap)) gap = Number.isNaN(gap) ? gap : above;
      if (!(below <= gap)) gap = Number.isNaN(gap) ? gap : below;
      into[upper + j] = a;
      into[lower + j] = b;
    }
  }
  sizes.greatest = greatest;
  sizes.gap = gap;
}

/** The same for a tile on the diagonal, of which both halves are written. */
function copyDiagonalTile(
  from: Float64Array,
  n: number,
  into: Float64Array,
  { start, stride }: ColumnsPlace,
  left: number,
  sizes: Sizes,
): void {
  const right = Math.min(n, left + tile);
  for (let i = left; i < right; i++)
    for (let j = i; j < right; j++) {
      const value = from[i * n + j]!;
      const difference = Math.abs(value - from[j * n + i]!);
      if (Math.abs(value) > sizes.greatest) sizes.greatest = Math.abs(value);
      if (!(difference <= sizes.gap)) sizes.gap = Number.isNaN(sizes.gap) ? sizes.gap : difference;
      into[start + i * stride + j] = value;
      into[start + j * stride + i] = value;
    }
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

function refuseAsymmetry(what: string, { rows: n, entries }: Matrix, allowed: number): never {
  for (let i = 0; i < n; i++)
    for (let j = i + 1; j < n; j++) {
      const gap = Math.abs(entries[i * n + j]! - entries[j * n + i]!);
      if (gap > allowed)
        throw new EngineError(
          `${what} must be symmetric: entries (${i}, ${j}) and (${j}, ${i}) differ by ${gap.toPrecision(2)}`,
        );
    }
  throw new EngineError(`${what} must be symmetric`);
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
