// Least squares and ridge regression on monomials. They are so nearly dependent (condition numbers of 1e25 and more at degree
// 20) that doubles decide nothing: the fit is done in integers with 512 bits behind the point.

import { NumberError } from "../../numbers/error.ts";

const bits = 512n;

/** A double of moderate size as a number with 512 bits behind the point: exact down to 2^-512. */
function fixed(value: number): bigint {
  if (!(Math.abs(value) < 2 ** 60)) throw new NumberError(`${value} is too large for a polynomial fit`);
  const high = Math.trunc(value * 2 ** 60); // powers of 2 scale exactly
  const low = Math.trunc((value * 2 ** 60 - high) * 2 ** 60);
  return (BigInt(high) << (bits - 60n)) + (BigInt(low) << (bits - 120n));
}

const times = (a: bigint, b: bigint): bigint => (a * b) >> bits;
const over = (a: bigint, b: bigint): bigint => (a << bits) / b;

/** The nearest double, but for a last bit. */
function toDouble(value: bigint): number {
  const digits = (value < 0n ? -value : value).toString(2).length;
  const dropped = Math.max(0, digits - 62);
  return Number(value >> BigInt(dropped)) * 2 ** (dropped - Number(bits));
}

/** Solves A x = b for each b, A symmetric and positive definite: A = L D L^T. */
function solveSymmetric(A: readonly bigint[][], rights: readonly (readonly bigint[])[]): bigint[][] {
  const n = A.length;
  const L = A.map((row) => [...row]);
  const pivots: bigint[] = [];
  for (let j = 0; j < n; j++) {
    const weighted = pivots.map((d, k) => times(L[j]![k]!, d));
    const pivot = weighted.reduce((rest, v, k) => rest - times(v, L[j]![k]!), L[j]![j]!);
    if (pivot <= 0n) throw new NumberError("two inputs are the same, or too near to tell apart");
    pivots.push(pivot);
    for (let i = j + 1; i < n; i++)
      L[i]![j] = over(
        weighted.reduce((rest, v, k) => rest - times(v, L[i]![k]!), L[i]![j]!),
        pivot,
      );
  }
  return rights.map((b) => {
    const x = [...b];
    for (let i = 0; i < n; i++) for (let k = 0; k < i; k++) x[i]! -= times(L[i]![k]!, x[k]!);
    for (let i = 0; i < n; i++) x[i] = over(x[i]!, pivots[i]!);
    for (let i = n - 1; i >= 0; i--) for (let k = i + 1; k < n; k++) x[i]! -= times(L[k]![i]!, x[k]!);
    return x;
  });
}

export interface PolynomialTask {
  /** Inputs, distinct. */
  readonly z: ArrayLike<number>;
  readonly degree: number;
  /** alpha of (1/m) |X theta - y|^2 + alpha |theta|^2; 0 is least squares, of least norm where several fit. */
  readonly ridge?: number;
}

export interface PolynomialFit {
  /** Of sum_k theta_k z^k. */
  readonly theta: readonly number[];
  /** (1/m) |X theta - y|^2, before theta is rounded to doubles. */
  readonly trainError: number;
}

/**
 * The fitted polynomials, one for each list of labels.
 * @example fitPolynomials({ z: [0, 1, 2], degree: 1 }, [[1, 3, 5]])[0].theta.map(Math.round) // [1, 2]
 */
export function fitPolynomials(
  { z, degree, ridge = 0 }: PolynomialTask,
  labels: readonly ArrayLike<number>[],
): readonly PolynomialFit[] {
  const m = z.length;
  const powers = Array.from({ length: degree + 1 }, () => new Array<bigint>(m).fill(1n << bits));
  const inputs = Array.from(z, fixed);
  for (let k = 1; k <= degree; k++) powers[k] = powers[k - 1]!.map((p, i) => times(p, inputs[i]!));
  const ys = labels.map((y) => Array.from(y, fixed));
  const inner = (a: readonly bigint[], b: readonly bigint[]): bigint =>
    a.reduce((sum, v, k) => sum + v * b[k]!, 0n) >> bits;
  const columns = inputs.map((_, i) => powers.map((p) => p[i]!));
  const gramOf = (rows: readonly bigint[][]): bigint[][] => rows.map((a) => rows.map((b) => inner(a, b)));
  const fits = (): bigint[][] => {
    if (ridge === 0 && degree + 1 > m)
      return solveSymmetric(gramOf(columns), ys).map((dual) => powers.map((p) => inner(p, dual)));
    const gram = gramOf(powers);
    for (let k = 0; k <= degree; k++) gram[k]![k]! += BigInt(m) * fixed(ridge);
    return solveSymmetric(
      gram,
      ys.map((y) => powers.map((p) => inner(p, y))),
    );
  };
  return fits().map((theta, k) => {
    const errors = columns.map((x, i) => inner(x, theta) - ys[k]![i]!);
    return { theta: theta.map(toDouble), trainError: toDouble(inner(errors, errors)) / m };
  });
}

/**
 * sum_k theta_k z^k
 * @example polynomialAt([1, 2, 3], 2) // 17
 */
export const polynomialAt = (theta: readonly number[], z: number): number =>
  theta.reduceRight((sum, c) => sum * z + c, 0);
