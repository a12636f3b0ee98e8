// Fully connected networks as the theory writes them: W of a layer has one row an output, weights are W1, b1, W2, ...
import { type ActivationName, activation as activationOf } from "../functions/activation.ts";
import { affineChain } from "../graph/affine-chain.ts";
import type { Graph } from "../graph/graph.ts";
import { tensor } from "../graph/tensor.ts";
import type { WeightVector } from "./empirical-risk.ts";
import { TrainError } from "./error.ts";

/** x -> W x + b; without b, the linear map. */
export interface DenseLayer {
  readonly W: readonly (readonly number[])[];
  readonly b?: readonly number[];
}

/**
 * The network x -> W_L rho(... rho(W_1 x + b_1) ...) + b_L in float64, from a batch "x" to "y", ready to be trained.
 * @example denseNetwork([{ W: [[1], [-1]] }, { W: [[1, 1]] }], "relu").initializers.get("W2").dims // [1, 2]
 */
export function denseNetwork(layers: readonly DenseLayer[], activation: ActivationName): Graph {
  const maps = layers.map(({ W, b }) => ({ W: tensor(W), b: b && tensor(b) }));
  return affineChain(maps, activationOf(activation).apply, { named: true });
}

/**
 * theta, or a gradient, as matrices of layers: W1, b1, W2, ... as in a dense network.
 * @example layersFrom(weightVector(denseNetwork([{ W: [[1, 2]] }], "linear")), Float64Array.of(5, 6), [2, 1]) // [{ W: [[5, 6]] }]
 */
export function layersFrom(
  { block, names }: Pick<WeightVector, "block" | "names">,
  theta: Float64Array,
  widths: readonly number[],
): readonly DenseLayer[] {
  return widths.slice(1).map((rows, l) => {
    const flat = block(theta, `W${l + 1}`);
    const columns = widths[l]!;
    if (flat.length !== rows * columns)
      throw new TrainError(`W${l + 1} has ${flat.length} weights, not ${rows} x ${columns}`);
    const W = Array.from({ length: rows }, (_, i) => [...flat.subarray(i * columns, (i + 1) * columns)]);
    return names.includes(`b${l + 1}`) ? { W, b: [...block(theta, `b${l + 1}`)] } : { W };
  });
}

/**
 * Pre-activations Phi^1, ..., Phi^L at one point.
 * @example preActivations([{ W: [[-1], [2]] }, { W: [[1, 1]] }], "relu", [3]) // [[-3, 6], [6]]
 */
export function preActivations(
  layers: readonly DenseLayer[],
  activation: ActivationName,
  x: readonly number[],
): readonly (readonly number[])[] {
  const rho = activationOf(activation);
  const found: number[][] = [];
  for (const { W, b } of layers) {
    const input = found.length === 0 ? x : found.at(-1)!.map((v) => rho.value(v));
    found.push(W.map((row, i) => row.reduce((sum, w, k) => sum + w * input[k]!, 0) + (b?.[i] ?? 0)));
  }
  return found;
}
