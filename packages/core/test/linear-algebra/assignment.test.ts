import { describe, expect, it } from "vitest";
import { linearAssignment } from "../../src/linear-algebra/assignment.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";

const random = createRandom("assignment");

function cheapest(costs: Float64Array, n: number): number {
  const taken = new Set<number>();
  const go = (row: number): number => {
    if (row === n) return 0;
    let best = Number.POSITIVE_INFINITY;
    for (let j = 0; j < n; j++) {
      if (taken.has(j)) continue;
      taken.add(j);
      best = Math.min(best, costs[row * n + j]! + go(row + 1));
      taken.delete(j);
    }
    return best;
  };
  return go(0);
}

const kinds: Readonly<Record<string, (n: number, r: Random) => Float64Array>> = {
  random: (n, r) => r.normal(n * n),
  "small integers, many ties": (n, r) => Float64Array.from({ length: n * n }, () => r.integer(0, 3)),
  constant: (n) => new Float64Array(n * n).fill(2),
  "products i j": (n) => Float64Array.from({ length: n * n }, (_, k) => Math.floor(k / n) * (k % n)),
  "similarities of noisy copies": (n, r) => {
    const [a, order] = [r.normal(n * 8), r.permutation(n)];
    const b = a.map((_, k) => a[order[Math.floor(k / 8)]! * 8 + (k % 8)]! + 0.1 * r.normal());
    return Float64Array.from({ length: n * n }, (_, k) => {
      let sum = 0;
      for (let f = 0; f < 8; f++) sum -= a[Math.floor(k / n) * 8 + f]! * b[(k % n) * 8 + f]!;
      return sum;
    });
  },
};

describe.each(Object.entries(kinds))("linear assignment, %s", (_name, costsOf) => {
  it("agrees with all permutations", () => {
    for (let trial = 0; trial < 60; trial++) {
      const n = 1 + (trial % 7);
      const costs = costsOf(n, random);
      const { columnOf, cost } = linearAssignment(costs, n);
      expect(new Set(columnOf).size).toBe(n);
      expect(cost).toBeCloseTo(cheapest(costs, n), 9);
    }
  });

  it("proves that nothing is cheaper, by its prices", () => {
    for (const n of [20, 100, 200]) {
      const costs = costsOf(n, random);
      const { columnOf, cost, rowPrices, columnPrices } = linearAssignment(costs, n);
      expect(new Set(columnOf).size).toBe(n);
      let worst = 0;
      for (let k = 0; k < n * n; k++)
        worst = Math.min(worst, costs[k]! - rowPrices[Math.floor(k / n)]! - columnPrices[k % n]!);
      expect(worst).toBeGreaterThan(-1e-9);
      const dual = [...rowPrices, ...columnPrices].reduce((a, b) => a + b, 0);
      expect(cost).toBeCloseTo(dual, 6);
    }
  });
});

it("says which cost is no number", () => {
  expect(() => linearAssignment(Float64Array.of(1, Number.NaN, 2, 3), 2)).toThrow(/row 0, column 1 is NaN/);
  expect(() => linearAssignment(Float64Array.of(1), 2)).toThrow(/4 costs, not 1/);
});
