// When overfitting is benign: effective ranks of a spectrum, and the order of the variance that they give.

import { dot } from "../../linear-algebra/dot.ts";
import { symmetricSpectrum } from "../../linear-algebra/tridiagonal.ts";
import { NumberError } from "../../numbers/error.ts";

/** Eigenvalues of E[X X^T], descending, none below 0. */
export type Spectrum = ArrayLike<number>;

/**
 * The spectrum of data: the eigenvalues of (1/m) sum_i x_i x_i', of which min(m, d) may be above 0.
 * @example dataSpectrum([[2, 0], [0, 1]]) // Float64Array [2, 0.5]
 */
export function dataSpectrum(rows: readonly ArrayLike<number>[]): Float64Array {
  const [m, d] = [rows.length, rows[0]?.length ?? 0];
  if (m === 0 || rows.some((row) => row.length !== d || !Array.from(row).every(Number.isFinite)))
    throw new NumberError("a spectrum is that of rows of equally many finite numbers");
  // X X' has the same eigenvalues as X'X but for zeros: the smaller one is taken.
  const vectors =
    m <= d ? rows : Array.from({ length: d }, (_, j) => Float64Array.from(rows, (row) => row[j]!));
  const n = vectors.length;
  const gram = Float64Array.from(
    { length: n * n },
    (_, k) => dot(vectors[Math.floor(k / n)]!, vectors[k % n]!) / m,
  );
  return symmetricSpectrum(gram, n)
    .reverse()
    .map((v) => Math.max(0, v)); // rounding
}

export interface EffectiveRanks {
  /** sum_{i>k} lambda_i / lambda_{k+1} */
  readonly r: number;
  /** (sum_{i>k} lambda_i)^2 / sum_{i>k} lambda_i^2 */
  readonly R: number;
}

/** sums[k] = sum_{i>k} lambda_i^power, smallest first; i counts from 1. */
function tails(spectrum: Spectrum, power: number): Float64Array {
  const sums = new Float64Array(spectrum.length + 1);
  for (let k = spectrum.length - 1; k >= 0; k--) {
    if (!(spectrum[k]! >= (spectrum[k + 1] ?? 0)))
      throw new NumberError(`a spectrum descends and stays above 0: number ${k + 1} is ${spectrum[k]}`);
    sums[k] = sums[k + 1]! + spectrum[k]! ** power;
  }
  return sums;
}

/**
 * The effective ranks of what is left without the k greatest eigenvalues.
 * @example effectiveRanks([4, 1, 1, 1], 1) // ({ r: 3, R: 3 })
 */
export function effectiveRanks(spectrum: Spectrum, k: number): EffectiveRanks {
  const [sum, squares] = [tails(spectrum, 1)[k]!, tails(spectrum, 2)[k]!];
  return { r: sum / spectrum[k]!, R: sum ** 2 / squares };
}

export interface BenignOverfitting extends EffectiveRanks {
  /** k*: the least k with r_k >= c m. */
  readonly k: number;
  /** k* / m */
  readonly head: number;
  /** m / R */
  readonly tail: number;
  /** k* / m + m / R: the variance is of this order. */
  readonly order: number;
}

/**
 * The characteristics of (1.28) for m examples; undefined if no k has r_k >= c m, where nothing is said.
 * @example benignOverfitting([9, 9, 1, 1, 1, 1, 1, 1, 1, 1], 2, 4).order // 1.25
 */
export function benignOverfitting(spectrum: Spectrum, m: number, c = 1): BenignOverfitting | undefined {
  const [sums, squares] = [tails(spectrum, 1), tails(spectrum, 2)];
  for (let k = 0; k < spectrum.length && spectrum[k]! > 0; k++) {
    const r = sums[k]! / spectrum[k]!;
    if (r < c * m) continue;
    const R = sums[k]! ** 2 / squares[k]!;
    return { k, r, R, head: k / m, tail: m / R, order: k / m + m / R };
  }
  return undefined;
}

export interface VarianceEquivalent {
  /** The ridge that interpolation amounts to: sum_i lambda_i / (lambda_i + kappa) = m. */
  readonly kappa: number;
  /** sum_i (lambda_i / (lambda_i + kappa))^2 */
  readonly freedom: number;
  /** freedom / (m - freedom): the limit of Tr(Sigma^+ E[X X^T]) for many examples and features. */
  readonly variance: number;
}

/**
 * What Tr(Sigma^+ E[X X^T]) tends to as examples and features grow in proportion; m is below the rank.
 * @example varianceEquivalent([1, 1, 1, 1], 2).variance.toFixed(6) // "1.000000"
 */
export function varianceEquivalent(spectrum: Spectrum, m: number): VarianceEquivalent {
  const sum = (term: (lambda: number) => number): number => {
    let total = 0;
    for (let k = spectrum.length - 1; k >= 0; k--) total += term(spectrum[k]!);
    return total;
  };
  const rank = sum((lambda) => Number(lambda > 0));
  if (!(m < rank)) throw new NumberError(`${m} examples determine a model of rank ${rank}: give fewer`);
  let [low, high] = [0, sum((lambda) => lambda) / m]; // at the upper end the sum is below m
  for (let step = 0; step < 200; step++) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    if (sum((lambda) => (lambda > 0 ? lambda / (lambda + middle) : 0)) > m) low = middle;
    else high = middle;
  }
  const kappa = (low + high) / 2;
  const freedom = sum((lambda) => (lambda / (lambda + kappa)) ** 2);
  return { kappa, freedom, variance: freedom / (m - freedom) };
}
