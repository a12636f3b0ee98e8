// |d f_o(x) / d w|^2 for each example, output o and weight w: the diagonal of the tangent kernel, in parts.
import type { Graph } from "../graph/graph.ts";
import { cast, type Tensor } from "../graph/tensor.ts";
import { backwardModel } from "./empirical/backward.ts";
import { examplesAtOnce, outputCount, outputShape, someExamples } from "./empirical/blocks.ts";
import { featuresOf, type Rows } from "./empirical/features.ts";
import type { EmpiricalKernelOptions } from "./empirical-kernel.ts";

export interface TangentNorms {
  readonly examples: number;
  readonly outputs: number;
  /** By the weight's name: output o of example i at i K + o, of K outputs. */
  readonly weights: ReadonlyMap<string, Float64Array>;
}

/**
 * The squared length of the gradient of each output by each weight, example by example.
 * @example (await tangentNorms(denseNetwork([{ W: [[3, 4]], b: [1] }], "linear"), tensor([[1, 2]]))).examples // 1
 */
export async function tangentNorms(
  model: Graph,
  x: Tensor,
  { memory = 2 ** 28, scales }: Pick<EmpiricalKernelOptions, "memory" | "scales"> = {},
): Promise<TangentNorms> {
  const read = backwardModel(model);
  const shape = outputShape(read, x);
  const outputs = outputCount(shape);
  const asked = Array.from({ length: outputs }, (_, o) => o);
  const data = cast(x, "float64");
  const n = data.dims[0]!;
  const weights = new Map(read.uses.map(({ weight }) => [weight, new Float64Array(n * outputs)] as const));
  const step = examplesAtOnce(read, data, outputs, memory);
  for (let from = 0; from < n; from += step) {
    const { weights: found, count } = await featuresOf(read, someExamples(data, from, step), shape, asked);
    for (const { weight, operand, back } of found) {
      const factor = (scales?.get(weight) ?? 1) ** 2;
      for (let i = 0; i < count; i++)
        for (let o = 0; o < outputs; o++)
          weights.get(weight)![(from + i) * outputs + o] =
            factor * square(back, i * outputs + o) * (operand ? square(operand, i) : 1);
    }
  }
  return { examples: n, outputs, weights };
}

function square({ entries, width }: Rows, row: number): number {
  let sum = 0;
  for (let k = row * width; k < (row + 1) * width; k++) sum += entries[k]! * entries[k]!;
  return sum;
}
