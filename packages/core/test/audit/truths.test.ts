// What an audit says of its numbers is so: which end of a spectrum was found, on how many examples a number rests, of
// which matrix a ratio is, what a label is.
import { describe, expect, it } from "vitest";
import { auditExamples } from "../../src/audit/audit-examples.ts";
import { auditModel } from "../../src/audit/audit-model.ts";
import { oneHotClasses } from "../../src/audit/one-hot.ts";
import { writeNpz } from "../../src/data/index.ts";
import { run } from "../../src/engine/run.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { lanczos } from "../../src/linear-algebra/lanczos.ts";
import { affordableExamples } from "../../src/measures/example-budget.ts";
import { linearLayers } from "../../src/measures/linear-layers.ts";
import { measureModel } from "../../src/measures/measure-model.ts";
import { foldedNormalizations } from "../../src/measures/measured-paths.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { datasetFromFile } from "../../src/train/data/dataset-file.ts";
import { denseNetwork } from "../../src/train/dense-network.ts";

const random = createRandom("audit truths");
const of = (...dims: number[]): Tensor => tensor(random.normal(dims.reduce((p, q) => p * q)), { dims });
const classes = (values: readonly number[]): Tensor => tensor([...values], { type: "int64" });

describe("the ends of a spectrum", () => {
  const both = ["greatest", "least"] as const;

  it("are found each by itself: a greatest eigenvalue that stands out says nothing of the least", async () => {
    // One of 100, and 300 between -0.394 and 0.3: the greatest is found at once.
    const value = (k: number): number => (k === 0 ? 100 : k === 1 ? -0.394 : -0.35 + (0.65 * k) / 300);
    const product = async (v: Float64Array) => v.map((x, k) => value(k) * x);
    const only = await lanczos(product, 300, { random, tolerance: 1e-3 });
    expect(only.converged).toEqual({ greatest: true, least: false });
    expect(only.least).toBeGreaterThan(-0.394);
    const found = await lanczos(product, 300, { random, tolerance: 1e-3, ends: both });
    expect(found.converged).toEqual({ greatest: true, least: true });
    expect(found.least).toBeCloseTo(-0.394, 3);
  });

  it("are right to a few tolerances wherever they count as found, and never beyond the true ones", async () => {
    let counted = 0;
    for (let trial = 0; trial < 60; trial++) {
      const rng = random.split(`spectrum ${trial}`);
      const size = rng.integer(20, 200);
      const spectrum = rng.normal(size).map((v) => v ** 3 * 10 ** rng.integer(-1, 1));
      const [low, high] = [Math.min(...spectrum), Math.max(...spectrum)];
      const product = async (v: Float64Array) => v.map((x, k) => spectrum[k]! * x);
      const found = await lanczos(product, size, { random: rng, steps: 60, tolerance: 1e-3, ends: both });
      expect(found.greatest).toBeLessThanOrEqual(high * (1 + 1e-9));
      expect(found.least).toBeGreaterThanOrEqual(low * (1 + 1e-9));
      for (const [end, value] of [
        ["greatest", high],
        ["least", low],
      ] as const) {
        const nearest = Math.min(...spectrum.map((s) => Math.abs(s - found[end])));
        expect(nearest).toBeLessThanOrEqual(found.residual[end] * (1 + 1e-6) + 1e-12);
        if (!found.converged[end]) continue;
        counted++;
        expect(Math.abs(found[end] - value)).toBeLessThanOrEqual(5e-3 * Math.abs(value) + 1e-5);
      }
    }
    expect(counted).toBeGreaterThan(60);
  });

  it("of a Hessian do not depend on how the weights are stored", async () => {
    const [W, b, V] = [of(9, 4), of(9), of(3, 9)];
    const turned = (t: Tensor): Tensor => {
      const [m, n] = t.dims as readonly [number, number];
      const values = numbers(t);
      return tensor(
        Array.from({ length: m * n }, (_, k) => values[(k % m) * n + Math.floor(k / m)]!),
        { dims: [n, m] },
      );
    };
    const one = graph({ x: float64("N", 4) }, ({ x }) => ({
      y: x.op("Gemm", [W, b], { transB: 1 }).relu().op("Gemm", [V], { transB: 1 }),
    }));
    const other = graph({ x: float64("N", 4) }, ({ x }) => ({
      y: x.matmul(turned(W)).add(b).relu().matmul(turned(V)),
    }));
    const data = { x: of(40, 4), y: classes(Array.from({ length: 40 }, (_, k) => (k * 7) % 3)) };
    const ends = await Promise.all(
      [one, other].map(async (net) => {
        const { sharpness } = await measureModel(net, { data, sharpness: { draws: 1, ascentSteps: 1 } });
        const { hessian } = sharpness!;
        if ("reason" in hessian) throw new Error(hessian.reason);
        expect(hessian.converged).toEqual({ greatest: true, least: true });
        return [hessian.greatest, hessian.least] as const;
      }),
    );
    expect(ends[1]![0]).toBeCloseTo(ends[0]![0], 2);
    expect(ends[1]![1]).toBeCloseTo(ends[0]![1], 2);
    expect(ends[0]![1]).toBeLessThan(0);
  });
});

describe("what rests on examples", () => {
  /** Steep at the last of 400 examples only. */
  const net = graph({ x: float64("N", 2) }, ({ x }) => ({
    y: x
      .affine(
        tensor([
          [1, 0],
          [0, 1],
          [0, 30],
        ]),
        tensor([0, 0, -60]),
      )
      .relu()
      .affine(
        tensor([
          [1, 0, 0],
          [0, 1, 1],
        ]),
      ),
  }));
  const rows = Array.from({ length: 400 }, (_, k) => (k === 399 ? [1, 3] : [(k % 7) / 7, (k % 5) / 5]));
  const data = { x: tensor(rows), y: classes(rows.map((_, k) => k % 2)) };

  it("looks at all of them where that is little work, and says so", async () => {
    const m = await measureModel(net, {
      data,
      sharpnessExamples: 20,
      sharpness: { draws: 1, ascentSteps: 1 },
    });
    expect(m.lipschitzOnData).toBeCloseTo(31, 6); // both slopes of the second output at once
    expect(m.restsOn).toEqual({
      ...{ trainError: 400, trainLoss: 400, margins: 400, outputEntropy: 400, activity: 400 },
      ...{ rademacher: 400, lipschitzOnData: 400, lipschitzLower: 400, sharpness: 20 },
    });
    const named = (id: string) => m.named.find((n) => n.id === id)!;
    expect(named("fisher-rao")).toMatchObject({ strength: "checked", examples: 400 });
    expect(named("hessian")).toMatchObject({ strength: "sampled", examples: 20 });
    expect(named("grad-noise-final")).toMatchObject({ examples: 20 });
    expect(named("inverse-margin").reason ?? named("inverse-margin").examples).toBeDefined();
    expect(named("prod-of-spec")).toMatchObject({ strength: "checked", examples: 0 });
    for (const each of m.named) if (each.value !== undefined) expect(each.examples, each.id).toBeDefined();
  });

  it("draws some where all are too much, counted by work and not by a clock", async () => {
    const { layers } = await linearLayers(
      graph({ x: float64("N", 3, 64, 64) }, ({ x }) => ({
        y: x
          .op("Conv", [of(32, 3, 5, 5)])
          .relu()
          .op("GlobalAveragePool")
          .op("Flatten"),
      })),
    );
    const work = (batch: number, passes: number) =>
      affordableExamples({ batch }, layers, { examples: 60_000, passes });
    expect(work(250, 6)).toBeLessThan(60_000);
    expect(work(250, 6)).toBeGreaterThan(work(250, 30));
    expect(work(250, 1e9)).toBe(128);
    expect(work(1, 0.001)).toBe(500);
    expect(affordableExamples({ batch: 250 }, [], { examples: 60_000, passes: 6 })).toBe(60_000);
  });
});

describe("ratios and paths of convolutional networks", () => {
  const spread = tensor([0.5, 2, 1], { dims: [3] });
  const parts = { kernel: of(3, 1, 3, 3), bias: of(3), scale: of(3), shift: of(3), centre: of(3) };
  const last = of(4, 27);
  const normalized = graph({ x: float64("N", 1, 6, 6) }, ({ x }) => {
    const conv = x.op("Conv", [parts.kernel, parts.bias], { pads: [1, 1, 1, 1] });
    const statistics = [parts.scale, parts.shift, parts.centre, spread];
    const [normal] = x.builder.apply("BatchNormalization", [conv, ...statistics], { epsilon: 1e-3 });
    const pooled = normal!.relu().op("MaxPool", [], { kernel_shape: [2, 2], strides: [2, 2] });
    return { y: pooled.op("Flatten").op("Gemm", [last], { transB: 1 }) };
  });
  const factor = Array.from(
    numbers(parts.scale),
    (s, k) => s / Math.sqrt(numbers(spread)[k]! + Math.fround(1e-3)),
  );
  const byHand = graph({ x: float64("N", 1, 6, 6) }, ({ x }) => {
    const kernel = numbers(parts.kernel).map((w, k) => w * factor[Math.floor(k / 9)]!);
    const bias = numbers(parts.bias).map(
      (b, k) => (b - numbers(parts.centre)[k]!) * factor[k]! + numbers(parts.shift)[k]!,
    );
    const conv = x.op("Conv", [tensor(kernel, { dims: [3, 1, 3, 3] }), tensor(bias)], { pads: [1, 1, 1, 1] });
    const pooled = conv.relu().op("MaxPool", [], { kernel_shape: [2, 2], strides: [2, 2] });
    return { y: pooled.op("Flatten").op("Gemm", [last], { transB: 1 }) };
  });

  it("stable ranks are of one matrix: none is below 1, and their sum is that of the layers", async () => {
    // A kernel of ones on a large image: its operator stretches by nearly 9, its own Frobenius norm is 3.
    const ones = graph({ x: float64("N", 1, 12, 12) }, ({ x }) => ({
      y: x
        .op("Conv", [tensor(new Float64Array(9).fill(1), { dims: [1, 1, 3, 3] })], { pads: [1, 1, 1, 1] })
        .relu()
        .op("Flatten")
        .op("Gemm", [of(2, 144)], { transB: 1 }),
    }));
    for (const net of [ones, normalized]) {
      const { layers, named } = await measureModel(net);
      for (const { name, stableRank } of layers) expect(stableRank, name).toBeGreaterThanOrEqual(1 - 1e-9);
      const sum = named.find((m) => m.id === "fro-over-spec")!;
      expect(sum.value).toBeCloseTo(
        layers.reduce((s, l) => s + l.stableRank, 0),
        9,
      );
    }
  });

  it("path norms are those of the function, whether its file folds the normalization or not", async () => {
    const x = of(5, 1, 6, 6);
    const [a, b] = [await run(normalized, { x }), await run(byHand, { x })];
    numbers(a.y!).forEach((v, k) => {
      expect(v).toBeCloseTo(numbers(b.y!)[k]!, 9);
    });
    const [left, right] = [await measureModel(normalized), await measureModel(byHand)];
    expect(left.pathNorm1).toBeCloseTo(right.pathNorm1!, 8);
    expect(left.pathNorm2).toBeCloseTo(right.pathNorm2!, 8);
    expect(left.pathConvention).toMatch(/folded.*pooling window/);
  });

  it("a matrix, a row added and a normalization fold too, and the function stays", async () => {
    const statistics = [of(5), of(5), of(5), tensor([0.5, 1, 2, 3, 4])];
    const net = (withBias: boolean): Graph =>
      graph({ x: float64("N", 3) }, ({ x }) => {
        const product = x.matmul(of(3, 5));
        const sum = withBias ? product.add(of(5)) : product;
        const [normal] = x.builder.apply("BatchNormalization", [sum, ...statistics]);
        return { y: normal!.relu().matmul(of(5, 2)) };
      });
    for (const each of [net(true), net(false)]) {
      const folded = foldedNormalizations(each);
      expect(folded.nodes.some((n) => n.op === "BatchNormalization")).toBe(false);
      const x = of(4, 3);
      const [a, b] = [await run(each, { x }), await run(folded, { x })];
      numbers(a.y!).forEach((v, k) => {
        expect(v).toBeCloseTo(numbers(b.y!)[k]!, 9);
      });
    }
  });
});

describe("one-hot labels", () => {
  const net = denseNetwork(
    [
      {
        W: [
          [1, 0],
          [0, 1],
          [1, 1],
        ],
      },
    ],
    "linear",
  );
  const x = Array.from({ length: 12 }, (_, k) => [k % 3, (k * 5) % 4]);
  const hot = (type: "float64" | "int64", width = 3) =>
    tensor(
      x.map((_, k) => Array.from({ length: width }, (__, j) => (j === k % width ? 1 : 0))),
      { type },
    );
  const file = (y: Tensor, test = y) => writeNpz({ x: tensor(x), y, x_test: tensor(x), y_test: test });
  const load = (bytes: Uint8Array, task?: "classification" | "regression") =>
    auditExamples(
      net,
      {
        data: { isNamed: false, load: (options) => datasetFromFile(bytes, "data.npz", options) },
        test: { isNamed: false, load: (options) => datasetFromFile(bytes, "test.npz", options) },
      },
      { seed: 0, task },
    );

  it.each(["float64", "int64"] as const)(
    "of %s are classes, and the audit says how they were read",
    async (type) => {
      for (const task of [undefined, "classification"] as const) {
        const { data, test, dataRemark } = load(file(hot(type)), task);
        expect([data.y.type, test!.y.type]).toEqual(["int64", "int64"]);
        expect(Array.from(numbers(data.y))).toEqual(x.map((_, k) => k % 3));
        expect(dataRemark).toContain("one-hot, read as classes");
      }
    },
  );

  it("stay numbers where that is asked for, and that is said too", async () => {
    const examples = load(file(hot("float64")), "regression");
    expect(examples.data.y.dims).toEqual([12, 3]);
    const { data } = await auditModel(net, { ...examples, pacBayes: false, sharpnessExamples: 0 });
    expect(data).toMatchObject({ task: "regression", remark: "targets are one-hot, read as numbers" });
  });

  it("are not seen in what only looks like them", () => {
    expect(
      oneHotClasses(
        tensor([
          [1, 0],
          [1, 1],
        ]),
      ),
    ).toBeUndefined();
    expect(
      oneHotClasses(
        tensor([
          [0, 0],
          [0, 1],
        ]),
      ),
    ).toBeUndefined();
    expect(
      oneHotClasses(
        tensor([
          [0.5, 0.5],
          [0, 1],
        ]),
      ),
    ).toBeUndefined();
    expect(oneHotClasses(tensor([0, 1]))).toBeUndefined();
    const soft = tensor(x.map((_, k) => [0.2, 0.3 + k / 100, 0.5]));
    expect(load(file(soft)).dataRemark).toBeUndefined();
    expect(load(file(soft)).data.y.dims).toEqual([12, 3]);
  });
});
