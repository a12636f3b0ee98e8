// The norms, ranks and spectra of one layer.

import { symmetricSpectrum } from "../linear-algebra/tridiagonal.ts";
import type { Random } from "../numbers/random.ts";
import { euclidean, greatestMagnitude, moderating, timesTwoTo } from "./euclidean.ts";
import type { InitialDistance, LayerMeasures } from "./layer-values.ts";
import type { LinearLayer } from "./linear-layers.ts";
import { measuresTimesPower, timesPower } from "./moderate-layer.ts";
import { layerNorm } from "./operator-norm.ts";
import { gramOf, tall } from "./spectral-bound.ts";
import { toeplitzNorms } from "./toeplitz.ts";

/** Up to this size of the smaller side all singular values are computed. */
const spectrumLimit = 512;

export interface LayerMeasureOptions {
  readonly random: Random;
  readonly initial?: LinearLayer;
  readonly signal?: AbortSignal;
}

/**
 * All measures of a layer; distances where its start is given. Sums of squares leave the range of doubles long before the
 * weights do, so weights far from 1 are measured times a power of 2.
 */
export async function layerMeasures(
  layer: LinearLayer,
  { random, initial, signal }: LayerMeasureOptions,
): Promise<LayerMeasures> {
  const options = { random: random.split(layer.output), ...(signal ? { signal } : {}) };
  const exponent = moderating(greatestMagnitude(layer.entries));
  const found = await moderateMeasures(timesPower(layer, exponent), options);
  return {
    ...measuresTimesPower(found, -exponent),
    ...(initial ? { fromInitial: await initialDistance(layer, initial, options) } : {}),
  };
}

async function moderateMeasures(
  layer: LinearLayer,
  options: { readonly random: Random; readonly signal?: AbortSignal },
): Promise<LayerMeasures> {
  const spectral = await layerNorm(layer, options);
  const frobenius = euclidean(layer.entries);
  const toeplitz = layer.convolution ? toeplitzNorms(layer) : undefined;
  const spectrum = layer.kind === "scale" ? diagonalSpectrum(layer.entries) : await singularValues(layer);
  return {
    name: layer.name,
    op: layer.op,
    kind: layer.kind,
    shape: [layer.rows, layer.kind === "scale" ? layer.rows : layer.columns],
    parameters: layer.entries.length,
    frobenius,
    norm21: rowNormSum(layer),
    normInfinity: greatestRowSum(layer),
    spectral,
    stableRank: spectral.value > 0 ? ((toeplitz?.frobenius ?? frobenius) / spectral.value) ** 2 : 0,
    ...(spectrum ? ranks(spectrum) : {}),
    ...(toeplitz ? { toeplitz } : {}),
  };
}

async function initialDistance(
  layer: LinearLayer,
  initial: LinearLayer,
  options: { readonly random: Random; readonly signal?: AbortSignal },
): Promise<InitialDistance> {
  const gone = { ...layer, entries: layer.entries.map((w, k) => w - initial.entries[k]!) };
  const exponent = moderating(greatestMagnitude(gone.entries));
  const { value } = await layerNorm(timesPower(gone, exponent), options);
  return {
    frobenius: euclidean(gone.entries),
    ...(gone.convolution ? { operatorFrobenius: toeplitzNorms(gone).frobenius } : {}),
    spectral: timesTwoTo(value, -exponent),
    norm21: rowNormSum(gone),
  };
}

function rowNormSum({ rows, columns, entries }: LinearLayer): number {
  let sum = 0;
  for (let i = 0; i < rows; i++) sum += euclidean(entries.subarray(i * columns, (i + 1) * columns));
  return sum;
}

function greatestRowSum({ rows, columns, entries }: LinearLayer): number {
  let greatest = 0;
  for (let i = 0; i < rows; i++) {
    let sum = 0;
    for (let j = 0; j < columns; j++) sum += Math.abs(entries[i * columns + j]!);
    greatest = Math.max(greatest, sum);
  }
  return greatest;
}

/** By way of the smaller Gram matrix, formed on ONNX Runtime. */
async function singularValues(layer: LinearLayer): Promise<readonly number[] | undefined> {
  if (Math.min(layer.rows, layer.columns) > spectrumLimit) return undefined;
  const matrix = tall(layer);
  const squares = symmetricSpectrum(await gramOf(matrix), matrix.columns);
  return Array.from(squares, (s) => Math.sqrt(Math.max(0, s))).reverse();
}

const diagonalSpectrum = (entries: Float64Array): readonly number[] =>
  Array.from(entries, Math.abs).sort((a, b) => b - a);

function ranks(
  values: readonly number[],
): Required<Pick<LayerMeasures, "participationRank" | "effectiveRank" | "singularValues">> {
  const [sum, squares, fourths] = [1, 2, 4].map((p) => values.reduce((s, v) => s + v ** p, 0));
  const entropy = values.reduce((h, v) => (v > 0 ? h - (v / sum!) * Math.log(v / sum!) : h), 0);
  return {
    participationRank: fourths! > 0 ? squares! ** 2 / fourths! : 0,
    effectiveRank: sum! > 0 ? Math.exp(entropy) : 0,
    singularValues: values,
  };
}
