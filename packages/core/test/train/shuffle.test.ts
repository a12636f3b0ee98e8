import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { graph } from "../../src/graph/builder.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { permutation, shuffled } from "../../src/train/shuffle.ts";

const scalar = { type: "int64", shape: [] } as const;
const shuffle = graph({ count: scalar, seed: scalar, epoch: scalar }, ({ count, seed, epoch }) => ({
  order: shuffled(count, seed, epoch),
}));
const integer = (value: number) => tensor(value, { type: "int64" });

describe("the shuffle of an epoch", () => {
  it.each([
    [1, 0, 0],
    [2, 1, 5],
    [97, 123456789, 3],
    [5000, 2147483646, 40000],
    [300, 2 ** 40 + 17, 9],
  ])(
    "of %d examples with seed %d in epoch %d is the same in the graph as without",
    async (count, seed, epoch) => {
      const { order } = await run(shuffle, {
        count: integer(count),
        seed: integer(seed),
        epoch: integer(epoch),
      });
      const wanted = permutation(count, seed, epoch);
      expect(Array.from(numbers(order!))).toEqual(wanted);
      expect(wanted.toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, i) => i));
    },
  );

  // The chi-square statistic of uniform counts has mean k - 1 and variance 2 (k - 1): six deviations are never seen.
  const surprise = (counts: readonly number[], total: number): number => {
    const [k, expected] = [counts.length, total / counts.length];
    const statistic = counts.reduce((sum, c) => sum + (c - expected) ** 2 / expected, 0);
    return (statistic - (k - 1)) / Math.sqrt(2 * (k - 1));
  };

  it("takes each of the 24 orders of four examples equally often, over epochs and over seeds", () => {
    for (const order of [(k: number) => permutation(4, 1, k), (k: number) => permutation(4, k, 0)]) {
      const counts = new Map<string, number>();
      for (let k = 0; k < 12000; k++) counts.set(order(k).join(), (counts.get(order(k).join()) ?? 0) + 1);
      expect(counts.size).toBe(24);
      expect(Math.abs(surprise([...counts.values()], 12000))).toBeLessThan(6);
    }
  });

  it("puts each of 50 examples at each place equally often, and neighbours apart", () => {
    const places = new Array<number>(2500).fill(0);
    let neighbours = 0;
    for (let epoch = 0; epoch < 4000; epoch++) {
      const order = permutation(50, 11, epoch);
      order.forEach((example, place) => {
        places[50 * example + place]!++;
        if (place > 0 && Math.abs(example - order[place - 1]!) === 1) neighbours++;
      });
    }
    expect(Math.abs(surprise(places, 50 * 4000))).toBeLessThan(6);
    // Of 49 pairs of places, a share 2/50 holds neighbours: 1.96 an epoch, with variance below 2.
    expect(Math.abs(neighbours - 1.96 * 4000)).toBeLessThan(6 * Math.sqrt(2 * 4000));
  });
});
