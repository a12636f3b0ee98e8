import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  combinationSizes,
  greedyAverage,
  normalizedUnits,
  pruneOnData,
  pruneToFew,
  reduceCombination,
  sampleAverage,
} from "../../src/approximate/pruning/index.ts";
import { run } from "../../src/engine/run.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { type Matrix, matrixOfRows } from "../../src/linear-algebra/index.ts";
import { layer, layersOf, network } from "../../src/networks/layers/layers.ts";
import { fromDense } from "../../src/networks/layers/matrix.ts";
import { createRandom } from "../../src/numbers/random.ts";

const gaussian = (seed: number | string, rows: number, columns: number): Matrix => ({
  rows,
  columns,
  entries: createRandom(seed).normal(rows * columns),
});
const sum = (x: Float64Array): number => x.reduce((a, b) => a + b, 0);

function wide(
  seed: number,
  [d, n, k]: readonly [number, number, number],
  activation: "relu" | "tanh" = "relu",
): Graph {
  const random = createRandom(seed);
  return network(
    [
      { weights: fromDense(n, d, random.normal(n * d)), bias: random.normal(n) },
      { weights: fromDense(k, n, random.normal(n * k)), bias: random.normal(k) },
    ],
    { activation },
  );
}

async function valuesOf(graph: Graph, { rows, columns, entries }: Matrix): Promise<number[]> {
  return Array.from(
    numbers((await run(graph, { x: tensor(entries, { dims: [rows, columns] }) })).y!),
    Number,
  );
}

describe("Caratheodory, exactly", () => {
  test("the same sum, at most as many terms as the rank, no greater sum of weights", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer(),
        async (dimension, count, inner, seed) => {
          // Vectors of rank at most `inner`, with zeros and repetitions among them.
          const [a, b] = [gaussian(seed, count, inner), gaussian(`${seed}b`, inner, dimension)];
          const entries = Float64Array.from({ length: count * dimension }, (_, e) => {
            const [i, c] = [Math.floor(e / dimension), e % dimension];
            const row = i % 7 === 3 ? 0 : i % 5 === 4 ? i - 1 : i;
            let value = 0;
            if (i % 11 !== 5)
              for (let l = 0; l < inner; l++)
                value += a.entries[row * inner + l]! * b.entries[l * dimension + c]!;
            return value;
          });
          const weights = createRandom(`${seed}c`)
            .uniform(count)
            .map((u, i) => (i % 6 === 0 ? 0 : u));
          const found = await reduceCombination({ rows: count, columns: dimension, entries }, weights);
          const size = entries.reduce((m, v) => Math.max(m, Math.abs(v)), 1) * count;
          expect(found.rank).toBeLessThanOrEqual(Math.min(inner, dimension, count));
          expect(found.weights.filter((w) => w > 0).length).toBeLessThanOrEqual(found.rank);
          expect(found.weights.every((w) => w >= 0)).toBe(true);
          expect(found.residual).toBeLessThan(1e-10 * size);
          expect(sum(found.weights)).toBeLessThanOrEqual(sum(weights) * (1 + 1e-9));
        },
      ),
      { numRuns: 200 },
    );
  });

  test("a point of a polygon is in a triangle of its corners", async () => {
    const corners = Array.from({ length: 40 }, (_, k) => [
      Math.cos((k * Math.PI) / 20),
      Math.sin((k * Math.PI) / 20),
      1,
    ]);
    const weights = createRandom(1).uniform(40);
    const { weights: few, residual } = await reduceCombination(matrixOfRows(corners), weights);
    expect(few.filter((w) => w > 0).length).toBeLessThanOrEqual(3);
    expect(sum(few)).toBeCloseTo(sum(weights), 10); // the last coordinate keeps the sum
    expect(residual).toBeLessThan(1e-12);
  });

  test("bad weights are refused", async () => {
    await expect(reduceCombination(matrixOfRows([[1]]), Float64Array.of(-1))).rejects.toThrow(
      /weight 0 is -1/,
    );
    await expect(reduceCombination(matrixOfRows([[1]]), Float64Array.of(1, 2))).rejects.toThrow(
      /1 vectors have 2/,
    );
  });
});

describe("averages of k atoms", () => {
  const combination = (seed: number, count: number, dimension: number) => {
    const p = createRandom(`${seed}p`).uniform(count);
    return { atoms: gaussian(seed, count, dimension), probabilities: p.map((v) => v / sum(p)) };
  };

  test("greedy: within the bound at every k", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 10 }),
        fc.integer(),
        (n, d, seed) => {
          const c = combination(seed, n, d);
          const { constant, greatest } = combinationSizes(c);
          greedyAverage(c, 40).errors.forEach((error, t) => {
            expect(error).toBeLessThanOrEqual(constant / Math.sqrt(t + 1) + 1e-12 * greatest);
          });
        },
      ),
      { numRuns: 200 },
    );
  });

  test("one step of greedy is the best of all atoms", () => {
    const c = combination(5, 12, 4);
    const { target } = combinationSizes(c);
    const distance = (i: number) => Math.hypot(...target.map((g, e) => g - c.atoms.entries[i * 4 + e]!));
    const best = Math.min(...Array.from({ length: 12 }, (_, i) => distance(i)));
    expect(greedyAverage(c, 1).errors[0]).toBeCloseTo(best, 12);
  });

  test("drawn: the mean square is the variance divided by k", () => {
    const c = combination(6, 8, 5);
    const { deviation } = combinationSizes(c);
    const [k, runs] = [7, 20000];
    const random = createRandom(7);
    let [mean, square] = [0, 0];
    for (let r = 0; r < runs; r++) {
      const e = sampleAverage(c, k, random).errors[k - 1]! ** 2;
      mean += e / runs;
      square += e ** 2 / runs;
    }
    const deviationOfMean = Math.sqrt((square - mean ** 2) / runs);
    expect(Math.abs(mean - deviation ** 2 / k)).toBeLessThan(5 * deviationOfMean);
  });
});

describe("pruning on data", () => {
  test.each([
    ["relu", 1],
    ["relu", 3],
    ["tanh", 2],
  ] as const)("%s, %i outputs: the same values, few units, inner weights as they were", async (name, k) => {
    const source = wide(1, [4, 300, k], name);
    const points = gaussian(2, 20, 4);
    const pruned = await pruneOnData(source, points);
    expect(pruned.kept.length).toBeLessThanOrEqual(20 * k);
    expect(pruned.mass.after).toBeLessThanOrEqual(pruned.mass.before * (1 + 1e-12));
    const [a, b] = [await valuesOf(source, points), await valuesOf(pruned.network, points)];
    const gap = a.reduce((m, v, i) => Math.max(m, Math.abs(v - b[i]!)), 0);
    expect(gap).toBeLessThan(1e-9);
    expect(pruned.residual).toBeCloseTo(gap, 12);
    const [before, after] = [layersOf(source).layers[0]!, layersOf(pruned.network).layers[0]!];
    pruned.kept.forEach((i, j) => {
      expect(after.weights.values.slice(4 * j, 4 * j + 4)).toEqual(
        before.weights.values.slice(4 * i, 4 * i + 4),
      );
      expect(after.bias[j]).toBe(before.bias[i]);
    });
    // Output weights keep their direction, so signs are kept for one output.
    if (k === 1) {
      const [v, w] = [
        layersOf(source).layers[1]!.weights.values,
        layersOf(pruned.network).layers[1]!.weights.values,
      ];
      pruned.kept.forEach((i, j) => {
        expect(Math.sign(w[j]!)).toBe(Math.sign(v[i]!));
      });
    }
  });

  test("fewer units than points: nothing is lost; dead units go", async () => {
    const source = network([layer([[1], [-1], [1]], [0, -5, 1]), layer([[1, 7, 2]])]);
    const pruned = await pruneOnData(source, matrixOfRows([[0], [1], [2], [3]]));
    expect(pruned.residual).toBeLessThan(1e-13);
    expect([...pruned.kept]).not.toContain(1);
  });

  test("deeper networks and wrong dimensions are refused", async () => {
    const deep = network([layer([[1]]), layer([[1]]), layer([[1]])]);
    await expect(pruneOnData(deep, matrixOfRows([[1]]))).rejects.toThrow(/one hidden layer, not 2/);
    await expect(pruneOnData(wide(1, [2, 5, 1]), matrixOfRows([[1]]))).rejects.toThrow(/takes 2 numbers/);
  });
});

describe("pruning to few units", () => {
  test("greedy stays within its bound, and least squares within greedy", async () => {
    for (const seed of [1, 2, 3])
      for (const atoms of ["balanced", "output"] as const)
        for (const units of [1, 5, 30]) {
          const source = wide(seed, [3, 200, 2], seed === 2 ? "tanh" : "relu");
          const found = await pruneToFew(source, gaussian(seed + 10, 50, 3), { units, atoms });
          expect(found.kept.length).toBeLessThanOrEqual(units);
          expect(found.error).toBeLessThanOrEqual(found.bound * (1 + 1e-9));
          expect(found.refit.error).toBeLessThanOrEqual(found.error);
        }
  });

  test("balanced atoms have the smaller bound", async () => {
    const [source, points] = [wide(4, [3, 200, 1]), gaussian(5, 60, 3)];
    const balanced = await pruneToFew(source, points, { units: 10 });
    expect(balanced.bound).toBeLessThanOrEqual(
      (await pruneToFew(source, points, { units: 10, atoms: "output" })).bound,
    );
  });

  test("normalized units: norms at most 1/2, the same function", async () => {
    const source = wide(6, [5, 40, 2]);
    const normal = normalizedUnits(source);
    const { weights, bias } = layersOf(normal).layers[0]!;
    for (let i = 0; i < 40; i++) {
      expect(Math.hypot(...weights.values.slice(5 * i, 5 * i + 5))).toBeLessThanOrEqual(0.5);
      expect(bias[i]).toBeLessThanOrEqual(0.5);
    }
    const points = gaussian(7, 30, 5);
    const [a, b] = [await valuesOf(source, points), await valuesOf(normal, points)];
    a.forEach((v, i) => {
      expect(Math.abs(v - b[i]!)).toBeLessThan(1e-11);
    });
    expect(() => normalizedUnits(wide(1, [1, 3, 1], "tanh"))).toThrow(/not positively homogeneous/);
  });

  test("too few units to keep one of them", async () => {
    await expect(pruneToFew(wide(1, [1, 50, 1]), matrixOfRows([[1]]))).rejects.toThrow(/at least one unit/);
  });
});

test.each(["balanced", "output"] as const)(
  "a network of one unit stays as it is, with %s atoms",
  async (atoms) => {
    const points = gaussian("one unit", 5, 2);
    const single = network([layer([[1, 2]], [0.5]), layer([[-0.75]], [0.25])]);
    const { error, kept, network: pruned } = await pruneToFew(single, points, { units: 1, atoms });
    expect([...kept]).toEqual([0]);
    expect(error).toBeLessThan(1e-14);
    const [before, after] = [await valuesOf(single, points), await valuesOf(pruned, points)];
    after.forEach((v, i) => {
      expect(v).toBeCloseTo(before[i]!, 13);
    });
  },
);
