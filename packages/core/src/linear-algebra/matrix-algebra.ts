// Small matrices over any numbers: the same formulas in doubles and in exact rationals.

import { EngineError } from "../engine/error.ts";
import { abs, add, div, type Exact, mul, sign, sub, toNumber } from "../numbers/exact/rational.ts";

/** What the entries of a matrix must be able to do. */
export interface Scalars<T> {
  readonly of: (x: number) => T;
  readonly add: (a: T, b: T) => T;
  readonly sub: (a: T, b: T) => T;
  readonly mul: (a: T, b: T) => T;
  readonly div: (a: T, b: T) => T;
  /** How large, to choose pivots by. */
  readonly size: (a: T) => number;
}

export const doubles: Scalars<number> = {
  of: (x) => x,
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  size: Math.abs,
};

/** Any nonzero pivot is as good as another one. */
export const rationals: Scalars<Exact> = {
  of: (x) => x,
  add,
  sub,
  mul,
  div,
  size: (a) => (sign(a) === 0 ? 0 : Math.max(Number.MIN_VALUE, toNumber(abs(a)))),
};

/** Rows of a matrix. */
export type MatrixOf<T> = readonly (readonly T[])[];

export interface MatrixAlgebra<T> {
  readonly scalars: Scalars<T>;
  zeros(rows: number, columns: number): MatrixOf<T>;
  identity(size: number): MatrixOf<T>;
  transpose(a: MatrixOf<T>): MatrixOf<T>;
  product(...factors: readonly MatrixOf<T>[]): MatrixOf<T>;
  plus(...terms: readonly MatrixOf<T>[]): MatrixOf<T>;
  minus(a: MatrixOf<T>, b: MatrixOf<T>): MatrixOf<T>;
  times(factor: T, a: MatrixOf<T>): MatrixOf<T>;
  /** sum_ij a_ij b_ij */
  inner(a: MatrixOf<T>, b: MatrixOf<T>): T;
  trace(a: MatrixOf<T>): T;
  inverse(a: MatrixOf<T>): MatrixOf<T>;
}

/**
 * Matrices with these entries; none may have 0 rows or 0 columns.
 * @example matrixAlgebra(rationals).inverse([[3]]) // [[{ numerator: 1n, denominator: 3n }]]
 */
export function matrixAlgebra<T>(scalars: Scalars<T>): MatrixAlgebra<T> {
  const { of, add, sub, mul } = scalars;
  const zero = of(0);
  const made = (rows: number, columns: number, entry: (i: number, j: number) => T): MatrixOf<T> =>
    Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (__, j) => entry(i, j)));
  const transpose = (a: MatrixOf<T>): MatrixOf<T> => made(a[0]!.length, a.length, (i, j) => a[j]![i]!);
  const times2 = (a: MatrixOf<T>, b: MatrixOf<T>): MatrixOf<T> =>
    made(a.length, b[0]!.length, (i, j) =>
      a[i]!.reduce((sum, entry, k) => add(sum, mul(entry, b[k]![j]!)), zero),
    );
  const entrywise = (a: MatrixOf<T>, b: MatrixOf<T>, join: (x: T, y: T) => T): MatrixOf<T> =>
    a.map((row, i) => row.map((x, j) => join(x, b[i]![j]!)));
  return {
    scalars,
    zeros: (rows, columns) => made(rows, columns, () => zero),
    identity: (size) => made(size, size, (i, j) => of(i === j ? 1 : 0)),
    transpose,
    product: (...factors) => factors.reduce(times2),
    plus: (...terms) => terms.reduce((a, b) => entrywise(a, b, add)),
    minus: (a, b) => entrywise(a, b, sub),
    times: (factor, a) => a.map((row) => row.map((x) => mul(factor, x))),
    inner: (a, b) => a.flatMap((row, i) => row.map((x, j) => mul(x, b[i]![j]!))).reduce(add, zero),
    trace: (a) => a.reduce((sum, row, i) => add(sum, row[i]!), zero),
    inverse: (a) => inverse(scalars, a),
  };
}

/** Gauss and Jordan, with the largest pivot of a column. */
function inverse<T>({ of, sub, mul, div, size }: Scalars<T>, a: MatrixOf<T>): MatrixOf<T> {
  const n = a.length;
  const rows = a.map((row, i) => [...row, ...Array.from({ length: n }, (_, j) => of(i === j ? 1 : 0))]);
  for (let c = 0; c < n; c++) {
    let best = c;
    for (let r = c + 1; r < n; r++) if (size(rows[r]![c]!) > size(rows[best]![c]!)) best = r;
    [rows[c], rows[best]] = [rows[best]!, rows[c]!];
    const pivot = rows[c]![c]!;
    if (size(pivot) === 0) throw new EngineError("the matrix has no inverse");
    const scaled = rows[c]!.map((x) => div(x, pivot));
    rows[c] = scaled;
    for (let r = 0; r < n; r++) {
      const factor = rows[r]![c]!;
      if (r !== c && size(factor) > 0) rows[r] = rows[r]!.map((x, k) => sub(x, mul(factor, scaled[k]!)));
    }
  }
  return rows.map((row) => row.slice(n));
}
