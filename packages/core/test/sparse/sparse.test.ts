// Examples by hand of what sparse learning counts.
import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/numbers/random.ts";
import {
  edgeRecovery,
  hebbianMemory,
  lasso,
  lassoViolation,
  linearMemory,
  localityOf,
  normalizedGram,
  recall,
  restrictedIsometry,
  supportOf,
  thresholded,
} from "../../src/sparse/index.ts";

const random = createRandom("sparse");

describe("associative memories", () => {
  it("200 numbers a key, 20 pairs: the Hebbian rule errs by sqrt(19 / 200), least squares by nothing", async () => {
    const keys = Array.from({ length: 20 }, () => random.sphere(200));
    const values = keys.map((_, i) => keys.map((__, j) => Number(i === j)));
    const error = (memory: ReturnType<typeof hebbianMemory>) =>
      Math.sqrt(
        keys.reduce(
          (sum, key, k) => sum + recall(memory, key).reduce((s, v, i) => s + (v - values[k]![i]!) ** 2, 0),
          0,
        ) / 20,
      );
    // The standard deviation of the mean square is 2 / 200, of its root some 0.016.
    expect(Math.abs(error(hebbianMemory({ keys, values })) - Math.sqrt(19 / 200))).toBeLessThan(0.08);
    expect(error(await linearMemory({ keys, values }))).toBeLessThan(1e-12);
  });

  it("refuses pairs that do not fit", () => {
    expect(() => hebbianMemory({ keys: [[1]], values: [] })).toThrow(/as many values/);
    expect(() => hebbianMemory({ keys: [[1], [1, 2]], values: [[1], [1]] })).toThrow(/pair 1/);
  });
});

describe("attention's support", () => {
  it("is T for equal weights and 1 for one token", () => {
    expect(supportOf([0.25, 0.25, 0.25, 0.25])).toEqual({ participation: 4, perplexity: 4, count: 4 });
    expect(supportOf([0, 1, 0])).toEqual({ participation: 1, perplexity: 1, count: 1 });
    expect(() => supportOf([0.5, 0.2])).toThrow(/sum to 1/);
  });

  it("a threshold above all weights leaves the greatest", () => {
    expect(thresholded([[0.2, 0.5, 0.3]], 0.9)).toEqual([[0, 1, 0]]);
  });

  it("counts edges", () => {
    expect(
      edgeRecovery(
        [
          [1, 0, 2],
          [0, 0, 0],
        ],
        [[0], [1]],
      ),
    ).toEqual({ precision: 0.5, recall: 0.5, f1: 0.5 });
    // One of the two that were found is there, and of four that are there one was found.
    expect(edgeRecovery([[1, 0, 0, 0, 2]], [[0, 1, 2, 3]])).toEqual({
      precision: 1 / 2,
      recall: 1 / 4,
      f1: 1 / 3,
    });
  });
});

describe("restricted isometry", () => {
  it("of three vectors at 120 degrees: any two have delta 1/2, all three 1", () => {
    const root = Math.sqrt(3) / 2;
    const G = normalizedGram([
      [2, -0.5, -0.5],
      [0, root, -root],
    ]);
    expect(restrictedIsometry(G, 2).delta).toBeCloseTo(0.5, 14);
    expect(restrictedIsometry(G, 3).delta).toBeCloseTo(1, 14);
  });
});

describe("lasso", () => {
  it("is least by a search on a grid", () => {
    const X = Array.from({ length: 9 }, () => Array.from(random.normal(2)));
    const y = X.map(([a]) => a! + 0.3 * random.normal());
    const value = (w: readonly number[]) =>
      X.reduce((sum, row, i) => sum + (row[0]! * w[0]! + row[1]! * w[1]! - y[i]!) ** 2, 0) / 9 +
      0.4 * (Math.abs(w[0]!) + Math.abs(w[1]!));
    const w = lasso(X, y, 0.4);
    expect(lassoViolation(X, y, 0.4, w)).toBeLessThan(1e-13);
    for (let a = -2; a <= 2; a += 0.05)
      for (let b = -2; b <= 2; b += 0.05) expect(value([a, b])).toBeGreaterThanOrEqual(value(w) - 1e-12);
  });
});

describe("locality", () => {
  it("is high for a row of pixels, 0 for a chess board", () => {
    const grid = { rows: 4, columns: 4 };
    expect(localityOf(grid, [[0, 1, 2, 3]]).ratio).toBeCloseTo(3 / ((24 * 6) / 120), 14);
    expect(localityOf(grid, [[0, 2, 5, 7, 8, 10]]).ratio).toBe(0);
    expect(localityOf(grid, [[3], []])).toEqual({ ratio: 1, distanceRatio: 1, sets: 0 });
    expect(() => localityOf(grid, [[0, 16]])).toThrow(/0 to 15, not 16/);
  });
});
