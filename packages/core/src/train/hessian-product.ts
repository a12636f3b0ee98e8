// Hessian-vector products in the weights, on vectors of all weights at once.
import { run } from "../engine/run.ts";
import type { Graph } from "../graph/graph.ts";
import type { Tensor } from "../graph/tensor.ts";
import { hessianVectorProduct } from "../passes/hessian.ts";
import { joined, openWeights, weightVector } from "./empirical-risk.ts";

/**
 * (theta, v) -> H v with H the Hessian of sum_i Phi(x_i, theta) in the weights.
 * @example await hessianProduct(denseNetwork([{ W: [[2]] }, { W: [[3]] }], "linear"), tensor([[5]]))(Float64Array.of(2, 3), Float64Array.of(1, 0)) // Float64Array [0, 5]
 */
export function hessianProduct(
  model: Graph,
  x: Tensor,
): (theta: Float64Array, v: Float64Array) => Promise<Float64Array> {
  const vector = weightVector(model);
  const { graph, keys } = openWeights(model);
  const second = hessianVectorProduct(graph, { wrt: keys });
  return async (theta, v) => {
    const directions = Object.entries(vector.tensors(v)).map(([key, t]) => [`vector_${key}`, t] as const);
    const inputs = {
      [model.inputs[0]!.name]: x,
      ...vector.tensors(theta),
      ...Object.fromEntries(directions),
    };
    const found = await run(second, inputs, { threads: 1 });
    return joined(
      vector.start.length,
      keys.map((key) => found[`hessian_${key}`]!),
    );
  };
}
