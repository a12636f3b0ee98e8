// Arrays of a tile: none of two that are taken share a number, wherever they are.
import { expect, it } from "vitest";
import { arrayPool } from "../../src/kernels/limit/pool.ts";
import { createRandom } from "../../src/numbers/random.ts";

it("hands out arrays that do not overlap, in the memory of the kernels and beyond it", () => {
  const random = createRandom("pool");
  const pool = arrayPool();
  for (let tile = 0; tile < 30; tile++) {
    const taken: Float64Array[] = [];
    for (let step = 0; step < 40; step++) {
      const size = random.integer(0, 9) === 0 ? 2 ** 19 : random.integer(1, 5000);
      taken.push(pool.take(size));
      expect(taken.at(-1)).toHaveLength(size);
      if (random.integer(0, 3) === 0) pool.free(taken.splice(random.integer(0, taken.length - 1), 1)[0]!);
    }
    for (const [n, array] of taken.entries()) array.fill(n + 1);
    for (const [n, array] of taken.entries()) expect(array.every((x) => x === n + 1)).toBe(true);
    pool.reset();
  }
});
