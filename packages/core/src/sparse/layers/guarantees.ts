// What can be said of codes in several layers before any pursuit is run: when they are the only ones, what a forward pass
// finds, and how well they can be known from noisy signals.

import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import { SparseError } from "../error.ts";
import { correlation, type Dictionary, squaresOf } from "../pursuit/dictionary.ts";
import {
  effectiveDictionary,
  type LayerPattern,
  modelDimension,
  nonzeros,
  nullSpace,
  unitAtoms,
} from "./model.ts";

/** mu(D): the greatest |<d_i, d_j>| of two atoms, scaled to length 1. */
export function coherenceOf({ size, count, atoms }: Dictionary): number {
  const unit = unitAtoms({ size, count, atoms }).atoms;
  let greatest = 0;
  for (let j = 1; j < count; j++) {
    const own = unit.subarray(j * size, (j + 1) * size);
    for (let i = 0; i < j; i++) greatest = Math.max(greatest, Math.abs(correlation(unit, i * size, own)));
  }
  return Math.min(1, greatest);
}

export interface LayerVerdict {
  readonly nonzeros: number;
  /** The number of nonzeros must be below this. */
  readonly below: number;
  readonly holds: boolean;
}

/** Theorem 7.1: codes with s_i < (1 + 1 / mu(D_i)) / 2 in each layer are the sparsest of their signal. */
export function layerwiseUniqueness(
  layers: readonly Dictionary[],
  codes: readonly Float64Array[],
): readonly LayerVerdict[] {
  requireCodes(layers, codes);
  return layers.map((layer, i) => {
    const below = (1 + 1 / coherenceOf(layer)) / 2;
    return { nonzeros: nonzeros(codes[i]!), below, holds: nonzeros(codes[i]!) < below };
  });
}

function requireCodes(layers: readonly Dictionary[], codes: readonly Float64Array[]): void {
  if (codes.length !== layers.length)
    throw new SparseError(`${codes.length} codes for ${layers.length} dictionaries`);
  codes.forEach((code, i) => {
    if (code.length !== layers[i]!.count)
      throw new SparseError(`code ${i + 1} has ${code.length} numbers for ${layers[i]!.count} atoms`);
  });
}

export interface ForwardLayer extends LayerVerdict {
  /** Thresholds strictly between these find the support; there are some where the condition holds. */
  readonly thresholds: readonly [above: number, below: number];
  /** With the threshold that was taken: |x_i - found| is at most this. */
  readonly threshold: number;
  readonly error: number;
}

export interface StabilityOptions {
  /** Which threshold is taken: 0 the least that is allowed, 1 the greatest; default: 1/2. */
  readonly at?: number;
  /** Those of the dictionaries, where they are known. */
  readonly coherences?: readonly number[];
}

/**
 * Theorem 7.2, layer by layer: whether a forward pass with thresholds `at` of the way through the admissible ones finds the
 * supports, and how far its codes are from the true ones. Layers behind one that fails are not judged.
 */
export function forwardStability(
  layers: readonly Dictionary[],
  codes: readonly Float64Array[],
  noise: number,
  { at = 0.5, coherences }: StabilityOptions = {},
): readonly ForwardLayer[] {
  requireCodes(layers, codes);
  layers.forEach((layer, i) => {
    const away = squaresOf(layer).findIndex((square) => Math.abs(square - 1) > 1e-9);
    if (away >= 0) throw new SparseError(`atom ${away} of dictionary ${i + 1} is not of length 1`);
  });
  const verdicts: ForwardLayer[] = [];
  let before = noise;
  for (const [i, layer] of layers.entries()) {
    const sizes = codes[i]!.filter((v) => v !== 0).map(Math.abs);
    if (sizes.length === 0) break;
    const [least, greatest, s] = [Math.min(...sizes), Math.max(...sizes), sizes.length];
    const mu = coherences?.[i] ?? coherenceOf(layer);
    // s < (1 + c / mu) / 2 - eps k / mu, with c = least / greatest and k = 1 / greatest; orthogonal atoms: eps < least / 2.
    const room = least / 2 - before;
    const below = mu > 0 ? 1 / 2 + room / greatest / mu : room > 0 ? Number.POSITIVE_INFINITY : 0;
    const thresholds = [mu * s * greatest + before, least - (s - 1) * mu * greatest - before] as const;
    const threshold = thresholds[0] + at * (thresholds[1] - thresholds[0]);
    const error = Math.sqrt(s) * (before + threshold + mu * greatest * (s - 1));
    verdicts.push({ nonzeros: s, below, holds: s < below, thresholds, threshold, error });
    if (!(s < below)) break;
    before = error;
  }
  return verdicts;
}

export interface HolisticVerdict {
  /** rank Phi on the support. */
  readonly rank: number;
  /** (1 + 1 / mu(D_1 ... D_L)) / 2 + r, which s_L must be below; atoms are scaled to length 1. */
  readonly below: number;
  /** The theorem's condition, as it is printed. */
  readonly printed: boolean;
  /**
   * For each layer i the most nonzeros with which two patterns of this shape cannot make the same x_(i-1) in different ways;
   * the printed condition leaves out all layers but the first.
   */
  readonly atMost: readonly number[];
  readonly holds: boolean;
}

/**
 * Theorem 7.3, completed. In general position, patterns with s_L atoms and r independent zeros have the same x_0 only if they
 * have the same x_1, for 2 (s_L - r) <= spark(D_1 ... D_L) - 1; and the same x_i only if they have the same x_(i+1), for
 * 2 (s_L - r) <= n_i - r_i, where r_i are the zeros of x_1, ..., x_i, which both then share.
 */
export function holisticUniqueness(layers: readonly Dictionary[], pattern: LayerPattern): HolisticVerdict {
  const s = pattern.support.length;
  const { rank } = modelDimension(layers, pattern);
  const effective = effectiveDictionary(layers);
  const below = (1 + 1 / coherenceOf(unitAtoms(effective))) / 2 + rank;
  const independent = Math.min(effective.size, ...layers.map(({ size }) => size));
  const first = Math.floor(independent / 2) + rank;
  const inner = layers.slice(1).map(({ size, count }, i) => {
    // A dictionary of independent atoms never makes one code of two. Any other has room for both codes of x_i where the
    // numbers that are left, when all zeros so far vanish, are as many as the dimensions of both.
    if (count <= size) return layers.at(-1)!.count;
    const shared = pattern.zeros.slice(0, i + 1).reduce((sum, { length }) => sum + length, 0);
    return Math.floor((size - shared) / 2) + rank;
  });
  const atMost = [layers[0]!.count <= layers[0]!.size ? layers.at(-1)!.count : first, ...inner];
  return {
    ...{ rank, below, printed: s < below, atMost },
    holds: rank === s || atMost.every((most) => s <= most),
  };
}

export interface OracleError {
  /** E |x - x*|^2 of least squares on the known support. */
  readonly synthesis: number;
  /** The same among codes whose intermediate zeros are known as well. */
  readonly holistic: number;
  /** sigma^2 s_L / (1 - delta) and sigma^2 (s_L - r) / (1 - delta), delta that of the support. */
  readonly synthesisBound: number;
  readonly holisticBound: number;
}

/** (7.21), (7.22): sigma^2 tr((A^T A)^-1) and sigma^2 tr((N^T A^T A N)^-1), A the atoms of the support, N a basis of the pattern. */
export function oracleErrors(
  layers: readonly Dictionary[],
  pattern: LayerPattern,
  sigma: number,
): OracleError {
  const { rank, basis } = modelDimension(layers, pattern);
  const { size, atoms } = effectiveDictionary(layers);
  const columns = pattern.support.map((j) => atoms.subarray(j * size, (j + 1) * size));
  const reduced = basis.map((direction) => {
    const image = new Float64Array(size);
    columns.forEach((column, k) => {
      for (let i = 0; i < size; i++) image[i]! += direction[k]! * column[i]!;
    });
    return image;
  });
  const spectrum = (vectors: readonly Float64Array[]): readonly number[] =>
    symmetricEigen(vectors.map((a) => vectors.map((b) => correlation(a, 0, b)))).values;
  const whole = spectrum(columns);
  if (!(whole[0]! > 2 ** -40 * whole.at(-1)!))
    throw new SparseError("the atoms of the support depend on each other: their codes cannot be told apart");
  const trace = (values: readonly number[]): number => values.reduce((sum, v) => sum + 1 / v, 0);
  const s = pattern.support.length;
  const variance = sigma ** 2;
  return {
    synthesis: variance * trace(whole),
    holistic: basis.length === 0 ? 0 : variance * trace(spectrum(reduced)),
    synthesisBound: (variance * s) / whole[0]!,
    holisticBound: (variance * (s - rank)) / whole[0]!,
  };
}

/**
 * How many dimensions of different code pairs make the same signal: pairs (x, x') of two patterns with equal signals, less the
 * pairs with x = x'. Above 0, some signal has two representations.
 */
export function sharedSignals(
  layers: readonly Dictionary[],
  first: LayerPattern,
  second: LayerPattern,
): number {
  const { size, atoms } = effectiveDictionary(layers);
  const [a, b] = [modelDimension(layers, first), modelDimension(layers, second)];
  const images = (pattern: LayerPattern, basis: readonly Float64Array[], sign: number): number[][] =>
    basis.map((direction) => {
      const image = new Array<number>(size).fill(0);
      pattern.support.forEach((j, k) => {
        for (let i = 0; i < size; i++) image[i]! += sign * direction[k]! * atoms[j * size + i]!;
      });
      return image;
    });
  const columns = [...images(first, a.basis, 1), ...images(second, b.basis, -1)];
  const rows = Array.from({ length: size }, (_, i) => columns.map((column) => column[i]!));
  const pairs = columns.length === 0 ? 0 : nullSpace(rows, columns.length).length;
  const both: LayerPattern = {
    support: first.support.filter((j) => second.support.includes(j)),
    zeros: first.zeros.map((set, i) => [...new Set([...set, ...second.zeros[i]!])]),
  };
  const equal = both.support.length === 0 ? 0 : modelDimension(layers, both).dimension;
  return pairs - equal;
}
