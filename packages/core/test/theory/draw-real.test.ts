import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drawReal } from "../../src/theory/draw-real.ts";

const draws = (interval: Parameters<typeof drawReal>[0], numRuns = 2000): number[] =>
  fc.sample(drawReal(interval), { numRuns, seed: 7 });

/** The simplest counterexample to "always below" or "always above" that fast-check ends with. */
const shrunk = (interval: Parameters<typeof drawReal>[0], holds: (x: number) => boolean): number =>
  fc.check(fc.property(drawReal(interval), holds), { seed: 3, numRuns: 5000 }).counterexample![0];

const share = (values: readonly number[], from: number, to: number): number =>
  values.filter((v) => v > from && v < to).length / values.length;

describe("a real parameter", () => {
  it("is drawn within its range, the ends and the default often", () => {
    for (const interval of [
      { min: 0, max: 0.4, default: 0.15 },
      { min: -12, max: 0, default: -6 },
      { min: 1e-4, max: 0.1, default: 0.01 },
      { min: -3, max: 5, default: 1 },
      { min: 2, max: 2.5, default: 2 },
    ]) {
      const values = draws(interval);
      expect(values.every((v) => v >= interval.min && v <= interval.max)).toBe(true);
      for (const often of [interval.min, interval.max, interval.default])
        expect(values.filter((v) => v === often).length).toBeGreaterThan(40);
    }
  });

  it("takes ordinary values although the range reaches 0", () => {
    const values = draws({ min: 0, max: 1, default: 0.3 });
    for (let k = 0; k < 10; k++) expect(share(values, k / 10, (k + 1) / 10)).toBeGreaterThan(0.03);
    expect(share(values, 0, 1e-3)).toBeGreaterThan(0.05);
  });

  it("takes every order of magnitude, on both sides of 0", () => {
    const positive = draws({ min: 1e-5, max: 0.1, default: 1e-3 });
    const both = draws({ min: -3, max: 3, default: 1 });
    for (const decade of [1e-5, 1e-4, 1e-3, 1e-2]) {
      expect(share(positive, decade, 10 * decade)).toBeGreaterThan(0.04);
      expect(share(both, decade, 10 * decade)).toBeGreaterThan(0.01);
      expect(share(both, -10 * decade, -decade)).toBeGreaterThan(0.01);
    }
  });

  it("shrinks to few digits, towards 0", () => {
    const unit = { min: 0, max: 1, default: 0.5 };
    expect(shrunk(unit, () => false)).toBe(0);
    expect(shrunk(unit, (x) => x < 0.2718)).toBe(0.3);
    expect(String(shrunk(unit, (x) => x < 0.3111 || x > 0.3189))).toMatch(/^0\.31\d$/);
    expect(shrunk({ min: -3, max: 3, default: 1 }, (x) => x > -1.234)).toBe(-2);
    expect(shrunk({ min: 1e-4, max: 0.1, default: 0.01 }, () => false)).toBe(1e-4);
  });
});
