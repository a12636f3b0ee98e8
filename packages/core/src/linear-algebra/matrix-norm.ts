// Upper bounds on operator norms of matrices: sound, rounded up.
import { addUp, mulUp, nextUp, sqrtUp } from "../numbers/rounding.ts";

/** The norms of R^n that operators are measured in. */
export type NormOrder = 1 | 2 | typeof Number.POSITIVE_INFINITY;

export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  /** Row by row. */
  readonly entries: Float64Array;
}

/** Squarings of the Gram matrix: the bound exceeds the norm by at most n^(1/2^(squarings + 2)). */
const squarings = 8;
/** Beyond this size of the Gram matrix the cubic cost of a squaring is not worth it. */
const squaringLimit = 600;

/** max_j sum_i |a_ij|. */
export function columnSumNorm({ rows, columns, entries }: Matrix): number {
  const sums = new Float64Array(columns);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) sums[j] = addUp(sums[j]!, Math.abs(entries[i * columns + j]!));
  return sums.reduce((a, b) => Math.max(a, b), 0);
}

/** max_i sum_j |a_ij|. */
export function rowSumNorm({ rows, columns, entries }: Matrix): number {
  let greatest = 0;
  for (let i = 0; i < rows; i++) {
    let sum = 0;
    for (let j = 0; j < columns; j++) sum = addUp(sum, Math.abs(entries[i * columns + j]!));
    greatest = Math.max(greatest, sum);
  }
  return greatest;
}

/** sqrt(sum a_ij^2). */
export function frobeniusNorm(entries: Float64Array): number {
  let sum = 0;
  for (const a of entries) sum = addUp(sum, mulUp(a, a));
  return sqrtUp(sum);
}

/** A^T A, or A A^T if that is smaller, as rounded; exactly symmetric. */
function gram({ rows, columns, entries }: Matrix): { readonly size: number; readonly product: Float64Array } {
  const isWide = columns > rows;
  const [size, inner] = isWide ? [rows, columns] : [columns, rows];
  const product = new Float64Array(size * size);
  const at = (k: number, i: number): number =>
    isWide ? entries[i * columns + k]! : entries[k * columns + i]!;
  for (let i = 0; i < size; i++)
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let k = 0; k < inner; k++) sum += at(k, i) * at(k, j);
      product[i * size + j] = product[j * size + i] = sum;
    }
  return { size, product };
}

/** H^2 for a symmetric H, as rounded; exactly symmetric. */
function squareOf(h: Float64Array, size: number): Float64Array {
  const result = new Float64Array(size * size);
  for (let i = 0; i < size; i++)
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let k = 0; k < size; k++) sum += h[i * size + k]! * h[j * size + k]!;
      result[i * size + j] = result[j * size + i] = sum;
    }
  return result;
}

/** A computed product of matrices with inner dimension n is off by at most (n + 4) 2^-52 |A|_F |B|_F in norm. */
const productSlack = (inner: number, size: number): number => nextUp((inner + 4) * 2 ** -52 * size);

/**
 * |A|_2^2 = |G|_2 for G = A^T A, and |H|_2^2 = |H^2|_2 for symmetric H. So with computed H_0 = G + E_0 and
 * H_(k+1) = H_k^2 + E_(k+1) each norm is bounded by the next one, and the last by its Frobenius norm.
 */
function spectralBySquaring(matrix: Matrix): number {
  const { size, product } = gram(matrix);
  const inner = Math.max(matrix.rows, matrix.columns);
  const whole = frobeniusNorm(matrix.entries);
  const slacks = [productSlack(inner, mulUp(whole, whole))];
  const scales: number[] = [];
  let h = product;
  for (let k = 0; k < squarings; k++) {
    const size2 = frobeniusNorm(h);
    if (size2 === 0) break;
    const scale = 2 ** -Math.floor(Math.log2(size2)); // exact: the norm stays near 1
    h = h.map((a) => a * scale);
    scales.push(scale);
    const norm = frobeniusNorm(h);
    slacks.push(productSlack(size, mulUp(norm, norm)));
    h = squareOf(h, size);
  }
  let bound = frobeniusNorm(h);
  for (let k = scales.length - 1; k >= 0; k--)
    bound = nextUp(sqrtUp(addUp(bound, slacks[k + 1]!)) / scales[k]!);
  return sqrtUp(addUp(bound, slacks[0]!));
}

/**
 * An upper bound on the greatest singular value; within one percent for matrices of moderate size.
 * @example spectralNorm({ rows: 2, columns: 2, entries: Float64Array.of(3, 0, 0, 4) }) < 4.05 // true
 */
export function spectralNorm(matrix: Matrix): number {
  const { rows, columns, entries } = matrix;
  if (!entries.every(Number.isFinite)) return Number.POSITIVE_INFINITY;
  const simple = Math.min(frobeniusNorm(entries), sqrtUp(mulUp(columnSumNorm(matrix), rowSumNorm(matrix))));
  const isModerate = simple === 0 || (simple < 2 ** 200 && simple > 2 ** -200);
  if (Math.min(rows, columns) > squaringLimit || !isModerate) return simple;
  return Math.min(simple, spectralBySquaring(matrix));
}

/**
 * An upper bound on max |A x| / |x| in one of the norms.
 * @example operatorNorm({ rows: 1, columns: 2, entries: Float64Array.of(1, -2) }, Infinity) // 3
 */
export function operatorNorm(matrix: Matrix, order: NormOrder): number {
  if (order === 1) return columnSumNorm(matrix);
  return order === 2 ? spectralNorm(matrix) : rowSumNorm(matrix);
}
