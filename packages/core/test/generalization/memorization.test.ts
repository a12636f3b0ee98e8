import { describe, expect, it } from "vitest";
import { coinMemory } from "../../src/generalization/memorization/coin-memory.ts";
import {
  bernsteinDeviation,
  bernsteinRoot,
  corruptLabels,
  empiricalBernstein,
  farModel,
  hoeffdingDeviation,
  matrixProductOf,
  memorize,
  memorizeLabels,
  memorizer,
  normForCoinThrows,
  rowBasis,
} from "../../src/generalization/memorization/index.ts";
import { finiteCovering } from "../../src/generalization/tiny-class.ts";
import { tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";

const random = createRandom("memorization");
const matrix = (rows: number, columns: number) =>
  Array.from({ length: rows }, () => Array.from(random.normal(columns)));

describe("linear models", () => {
  it("fit any labels where there are more features than examples, with the least weights", () => {
    const [Phi, Y] = [matrix(5, 9), matrix(5, 2)];
    // The least solution has no part outside of the span of the examples.
    const span = rowBasis(Phi);
    const W = memorize(Phi, Y);
    for (let c = 0; c < 2; c++) {
      const column = W.map((row) => row[c]!);
      const inside = span.reduce((sum, q) => sum + q.reduce((s, v, j) => s + v * column[j]!, 0) ** 2, 0);
      expect(column.reduce((sum, v) => sum + v * v, 0)).toBeCloseTo(inside, 9);
    }
    matrixProductOf(Phi, memorize(Phi, Y)).forEach((row, i) => {
      row.forEach((v, c) => {
        expect(v).toBeCloseTo(Y[i]![c]!, 10);
      });
    });
  });

  it("of huge norm err by no more than eps, unless the features have full rank", () => {
    const [Phi, test, truth] = [matrix(4, 9), matrix(3, 9), matrix(9, 2)];
    const far = farModel(Phi, test, truth, { eps: 0.01, delta: 1e6, random })!;
    expect(far.rank).toBe(7);
    expect(Math.max(far.trainError, far.testError)).toBeLessThanOrEqual(0.01 + far.floor);
    expect(Math.max(far.trainError, far.testError)).toBeGreaterThan(0.005); // eps is used up
    expect(far.floor).toBeLessThan(1e-4);
    expect(Math.min(far.norm, far.distance)).toBeGreaterThanOrEqual(1e6);
    expect(farModel(matrix(6, 9), test, truth, { eps: 0.01, delta: 1, random })).toBeUndefined();
    expect(
      rowBasis([
        [1, 2],
        [2, 4],
      ]).length,
    ).toBe(1);
  });
});

describe("the validation bound", () => {
  it("has the numbers of the text and of the catalogue", () => {
    const family = { m: 10_000, models: 1e9, delta: 0.1 };
    expect(bernsteinDeviation(family, { C: 1, variance: 1 })).toBeCloseTo(0.069396, 6);
    expect(bernsteinDeviation(family, { C: 1, variance: 0.0025 })).toBeCloseTo(0.004928, 6);
    expect(bernsteinRoot(family, { C: 1, variance: 1 })).toBeCloseTo(0.06863, 5);
    expect(bernsteinRoot(family, { C: 1, variance: 0.0025 })).toBeCloseTo(0.004246, 6);
    expect(hoeffdingDeviation(family)).toBeCloseTo(0.03393, 5);
    const share = 0.0352;
    expect(empiricalBernstein(family, share * (1 - share))).toBeCloseTo(0.01823, 5);
  });

  it("solves Bernstein's inequality", () => {
    const family = { m: 500, models: 20, delta: 0.05 };
    const t = bernsteinRoot(family, { C: 0.9, variance: 0.1 });
    const tail = 20 * Math.exp((-500 * t * t) / 2 / (0.1 + (0.9 * t) / 3));
    expect(tail).toBeCloseTo(0.05, 12);
  });
});

describe("random labels", () => {
  it("replace the asked share of labels by coin throws", () => {
    const labels = new Array<number>(20000).fill(1);
    const share = corruptLabels(labels, 0.4, random).filter((y) => y === 0).length / 20000;
    expect(Math.abs(share - 0.2)).toBeLessThan(5 * Math.sqrt((0.2 * 0.8) / 20000));
  });

  it("are fitted at the price of a norm that the theory asks for", async () => {
    const [m, d] = [30, 8];
    const x = tensor(random.normal(m * d), { dims: [m, d] });
    const lengths = Array.from({ length: m }, (_, i) =>
      Math.hypot(...(x.data as Float64Array).subarray(i * d, (i + 1) * d)),
    );
    const run = memorizer(d, 80, { seed: 1, steps: 2000 });
    const taught = Array.from({ length: m }, (_, i) => ((x.data as Float64Array)[i * d]! > 0 ? 1 : 0));
    const [own, thrown] = [
      await memorizeLabels(run, x, taught),
      await memorizeLabels(run, x, corruptLabels(taught, 1, random)),
    ];
    expect([own.trainErrors, thrown.trainErrors]).toEqual([0, 0]);
    expect(thrown.steps).toBeGreaterThan(own.steps);
    expect(thrown.margin).toBeGreaterThanOrEqual(1 - 1e-9);
    expect(thrown.normProduct / thrown.margin).toBeGreaterThan(own.normProduct / own.margin);
    expect(thrown.normProduct / thrown.margin).toBeGreaterThan(normForCoinThrows(lengths, 2, 1e-6));
  });

  it("cost a norm that grows with the root of the number of examples", () => {
    const ones = (m: number) => new Array<number>(m).fill(1);
    expect(normForCoinThrows(ones(400), 3, 0.1) / normForCoinThrows(ones(100), 3, 0.1)).toBeCloseTo(2, 12);
  });
});

it("a memory of coins has the weights of its layers, and one point is a packing of two that are near", () => {
  const { widths, parameters } = coinMemory(20, 4, createRandom("coins"));
  expect(parameters).toBe(widths.slice(1).reduce((sum, w, l) => sum + w * widths[l]!, 0));
  const near = [
    [0, 1],
    [1, 0],
  ];
  expect(finiteCovering(near, 1)).toEqual({ cover: 1, packing: 1, packingTwice: 1 });
});
