// Backpropagation written out layer by layer for one example: what the gradient pass does, as the textbook has it.
import { type ActivationName, activation as activationOf } from "../functions/activation.ts";
import { type DenseLayer, preActivations } from "./dense-network.ts";

/** rho'(x), 0 at a kink. */
const slopeAt = (activation: ActivationName, x: number): number => {
  const slope = activationOf(activation).derivative(1, x);
  return Number.isNaN(slope) ? 0 : slope;
};

/**
 * The gradient of <seed, Phi(x)>: delta^L = seed, delta^l = (W^{l+1})^T delta^{l+1} * rho'(Phi^l), and
 * dW^l = delta^l (rho(Phi^{l-1}))^T, db^l = delta^l.
 * @example backpropagate([{ W: [[2]] }, { W: [[3]] }], "linear", [5], [1]).map((g) => g.W) // [[[15]], [[10]]]
 */
export function backpropagate(
  layers: readonly DenseLayer[],
  activation: ActivationName,
  x: readonly number[],
  seed: readonly number[],
): readonly Required<DenseLayer>[] {
  const rho = activationOf(activation);
  const before = preActivations(layers, activation, x);
  const gradients: Required<DenseLayer>[] = [];
  let delta = seed;
  for (let l = layers.length - 1; l >= 0; l--) {
    const input = l === 0 ? x : before[l - 1]!.map((v) => rho.value(v));
    gradients.unshift({ W: delta.map((d) => input.map((v) => d * v)), b: delta });
    if (l === 0) break;
    const { W } = layers[l]!;
    const upper = delta;
    delta = before[l - 1]!.map(
      (v, j) => upper.reduce((sum, d, i) => sum + W[i]![j]! * d, 0) * slopeAt(activation, v),
    );
  }
  return gradients;
}
