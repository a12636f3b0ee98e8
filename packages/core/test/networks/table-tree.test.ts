import { expect, it } from "vitest";
import { tableErrors, waveNode, waveTree } from "../../src/networks/table-tree.ts";
import { createRandom } from "../../src/numbers/random.ts";

it("a node has Lipschitz constant L for the maximum norm, and values in [0, 1]", () => {
  const random = createRandom(1);
  for (const L of [1, 2, 3, 4]) {
    for (let k = 0; k < 500; k++) {
      const [a, b, c, d] = random.uniform(4) as unknown as [number, number, number, number];
      const moved = Math.abs(waveNode(L, a, b) - waveNode(L, c, d));
      expect(moved).toBeLessThanOrEqual(L * Math.max(Math.abs(a - c), Math.abs(b - d)) + 1e-14);
      expect(waveNode(L, a, b)).toBeGreaterThanOrEqual(0);
      expect(waveNode(L, a, b)).toBeLessThanOrEqual(1);
    }
  }
});

it("a tree of two leaves is its node, and errs by at most L / 2k", () => {
  expect(waveTree(2, [0.5, 0.25])).toBe(waveNode(2, 0.5, 0.25));
  expect(tableErrors(3, 2, 10, 2000, createRandom(2)).sup).toBeLessThanOrEqual(3 / 20 + 1e-14);
});
