// Codes z = C^(-1/2) (S x - mean) of scattering coefficients (book 1, section 8.6.4): the encoder of a generator whose decoder
// is learned. Principal directions only, so that codes of the examples have mean 0 and covariance 1.
import { type Matrix, singularDecomposition } from "../linear-algebra/index.ts";
import { ScatteringError } from "./error.ts";

export interface ScatteringCode {
  readonly mean: Float64Array;
  /** Orthonormal rows, the direction of most variance first. */
  readonly directions: Matrix;
  /** The standard deviation along each. */
  readonly deviations: Float64Array;
}

/**
 * The code of examples (a row an example), along at most `dimension` directions.
 * @example (await scatteringCode({ rows: 3, columns: 2, entries: Float64Array.of(0, 1, 1, 1, 2, 1) }, 2)).deviations.length // 1
 */
export async function scatteringCode(examples: Matrix, dimension: number): Promise<ScatteringCode> {
  const { rows, columns, entries } = examples;
  if (rows < 2) throw new ScatteringError(`${rows} examples have no covariance`);
  if (!(Number.isInteger(dimension) && dimension > 0))
    throw new ScatteringError(`a code has a whole number of entries, not ${dimension}`);
  const mean = new Float64Array(columns);
  entries.forEach((v, k) => {
    mean[k % columns]! += v / rows;
  });
  const centred = { rows, columns, entries: entries.map((v, k) => v - mean[k % columns]!) };
  const { values, right } = await singularDecomposition(centred);
  const rank = values.findIndex((v) => v <= 1e-10 * values[0]!);
  const count = Math.min(dimension, rows - 1, rank < 0 ? values.length : rank);
  return {
    mean,
    directions: { rows: count, columns, entries: right.entries.slice(0, count * columns) },
    deviations: values.slice(0, count).map((v) => v / Math.sqrt(rows)),
  };
}

/**
 * The code of one example.
 * @example encoded(await scatteringCode({ rows: 2, columns: 1, entries: Float64Array.of(0, 2) }, 1), [1]) // Float64Array [0]
 */
export function encoded(
  { mean, directions, deviations }: ScatteringCode,
  s: ArrayLike<number>,
): Float64Array {
  if (s.length !== mean.length)
    throw new ScatteringError(`${s.length} coefficients for a code of ${mean.length}`);
  return deviations.map((deviation, r) => {
    let sum = 0;
    for (let k = 0; k < s.length; k++) sum += directions.entries[r * mean.length + k]! * (s[k]! - mean[k]!);
    return sum / deviation + 0;
  });
}

/**
 * The coefficients that a code stands for, in the span of its directions.
 * @example uncoded(await scatteringCode({ rows: 2, columns: 1, entries: Float64Array.of(0, 2) }, 1), [0]) // Float64Array [1]
 */
export function uncoded(
  { mean, directions, deviations }: ScatteringCode,
  z: ArrayLike<number>,
): Float64Array {
  return mean.map((m, k) =>
    deviations.reduce(
      (sum, deviation, r) => sum + z[r]! * deviation * directions.entries[r * mean.length + k]!,
      m,
    ),
  );
}
