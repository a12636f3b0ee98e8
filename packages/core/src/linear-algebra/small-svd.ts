// Singular values of small matrices, by Jacobi's rotations from one side: rows are turned until they are orthogonal.

/** Row i of B is sum_k left_k[i] values[k] right_k. */
export interface SmallSvd {
  readonly values: Float64Array;
  readonly left: readonly Float64Array[];
  /** Orthonormal rows, of all dimensions: those after the values belong to none. */
  readonly right: readonly Float64Array[];
}

const mostSweeps = 40;
/** Squares of lengths below this have lost digits; the row then counts as 0. */
const negligible = 2 ** -900;

/**
 * Values and left vectors alone: no basis of all columns is made, which takes their number cubed.
 * @example leftSingular([Float64Array.of(3, 4)]).values // Float64Array [5]
 */
export function leftSingular(matrix: readonly Float64Array[]): Pick<SmallSvd, "values" | "left"> {
  const { rows, left } = rotated(matrix);
  return { values: Float64Array.from(rows, lengthOf), left };
}

const lengthOf = (row: Float64Array): number => {
  const square = product(row, row);
  return square <= negligible ? 0 : Math.sqrt(square);
};

/** The decomposition of a matrix with rows that are no longer than `columns`. */
export function smallSvd(matrix: readonly Float64Array[], columns: number): SmallSvd {
  const { rows, left } = rotated(matrix);
  const values = Float64Array.from(rows, lengthOf);
  const right = rows.map((row, k) => (values[k] === 0 ? undefined : row.map((x) => x / values[k]!)));
  return { values, left, right: completed(right, columns) };
}

/** Rows turned until they are orthogonal, and what turned them. */
function rotated(matrix: readonly Float64Array[]) {
  const rows = matrix.map((row) => row.slice());
  const left = unitRows(rows.length);
  for (let sweep = 0, turned = true; turned && sweep < mostSweeps; sweep++) {
    turned = false;
    for (let p = 0; p < rows.length; p++)
      for (let q = p + 1; q < rows.length; q++)
        if (makeOrthogonal(rows[p]!, rows[q]!, left[p]!, left[q]!)) turned = true;
  }
  return { rows, left };
}

const unitRows = (n: number): Float64Array[] =>
  Array.from({ length: n }, (_, k) => {
    const row = new Float64Array(n);
    row[k] = 1;
    return row;
  });

/** <x, y>, in two sums that do not wait for each other. */
function product(x: Float64Array, y: Float64Array): number {
  const even = x.length - (x.length % 2);
  let s0 = 0;
  let s1 = 0;
  for (let k = 0; k < even; k += 2) {
    s0 += x[k]! * y[k]!;
    s1 += x[k + 1]! * y[k + 1]!;
  }
  return even === x.length ? s0 + s1 : s0 + s1 + x[even]! * y[even]!;
}

/** Turns two rows, and what goes with them, unless they are orthogonal in floating point. */
function makeOrthogonal(x: Float64Array, y: Float64Array, u: Float64Array, v: Float64Array): boolean {
  const a = product(x, x);
  const b = product(x, y);
  const c = product(y, y);
  if (a <= negligible || c <= negligible || Math.abs(b) <= 2 ** -52 * Math.sqrt(a) * Math.sqrt(c))
    return false;
  const zeta = (c - a) / (2 * b);
  const t = (zeta >= 0 ? 1 : -1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
  const cosine = 1 / Math.sqrt(1 + t * t);
  turn(x, y, cosine, cosine * t);
  turn(u, v, cosine, cosine * t);
  return true;
}

function turn(x: Float64Array, y: Float64Array, c: number, s: number): void {
  for (let k = 0; k < x.length; k++) {
    const before = x[k]!;
    x[k] = c * before - s * y[k]!;
    y[k] = s * before + c * y[k]!;
  }
}

/** Unit vectors orthogonal to all others where there are none, up to as many as dimensions. */
function completed(given: readonly (Float64Array | undefined)[], dimension: number): Float64Array[] {
  const known = given.filter((row) => row !== undefined);
  const next = (): Float64Array => {
    let best: Float64Array = new Float64Array(dimension);
    let length = 0;
    for (let k = 0; k < dimension && length < 0.5; k++) {
      const [candidate, size] = orthogonalTo(known, k, dimension);
      if (size > length) [best, length] = [candidate, size];
    }
    known.push(best);
    return best;
  };
  return Array.from({ length: dimension }, (_, k) => given[k] ?? next());
}

/** Axis k made orthogonal to unit vectors, of length 1; and how long it was before. */
function orthogonalTo(known: readonly Float64Array[], k: number, dimension: number): [Float64Array, number] {
  const x = new Float64Array(dimension);
  x[k] = 1;
  let first = 0;
  for (let pass = 0; pass < 3; pass++) {
    for (const row of known) {
      const along = product(row, x);
      for (let j = 0; j < dimension; j++) x[j]! -= along * row[j]!;
    }
    const length = Math.sqrt(product(x, x));
    if (pass === 0) first = length;
    if (length > 0) for (let j = 0; j < dimension; j++) x[j]! /= length;
  }
  return [x, first];
}
