// Euler's identity: a function that is homogeneous of degree one in z has <z, df/dz> = f.
import fc from "fast-check";
import { expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, type Tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { gradient } from "../../src/passes/gradient.ts";
import { randomTensor } from "./gradient-check.ts";

const dot = (a: Tensor, b: Tensor): number => {
  const [u, v] = [Float64Array.from(numbers(a)), numbers(b)];
  return u.reduce((sum, value, k) => sum + value * v[k]!, 0);
};

/**
 * The sum of the outputs is homogeneous in the input and in each layer's weights: <z, grad z> is it for all of them.
 * Gives the size of the outputs: of a network that is 0 the identity says little.
 */
async function expectEuler(net: Graph, inputs: Readonly<Record<string, Tensor>>): Promise<number> {
  const found = await run(gradient(net, { unitSeeds: true }), inputs);
  const sum = Array.from(numbers(found.y!)).reduce((a, b) => a + b, 0);
  const size = Array.from(numbers(found.y!)).reduce((a, b) => a + Math.abs(b), 0);
  for (const [name, z] of Object.entries(inputs))
    expect(Math.abs(dot(z, found[`grad_${name}`]!) - sum), name).toBeLessThanOrEqual(1e-12 * size);
  return size;
}

it("bias-free ReLU networks of any widths, in the input and in every layer", async () => {
  const widths = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 2, maxLength: 5 });
  let alive = 0;
  await fc.assert(
    fc.asyncProperty(widths, fc.nat(1000), async (sizes, seed) => {
      const shapes = sizes.slice(1).map((width, k) => [width, sizes[k]!]);
      const weights = Object.fromEntries(
        shapes.map((dims, k) => [`w${k}`, randomTensor(dims, seed + k, -0.5, 1)]),
      );
      const types = Object.fromEntries(shapes.map((dims, k) => [`w${k}`, float64(...dims)]));
      const net = graph({ x: float64("N", sizes[0]!), ...types }, (values) => {
        const layers = shapes.map((_, k) => (values as Record<string, Value>)[`w${k}`]!);
        return { y: layers.reduce((x, w, k) => (k === 0 ? x : x.relu()).affine(w), values.x!) };
      });
      const size = await expectEuler(net, {
        x: randomTensor([3, sizes[0]!], seed + 50, -0.5, 1),
        ...weights,
      });
      if (size > 0) alive++;
    }),
    { numRuns: 25, seed: 7 },
  );
  expect(alive).toBeGreaterThan(12);
});

it("a convolutional ReLU network with pooling", async () => {
  const net = graph(
    { x: float64("N", 2, 9, 8), v: float64(6, 1, 3, 3), w: float64(6, 4, 2, 2), u: float64(3, 12) },
    ({ x, v, w, u }) => {
      const first = x.op("Conv", [v], { group: 2, pads: [1, 1, 1, 1] }).relu();
      const pooled = first.op("MaxPool", [], { kernel_shape: [3, 2], strides: [2, 2], ceil_mode: 1 });
      const second = pooled.op("ConvTranspose", [w], { strides: [1, 2] }).relu();
      const averaged = second.op("AveragePool", [], { kernel_shape: [3, 3], strides: [2, 4] });
      const narrow = averaged
        .op("GlobalLpPool")
        .concat([averaged.op("GlobalMaxPool"), averaged.op("GlobalAveragePool")], 1);
      return { y: narrow.op("Flatten").affine(u) };
    },
  );
  const size = await expectEuler(net, {
    x: randomTensor([2, 2, 9, 8], 1),
    v: randomTensor([6, 1, 3, 3], 2),
    w: randomTensor([6, 4, 2, 2], 3),
    u: randomTensor([3, 12], 4),
  });
  expect(size).toBeGreaterThan(0);
});
