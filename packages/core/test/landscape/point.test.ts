// A point of the landscape: derivatives against differences, the estimated spectrum against the whole, known kinds.
import { describe, expect, it } from "vitest";
import { graph } from "../../src/graph/builder.ts";
import { tensor } from "../../src/graph/tensor.ts";
import {
  classifyPoint,
  covariancesOf,
  criticalWeights,
  describePoint,
  filterDirection,
  gridMinima,
  hessianSpectrum,
  linearLandscape,
  spectralDensity,
  weightObjective,
} from "../../src/landscape/index.ts";
import { doubles, matrixAlgebra } from "../../src/linear-algebra/index.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { denseNetwork } from "../../src/train/dense-network.ts";

const random = createRandom("landscape point");
const rows = (n: number, k: number, label: string) =>
  Array.from({ length: n }, (_, i) => [...random.split(`${label} ${i}`).normal(k)]);
const net = denseNetwork(
  [
    { W: rows(4, 3, "W1"), b: [0.1, -0.2, 0.3, 0] },
    { W: rows(2, 4, "W2"), b: [0, 0.5] },
  ],
  "tanh",
);
const data = { x: tensor(rows(7, 3, "x")), target: tensor(rows(7, 2, "y")) };

describe("the objective of a network", () => {
  const whole = weightObjective(net, data, { loss: "square", decay: 0.3 });

  it("has the slope and the curvature that differences show", async () => {
    const { start } = whole;
    const v = random.split("v").sphere(start.length);
    const at = (t: number) => start.map((w, k) => w + t * v[k]!);
    const h = 1e-4;
    const slope = (await whole.gradient(start)).reduce((sum, g, k) => sum + g * v[k]!, 0);
    expect(slope).toBeCloseTo(((await whole.value(at(h))) - (await whole.value(at(-h)))) / (2 * h), 6);
    const [plus, minus] = [await whole.gradient(at(h)), await whole.gradient(at(-h))];
    const product = await whole.curvature(start, v);
    product.forEach((c, k) => {
      expect(c).toBeCloseTo((plus[k]! - minus[k]!) / (2 * h), 5);
    });
  });

  it("is the same batch by batch", async () => {
    const parts = weightObjective(net, data, { loss: "square", decay: 0.3, batch: 3 });
    expect(await parts.value(parts.start)).toBeCloseTo(await whole.value(whole.start), 12);
    const [a, b] = [await parts.gradient(parts.start), await whole.gradient(whole.start)];
    expect(Math.max(...a.map((x, k) => Math.abs(x - b[k]!)))).toBeLessThan(1e-12);
  });

  it("adds half of the decay times the square of the weights", async () => {
    const plain = weightObjective(net, data, { loss: "square" });
    const square = plain.start.reduce((sum, w) => sum + w * w, 0);
    const penalty = (await whole.value(whole.start)) - (await plain.value(plain.start));
    expect(penalty).toBeCloseTo(0.15 * square, 12);
  });
});

describe("a spectrum", () => {
  const values = Array.from({ length: 400 }, (_, k) => (k < 12 ? -1 - k / 12 : (k - 12) ** 2 / 1e4));
  const product = async (v: Float64Array) => v.map((x, k) => values[k]! * x);
  const options = { random: createRandom(3), rounding: 1e-9 };

  it("is found by Lanczos as by the whole matrix", async () => {
    const all = await hessianSpectrum(product, 400, { ...options, dense: 400 });
    const some = await hessianSpectrum(product, 400, { ...options, dense: 0, probes: 8, steps: 80 });
    expect([all.method, some.method]).toEqual(["whole", "estimated"]);
    expect(all.negative).toBe(12);
    expect(some.min).toBeCloseTo(all.min, 6);
    expect(some.max).toBeCloseTo(all.max, 6);
    expect(Math.abs(some.trace - all.trace)).toBeLessThan(5 * some.traceError!);
    expect(some.negativeAtLeast).toBeLessThanOrEqual(12);
    expect(some.negativeAtLeast).toBeGreaterThan(3);
    expect(Math.abs(some.negative - 12)).toBeLessThan(10);
    expect(some.residual.max).toBeLessThan(1e-3);
  });

  it("has a density of mass 1", async () => {
    const { points } = await hessianSpectrum(product, 400, { ...options, dense: 0 });
    const density = spectralDensity(points, 2000);
    const step = density[1]![0] - density[0]![0];
    expect(density.reduce((sum, [, d]) => sum + d * step, 0)).toBeCloseTo(1, 3);
  });
});

it.each([
  [{ gradientNorm: 1, min: 1, max: 2 }, "not critical"],
  [{ gradientNorm: 0, min: 1, max: 2 }, "minimum"],
  [{ gradientNorm: 0, min: -1, max: 2 }, "strict saddle"],
  [{ gradientNorm: 0, min: 0, max: 2 }, "degenerate"],
  [{ gradientNorm: 0, min: -2, max: -1 }, "maximum"],
  [{ gradientNorm: Number.NaN, min: 1, max: 2 }, "not critical"],
] as const)("%j is %s", (facts, kind) => {
  const tolerances = { gradient: 1e-6, curvature: 1e-6 };
  expect(classifyPoint({ ...facts, residual: { min: 0, max: 0 } }, tolerances)).toBe(kind);
});

describe("directions by filter", () => {
  const neurons = (direction: Float64Array, at: (i: number, j: number) => number) =>
    [0, 1, 2, 3].map((i) => Math.hypot(...[0, 1, 2].map((j) => direction[at(i, j)]!)));

  it("are as long as each neuron, and 0 for biases", () => {
    const { graph: own, names, start } = weightObjective(net, data, { loss: "square" });
    const direction = filterDirection(own, names, createRandom(5), start);
    neurons(direction, (i, j) => 3 * i + j).forEach((norm, i) => {
      expect(norm).toBeCloseTo(Math.hypot(...start.subarray(3 * i, 3 * i + 3)), 12);
    });
    expect([...direction.subarray(12, 16)]).toEqual([0, 0, 0, 0]);
  });

  it("know neurons that are columns", () => {
    const W = tensor(rows(3, 4, "columns"));
    const product = graph({ x: { type: "float64", shape: ["N", 3] } }, ({ x }) => ({
      y: x.op("MatMul", [x.builder.weight(W, "W")]),
    }));
    const theta = Float64Array.from(W.data as Float64Array);
    const direction = filterDirection(
      product,
      [[...product.initializers.keys()][0]!],
      createRandom(5),
      theta,
    );
    const place = (i: number, j: number) => 4 * j + i;
    neurons(direction, place).forEach((norm, i) => {
      expect(norm).toBeCloseTo(neurons(theta, place)[i]!, 12);
    });
  });
});

describe("where a network stands", () => {
  it("counts the escape directions of every class of a linear network", async () => {
    const [x, y] = [rows(20, 3, "inputs"), rows(20, 3, "outputs")];
    const covariances = covariancesOf(x, y);
    const { classes, vectors } = linearLandscape(covariances, 2);
    for (const { chosen, index, nullity, risk } of classes) {
      const weights = criticalWeights(matrixAlgebra(doubles), covariances, {
        vectors: chosen.map((j) => vectors[j]!),
        gauge: [
          [1, 0],
          [0, 1],
        ],
      });
      const linear = denseNetwork(
        weights.map((W) => ({ W })),
        "linear",
      );
      const point = await describePoint(linear, { x: tensor(x), target: tensor(y) }, { loss: "square" });
      expect(point.loss).toBeCloseTo(risk, 10);
      expect(point.hessian.negative).toBe(index);
      expect(point.hessian.points.filter(([v]) => Math.abs(v) <= point.tolerances.curvature)).toHaveLength(
        nullity,
      );
      expect(point.kind).toBe(index > 0 ? "strict saddle" : "degenerate");
    }
  });

  it("draws slices whose middle is the point", async () => {
    const options = { loss: "square", slices: { points: 5, radii: [1, 0.25] } } as const;
    const { loss, slices } = await describePoint(net, data, options);
    expect(slices.map((s) => s.values[2]![2])).toEqual([loss, loss]);
    expect(slices[1]!.places).toEqual([-0.25, -0.125, 0, 0.125, 0.25]);
  });

  it("says how near a ReLU is to its switch", async () => {
    const relu = denseNetwork([{ W: [[1], [1]], b: [-1, 2] }, { W: [[1, 1]] }], "relu");
    const point = await describePoint(
      relu,
      { x: tensor([[1.25], [3]]), target: tensor([[1], [1]]) },
      { loss: "square" },
    );
    expect(point.kinkDistance).toBe(0.25);
  });

  it("counts minima of a grid", () => {
    const wave = Array.from({ length: 9 }, (_, i) =>
      Array.from({ length: 9 }, (__, j) => Math.cos(1.5 * i) + Math.cos(1.5 * j)),
    );
    expect(gridMinima(wave)).toBe(4);
  });
});
