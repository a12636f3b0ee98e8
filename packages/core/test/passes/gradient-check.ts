// Central differences in f64, the second way to every gradient.

import { run } from "../../src/engine/run.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { elementCount, numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { type GradientOptions, gradient } from "../../src/passes/gradient.ts";

/** A tensor of random numbers. */
export function randomTensor(dims: readonly number[], seed: number, low = -1, high = 1): Tensor {
  const random = createRandom(seed);
  return tensor(
    Array.from({ length: elementCount(dims) }, () => low + (high - low) * random.uniform()),
    { type: "float64", dims },
  );
}

/** Many small sessions: idle threads of each would only take the time of the others. */
const alone = { threads: 1 } as const;

export interface GradientCheck {
  /** The largest error of a directional derivative, relative to the scale of the derivatives. */
  readonly error: number;
  readonly gradient: Graph;
}

const dot = (a: Tensor, b: Tensor): number => {
  const [u, v] = [Float64Array.from(numbers(a)), numbers(b)];
  return u.reduce((sum, value, k) => sum + value * v[k]!, 0);
};

/**
 * Compares <seed, dF(x) direction> by the gradient graph with central differences, for each input asked for, in
 * several random directions. All inputs in `inputs` that are float64 and in `wrt` are moved one by one.
 */
export async function checkGradient(
  graph: Graph,
  inputs: Readonly<Record<string, Tensor>>,
  options: GradientOptions & { readonly step?: number; readonly directions?: number } = {},
): Promise<GradientCheck> {
  const { step = 2e-5, directions = 3, ...rest } = options;
  const derivative = gradient(graph, rest);
  const values = await run(graph, inputs, alone);
  const seeds = Object.fromEntries(
    derivative.inputs
      .filter((i) => i.name.startsWith("seed_"))
      .map((i, k) => [i.name, randomTensor(values[i.name.slice(5)]!.dims, 101 + k)]),
  );
  const found = await run(derivative, { ...inputs, ...seeds }, alone);
  const objective = async (at: Readonly<Record<string, Tensor>>): Promise<number> => {
    const outputs = await run(graph, at, alone);
    return Object.entries(seeds).reduce((sum, [name, seed]) => sum + dot(seed, outputs[name.slice(5)]!), 0);
  };
  let error = 0;
  for (const name of Object.keys(found).filter((key) => key.startsWith("grad_"))) {
    const x = inputs[name.slice(5)]!;
    for (let k = 0; k < directions; k++) {
      const direction = randomTensor(x.dims, 7 * k + 3);
      const moved = (t: number): Tensor =>
        tensor(
          Array.from(numbers(x), (value, j) => value + t * numbers(direction)[j]!),
          { type: "float64", dims: x.dims },
        );
      const [ahead, behind] = [
        await objective({ ...inputs, [name.slice(5)]: moved(step) }),
        await objective({ ...inputs, [name.slice(5)]: moved(-step) }),
      ];
      const difference = (ahead - behind) / (2 * step);
      const scale = Math.max(1, Math.abs(difference));
      error = Math.max(error, Math.abs(dot(found[name]!, direction) - difference) / scale);
    }
  }
  return { error, gradient: derivative };
}
