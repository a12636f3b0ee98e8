// Double descent with features in the order of their importance: against plain regressions, all features drawn.
import { leftOut, orderedRisk, sweetSpots } from "@lemmata/core/generalization";
import { leastSquares, matrixOfRows } from "@lemmata/core/linear-algebra";
import { createRandom } from "@lemmata/core/numbers";
import { describe, expect, it } from "vitest";

describe("features in the order of their importance", () => {
  const task = { m: 10, signal: 9, noise: 0.5, decay: 2 };

  it("hold the whole signal together", () => {
    expect(leftOut(task, 0)).toBe(9);
    expect(leftOut(task, 10)).toBe(9 / 4);
    expect(leftOut(task, 1e9)).toBeLessThan(1e-12);
  });

  it.each([2, 4, 7, 15, 40])("%d of them: regressions on drawn data err as expected", async (d) => {
    const random = createRandom(20 + d);
    const all = 200; // what the features after these hold is noise like any other, 0.02
    const target = Array.from({ length: all }, (_, k) => Math.sqrt(leftOut(task, k) - leftOut(task, k + 1)));
    const noise = Math.sqrt(task.noise + leftOut(task, all));
    const risks: number[] = [];
    for (let k = 0; k < 1500; k++) {
      const x = Array.from({ length: task.m }, () => [...random.normal(all)]);
      const y = x.map((v) => [v.reduce((s, a, j) => s + a * target[j]!, 0) + noise * random.normal()]);
      const { solution } = await leastSquares(matrixOfRows(x.map((v) => v.slice(0, d))), matrixOfRows(y));
      risks.push(target.reduce((s, t, j) => s + (t - (solution.entries[j] ?? 0)) ** 2, leftOut(task, all)));
    }
    const mean = risks.reduce((s, v) => s + v, 0) / risks.length;
    const spread = Math.sqrt(risks.reduce((s, v) => s + (v - mean) ** 2, 0)) / risks.length;
    expect(Math.abs(mean - orderedRisk(task, d))).toBeLessThan(4 * spread);
    expect(spread).toBeLessThan(mean / 10);
  });

  it("have the least risk before the peak and beyond it where a plain search finds them", () => {
    for (const decay of [0.5, 2, 5]) {
      const [before, beyond] = sweetSpots({ ...task, decay });
      const all = Array.from({ length: 120 }, (_, k) => orderedRisk({ ...task, decay }, k + 1));
      expect(before.risk).toBe(Math.min(...all.slice(0, 8)));
      expect(beyond.risk).toBe(Math.min(...all.slice(11)));
      expect([all[before.d - 1], all[beyond.d - 1]]).toEqual([before.risk, beyond.risk]);
    }
  });
});
