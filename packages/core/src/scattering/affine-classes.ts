// A classifier by affine spaces: each class is its mean and the directions in which its examples vary most, and an input
// belongs to the space that is nearest: min over c of |x - m_c - P_c (x - m_c)| (book 1, section 8.3.6; ScatNet's readout).
// Each distance changes by at most |x - y|, so half of the lead of the nearest one is a certified radius.
import { wholeBlock } from "../linear-algebra/block.ts";
import { type Matrix, matrixProduct, topEigenpairs } from "../linear-algebra/index.ts";
import { productOf } from "../linear-algebra/product.ts";
import { transposeOf } from "../linear-algebra/svd.ts";
import type { Random } from "../numbers/random.ts";
import { ScatteringError } from "./error.ts";
import type { CertifiedRadius } from "./readout.ts";

export interface AffineSpace {
  readonly mean: Float64Array;
  /** Orthonormal rows, the direction of most variance first. */
  readonly directions: Matrix;
}

export interface AffineOptions {
  /** Directions of a class, at most: a class of n examples has n - 1. */
  readonly dimension: number;
  readonly random?: Random;
  readonly signal?: AbortSignal;
}

/** What directions are found to: their span matters, not each of them. */
const directionTolerance = 1e-6;

/**
 * The affine space of the examples of one class (a row an example).
 * @example (await affineSpace({ rows: 3, columns: 2, entries: Float64Array.of(0, 1, 1, 1, 2, 1) }, { dimension: 1 })).mean // Float64Array [1, 1]
 */
export async function affineSpace(
  examples: Matrix,
  { dimension, random, signal }: AffineOptions,
): Promise<AffineSpace> {
  const { rows, columns } = examples;
  if (rows === 0) throw new ScatteringError("a class without examples has no mean");
  if (!(Number.isInteger(dimension) && dimension >= 0))
    throw new ScatteringError(`a space has a whole number of dimensions, not ${dimension}`);
  const mean = new Float64Array(columns);
  for (let i = 0; i < rows; i++)
    for (let k = 0; k < columns; k++) mean[k]! += examples.entries[i * columns + k]! / rows;
  const centred = lessMean(examples, mean);
  const count = Math.min(dimension, rows - 1, columns);
  if (count === 0) return { mean, directions: { rows: 0, columns, entries: new Float64Array(0) } };
  const turned = transposeOf(centred);
  // Of X^T X and X X^T the smaller one: they have the same eigenvalues, and X^T u is a vector of the other.
  const isTall = rows >= columns;
  const gram = isTall ? await matrixProduct(turned, centred) : await matrixProduct(centred, turned);
  const { values, vectors } = await topEigenpairs((v) => matrixProduct(v, gram), gram.rows, count, {
    tolerance: directionTolerance,
    ...(random && { random }),
    ...(signal && { signal }),
  });
  const kept = values.findIndex((value) => value <= 1e-10 * values[0]!);
  const found = firstRows(vectors, kept < 0 ? count : kept);
  return { mean, directions: isTall ? found : unitRows(await matrixProduct(found, centred)) };
}

/**
 * The distances of inputs (rows) to each of the spaces (columns): a matrix for each of the dimensions, which count the
 * first directions of every space.
 * @example (await affineDistances([await affineSpace({ rows: 2, columns: 2, entries: Float64Array.of(0, 0, 2, 0) }, { dimension: 1 })], { rows: 1, columns: 2, entries: Float64Array.of(5, 3) }))[0].entries // Float64Array [3]
 */
export async function affineDistances(
  spaces: readonly AffineSpace[],
  inputs: Matrix,
  dimensions: readonly number[] = [Number.POSITIVE_INFINITY],
): Promise<readonly Matrix[]> {
  const { rows } = inputs;
  const all = dimensions.map(() => new Float64Array(rows * spaces.length));
  for (const [c, { mean, directions }] of spaces.entries()) {
    if (mean.length !== inputs.columns)
      throw new ScatteringError(`spaces of ${mean.length} features, inputs of ${inputs.columns}`);
    const centred = lessMean(inputs, mean);
    const count = Math.min(directions.rows, Math.max(0, ...dimensions));
    const along = transposeOf(firstRows(directions, count));
    const shares = count === 0 ? undefined : await productOf(wholeBlock(centred), wholeBlock(along));
    for (let i = 0; i < rows; i++) {
      const whole = squares(centred, i);
      dimensions.forEach((dimension, d) => {
        let square = whole;
        for (let k = 0; k < Math.min(dimension, count); k++) square -= shares!.entries[i * count + k]! ** 2;
        all[d]![i * spaces.length + c] = Math.sqrt(Math.max(0, square));
      });
    }
  }
  return all.map((entries) => ({ rows, columns: spaces.length, entries }));
}

/**
 * The nearest space, and the radius within which it stays that, if features move by at most `expansion` times as much.
 * @example nearestSpace([3, 1, 2]) // { predicted: 1, rival: 2, radius: 0.5 }
 */
export function nearestSpace(distances: ArrayLike<number>, expansion = 1): CertifiedRadius {
  let [predicted, rival] = [0, -1];
  for (let c = 1; c < distances.length; c++) if (distances[c]! < distances[predicted]!) predicted = c;
  for (let c = 0; c < distances.length; c++)
    if (c !== predicted && (rival < 0 || distances[c]! < distances[rival]!)) rival = c;
  if (rival < 0) return { predicted, rival: predicted, radius: Number.POSITIVE_INFINITY };
  return { predicted, rival, radius: (distances[rival]! - distances[predicted]!) / 2 / expansion };
}

function lessMean({ rows, columns, entries }: Matrix, mean: Float64Array): Matrix {
  const out = new Float64Array(entries.length);
  for (let i = 0, at = 0; i < rows; i++)
    for (let k = 0; k < columns; k++, at++) out[at] = entries[at]! - mean[k]!;
  return { rows, columns, entries: out };
}

const firstRows = ({ columns, entries }: Matrix, rows: number): Matrix => ({
  ...{ rows, columns },
  entries: entries.subarray(0, rows * columns),
});

function unitRows({ rows, columns, entries }: Matrix): Matrix {
  const out = entries.slice();
  for (let i = 0; i < rows; i++) {
    const size = Math.sqrt(squares({ rows, columns, entries }, i));
    for (let k = i * columns; k < (i + 1) * columns; k++) out[k]! /= size;
  }
  return { rows, columns, entries: out };
}

function squares({ columns, entries }: Matrix, row: number): number {
  let sum = 0;
  for (let k = row * columns; k < (row + 1) * columns; k++) sum += entries[k]! ** 2;
  return sum;
}
