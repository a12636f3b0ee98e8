// The loss of each example as a graph, with the weights as inputs: with `seed_each`, gradients of any sum of examples.

import { run } from "../engine/run.ts";
import { graph } from "../graph/builder.ts";
import { type Graph, isTensorType } from "../graph/graph.ts";
import { tensor } from "../graph/tensor.ts";
import type { Types } from "../graph/value.ts";
import { gradient } from "../passes/gradient.ts";
import type { TrainingData } from "./advance.ts";
import { joined, openWeights, weightVector } from "./empirical-risk.ts";
import { type LossName, losses, targetType } from "./loss.ts";

/**
 * Types of a graph's inputs, by name.
 * @example inputTypes(denseNetwork([{ W: [[1, 2]] }], "linear")).x.shape // ["N", 2]
 */
export const inputTypes = ({ inputs }: Graph): Types =>
  Object.fromEntries(inputs.flatMap(({ name, type }) => (isTensorType(type) ? [[name, type] as const] : [])));

/**
 * (theta, weights) -> sum_i weights_i grad l(Phi(x_i, theta), y_i), by the gradient pass seeded with the weights. With
 * whole numbers in and a square loss, the result is exact.
 * @example await weightedGradient(denseNetwork([{ W: [[3]] }], "linear"), "square", { x: tensor([[1], [2]]), target: tensor([[1], [1]]) })(Float64Array.of(3), [1, 1]) // Float64Array [24]
 */
export function weightedGradient(
  model: Graph,
  loss: LossName,
  data: TrainingData,
): (theta: Float64Array, weights: readonly number[]) => Promise<Float64Array> {
  const vector = weightVector(model);
  const { graph: open, keys } = openWeights(model);
  const [input, output] = [model.inputs[0]!.name, model.outputs[0]!.name];
  const target = targetType(loss, { type: "float64", shape: ["N", data.target.dims[1] ?? 1] });
  const each = graph({ ...inputTypes(open), target }, (given) => {
    const y = given.target!.builder.inline(open, given)[output]!;
    return { each: losses[loss].each(y, given.target!) };
  });
  const slope = gradient(each, { wrt: keys });
  return async (theta, weights) => {
    const seed = tensor([...weights], { dims: [weights.length] });
    const inputs = { [input]: data.x, target: data.target, seed_each: seed, ...vector.tensors(theta) };
    const found = await run(slope, inputs, { threads: 1 });
    return joined(
      vector.start.length,
      keys.map((key) => found[`grad_${key}`]!),
    );
  };
}
