// Small networks fitted to a kernel by exact gradients, from many starts: of the squared error or of the divergence.
import type { Random } from "../../numbers/random.ts";
import type { BeliefNetwork } from "./belief-network.ts";
import { type DenseParameters, denseKernel, kernelJacobian, randomParameters } from "./dimension.ts";
import { type Kernel, totalVariation } from "./kernel.ts";

export interface FitOptions {
  /** sum (P - P*)^2, or sum P* log(P* / P) over all entries. */
  readonly loss?: "squares" | "divergence";
  readonly starts: number;
  readonly steps: number;
  readonly random: Random;
  /** Standard deviation of the first weights. */
  readonly spread?: number;
}

export interface Fit {
  readonly network: BeliefNetwork;
  readonly loss: number;
  readonly totalVariation: number;
}

type Rows = readonly Float64Array[];

/** The loss, and its derivatives by the entries of the kernel. */
function lossOf(kernel: Rows, { rows }: Kernel, kind: "squares" | "divergence") {
  let loss = 0;
  const slopes = kernel.flatMap((row, x) =>
    Array.from(row, (p, y) => {
      const wanted = rows[x]![y]!;
      if (kind === "squares") {
        loss += (p - wanted) ** 2;
        return 2 * (p - wanted);
      }
      if (wanted > 0) loss += wanted * Math.log(wanted / p);
      return wanted > 0 ? -wanted / p : 0;
    }),
  );
  return { loss, slopes };
}

/** The derivatives of the loss by all parameters, in the order of `kernelJacobian`. */
export function lossGradient(
  parameters: DenseParameters,
  target: Kernel,
  kind: "squares" | "divergence",
): { readonly loss: number; readonly gradient: Float64Array } {
  const { loss, slopes } = lossOf(denseKernel(parameters, target.inputs), target, kind);
  const gradient = Float64Array.from(kernelJacobian(parameters, target.inputs), (row) =>
    row.reduce((sum, v, k) => sum + v * slopes[k]!, 0),
  );
  return { loss, gradient };
}

/** Parameters after a change of each. */
function moved(parameters: DenseParameters, by: (index: number) => number): DenseParameters {
  let index = 0;
  return parameters.map((layer) => layer.map((unit) => unit.map((v) => v + by(index++))));
}

const networkOf = (parameters: DenseParameters, inputs: number): BeliefNetwork => ({
  inputs,
  layers: parameters.map((layer) =>
    layer.map(([bias, ...weights]) => ({ bias: bias!, reads: weights.map((w, c) => [c, w] as const) })),
  ),
});

/**
 * The network with hidden layers of these widths that comes nearest to a kernel, over some starts of Adam's descent.
 * @example fitNetwork(kernelOf([[1, 0], [0, 1]]), [], { starts: 1, steps: 1, random: createRandom(1) }).network.layers.length // 1
 */
export function fitNetwork(target: Kernel, hidden: readonly number[], options: FitOptions): Fit {
  const { loss: kind = "squares", starts, steps, random, spread = 2 } = options;
  const { inputs, outputs } = target;
  let best: Fit | undefined;
  for (let start = 0; start < starts; start++) {
    const drawn = randomParameters(random, [inputs, ...hidden, outputs]);
    let parameters = drawn.map((layer) => layer.map((unit) => unit.map((v) => spread * v)));
    const size = parameters.flat().reduce((sum, { length }) => sum + length, 0);
    const [mean, square] = [new Float64Array(size), new Float64Array(size)];
    for (let t = 1; t <= steps; t++) {
      const { gradient } = lossGradient(parameters, target, kind);
      gradient.forEach((g, k) => {
        mean[k] = 0.9 * mean[k]! + 0.1 * g;
        square[k] = 0.99 * square[k]! + 0.01 * g * g;
      });
      const rate = 0.2 * Math.min(1, 2 * (1 - (t - 1) / steps)); // in the second half it settles
      parameters = moved(
        parameters,
        (k) => (-rate * mean[k]!) / (1 - 0.9 ** t) / (Math.sqrt(square[k]! / (1 - 0.99 ** t)) + 1e-9),
      ) as typeof parameters;
    }
    const rows = denseKernel(parameters, inputs) as Float64Array[];
    const found: Fit = {
      network: networkOf(parameters, inputs),
      loss: lossOf(rows, target, kind).loss,
      totalVariation: totalVariation({ inputs, outputs, rows }, target),
    };
    const isBetter =
      kind === "squares"
        ? found.totalVariation < (best?.totalVariation ?? Number.POSITIVE_INFINITY)
        : found.loss < (best?.loss ?? Number.POSITIVE_INFINITY);
    if (isBetter) best = found;
  }
  return best!;
}

/**
 * The least total variation that a shallow network of m hidden units was found to have, all of its weights free.
 * @example fitShallow(kernelOf([[1, 0], [0, 1]]), 1, { starts: 1, steps: 1, random: createRandom(1) }) <= 1 // true
 */
export const fitShallow = (target: Kernel, m: number, options: FitOptions): number =>
  fitNetwork(target, [m], options).totalVariation;
