import { describe, expect, it } from "vitest";
import {
  ballPoints,
  barronTarget,
  drawPairs,
  drawSignedThresholds,
  drawThresholds,
  expectedMaureyError,
  expectedStratifiedError,
  maureySample,
  meanSquaredGap,
  orthogonalGreedy,
  type RidgeSum,
  relaxedGreedy,
  representedValue,
  ridgeNetwork,
  ridgeValues,
  sharpNetwork,
  spectralNodes,
  strata,
  stratifiedSampler,
  thresholdMass,
  totalMass,
  unitRows,
  waveSum,
} from "../../src/approximate/barron/index.ts";
import { run } from "../../src/engine/run.ts";
import { readModel, writeModel } from "../../src/graph/onnx/index.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";

const names = ["gaussian", "odd", "packet", "bumps", "waves"] as const;
const zero = (d: number): Float64Array => new Float64Array(d);

describe("the representation by units", () => {
  it.each([1, 2, 3])("is the function on the ball, in %d variables, with thresholds and with ReLUs", (d) => {
    const random = createRandom(d);
    for (const name of names) {
      const f = barronTarget(name, d, 0.6);
      const nodes = spectralNodes(f, { panels: d === 3 ? 9 : 12 });
      const x = random.sphere(d);
      const gain = f.value(x) - f.value(zero(d));
      const linear = x.reduce((sum, v, i) => sum + v * f.slope[i]!, 0);
      expect(representedValue(nodes, "threshold", x)).toBeCloseTo(gain, 6);
      expect(representedValue(nodes, "relu", x)).toBeCloseTo(gain - linear, 6);
    }
  });

  it("fails outside of it", () => {
    const f = barronTarget("gaussian", 1, 0.5);
    const nodes = spectralNodes(f);
    const inside = representedValue(nodes, "threshold", [1]);
    expect(representedValue(nodes, "threshold", [1.8])).toBeCloseTo(inside, 10); // no thresholds beyond 1
    expect(Math.abs(inside - (f.value([1.8]) - 1))).toBeGreaterThan(0.1);
  });

  it("has the mass 1.2735 for x exp(-2 x^2)", () => {
    expect(thresholdMass(spectralNodes(barronTarget("odd", 1, 0.5)))).toBeCloseTo(1.2735, 4);
  });

  /** How many standard deviations the mean of a network of n independent parts is off at x. */
  function deviations(
    draw: (random: Random) => RidgeSum,
    want: number,
    x: Float64Array,
    seed: number,
  ): number {
    const random = createRandom(seed);
    const values = Array.from({ length: 1500 }, () => ridgeValues(draw(random), [x])[0]!);
    const mean = values.reduce((sum, v) => sum + v / values.length, 0);
    const variance = values.reduce((sum, v) => sum + (v - mean) ** 2 / values.length, 0);
    return Math.abs(mean - want) / Math.sqrt(variance / values.length + 1e-30);
  }

  it("is the mean of what is drawn, also where the waves come with one sign only", () => {
    for (const name of names)
      for (const d of [1, 3]) {
        const f = barronTarget(name, d, 0.6);
        const x = createRandom(d).sphere(d);
        const want = f.value(x);
        expect(deviations((r) => drawThresholds(f, 2, r), want, x, 1)).toBeLessThan(5);
        expect(deviations((r) => drawPairs(f, "threshold", 1, r), want, x, 2)).toBeLessThan(5);
        expect(deviations((r) => drawPairs(f, "relu", 1, r), want, x, 3)).toBeLessThan(5);
        if (!f.tight) continue;
        const mass = thresholdMass(spectralNodes(f));
        expect(deviations((r) => drawSignedThresholds(f, 2, mass, r), want, x, 4)).toBeLessThan(5);
      }
  });

  it("has nothing to draw from a constant", () => {
    const constant = waveSum([{ weight: 1, omega: zero(2), phase: 0 }]);
    expect(() => drawPairs(constant, "relu", 3, createRandom(1))).toThrow("there is nothing to draw from");
  });
});

function someNetwork(activation: "threshold" | "relu", d: number, M: number, seed: number): RidgeSum {
  const random = createRandom(seed);
  const units = Array.from({ length: M }, () => ({
    direction: random.sphere(d),
    offset: 2 * random.uniform() - 1,
    weight: random.normal(),
  }));
  return { dimension: d, activation, units, bias: 0.3 };
}

describe("Maurey's sampling", () => {
  const wide = someNetwork("relu", 2, 40, 1);
  const points = ballPoints(2, 60, createRandom(2));
  const rows = unitRows(wide, points);
  const values = ridgeValues(wide, points);

  it("has the exact mean squared error for one draw, all draws enumerated", () => {
    const mass = totalMass(wide);
    const mean = wide.units.reduce((sum, u) => {
      const one = { ...wide, units: [{ ...u, weight: Math.sign(u.weight) * mass }] };
      return sum + (Math.abs(u.weight) / mass) * meanSquaredGap(values, ridgeValues(one, points));
    }, 0);
    expect(expectedMaureyError(wide, rows, 1)).toBeCloseTo(mean, 10);
    expect(expectedMaureyError(wide, rows, 8)).toBeCloseTo(mean / 8, 10);
  });

  it("of strata has the exact one too, below that of independent draws", () => {
    const random = createRandom(5);
    const draw = stratifiedSampler(wide, 16);
    const errors = Array.from({ length: 2000 }, () =>
      meanSquaredGap(values, ridgeValues(draw(random), points)),
    );
    const mean = errors.reduce((sum, e) => sum + e / errors.length, 0);
    const exact = expectedStratifiedError(wide, rows, 16);
    expect(mean / exact).toBeCloseTo(1, 1);
    expect(exact).toBeLessThan(expectedMaureyError(wide, rows, 16));
  });

  it("keeps the mass and gives equal weights", () => {
    const sample = maureySample(wide, 7, createRandom(1));
    for (const { weight } of sample.units) expect(Math.abs(weight)).toBeCloseTo(totalMass(wide) / 7, 12);
  });

  it("cuts a measure into strata of one sign that make it up", () => {
    for (const [d, k] of [
      [1, 4],
      [1, 9],
      [2, 2],
      [3, 17],
    ] as const) {
      const { units } = someNetwork("threshold", d, 50, 3);
      const cells = strata(units, k);
      expect(cells).toHaveLength(k);
      const shares = units.map(() => 0);
      for (const { mass, members } of cells) {
        expect(new Set(members.map((m) => Math.sign(units[m.unit]!.weight))).size).toBe(1);
        expect(members.reduce((sum, m) => sum + m.share, 0)).toBeCloseTo(mass, 12);
        for (const m of members) shares[m.unit]! += m.share;
      }
      for (const [j, share] of shares.entries()) expect(share).toBeCloseTo(Math.abs(units[j]!.weight), 12);
    }
    expect(() => strata(someNetwork("relu", 2, 9, 1).units, 1)).toThrow("need as many strata, not 1");
  });

  it("finds nothing to draw from where all weights are 0", () => {
    const none = { ...wide, units: wide.units.map((u) => ({ ...u, weight: 0 })) };
    expect(() => maureySample(none, 3, createRandom(1))).toThrow("no measure to draw from");
  });
});

describe("greedy choices", () => {
  it("need units to choose from", () => {
    const none = { ...someNetwork("relu", 3, 4, 1), units: [] };
    expect(() => relaxedGreedy(none, [], 2)).toThrow("0 rows of values for 0 units");
  });

  it("report the errors of the networks they return, below the theory's", () => {
    for (const activation of ["threshold", "relu"] as const)
      for (let seed = 1; seed <= 5; seed++) {
        const wide = someNetwork(activation, 3, 60, seed);
        const points = ballPoints(3, 80, createRandom(seed));
        const [rows, values] = [unitRows(wide, points), ridgeValues(wide, points)];
        const [relaxed, orthogonal] = [relaxedGreedy(wide, rows, 20), orthogonalGreedy(wide, rows, 20)];
        for (const { sum, squaredErrors } of [relaxed, orthogonal])
          expect(meanSquaredGap(values, ridgeValues(sum, points))).toBeCloseTo(squaredErrors.at(-1)!, 8);
        for (const [n, e] of relaxed.squaredErrors.entries())
          expect(e).toBeLessThanOrEqual(expectedMaureyError(wide, rows, n + 1) * (1 + 1e-12));
        for (const [n, e] of orthogonal.squaredErrors.entries())
          expect(e).toBeLessThanOrEqual(orthogonal.squaredErrors[n - 1] ?? Number.POSITIVE_INFINITY);
      }
  });

  it("are exact once the orthogonal one has all units", () => {
    const wide = someNetwork("relu", 2, 6, 4);
    const rows = unitRows(wide, ballPoints(2, 50, createRandom(1)));
    expect(orthogonalGreedy(wide, rows, 10).squaredErrors.at(-1)).toBeLessThan(1e-20);
  });
});

describe("the networks", () => {
  const f = barronTarget("odd", 3, 0.6);
  const points = ballPoints(3, 50, createRandom(8));
  const input = { x: tensor(points.map((x) => [...x])) };

  it.each(["threshold", "relu"] as const)("of %s units are written as ONNX and run", async (activation) => {
    const sum = drawPairs(f, activation, 12, createRandom(1));
    const { y } = await run(readModel(writeModel(ridgeNetwork(sum))), input);
    const want = ridgeValues(sum, points);
    for (const [i, v] of Array.from(numbers(y!)).entries()) expect(v).toBeCloseTo(want[i]!, 12);
  });

  it("of steep units tend to the steps", async () => {
    const sum = drawPairs(f, "threshold", 12, createRandom(1));
    const want = ridgeValues(sum, points);
    for (const activation of ["logistic", "relu"] as const) {
      const { y } = await run(sharpNetwork(sum, activation, 1e9), input);
      expect(meanSquaredGap(want, Float64Array.from(numbers(y!)))).toBeLessThan(1e-12);
    }
    expect(() => sharpNetwork(drawPairs(f, "relu", 2, createRandom(1)), "relu", 3)).toThrow(
      "only thresholds",
    );
  });
});
