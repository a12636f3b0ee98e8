import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { float32, float64, graph } from "../../src/graph/builder.ts";
import { loadModel } from "../../src/graph/index.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { layer, network } from "../../src/networks/layers/layers.ts";
import { randomNetwork } from "../../src/networks/layers/random.ts";
import { decomposePaths } from "../../src/networks/path-decomposition.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { pathGraph, pathNorms } from "../../src/passes/path-norm.ts";

const random = createRandom("paths");
const models = new URL("../../../../../shared/models/", import.meta.url).pathname;
const missing = !existsSync(models);
if (missing) console.warn("tests on ../shared/models left out: no such folder");

describe("path norms", () => {
  it("of the example that can be done by hand", async () => {
    const net = network([
      layer([
        [1, 2],
        [3, 4],
      ]),
      layer([[5, 6]]),
    ]);
    const { norm1, norm2, count } = await pathNorms(net);
    expect([...norm1]).toEqual([57]);
    expect(norm2[0]! ** 2).toBeCloseTo(1025, 9);
    expect([...count]).toEqual([4]);
  });

  it("agree with all paths one by one, and these give the output", async () => {
    for (let trial = 0; trial < 20; trial++) {
      const widths = [2 + (trial % 3), 3, 1 + (trial % 4), 2, 2];
      const net = randomNetwork(random.split(`${trial}`), widths);
      const x = random.normal(widths[0]!);
      const { y } = await run(net, { x: tensor(x, { dims: [1, widths[0]!] }) });
      const norms = await pathNorms(net);
      for (const output of [0, 1]) {
        const { paths, gated } = decomposePaths(net, x, { output });
        const sum = paths.reduce((s, { weight }, k) => s + weight * gated[k]!, 0);
        expect(sum).toBeCloseTo(numbers(y!)[output]!, 10);
        expect(norms.count[output]).toBe(paths.length);
        expect(norms.norm1[output]).toBeCloseTo(
          paths.reduce((s, p) => s + Math.abs(p.weight), 0),
          9,
        );
        expect(norms.norm2[output]! ** 2).toBeCloseTo(
          paths.reduce((s, p) => s + p.weight ** 2, 0),
          9,
        );
      }
    }
  });

  it("leave biases out when told to", async () => {
    const net = network([layer([[1, 2]], [7]), layer([[3]], [11])]);
    expect([...(await pathNorms(net, { biases: false })).norm1]).toEqual([9]);
    expect([...(await pathNorms(net)).norm1]).toEqual([9 + 21 + 11]);
  });

  it("count the windows of pooling as sums, and means with their coefficients", async () => {
    const net = (pool: "MaxPool" | "AveragePool") =>
      graph({ x: float32("N", 1, 4) }, ({ x }) => ({
        y: x
          .op(pool, [], { kernel_shape: [2], strides: [2] })
          .mul([[[2], [3]]].flat())
          .sum([1, 2]),
      }));
    const max = await pathNorms(net("MaxPool"));
    expect([max.norm1[0], max.norm2[0]! ** 2, max.count[0]]).toEqual([20, expect.closeTo(52, 9), 8]);
    const mean = await pathNorms(net("AveragePool"));
    expect([mean.norm1[0], mean.norm2[0]! ** 2, mean.count[0]]).toEqual([10, expect.closeTo(13, 9), 8]);
  });

  it("of a convolution are those of its dense matrix", async () => {
    const kernel = tensor(random.normal(2 * 3 * 3), { dims: [2, 1, 3, 3] });
    const conv = (x: import("../../src/graph/value.ts").Value) =>
      x.builder.apply("Conv", [x, kernel], { pads: [1, 1, 1, 1], strides: [2, 2] })[0]!;
    const net = graph({ x: float64("N", 1, 4, 4) }, ({ x }) => ({
      y: conv(x)
        .relu()
        .reshape([-1, 8])
        .matmul([[1], [-2], [3], [-4], [5], [-6], [7], [-8]]),
    }));
    const linear = graph({ x: float64("N", 1, 4, 4) }, ({ x }) => ({ y: conv(x).reshape([-1, 8]) }));
    const units = tensor(
      Float64Array.from({ length: 256 }, (_, k) => (k % 17 === 0 ? 1 : 0)),
      { dims: [16, 1, 4, 4] },
    );
    const matrix = numbers((await run(linear, { x: units }))["y"]!);
    let [one, two] = [0, 0];
    for (let i = 0; i < 16; i++)
      for (let j = 0; j < 8; j++) {
        one += (j + 1) * Math.abs(Number(matrix[8 * i + j]));
        two += ((j + 1) * Number(matrix[8 * i + j])) ** 2;
      }
    const { norm1, norm2 } = await pathNorms(net);
    expect(norm1[0]).toBeCloseTo(one, 9);
    expect(norm2[0]! ** 2).toBeCloseTo(two, 9);
  });

  it("says which node has no paths", () => {
    const net = graph({ x: float64("N", 2) }, ({ x }) => ({ y: x.mul(x) }));
    expect(() => pathGraph(net, { p: 1, biases: true })).toThrow(/Mul.*multiplies two values/);
  });

  it.skipIf(missing).each(["ACASXU_run2a_1_1_batch_2000", "Convnet_maxpool", "Convnet_avgpool", "resnet_2b"])(
    "of %s are ordered as norms are",
    async (name) => {
      const net = await loadModel(`${models}${name}.onnx`);
      const { norm1, norm2, count } = await pathNorms(net, { biases: false });
      norm1.forEach((v, k) => {
        expect(v).toBeGreaterThan(0);
        expect(v).toBeGreaterThanOrEqual(norm2[k]!);
        expect(v).toBeLessThanOrEqual(norm2[k]! * Math.sqrt(count[k]!) * (1 + 1e-9));
      });
    },
  );
});
