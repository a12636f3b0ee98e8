// The Walsh-Fourier transform on {-1, 1}^n: values and coefficients stand at the same places, bit i of a place is
// variable i, and a bit that is set means x_i = -1. A place is a point x, or a set S with chi_S(x) = prod_{i in S} x_i.
import { DiscreteError } from "../error.ts";

/** What fits the nearest cache: blocks of this size are transformed before larger strides are looked at. */
const blockSize = 2 ** 14;
/** 2^24 doubles are 128 MB. */
const mostVariables = 24;

/**
 * n for an array of 2^n numbers, n <= 24.
 * @example variablesOf(new Float64Array(8)) // 3
 */
export function variablesOf(values: ArrayLike<unknown>): number {
  const n = Math.log2(values.length);
  if (Number.isInteger(n) && n <= mostVariables) return n;
  throw new DiscreteError(
    `a function of n bits has 2^n values, n from 0 to ${mostVariables}; these are ${values.length}`,
  );
}

/** Butterflies of one stride on values[from .. to). */
function pass(values: Float64Array, from: number, to: number, stride: number): void {
  for (let block = from; block < to; block += 2 * stride)
    for (let k = block; k < block + stride; k++) {
      const [a, b] = [values[k]!, values[k + stride]!];
      values[k] = a + b;
      values[k + stride] = a - b;
    }
}

/** Butterflies of the strides h and 2 h at once: half of the way to memory and back. */
function doublePass(values: Float64Array, from: number, to: number, h: number): void {
  for (let block = from; block < to; block += 4 * h)
    for (let k = block; k < block + h; k++) {
      const a = values[k]!;
      const b = values[k + h]!;
      const c = values[k + 2 * h]!;
      const d = values[k + 3 * h]!;
      const [sumLow, sumHigh, differenceLow, differenceHigh] = [a + b, c + d, a - b, c - d];
      values[k] = sumLow + sumHigh;
      values[k + h] = differenceLow + differenceHigh;
      values[k + 2 * h] = sumLow - sumHigh;
      values[k + 3 * h] = differenceLow - differenceHigh;
    }
}

/** All strides from `first` up to `end` on a part of the values. */
function passes(values: Float64Array, from: number, to: number, first: number, end: number): void {
  let stride = first;
  for (; 2 * stride < end; stride *= 4) doublePass(values, from, to, stride);
  if (stride < end) pass(values, from, to, stride);
}

/** sum_x f(x) chi_S(x) for every S, in place; twice gives 2^n f. Exact for whole numbers. */
export function walshSums(values: Float64Array): Float64Array {
  variablesOf(values);
  const size = values.length;
  const block = Math.min(blockSize, size);
  for (let from = 0; from < size; from += block) passes(values, from, from + block, 1, block);
  passes(values, 0, size, block, size);
  return values;
}

/**
 * The coefficients fhat(S) = 2^-n sum_x f(x) chi_S(x) of f = sum_S fhat(S) chi_S.
 * @example walshCoefficients([1, -1, -1, 1]) // Float64Array [0, 0, 0, 1]
 */
export function walshCoefficients(f: ArrayLike<number>): Float64Array {
  const values = walshSums(Float64Array.from(f));
  const scale = 1 / values.length; // a power of two: no rounding
  for (let k = 0; k < values.length; k++) values[k] = values[k]! * scale;
  return values;
}

/**
 * The values of sum_S coefficients[S] chi_S at all points.
 * @example valuesFrom([0, 0, 0, 1]) // Float64Array [1, -1, -1, 1]
 */
export const valuesFrom = (coefficients: ArrayLike<number>): Float64Array =>
  walshSums(Float64Array.from(coefficients));

/**
 * Bits as signs: 0 is 1, 1 is -1, as it is for the variables.
 * @example signsOf([0, 1, 1, 0]) // Float64Array [1, -1, -1, 1]
 */
export const signsOf = (bits: ArrayLike<number>): Float64Array => Float64Array.from(bits, (b) => 1 - 2 * b);
