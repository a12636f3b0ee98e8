// A two-layer network as a sum of units, and the values of its units on data.

import { type ActivationName, activation } from "../../functions/activation.ts";
import { ConstructError } from "../../functions/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { toDense } from "../../graph/sparse.ts";
import type { Matrix } from "../../linear-algebra/index.ts";
import { layersOf, network } from "../../networks/layers/layers.ts";
import { fromDense } from "../../networks/layers/matrix.ts";
import { neuronValues } from "../interpolation/neurons.ts";

/** x -> sum_i v_i rho(<w_i, x> + b_i) + bias. */
export interface TwoLayer {
  readonly activation: ActivationName;
  /** w_i, a row each. */
  readonly weights: Matrix;
  readonly biases: Float64Array;
  /** v_i, a row each: units x outputs. */
  readonly outer: Matrix;
  readonly bias: Float64Array;
}

/** The units of a network with one hidden layer. */
export function twoLayerOf(source: Graph): TwoLayer {
  const { layers, activation: name } = layersOf(source);
  if (layers.length !== 2)
    throw new ConstructError(`this prunes networks with one hidden layer, not ${layers.length - 1}`);
  const [first, second] = [layers[0]!, layers[1]!];
  const [n, k] = [second.weights.columns, second.weights.rows];
  const dense = toDense(second.weights);
  return {
    activation: name,
    weights: { rows: n, columns: first.weights.columns, entries: toDense(first.weights) },
    biases: first.bias,
    outer: {
      rows: n,
      columns: k,
      entries: Float64Array.from({ length: n * k }, (_, e) => dense[(e % k) * n + Math.floor(e / k)]!),
    },
    bias: second.bias,
  };
}

/** The network with these units only; `outer` has a row for each of them. */
export function withUnits(source: TwoLayer, kept: Int32Array, outer: Float64Array): Graph {
  const { weights, biases, bias, activation: name } = source;
  const { columns, entries } = weights;
  const k = bias.length;
  // No unit at all: a constant still needs a hidden layer.
  const [units, out] = kept.length > 0 ? [kept, outer] : [Int32Array.of(0), new Float64Array(k)];
  const inner = new Float64Array(units.length * columns);
  units.forEach((i, j) => {
    inner.set(entries.subarray(i * columns, (i + 1) * columns), j * columns);
  });
  return network(
    [
      {
        weights: fromDense(units.length, columns, inner),
        bias: Float64Array.from(units, (i) => biases[i]!),
      },
      { weights: fromDense(k, units.length, out, true), bias },
    ],
    { activation: name, name: "pruned" },
  );
}

/** rho(<w_i, x> + b_i), a row a unit, a column a point. */
export function unitValues({ weights, biases, activation: name }: TwoLayer, points: Matrix): Promise<Matrix> {
  if (points.columns !== weights.columns)
    throw new ConstructError(
      `the network takes ${weights.columns} numbers, the points have ${points.columns}`,
    );
  if (points.rows === 0) throw new ConstructError("there is no point to keep the network's values at");
  return neuronValues({ weights, biases }, points, activation(name));
}

/** v_i rho_i / size_i on the data, a row a unit: the directions of the units as functions, outputs side by side. */
export function unitVectors(source: TwoLayer, values: Matrix, sizes: Float64Array): Matrix {
  const [n, m, k] = [values.rows, values.columns, source.bias.length];
  const entries = new Float64Array(n * m * k);
  for (let i = 0; i < n; i++) {
    if (sizes[i] === 0) continue;
    for (let c = 0; c < k; c++) {
      const factor = source.outer.entries[i * k + c]! / sizes[i]!;
      for (let p = 0; p < m; p++) entries[(i * k + c) * m + p] = factor * values.entries[i * m + p]!;
    }
  }
  return { rows: n, columns: m * k, entries };
}

/**
 * The same ReLU network with |w_i| <= 1/2 and b_i <= 1/2 for all units: (w, b, v) -> (w / s, b / s, v s).
 * @example normalizedUnits(network([layer([[3]]), layer([[1]])])) // relu(x / 2) times 6
 */
export function normalizedUnits(source: Graph): Graph {
  const units = twoLayerOf(source);
  if (activation(units.activation).homogeneity !== 1)
    throw new ConstructError(
      `units of ${units.activation} cannot be rescaled: it is not positively homogeneous`,
    );
  const { rows: n, columns: d, entries } = units.weights;
  const k = units.bias.length;
  const scales = Float64Array.from({ length: n }, (_, i) => {
    const w = entries.subarray(i * d, (i + 1) * d);
    return Math.max(2 * Math.hypot(...w), 2 * units.biases[i]!) || 1;
  });
  // A part in 2^-50 more, so that rounding does not lift a norm above 1/2.
  const s = scales.map((v) => v * (1 + 2 ** -50));
  return withUnits(
    {
      ...units,
      weights: { ...units.weights, entries: entries.map((w, e) => w / s[Math.floor(e / d)]!) },
      biases: units.biases.map((b, i) => b / s[i]!),
    },
    Int32Array.from({ length: n }, (_, i) => i),
    units.outer.entries.map((v, e) => v * s[Math.floor(e / k)]!),
  );
}
