import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { earliestStages, sensitivities } from "../../src/numbers/dataflow.ts";
import { perturbed, productChange, squareChange, sumChange } from "../../src/numbers/error-propagation.ts";
import { abs, add, compare, type Exact, mul, sub } from "../../src/numbers/exact/rational.ts";
import { roundUp } from "../../src/numbers/exact/rounding.ts";
import { gamma } from "../../src/numbers/floating-point.ts";

const number = fc.double({ min: -1e6, max: 1e6, noNaN: true });
/** x and what stands in for it. */
const pair = fc.tuple(number, fc.oneof(number, fc.double({ min: -1e-9, max: 1e-9, noNaN: true })));
const moved = ([x, e]: readonly [number, number]): Exact => add(x, e);
const known = ([x, e]: readonly [number, number]) => perturbed(Math.abs(x), Math.abs(e));
const isAtMost = (a: Exact, b: Exact): boolean => compare(abs(a), b) <= 0;

describe("errors come through", () => {
  it("squares and products by no more than is said", () => {
    fc.assert(
      fc.property(pair, pair, (x, y) => {
        const [near, other] = [moved(x), moved(y)];
        expect(isAtMost(sub(mul(near, near), mul(x[0], x[0])), squareChange(known(x)))).toBe(true);
        expect(isAtMost(sub(mul(near, other), mul(x[0], y[0])), productChange(known(x), known(y)))).toBe(
          true,
        );
      }),
    );
  });

  it("products by less where what stands in is known to be small", () => {
    const x = { exact: 1, near: 0, error: 1 };
    expect(productChange(x, x)).toBe(1);
    expect(productChange(perturbed(1, 1), perturbed(1, 1))).toBe(3);
  });

  it("weighted sums by the sum of all", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(number, number)), (terms) => {
        const sizes = terms.map(([w, e]) => [w, Math.abs(e)] as const);
        const exact = sizes.reduce((sum: Exact, [w, e]) => add(sum, mul(abs(w), e)), 0);
        expect(sumChange(sizes)).toBeGreaterThanOrEqual(roundUp(exact));
      }),
    );
  });
});

describe("gamma_n", () => {
  it("is not below n u / (1 - n u), and has no bound where n u reaches 1", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 30 }), (n) => {
        const [g, nu] = [gamma(n), n * 2 ** -53];
        expect(compare(mul(g, sub(1, nu)), nu)).toBeGreaterThanOrEqual(0);
      }),
    );
    expect(gamma(2 ** 24, 2 ** -24)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("a program of sums and products", () => {
  // (x + 2 y) y at x, y in [-1, 1]: values 0, 1 are x, y, value 2 the sum, value 3 the product.
  const reads = [[], [], [0, 1], [2, 1]];
  const slopes = [[], [], [1, 2], [1, 3]];

  it("has each value as early as what it reads allows", () => {
    const takes = (id: number): number => (id === 3 ? 1 : 0);
    expect(earliestStages(reads.keys(), (id) => reads[id]!, takes)).toEqual([0, 0, 0, 1]);
  });

  it("counts every way from a value to the end", () => {
    const L = sensitivities([0, 1, 2, 3], [0, 0, 0, 1], (id) =>
      reads[id]!.map((read, k) => [read, slopes[id]![k]!] as const),
    );
    expect(L).toEqual([1, 5, 1, 1]);
  });
});
