// Which connections a network has: a mask of ones and zeros in the shape of a weight.
import { type Graph, isSparse } from "../graph/graph.ts";
import { elementCount, encode, type FloatType, numbers, type Tensor } from "../graph/tensor.ts";
import { TrainError } from "./error.ts";

export type Masks = Readonly<Record<string, Tensor>>;

/** Throws where a mask belongs to no trained weight, has another shape, or holds anything but 0 and 1. */
export function checkMasks(model: Graph, weights: readonly string[], masks: Masks = {}): void {
  for (const [name, mask] of Object.entries(masks)) {
    const weight = model.initializers.get(name);
    if (!weights.includes(name) || !weight || isSparse(weight))
      throw new TrainError(`a mask is for "${name}", but the weights to train are ${weights.join(", ")}`);
    if (mask.dims.join() !== weight.dims.join() || mask.type !== weight.type)
      throw new TrainError(
        `the mask of "${name}" is ${mask.type} [${mask.dims.join(", ")}], the weight ${weight.type} [${weight.dims.join(", ")}]`,
      );
    if (!numbers(mask).every((v) => v === 0 || v === 1))
      throw new TrainError(`the mask of "${name}" has numbers other than 0 and 1`);
  }
}

/** w * mask, with plain zeros. */
export function maskedTensor(weight: Tensor, mask: Tensor): Tensor {
  const [w, m] = [numbers(weight), numbers(mask)];
  const kept = Float64Array.from({ length: w.length }, (_, k) => (m[k] ? w[k]! : 0));
  return { ...weight, data: encode(kept, weight.type as FloatType) };
}

/** The names of the weights that masks are for: matrices and kernels, no biases and no scales. */
export const matrixNames = (model: Graph, weights: readonly string[]): readonly string[] =>
  weights.filter((name) => (model.initializers.get(name)?.dims.length ?? 0) >= 2);

/** A mask from a list of what is kept. */
export function maskOf(weight: Tensor, isKept: (place: number) => boolean): Tensor {
  const values = Float64Array.from({ length: elementCount(weight.dims) }, (_, k) => Number(isKept(k)));
  return { ...weight, data: encode(values, weight.type as FloatType) };
}

/**
 * The connections that a network has: ones where its matrices are not zero.
 * @example masksFromZeros(denseNetwork([{ W: [[1, 0]] }], "linear"))["W1"].data // Float64Array [1, 0]
 */
export function masksFromZeros(model: Graph): Masks {
  return Object.fromEntries(
    [...model.initializers].flatMap(([name, weight]) => {
      if (isSparse(weight) || weight.dims.length < 2 || !/^float/.test(weight.type)) return [];
      const values = numbers(weight);
      return values.some((v) => v === 0) ? [[name, maskOf(weight, (k) => values[k] !== 0)]] : [];
    }),
  );
}

/**
 * Masks of dense layers from lists: the inputs that each unit reads, `{ "layer1.weight": [[0, 1], [2, 3]] }`.
 * @example masksFromLists(initialNetwork("4-2-relu-1"), { "layer1.weight": [[0, 1], [2, 3]] })["layer1.weight"].data // Float32Array [1, 0, 1, 0, 0, 1, 0, 1]
 */
export function masksFromLists(
  model: Graph,
  lists: Readonly<Record<string, readonly (readonly number[])[]>>,
): Masks {
  return Object.fromEntries(
    Object.entries(lists).map(([name, units]) => {
      const weight = model.initializers.get(name);
      if (!weight || isSparse(weight) || weight.dims.length !== 2)
        throw new TrainError(`the network has no matrix "${name}"`);
      const [inputs, outputs] = weight.dims as [number, number];
      if (units.length !== outputs)
        throw new TrainError(`"${name}" has ${outputs} units, but ${units.length} lists of inputs are given`);
      const wrong = units.flat().find((i) => !(Number.isInteger(i) && i >= 0 && i < inputs));
      if (wrong !== undefined)
        throw new TrainError(`"${name}" has inputs 0 to ${inputs - 1}, and no input ${wrong}`);
      const read = units.map((list) => new Set(list));
      return [name, maskOf(weight, (k) => read[k % outputs]!.has(Math.floor(k / outputs)))];
    }),
  );
}
