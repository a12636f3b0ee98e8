import { describe, expect, it } from "vitest";
import { kendallTau } from "../../src/audit/rank-correlation.ts";
import { drawIndexed, halfSpaceLaw } from "../../src/generalization/bounds/known-law.ts";
import { granulatedTau } from "../../src/generalization/granulated-tau.ts";
import { createRandom } from "../../src/numbers/random.ts";
import {
  gridSettings,
  type Layers,
  outputOf,
  startLayers,
  trainLayers,
} from "../../src/theory/book2/measure-ranking-networks.ts";
import {
  chanceLevel,
  denseRanks,
  groupedTau,
  tauByInversions,
} from "../../src/theory/book2/measure-ranking-table.ts";

const random = createRandom("measure ranking");
/** Small whole numbers: ties are frequent. */
const drawn = (n: number): number[] => Array.from({ length: n }, () => random.integer(0, 5));

describe("rank correlations", () => {
  it("agree when counted by pairs and by inversions, ties included", () => {
    for (let trial = 0; trial < 200; trial++) {
      const n = random.integer(2, 12);
      const [x, y] = [drawn(n), drawn(n)];
      const [one, other] = [kendallTau(x, y), tauByInversions(x, y)];
      if (one === undefined) expect(other).toBeUndefined();
      else expect(other).toBeCloseTo(one, 12);
    }
    expect(tauByInversions([1, 2, 3, 4], [4, 3, 2, 1])).toBe(-1);
    expect(denseRanks([0.5, -1, 0.5, 7])).toEqual([1, 0, 1, 2]);
  });

  it("are granulated as means over groups that differ in one setting", () => {
    const settings = gridSettings({
      width: [1, 2, 3],
      depth: [1, 2],
      rate: [1],
      decay: [0, 1],
      seed: [1, 2],
    });
    expect(settings).toHaveLength(24);
    const axes = ["width", "depth", "rate", "decay"];
    for (let trial = 0; trial < 50; trial++) {
      const [x, y] = [drawn(24), drawn(24)];
      const found = granulatedTau(settings, x, y, axes)!;
      expect(found.mean).toBeCloseTo(groupedTau(settings, x, y, axes), 12);
      expect(Object.keys(found.axes)).toEqual(["width", "depth", "decay"]);
    }
    const width = settings.map((s) => s.width!);
    // What grows with the width alone orders by width and says nothing along the others.
    expect(granulatedTau(settings, width, width, axes)!.axes).toEqual({ width: 1, depth: 0, decay: 0 });
    expect(granulatedTau([{ width: 1 }], [1], [1], ["width"])).toBeUndefined();
  });

  it("of dealt gaps exceed the level of chance no more often than stated", () => {
    const [deals, trials, delta] = [39, 300, 0.05];
    let beyond = 0;
    for (let trial = 0; trial < trials; trial++) {
      const values = random.normal(10);
      const row = {
        ...{ name: "", values: [...values], at: [...values.keys()] },
        granulated: { axes: {}, mean: 0 },
      };
      const { dealt, level } = chanceLevel([row], [...random.normal(10)], { delta, deals, random });
      if (dealt > level) beyond++;
    }
    expect(beyond).toBeLessThan(40); // the mean is at most 15, its deviation 3.8
    expect(beyond).toBeGreaterThan(0);
  });
});

describe("networks of the grid", () => {
  it("are trained along the true gradient", () => {
    const law = halfSpaceLaw(30, 3, 0.1, random);
    const sample = drawIndexed(law, 12, random);
    const start = startLayers(3, { width: 4, depth: 2 }, random);
    const [rate, decay] = [1e-3, 0.1];
    const step = trainLayers(start, law, sample, { rate, decay, steps: 1 });
    const objective = (layers: Layers): number => {
      let sum = 0;
      sample.inputs.forEach((j, i) => {
        sum += Math.log1p(Math.exp(-sample.labels[i]! * outputOf(layers, law.points[j]!)));
      });
      const square = layers.flat(2).reduce((s, w) => s + w * w, 0);
      return sum / sample.inputs.length + (decay / 2) * square;
    };
    const h = 1e-6;
    start.forEach((W, l) => {
      W.forEach((row, r) => {
        row.forEach((w, k) => {
          const moved = (by: number): Layers =>
            start.map((V, m) => (m === l ? V.map((v, q) => (q === r ? v.with(k, w + by) : v)) : V));
          const slope = (objective(moved(h)) - objective(moved(-h))) / (2 * h);
          expect((w - step[l]![r]![k]!) / rate).toBeCloseTo(slope, 6);
        });
      });
    });
  });
});
