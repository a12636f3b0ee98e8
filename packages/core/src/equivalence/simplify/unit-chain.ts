// A chain of layers whose units remember where they come from and what is known of them on the box.

import type { Box } from "../../bounds/linear/row-bounds.ts";
import type { ActivationName } from "../../functions/activation.ts";
import { type SparseMatrix, sparseMatrix } from "../../graph/sparse.ts";
import type { Layer, Layered } from "../../networks/layers/layered.ts";
import type { Precision } from "../../networks/layers/layers.ts";
import { above, affineImage, beside, nonzeros, product } from "../../networks/layers/matrix.ts";
import { columnsOfMatrix, rowsOfMatrix } from "./sparse-parts.ts";

export interface ChainLayer extends Layer {
  /** Of the source, from 1. */
  readonly number: number;
  /** Place of each unit in the layer of the source; -1 for one that was added. */
  readonly places: Int32Array;
  /** Proved bounds of W x + b on the box; infinite where nothing is known. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

export interface UnitChain {
  readonly layers: readonly ChainLayer[];
  readonly activation: ActivationName;
  readonly precision: Precision;
  readonly box: Box | undefined;
  /** Has no weight been rounded since the source? Then both are the same function on the box. */
  readonly exact: boolean;
}

/** A chain whose units know nothing yet. */
export function unitChain(
  { layers, activation, exact }: Layered,
  precision: Precision,
  box: Box | undefined,
): UnitChain {
  const all = layers.map((layer, l): ChainLayer => {
    const n = layer.weights.rows;
    return {
      ...layer,
      number: l + 1,
      places: Int32Array.from({ length: n }, (_, k) => k),
      lower: new Float64Array(n).fill(Number.NEGATIVE_INFINITY),
      upper: new Float64Array(n).fill(Number.POSITIVE_INFINITY),
    };
  });
  const chain = { layers: all, activation, precision, box, exact };
  return { ...chain, exact: exact && all.every((layer) => fits(layer, precision)) };
}

/** Are all numbers of a layer numbers of the type? */
function fits({ weights, bias }: Layer, precision: Precision): boolean {
  if (precision === "float64") return true;
  const isSingle = (v: number): boolean => Math.fround(v) === v;
  return weights.values.every(isSingle) && bias.every(isSingle);
}

/** Weights and biases that are not zero. */
export const chainNonzeros = (layers: readonly Layer[]): number =>
  layers.reduce((n, { weights, bias }) => n + nonzeros(weights.values) + nonzeros(bias), 0);

/** The layer with these units only. */
export function keepUnits(layer: ChainLayer, kept: readonly number[]): ChainLayer {
  const some = (values: Float64Array): Float64Array => Float64Array.from(kept, (k) => values[k]!);
  return {
    number: layer.number,
    weights: rowsOfMatrix(layer.weights, kept),
    bias: some(layer.bias),
    places: Int32Array.from(kept, (k) => layer.places[k]!),
    lower: some(layer.lower),
    upper: some(layer.upper),
  };
}

/** The chain with layers l, l + 1, ... in place of as many others. */
export function withLayers(
  chain: UnitChain,
  l: number,
  count: number,
  layers: readonly ChainLayer[],
  exact: boolean,
): UnitChain {
  return {
    ...chain,
    layers: chain.layers.toSpliced(l, count, ...layers),
    exact: chain.exact && exact && layers.every((layer) => fits(layer, chain.precision)),
  };
}

/** Units h of a hidden layer as a function of those that stay: h = T h' + c. */
export interface UnitRewriting {
  readonly kept: readonly number[];
  /** [unit, place in kept, factor] for each unit that is not kept. */
  readonly entries: readonly (readonly [number, number, number])[];
  /** c, one for each unit. */
  readonly constants: Float64Array;
}

/** The chain without the units that others say: V h + b = (V T) h' + (V c + b). */
export function rewriteUnits(
  chain: UnitChain,
  l: number,
  { kept, entries, constants }: UnitRewriting,
): UnitChain {
  const [layer, next] = [chain.layers[l]!, chain.layers[l + 1]!];
  const own = kept.map((unit, k) => [unit, k, 1] as const);
  const isPlain = entries.length === 0;
  const weights = isPlain
    ? { value: columnsOfMatrix(next.weights, kept), exact: true }
    : product(next.weights, sparseMatrix(layer.weights.rows, kept.length, [...own, ...entries]));
  const bias = constants.some((c) => c !== 0)
    ? affineImage(next.weights, constants, next.bias)
    : { value: next.bias, exact: true };
  return withLayers(
    chain,
    l,
    2,
    [keepUnits(layer, kept), { ...next, weights: weights.value, bias: bias.value }],
    weights.exact && bias.exact,
  );
}

/** Linear units in place of some: their rows, how the next layer reads them, and what that adds to its bias. */
export interface LinearUnits {
  readonly rows: Layer;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  readonly outgoing: SparseMatrix;
  readonly bias: Float64Array;
  readonly exact: boolean;
}

/** The chain with the units `kept` of a layer, and linear ones instead of the others. */
export function replaceUnits(
  chain: UnitChain,
  l: number,
  kept: readonly number[],
  { rows, lower, upper, outgoing, bias, exact }: LinearUnits,
): UnitChain {
  const [layer, next] = [keepUnits(chain.layers[l]!, kept), chain.layers[l + 1]!];
  const join = (a: Float64Array, b: Float64Array): Float64Array => Float64Array.from([...a, ...b]);
  const joined: ChainLayer = {
    number: layer.number,
    weights: above([layer.weights, rows.weights]),
    bias: join(layer.bias, rows.bias),
    places: Int32Array.from([...layer.places, ...new Int32Array(rows.bias.length).fill(-1)]),
    lower: join(layer.lower, lower),
    upper: join(layer.upper, upper),
  };
  const after: ChainLayer = {
    ...next,
    weights: beside([columnsOfMatrix(next.weights, kept), outgoing]),
    bias,
  };
  return withLayers(chain, l, 2, [joined, after], exact);
}
