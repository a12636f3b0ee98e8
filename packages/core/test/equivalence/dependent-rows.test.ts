// Rows that depend on others are combinations of them, whatever the size of their entries.
import { expect, it } from "vitest";
import { rowBasis } from "../../src/equivalence/simplify/dependent-rows.ts";
import { toDense } from "../../src/graph/sparse.ts";
import { layer } from "../../src/networks/layers/layers.ts";
import { createRandom } from "../../src/numbers/random.ts";

it.each([1e-9, 0.01, 1, 1e9])("entries of size %g", (size) => {
  const random = createRandom(`rows/${size}`);
  const [m, n, rank] = [7, 5, 3];
  const free = Array.from({ length: rank }, () => Array.from({ length: n }, () => size * random.normal()));
  const mixed = Array.from({ length: m - rank }, () => {
    const by = free.map(() => random.normal());
    return Array.from({ length: n }, (_, c) => free.reduce((sum, row, r) => sum + by[r]! * row[c]!, 0));
  });
  const { weights } = layer([...mixed, ...free]);
  const found = rowBasis(weights, 1e-12)!;
  expect(found.basis).toHaveLength(rank);
  const a = toDense(weights);
  for (let row = 0; row < m; row++) {
    if (found.basis.includes(row)) continue;
    for (let c = 0; c < n; c++) {
      const combined = found.entries
        .filter(([of]) => of === row)
        .reduce((sum, [, place, factor]) => sum + factor * a[found.basis[place]! * n + c]!, 0);
      expect(Math.abs(combined - a[row * n + c]!)).toBeLessThan(1e-12 * size);
    }
  }
});
