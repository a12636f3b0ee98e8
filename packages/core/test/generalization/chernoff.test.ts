import { describe, expect, it } from "vitest";
import { type FiniteLaw, logChernoff } from "../../src/generalization/bounds/chernoff.ts";
import { splitQuantile } from "../../src/generalization/path-space/matrix-bernstein.ts";
import { createRandom } from "../../src/numbers/random.ts";

/** P[the sum of n draws is at least n (mean + t)], by convolution; values are whole numbers. */
function exactTail({ values, probabilities }: FiniteLaw, n: number, t: number): number {
  const least = Math.min(...values);
  const span = Math.max(...values) - least;
  let sums = new Float64Array([1]);
  for (let draw = 0; draw < n; draw++) {
    const next = new Float64Array(sums.length + span);
    sums.forEach((share, at) => {
      values.forEach((v, i) => {
        next[at + v - least]! += share * probabilities[i]!;
      });
    });
    sums = next;
  }
  const mean = values.reduce((sum, v, i) => sum + v * probabilities[i]!, 0);
  return sums.reduce(
    (sum, share, at) => (at + n * least >= n * (mean + t) * (1 + 1e-12) ? sum + share : sum),
    0,
  );
}

describe("logChernoff", () => {
  it("is at least the exact probability, and its exponent is the right one", () => {
    const random = createRandom("chernoff");
    for (let trial = 0; trial < 40; trial++) {
      const size = random.integer(2, 4);
      const values = Array.from({ length: size }, () => random.integer(-6, 6));
      const weights = values.map(() => 0.05 + random.uniform());
      const total = weights.reduce((a, b) => a + b);
      const law = { values, probabilities: weights.map((w) => w / total) };
      const mean = values.reduce((sum, v, i) => sum + v * law.probabilities[i]!, 0);
      const n = random.integer(20, 80);
      const t = (Math.max(...values) - mean) * random.uniform() * 0.9;
      const exact = exactTail(law, n, t);
      const bound = Math.exp(logChernoff(law, n, t));
      expect(bound).toBeGreaterThanOrEqual(exact);
      // Counting types: P >= e^(-n I) / (n + 1)^size, where some type has this mean; sums are whole numbers, so a bit more.
      if (exact > 0) expect(bound).toBeLessThanOrEqual(exact * 4 * (n + 1) ** size);
    }
  });

  it("is below Bernstein's, which the theorems use", () => {
    const random = createRandom("chernoff, bernstein");
    for (let trial = 0; trial < 200; trial++) {
      const values = Array.from({ length: 10 }, () => -(random.normal() ** 2));
      const mean = values.reduce((a, b) => a + b) / 10;
      const variance = values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / 10;
      const R = Math.max(...values.map((v) => v - mean));
      const n = random.integer(50, 2000);
      const t = splitQuantile({ logDimension: 0, R: R / n, variance: variance / n }, 0.01);
      const law = { values, probabilities: values.map(() => 0.1) };
      expect(logChernoff(law, n, t)).toBeLessThanOrEqual(Math.log(0.01));
      expect(logChernoff(law, n, t / 1.1)).toBeLessThanOrEqual(Math.log(0.01) / 1.21);
    }
  });

  it("is impossible above the greatest value, all draws at it, and nothing below the mean", () => {
    const law = { values: [0, 7, 1], probabilities: [0.5, 0, 0.5] };
    expect(logChernoff(law, 10, 0.6)).toBe(Number.NEGATIVE_INFINITY);
    expect(logChernoff(law, 10, 0.5)).toBeCloseTo(-10 * Math.LN2, 4);
    expect(logChernoff(law, 10, 0)).toBe(0);
    expect(logChernoff(law, 10, -1)).toBe(0);
    expect(logChernoff({ values: [3], probabilities: [1] }, 5, 1e-3)).toBe(Number.NEGATIVE_INFINITY);
  });
});
