// Networks and inputs with short weights, whose sums and products are exact, and how far two vectors are apart.
import type { ActivationName } from "../../functions/activation.ts";
import type { Graph } from "../../graph/graph.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import type { Random } from "../../numbers/random.ts";

/** Numbers k / 8 with 0 < |k| <= 16. */
export const dyadic = (random: Random, count: number): Float64Array =>
  Float64Array.from({ length: count }, () => ((random.uniform() < 0.5 ? -1 : 1) * random.integer(1, 16)) / 8);

export interface DrawnLayer {
  readonly W: readonly (readonly number[])[];
  readonly b: readonly number[];
}

/** Weights k / 4, |k| <= 4; biases too, or none. */
export function drawLayers(random: Random, widths: readonly number[], biased: boolean): DrawnLayer[] {
  const weight = (): number => random.integer(-4, 4) / 4;
  return widths.slice(1).map((rows, l) => ({
    W: Array.from({ length: rows }, () => Array.from({ length: widths[l]! }, weight)),
    b: Array.from({ length: rows }, () => (biased ? weight() : 0)),
  }));
}

export const drawnNetwork = (layers: readonly DrawnLayer[], activation: ActivationName = "relu"): Graph =>
  network(
    layers.map(({ W, b }) => layer(W, b)),
    { activation },
  );

/** W x + b of each layer, with Relu between them. */
export function preActivations(layers: readonly DrawnLayer[], x: ArrayLike<number>): number[][] {
  const found: number[][] = [];
  let a = Array.from(x);
  for (const { W, b } of layers) {
    found.push(W.map((row, k) => row.reduce((s, w, j) => s + w * a[j]!, b[k]!)));
    a = found.at(-1)!.map((z) => Math.max(0, z));
  }
  return found;
}

/** No unit is at its bend. Those that are not are at least 2^-13 off in networks of four hidden layers. */
export const isSmoothAt = (layers: readonly DrawnLayer[], x: ArrayLike<number>): boolean =>
  preActivations(layers, x)
    .slice(0, -1)
    .every((z) => z.every((v) => v !== 0));

/** The gradient of the first score by each layer's pre-activations, in plain loops. */
export function deltas(layers: readonly DrawnLayer[], x: ArrayLike<number>): number[][] {
  const z = preActivations(layers, x);
  const found: number[][] = [z.at(-1)!.map((_, k) => (k === 0 ? 1 : 0))];
  for (let l = layers.length - 1; l > 0; l--)
    found.unshift(
      z[l - 1]!.map((v, j) =>
        v > 0 ? layers[l]!.W.reduce((s, row, k) => s + row[j]! * found[0]![k]!, 0) : 0,
      ),
    );
  return found;
}

/** The greatest |a_k - b_k|. */
export const apart = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((most, v, k) => Math.max(most, Math.abs(v - b[k]!)), 0);

export const sum = (values: ArrayLike<number>): number => Array.from(values).reduce((s, v) => s + v, 0);
export const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((s, v, k) => s + v * b[k]!, 0);
