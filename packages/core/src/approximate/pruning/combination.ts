// Convex combinations with few terms: the approximate Caratheodory lemma (Maurey), by sampling and greedily.

import { ConstructError } from "../../functions/error.ts";
import { dot } from "../../linear-algebra/dot.ts";
import type { Matrix } from "../../linear-algebra/index.ts";
import type { Random } from "../../numbers/random.ts";

/** g = sum_i p_i f_i with p_i >= 0 and sum_i p_i = 1; an atom f_i a row. */
export interface ConvexCombination {
  readonly atoms: Matrix;
  readonly probabilities: Float64Array;
}

/** Averages of k atoms, with repetitions, next to the combination. */
export interface AtomAverage {
  /** How often each atom was taken; k in all. */
  readonly counts: Int32Array;
  /** The atoms in the order in which they were taken. */
  readonly taken: Int32Array;
  /** |average of the first t atoms - g|, t = 1 .. k. */
  readonly errors: Float64Array;
}

export interface CombinationSizes {
  /** sum_i p_i f_i. */
  readonly target: Float64Array;
  /** |f_i|^2. */
  readonly squares: Float64Array;
  /** max |f_i|, over the atoms with p_i > 0. */
  readonly greatest: number;
  /** (max |f_i|^2 - |g|^2)^(1/2): the error with k terms is at most this divided by k^(1/2), for the best k atoms. */
  readonly constant: number;
  /** (sum_i p_i |f_i|^2 - |g|^2)^(1/2): the mean square of a random average's error is this squared, divided by k. */
  readonly deviation: number;
}

const atomOf = ({ entries, columns }: Matrix, i: number): Float64Array =>
  entries.subarray(i * columns, (i + 1) * columns);

/** Target and constants of a convex combination. */
export function combinationSizes({ atoms, probabilities }: ConvexCombination): CombinationSizes {
  const total = probabilities.reduce((sum, p) => sum + p, 0);
  if (!(Math.abs(total - 1) < 1e-9 && probabilities.every((p) => p >= 0)))
    throw new ConstructError(`the weights of a convex combination are nonnegative with sum 1, not ${total}`);
  const target = new Float64Array(atoms.columns);
  const squares = new Float64Array(atoms.rows);
  for (let i = 0; i < atoms.rows; i++) {
    const f = atomOf(atoms, i);
    squares[i] = dot(f, f);
    const p = probabilities[i]!;
    if (p !== 0) for (let c = 0; c < f.length; c++) target[c]! += p * f[c]!;
  }
  const size = dot(target, target);
  const most = squares.reduce((a, b, i) => (probabilities[i]! > 0 ? Math.max(a, b) : a), 0);
  return {
    target,
    squares,
    greatest: Math.sqrt(most),
    constant: Math.sqrt(Math.max(0, most - size)),
    deviation: Math.sqrt(Math.max(0, dot(squares, probabilities) - size)),
  };
}

/** The average of k atoms drawn by their weights: E |average - g|^2 = (sum p_i |f_i|^2 - |g|^2) / k. */
export function sampleAverage(combination: ConvexCombination, k: number, random: Random): AtomAverage {
  requireCount(k);
  const cumulative = new Float64Array(combination.probabilities.length);
  combination.probabilities.reduce((sum, p, i) => {
    cumulative[i] = sum + p;
    return sum + p;
  }, 0);
  const total = cumulative.at(-1)!;
  return averageOf(combination, combinationSizes(combination), k, () => {
    const u = random.uniform() * total;
    let [low, high] = [0, cumulative.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cumulative[middle]! > u) high = middle;
      else low = middle + 1;
    }
    return low;
  });
}

/**
 * The average of k atoms, each the best next one: argmin_i |t f^(t) + f_i - (t + 1) g|. With a_t = |f^(t) - g|^2,
 * averaging over the weights gives (t + 1)^2 a_(t+1) <= t^2 a_t + max |f_i|^2 - |g|^2, so a_k <= (max |f|^2 - |g|^2) / k.
 */
export function greedyAverage(combination: ConvexCombination, k: number): AtomAverage {
  requireCount(k);
  const { atoms, probabilities } = combination;
  const sizes = combinationSizes(combination);
  const wanted = productsWith(atoms, sizes.target);
  const known = new Map<number, Float64Array>();
  /** <t f^(t), f_i>. */
  const inner = new Float64Array(atoms.rows);
  return averageOf(combination, sizes, k, (t, last) => {
    if (last !== undefined) {
      const products = known.get(last) ?? productsWith(atoms, atomOf(atoms, last));
      known.set(last, products);
      for (let i = 0; i < inner.length; i++) inner[i]! += products[i]!;
    }
    let [best, least] = [0, Number.POSITIVE_INFINITY];
    for (let i = 0; i < inner.length; i++) {
      if (probabilities[i] === 0) continue; // no part of the combination
      const value = 2 * (inner[i]! - (t + 1) * wanted[i]!) + sizes.squares[i]!;
      if (value < least) [best, least] = [i, value];
    }
    return best;
  });
}

function requireCount(k: number): void {
  if (!(Number.isSafeInteger(k) && k >= 1))
    throw new ConstructError(`an average needs one atom at least, not ${k}`);
}

const productsWith = (atoms: Matrix, g: Float64Array): Float64Array =>
  Float64Array.from({ length: atoms.rows }, (_, i) => dot(atomOf(atoms, i), g));

function averageOf(
  { atoms }: ConvexCombination,
  { target }: CombinationSizes,
  k: number,
  next: (t: number, last: number | undefined) => number,
): AtomAverage {
  const [counts, taken] = [new Int32Array(atoms.rows), new Int32Array(k)];
  const errors = new Float64Array(k);
  const sum = new Float64Array(atoms.columns);
  let last: number | undefined;
  for (let t = 0; t < k; t++) {
    last = next(t, last);
    counts[last]!++;
    taken[t] = last;
    const f = atomOf(atoms, last);
    let square = 0;
    for (let c = 0; c < sum.length; c++) {
      sum[c]! += f[c]!;
      square += (sum[c]! / (t + 1) - target[c]!) ** 2;
    }
    errors[t] = Math.sqrt(square);
  }
  return { counts, taken, errors };
}
