import { describe, expect, it } from "vitest";
import { digitsOf, placeOfDigits } from "../../src/approximate/sparse-grid/grid.ts";
import {
  finestLevel,
  type MixedTarget,
  mixedTargets,
  quotedTail,
  sparseGrid,
  sparseGridPoints,
  sparseInterpolant,
  sparseNetwork,
  sparseTail,
  sparseValue,
  truncationBound,
  weakCurvatureError,
} from "../../src/approximate/sparse-grid/index.ts";
import { run } from "../../src/engine/run.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { valueExactly } from "../../src/networks/product/distance.ts";
import { compare, toNumber } from "../../src/numbers/exact/rational.ts";
import { createRandom } from "../../src/numbers/random.ts";

const targets: readonly (readonly [string, MixedTarget])[] = Object.entries(mixedTargets);

/** [-1/2, 1, -1/2] in every direction at once. */
function stencil(
  f: MixedTarget,
  levels: readonly number[],
  digits: readonly number[],
  x: number[] = [],
): number {
  const j = x.length;
  if (j === levels.length) return f.value(x);
  const [h, at] = [2 ** -levels[j]!, (2 * digits[j]! + 1) * 2 ** -levels[j]!];
  return [-1, 0, 1].reduce(
    (sum, side) => sum + (side === 0 ? 1 : -1 / 2) * stencil(f, levels, digits, [...x, at + side * h]),
    0,
  );
}

describe("sparse grids", () => {
  it("have the points of the catalogue", () => {
    expect([1, 2, 3, 4, 5].map((n) => sparseGrid(2, n).points)).toEqual([1, 5, 17, 49, 129]);
    expect([2, 3, 4, 5].map((n) => sparseGrid(3, n).points)).toEqual([7, 31, 111, 351]);
    for (const d of [1, 4, 7, 10])
      for (const n of [1, 2, 3]) expect(sparseGrid(d, n).points).toBe(sparseGridPoints(d, n));
    expect([finestLevel(10, 300), finestLevel(10, 20), finestLevel(2, 129)]).toEqual([3, 1, 5]);
    for (const part of sparseGrid(3, 4).parts)
      for (let p = 0; p < part.count; p++) expect(placeOfDigits(part.levels, digitsOf(part, p))).toBe(p);
  });

  it("refuse sizes that are none", () => {
    expect(() => sparseGrid(0, 2)).toThrow("dimension of at least 1, not 0");
    expect(() => sparseGrid(2, 1.5)).toThrow("level of at least 1, not 1.5");
    expect(() => sparseGrid(10, 12)).toThrow("more than 2e6");
  });

  it.each(targets)("interpolate %s, with the surpluses of the stencil", (_, f) => {
    for (const [d, n] of [
      [1, 5],
      [2, 4],
      [3, 3],
      [4, 2],
    ] as const) {
      const { grid, surplus, radius } = sparseInterpolant(f, d, n);
      for (const part of grid.parts)
        for (let p = 0; p < part.count; p++) {
          const digits = digitsOf(part, p);
          const x = digits.map((k, j) => (2 * k + 1) / 2 ** part.levels[j]!);
          expect(sparseValue({ grid, surplus, radius }, x)).toBeCloseTo(f.value(x), 12);
          expect(surplus[part.first + p]).toBeCloseTo(stencil(f, part.levels, digits), 12);
          expect(radius[part.first + p]).toBeLessThan(1e-13);
        }
    }
  });

  it("bound the tail exactly: the sum over the levels that are left out", () => {
    for (const [d, n] of [
      [1, 1],
      [2, 5],
      [4, 3],
      [10, 3],
    ] as const) {
      let sum = 0;
      for (let t = n + d, ways = 0; t < n + d + 200; t++) {
        ways = Array.from({ length: d - 1 }, (_, k) => (t - 1 - k) / (k + 1)).reduce((a, b) => a * b, 1);
        sum += ways * 4 ** -t;
      }
      expect(toNumber(sparseTail(d, n)) / (sum * 2 ** -d)).toBeCloseTo(1, 12);
      expect(compare(sparseTail(d, n), quotedTail(d, n))).toBeLessThanOrEqual(0);
    }
    expect(truncationBound(1, 1, 8)).toBeGreaterThanOrEqual(1 / 3);
  });

  it("err on a product of sines by 4.3e-3 and 9.1e-3, as coarser sampling elsewhere has nearly found", () => {
    const errorOn = (d: number, n: number): number => {
      const interpolant = sparseInterpolant(mixedTargets.sine, d, n);
      const random = createRandom(d);
      let most = 0;
      for (let k = 0; k < 40000; k++) {
        const x = random.uniform(d);
        most = Math.max(most, Math.abs(sparseValue(interpolant, x) - mixedTargets.sine.value(x)));
      }
      return most;
    };
    for (const [d, seen] of [
      [2, 4.18e-3],
      [3, 9.09e-3],
    ] as const) {
      const error = errorOn(d, 5);
      expect(error).toBeGreaterThan(0.98 * seen);
      expect(error).toBeLessThan(1.05 * seen);
      expect(error).toBeLessThan(truncationBound(d, 5, mixedTargets.sine.mixed(d)));
    }
  });
});

describe("networks of sparse grids", () => {
  it.each([
    [1, 4, 3],
    [2, 4, 2],
    [3, 3, 6],
    [5, 2, 4],
    [10, 2, 3],
  ])("keep to their errors in %i dimensions, level %i, products of %i levels", async (d, n, m) => {
    const interpolant = sparseInterpolant(mixedTargets.wave, d, n);
    const { network, error, runError } = sparseNetwork(interpolant, m);
    const random = createRandom(d);
    // Products err most where factors are odd multiples of 2^-(m+1): half of the points are such.
    const points = random.uniform(200 * d).map((u, k) => (k % (2 * d) < d ? Math.round(u * 64) / 64 : u));
    const { y } = await run(network, { x: tensor(points, { dims: [200, d] }) });
    const off = numbers(y!).map((v, k) =>
      Math.abs(v - sparseValue(interpolant, points.subarray(k * d, (k + 1) * d))),
    );
    expect(Math.max(...off)).toBeLessThanOrEqual(runError + 1e-14);
    expect(runError - error).toBeLessThan(1e-10);
    if (d > 1) expect(Math.max(...off)).toBeGreaterThan(error / 200);
  });

  it("are exactly zero on the boundary, where some hat of every product is", () => {
    const { network } = sparseNetwork(sparseInterpolant(mixedTargets.sine, 3, 3), 4);
    for (const x of [
      [0, 0.3, 0.7],
      [0.2, 1, 0.9],
      [1, 1, 0],
    ])
      expect(valueExactly(network, x)).toEqual(0);
  });
});

it("dyadic interpolation loses half an order where f'' is only in L_2", () => {
  const f = (x: number): number => Math.abs(x - 1 / 3) ** 1.51 / (0.51 * 1.51);
  for (const level of [3, 6]) {
    let most = 0;
    for (let k = 0; k < 2 ** level; k++)
      for (let s = 0; s <= 400; s++) {
        const [a, b, t] = [k / 2 ** level, (k + 1) / 2 ** level, s / 400];
        most = Math.max(most, (1 - t) * f(a) + t * f(b) - f(a + t * (b - a)));
      }
    expect(weakCurvatureError(0.49, level) / most).toBeCloseTo(1, 4);
  }
});
