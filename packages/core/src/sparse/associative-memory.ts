// Memories that answer a key with its value: a matrix learned from pairs, or a soft lookup as attention makes it.
import { pseudoInverse } from "../linear-algebra/least-squares.ts";
import type { Matrix } from "../linear-algebra/matrix-norm.ts";
import { matrixOfRows } from "../linear-algebra/rows.ts";
import { binomialTail } from "../numbers/statistics.ts";
import { SparseError } from "./error.ts";

export type Vector = ArrayLike<number>;

/** Keys and the values that belong to them: the columns of X and of Y. */
export interface Pairs {
  readonly keys: readonly Vector[];
  readonly values: readonly Vector[];
}

/**
 * A = Y X^T, the sum of the products y_i x_i^T: each pair is learned by itself. It recalls exactly iff X^T X = I.
 * @example hebbianMemory({ keys: [[1, 0], [0, 1]], values: [[3], [5]] }).entries // Float64Array [3, 5]
 */
export function hebbianMemory({ keys, values }: Pairs): Matrix {
  const [rows, columns] = sizesOf({ keys, values });
  const entries = new Float64Array(rows * columns);
  keys.forEach((x, k) => {
    const y = values[k]!;
    for (let i = 0; i < rows; i++)
      for (let j = 0; j < columns; j++) entries[i * columns + j]! += y[i]! * x[j]!;
  });
  return { rows, columns, entries };
}

/**
 * A = Y X^+, the matrix with |A X - Y| least, and of those the smallest. It recalls independent keys exactly; with as
 * many independent keys as a key has numbers, or more, it is Y X^T (X X^T)^{-1}.
 * @example (await linearMemory({ keys: [[1, 0], [1, 1]], values: [[3], [5]] })).entries.map(Math.round) // Float64Array [3, 2]
 */
export async function linearMemory({ keys, values }: Pairs): Promise<Matrix> {
  sizesOf({ keys, values });
  const inverse = await pseudoInverse(matrixOfRows(keys)); // (X^T)^+, dimension x N
  const duals = keys.map((_, k) =>
    Float64Array.from({ length: inverse.rows }, (__, j) => inverse.entries[j * inverse.columns + k]!),
  );
  return hebbianMemory({ keys: duals, values });
}

/** A x. */
export function recall({ rows, columns, entries }: Matrix, key: Vector): Float64Array {
  if (key.length !== columns) throw new SparseError(`a key has ${columns} numbers here, not ${key.length}`);
  return Float64Array.from({ length: rows }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < columns; j++) sum += entries[i * columns + j]! * key[j]!;
    return sum;
  });
}

/**
 * softmax(beta <x_i, x>): how much each pair has a say when x asks. The soft lookup is the mean of the values with it.
 * @example lookupWeights([[1, 0], [0, 1]], [1, 0], 0) // Float64Array [0.5, 0.5]
 */
export function lookupWeights(keys: readonly Vector[], query: Vector, beta: number): Float64Array {
  const scores = keys.map((key) => beta * inner(key, query));
  const top = Math.max(...scores);
  const powers = scores.map((s) => Math.exp(s - top));
  const total = powers.reduce((a, b) => a + b, 0);
  return Float64Array.from(powers, (p) => p / total);
}

/**
 * Y softmax(beta X^T x), the readout of a modern Hopfield network, and of attention with beta = 1 / sqrt(d).
 * @example softRecall({ keys: [[1, 0], [0, 1]], values: [[4], [8]] }, [1, 0], Math.log(3)) // Float64Array [5]
 */
export function softRecall({ keys, values }: Pairs, query: Vector, beta: number): Float64Array {
  const [rows] = sizesOf({ keys, values });
  const weights = lookupWeights(keys, query, beta);
  return Float64Array.from({ length: rows }, (_, i) =>
    weights.reduce((sum, w, k) => sum + w * values[k]![i]!, 0),
  );
}

/**
 * The probability that a bit, stored by the Hebbian rule as a sign with N - 1 others under keys of d random signs, comes
 * back wrong. The others add the sum of (N - 1) d signs to the bit's own d; a tie is decided by a coin.
 * @example hebbianBitError(2, 1) // 0.25
 */
export function hebbianBitError(pairs: number, dimension: number): number {
  const signs = (pairs - 1) * dimension;
  // The sum is 2 B - signs with B binomial; it is below -dimension iff signs - B > (signs + dimension) / 2.
  const middle = (signs + dimension) / 2;
  const above = binomialTail(signs, 1 / 2, Math.floor(middle) + 1);
  const tie = Number.isInteger(middle) ? binomialTail(signs, 1 / 2, middle) - above : 0;
  return above + tie / 2;
}

export const inner = (a: Vector, b: Vector): number => {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!;
  return sum;
};

/** Numbers in a value and in a key. */
function sizesOf({ keys, values }: Pairs): readonly [number, number] {
  if (keys.length === 0 || keys.length !== values.length)
    throw new SparseError(`${keys.length} keys need as many values, not ${values.length}; at least one`);
  const [rows, columns] = [values[0]!.length, keys[0]!.length];
  const odd = keys.findIndex((key, k) => key.length !== columns || values[k]!.length !== rows);
  if (odd >= 0) throw new SparseError(`pair ${odd} has other lengths than pair 0`);
  return [rows, columns];
}
