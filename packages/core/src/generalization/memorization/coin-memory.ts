// A network that knows coin throws by heart: what every bound must allow for, since its risk is 1/2 whatever was seen.

import { float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { type Tensor, tensor } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";

/** The plain numbers that bounds read off a network; margins are those of the training sample. */
export interface CoinMemory {
  readonly examples: number;
  /** Input first, output last. */
  readonly widths: readonly number[];
  readonly parameters: number;
  readonly trainError: number;
  readonly margins: Float64Array;
  /** The least margin of an example that is right. */
  readonly margin: number;
  readonly spectralNorms: readonly number[];
  readonly frobeniusNorms: readonly number[];
  readonly rowNormSums: readonly number[];
  readonly dataNorm: number;
  readonly inputRadius: number;
  readonly greatestParameter: number;
  /** The sum of the labels seen at each input. */
  readonly weights: ReadonlyMap<number, number>;
}

/**
 * Inputs e_1, e_2, ... of R^{10 n}, all alike, labels by a coin; f(x) = <w, x>, w_j the sum of the labels seen at e_j, written as a
 * ReLU network relu(<w, x>) - relu(-<w, x>) with identities between. Its risk is 1/2.
 */
export function coinMemory(examples: number, layers: number, random: Random): CoinMemory {
  const dimension = 10 * examples;
  const weights = new Map<number, number>();
  const thrown = Array.from({ length: examples }, () => {
    const [j, y] = [random.integer(0, dimension - 1), random.uniform() < 0.5 ? -1 : 1];
    weights.set(j, (weights.get(j) ?? 0) + y);
    return { j, y };
  });
  const margins = Float64Array.from(thrown, ({ j, y }) => y * weights.get(j)!);
  let [square, greatest] = [0, 1];
  for (const v of weights.values()) {
    square += v * v;
    greatest = Math.max(greatest, Math.abs(v));
  }
  const norm = Math.sqrt(square);
  // (w; -w), identities of R^2, and (1, -1).
  const each = (first: number, between: number, last: number): readonly number[] => [
    first,
    ...Array.from({ length: layers - 2 }, () => between),
    last,
  ];
  return {
    examples,
    widths: [dimension, ...Array.from({ length: layers - 1 }, () => 2), 1],
    parameters: 2 * dimension + 4 * (layers - 2) + 2,
    trainError: margins.filter((t) => t <= 0).length / examples,
    margins,
    margin: margins.reduce((least, t) => (t > 0 ? Math.min(least, t) : least), Number.POSITIVE_INFINITY),
    spectralNorms: each(Math.SQRT2 * norm, 1, Math.SQRT2),
    frobeniusNorms: each(Math.SQRT2 * norm, Math.SQRT2, Math.SQRT2),
    rowNormSums: each(2 * norm, 2, Math.SQRT2),
    dataNorm: Math.sqrt(examples),
    inputRadius: 1,
    greatestParameter: greatest,
    weights,
  };
}

export interface KernelMemory {
  readonly model: Graph;
  readonly x: Tensor;
  /** Of each example: y f(x). */
  readonly margins: Float64Array;
}

/**
 * The same with local kernels: one of the two inputs of one of many patches is 1, a kernel (1, 1) sees which patch, and a
 * dense layer knows the labels that were seen there.
 */
export function kernelMemory(examples: number, patches: number, random: Random): KernelMemory {
  const inputs = new Float64Array(examples * 2 * patches);
  const readout = new Array<number>(patches).fill(0);
  const thrown = Array.from({ length: examples }, (_, i) => {
    const [patch, y] = [random.integer(0, patches - 1), random.uniform() < 0.5 ? -1 : 1];
    inputs[(i * patches + patch) * 2 + random.integer(0, 1)] = 1;
    readout[patch]! += y;
    return { patch, y };
  });
  const model = graph({ x: float64("N", 1, 2 * patches) }, ({ x }) => ({
    y: x
      .op("Conv", [tensor([[[1, 1]]])], { strides: [2] })
      .relu()
      .reshape([-1, patches])
      .affine(tensor([readout])),
  }));
  return {
    ...{ model, x: tensor(inputs, { dims: [examples, 1, 2 * patches] }) },
    margins: Float64Array.from(thrown, ({ patch, y }) => y * readout[patch]!),
  };
}
