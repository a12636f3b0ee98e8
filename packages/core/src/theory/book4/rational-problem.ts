// Covariances whose eigenvectors are rational, so that critical points and their Hessians are exact.
import type { Covariances } from "../../landscape/linear/covariances.ts";
import { type MatrixOf, matrixAlgebra, rationals } from "../../linear-algebra/matrix-algebra.ts";
import type { Exact } from "../../numbers/exact/rational.ts";
import { div } from "../../numbers/exact/rational.ts";
import type { Random } from "../../numbers/random.ts";

export interface RationalProblem {
  readonly covariances: Covariances<Exact>;
  /** Of Sigma, descending. */
  readonly eigenvalues: readonly number[];
  /** One a row, as the eigenvalues. */
  readonly vectors: MatrixOf<Exact>;
}

const { product, transpose, identity, plus, times } = matrixAlgebra(rationals);
const triples = [
  [3, 4, 5],
  [5, 12, 13],
  [8, 15, 17],
] as const;

/** A product of rotations by angles of Pythagorean triangles. */
function rationalRotation(size: number, random: Random): MatrixOf<Exact> {
  let turned = identity(size);
  for (let i = 0; i < size; i++)
    for (let j = i + 1; j < size; j++) {
      const [a, b, c] = triples[random.integer(0, triples.length - 1)]!;
      const turn = identity(size).map((row) => [...row]);
      [turn[i]![i], turn[i]![j], turn[j]![i], turn[j]![j]] = [div(a, c), div(b, c), div(-b, c), div(a, c)];
      turned = product(turn, turned);
    }
  return turned;
}

const table = (rows: number, columns: number, entry: (i: number, j: number) => number): number[][] =>
  Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (__, j) => entry(i, j)));

/** Sxx = L L^T with whole numbers, Syx = Q diag(s) R L^T with rotations Q, R: Sigma = Q diag(s^2) Q^T. */
export function rationalProblem(
  inputs: number,
  outputs: number,
  random: Random,
  sizes: readonly number[] = distinctSizes(outputs, random),
): RationalProblem {
  const lower = table(inputs, inputs, (i, j) =>
    i === j ? random.integer(1, 2) : i > j ? random.integer(-1, 1) : 0,
  );
  const [q, r] = [rationalRotation(outputs, random), rationalRotation(inputs, random)];
  const stretch = table(outputs, inputs, (i, j) => (i === j ? sizes[i]! : 0));
  const yx = product(transpose(q), stretch, r, transpose(lower));
  const square = table(outputs, outputs, (i, j) => (i === j ? sizes[i]! ** 2 : 0));
  const noise = times(random.integer(0, 3), identity(outputs));
  return {
    covariances: {
      xx: product(lower, transpose(lower)),
      yx,
      yy: plus(product(transpose(q), square, q), noise),
    },
    eigenvalues: sizes.map((s) => s * s),
    vectors: q,
  };
}

/** An invertible matrix of whole numbers: ones on the diagonal of two triangles. */
export function wholeGauge(size: number, random: Random): MatrixOf<Exact> {
  const draw = (isLower: boolean) =>
    table(size, size, (i, j) => (i === j ? 1 : i > j === isLower ? random.integer(-1, 1) : 0));
  return product(draw(true), draw(false));
}

/** Of 1, ..., n + 2, descending. */
const distinctSizes = (count: number, random: Random): readonly number[] =>
  [...random.split("sizes").permutation(count + 2)]
    .slice(0, count)
    .map((k) => k + 1)
    .sort((a, b) => b - a);
