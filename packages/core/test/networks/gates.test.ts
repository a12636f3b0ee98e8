import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { absolute, gateNetwork, maximum, minimum } from "../../src/networks/gates/gates.ts";
import { median, orderStatistics, sorting, sortingStages } from "../../src/networks/gates/sorting.ts";
import { complexity } from "../../src/networks/layers/layers.ts";

const apply = async (network: Graph, inputs: readonly (readonly number[])[]): Promise<number[][]> => {
  const y = numbers((await run(network, { x: tensor(inputs) })).y!);
  const width = y.length / inputs.length;
  return inputs.map((_, k) => Array.from(y.slice(k * width, (k + 1) * width)));
};
const ascending = (row: readonly number[]): number[] => [...row].sort((a, b) => a - b);
const batchOf = (wires: number, least = -1000) =>
  fc.array(fc.array(fc.integer({ min: least, max: 1000 }), { minLength: wires, maxLength: wires }), {
    minLength: 1,
    maxLength: 20,
  });
const hidden = (network: Graph): readonly number[] => complexity(network).architecture.slice(1, -1);

describe("gates of ReLUs", () => {
  it.each([2, 3, 5, 8])("give minimum and maximum of %d integers exactly", async (wires) => {
    const [least, greatest] = [minimum(wires), maximum(wires)];
    await fc.assert(
      fc.asyncProperty(batchOf(wires), async (rows) => {
        expect(await apply(least, rows)).toEqual(rows.map((row) => [Math.min(...row)]));
        expect(await apply(greatest, rows)).toEqual(rows.map((row) => [Math.max(...row)]));
      }),
      { numRuns: 10 },
    );
  });

  it("drop the negative half of what they carry for nonnegative numbers", async () => {
    const rows = [[3, 1, 2, 5, 4]];
    expect(await apply(minimum(5, { nonnegative: true }), rows)).toEqual([[1]]);
    expect(await apply(sorting(5, { nonnegative: true }), rows)).toEqual([[1, 2, 3, 4, 5]]);
    expect(hidden(minimum(2, { nonnegative: true }))).toEqual([2]);
  });

  it("cost what the catalogue says: 3 for a minimum, 3 (n - 1) for 2^t wires, and 2 more for an odd wire", () => {
    expect(hidden(minimum(2))).toEqual([3]);
    expect(hidden(absolute())).toEqual([2]);
    expect(hidden(minimum(16)).reduce((a, b) => a + b)).toBe(45);
    expect(hidden(minimum(3))).toEqual([5, 3]); // not 3 (n - 1) = 6
  });

  it("compute nothing for one wire", async () => {
    expect(await apply(minimum(1), [[-3]])).toEqual([[-3]]);
    expect(await apply(sorting(1), [[-3]])).toEqual([[-3]]);
  });

  it("say what is wrong", () => {
    expect(() => minimum(0)).toThrow(/at least 1, not 0/);
    expect(() => orderStatistics(3, [3])).toThrow(/0 to 2, not 3/);
    const twice = { kind: "min", low: 0, high: 1 } as const;
    expect(() => gateNetwork(2, [[twice], [twice]], [[[0, 1]]])).toThrow(/wire 1, which carries nothing/);
  });
});

describe("sorting networks", () => {
  it.each([2, 3, 4, 6, 7, 8, 11])("sort all 0-1 inputs of %d wires, hence all numbers", async (wires) => {
    const bits = Array.from({ length: 2 ** wires }, (_, k) =>
      Array.from({ length: wires }, (_, j) => (k >> j) & 1),
    );
    expect(await apply(sorting(wires), bits)).toEqual(bits.map(ascending));
  });

  it("have Batcher's sizes", () => {
    expect([2, 4, 8, 16, 32].map((n) => sortingStages(n).flat().length)).toEqual([1, 5, 19, 63, 191]);
    expect(hidden(sorting(8))).toEqual([16, 16, 16, 16, 16, 16]);
  });

  it("keep only what an order statistic needs", async () => {
    await fc.assert(
      fc.asyncProperty(batchOf(7), async (rows) => {
        expect(await apply(orderStatistics(7, [1, 5]), rows)).toEqual(
          rows.map((row) => [ascending(row)[1]!, ascending(row)[5]!]),
        );
      }),
      { numRuns: 10 },
    );
    expect(hidden(median(3))).toEqual([6, 5, 3]);
  });

  it("give the mean of the two in the middle as the median of an even number", async () => {
    expect(await apply(median(4), [[9, 1, 4, 7]])).toEqual([[5.5]]);
  });
});
