// A layer with as many neurons as there are examples: a linear map behind it fits any values (Nguyen and Hein).

import { run } from "../../engine/run.ts";
import { graph } from "../../graph/builder.ts";
import type { Graph, TensorType } from "../../graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../graph/tensor.ts";
import { leastSquares, type Matrix } from "../../linear-algebra/index.ts";

export interface WideLayerFit {
  /** The features, a row an example. */
  readonly features: Matrix;
  /** Rows linearly independent to rounding: as many as examples if the fit is exact. */
  readonly rank: number;
  readonly condition: number;
  /** The linear map, a row a neuron; of all that are as good, the shortest. */
  readonly weights: Matrix;
  /** sqrt(sum_i |map(features(x_i)) - y_i|^2). */
  readonly residual: number;
  /** The features with the map behind them. */
  readonly network: Graph;
}

/** A graph with its first output followed by a linear map, a row a neuron. */
export function withLinearMap(features: Graph, { rows, columns, entries }: Matrix): Graph {
  const [input, output] = [features.inputs[0]!, features.outputs[0]!.name];
  const weights = tensor(entries, { type: "float64", dims: [rows, columns] });
  return graph(
    { [input.name]: input.type as TensorType },
    (given) => {
      const x = given[input.name]!;
      const found = x.builder.inline(features, { [input.name]: x })[output]!;
      return { y: found.matmul(weights) };
    },
    { name: `${features.name}_fitted` },
  );
}

/**
 * The linear map behind given features (any graph from a batch to rows, in float64) that fits the values best: exactly, if
 * the features of the examples are linearly independent, for which the layer needs as many neurons as there are examples.
 * @example (await fitWideLayer(denseNetwork([{ W: [[1], [2]], b: [0, 1] }], "linear"), tensor([[0], [1]]), matrixOfRows([[3], [5]]))).rank // 2
 */
export async function fitWideLayer(features: Graph, x: Tensor, values: Matrix): Promise<WideLayerFit> {
  const found = (await run(features, { [features.inputs[0]!.name]: x }))[features.outputs[0]!.name]!;
  const [rows, columns] = [found.dims[0]!, found.dims[1]!];
  const F: Matrix = { rows, columns, entries: Float64Array.from(numbers(found)) };
  const { solution, rank, condition, residuals } = await leastSquares(F, values);
  return {
    ...{ features: F, rank, condition, weights: solution },
    residual: Math.hypot(...residuals),
    network: withLinearMap(features, solution),
  };
}
