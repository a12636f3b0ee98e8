import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { readModel, writeModel } from "../../src/graph/onnx/index.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { affine, compose, linearCombination } from "../../src/networks/calculus/calculus.ts";
import { complexity } from "../../src/networks/layers/layers.ts";
import { distanceToProduct, valueExactly } from "../../src/networks/product/distance.ts";
import {
  multiplication,
  multiplicationLevels,
  polarizedMultiplication,
  product,
  signedProduct,
} from "../../src/networks/product/product.ts";
import { antidiagonalGrid, diamondGrid } from "../../src/networks/product/triangulation.ts";
import { square } from "../../src/networks/square/square.ts";
import { add, compare, mul, sub, toNumber } from "../../src/numbers/exact/rational.ts";

const hiddenWidths = (f: Graph): readonly number[] => complexity(f).architecture.slice(1, -1);

describe("the product network", () => {
  it.each([1, 2, 3, 4])("errs by something in [-4^-%i, 0] and has 7i - 1 units", (i) => {
    const f = product(i);
    const { least, greatest, leastValue, greatestValue, leastSlope } = distanceToProduct(
      f,
      antidiagonalGrid(0, 1, 2 ** (i - 1)),
    );
    expect([least, greatest, leastValue, greatestValue]).toEqual([-(4 ** -i), 0, 0, 1]);
    expect(leastSlope).toBe(0);
    expect(hiddenWidths(f)).toEqual([6, ...new Array(i - 1).fill(7)]);
  });

  it.each([1, 2, 3, 4])("signed errs by something in [-B^2 4^-%i, 0] and has 7i + 5 units", (i) => {
    const f = signedProduct(i, { bound: 3 });
    const found = distanceToProduct(f, antidiagonalGrid(-3, 3, 2 ** i));
    expect([found.least, found.greatest, found.area]).toEqual([-9 * 4 ** -i, 0, 36]);
    expect(hiddenWidths(f)).toEqual([6, 6, ...new Array(i - 1).fill(7)]);
  });

  it("is 2 [h((x+y)/2) - h(x/2) - h(y/2)], for any bound and at any point", () => {
    const half = (row: number[]) => compose(square(5), affine([row]));
    const formula = linearCombination([2, -2, -2], [half([0.5, 0.5]), half([0.5, 0]), half([0, 0.5])]);
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(unit, unit, (x, y) => {
        expect(valueExactly(product(5), [x, y])).toEqual(valueExactly(formula, [x, y]));
      }),
      { numRuns: 40 },
    );
  });

  it("keeps to its error for bounds that are no round numbers", () => {
    const side = fc.double({ min: -1, max: 1, noNaN: true });
    const bounds = fc.double({ min: 0.1, max: 100, noNaN: true });
    fc.assert(
      fc.property(side, side, bounds, (s, t, bound) => {
        const [x, y] = [s * bound, t * bound];
        const error = sub(valueExactly(signedProduct(4, { bound }), [x, y]), mul(x, y));
        expect(compare(error, 0)).toBeLessThanOrEqual(0);
        expect(compare(add(error, mul(mul(bound, bound), 4 ** -4)), 0)).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 60 },
    );
  });
});

describe("multiplication by two squares", () => {
  it.each([1, 2, 3, 4])("errs by D^2 4^-(%i+1) either way; L = m + 2, N = 6m + 5, M = 16m + 6", (m) => {
    const f = multiplication(m, { bound: 3 });
    const { least, greatest, leastValue, greatestValue, area } = distanceToProduct(f, diamondGrid(3, 2 ** m));
    const error = 9 * 4 ** -(m + 1);
    expect([least, greatest, leastValue, greatestValue, area]).toEqual([-error, error, -9, 9, 36]);
    expect(complexity(f)).toMatchObject({ layers: m + 2, neurons: 6 * m + 5, weights: 16 * m + 6 });
  });

  it("is the same function with one accumulator, of 5m + 6 neurons", () => {
    const [two, one] = [multiplication(4), multiplication(4, { accumulators: "shared" })];
    expect(complexity(one).neurons).toBe(5 * 4 + 6);
    const side = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(side, side, (x, y) => {
        expect(valueExactly(one, [x, y])).toEqual(valueExactly(two, [x, y]));
        expect(valueExactly(two, [y, x])).toEqual(valueExactly(two, [x, y]));
        expect(valueExactly(two, [x, 0])).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  it("is four times as accurate as three squares, which are the signed product", () => {
    const three = polarizedMultiplication(3);
    expect(complexity(three).neurons).toBe(9 * 3 + 6);
    expect(distanceToProduct(three, antidiagonalGrid(-1, 1, 8)).sup).toBe(4 ** -3);
    expect(valueExactly(three, [0.3, -0.7])).toEqual(valueExactly(signedProduct(3), [0.3, -0.7]));
  });

  it("takes as many levels as an error needs, and one more where rounding has no room", () => {
    for (const [eps, bound] of [
      [1e-6, 1],
      [1e-12, 3],
      [10, 1],
    ] as const) {
      const m = multiplicationLevels(eps, bound);
      expect(m).toBe(Math.max(1, Math.ceil(Math.log2(bound ** 2 / eps) / 2 - 1)));
    }
    expect(multiplicationLevels(4 ** -5)).toBe(5);
    expect(multiplicationLevels(4 ** -5 + 2 ** -45)).toBe(4);
  });

  it("runs in ONNX Runtime, read back from its file, with an error of 1e-12", async () => {
    const f = readModel(writeModel(multiplication(multiplicationLevels(1e-12))));
    const x = Float64Array.from({ length: 4000 }, (_, k) => Math.sin(k * 12.9898) ** 3);
    const y = numbers((await run(f, { x: tensor(x, { dims: [2000, 2] }) })).y!);
    for (let k = 0; k < 2000; k++) expect(Math.abs(y[k]! - x[2 * k]! * x[2 * k + 1]!)).toBeLessThan(1e-12);
  });

  it("says what its bound and levels may be", () => {
    expect(() => multiplication(0)).toThrow(/number of levels is a whole number of at least 1, not 0/);
    expect(() => product(3, { bound: -1 })).toThrow(/bound of a product's factors is positive/);
  });
});

describe("the distance to a product", () => {
  it("refuses triangles in which a unit bends", () => {
    expect(() => distanceToProduct(product(3), antidiagonalGrid(0, 1, 2))).toThrow(
      /bends inside the triangle/,
    );
  });

  it("finds the extremes that a fine grid comes near to", () => {
    const f = multiplication(2);
    const { least, greatest } = distanceToProduct(f, diamondGrid(1, 4));
    let [low, high] = [0, 0];
    for (let j = -40; j <= 40; j++)
      for (let k = -40; k <= 40; k++) {
        const error = toNumber(valueExactly(f, [j / 40, k / 40])) - (j * k) / 1600;
        [low, high] = [Math.min(low, error), Math.max(high, error)];
      }
    expect(low).toBeGreaterThanOrEqual(toNumber(least));
    expect(high).toBeLessThanOrEqual(toNumber(greatest));
    expect(high).toBeGreaterThan(0.9 * toNumber(greatest));
  });
});
