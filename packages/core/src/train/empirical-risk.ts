// The empirical risk of a network as a function of all its weights in one vector, with its gradient, on ONNX Runtime.
import { run } from "../engine/run.ts";
import { type Graph, isSparse } from "../graph/graph.ts";
import { elementCount, numbers, type Tensor, view } from "../graph/tensor.ts";
import { gradient } from "../passes/gradient.ts";
import type { TrainingData } from "./advance.ts";
import { TrainError } from "./error.ts";
import { type LossName, objective } from "./loss.ts";
import { weightKey } from "./state.ts";
import { batchFree, trainableWeights, weightsAsInputs } from "./weights.ts";

/** The weights of a network, one after the other in a vector theta. */
export interface WeightVector {
  readonly start: Float64Array;
  readonly names: readonly string[];
  /** The part of a vector that belongs to a weight: a view. */
  block(theta: Float64Array, name: string): Float64Array;
  /** The vector as inputs `weight/<name>`. */
  tensors(theta: Float64Array): Record<string, Tensor>;
}

/**
 * theta of a network: its trainable weights, in float64.
 * @example weightVector(denseNetwork([{ W: [[1, 2]], b: [3] }], "linear")).start // Float64Array [1, 2, 3]
 */
export function weightVector(model: Graph): WeightVector {
  const names = trainableWeights(model);
  const weights = names.map((name) => {
    const weight = model.initializers.get(name)!;
    if (isSparse(weight) || weight.type !== "float64")
      throw new TrainError(`weight "${name}" is not a dense float64 tensor`);
    return weight;
  });
  const places = new Map<string, { readonly from: number; readonly dims: readonly number[] }>();
  let size = 0;
  weights.forEach(({ dims }, k) => {
    places.set(names[k]!, { from: size, dims });
    size += elementCount(dims);
  });
  const block = (theta: Float64Array, name: string): Float64Array => {
    const place = places.get(name);
    if (!place) throw new TrainError(`no trainable weight "${name}"; there are ${names.join(", ")}`);
    return theta.subarray(place.from, place.from + elementCount(place.dims));
  };
  const start = new Float64Array(size);
  names.forEach((name, k) => {
    block(start, name).set(numbers(weights[k]!));
  });
  const tensors = (theta: Float64Array) =>
    Object.fromEntries(
      names.map((name) => [weightKey(name), view("float64", places.get(name)!.dims, block(theta, name))]),
    );
  return { start, names, block, tensors };
}

export interface RiskPoint {
  readonly value: number;
  readonly gradient: Float64Array;
}

export interface EmpiricalRisk extends WeightVector {
  at(theta: Float64Array): Promise<RiskPoint>;
}

/**
 * The network with its weights as inputs `weight/<name>`, and the names of these.
 * @example openWeights(denseNetwork([{ W: [[1, 2]] }], "linear")).keys // ["weight/W1"]
 */
export function openWeights(model: Graph): { readonly graph: Graph; readonly keys: readonly string[] } {
  const rename = new Map(trainableWeights(model).map((name) => [name, weightKey(name)]));
  return { graph: weightsAsInputs(batchFree(model), rename), keys: [...rename.values()] };
}

/**
 * R(theta) = (1/m) sum_i l(Phi(x_i, theta), y_i), its gradient by the gradient pass. The network is in float64.
 * @example await empiricalRisk(denseNetwork([{ W: [[3]] }], "linear"), "square", { x: tensor([[1]]), target: tensor([[1]]) }).at(Float64Array.of(3)) // { value: 4, gradient: new Float64Array([4]) }
 */
export function empiricalRisk(model: Graph, loss: LossName, data: TrainingData): EmpiricalRisk {
  const vector = weightVector(model);
  const { graph, keys } = openWeights(model);
  const slope = gradient(objective(graph, loss), { wrt: keys, of: ["loss"], unitSeeds: true });
  const input = model.inputs[0]!.name;
  return {
    ...vector,
    async at(theta) {
      const inputs = { [input]: data.x, target: data.target, ...vector.tensors(theta) };
      const found = await run(slope, inputs, { threads: 1 });
      return {
        value: numbers(found.loss!)[0]!,
        gradient: joined(
          vector.start.length,
          keys.map((key) => found[`grad_${key}`]!),
        ),
      };
    },
  };
}

/**
 * Tensors one after the other.
 * @example joined(3, [tensor([1, 2]), tensor([3])]) // Float64Array [1, 2, 3]
 */
export function joined(size: number, parts: readonly Tensor[]): Float64Array {
  const whole = new Float64Array(size);
  let from = 0;
  for (const part of parts) {
    const values = numbers(part);
    whole.set(values, from);
    from += values.length;
  }
  return whole;
}
