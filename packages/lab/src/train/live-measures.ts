// The measures of an audit that are cheap enough to follow a run: of a chain of dense layers, from its weights.
import { symmetricSpectrum } from "@lemmata/core/measures";
import type { Weight } from "./messages.ts";

/** A layer with inputs as rows: x W + b. */
export interface ChainLayer {
  readonly inputs: number;
  readonly outputs: number;
  readonly W: Float32Array;
  readonly b: Float32Array;
}

/** The layers of weights called layer1.weight, layer1.bias, layer2.weight, ... */
export function chainOf(weights: readonly Weight[]): readonly ChainLayer[] {
  const named = new Map(weights.map((w) => [w.name, w]));
  return weights
    .filter(({ name }) => name.endsWith(".weight"))
    .map(({ name, dims, data }) => {
      const [inputs = 0, outputs = 0] = dims;
      const b = named.get(name.replace(".weight", ".bias"))?.data ?? new Float32Array(outputs);
      return { inputs, outputs, W: data, b };
    });
}

/** The greatest singular value, by the spectrum of the smaller Gram matrix. */
export function spectralNorm({ inputs, outputs, W }: ChainLayer): number {
  const [size, inner] = inputs < outputs ? [inputs, outputs] : [outputs, inputs];
  const [across, along] = inputs < outputs ? [outputs, 1] : [1, outputs];
  const gram = new Float64Array(size * size);
  for (let i = 0; i < size; i++)
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let k = 0; k < inner; k++) sum += W[i * across + k * along]! * W[j * across + k * along]!;
      gram[i * size + j] = gram[j * size + i] = sum;
    }
  return Math.sqrt(Math.max(0, symmetricSpectrum(gram, size).at(-1) ?? 0));
}

/** sum over the outputs of the sum of |product of weights|^p over paths, those from biases included. */
function pathSum(layers: readonly ChainLayer[], p: 1 | 2): number {
  const power = (w: number): number => (p === 1 ? Math.abs(w) : w * w);
  let reached: Float64Array = new Float64Array(layers[0]?.inputs ?? 0).fill(1);
  for (const { inputs, outputs, W, b } of layers) {
    const next = Float64Array.from(b, power);
    for (let i = 0; i < inputs; i++)
      for (let j = 0; j < outputs; j++) next[j]! += reached[i]! * power(W[i * outputs + j]!);
    reached = next;
  }
  return reached.reduce((sum, v) => sum + v, 0);
}

export const pathNorm1 = (layers: readonly ChainLayer[]): number => pathSum(layers, 1);
export const pathNorm2 = (layers: readonly ChainLayer[]): number => Math.sqrt(pathSum(layers, 2));

/** The Euclidean norm of all weights together, less those of a start where it is given. */
export function normOf(weights: readonly Weight[], start?: readonly Weight[]): number {
  let sum = 0;
  weights.forEach(({ data }, n) => {
    const from = start?.[n]?.data;
    for (let k = 0; k < data.length; k++) sum += (data[k]! - (from?.[k] ?? 0)) ** 2;
  });
  return Math.sqrt(sum);
}
