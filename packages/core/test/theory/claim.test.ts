import { describe, expect, it } from "vitest";
import { div } from "../../src/numbers/exact/rational.ts";
import {
  atLeast,
  atMost,
  checked,
  equals,
  fitted,
  holds,
  judge,
  proved,
  sampled,
} from "../../src/theory/claim.ts";

describe("a claim", () => {
  it("is judged exactly", () => {
    expect(holds(equals("1/3"), proved(div(1, 3), div(2, 6)))).toBe(true);
    expect(holds(equals("1/3"), proved(div(1, 3), 1 / 3))).toBe(false);
    expect(holds(atMost("1"), checked(1, 1))).toBe(true);
    expect(holds(atMost("1"), checked(1 + 2 ** -52, 1))).toBe(false);
    expect(holds(atLeast("1"), checked(1 - 2 ** -53, 1))).toBe(false);
  });

  it("allows for the rounding of its own measurement only when told", () => {
    expect(holds(equals("1"), sampled(1 + 1e-9, 1))).toBe(false);
    expect(holds(equals("1"), sampled(1 + 1e-9, 1, { tolerance: 1e-8 }))).toBe(true);
    expect(holds(atMost("1"), sampled(1 + 1e-7, 1, { tolerance: 1e-8 }))).toBe(false);
  });

  it("never holds for NaN, and orders infinities", () => {
    for (const statement of [atMost("1"), equals("1"), atLeast("1")]) {
      expect(holds(statement, sampled(Number.NaN, 1))).toBe(false);
      expect(holds(statement, sampled(1, Number.NaN))).toBe(false);
    }
    expect(holds(atMost("1"), sampled(Number.POSITIVE_INFINITY, 1))).toBe(false);
    expect(holds(atLeast("1"), sampled(Number.POSITIVE_INFINITY, 1))).toBe(true);
    expect(holds(atMost("oo"), sampled(1, Number.POSITIVE_INFINITY))).toBe(true);
    expect(holds(equals("oo"), sampled(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY))).toBe(true);
    expect(holds(atMost("?"), sampled(Number.POSITIVE_INFINITY, Number.NaN))).toBe(false);
    expect(() => judge("c", equals("1"), sampled(Number.NaN, 1))).toThrow('claim "c": measured NaN');
  });

  it("about a rate is judged by its confidence interval", () => {
    const points = [1, 2, 4, 8, 16, 32, 64, 128].map(
      (n, k) => [n, n ** -2 * (1 + 0.01 * (-1) ** k)] as const,
    );
    expect(holds(equals("-2").rate(), fitted(points, -2)!)).toBe(true);
    expect(holds(atMost("-2").rate(), fitted(points, -2)!)).toBe(true);
    expect(holds(equals("-1").rate(), fitted(points, -1)!)).toBe(false);
    expect(holds(atMost("-2.5").rate(), fitted(points, -2.5)!)).toBe(false);
    expect(holds(atLeast("-2.5").rate(), fitted(points, -2.5)!)).toBe(true);
    const { interval, measured } = fitted(points, -2)!;
    expect(interval!.lower).toBeLessThan(measured as number);
    expect(interval!.upper).toBeGreaterThan(measured as number);
  });

  it("about a rate is not judged at all where the points leave its exponent open", () => {
    const noisy = (sizes: readonly number[], noise: number) =>
      sizes.map((n, k) => [n, n ** -2 * (1 + noise * (-1) ** k)] as const);
    expect(fitted(noisy([1, 2, 4, 8], 0.1), -2)).toBeUndefined();
    expect(fitted(noisy([1, 2, 4, 8, 16, 32, 64, 128, 256, 512], 0.1), -2)).toBeDefined();
    const { lower, upper } = fitted(noisy([1, 2, 4, 8], 0.0001), -2)!.decisive!;
    expect(upper - lower).toBeLessThanOrEqual(1 / 2);
  });
});
