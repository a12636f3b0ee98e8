import { describe, expect, it } from "vitest";
import {
  boxGridNetwork,
  boxIndicator,
  boxIndicatorDistance,
  boxShell,
} from "../../src/approximate/sobolev/box-indicator.ts";
import { partitionOfUnity } from "../../src/approximate/sobolev/partition.ts";
import {
  cellIndicator,
  cellIndicatorDistance,
  cellTable,
} from "../../src/approximate/sobolev/table-network.ts";
import { run } from "../../src/engine/run.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { complexity } from "../../src/networks/layers/layers.ts";
import { toNumber } from "../../src/numbers/exact/rational.ts";
import { createRandom } from "../../src/numbers/random.ts";

async function valuesAt(network: Graph, points: readonly (readonly number[])[]): Promise<number[]> {
  const x = tensor(Float64Array.from(points.flat()), { dims: [points.length, points[0]!.length] });
  return [...numbers((await run(network, { x })).y!)].map(Number);
}

/** Midpoints of a grid of n x n cells of [0, width]^2. */
const midpoints = (n: number, width: number): number[][] =>
  Array.from({ length: n * n }, (_, k) => [k % n, Math.floor(k / n)].map((i) => ((i + 0.5) / n) * width));

describe("boxes", () => {
  it("box indicators: 1 on the box, 0 off the enlarged one, exact L1 distance by quadrature", async () => {
    const network = boxIndicator([0.25, 0.25], [0.75, 0.5], 0.125);
    expect(complexity(network).architecture).toEqual([2, 8, 1, 1]);
    expect(
      await valuesAt(network, [
        [0.25, 0.25],
        [0.75, 0.5],
        [0.5, 0.375],
        [0.125, 0.3],
        [0.5, 0.625],
      ]),
    ).toEqual([1, 1, 1, 0, 0]);
    const grid = midpoints(256, 1);
    const values = await valuesAt(network, grid);
    const sum = grid.reduce((s, [x, y], i) => {
      const inside = x! >= 0.25 && x! < 0.75 && y! >= 0.25 && y! < 0.5;
      return s + Math.abs(values[i]! - (inside ? 1 : 0));
    }, 0);
    const exact = toNumber(boxIndicatorDistance([0.5, 0.25], 0.125));
    expect(sum / grid.length).toBeCloseTo(exact, 4);
    expect(exact).toBeLessThan(toNumber(boxShell([0.5, 0.25], 0.125)));
    // The catalogue's numbers for cubes of side 1/4.
    const cube = (d: number): number => toNumber(boxIndicatorDistance(new Array<number>(d).fill(0.25), 0.05));
    expect([1, 2, 3].map(cube).map((x) => Number(x.toFixed(6)))).toEqual([0.05, 0.026667, 0.010667]);
  });

  it("grids of boxes share their ramps and keep to the error", async () => {
    const g = ([x, y]: readonly number[]): number => x! + y!;
    const { network, rampError } = boxGridNetwork(g, 2, 20, 0.1);
    expect(complexity(network).architecture).toEqual([2, 2 * 61, 400, 1]);
    expect(rampError).toBeLessThanOrEqual(0.1);
    const grid = midpoints(100, 1);
    const values = await valuesAt(network, grid);
    expect(grid.reduce((s, x, i) => s + Math.abs(values[i]! - g(x)), 0) / grid.length).toBeLessThanOrEqual(
      0.2,
    );
  });

  it("a grid of one box is its indicator; none is refused", async () => {
    const { network } = boxGridNetwork(() => 3, 1, 1, 0.1);
    expect(await valuesAt(network, [[0.5]])).toEqual([3]);
    expect(() => boxGridNetwork(() => 3, 1, 0, 0.1)).toThrow("not 0^1");
  });

  it("cells with 11 units: exact L2 distance by quadrature; tables sum to 1 off the corners", async () => {
    const [side, eta] = [0.5, 0.125];
    const network = cellIndicator([0.25, 0.25], [0.75, 0.75], eta);
    expect(complexity(network).architecture).toEqual([2, 8, 3, 1]);
    const grid = midpoints(256, 1);
    const values = await valuesAt(network, grid);
    const sum = grid.reduce((s, [x, y], i) => {
      const inside = x! >= 0.25 && x! < 0.75 && y! >= 0.25 && y! < 0.75;
      return s + (values[i]! - (inside ? 1 : 0)) ** 2;
    }, 0);
    expect(sum / grid.length).toBeCloseTo(cellIndicatorDistance(side, side, eta), 4);
    const ones = await valuesAt(
      cellTable(() => 1, 4, 0.0625),
      [
        [0.2, 0.3],
        [0.27, 0.4],
        [0.28, 0.53],
      ],
    );
    expect(ones[0]).toBeCloseTo(1, 12);
    expect(ones[1]).toBeCloseTo(1, 12);
    expect(Math.abs(ones[2]! - 1)).toBeGreaterThan(0.01);
  });

  it("partitions of unity miss 1 by a part of what is said, from four variables on", async () => {
    const { network, sumError } = partitionOfUnity(4, 1, 2);
    const random = createRandom("partition");
    const points = Array.from({ length: 2000 }, () => Array.from({ length: 4 }, () => random.uniform()));
    const values = await valuesAt(network, points);
    const worst = Math.max(
      ...points.map((_, i) => Math.abs(values.slice(16 * i, 16 * i + 16).reduce((a, b) => a + b, 0) - 1)),
    );
    expect(worst).toBeLessThanOrEqual(sumError);
    expect(worst).toBeGreaterThan(sumError / 16);
  });

  it("partitions of unity vanish off their supports", async () => {
    const [d, s, k] = [2, 4, 3];
    const { network, sumError } = partitionOfUnity(d, s, k);
    const points = midpoints(7, 1);
    const values = await valuesAt(network, points);
    points.forEach((x, i) => {
      const row = values.slice(i * 25, (i + 1) * 25);
      row.forEach((value, v) => {
        const node = [Math.floor(v / 5) / s, (v % 5) / s];
        if (x.some((c, j) => Math.abs(c - node[j]!) >= 1 / s)) expect(Math.abs(value)).toBeLessThan(1e-14);
      });
      expect(Math.abs(row.reduce((a, b) => a + b, 0) - 1)).toBeLessThanOrEqual(sumError + 1e-12);
    });
  });

  it("refuses what makes no sense", () => {
    expect(() => boxIndicator([1], [0], 0.1)).toThrow(/no box/);
    expect(() => boxIndicator([0], [1], 0)).toThrow(/ramps/);
    expect(() => cellTable(() => 1, 4, 0.5)).toThrow(/do not fit/);
    expect(() => partitionOfUnity(9, 9, 2)).toThrow(/elements/);
  });
});
