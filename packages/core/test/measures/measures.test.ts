import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { finiteRademacher } from "../../src/generalization/bounds/rademacher.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { lanczos } from "../../src/linear-algebra/lanczos.ts";
import { symmetricEigen } from "../../src/linear-algebra/symmetric-eigen.ts";
import { auditedModel } from "../../src/measures/audited-model.ts";
import { layerMeasures } from "../../src/measures/layer-measures.ts";
import { linearLayers } from "../../src/measures/linear-layers.ts";
import { type ModelMeasures, measureModel } from "../../src/measures/measure-model.ts";
import { layerMap } from "../../src/measures/operator-norm.ts";
import { fitOf, marginSummary, marginsOf } from "../../src/measures/predictions.ts";
import { linearRademacher, sparseRademacher } from "../../src/measures/rademacher.ts";
import { toeplitzNorms } from "../../src/measures/toeplitz.ts";
import { type WeightRisk, weightRisk } from "../../src/measures/weight-risk.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { denseNetwork } from "../../src/train/dense-network.ts";

const random = createRandom("measures");
const matrix = (rows: number, columns: number): number[][] =>
  Array.from({ length: rows }, () => Array.from(random.normal(columns)));
const classes = (values: readonly number[]): Tensor => tensor([...values], { type: "int64" });

/** x -> V relu(W x + b). */
const tiny = (W: number[][], V: number[][], b?: number[]): Graph =>
  denseNetwork([b ? { W, b } : { W }, { W: V }], "relu");

/** The model's own answers as labels: the training error is 0. */
async function ownLabels(net: Graph, x: Tensor, outputs: number): Promise<Tensor> {
  const scores = numbers(Object.values(await run(net, { [net.inputs[0]!.name]: x }))[0]!);
  return classes(
    Array.from({ length: x.dims[0]! }, (_, n) => {
      const row = Array.from(scores.subarray(n * outputs, (n + 1) * outputs));
      return row.indexOf(Math.max(...row));
    }),
  );
}

const namedValue = (m: ModelMeasures, id: string): number | undefined =>
  m.named.find((each) => each.id === id)!.value;

describe("the risk as a function of the weights", () => {
  const x = tensor(random.normal(24), { dims: [8, 3] });
  const y = classes([0, 1, 2, 0, 1, 2, 1, 1]);
  const net = tiny(matrix(4, 3), matrix(3, 4), Array.from(random.normal(4)));
  const risk = (): Promise<WeightRisk> => auditedModel(net).then((model) => weightRisk(model, { x, y }));

  it("has gradients and Hessians as by finite differences, and their greatest eigenvalue", async () => {
    const r = await risk();
    const n = r.start.length;
    const h = 1e-5;
    const shifted = (k: number, by: number): Float64Array => r.start.map((w, i) => (i === k ? w + by : w));
    const slope = await r.gradient(r.start);
    const rows: number[][] = [];
    for (let k = 0; k < n; k++) {
      const [up, down] = [await r.at(shifted(k, h)), await r.at(shifted(k, -h))];
      expect(slope[k]).toBeCloseTo((up.loss - down.loss) / (2 * h), 6);
      const [right, left] = [await r.gradient(shifted(k, h)), await r.gradient(shifted(k, -h))];
      rows.push(Array.from(right, (g, i) => (g - left[i]!) / (2 * h)));
    }
    const hessian = rows.map((row, i) => row.map((v, j) => (v + rows[j]![i]!) / 2));
    const found = await lanczos((v) => r.curvature(v), n, { random });
    const expected = symmetricEigen(hessian).values;
    expect(found.greatest).toBeCloseTo(expected.at(-1)!, 4);
    expect(found.least).toBeCloseTo(expected[0]!, 4);
  });

  it("has slopes along the weights themselves, example by example", async () => {
    const r = await risk();
    const slopes = await r.radialSlopes();
    const model = await auditedModel(net);
    const h = 1e-5;
    for (let n = 0; n < 8; n++) {
      const one = weightRisk(model, {
        x: tensor(numbers(x).subarray(3 * n, 3 * n + 3), { dims: [1, 3] }),
        y: classes([Number(numbers(y)[n])]),
      });
      const at = async (t: number): Promise<number> => (await one.at(r.start.map((w) => t * w))).loss;
      expect(slopes[n]).toBeCloseTo(((await at(1 + h)) - (await at(1 - h))) / (2 * h), 6);
    }
  });
});

describe("margins", () => {
  it("of several scores and of one, by hand", () => {
    expect([...marginsOf(Float64Array.of(1, 3, 2, 0, 5, 1), 3, [1, 0])]).toEqual([1, -5]);
    expect([...marginsOf(Float64Array.of(2, -3), 1, [0, 0])]).toEqual([-2, 3]);
    const { min, q10, median } = marginSummary(Float64Array.from({ length: 20 }, (_, k) => 20 - k));
    expect([min, q10, median]).toEqual([1, 2, 10]);
  });
});

describe("Rademacher complexities", () => {
  it("over all signs: one function 0, all patterns 1/2, one example its norm", () => {
    expect(finiteRademacher([[1, 2, 3]], { random }).plain).toBeCloseTo(0, 12);
    const patterns = Array.from({ length: 16 }, (_, k) => [0, 1, 2, 3].map((i) => (k >> i) & 1));
    expect(finiteRademacher(patterns).plain).toBe(0.5);
    expect(linearRademacher({ examples: 1, width: 2, rows: [3, 4] }, 2, { random }).value).toBeCloseTo(
      10,
      12,
    );
    expect(sparseRademacher({ examples: 1, width: 2, rows: [3, 4] }, 2, { random }).value).toBe(8);
  });

  it("drawn signs agree with all signs, and the closed forms are above", () => {
    for (let trial = 0; trial < 20; trial++) {
      const [examples, width] = [random.integer(1, 10), random.integer(1, 6)];
      const rows = random.normal(examples * width);
      for (const rademacher of [linearRademacher, sparseRademacher]) {
        const exact = rademacher({ examples, width, rows }, 1, { random });
        expect(exact.value).toBeLessThanOrEqual(exact.upper * (1 + 1e-12));
      }
      // Examples of zeros beyond the limit of enumeration change the mean of the sup only by the factor n.
      const padded = { examples: 20, width, rows: [...rows, ...new Float64Array((20 - examples) * width)] };
      const drawn = linearRademacher(padded, 20 / examples, { random, draws: 4000 });
      const exact = linearRademacher({ examples, width, rows }, 1, { random });
      expect(Math.abs(drawn.value - exact.value)).toBeLessThanOrEqual(6 * drawn.standardError + 1e-12);
      const list = Array.from({ length: width }, (_, f) => rows.slice(f * examples, (f + 1) * examples));
      const longer = list.map((g) => [
        ...g.map((v) => (20 * v) / examples),
        ...new Float64Array(20 - examples),
      ]);
      const many = finiteRademacher(longer, { random: random.split(`signs ${trial}`), draws: 4000 });
      const few = finiteRademacher(list);
      expect(Math.abs(many.plain - few.plain)).toBeLessThanOrEqual(6 * many.standardError + 1e-12);
      expect(many.absolute).toBeGreaterThanOrEqual(many.plain);
    }
  });
});

describe("convolutions as matrices", () => {
  it("have the norms of what is written out", async () => {
    const weight = tensor(random.normal(2 * 2 * 9), { dims: [2, 2, 3, 3] });
    const net = graph({ x: float64(1, 2, 5, 6) }, ({ x }) => ({
      y: x.op("Conv", [weight], { kernel_shape: [3, 3], pads: [1, 0, 2, 1], strides: [2, 1] }),
    }));
    const [layer] = (await linearLayers(net)).layers;
    const map = layerMap(layer!);
    const rowSquares = new Float64Array(map.outputs);
    for (let j = 0; j < map.inputs; j++) {
      const unit = new Float64Array(map.inputs);
      unit[j] = 1;
      (await map.apply(unit)).forEach((v, k) => {
        rowSquares[k]! += v * v;
      });
    }
    const { frobenius, norm21 } = toeplitzNorms(layer!);
    expect(frobenius).toBeCloseTo(Math.sqrt(rowSquares.reduce((s, v) => s + v, 0)), 10);
    expect(norm21).toBeCloseTo(
      rowSquares.reduce((s, v) => s + Math.sqrt(v), 0),
      10,
    );
  });
});

describe("measureModel", () => {
  const [W, V] = [matrix(5, 3), matrix(2, 5)];
  const x = tensor(random.normal(180), { dims: [60, 3] });

  it("gives the numbers that one computes by hand", async () => {
    const net = tiny(
      [
        [3, 0],
        [0, 4],
      ],
      [
        [1, 0],
        [0, 2],
      ],
    );
    // Scores (3 x_1+, 8 x_2+): margins 3 - 8 = -5 as class 0, 8 - 3 as class 1, 6 - 8 as class 0.
    const data = {
      x: tensor([
        [1, 1],
        [1, 1],
        [2, 1],
      ]),
      y: classes([0, 1, 0]),
    };
    const m = await measureModel(net, { data, test: data, initial: net, sharpnessExamples: 0 });
    expect(m.parameters).toBe(8);
    m.spectralNorms.forEach((s, k) => {
      expect(s).toBeCloseTo([4, 2][k]!, 10);
    });
    expect(m.frobeniusNorms).toEqual([5, Math.sqrt(5)]);
    expect(m.layers[0]!.norm21).toBe(7);
    expect(m.spectralProduct).toBeCloseTo(8, 9);
    expect(m.pathNorm1).toBe(11);
    expect(m.pathNorm2).toBeCloseTo(Math.sqrt(9 + 64), 12);
    expect(m.lipschitzUpper).toBeGreaterThanOrEqual(8);
    expect(m.lipschitzLower).toBeCloseTo(8, 6);
    expect(Array.from(m.margins!.sorted)).toEqual([-5, -2, 5]);
    expect([m.trainError, m.testError]).toEqual([2 / 3, 2 / 3]);
    expect(m.distanceFromInitial).toBe(0);
    expect(namedValue(m, "param-norm")).toBeCloseTo(30, 12);
    expect(namedValue(m, "prod-of-spec")).toBeCloseTo(64, 8);
    expect(namedValue(m, "sum-of-spec")).toBeCloseTo(16, 8);
    expect(namedValue(m, "prod-of-fro")).toBeCloseTo(125, 8);
    expect(namedValue(m, "fro-over-spec")).toBeCloseTo(25 / 16 + 5 / 4, 8);
    expect(namedValue(m, "fro-dist")).toBe(0);
    expect(m.named.find((n) => n.id === "inverse-margin")!.reason).toMatch(/-5.*not positive/);
    expect(m.activity[0]).toMatchObject({ units: 2, dead: 0, active: 1 });
  });

  it("has a value or a reason for each of the named measures, and each only once", async () => {
    const net = tiny(W, V, Array.from(random.normal(5)));
    const data = { x, y: await ownLabels(net, x, 2) };
    for (const options of [
      {},
      { data },
      { data, initial: tiny(matrix(5, 3), matrix(2, 5), [0, 0, 0, 0, 0]) },
    ]) {
      const { named, trainError } = await measureModel(net, { ...options, sharpness: { draws: 2 } });
      expect(new Set(named.map((m) => m.id)).size).toBe(named.length);
      expect(named.length).toBeGreaterThanOrEqual(34);
      for (const m of named) {
        expect((m.value === undefined) !== (m.reason === undefined), m.id).toBe(true);
        if (m.value !== undefined) expect(m.value, m.id).toSatisfy(Number.isFinite);
      }
      expect(trainError).toBe("data" in options ? 0 : undefined);
      const without = named.filter((m) => m.reason !== undefined && !/history/.test(m.reason));
      if ("initial" in options) expect(without.map((m) => `${m.id}: ${m.reason}`)).toEqual([]);
    }
  });

  it("path norms and measures of the function do not change when units are rescaled; norms of weights do", async () => {
    const scales = [1 / 8, 4, 2, 1 / 2, 16]; // powers of 2: no rounding
    const net = tiny(W, V);
    const scaled = tiny(
      W.map((row, i) => row.map((w) => w * scales[i]!)),
      V.map((row) => row.map((w, i) => w / scales[i]!)),
    );
    const data = { x, y: await ownLabels(net, x, 2) };
    const [a, b] = [
      await measureModel(net, { data, sharpness: { draws: 2 } }),
      await measureModel(scaled, { data, sharpness: { draws: 2 } }),
    ];
    for (const name of ["pathNorm1", "pathNorm2", "trainError", "trainLoss", "lipschitzLower"] as const)
      expect(b[name], name).toBeCloseTo(a[name]!, 9);
    for (const id of ["path-norm-over-margin", "inverse-margin", "fisher-rao", "neg-entropy"])
      expect(namedValue(b, id), id).toBeCloseTo(namedValue(a, id)!, 6);
    expect(b.margins!.sorted).toEqual(a.margins!.sorted);
    for (const id of ["l2", "prod-of-fro", "hessian"])
      expect(Math.abs(namedValue(b, id)! - namedValue(a, id)!), id).toBeGreaterThan(0.01);
  });

  it("the slope found is below the bound, and equal to the norm of a linear network", async () => {
    for (let trial = 0; trial < 5; trial++) {
      const { lipschitzLower, lipschitzUpper } = await measureModel(tiny(matrix(6, 4), matrix(3, 6)));
      expect(lipschitzLower!).toBeLessThanOrEqual(lipschitzUpper!);
    }
    const A = matrix(2, 3);
    const { lipschitzLower, spectralNorms } = await measureModel(denseNetwork([{ W: A }], "linear"));
    expect(lipschitzLower).toBeCloseTo(spectralNorms[0]!, 6);
  });

  it("scores before a softmax are judged", async () => {
    const net = graph({ x: float64("N", 2) }, ({ x: input }) => ({
      p: input
        .matmul([
          [2, 0],
          [0, 2],
        ])
        .op("Softmax", [], { axis: 1 }),
    }));
    const m = await measureModel(net, {
      data: { x: tensor([[1, 0]]), y: classes([0]) },
      sharpnessExamples: 0,
    });
    expect(m.without).toBe("Softmax");
    expect(m.margins!.min).toBe(2);
  });

  it("numbers as targets", async () => {
    const net = denseNetwork([{ W: [[1, 1]] }], "linear");
    const data = {
      x: tensor([
        [1, 2],
        [0, 1],
      ]),
      y: tensor([[2], [1]]),
    };
    const m = await measureModel(net, { data, sharpness: { draws: 2 } });
    expect(m.task).toBe("regression");
    expect(m.trainError).toBe(0.5);
    expect(m.margins).toBeUndefined();
    // The Hessian of the mean of (w_1 x_1 + w_2 x_2 - y)^2 is (2/2) sum x x^T = [[1, 2], [2, 5]].
    expect(namedValue(m, "hessian")).toBeCloseTo(3 + Math.sqrt(8), 6);
  });

  it("is the same for the same seed, stops when told, and says what does not fit", async () => {
    const net = tiny(W, V);
    const data = { x, y: await ownLabels(net, x, 2) };
    const [a, b] = [await measureModel(net, { data, seed: 3 }), await measureModel(net, { data, seed: 3 })];
    expect(b).toEqual(a);
    await expect(measureModel(net, { data, signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
    const bad = { x, y: classes(new Array(60).fill(7)) };
    await expect(measureModel(net, { data: bad })).rejects.toThrow("class 7 of example 1");
    const narrow = { x: tensor([[1, 2]]), y: classes([0]) };
    await expect(measureModel(net, { data: narrow })).rejects.toThrow(/shape \[2\].*reads \[3\]/);
  });
});

describe("a convolutional network with normalization and a skip", () => {
  it("has its normalization in its layers, and a bound above every slope", async () => {
    const of = (...dims: number[]): Tensor => tensor(random.normal(dims.reduce((p, q) => p * q)), { dims });
    const spread = tensor([0.5, 2, 1], { dims: [3] });
    const net = graph({ x: float64("N", 1, 6, 6) }, ({ x }) => {
      const conv = x.op("Conv", [of(3, 1, 3, 3)], { pads: [1, 1, 1, 1] });
      const [normal] = x.builder.apply("BatchNormalization", [conv, of(3), of(3), of(3), spread]);
      const inner = normal!.relu().op("Conv", [of(3, 3, 3, 3)], { pads: [1, 1, 1, 1] });
      return {
        y: inner
          .add(normal!)
          .relu()
          .op("MaxPool", [], { kernel_shape: [2, 2], strides: [2, 2] })
          .op("Flatten")
          .op("Gemm", [of(4, 27)], { transB: 1 }),
      };
    });
    const x = tensor(random.normal(20 * 36), { dims: [20, 1, 6, 6] });
    const m = await measureModel(net, {
      data: { x, y: await ownLabels(net, x, 4) },
      sharpness: { draws: 1 },
    });
    expect(m.layers.map((l) => l.kind)).toEqual(["convolution", "convolution", "dense"]);
    expect(m.reasons).toEqual({ distanceFromInitial: "the initial weights are not given" });
    expect(m.lipschitzLower!).toBeLessThanOrEqual(m.lipschitzUpper!);
    expect(m.sharpness!.hessian).toHaveProperty("greatest");
    expect(m.trainError).toBe(0);
  });
});

describe("layers and fits by hand", () => {
  it("weights beyond the squares of doubles are measured as others are", async () => {
    const W = matrix(4, 3);
    const measured = async (power: number) => {
      const net = tiny(
        W.map((row) => row.map((w) => w * 2 ** power)),
        matrix(2, 4),
      );
      const { layers } = await linearLayers((await auditedModel(net)).graph);
      return layerMeasures(layers[0]!, { random: createRandom("norms") });
    };
    const usual = await measured(0);
    expect(usual.frobenius).toBeCloseTo(Math.hypot(...W.flat()), 12);
    for (const power of [600, -600]) {
      const far = await measured(power);
      for (const key of ["frobenius", "norm21", "normInfinity"] as const)
        expect(far[key] * 2 ** -power).toBeCloseTo(usual[key], 9);
      expect(far.spectral.value * 2 ** -power).toBeCloseTo(usual.spectral.value, 9);
      expect(far.stableRank).toBeCloseTo(usual.stableRank, 9);
    }
  });

  it("one score is a logistic one, two are classes", () => {
    const one = fitOf({ examples: 2, scores: Float64Array.of(2, -1), activity: [] }, 1, classes([1, 1]));
    expect(one.error).toBe(1 / 2);
    expect(one.loss).toBeCloseTo((Math.log1p(Math.exp(-2)) + Math.log1p(Math.exp(1))) / 2, 12);
    const two = fitOf({ examples: 2, scores: Float64Array.of(0, 2, 3, 2), activity: [] }, 2, classes([1, 1]));
    expect(two.error).toBe(1 / 2);
    expect(two.loss).toBeCloseTo(one.loss, 12);
    expect(two.entropy).toBeCloseTo(one.entropy!, 12);
  });

  it("units that are never positive are dead, whatever the others do", async () => {
    const net = tiny(
      [
        [1, 0],
        [-1, -1],
        [0, 1],
        [-2, 0],
      ],
      matrix(2, 4),
    );
    const x = tensor([
      [1, 2],
      [3, 0],
    ]);
    const { activity } = await measureModel(net, { data: { x, y: classes([0, 1]) } });
    expect(activity[0]).toMatchObject({ units: 4, dead: 1 / 2, active: 3 / 8, mean: 6 / 8 });
  });
});
