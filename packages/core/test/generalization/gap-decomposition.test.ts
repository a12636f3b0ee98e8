// The gap of a network of one weight, by hand: f(x) = 3 x, labels x, two equal points of which the sample has the first.
import { expect, it } from "vitest";
import { gapDecomposition } from "../../src/generalization/path-space/gap-decomposition.ts";
import { layer, network } from "../../src/networks/layers/layers.ts";

it("has the equality and the bound of a single path", async () => {
  const found = await gapDecomposition(network([layer([[3]])]), {
    ...{ points: [[1], [2]], targets: [[1], [2]] },
    ...{ probabilities: [0.5, 0.5], sample: [1, 0] },
  });
  // R = (4 + 16) / 2, R_S = 4, E y^2 = 2.5 against 1; the path's values are x, so that d = (1/2, -1) gives -3/2.
  expect(found.labels).toBeCloseTo(1.5, 13);
  expect(found.equality).toBeCloseTo(10 - 4 - 1.5, 13);
  expect(found.bound).toBeCloseTo(2 * 1.5 * 3 + 1.5 * 3 ** 2, 13);
});
