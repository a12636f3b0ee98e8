// Matrices that try linear algebra: with known spectra, clustered, graded, singular, and at both ends of the doubles.

import { wholeBlock } from "../../src/linear-algebra/block.ts";
import { reflectRows } from "../../src/linear-algebra/compact-wy.ts";
import { matrixOfRows } from "../../src/linear-algebra/index.ts";
import type { Matrix } from "../../src/linear-algebra/matrix-norm.ts";
import { createRandom } from "../../src/numbers/random.ts";

export const matrix = (rows: number, columns: number, at: (i: number, j: number) => number): Matrix => ({
  rows,
  columns,
  entries: Float64Array.from({ length: rows * columns }, (_, k) => at(Math.floor(k / columns), k % columns)),
});
export const gaussian = (seed: number, rows: number, columns: number): Matrix => ({
  rows,
  columns,
  entries: createRandom(seed).normal(rows * columns),
});
export const identity = (n: number): Matrix => matrix(n, n, (i, j) => (i === j ? 1 : 0));
export const diagonal = (values: ArrayLike<number>): Matrix =>
  matrix(values.length, values.length, (i, j) => (i === j ? values[i]! : 0));
export const transpose = (a: Matrix): Matrix =>
  matrix(a.columns, a.rows, (i, j) => a.entries[j * a.columns + i]!);
export const scaled = (a: Matrix, factor: number): Matrix => ({
  ...a,
  entries: a.entries.map((x) => factor * x),
});
export const greatest = (entries: Float64Array): number =>
  entries.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
export const symmetrized = (a: Matrix): Matrix =>
  matrix(a.rows, a.rows, (i, j) => a.entries[Math.min(i, j) * a.rows + Math.max(i, j)]!);

/** A B, as one would write it down. */
export function times(a: Matrix, b: Matrix): Matrix {
  const entries = new Float64Array(a.rows * b.columns);
  for (let i = 0; i < a.rows; i++)
    for (let p = 0; p < a.columns; p++) {
      const factor = a.entries[i * a.columns + p]!;
      for (let j = 0; j < b.columns; j++)
        entries[i * b.columns + j]! += factor * b.entries[p * b.columns + j]!;
    }
  return { rows: a.rows, columns: b.columns, entries };
}

/** max |a_ij - b_ij|. */
export const gap = (a: Matrix, b: Matrix): number => greatest(a.entries.map((x, k) => x - b.entries[k]!));

/** Q D Q^T for a random orthogonal Q: a product of as many random reflections as there are rows, from both sides. */
export async function turned(a: Matrix, seed: number): Promise<Matrix> {
  const half = await turnedRows(a, seed);
  return turnedRows(transpose(half), seed);
}

/** A Q for a random orthogonal Q. */
export async function turnedRows(a: Matrix, seed: number): Promise<Matrix> {
  const n = a.columns;
  const result = { ...a, entries: a.entries.slice() };
  const count = Math.min(n, 40);
  const vectors = gaussian(seed, count, n);
  const taus = Float64Array.from({ length: count }, (_, k) => {
    const v = vectors.entries.subarray(k * n, (k + 1) * n);
    return 2 / v.reduce((sum, x) => sum + x * x, 0);
  });
  await reflectRows(wholeBlock(result), { vectors: wholeBlock(vectors), taus });
  return result;
}

const tridiagonal = (d: (i: number) => number, e: (i: number) => number, n: number): Matrix =>
  matrix(n, n, (i, j) => (i === j ? d(i) : Math.abs(i - j) === 1 ? e(Math.min(i, j)) : 0));

/** Wilkinson's W+: pairs of eigenvalues that agree to more digits than doubles have. */
export const wilkinson = (n: number): Matrix =>
  tridiagonal(
    (i) => Math.abs(i - (n - 1) / 2),
    () => 1,
    n,
  );

/** Kac's matrix, made symmetric: the eigenvalues are -(n-1), -(n-3), ..., n - 1. */
export const kac = (n: number): Matrix =>
  tridiagonal(
    () => 0,
    (i) => Math.sqrt((i + 1) * (n - 1 - i)),
    n,
  );
export const kacSpectrum = (n: number): Float64Array =>
  Float64Array.from({ length: n }, (_, k) => 2 * k - (n - 1));

/** 2 on the diagonal, -1 beside it: the eigenvalues are 4 sin^2(k pi / (2 n + 2)). */
export const secondDifference = (n: number): Matrix =>
  tridiagonal(
    () => 2,
    () => -1,
    n,
  );
export const secondDifferenceSpectrum = (n: number): Float64Array =>
  Float64Array.from({ length: n }, (_, k) => 4 * Math.sin(((k + 1) * Math.PI) / (2 * n + 2)) ** 2);

/** 1, ..., 1e-15. */
export const graded = (n: number): Float64Array =>
  Float64Array.from({ length: n }, (_, k) => 10 ** ((-15 * k) / Math.max(1, n - 1)));

/** Tridiagonal, with entries of very different sizes side by side, and many of them the same. */
export function scattered(seed: number, n: number): Matrix {
  const random = createRandom(seed);
  const sizes = [1, 1, -1, 0, 1e-8, 1e-16, 1e-17, 1e-150, 1e-300, random.normal()];
  const few = Array.from({ length: 3 }, () => sizes[random.integer(0, sizes.length - 1)]!);
  const entries = Array.from({ length: 2 * n }, () => few[random.integer(0, 2)]!);
  return tridiagonal(
    (i) => entries[i]!,
    (i) => entries[n + i]!,
    n,
  );
}

/** Symmetric matrices of moderate size by name; their spectra where they are known, ascending. */
export async function symmetricMatrices(
  n: number,
): Promise<readonly { readonly name: string; readonly a: Matrix; readonly spectrum?: Float64Array }[]> {
  const clustered = Float64Array.from({ length: n }, (_, k) =>
    k < n / 2 ? 1 : k < n - 2 ? 2 : 3 + 1e-13 * k,
  );
  const low = Float64Array.from({ length: n }, (_, k) => (k % 3 === 0 ? k + 1 : 0));
  const known = (name: string, a: Matrix, spectrum: Float64Array) => ({
    name,
    a,
    spectrum: spectrum.toSorted(),
  });
  return [
    { name: "random", a: symmetrized(gaussian(n, n, n)) },
    known("graded", symmetrized(await turned(diagonal(graded(n)), 1)), graded(n)),
    known("graded diagonal", diagonal(graded(n)), graded(n)),
    known("clustered", symmetrized(await turned(diagonal(clustered), 2)), clustered),
    known("singular", symmetrized(await turned(diagonal(low), 3)), low),
    known("identity", identity(n), new Float64Array(n).fill(1)),
    known("turned identity", symmetrized(await turned(identity(n), 4)), new Float64Array(n).fill(1)),
    known("zero", scaled(identity(n), 0), new Float64Array(n)),
    known(
      "ones",
      matrix(n, n, () => 1),
      Float64Array.from({ length: n }, (_, k) => (k === n - 1 ? n : 0)),
    ),
    { name: "tiny", a: scaled(symmetrized(gaussian(n + 1, n, n)), 1e-300) },
    { name: "subnormal", a: scaled(symmetrized(gaussian(n + 1, n, n)), 1e-308) },
    { name: "huge", a: scaled(symmetrized(gaussian(n + 1, n, n)), 1e300) },
    {
      name: "nearly tridiagonal",
      a: matrix(n, n, (i, j) =>
        Math.abs(i - j) > 1 ? 1e-14 : secondDifference(2).entries[Math.abs(i - j)]!,
      ),
    },
    { name: "Wilkinson", a: wilkinson(n) },
    known("Kac", kac(n), kacSpectrum(n)),
    known("second differences", secondDifference(n), secondDifferenceSpectrum(n)),
  ];
}

export const rowsOf = (a: Matrix): number[][] =>
  Array.from({ length: a.rows }, (_, i) =>
    Array.from(a.entries.subarray(i * a.columns, (i + 1) * a.columns)),
  );
export { matrixOfRows };
