import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kendallTau, measureRanking } from "../../src/audit/rank-correlation.ts";
import type { NamedMeasure } from "../../src/measures/measure-row.ts";

const named = (id: string, value: Partial<NamedMeasure>): NamedMeasure => ({
  ...{ id, name: id, family: "norms", needs: [], formula: "", strength: "checked" },
  ...value,
});

describe("Kendall's tau-b", () => {
  it("known values, ties on both sides included", () => {
    expect(kendallTau([1, 2, 3, 4], [1, 2, 3, 4])).toBe(1);
    expect(kendallTau([1, 2, 3, 4], [4, 3, 2, 1])).toBe(-1);
    // The example of scipy.stats.kendalltau.
    expect(kendallTau([12, 2, 1, 12, 2], [1, 4, 7, 1, 0])).toBeCloseTo(-0.47140452079103173, 14);
    expect(kendallTau([1, 1, 1], [1, 2, 3])).toBeUndefined();
    expect(kendallTau([], [])).toBeUndefined();
    expect(kendallTau([1, Number.NaN], [1, 2])).toBeUndefined();
    expect(kendallTau([1, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY], [0, 1, 1])).toBe(1);
    expect(() => kendallTau([1], [1, 2])).toThrow(/1 numbers/);
  });

  it("lies in [-1, 1], is symmetric, and does not change under increasing maps", () => {
    const rows = fc.array(fc.tuple(fc.integer({ min: -4, max: 4 }), fc.integer({ min: -4, max: 4 })), {
      minLength: 2,
      maxLength: 12,
    });
    fc.assert(
      fc.property(rows, (pairs) => {
        const [x, y] = [pairs.map(([a]) => a), pairs.map(([, b]) => b)];
        const tau = kendallTau(x, y);
        expect(kendallTau(y, x)).toBe(tau);
        expect(
          kendallTau(
            x.map((v) => v ** 3 + v),
            y.map(Math.exp),
          ),
        ).toBe(tau);
        if (tau === undefined) return;
        expect(Math.abs(tau)).toBeLessThanOrEqual(1 + 1e-12);
        expect(
          kendallTau(
            x.map((v) => -v),
            y,
          ),
        ).toBeCloseTo(-tau, 12);
      }),
    );
  });
});

describe("the ranking of measures", () => {
  it("uses the logarithm beyond the range of doubles, skips models without a value, sorts by tau", () => {
    const rows = [0.01, 0.02, 0.03, 0.04].map((gap, k) => ({
      gap,
      measures: [
        named("against", { value: -k }),
        named("with", { log: 800 + k }),
        named("partly", k === 0 ? { reason: "missing" } : { value: k % 2 }),
        named("constant", { value: 7 }),
      ],
    }));
    expect(measureRanking(rows).map(({ id, tau, count }) => [id, tau?.toFixed(3), count])).toEqual([
      ["with", "1.000", 4],
      ["partly", "0.000", 3],
      ["against", "-1.000", 4],
      ["constant", undefined, 4],
    ]);
    expect(measureRanking([])).toEqual([]);
  });
});
