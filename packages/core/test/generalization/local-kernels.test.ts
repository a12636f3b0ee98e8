import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import {
  dyadicTree,
  exponentialBound,
  kernelMarginBounds,
  kernelNorms,
  localStructure,
  patchCount,
  patchGeometry,
  patchValues,
  peeledBound,
  rademacherEstimate,
  randomKernels,
  slidingWindows,
  windowEnergies,
} from "../../src/generalization/local-kernels/index.ts";
import { addPatchGradient } from "../../src/generalization/local-kernels/patch-network.ts";
import { kernelMemory } from "../../src/generalization/memorization/coin-memory.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { binomialTail } from "../../src/numbers/statistics.ts";
import { initialNetwork } from "../../src/train/network.ts";

const random = createRandom("local kernels");

const image = (bias: boolean) => {
  const b = bias ? tensor(Array.from(random.normal(3))) : undefined;
  const F = tensor(Array.from(random.normal(3 * 2 * 9)), { dims: [3, 2, 3, 3] });
  const W = tensor(Array.from(random.normal(2 * 48)), { dims: [2, 48] });
  return graph({ x: float64("N", 2, 8, 7) }, ({ x }) => ({
    y: x
      .op("Conv", [F, b], { kernel_shape: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1] })
      .relu()
      .op("Flatten")
      .affine(W),
  }));
};

it("the norm of a filter is that of its own row", async () => {
  const net = graph({ x: float64("N", 2) }, ({ x }) => ({
    y: x.affine(
      tensor([
        [3, 4],
        [0, 1],
      ]),
    ),
  }));
  const { layers } = await kernelNorms(net);
  expect(layers[0]).toMatchObject({ filterNorm: 5, kernelNorm: Math.sqrt(26) });
});

describe("windows", () => {
  it("are counted with padding, stride and dilation", () => {
    expect(patchGeometry({ size: 5, kernel: 3, stride: 2 })).toEqual({
      ...{ patches: 2, tapCounts: [2, 2, 2], coverage: [1, 1, 2, 1, 1], multiplicity: 2 },
    });
    expect(patchGeometry({ size: 4, kernel: 3, stride: 1, before: 1, after: 1 }).tapCounts).toEqual([
      3, 4, 3,
    ]);
    expect(patchGeometry({ size: 5, kernel: 2, stride: 1, dilation: 3 }).patches).toBe(2);
    expect(patchCount(10, 4, 2)).toBe(slidingWindows(10, 4, 2).length);
  });
});

describe("kernel norms", () => {
  it("agree with the matrix of a convolution, column by column", async () => {
    const net = image(false);
    const { layers } = await kernelNorms(net);
    const [conv] = net.nodes;
    const first = {
      ...net,
      nodes: [conv!],
      outputs: [{ name: conv!.outputs[0]!, type: { type: "float64" as const } }],
    };
    const n = 2 * 8 * 7;
    const units = Float64Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 1 : 0));
    const found = await run(first, { x: tensor(units, { dims: [n, 2, 8, 7] }) });
    const square = Array.from(numbers(found[conv!.outputs[0]!]!)).reduce((s, v) => s + v * v, 0);
    expect(layers[0]!.frobeniusNorm).toBeCloseTo(Math.sqrt(square), 10);
    expect(layers[0]!.patches).toBe(4 * 4);
    expect(layers[0]!.multiplicity).toBe(4);
    expect(layers[1]!.kernelNorm).toBe(layers[1]!.frobeniusNorm);
  });
});

describe("the structure that the bounds read", () => {
  it("sees windows of data as a convolution with ones does", async () => {
    const net = image(false);
    const x = tensor(random.normal(5 * 2 * 56), { dims: [5, 2, 8, 7] });
    const { sample, unmet, layers } = await localStructure(net, x);
    expect(unmet).toEqual([]);
    expect(layers.map((l) => l.predecessors)).toEqual([9, 16]);
    const ones = graph({ x: float64("N", 2, 8, 7) }, (given) => ({
      y: given.x.op("Conv", [tensor(new Float64Array(18).fill(1), { dims: [1, 2, 3, 3] })], {
        ...{ kernel_shape: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1] },
      }),
    }));
    const squares = tensor(numbers(x).map((v) => v * v) as Float64Array, { dims: x.dims });
    const sums = numbers((await run(ones, { x: squares })).y!);
    const energies = Array.from({ length: 16 }, (_, j) =>
      [0, 1, 2, 3, 4].reduce((s, i) => s + sums[i * 16 + j]!, 0),
    );
    expect(sample.patchEnergy).toBeCloseTo(Math.max(...energies), 9);
    const shape = {
      ...{ input: [2, 8, 7], kernel: [3, 3], strides: [2, 2], dilations: [1, 1] },
      ...{ pads: [1, 1, 1, 1], groups: 1, output: [4, 4] },
    };
    windowEnergies(x, shape).forEach((e, j) => {
      expect(e).toBeCloseTo(energies[j]!, 9);
    });
  });

  it("names what it cannot read, and takes biases as weights of a constant", async () => {
    const x = tensor(random.normal(3 * 112), { dims: [3, 2, 8, 7] });
    const [plain, biased] = [await localStructure(image(false), x), await localStructure(image(true), x)];
    expect(biased.unmet).toEqual([]);
    expect(biased.sample.energy).toBeCloseTo(plain.sample.energy + 3 * 56, 9);
    const pooled = initialNetwork("1x6x6-conv2k3-relu-maxpool2-flatten-2", { seed: 1 });
    const image6 = tensor(random.normal(new Float32Array(72)), { type: "float32", dims: [2, 1, 6, 6] });
    expect((await localStructure(pooled, image6)).unmet.join()).toMatch(/MaxPool/);
    const bounds = await kernelMarginBounds(pooled, image6, { delta: 0.05, margins: [1, 1], outputs: 2 });
    expect(bounds.every((b) => b.value === undefined && b.unmet.length > 0)).toBe(true);
  });

  it("is the bound of Golowich, Rakhlin and Shamir for dense networks", async () => {
    const net = initialNetwork("5-7-relu-6-relu-1", { seed: 1, type: "float64" });
    const x = tensor(random.normal(20 * 5), { dims: [20, 5] });
    const { layers, sample } = await localStructure(net, x);
    const product = layers.reduce((p, l) => p * l.norm, 1);
    const expected = (product * (1 + Math.sqrt(4 * Math.LN2)) * Math.sqrt(sample.energy)) / 20;
    expect(exponentialBound(layers, sample)).toBeCloseTo(expected, 10);
    expect(peeledBound(layers, sample)).toBeCloseTo((4 * product * Math.sqrt(sample.energy)) / 20, 10);
  });
});

describe("margin bounds", () => {
  it("hold for a linear classifier of coin throws, and become small with many examples", async () => {
    const one = graph({ x: float64("N", 2) }, ({ x }) => ({ y: x.affine(tensor([[1, 0]])) }));
    const m = 40000;
    const x = Float64Array.from({ length: 2 * m }, (_, k) => (k % 2 === 0 ? (k % 4 === 0 ? 1 : -1) : 0));
    const [best] = await kernelMarginBounds(one, tensor(x, { dims: [m, 2] }), {
      ...{ delta: 0.05, margins: new Float64Array(m).fill(1), outputs: 1 },
    });
    expect(best!.value).toBeLessThan(0.2);
    const coins = Float64Array.from({ length: m }, () => (random.uniform() < 0.5 ? 1 : -1));
    const thrown = await kernelMarginBounds(one, tensor(x, { dims: [m, 2] }), {
      ...{ delta: 0.05, margins: coins, outputs: 1 },
    });
    for (const { value } of thrown) expect(value).toBeGreaterThan(0.5);
  });
});

describe("kernels that memorize coin throws", () => {
  it("are no counterexample to the bounds, but to those of data without length", async () => {
    const [trials, delta, m, patches] = [200, 0.05, 400, 1200];
    const tiny = tensor(new Float64Array(m * 2 * patches).fill(1e-12), { dims: [m, 1, 2 * patches] });
    const failures = [0, 0, 0];
    const without = [0, 0, 0];
    for (let k = 0; k < trials; k++) {
      const { model, x, margins } = kernelMemory(m, patches, random);
      const options = { delta, margins, outputs: 1 };
      (await kernelMarginBounds(model, x, options)).forEach(({ value, unmet }, b) => {
        expect(unmet).toEqual([]);
        if (0.5 > value!) failures[b]!++;
      });
      if (k % 4 > 0) continue; // a quarter is enough to refute it
      (await kernelMarginBounds(model, tiny, options)).forEach(({ value }, b) => {
        if (0.5 > value!) without[b]!++;
      });
    }
    for (const count of failures) expect(binomialTail(trials, delta, count)).toBeGreaterThan(1e-6);
    for (const count of without) expect(binomialTail(trials / 4, delta, count)).toBeLessThan(1e-6);
  });
});

describe("the estimate of the complexity", () => {
  it("climbs along true gradients", () => {
    const net = dyadicTree(3, 1, false);
    const kernels = randomKernels(net, random);
    const x = random.normal(8);
    const gradient = kernels.map((layer) => layer.map((w) => new Float64Array(w.length)));
    addPatchGradient(net, kernels, patchValues(net, kernels, x), 1, gradient);
    const value = () => patchValues(net, kernels, x).at(-1)![0]!;
    for (const [l, layer] of kernels.entries())
      for (const [j, w] of layer.entries())
        for (let k = 0; k < w.length; k++) {
          const [h, at] = [1e-6, w[k]!];
          w[k] = at + h;
          const above = value();
          w[k] = at - h;
          const below = value();
          w[k] = at;
          expect(gradient[l]![j]![k]!).toBeCloseTo((above - below) / (2 * h), 6);
        }
  });

  it("is exact for two opposite examples of a linear class", () => {
    const linear = [{ fields: [[0, 1]], shared: false, norm: 3 }];
    // |x - (-x)| and |x + (-x)|, each half of the time.
    const { estimate, standardError } = rademacherEstimate(
      linear,
      [
        [3, 4],
        [-3, -4],
      ],
      { signs: 8, random },
    );
    expect(estimate).toBeCloseTo((3 * (10 + 0)) / 2 / 2, 12);
    expect(standardError).toBe(0);
  });
});
