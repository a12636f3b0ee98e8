import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { randomNetwork } from "../../src/networks/layers/random.ts";
import { triangle } from "../../src/networks/triangle/triangle.ts";
import { compare, toNumber } from "../../src/numbers/exact/rational.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { distanceToQuadratic, l1Distance } from "../../src/passes/distance.ts";
import {
  curvedSupBound,
  leastUnits,
  pieceBounds,
  pieceLimit,
  sawtoothDistanceBound,
  squareL2Bound,
} from "../../src/passes/piece-bounds.ts";
import { linearPieces, type PiecewiseLinear } from "../../src/passes/pieces.ts";

const widths = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 });

/** A continuous function with this many pieces: values at random knots of [0, 1]. */
const splines = (most: number) =>
  fc.uniqueArray(fc.integer({ min: 1, max: 1023 }), { maxLength: most - 1 }).chain((inner) =>
    fc
      .array(fc.integer({ min: -64, max: 192 }), { minLength: inner.length + 2, maxLength: inner.length + 2 })
      .map(
        (values): PiecewiseLinear => ({
          knots: [0, ...inner.sort((a, b) => a - b).map((k) => k / 1024), 1],
          values: values.map((v) => v / 128),
        }),
      ),
  );

describe("bounds on the number of pieces", () => {
  it("are ordered, and hold for random networks", () => {
    fc.assert(
      fc.property(widths, fc.nat(), (sizes, seed) => {
        const { product, mean, doubled, doubledMean } = pieceBounds(sizes);
        expect(compare(product, mean)).toBeLessThanOrEqual(0);
        expect(compare(product, doubled)).toBeLessThanOrEqual(0);
        expect(compare(mean, doubledMean)).toBeLessThanOrEqual(0);
        expect(compare(doubled, doubledMean)).toBeLessThanOrEqual(0);
        const network = randomNetwork(createRandom(seed), [1, ...sizes, 1], { density: 1, denominator: 8 });
        const pieces = linearPieces(network, -(2 ** 24), 2 ** 24).knots.length - 1;
        expect(compare(pieces, product)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 40 },
    );
  });

  it("know the catalogue's examples", () => {
    expect(toNumber(pieceBounds([5, 5, 5]).product)).toBe(216);
    expect(toNumber(pieceBounds([1, 100]).doubled)).toBeLessThan(toNumber(pieceBounds([1, 100]).mean));
    expect(pieceBounds([]).product).toBe(1);
  });

  it("say how many units so many pieces need", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 8 }), (units, depth) => {
        expect(leastUnits(pieceLimit(units, depth), depth)).toBeCloseTo(units, 9);
      }),
    );
  });
});

describe("bounds on errors", () => {
  it("hold for any function with few pieces, in L1 from a sawtooth", () => {
    const sawtooth = linearPieces(triangle(3), 0, 1);
    fc.assert(
      fc.property(splines(8), (g) => {
        const { lower } = l1Distance(sawtooth, g);
        expect(compare(lower, sawtoothDistanceBound(3, g.knots.length - 1))).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 200 },
    );
  });

  it("hold against a search for the nearest function", () => {
    // Coordinate search from the spline that follows the sawtooth; the bound is 1/8 - N / 64.
    const sawtooth = linearPieces(triangle(3), 0, 1);
    const random = createRandom(3);
    for (const pieces of [2, 4]) {
      let best: PiecewiseLinear = {
        knots: [...Array.from({ length: pieces }, (_, k) => k / 8), 1],
        values: [...Array.from({ length: pieces }, (_, k) => k % 2), 1 / 2],
      };
      let error = toNumber(l1Distance(sawtooth, best).lower);
      for (let step = 0; step < 150; step++) {
        const values = best.values.map((v) => toNumber(v) + random.integer(-8, 8) / 256);
        const knots = best.knots.map((t, k) =>
          k === 0 || k === pieces ? t : toNumber(t) + random.integer(-8, 8) / 1024,
        );
        if (knots.some((t, k) => k > 0 && toNumber(t) <= toNumber(knots[k - 1]!))) continue;
        const found = toNumber(l1Distance(sawtooth, { knots, values }).lower);
        if (found < error) [best, error] = [{ knots, values }, found];
      }
      expect(error).toBeGreaterThanOrEqual(toNumber(sawtoothDistanceBound(3, pieces)));
      expect(error).toBeLessThan(1 / 4);
    }
  });

  it("hold for any function with few pieces, from x^2", () => {
    fc.assert(
      fc.property(splines(6), (f) => {
        const pieces = f.knots.length - 1;
        const { squaredL2, sup } = distanceToQuadratic(f, [0, 0, 1]);
        expect(compare(squaredL2, squareL2Bound(pieces))).toBeGreaterThanOrEqual(0);
        expect(compare(sup, curvedSupBound(pieces, 2))).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 100 },
    );
  });
});
