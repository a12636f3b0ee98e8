import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { parity } from "../../src/networks/parity.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { sizes } from "../../src/passes/sizes.ts";

async function answers(bits: number, points: readonly (readonly number[])[]) {
  const { y } = await run(parity(bits), { x: tensor(points) });
  return [...numbers(y!)];
}
const product = (x: readonly number[]): number => x.reduce((a, b) => a * b, 1);

describe("parity", () => {
  it("is right on all signs, whether or not their number is a power of two", async () => {
    for (let d = 1; d <= 9; d++) {
      const points = Array.from({ length: 2 ** d }, (_, code) =>
        Array.from({ length: d }, (_, i) => ((code >> i) & 1 ? -1 : 1)),
      );
      expect(await answers(d, points)).toEqual(points.map(product));
    }
  });

  it("is right on a thousand signs", async () => {
    const random = createRandom(1);
    const points = Array.from({ length: 50 }, () =>
      Array.from({ length: 1000 }, () => 2 * random.integer(0, 1) - 1),
    );
    expect(await answers(1000, points)).toEqual(points.map(product));
  });

  it("has 2 ceil(log2 d) units", () => {
    expect([1, 2, 3, 16, 17, 1000].map((d) => sizes(parity(d)).hiddenUnits)).toEqual([0, 2, 4, 8, 10, 20]);
  });
});
