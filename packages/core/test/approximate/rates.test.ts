import { describe, expect, it } from "vitest";
import {
  chebyshevTail,
  exponentGap,
  featureWidth,
  jacksonBound,
  lebesgueBound,
  localTaylorError,
  powerCoefficients,
  rateCard,
  rateMeasurements,
} from "../../src/approximate/rates/index.ts";
import { taylorData } from "../../src/approximate/sobolev/index.ts";
import { graphOnBox } from "../../src/approximate/sobolev/yarotsky.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { fitPowerLaw } from "../../src/numbers/statistics.ts";

describe("local Taylor polynomials", () => {
  const sides = ["x", "y"].map((name) => ({ name, lower: -1, upper: 2 }));
  const graph = graphOnBox("1 + x - 2*y + x*y + 3*y^2", sides);
  const f = ([x, y]: readonly number[]): number => 1 + x! - 2 * y! + x! * y! + 3 * y! ** 2;
  const random = createRandom("taylor");
  const points = Array.from({ length: 50 }, () => Array.from(random.uniform(2), (t) => -1 + 3 * t));

  it("are a polynomial of their degree, and err by its rest of a higher one", () => {
    expect(localTaylorError(taylorData(graph, sides, 3, 2), f, points)).toBeLessThan(1e-11);
    const error = localTaylorError(taylorData(graph, sides, 2, 2), f, points);
    // Nodes are 3/2 apart: a point is at most a whole cell away, and the rest is h k + 3 k^2.
    expect(error).toBeGreaterThan(0.01);
    expect(error).toBeLessThan(4 * 1.5 ** 2);
  });
});

describe("the rate card", () => {
  it("never puts a lower bound above an upper bound of the same model", () => {
    for (let d = 1; d <= 20; d++)
      for (const n of [0.5, 1, 1.5, 2, 3, 8])
        for (const r of [0, 0.25, 1].filter((each) => each < n))
          expect(exponentGap(rateCard({ d, n, r }))).toBeGreaterThanOrEqual(0);
    const wrong = rateCard({ d: 3, n: 2 }).map((row) =>
      row.theorem === "Theorem 3.6" ? { ...row, exponent: 3 - 1 / 2 } : row,
    );
    expect(exponentGap(wrong)).toBeLessThan(0); // the exponent as printed
  });

  it("has the exponents of the theorems", () => {
    const of = (theorem: string, d: number, n: number, r = 0) =>
      rateCard({ d, n, r }).find((row) => row.theorem === theorem)?.exponent;
    expect(of("Theorem 3.6", 5, 2)).toBe(2);
    expect(of("Theorem 3.6", 1, 2)).toBeUndefined();
    expect(of("Theorem 3.9", 3, 1)).toBe(1.5);
    expect(of("Theorem 3.10", 4, 3, 1)).toBe(2);
    expect(of("Theorem 3.12", 4, 3, 1)).toBe(1);
    expect(of("Montanelli and Du", 9, 2)).toBe(0.5);
    expect(rateCard({ d: 9, n: 2 }).find((row) => row.lemma === "C3-30")?.logarithms).toBe(13);
  });

  it("refuses questions without sense", () => {
    expect(() => rateCard({ d: 0, n: 1 })).toThrow("needs a dimension, not 0");
    expect(() => rateCard({ d: 1, n: 0 })).toThrow("positive smoothness");
    expect(() => rateCard({ d: 1, n: 1, r: 1 })).toThrow("r < n = 1");
  });

  it.each(rateMeasurements.map((m) => [m.name, m] as const))("fits %s", (_, m) => {
    for (const [d, n] of [
      [1, 1],
      [2, 3],
    ] as const) {
      const points = m.measure(createRandom(1), d, n);
      const { exponent } = fitPowerLaw(
        points.map((p) => p[0]),
        points.map((p) => p[1]),
      );
      expect(Math.abs(exponent / m.exponent(d, n) + 1)).toBeLessThan(0.15); // sampled sups and logarithms are the coarsest
    }
  });
});

describe("Chebyshev sums of |x|^m", () => {
  it("have the coefficients of the integral", () => {
    for (const m of [1, 3, 5]) {
      const c = powerCoefficients(m, 6);
      for (let i = 0; i < 6; i++) {
        let sum = 0;
        const steps = 20000;
        for (let k = 0; k < steps; k++) {
          const t = ((k + 0.5) * Math.PI) / steps;
          sum += Math.abs(Math.cos(t)) ** m * Math.cos(2 * i * t);
        }
        expect(c[i]).toBeCloseTo(((i === 0 ? 1 : 2) * sum) / steps, 7);
      }
    }
    expect(() => powerCoefficients(2, 3)).toThrow("odd m only");
  });

  it("err at 0 by what their own terms there leave", () => {
    for (const m of [1, 3, 5])
      for (const k of [4, 7, 20, 41]) {
        const terms = powerCoefficients(m, Math.floor(k / 2) + 1).map((c, i) => (i % 2 === 0 ? c : -c));
        const sum = Math.abs(terms.reduce((total, c) => total + c, 0));
        expect(Math.abs(chebyshevTail(m, k) - sum)).toBeLessThan(1e-14);
      }
    // Far below the rounding of that sum.
    expect((chebyshevTail(7, 4096) / chebyshevTail(7, 2048)) * 2 ** 7).toBeCloseTo(1, 2);
  });

  it("keep to Jackson's theorem, up to Lebesgue's constant", () => {
    for (const [m, factorial] of [
      [1, 1],
      [3, 6],
      [5, 120],
    ] as const)
      for (const k of [6, 20, 101, 800])
        expect(chebyshevTail(m, k)).toBeLessThanOrEqual(
          (1 + lebesgueBound(k)) * jacksonBound(m, k, factorial),
        );
  });
});

it("fixed features leave some function of the unit ball far away, whatever the second layer", () => {
  const random = createRandom(8);
  for (const [d, n, side] of [
    [1, 2, 9],
    [2, 1, 5],
    [2, 3, 4],
  ] as const) {
    const { features, lower, leastSquares } = featureWidth("logistic", d, n, side, random);
    expect(features).toBe(side ** d - 1);
    expect(leastSquares).toBeGreaterThanOrEqual(lower * (1 - 1e-9));
    expect(lower).toBeGreaterThan(0);
  }
});
