import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { float32, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { loadModel } from "../../src/graph/onnx/index.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import type { Values } from "../../src/graph/value.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { inputShapes } from "../../src/passes/affine/compile.ts";
import { boxSlice, outputsAt, planeRegions, planeSlice, type Slice } from "../../src/passes/regions/index.ts";
import { depthInside, inDoubles, locator, middle } from "./regions-networks.ts";

const models = new URL("../../../../../shared/models/", import.meta.url).pathname;
const missing = !existsSync(models);
if (missing) console.warn("tests on ../shared/models left out: no such folder");

/** Largest difference between the regions' maps and ONNX Runtime at the regions' middles. */
async function worstError(net: Graph, slice: Slice, points = 400): Promise<number> {
  const { regions, area, domainArea } = await planeRegions(net, slice, { maxRegions: 50_000 });
  expect(Math.abs(area / domainArea - 1)).toBeLessThan(1e-11);
  const [input] = inputShapes(net);
  const { origin, first, second } = slice.plane;
  let worst = 0;
  const step = Math.max(1, Math.floor(regions.length / points));
  for (let k = 0; k < regions.length; k += step) {
    const [u, v] = middle(regions[k]!);
    const x = origin.map((c, n) => c + u * first[n]! + v * second[n]!);
    const { type, dims, name } = input!;
    const given = tensor(x, { type: type.type as "float32", dims });
    const [y] = Object.values(await run(net, { [name]: given }));
    const map = outputsAt(regions[k]!, u, v);
    numbers(y!).forEach((value, n) => {
      worst = Math.max(worst, Math.abs(value - map[n]!));
    });
  }
  return worst;
}

const square = boxSlice([-2, -2], [2, 2]);
const matrix = (seed: string, rows: number, columns: number) => {
  const random = createRandom(seed);
  return Array.from({ length: rows }, () => Array.from(random.normal(columns)));
};

describe("operators", () => {
  const onInput = (body: (inputs: Values<"x">) => Values) => graph({ x: float32(1, 2) }, body);
  const cases: Record<string, Graph> = {
    LeakyRelu: onInput(({ x }) => ({
      y: x
        .affine(matrix("a", 6, 2), matrix("b", 1, 6)[0])
        .op("LeakyRelu", [], { alpha: 0.1 })
        .affine(matrix("c", 2, 6)),
    })),
    PRelu: onInput(({ x }) => ({
      y: x
        .affine(matrix("a", 6, 2))
        .op("PRelu", [matrix("p", 1, 6)[0]])
        .affine(matrix("c", 2, 6)),
    })),
    "Clip and Abs": onInput(({ x }) => ({
      y: x
        .affine(matrix("a", 4, 2))
        .op("Clip", [-0.5, 0.75])
        .affine(matrix("d", 3, 4))
        .op("Abs"),
    })),
    HardSigmoid: onInput(({ x }) => ({ y: x.affine(matrix("a", 4, 2)).op("HardSigmoid") })),
    "Max and Min": onInput(({ x }) => {
      const [a, b, c] = ["a", "b", "c"].map((s) => x.affine(matrix(s, 4, 2), matrix(`${s}b`, 1, 4)[0]));
      return { y: a!.max(b!, c!).min(b!.add(1)) };
    }),
    "a skip and a concatenation": onInput(({ x }) => {
      const h = x.affine(matrix("a", 4, 2), matrix("ab", 1, 4)[0]).relu();
      const k = h
        .affine(matrix("b", 4, 4))
        .relu()
        .add(h);
      return {
        y: k
          .concat([h, x], 1)
          .affine(matrix("c", 3, 10))
          .relu()
          .affine(matrix("d", 1, 3)),
      };
    }),
    "moved elements": onInput(({ x }) => {
      const h = x
        .affine(matrix("a", 6, 2), matrix("ab", 1, 6)[0])
        .relu()
        .reshape([1, 2, 3]);
      const t = h.transpose([0, 2, 1]).slice(1, 0, 2).gather([1, 0, 1], 2).reshape([1, 6]);
      return {
        y: t
          .affine(matrix("b", 3, 6))
          .relu()
          .sum([1], 1)
          .sub(t.mean([1], 1))
          .div(3),
      };
    }),
    "ReduceMax over four": onInput(({ x }) => ({
      y: x.affine(matrix("a", 4, 2), matrix("ab", 1, 4)[0]).op("ReduceMax", [], { keepdims: 1 }),
    })),
  };
  it.each(Object.keys(cases))("%s: the maps are the runtime's values", async (name) => {
    expect(await worstError(cases[name]!, square)).toBeLessThan(1e-4); // the runtime computes these in f32
  });

  it("names the operator that it cannot follow", async () => {
    const net = onInput(({ x }) => ({ y: x.op("Sigmoid") }));
    await expect(planeRegions(net, square)).rejects.toThrow(
      /regions pass cannot read Sigmoid node "sigmoid"/,
    );
    const squared = onInput(({ x }) => ({ y: x.mul(x) }));
    await expect(planeRegions(squared, square)).rejects.toThrow(/Mul node .* not piecewise linear/);
  });
});

describe.skipIf(missing)("networks that nobody here wrote", () => {
  it("ACASXU 1_1 on a plane: 100,000 points, each in one region, whose map is the network to 1e-9", async () => {
    const net = await loadModel(`${models}ACASXU_run2a_1_1_batch_2000.onnx`);
    const found = await planeRegions(net, boxSlice([-0.5, -0.5, 0, 0, 0], [0.5, 0.5, 0, 0, 0]));
    expect(found.count).toBe(51005);
    expect(found.area).toBeCloseTo(1, 12);
    const random = createRandom("ACASXU");
    const count = 100_000;
    const points = Array.from(
      { length: count },
      () => [random.uniform() - 0.5, random.uniform() - 0.5] as const,
    );
    const x = new Float64Array(5 * count);
    points.forEach(([u, v], k) => {
      x.set([u, v], 5 * k);
    });
    const [y] = Object.values(await run(inDoubles(net), { input: tensor(x, { dims: [count, 1, 1, 5] }) }));
    const outputs = numbers(y!);
    const regionsAt = locator(found.regions, [-0.5, 0.5, -0.5, 0.5]);
    let worst = 0;
    const inSeveral = points.filter(([u, v], k) => {
      const hits = regionsAt(u, v);
      if (hits.length !== 1) return true;
      const map = outputsAt(hits[0]!, u, v);
      for (let n = 0; n < 5; n++) worst = Math.max(worst, Math.abs(map[n]! - outputs[5 * k + n]!));
      return false;
    });
    // A point on an edge, to rounding, would be in two regions or none: with these points there is none.
    expect(inSeveral).toEqual([]);
    expect(worst).toBeLessThan(1e-9);
  });

  it("ACASXU 1_1: the same number of regions with the axes exchanged", async () => {
    const net = await loadModel(`${models}ACASXU_run2a_1_1_batch_2000.onnx`);
    const [a, b, c] = [
      [-0.5, -0.5, 0, 0, 0],
      [-0.5, 0.5, 0, 0, 0],
      [0.5, -0.5, 0, 0, 0],
    ];
    const exchanged = await planeRegions(net, planeSlice([a!, b!, c!]), { keep: false });
    expect(exchanged.count).toBe(51005);
  });

  it.each([
    ["Convnet_maxpool.onnx", 0.004, 1e-4],
    ["Convnet_avgpool.onnx", 0.005, 1e-4],
    ["mnist-net_256x2.onnx", 0.5, 1e-4],
    ["resnet_2b.onnx", 0.004, 1e-4],
    ["zoo/maxpool.onnx", 1, 1e-5],
    ["zoo/convx1_gemmx1.onnx", 1, 1e-4],
    ["zoo/keras_conv_7x7_relu.onnx", 1, 1e-5],
    ["zoo/batchnorm.onnx", 1, 1e-5],
  ])("%s on a plane through three random images", async (file, size, tolerance) => {
    const net = await loadModel(models + file);
    const [input] = inputShapes(net);
    const count = input!.dims.reduce((n, d) => n * d, 1);
    const random = createRandom(file);
    const origin = random.uniform(count);
    const near = () => origin.map((x) => x + size * random.normal());
    expect(await worstError(net, planeSlice([origin, near(), near()]), 100)).toBeLessThan(tolerance);
  });

  it("test_small has the pieces that it has", async () => {
    const net = await loadModel(`${models}test_small.onnx`);
    const { regions } = await planeRegions(net, boxSlice([-10], [10]));
    for (const region of regions) {
      const [u, v] = middle(region);
      expect(depthInside(region, u, v)).toBeGreaterThan(0);
      const [y] = Object.values(await run(net, { X_0: tensor([u], { type: "float32" }) }));
      expect(outputsAt(region, u, v)[0]).toBeCloseTo(numbers(y!)[0]!, 3);
    }
  });
});
