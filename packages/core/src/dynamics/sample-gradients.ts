// The gradient of a network's output at each example with respect to all weights, and the kernel of these gradients.

import { run } from "../engine/run.ts";
import type { Graph } from "../graph/graph.ts";
import { type Tensor, tensor } from "../graph/tensor.ts";
import { dot } from "../linear-algebra/dot.ts";
import { gradient } from "../passes/gradient.ts";
import { joined, openWeights, weightVector } from "../train/empirical-risk.ts";

/** Gradients of the outputs of a network with one output, one row an example. */
export type SampleGradients = (theta: Float64Array) => Promise<readonly Float64Array[]>;

/**
 * theta -> (grad Phi(x_1, theta), ..., grad Phi(x_m, theta)): row i is the gradient pass seeded with 1 at example i.
 * @example (await sampleGradients(denseNetwork([{ W: [[3]] }], "linear"), tensor([[1], [2]]))(Float64Array.of(3))).map(([g]) => g) // [1, 2]
 */
export function sampleGradients(model: Graph, x: Tensor): SampleGradients {
  const vector = weightVector(model);
  const { graph, keys } = openWeights(model);
  const slope = gradient(graph, { wrt: keys });
  const [input, output] = [model.inputs[0]!.name, model.outputs[0]!.name];
  const count = x.dims[0]!;
  return async (theta) => {
    const rows: Float64Array[] = [];
    for (let i = 0; i < count; i++) {
      const seed = tensor(
        Array.from({ length: count }, (_, k) => (k === i ? 1 : 0)),
        { dims: [count, 1] },
      );
      const inputs = { [input]: x, [`seed_${output}`]: seed, ...vector.tensors(theta) };
      const found = await run(slope, inputs, { threads: 1 });
      rows.push(
        joined(
          vector.start.length,
          keys.map((key) => found[`grad_${key}`]!),
        ),
      );
    }
    return rows;
  };
}

/**
 * K_ij = <grad Phi(x_i), grad Phi(x_j)>, the neural tangent kernel.
 * @example tangentKernel([Float64Array.of(1, 2), Float64Array.of(3, 4)]) // [[5, 11], [11, 25]]
 */
export const tangentKernel = (rows: readonly Float64Array[]): readonly (readonly number[])[] =>
  rows.map((a) => rows.map((b) => dot(a, b)));
