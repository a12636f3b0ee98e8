// A grid of small ReLU networks without biases, trained on one sample by gradient descent: the models that measures are
// ranked on.
import type { IndexedSample, KnownLaw } from "../../generalization/bounds/known-law.ts";
import type { ModelSetting } from "../../generalization/granulated-tau.ts";
import { dotOfDoubles } from "../../linear-algebra/dot.ts";
import type { Random } from "../../numbers/random.ts";

/** Rows of weights of each layer; the last one has one output. */
export type Layers = readonly (readonly (readonly number[])[])[];

/** What one may vary: hidden width, hidden layers, step size, weight decay; a seed draws the initial weights. */
export interface GridAxes {
  readonly width: readonly number[];
  readonly depth: readonly number[];
  readonly rate: readonly number[];
  readonly decay: readonly number[];
  readonly seed: readonly number[];
}

/** All combinations. */
export function gridSettings(axes: GridAxes): readonly ModelSetting[] {
  return Object.entries(axes).reduce<readonly ModelSetting[]>(
    (settings, [name, values]) =>
      settings.flatMap((setting) => (values as number[]).map((value) => ({ ...setting, [name]: value }))),
    [{}],
  );
}

/** He's initialization. */
export function startLayers(d: number, { width, depth }: ModelSetting, random: Random): Layers {
  const widths = [d, ...Array.from({ length: depth! }, () => width!), 1];
  return widths
    .slice(1)
    .map((rows, l) =>
      Array.from({ length: rows }, () =>
        Array.from(random.normal(widths[l]!), (v) => v * Math.sqrt(2 / widths[l]!)),
      ),
    );
}

export const outputOf = (layers: Layers, x: readonly number[]): number =>
  layers.reduce<readonly number[]>(
    (h, W, l) =>
      W.map((row) => {
        let z = 0;
        for (let k = 0; k < row.length; k++) z += row[k]! * h[k]!;
        return l === layers.length - 1 ? z : Math.max(0, z);
      }),
    x,
  )[0]!;

/** Steps of gradient descent on the mean logistic loss + (decay / 2) |weights|^2; in loops, since it is most of the work. */
export function trainLayers(
  start: Layers,
  { points }: KnownLaw,
  { inputs, labels }: IndexedSample,
  { rate, decay, steps }: { readonly rate: number; readonly decay: number; readonly steps: number },
): Layers {
  const layers = start.map((W) => W.map((row) => Float64Array.from(row)));
  const gradients = layers.map((W) => W.map((row) => new Float64Array(row.length)));
  // What goes into each layer, ReLU applied, and the derivative by what comes out of it.
  const h = layers.map((W) => new Float64Array(W[0]!.length));
  const back = layers.map((W) => new Float64Array(W.length));
  for (let step = 0; step < steps; step++) {
    for (const G of gradients) for (const row of G) row.fill(0);
    for (let i = 0; i < inputs.length; i++) {
      h[0]!.set(points[inputs[i]!]!);
      let output = 0;
      layers.forEach((W, l) => {
        for (let r = 0; r < W.length; r++) {
          output = dotOfDoubles(W[r]!, h[l]!);
          if (l < layers.length - 1) h[l + 1]![r] = Math.max(0, output);
        }
      });
      const y = labels[i]!;
      back.at(-1)![0] = -y / (1 + Math.exp(y * output)) / inputs.length;
      for (let l = layers.length - 1; l >= 0; l--) {
        for (let r = 0; r < back[l]!.length; r++) addTimes(gradients[l]![r]!, back[l]![r]!, h[l]!);
        if (l === 0) continue;
        back[l - 1]!.fill(0);
        for (let r = 0; r < back[l]!.length; r++) addTimes(back[l - 1]!, back[l]![r]!, layers[l]![r]!);
        for (let k = 0; k < h[l]!.length; k++) if (h[l]![k] === 0) back[l - 1]![k] = 0;
      }
    }
    layers.forEach((W, l) => {
      W.forEach((row, r) => {
        for (let k = 0; k < row.length; k++) row[k]! -= rate * (gradients[l]![r]![k]! + decay * row[k]!);
      });
    });
  }
  return layers.map((W) => W.map((row) => [...row]));
}

function addTimes(to: Float64Array, factor: number, from: Float64Array): void {
  for (let k = 0; k < to.length; k++) to[k]! += factor * from[k]!;
}
