import { expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { empiricalKernel, tangentNorms } from "../../src/kernels/index.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { initialNetwork } from "../../src/train/index.ts";

const x = tensor(createRandom("norms").normal(2 * 3), { dims: [2, 3] });

/** The network with a weight's entry moved. */
function moved(net: Graph, weight: string, entry: number, by: number): Graph {
  const old = net.initializers.get(weight) as Tensor;
  const data = Float64Array.from(numbers(old));
  data[entry]! += by;
  return { ...net, initializers: new Map([...net.initializers, [weight, { ...old, data } as Tensor]]) };
}

it("of gradients are those of differences", async () => {
  const net = initialNetwork("3-3-tanh-2", { type: "float64", seed: 4, initialization: "ntk" });
  const { outputs, weights } = await tangentNorms(net, x);
  expect(outputs).toBe(2);
  expect([...weights.keys()]).toEqual(["layer1.weight", "layer1.bias", "layer2.weight", "layer2.bias"]);
  const h = 1e-5;
  for (const [weight, norms] of weights) {
    const squares = new Float64Array(norms.length);
    const entries = numbers(net.initializers.get(weight) as Tensor).length;
    for (let e = 0; e < entries; e++) {
      const [up, down] = await Promise.all(
        [h, -h].map(async (by) => numbers((await run(moved(net, weight, e, by), { x }))["y"]!)),
      );
      squares.forEach((_, k) => {
        squares[k]! += ((up![k]! - down![k]!) / (2 * h)) ** 2;
      });
    }
    norms.forEach((norm, k) => {
      expect(norm).toBeCloseTo(squares[k]!, 7);
    });
  }
  // The trace of the kernel of all outputs, in parts.
  const { ntk } = await empiricalKernel(net, x);
  const sum = [...weights.values()].reduce((s, norms) => s + norms.reduce((a, b) => a + b, 0), 0);
  expect(sum / 2).toBeCloseTo(ntk[0]! + ntk[3]!, 9);
});
