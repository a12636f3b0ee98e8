// What a dictionary promises: how alike its atoms are, how few of them can depend on each other, and which codes are therefore
// the only ones so sparse.
import { SparseError } from "../error.ts";
import { subsets } from "../restricted-isometry.ts";
import { correlation, type Dictionary } from "./dictionary.ts";

/** Sets of atoms that are gone through one by one. */
const mostSets = 2e5;

export interface DictionaryQuality {
  /** mu: the greatest |<d_i, d_j>| of two atoms, scaled to length 1. */
  readonly coherence: number;
  /** No dictionary of so many atoms has less (Welch). */
  readonly welch: number;
  /** The least number of atoms that depend on each other, from below and above; equal where it is known. */
  readonly spark: { readonly lower: number; readonly upper: number };
  /** Codes with fewer nonzeros than this are the sparsest of their signals, and the only ones so sparse. */
  readonly uniqueBelow: number;
}

/** |<d_i, d_j>| of atoms scaled to length 1, as rows. */
export function alikeness(dictionary: Dictionary): readonly Float64Array[] {
  const { size, count, atoms } = dictionary;
  // hypot: squares of very short or long atoms are no doubles.
  const unit = new Float64Array(atoms.length);
  for (let j = 0; j < count; j++) {
    const length = lengthOf(dictionary, j);
    if (length === 0) throw new SparseError(`atom ${j} is zero`);
    for (let i = 0; i < size; i++) unit[j * size + i] = atoms[j * size + i]! / length;
  }
  return Array.from({ length: count }, (_, i) =>
    Float64Array.from({ length: count }, (__, j) => {
      const product = correlation(unit, i * size, unit.subarray(j * size, (j + 1) * size));
      return i === j ? 1 : Math.min(1, Math.abs(product));
    }),
  );
}

const lengthOf = ({ size, atoms }: Dictionary, j: number): number =>
  Math.hypot(...atoms.subarray(j * size, (j + 1) * size));

/**
 * The greatest sum of k numbers |<d_i, d_j>| of one atom with others; coherence for k = 1.
 * @example babel([Float64Array.of(1, 0.5, 0.2), Float64Array.of(0.5, 1, 0.1), Float64Array.of(0.2, 0.1, 1)], 2) // 0.7
 */
export const babel = (alike: readonly Float64Array[], k: number): number =>
  Math.max(
    0,
    ...alike.map((row, i) =>
      [...row]
        .filter((_, j) => j !== i)
        .sort((a, b) => b - a)
        .slice(0, k)
        .reduce((sum, v) => sum + v, 0),
    ),
  );

/**
 * Coherence, spark and the sparsity that they make unique. Sets of atoms are tried while there are no more than 200,000. An atom
 * that is zero makes the spark 1; the coherence is that of the others.
 */
export function dictionaryQuality(dictionary: Dictionary): DictionaryQuality {
  const { size, count, atoms } = dictionary;
  const others = Array.from({ length: count }, (_, j) => j).filter((j) => lengthOf(dictionary, j) > 0);
  if (others.length < count) {
    const left = Float64Array.from(others.flatMap((j) => [...atoms.subarray(j * size, (j + 1) * size)]));
    const rest = { size, count: others.length, atoms: left };
    const coherence = others.length === 0 ? 0 : babel(alikeness(rest), 1);
    return { coherence, welch: 0, spark: { lower: 1, upper: 1 }, uniqueBelow: 1 / 2 };
  }
  const mu = babel(alikeness(dictionary), 1);
  const welch = count > size ? Math.sqrt((count - size) / (size * (count - 1))) : 0;
  const spark = sparkBounds(dictionary, mu);
  // Below half of the spark: two codes of a signal differ by as many nonzeros as both have.
  return { coherence: mu, welch, spark, uniqueBelow: spark.lower / 2 };
}

/** 1 + 1 / mu <= spark, and no more than size + 1 atoms are independent. */
function sparkBounds(dictionary: Dictionary, mu: number): DictionaryQuality["spark"] {
  const { size, count } = dictionary;
  // Where all atoms are independent there is no set that is not: one more than there are, by convention.
  const upper = Math.min(size, count) + 1;
  // mu is rounded: a spark of exactly 1 + 1 / mu is not exceeded by mistake.
  let lower = mu === 0 ? upper : Math.min(upper, Math.max(2, Math.ceil((1 + 1 / mu) * (1 - 2 ** -40))));
  let tried = 0;
  for (let k = lower; k < upper; k++) {
    let product = 1;
    for (let j = 1; j <= k; j++) product = (product * (count - k + j)) / j;
    tried += product;
    if (tried > mostSets) return { lower, upper };
    for (const set of subsets(count, k)) if (isDependent(dictionary, set)) return { lower: k, upper: k };
    lower = k + 1;
  }
  return { lower, upper };
}

/** Whether atoms, scaled to length 1, depend on each other up to rounding: by elimination with the greatest pivots. */
export function isDependent({ size, atoms }: Dictionary, set: readonly number[]): boolean {
  if (set.length > size) return true;
  const left = set.map((j) => {
    const atom = atoms.slice(j * size, (j + 1) * size);
    const length = Math.hypot(...atom);
    return atom.map((v) => v / length);
  });
  for (let k = 0; k < left.length; k++) {
    let best = k;
    for (let j = k; j < left.length; j++) if (Math.hypot(...left[j]!) > Math.hypot(...left[best]!)) best = j;
    const pivot = left[best]!;
    const length = Math.hypot(...pivot);
    if (length < 2 ** -40) return true;
    [left[k], left[best]] = [pivot, left[k]!];
    for (let j = k + 1; j < left.length; j++) {
      const other = left[j]!;
      const share = other.reduce((sum, v, i) => sum + v * pivot[i]!, 0) / length ** 2;
      left[j] = other.map((v, i) => v - share * pivot[i]!);
    }
  }
  return false;
}
