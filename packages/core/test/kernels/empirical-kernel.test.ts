import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { cast, elementCount, numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import {
  drawnNetwork,
  type EmpiricalKernel,
  empiricalKernel,
  limitKernel,
  tangentNorms,
} from "../../src/kernels/index.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { perExampleJacobian } from "../../src/passes/jacobian.ts";
import { initialNetwork } from "../../src/train/index.ts";

const normals = (seed: number | string, ...dims: number[]): Tensor => {
  const random = createRandom(seed);
  return tensor(
    Float64Array.from({ length: elementCount(dims) }, () => random.normal()),
    { dims },
  );
};

/** Rows of the whole Jacobian: example i, output o at i K + o. */
async function jacobian(
  net: Graph,
  x: Tensor,
): Promise<{ readonly outputs: number; readonly rows: number[][] }> {
  const found: Readonly<Record<string, Tensor>> = await run(perExampleJacobian(net), { x });
  const weights = Object.keys(found).filter((name) => name.startsWith("jacobian_"));
  const outputs = found[weights[0]!]!.dims[1]!;
  const rows = Array.from({ length: x.dims[0]! * outputs }, (_, r) =>
    weights.flatMap((name) => {
      const data = numbers(found[name]!);
      const width = data.length / x.dims[0]! / outputs;
      return Array.from(data.subarray(r * width, (r + 1) * width));
    }),
  );
  return { outputs, rows };
}
const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((s, v, k) => s + v * b[k]!, 0);

const shared = graph({ x: float64("N", 4) }, ({ x }) => {
  const W = x.builder.weight(normals("shared", 4, 4), "W");
  const scale = x.builder.weight(normals("scale", 4), "scale");
  const h = x.matmul(W).tanh().op("LayerNormalization", [scale, undefined], { axis: -1 });
  return {
    y: h
      .matmul(W)
      .tanh()
      .matmul(x.builder.weight(normals("V", 4, 2), "V")),
  };
});
const sequence = graph({ x: float64("N", 3, 4) }, ({ x }) => {
  const h = x
    .matmul(x.builder.weight(normals("W", 4, 5), "W"))
    .add(x.builder.weight(normals("b", 5), "b"))
    .tanh();
  const mean = h.op("ReduceMean", [tensor([1], { type: "int64" })], { keepdims: 0 });
  return { y: mean.matmul(x.builder.weight(normals("V", 5, 2), "V")) };
});
const drawn = (spec: string): Graph =>
  initialNetwork(spec, { seed: 3, type: "float64", initialization: "pytorch" });

describe.each([
  ["a dense network", drawn("5-7-tanh-6-relu-3"), [5]],
  ["a convolutional one", drawn("2x5x5-conv4k3same-relu-conv3k2s2nobias-tanh-flatten-3"), [2, 5, 5]],
  ["a residual one", drawn("2x6x6-conv4k3-relu-residual(conv4k3same-relu)-avgpool2-flatten-2"), [2, 6, 6]],
  ["one with shared weights and a normalization", shared, [4]],
  ["one of sequences", sequence, [3, 4]],
] as const)("the tangent kernel of %s is J J^T", (_, net, example) => {
  const [x, z] = [normals("x", 5, ...example), normals("z", 3, ...example)];

  it.each([2 ** 28, 1])("for all outputs, their mean and one of them, with %d bytes", async (memory) => {
    const [own, others] = [await jacobian(net, x), await jacobian(net, z)];
    for (const [other, right] of [
      [undefined, own],
      [z, others],
    ] as const) {
      const given = { memory, perWeight: true, ...(other ? { other } : {}) };
      const K = own.outputs;
      const all = await empiricalKernel(net, x, { ...given, outputs: "all" });
      const exact = own.rows.flatMap((a) => right.rows.map((b) => dot(a, b)));
      const size = Math.max(...exact.map(Math.abs));
      all.ntk.forEach((k, n) => {
        expect(Math.abs(k - exact[n]!)).toBeLessThan(1e-13 * size);
      });
      const [mean, one] = [
        await empiricalKernel(net, x, given),
        await empiricalKernel(net, x, { ...given, outputs: 1 }),
      ];
      const at = (r: number, o: number, p: number): number => {
        const [i, j] = [Math.floor(r / mean.columns), r % mean.columns];
        return all.ntk[(i * K + o) * all.columns + j * K + p]!;
      };
      mean.ntk.forEach((k, r) => {
        const trace = Array.from({ length: K }, (_, o) => at(r, o, o)).reduce((s, v) => s + v) / K;
        expect(Math.abs(k - trace)).toBeLessThan(1e-13 * size);
        expect(Math.abs(one.ntk[r]! - at(r, 1, 1))).toBeLessThan(1e-13 * size);
        const sum = [...mean.weights.values()].reduce((s, part) => s + part[r]!, 0);
        expect(Math.abs(k - sum)).toBeLessThan(1e-13 * size);
      });
    }
  });
});

// A kernel entry of a network of width m is its limit + O(1 / m), and spreads by s ~ 1 / sqrt(m). The mean of R networks
// lies within 5 s / sqrt(R) of its expectation except with probability 6e-7 for each of the entries that are looked at.
describe("wide random networks have the limit kernel", () => {
  const networks = 12;
  it.each([
    ["6-Wnobias-relu-1nobias", [6], [256, 1024, 4096]],
    ["6-Wnobias-relu-Wnobias-gelu-1nobias", [6], [64, 256]],
    ["6-Wnobias-tanh-residual(Wnobias-erf-Wnobias)-1nobias", [6], [64, 256]],
    ["2x4x4-convWk3samenobias-relu-convWk3nobias-relu-flatten-1nobias", [2, 4, 4], [32, 128]],
    [
      "2x4x4-convWk3samenobias-relu-convWk3samenobias-relu-globalavgpool-flatten-1nobias",
      [2, 4, 4],
      [32, 128],
    ],
    ["2x4x4-convWk3samenobias-abs-avgpool2-convWk2nobias-relu-flatten-1nobias", [2, 4, 4], [32, 128]],
  ] as const)("%s", async (form, example, widths) => {
    const x = normals(form, 3, ...example);
    const deviations: number[] = [];
    for (const width of widths) {
      const spec = form.replaceAll("W", `${width}`).replaceAll(`conv${width}`, `conv${width}`);
      const limit = await limitKernel(spec, x);
      const kernels: Float64Array[] = [];
      for (let seed = 0; seed < networks; seed++) {
        const net = initialNetwork(spec, { initialization: "ntk", seed, type: "float64" });
        kernels.push((await empiricalKernel(net, x)).ntk);
      }
      let spread = 0;
      limit.ntk.forEach((exact, n) => {
        const values = kernels.map((k) => k[n]!);
        const mean = values.reduce((s, v) => s + v) / networks;
        const deviation = Math.sqrt(values.reduce((s, v) => s + (v - mean) ** 2, 0) / (networks - 1));
        spread = Math.max(spread, deviation / limit.ntk[0]!);
        expect(Math.abs(mean - exact)).toBeLessThan(
          (6.5 * deviation) / Math.sqrt(networks) + (8 / width) * limit.ntk[0]!,
        );
      });
      deviations.push(spread);
    }
    // Four times as wide: half the spread, give or take what a deviation of 12 draws is worth.
    for (let k = 0; k + 1 < deviations.length; k++) {
      expect(deviations[k]! / deviations[k + 1]!).toBeGreaterThan(1.1);
      expect(deviations[k]! / deviations[k + 1]!).toBeLessThan(4);
    }
  });

  it("in the standard parameterization, whose kernel grows with the width", async () => {
    const x = normals("standard", 3, 6);
    const spec = "6-512nobias-relu-512nobias-relu-1nobias";
    const limit = await limitKernel(spec, x, { parameterization: "standard" });
    const total = new Float64Array(9);
    for (let seed = 0; seed < networks; seed++) {
      const net = initialNetwork(spec, { initialization: "lecun", seed, type: "float64" });
      (await empiricalKernel(net, x)).ntk.forEach((k, n) => {
        total[n]! += k / networks;
      });
    }
    total.forEach((mean, n) => {
      expect(Math.abs(mean - limit.ntk[n]!)).toBeLessThan(0.15 * limit.ntk[0]!);
    });
  });
});

// With deviations of weights and biases, in both parameterizations: drawn networks tend to the limit of the same options.
it.each([
  ["ntk", "6-W-relu-W-relu-2"],
  ["standard", "6-W-relu-W-relu-2"],
  // Scale and shift of a normalization would add a finite part in the NTK parameterization: they are not trained.
  ["ntk", "6-W-residual(layernorm-relu-W)-layernorm-sin-2"],
  ["standard", "6-W-residual(layernorm-relu-W)-layernorm-sin-2"],
] as const)("a drawn network has the limit's deviations (%s, %s)", async (parameterization, form) => {
  const [x, networks, width] = [normals("deviations", 3, 6), 10, 512];
  const options = { parameterization, wStd: 1.5, bStd: 0.7 };
  const spec = form.replaceAll("W", `${width}`);
  const limit = await limitKernel(spec, x, options);
  const drawn = Array.from({ length: networks }, (_, seed) => drawnNetwork(spec, { ...options, seed }));
  const kernels = await Promise.all(
    drawn.map(({ graph: net, scales }) => empiricalKernel(net, x, { scales })),
  );
  limit.ntk.forEach((exact, n) => {
    const values = kernels.map(({ ntk }) => ntk[n]!);
    const mean = values.reduce((s, v) => s + v) / networks;
    const deviation = Math.sqrt(values.reduce((s, v) => s + (v - mean) ** 2, 0) / (networks - 1));
    expect(Math.abs(mean - exact)).toBeLessThan(
      (6.5 * deviation) / Math.sqrt(networks) + (8 / width) * exact,
    );
  });
});

it("a factor before what is trained counts with its square, and what is not trained not at all", async () => {
  const [net, x] = [drawn("5-7-tanh-3"), normals(1, 4, 5)];
  const scales = new Map([
    ["layer1.weight", 3],
    ["layer2.bias", 0],
  ]);
  const [plain, scaled] = [
    await empiricalKernel(net, x, { perWeight: true }),
    await empiricalKernel(net, x, { perWeight: true, scales }),
  ];
  const part = (found: EmpiricalKernel, name: string, n: number): number => found.weights.get(name)![n]!;
  const norms = await tangentNorms(net, x, { scales });
  plain.ntk.forEach((k, n) => {
    const change = 8 * part(plain, "layer1.weight", n) - part(plain, "layer2.bias", n);
    expect(scaled.ntk[n]!).toBeCloseTo(k + change, 10);
    expect(part(scaled, "layer2.bias", n)).toBe(0);
  });
  for (let i = 0; i < 4; i++) {
    const own = [...norms.weights.values()].reduce(
      (s, w) => s + w[3 * i]! + w[3 * i + 1]! + w[3 * i + 2]!,
      0,
    );
    expect(own / 3).toBeCloseTo(scaled.ntk[5 * i]!, 10);
  }
});

it.each(["float16", "bfloat16"] as const)("weights in %s are the numbers that they are", async (type) => {
  const [net, x] = [drawn("5-7-tanh-3"), normals(1, 4, 5)];
  const initializers = (to: typeof type | "float64") =>
    new Map([...net.initializers].map(([name, w]) => [name, cast(cast(w as Tensor, type), to)] as const));
  const [short, long] = [
    { ...net, inputs: [{ name: "x", type: { type, shape: ["N", 5] } }], initializers: initializers(type) },
    { ...net, initializers: initializers("float64") },
  ];
  expect((await empiricalKernel(short, x)).ntk).toEqual((await empiricalKernel(long, x)).ntk);
});

it("says what it cannot do", async () => {
  const net = drawn("5-7-tanh-3");
  await expect(empiricalKernel(net, normals(1, 2, 5), { outputs: 3 })).rejects.toThrow(
    /no output 3; there are 0 to 2/,
  );
  await expect(empiricalKernel(net, normals(1, 2, 5), { wrt: ["w"] })).rejects.toThrow(/no weight "w"/);
});
