import { describe, expect, it } from "vitest";
import { varianceReport } from "../../src/dynamics/index.ts";
import { run } from "../../src/engine/index.ts";
import { type Graph, numbers, type Tensor, tensor } from "../../src/graph/index.ts";
import {
  type Initialization,
  initializationNames,
  initialNetwork,
  TrainError,
  trainableWeights,
} from "../../src/train/index.ts";

const weight = (network: Graph, name: string) =>
  Float64Array.from(numbers(network.initializers.get(name) as Tensor));

/** Five standard errors: a right law leaves them about once in a million draws, and the seed is fixed. */
const sigmas = 5;

describe("variances at initialization", () => {
  const [d, m, k] = [200, 300, 20];
  // Weight variances of the two layers of d-m-k, by hand.
  const theory: Record<Exclude<Initialization, `${string}(${string}`>, readonly [number, number]> = {
    lecun: [1 / d, 1 / m],
    "glorot-normal": [2 / (d + m), 2 / (m + k)],
    "glorot-uniform": [2 / (d + m), 2 / (m + k)],
    "he-normal": [2 / d, 2 / m],
    "he-uniform": [2 / d, 2 / m],
    pytorch: [1 / (3 * d), 1 / (3 * m)],
    ntk: [1, 1],
    "mean-field": [1 / d, 1],
    "t11-theory": [1 / d, 1 / m],
    "t11-chapter": [1, 1],
  };

  it.each(initializationNames)("%s", (initialization) => {
    const network = initialNetwork(`${d}-${m}-relu-${k}`, { initialization, seed: 1 });
    for (const layer of [1, 2] as const) {
      const values = weight(network, `layer${layer}.weight`);
      const expected = theory[initialization][layer - 1]!;
      const n = values.length;
      const [mean, square] = [1, 2].map((p) => values.reduce((sum, v) => sum + v ** p, 0) / n);
      // The kurtosis of these laws is at most 3 (normal): var(w^2) <= 2 variance^2.
      expect(Math.abs(square! - expected)).toBeLessThan(sigmas * expected * Math.sqrt(2 / n));
      expect(Math.abs(mean!)).toBeLessThan(sigmas * Math.sqrt(expected / n));
    }
  });

  it("of uniform weights stay in their bounds and reach out to them", () => {
    const values = weight(initialNetwork("100-50", { initialization: "pytorch", seed: 3 }), "layer1.weight");
    const greatest = values.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
    expect(greatest).toBeLessThanOrEqual(Math.fround(0.1));
    expect(greatest).toBeGreaterThan(0.0999); // fails with probability 0.999^5000 = 0.7 %; the seed is fixed
  });

  it("of a convolution count its window", () => {
    const [row] = varianceReport("8x9x9-conv64k3g2-relu-flatten-2", {
      initialization: "glorot-normal",
      seed: 4,
    });
    expect(row!.theory).toBeCloseTo(2 / (4 * 9 + 32 * 9), 15);
    expect(Math.abs(row!.measured - row!.theory)).toBeLessThan(sigmas * row!.standardError);
  });

  it("are reported with their standard error", () => {
    const rows = varianceReport("64-128-relu-32", { initialization: "pytorch", seed: 5 });
    expect(rows.map(({ name, count }) => [name, count])).toEqual([
      ["layer1.weight", 64 * 128],
      ["layer1.bias", 128],
      ["layer2.weight", 128 * 32],
      ["layer2.bias", 32],
    ]);
    const [first, second] = [1 / (3 * 64), 1 / (3 * 128)]; // uniform on +-1/sqrt(fan-in), biases too
    expect(rows.map(({ theory }) => theory)).toEqual([first, first, second, second]);
    for (const { measured, theory, standardError, count } of rows) {
      expect(standardError).toBeCloseTo(theory * Math.sqrt(0.8 / count), 15); // uniform: E x^4 = 9/5 (E x^2)^2
      expect(Math.abs(measured - theory)).toBeLessThan(sigmas * standardError);
      expect(measured).not.toBe(theory);
    }
  });

  it("of biases are zero, except in PyTorch's default", () => {
    for (const initialization of initializationNames) {
      const biases = weight(initialNetwork("3-4-relu-2", { initialization, seed: 1 }), "layer1.bias");
      expect(biases.every((b) => b === 0)).toBe(initialization !== "pytorch");
    }
  });
});

describe("random streams", () => {
  it("belong to their layers: one more layer changes no other", () => {
    const short = initialNetwork("5-6-relu-6-relu-2", { seed: 7 });
    const long = initialNetwork("5-6-relu-6-relu-2-relu-9", { seed: 7 });
    for (const [name, values] of short.initializers) expect(long.initializers.get(name)).toEqual(values);
  });

  it("differ between layers and seeds, and repeat", () => {
    const [a, b, c] = [7, 7, 8].map((seed) => initialNetwork("6-6-relu-6", { seed }));
    expect(weight(a!, "layer1.weight")).toEqual(weight(b!, "layer1.weight"));
    expect(weight(a!, "layer1.weight")).not.toEqual(weight(c!, "layer1.weight"));
    expect(weight(a!, "layer1.weight")).not.toEqual(weight(a!, "layer2.weight"));
  });

  it("give both element types the same network", () => {
    const [single, double] = (["float32", "float64"] as const).map((type) =>
      weight(initialNetwork("4-5-relu-2", { seed: 1, type }), "layer1.weight"),
    );
    expect(double!.map(Math.fround)).toEqual(single);
  });
});

describe("factors outside of the weights", () => {
  it.each([
    ["ntk", "40-90-tanh-3", { layer1: 1 / Math.sqrt(40), layer2: 1 / Math.sqrt(90) }],
    ["ntk", "2x5x5-conv4k3-relu-flatten-3", { layer1: 1 / Math.sqrt(18), layer2: 1 / Math.sqrt(36) }],
    ["mean-field", "40-90-tanh-3", { layer2: 1 / 90 }],
    ["t11-chapter(0.5)", "40-90-tanh-3", { layer2: 0.5 / Math.sqrt(90) }],
    ["he-normal", "40-90-tanh-3", {}],
  ] as const)("%s of %s", (initialization, spec, expected) => {
    const { initializers, nodes } = initialNetwork(spec, { initialization });
    const factors = [...initializers].filter(([name]) => name.endsWith(".factor"));
    expect(
      Object.fromEntries(factors.map(([name, v]) => [name.split(".")[0], numbers(v as Tensor)[0]])),
    ).toEqual(Object.fromEntries(Object.entries(expected).map(([name, v]) => [name, Math.fround(v)])));
    expect(nodes.filter(({ op }) => op === "Mul").length).toBe(factors.length);
  });

  it("are not trained, and biases are, even a single one", () => {
    for (const initialization of ["ntk", "mean-field", "t11-chapter"] as const)
      expect(trainableWeights(initialNetwork("2-3-relu-1", { initialization }))).toEqual([
        "layer1.weight",
        "layer1.bias",
        "layer2.weight",
        "layer2.bias",
      ]);
  });

  it("NTK computes what LeCun computes: the same draws, the factor moved", async () => {
    for (const spec of ["7-50-relu-50-relu-3", "2x6x6-conv5k3-relu-flatten-4"]) {
      const dims = spec.startsWith("7") ? [4, 7] : [4, 2, 6, 6];
      const count = dims.reduce((n, each) => n * each, 1);
      const x = tensor(
        Array.from({ length: count }, (_, k) => Math.cos(k)),
        { dims, type: "float32" },
      );
      const [a, b] = await Promise.all(
        (["ntk", "lecun"] as const).map(async (initialization) =>
          numbers((await run(initialNetwork(spec, { initialization, seed: 3 }), { x }))["y"]!),
        ),
      );
      for (const [k, value] of a!.entries()) expect(value).toBeCloseTo(b![k]!, 5);
    }
  });
});

describe("a bias next to a factor", () => {
  it.each(["3-2", "1x2x2-conv2k2-flatten"])("is not multiplied: %s", async (spec) => {
    const network = initialNetwork(spec, { initialization: "ntk" });
    const bias = tensor([5, 7], { type: "float32" });
    const shifted = { ...network, initializers: new Map(network.initializers).set("layer1.bias", bias) };
    const x = spec.startsWith("3")
      ? tensor([[0, 0, 0]], { type: "float32" })
      : tensor([0, 0, 0, 0], { type: "float32", dims: [1, 1, 2, 2] });
    expect([...numbers((await run(shifted, { x }))["y"]!)]).toEqual([5, 7]);
  });
});

describe("T-11", () => {
  // f(x) = rho / sqrt(m) sum_j a_j relu(<v_j, x>) at a unit x: E f^2 = rho^2 / 2, and
  // E f^4 = rho^4 (3/4 + 3/4 / m), by E relu(g)^2 = 1/2 and E relu(g)^4 = 3/2.
  it("chapter: the output at a unit vector has the variance rho^2 / 2", async () => {
    const [rho, m, seeds] = [2, 64, 600];
    const x = [0.6, -0.8] as const;
    const network = (seed: number) =>
      initialNetwork(`2-${m}nobias-relu-1nobias`, {
        initialization: `t11-chapter(${rho})`,
        seed,
        type: "float64",
      });
    const output = (net: Graph): number => {
      const [v, a] = [weight(net, "layer1.weight"), weight(net, "layer2.weight")];
      const sum = a.reduce((s, w, j) => s + w * Math.max(0, v[j]! * x[0] + v[m + j]! * x[1]), 0);
      return (rho / Math.sqrt(m)) * sum;
    };
    const { y } = await run(network(0), { x: tensor([x]) });
    expect(output(network(0))).toBeCloseTo(numbers(y!)[0]!, 12);
    const squares = Array.from({ length: seeds }, (_, seed) => output(network(seed)) ** 2);
    const measured = squares.reduce((sum, s) => sum + s, 0) / seeds;
    const deviation = rho ** 2 * Math.sqrt((3 / 4 + 3 / 4 / m - 1 / 4) / seeds);
    expect(Math.abs(measured - rho ** 2 / 2)).toBeLessThan(4 * deviation);
  });

  it("theory: output weights are +-1/sqrt(m), both signs", () => {
    const values = weight(
      initialNetwork("3-16-relu-8", { initialization: "t11-theory", seed: 1 }),
      "layer2.weight",
    );
    expect(new Set(values)).toEqual(new Set([-0.25, 0.25]));
  });

  it("chapter: for two layers only, with a positive rho", () => {
    const build = (initialization: string, spec = "2-3-relu-1") =>
      initialNetwork(spec, { initialization: initialization as Initialization });
    expect(() => build("t11-chapter", "2-3-relu-3-relu-1")).toThrow(/two layers of weights.*has 3/);
    expect(() => build("t11-chapter(0)")).toThrow(/rho is a finite number above 0/);
    expect(() => build("lecun(2)")).toThrow(/no parameter/);
    expect(() => build("xavier")).toThrow(TrainError);
    expect(() => build("xavier")).toThrow(/there are lecun, glorot-normal/);
  });
});
