// Convolutions on a torus are diagonal in frequencies: the operator norm is that of the worst of small matrices.

import { elementCount } from "../graph/tensor.ts";
import { frobeniusNorm, type Matrix, spectralNorm } from "../linear-algebra/matrix-norm.ts";
import { symmetricSpectrum } from "../linear-algebra/tridiagonal.ts";
import { cos, sin } from "../numbers/interval/functions.ts";
import { addUp, divUp, mulUp, nextUp, sqrtDown, sqrtUp } from "../numbers/rounding.ts";
import type { ConvolutionShape } from "./convolution-shape.ts";
import type { LinearLayer } from "./linear-layers.ts";

/** Beyond this size of a frequency's matrix, or this many products for all of them, nothing is computed. */
const sizeLimit = 160;
const workLimit = 3e8;

/** A convolution that wraps around on these sides; strides divide them. */
interface Torus {
  readonly layer: LinearLayer;
  readonly shape: ConvolutionShape;
  readonly sides: readonly number[];
}

/**
 * The operator norm of the convolution that wraps around instead of padding with zeros, on the input's own sides (made
 * multiples of the strides). What the field computes by FFT: an estimate of the true one. Undefined where that is costly.
 */
export function circularNorm(layer: LinearLayer): number | undefined {
  const torus = torusOf(layer, (side) => side);
  return torus && worstFrequency(torus, greatestSingularValue)?.value;
}

/**
 * A sound upper bound on the operator norm with zeros around the input. On a torus as large as the padded input no
 * window wraps around: the operator is a part of the circular one. Undefined where that is costly.
 */
export function torusBound(layer: LinearLayer): number | undefined {
  const axes = layer.convolution?.kernel.length ?? 0;
  const pads = layer.convolution?.pads ?? [];
  const torus = torusOf(layer, (side, k) => side + pads[k]! + pads[k + axes]!);
  const worst = torus && worstFrequency(torus, spectralNorm);
  return worst && nextUp(addUp(worst.value, worst.slack));
}

function torusOf(layer: LinearLayer, sideOf: (side: number, axis: number) => number): Torus | undefined {
  const shape = layer.convolution;
  if (!shape) return undefined;
  const sides = shape.input.slice(1).map((n, k) => {
    const least = Math.max(sideOf(n, k), 1);
    return Math.ceil(least / shape.strides[k]!) * shape.strides[k]!;
  });
  const perGroup = layer.rows / shape.groups;
  const inputs = shape.input[0]! / shape.groups;
  const isSmall = 2 * Math.min(perGroup, inputs * elementCount(shape.strides)) <= sizeLimit;
  const work = elementCount(sides) * layer.entries.length;
  return isSmall && work <= workLimit ? { layer, shape, sides } : undefined;
}

/** The greatest of the frequencies' norms, best first: a matrix is only looked into if its Frobenius norm may win. */
function worstFrequency(
  torus: Torus,
  norm: (matrix: Matrix) => number,
): { readonly value: number; readonly slack: number } {
  const { shape, sides, layer } = torus;
  const waves = sides.map(waveTable);
  const folded = sides.map((n, k) => n / shape.strides[k]!);
  const candidates: { readonly place: number; readonly group: number; readonly size: number }[] = [];
  const matrixAt = (place: number, group: number): Matrix =>
    stackedMatrix(torus, waves, folded, place, group);
  for (let group = 0; group < shape.groups; group++)
    for (let place = 0; place < elementCount(folded); place++) {
      if (mirrored(place, folded) < place) continue; // the conjugate frequency has the same norm
      // Each entry stands twice in the real form of a complex matrix.
      candidates.push({ place, group, size: frobeniusNorm(matrixAt(place, group).entries) / Math.SQRT2 });
    }
  candidates.sort((a, b) => b.size - a.size);
  let value = 0;
  for (const { place, group, size } of candidates) {
    if (size * (1 + 2 ** -50) <= value) break;
    value = Math.max(value, norm(matrixAt(place, group)));
  }
  const aliases = elementCount(shape.strides);
  const shrink = sqrtDown(aliases);
  return { value: divUp(value, shrink), slack: divUp(roundingSlack(layer, shape, waves, aliases), shrink) };
}

interface Wave {
  readonly cosine: Float64Array;
  readonly sine: Float64Array;
  /** How far off an entry may be. */
  readonly error: number;
}

/** cos and sin of 2 pi j / n. */
function waveTable(n: number): Wave {
  const [cosine, sine] = [new Float64Array(n), new Float64Array(n)];
  let error = 0;
  for (let j = 0; j < n; j++) {
    const angle = (2 * Math.PI * j) / n; // three roundings
    const around = { lower: angle * (1 - 2 ** -50), upper: angle * (1 + 2 ** -50) };
    for (const [table, f] of [
      [cosine, cos],
      [sine, sin],
    ] as const) {
      const { lower, upper } = f(around);
      table[j] = (lower + upper) / 2;
      error = Math.max(error, nextUp(nextUp(upper - lower)));
    }
  }
  return { cosine, sine, error };
}

const indexOf = (place: number, dims: readonly number[]): number[] => {
  const index: number[] = dims.map(() => 0);
  let rest = place;
  for (let k = dims.length - 1; k >= 0; k--) {
    index[k] = rest % dims[k]!;
    rest = Math.floor(rest / dims[k]!);
  }
  return index;
};

const mirrored = (place: number, dims: readonly number[]): number =>
  indexOf(place, dims).reduce((at, i, k) => at * dims[k]! + ((dims[k]! - i) % dims[k]!), 0);

/** [K(w_1), K(w_2), ...] over the frequencies that a stride cannot tell apart, as [[Re, -Im], [Im, Re]]. */
function stackedMatrix(
  { layer, shape, sides }: Torus,
  waves: readonly Wave[],
  folded: readonly number[],
  place: number,
  group: number,
): Matrix {
  const taps = elementCount(shape.kernel);
  const [height, inputs] = [layer.rows / shape.groups, shape.input[0]! / shape.groups];
  const aliases = elementCount(shape.strides);
  const width = inputs * aliases;
  const entries = new Float64Array(4 * height * width);
  const base = indexOf(place, folded);
  for (let alias = 0; alias < aliases; alias++) {
    const frequency = indexOf(alias, shape.strides).map((j, k) => base[k]! + j * folded[k]!);
    const phases = tapPhases(shape, sides, waves, frequency);
    for (let i = 0; i < height; i++)
      for (let j = 0; j < inputs; j++) {
        let [re, im] = [0, 0];
        const from = (group * height + i) * layer.columns + j * taps;
        for (let t = 0; t < taps; t++) {
          re += layer.entries[from + t]! * phases.re[t]!;
          im += layer.entries[from + t]! * phases.im[t]!;
        }
        const column = alias * inputs + j;
        entries[i * 2 * width + column] = re;
        entries[(height + i) * 2 * width + width + column] = re;
        entries[i * 2 * width + width + column] = -im;
        entries[(height + i) * 2 * width + column] = im;
      }
  }
  return { rows: 2 * height, columns: 2 * width, entries };
}

/** e^(2 pi i <frequency, dilation * tap> / side), axis by axis. */
function tapPhases(
  { kernel, dilations }: ConvolutionShape,
  sides: readonly number[],
  waves: readonly Wave[],
  frequency: readonly number[],
): { readonly re: Float64Array; readonly im: Float64Array } {
  const taps = elementCount(kernel);
  const [re, im] = [new Float64Array(taps).fill(1), new Float64Array(taps)];
  for (let t = 0; t < taps; t++)
    indexOf(t, kernel).forEach((at, k) => {
      const turn = (frequency[k]! * dilations[k]! * at) % sides[k]!;
      const [c, s] = [waves[k]!.cosine[turn]!, waves[k]!.sine[turn]!];
      [re[t], im[t]] = [re[t]! * c - im[t]! * s, re[t]! * s + im[t]! * c];
    });
  return { re, im };
}

/** How much the computed matrices may be off in norm: each entry by a small multiple of the sum of its taps. */
function roundingSlack(
  { entries }: LinearLayer,
  { kernel }: ConvolutionShape,
  waves: readonly Wave[],
  aliases: number,
): number {
  const taps = elementCount(kernel);
  let sum = 0;
  for (let from = 0; from < entries.length; from += taps) {
    let size = 0;
    for (let t = from; t < from + taps; t++) size = addUp(size, Math.abs(entries[t]!));
    sum = addUp(sum, mulUp(size, size));
  }
  const trigonometry = waves.reduce((error, wave) => addUp(error, 4 * wave.error), 0);
  const relative = addUp(trigonometry, (taps + 4 + 8 * waves.length) * 2 ** -52);
  return mulUp(relative, sqrtUp(mulUp(4 * aliases, sum)));
}

/** The greatest singular value by way of the smaller Gram matrix: an estimate. */
function greatestSingularValue({ rows, columns, entries }: Matrix): number {
  const isWide = columns > rows;
  const [size, inner] = isWide ? [rows, columns] : [columns, rows];
  const at = (k: number, i: number): number =>
    isWide ? entries[i * columns + k]! : entries[k * columns + i]!;
  const gram = new Float64Array(size * size);
  for (let i = 0; i < size; i++)
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let k = 0; k < inner; k++) sum += at(k, i) * at(k, j);
      gram[i * size + j] = gram[j * size + i] = sum;
    }
  return Math.sqrt(Math.max(0, symmetricSpectrum(gram, size).at(-1)!));
}
