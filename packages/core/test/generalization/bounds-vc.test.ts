import { describe, expect, it } from "vitest";
import {
  dudleyBound,
  entropyIntegral,
  farthestFirst,
  sampleDiameter,
} from "../../src/generalization/bounds/entropy-integral.ts";
import {
  affinePatterns,
  coverCount,
  intervalPatterns,
  logSauer,
  rectanglePatterns,
  sauerCount,
  shatteredSize,
  thresholdPatterns,
} from "../../src/generalization/bounds/growth-function.ts";
import {
  drawIndexed,
  halfSpaceLaw,
  indexedRisk,
  knownBayesRisk,
  knownRisk,
} from "../../src/generalization/bounds/known-law.ts";
import { finiteRademacher, massartBound } from "../../src/generalization/bounds/rademacher.ts";
import { bestSigns, signNetwork } from "../../src/generalization/bounds/sign-changes.ts";
import { growthGapBound, networkVcBound, vcGapBound } from "../../src/generalization/bounds/vc.ts";
import {
  logNetworkGrowth,
  vcDimensionBound,
  vcDimensionClosedForm,
} from "../../src/generalization/bounds/vc-dimension.ts";
import { createRandom } from "../../src/numbers/random.ts";

const random = createRandom("bounds of patterns");
const drawn = (m: number, d: number) => Array.from({ length: m }, () => [...random.normal(d)]);

describe("signs that change a few times", () => {
  const changes = (signs: ArrayLike<number>): number =>
    Array.from(signs).filter((s, i) => i > 0 && s !== signs[i - 1]).length;

  it("agree with labels as much as enumeration finds", () => {
    for (let trial = 0; trial < 60; trial++) {
      const m = random.integer(1, 9);
      const labels = Array.from({ length: m }, () => (random.uniform() < 0.5 ? 1 : -1));
      for (let w = 0; w <= 4; w++) {
        const all = Array.from({ length: 2 ** m }, (_, mask) =>
          labels.map((_, i) => ((mask >> i) & 1 ? 1 : -1)),
        );
        const sums = all
          .filter((s) => changes(s) <= w)
          .map((s) => s.reduce((t, v, i) => t + v * labels[i]!, 0));
        const { sum, signs } = bestSigns(labels, w);
        expect(sum).toBe(Math.max(...sums));
        expect(changes(signs)).toBeLessThanOrEqual(w);
        expect(Array.from(signs).reduce((t, v, i) => t + v * labels[i]!, 0)).toBe(sum);
      }
    }
  });

  it("are those of a network with as many units, and not fewer", () => {
    const points = [0, 0.5, 0.6, 2, 2.5];
    for (let mask = 0; mask < 32; mask++) {
      const signs = points.map((_, i) => ((mask >> i) & 1 ? 1 : -1));
      const [hidden, output] = signNetwork(points, signs, 4);
      const says = points.map((x) =>
        hidden.W.reduce(
          (sum, [a], j) => sum + output.W[0]![j]! * Math.max(0, a! * x + hidden.b[j]!),
          output.b[0]!,
        ),
      );
      expect(says.map(Math.sign)).toEqual(signs);
      const needed = changes(signs);
      if (needed > 0) expect(() => signNetwork(points, signs, needed - 1)).toThrow(/units/);
    }
  });
});

describe("patterns", () => {
  it("of affine classifiers are Cover's count", () => {
    for (const d of [1, 2, 3])
      for (let m = 1; m <= 8; m++) expect(affinePatterns(drawn(m, d)).size).toBe(coverCount(m, d));
    expect([1, 2, 3, 4].map((m) => coverCount(m, 2))).toEqual([2, 4, 8, 14]);
  });

  it("of classes on the line have their closed forms", () => {
    for (let m = 1; m <= 8; m++) {
      expect(thresholdPatterns(drawn(m, 1)).size).toBe(m + 1);
      expect(intervalPatterns(drawn(m, 1)).size).toBe((m * (m + 1)) / 2 + 1);
    }
  });

  it("of rectangles shatter a diamond, and no five points", () => {
    const diamond = [
      [1, 0],
      [-1, 0.1],
      [0, 1],
      [0.1, -1],
    ];
    expect(rectanglePatterns(diamond).size).toBe(16);
    for (let k = 0; k < 20; k++)
      expect(shatteredSize(rectanglePatterns(drawn(5, 2)), 5)).toBeLessThanOrEqual(4);
  });

  it("are at most Sauer's many", () => {
    expect(sauerCount(10, 3)).toBe(1 + 10 + 45 + 120);
    expect(sauerCount(3, 5)).toBe(8);
    for (const [m, D] of [
      [60, 5],
      [100, 20],
      [200, 1],
    ] as const)
      expect(logSauer(m, D)).toBeGreaterThanOrEqual(Math.log(sauerCount(m, D)));
  });
});

describe("VC dimension of networks", () => {
  it("has the values that were worked out elsewhere", () => {
    expect(vcDimensionClosedForm({ widths: [2, 3, 1] })).toBeCloseTo(178.4, 1);
    expect(vcDimensionBound({ widths: [2, 3, 1] })).toBe(169);
    expect(vcDimensionBound({ widths: [5, 1] })).toBe(29);
    expect(vcDimensionBound({ widths: [784, 300, 100, 1] }) / 1.0356e7).toBeCloseTo(1, 3);
    expect(vcDimensionClosedForm({ widths: [784, 300, 100, 1] })! / 1.2215e7).toBeCloseTo(1, 3);
    expect(vcDimensionClosedForm({ widths: [3, 1, 1] })).toBeUndefined();
  });

  it("is where the count of patterns falls below 2^m", () => {
    const network = { widths: [2, 3, 1] };
    expect(logNetworkGrowth(network, 169)).toBeCloseTo(169 * Math.LN2, 9);
    expect(logNetworkGrowth(network, 170)).toBeLessThan(170 * Math.LN2);
    expect(() => vcDimensionBound({ widths: [2, 3, 2] })).toThrow(/one output/);
  });

  it("counts labels of several classes", () => {
    expect(logNetworkGrowth({ widths: [2, 3, 10] }, 5)).toBeCloseTo(5 * Math.log(10), 12);
    expect(logNetworkGrowth({ widths: [2, 3, 10] }, 1e6)).toBeLessThan(1e6 * Math.LN2);
  });
});

describe("uniform convergence", () => {
  it("by growth is never worse than by the dimension", () => {
    for (const n of [10, 100, 1000]) {
      const byGrowth = growthGapBound({ logGrowth: Math.log(sauerCount(n, 2)), n, delta: 0.05 });
      const byDimension = vcGapBound({ dimension: 2, n, delta: 0.05 });
      expect(byGrowth.value).toBeLessThanOrEqual(byDimension.value!);
    }
  });

  it("is vacuous for networks with more parameters than examples", () => {
    const options = { empirical: 0, piecewise: true, n: 60_000, delta: 0.05, widths: [784, 300, 10] };
    expect(networkVcBound(options).vacuous).toBe(true);
    expect(networkVcBound({ ...options, widths: [2, 3, 1], n: 1e6 }).value).toBeLessThan(0.05);
    expect(networkVcBound({ ...options, piecewise: false }).unmet).toEqual([
      "activations are piecewise polynomial",
    ]);
  });
});

describe("Rademacher complexities", () => {
  it("of a single function are 0, and not with absolute values", () => {
    expect(finiteRademacher([[1, 1, 1]])).toEqual({ plain: 0, absolute: 0.5, standardError: 0 });
    expect(dudleyBound([[1, 1, 1]])).toEqual({ plain: 0, absolute: 1 / Math.sqrt(3) });
  });

  it("lie below Massart's and Dudley's bounds", () => {
    for (let k = 0; k < 40; k++) {
      const vectors = drawn(random.integer(1, 20), 6);
      const { plain, absolute } = finiteRademacher(vectors);
      const dudley = dudleyBound(vectors);
      expect(plain).toBeLessThanOrEqual(Math.min(massartBound(vectors), dudley.plain) + 1e-12);
      expect(absolute).toBeLessThanOrEqual(Math.min(massartBound(vectors, true), dudley.absolute) + 1e-12);
    }
  });

  it("integrate the entropy of two points in closed form", () => {
    const pair = [
      [0, 0],
      [2, 2],
    ];
    expect(sampleDiameter(pair)).toBe(2);
    expect(entropyIntegral(farthestFirst(pair), 1)).toBeCloseTo(Math.sqrt(Math.LN2), 12);
    expect(() => finiteRademacher([new Array(21).fill(1)])).toThrow(/too many/);
  });
});

describe("known laws", () => {
  it("have the risks that samples tend to", () => {
    const law = halfSpaceLaw(30, 3, 0.1, random);
    const sample = drawIndexed(law, 20_000, random);
    const says = (j: number): number => Number(law.points[j]![0]! > 0);
    // Hoeffding at 1e-9.
    expect(Math.abs(indexedRisk(sample, says) - knownRisk(law, says))).toBeLessThan(
      Math.sqrt(Math.log(2e9) / 40_000),
    );
    expect(knownBayesRisk(law)).toBeCloseTo(0.1, 12);
  });
});
