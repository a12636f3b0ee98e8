import { describe, expect, it } from "vitest";
import {
  bumpConstant,
  fewestWeights,
  fewestWeightsOfAnyDepth,
  gridPoint,
  labelledFunction,
  labelNetwork,
  mostShattered,
  reluVcBound,
  splineBump,
} from "../../src/approximate/shattering/index.ts";
import { run } from "../../src/engine/run.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";

describe("bumps", () => {
  it.each([1, 2, 3, 4, 5, 6])("of degree %i have derivatives within bounds that are nearly reached", (n) => {
    const bump = splineBump(n);
    expect(bump.value(0)).toBeCloseTo(1, 12);
    for (let k = 0; k <= n; k++) {
      let most = 0;
      for (let i = 0; i <= 4000; i++) most = Math.max(most, Math.abs(bump.derivative(k, i / 4000 - 0.5)));
      expect(most).toBeLessThanOrEqual(bump.bounds[k]! * (1 + 1e-12));
      expect(most).toBeGreaterThan(bump.bounds[k]! * 0.98);
    }
    for (const t of [-0.6, -0.5, 0.5, 0.7]) expect(bump.value(t)).toBeCloseTo(0, 12);
  });

  it("have derivatives that are those of their values", () => {
    const [bump, h] = [splineBump(4), 1e-5];
    for (const t of [-0.41, -0.17, 0.03, 0.33])
      for (const k of [0, 1, 2])
        expect((bump.derivative(k, t + h) - bump.derivative(k, t - h)) / (2 * h)).toBeCloseTo(
          bump.derivative(k + 1, t),
          3,
        );
  });
});

describe("labelled functions", () => {
  it("take all labels on the grid, and networks near them give the labels back", async () => {
    const random = createRandom(2);
    for (const [d, n, N] of [
      [1, 3, 7],
      [2, 2, 5],
      [2, 4, 3],
    ] as const) {
      const labels = Array.from({ length: N ** d }, () => random.integer(0, 1));
      const f = labelledFunction(d, n, N, labels);
      const centres = labels.map((_, m) => gridPoint(m, N, d));
      labels.forEach((y, m) => {
        expect(f.value(centres[m]!)).toBeCloseTo(y * f.amplitude, 14);
      });
      const { y } = await run(labelNetwork(d, N, labels, f.amplitude), { x: tensor(centres) });
      expect(Array.from(numbers(y!), (v) => (v > f.amplitude / 2 ? 1 : 0))).toEqual(labels);
    }
  });

  it("refuse labels of another grid", () => {
    expect(() => labelledFunction(2, 2, 3, [0, 1])).toThrow("has 9 labels, not 2");
  });

  it("have amplitudes that alternating labels cannot exceed by much", () => {
    // The n-th difference of alternating values A is 2^(n-1) A N^n <= 1.
    for (const n of [1, 2, 3, 4]) expect(bumpConstant(n, 1)).toBeLessThanOrEqual(2 ** (1 - n));
  });
});

describe("VC bounds", () => {
  it("follow from sign patterns", () => {
    const random = createRandom(4);
    for (let trial = 0; trial < 200; trial++) {
      const layers = random.integer(1, 6);
      const units = Array.from({ length: layers }, (_, i) => (i === layers - 1 ? 1 : random.integer(1, 30)));
      const parameters = units.map((k, i) => k * ((units[i - 1] ?? 3) + 1));
      const counts = { parameters, units };
      expect(mostShattered(counts)).toBeLessThanOrEqual(reluVcBound(counts));
    }
    expect(reluVcBound({ parameters: [4], units: [1] })).toBeGreaterThanOrEqual(4); // half-spaces in R^3
  });

  it("invert to the fewest weights", () => {
    for (const points of [10, 1000, 1e6, 1e9]) {
      const W = fewestWeights(points, 3);
      const bound = (w: number): number =>
        3 + 3 * w * Math.log2(4 * Math.E * Math.max(3, 3 * w) * Math.log2(2 * Math.E * Math.max(3, 3 * w)));
      expect(bound(W)).toBeGreaterThanOrEqual(points);
      if (W > 1) expect(bound(W - 1)).toBeLessThan(points);
      expect(fewestWeightsOfAnyDepth(points)).toBeLessThanOrEqual(Math.max(W, 3));
    }
  });
});
