// What gradient flow conserves in a network whose activation has rho(x) = x rho'(x): how the two layers around a hidden
// neuron share its size (1.27).
import type { Rows } from "../linear-algebra/symmetric-eigen.ts";
import { sum } from "../numbers/sum.ts";
import type { DenseLayer } from "../train/dense-network.ts";

const square = (v: number): number => v * v;
const product = (a: readonly number[], b: readonly number[]): number => sum(a.map((v, k) => v * b[k]!));
const column = (W: Rows, j: number): number[] => W.map((row) => row[j]!);

/** |W^{l+1}_{:,j}|^2 behind a hidden neuron, and |W^l_{j,:}|^2 + (b^l_j)^2 before it. */
export interface NeuronSizes {
  readonly behind: number;
  readonly before: number;
}

/**
 * The sizes of what goes out of each hidden neuron and of what comes in, layer after layer.
 * @example neuronSizes([{ W: [[1], [2]] }, { W: [[3, 4]] }]) // [[{ behind: 9, before: 1 }, { behind: 16, before: 4 }]]
 */
export const neuronSizes = (layers: readonly DenseLayer[]): readonly (readonly NeuronSizes[])[] =>
  layers.slice(1).map((next, l) =>
    layers[l]!.W.map((row, j) => ({
      behind: sum(column(next.W, j).map(square)),
      before: sum(row.map(square)) + square(layers[l]!.b?.[j] ?? 0),
    })),
  );

/**
 * |W^{l+1}_{:,j}|^2 - |W^l_{j,:}|^2 - (b^l_j)^2 of each hidden neuron j, layer after layer.
 * @example neuronBalances([{ W: [[1], [2]] }, { W: [[3, 4]] }]) // [[8, 12]]
 */
export const neuronBalances = (layers: readonly DenseLayer[]): readonly (readonly number[])[] =>
  neuronSizes(layers).map((layer) => layer.map(({ behind, before }) => behind - before));

/**
 * |W^{l+1}|_F^2 - |W^l|_F^2 (and less |b^l|^2) of neighbouring layers.
 * @example layerBalances([{ W: [[1], [2]] }, { W: [[3, 4]] }]) // [20]
 */
export const layerBalances = (layers: readonly DenseLayer[]): readonly number[] =>
  neuronBalances(layers).map(sum);

/**
 * <W^{l+1}_{:,j}, G^{l+1}_{:,j}> - <W^l_{j,:}, G^l_{j,:}> - b^l_j G_b of each hidden neuron: zero for any data and any
 * loss, which is why the flow conserves the balances. The balance changes by -2 times this a unit of time.
 * @example neuronIdentities([{ W: [[1]] }, { W: [[2]] }], [{ W: [[6]] }, { W: [[3]] }]) // [[0]]
 */
export const neuronIdentities = (
  layers: readonly DenseLayer[],
  gradients: readonly DenseLayer[],
): readonly (readonly number[])[] =>
  layers.slice(1).map((next, l) => {
    const [here, g] = [layers[l]!, gradients[l]!];
    return here.W.map(
      (row, j) =>
        product(column(next.W, j), column(gradients[l + 1]!.W, j)) -
        product(row, g.W[j]!) -
        (here.b?.[j] ?? 0) * (g.b?.[j] ?? 0),
    );
  });

/**
 * What one step of gradient descent adds to the balance of each neuron: eta^2 times the balance of the gradient.
 * @example stepDrift([{ W: [[1]] }, { W: [[3]] }], 0.5) // [[2]]
 */
export const stepDrift = (gradients: readonly DenseLayer[], eta: number): readonly (readonly number[])[] =>
  neuronBalances(gradients).map((layer) => layer.map((v) => eta * eta * v));

/**
 * (W^{l+1})^T W^{l+1} - W^l (W^l)^T, which the flow conserves in a linear network.
 * @example matrixBalance([{ W: [[1], [2]] }, { W: [[3, 4]] }], 0) // [[8, 10], [10, 12]]
 */
export const matrixBalance = (layers: readonly DenseLayer[], l: number): Rows => {
  const [here, next] = [layers[l]!.W, layers[l + 1]!.W];
  return here.map((a, i) => here.map((b, j) => product(column(next, i), column(next, j)) - product(a, b)));
};

/**
 * The two sides of (1.27) subtracted, diag(rho') W^l (dW^l/dt)^T - (dW^{l+1}/dt)^T W^{l+1} diag(rho'), with the
 * diagonal taken at one point: the greatest entry in size. Layer l is counted from 0.
 * @example printedIdentity([{ W: [[2]] }, { W: [[3]] }], [{ W: [[6]] }, { W: [[4]] }], 0, [1]) // 0
 */
export function printedIdentity(
  layers: readonly DenseLayer[],
  gradients: readonly DenseLayer[],
  l: number,
  diagonal: readonly number[],
): number {
  const [here, next] = [layers[l]!.W, layers[l + 1]!.W];
  const [g, gNext] = [gradients[l]!.W, gradients[l + 1]!.W];
  const entries = here.flatMap((row, i) =>
    g.map((slope, j) => {
      const left = diagonal[i]! * product(row, slope);
      return left - product(column(gNext, i), column(next, j)) * diagonal[j]!;
    }),
  );
  return Math.max(...entries.map(Math.abs));
}
