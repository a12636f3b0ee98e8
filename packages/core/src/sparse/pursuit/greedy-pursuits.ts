// Codes with a given number of nonzeros: orthogonal matching, hard thresholding step by step, subspaces that are exchanged.
import { SparseError } from "../error.ts";
import {
  analyze,
  correlation,
  type Dictionary,
  requireSignal,
  residualOf,
  squaredNormAbove,
  squaresOf,
} from "./dictionary.ts";
import { keepLargest, largest } from "./thresholds.ts";

export interface SparseCode {
  readonly x: Float64Array;
  /** y - D x. */
  readonly residual: Float64Array;
  /** Atoms that were chosen, ascending. */
  readonly support: readonly number[];
  readonly iterations: number;
}

function requireSparsity({ count, size }: Dictionary, k: number): void {
  const most = Math.min(count, size);
  if (!(Number.isSafeInteger(k) && k >= 1 && k <= most))
    throw new SparseError(`a sparsity is a whole number from 1 to ${most}, not ${k}`);
}

/**
 * Least squares on some atoms, by Cholesky factors of their inner products with one step of refinement; undefined where the
 * atoms depend on each other.
 */
export function fitOn(
  { size, count, atoms }: Dictionary,
  support: readonly number[],
  y: Float64Array,
): Float64Array | undefined {
  const k = support.length;
  const factor = new Float64Array(k * k);
  const atom = (j: number): Float64Array => atoms.subarray(support[j]! * size, (support[j]! + 1) * size);
  for (let i = 0; i < k; i++)
    for (let j = 0; j <= i; j++) {
      let sum = correlation(atoms, support[i]! * size, atom(j));
      const whole = sum;
      for (let p = 0; p < j; p++) sum -= factor[i * k + p]! * factor[j * k + p]!;
      if (i === j) {
        if (!(sum > 2 ** -40 * whole)) return undefined;
        factor[i * k + i] = Math.sqrt(sum);
      } else factor[i * k + j] = sum / factor[j * k + j]!;
    }
  const x = new Float64Array(count);
  let residual = y;
  for (let step = 0; step < 2; step++) {
    const z = Float64Array.from(support, (j) => correlation(atoms, j * size, residual));
    for (let i = 0; i < k; i++) {
      for (let p = 0; p < i; p++) z[i]! -= factor[i * k + p]! * z[p]!;
      z[i]! /= factor[i * k + i]!;
    }
    for (let i = k - 1; i >= 0; i--) {
      for (let p = i + 1; p < k; p++) z[i]! -= factor[p * k + i]! * z[p]!;
      z[i]! /= factor[i * k + i]!;
    }
    for (const [i, j] of support.entries()) x[j]! += z[i]!;
    residual = residualOf({ size, count, atoms }, y, x);
  }
  return x;
}

/**
 * Orthogonal matching pursuit: the atom that correlates most with what is left, least squares on all that were chosen, and
 * so on, until there are k, nothing is left, or the next one depends on those before.
 * @example orthogonalMatching(dictionaryOf(matrixOfRows([[1, 0], [0, 1]])), Float64Array.of(1, 3), 1).support // [1]
 */
export function orthogonalMatching(
  dictionary: Dictionary,
  y: Float64Array,
  k: number,
  { tolerance = 1e-14 }: { readonly tolerance?: number } = {},
): SparseCode {
  requireSignal(dictionary, y);
  requireSparsity(dictionary, k);
  const lengths = squaresOf(dictionary).map(Math.sqrt);
  const size = Math.hypot(...y);
  let [x, residual]: [Float64Array, Float64Array] = [new Float64Array(dictionary.count), y.slice()];
  const support: number[] = [];
  while (support.length < k && Math.hypot(...residual) > tolerance * size) {
    const g = analyze(dictionary, residual).map((c, j) =>
      lengths[j] === 0 || support.includes(j) ? 0 : Math.abs(c) / lengths[j]!,
    );
    const [best] = largest(g, 1);
    if (g[best!] === 0) break;
    const fit = fitOn(dictionary, [...support, best!], y);
    if (!fit) break;
    support.push(best!);
    x = fit;
    residual = residualOf(dictionary, y, x);
  }
  return { x, residual, support: support.toSorted((a, b) => a - b), iterations: support.length };
}

/** x <- the k largest of x + D^T (y - D x) / |D|^2, until nothing moves; then least squares on their atoms. */
export function hardThresholding(
  dictionary: Dictionary,
  y: Float64Array,
  k: number,
  { iterations = 1000 }: { readonly iterations?: number } = {},
): SparseCode {
  requireSignal(dictionary, y);
  requireSparsity(dictionary, k);
  const norm = squaredNormAbove(dictionary);
  let x: Float64Array = new Float64Array(dictionary.count);
  let done = 0;
  for (; norm > 0 && done < iterations; done++) {
    const g = analyze(dictionary, residualOf(dictionary, y, x));
    const next = keepLargest(
      x.map((v, j) => v + g[j]! / norm),
      k,
    );
    const moved = next.reduce((m, v, j) => Math.max(m, Math.abs(v - x[j]!)), 0);
    const size = next.reduce((m, v) => Math.max(m, Math.abs(v)), 0);
    x = next;
    if (moved <= 2 ** -50 * size) break;
  }
  return refitted(dictionary, y, x, done);
}

/** Subspace pursuit: k atoms, k more by their correlation with what is left, least squares, the k largest, while it helps. */
export function subspacePursuit(
  dictionary: Dictionary,
  y: Float64Array,
  k: number,
  { iterations = 100 }: { readonly iterations?: number } = {},
): SparseCode {
  requireSignal(dictionary, y);
  requireSparsity(dictionary, k);
  if (2 * k > dictionary.size)
    throw new SparseError(
      `subspaces of ${2 * k} atoms for signals of ${dictionary.size} numbers: at most half of them`,
    );
  let best = refitted(dictionary, y, keepLargest(analyze(dictionary, y), k), 0);
  for (let done = 1; done <= iterations; done++) {
    const more = largest(analyze(dictionary, best.residual), k);
    const union = [...new Set([...best.support, ...more])].sort((a, b) => a - b);
    const fit = fitOn(dictionary, union, y);
    if (!fit) break;
    const next = refitted(dictionary, y, keepLargest(fit, k), done);
    if (!(Math.hypot(...next.residual) < Math.hypot(...best.residual))) break;
    best = next;
  }
  return best;
}

/** Least squares on the atoms of a code; where they depend on each other, the code as it is. */
function refitted(
  dictionary: Dictionary,
  y: Float64Array,
  code: Float64Array,
  iterations: number,
): SparseCode {
  const support = Array.from(code.keys()).filter((j) => code[j] !== 0);
  const x = support.length > 0 ? (fitOn(dictionary, support, y) ?? code) : code;
  return { x, residual: residualOf(dictionary, y, x), support, iterations };
}
