// The layered view of a network: a chain of affine maps x -> W x + b with one activation between them.

import { type ActivationName, activation as activationOf } from "../../functions/activation.ts";
import { ConstructError } from "../../functions/error.ts";
import { affineChain } from "../../graph/affine-chain.ts";
import type { Graph } from "../../graph/graph.ts";
import { denseTensor, type SparseMatrix, sparseMatrix } from "../../graph/sparse.ts";
import { tensor } from "../../graph/tensor.ts";
import type { Layer, Layered } from "./layered.ts";
import { fromDense, nonzeros, withoutZeros } from "./matrix.ts";
import { readLayers } from "./read.ts";

export type Precision = "float64" | "float32";

export interface NetworkOptions {
  readonly activation?: ActivationName;
  readonly name?: string;
  /** Weights are rounded to it, and the graph computes in it. */
  readonly precision?: Precision;
}

const made = new WeakMap<Graph, Layered>();

/**
 * The affine map with these rows; without a bias, the linear one.
 * @example layer([[1], [1]], [0, -0.5]) // x -> (x, x - 1/2)
 */
export function layer(rows: readonly (readonly number[])[], bias?: ArrayLike<number>): Layer {
  const columns = rows[0]?.length ?? 0;
  const uneven = rows.findIndex((row) => row.length !== columns);
  if (uneven >= 0)
    throw new ConstructError(
      `row ${uneven} of a layer has ${rows[uneven]!.length} weights, row 0 has ${columns}`,
    );
  return withBias(fromDense(rows.length, columns, rows.flat()), bias);
}

/**
 * The affine map whose matrix has the entries [row, column, weight]; entries at the same place are added.
 * @example sparseLayer(1, 1000, [[0, 7, 2]]) // x -> 2 x_7
 */
export const sparseLayer = (
  rows: number,
  columns: number,
  entries: Iterable<readonly [number, number, number]>,
  bias?: ArrayLike<number>,
): Layer => withBias(sparseMatrix(rows, columns, entries), bias);

function withBias(weights: SparseMatrix, bias?: ArrayLike<number>): Layer {
  if (bias && bias.length !== weights.rows)
    throw new ConstructError(`a layer with ${weights.rows} rows has ${bias.length} biases`);
  return {
    weights: withoutZeros(weights),
    bias: bias ? Float64Array.from(bias) : new Float64Array(weights.rows),
  };
}

/**
 * The network x -> W_L sigma(... sigma(W_1 x + b_1) ...) + b_L, from a batch "x" of rows to "y".
 * @example network([layer([[1], [1]], [0, -0.5]), layer([[2, -4]])]) // the triangle map on [0, 1]
 */
export const network = (layers: readonly Layer[], options: NetworkOptions = {}): Graph =>
  graphOf({ layers, activation: options.activation ?? "relu", exact: true }, options);

/** The graph of a layered network, which remembers its layers. */
export function graphOf(
  layered: Layered,
  { name = "network", precision = "float64" }: Omit<NetworkOptions, "activation"> = {},
): Graph {
  check(layered.layers);
  const sigma = activationOf(layered.activation);
  const named = { ...layered, activation: sigma.name };
  const rounded = precision === "float32" ? inFloat32(named) : named;
  const maps = rounded.layers.map(({ weights, bias }) => ({
    W: prefersSparse(weights) ? weights : denseTensor(weights, precision),
    b: tensor(bias, { type: precision }),
  }));
  const result = affineChain(maps, sigma.apply, { name, type: precision });
  made.set(result, rounded);
  return result;
}

/**
 * The layers of a graph: at once for a graph made here, read off the nodes for any other that is such a chain.
 * @example layersOf(square(3)).layers.length // 4
 */
export function layersOf(source: Graph): Layered {
  const known = made.get(source);
  if (known) return known;
  const layered = readLayers(source);
  made.set(source, layered);
  return layered;
}

export const inputDimension = ({ layers }: Layered): number => layers[0]!.weights.columns;
export const outputDimension = ({ layers }: Layered): number => layers.at(-1)!.weights.rows;

function check(layers: readonly Layer[]): void {
  if (layers.length === 0) throw new ConstructError("a network needs a layer");
  layers.forEach(({ weights, bias }, l) => {
    const before = layers[l - 1]?.weights.rows ?? weights.columns;
    if (weights.columns !== before)
      throw new ConstructError(`layer ${l + 1} takes ${weights.columns} numbers, layer ${l} gives ${before}`);
    if (weights.rows === 0 || weights.columns === 0)
      throw new ConstructError(
        `layer ${l + 1} is ${weights.rows} x ${weights.columns}: it needs a row and a column`,
      );
    if (bias.length !== weights.rows)
      throw new ConstructError(`layer ${l + 1} has ${weights.rows} rows and ${bias.length} biases`);
    const wild = weights.values.find((w) => !Number.isFinite(w)) ?? bias.find((b) => !Number.isFinite(b));
    if (wild !== undefined) throw new ConstructError(`layer ${l + 1} has a weight ${wild}`);
  });
}

function inFloat32({ layers, activation, exact }: Layered): Layered {
  const rounded = layers.map(({ weights, bias }) => ({
    weights: withoutZeros({ ...weights, values: weights.values.map(Math.fround) }),
    bias: bias.map(Math.fround),
  }));
  const kept = layers.every(
    ({ weights, bias }) =>
      weights.values.every((w) => Math.fround(w) === w) && bias.every((b) => Math.fround(b) === b),
  );
  check(rounded);
  return { layers: rounded, activation, exact: exact && kept };
}

/**
 * Whether a matrix is stored entry by entry. Measured on ONNX Runtime in f64: a gathered entry costs as much as
 * about 30 (one example) to 100 (a batch) entries of a dense product. Beyond 128 MB a dense matrix must pay for itself.
 */
function prefersSparse({ rows, columns, values }: SparseMatrix): boolean {
  const size = rows * columns;
  return size > 2 ** 14 && values.length * (size > 2 ** 24 ? 4 : 64) < size;
}

/** Exact counts of a network, in the convention of C3-01: a layer is an affine map, neurons include both ends. */
export interface Complexity {
  /** L: affine maps. */
  readonly layers: number;
  /** N = d + n_1 + ... + n_L. */
  readonly neurons: number;
  /** M: weights and biases that are not zero. */
  readonly weights: number;
  /** The greatest n_l with l < L; 0 for an affine map. */
  readonly width: number;
  /** M_l. */
  readonly weightsByLayer: readonly number[];
  /** d, n_1, ..., n_L. */
  readonly architecture: readonly number[];
}

/**
 * L, N, M and width of a network.
 * @example complexity(square(3)) // { layers: 4, neurons: 10, weights: 21, width: 3, ... }
 */
export function complexity(source: Graph): Complexity {
  const layered = layersOf(source);
  const { layers } = layered;
  const architecture = [inputDimension(layered), ...layers.map((l) => l.weights.rows)];
  const weightsByLayer = layers.map((l) => nonzeros(l.weights.values) + nonzeros(l.bias));
  return {
    layers: layers.length,
    neurons: architecture.reduce((a, b) => a + b, 0),
    weights: weightsByLayer.reduce((a, b) => a + b, 0),
    width: architecture.slice(1, -1).reduce((a, b) => Math.max(a, b), 0),
    weightsByLayer,
    architecture,
  };
}
