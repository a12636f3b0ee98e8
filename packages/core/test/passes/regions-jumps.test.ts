// Regions of networks that jump: quantizers and trees, against the runtime and against counts by brute force.
import { describe, expect, it } from "vitest";
import { float32, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { toNumber } from "../../src/numbers/exact/rational.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { evaluate, piecesAlong } from "../../src/passes/pieces.ts";
import { boxSlice, outputsAt, planeRegions } from "../../src/passes/regions/index.ts";
import { graphOfCase, runGraph } from "../graph/operators-runtime.ts";
import { middle } from "./regions-networks.ts";

const single = (values: readonly number[], dims: readonly number[] = [values.length]) =>
  tensor(values, { type: "float32", dims });
const scalar = (value: number) => single([value], []);
const matrix = (seed: string, rows: number, columns: number) => {
  const random = createRandom(seed);
  return Array.from({ length: rows }, () => Array.from(random.normal(columns), Math.fround));
};
/** As it is written: optimized, the runtime rounds weights between quantizers to 8 bits. */
const run = async (net: Graph, feeds: Readonly<Record<string, Tensor>>) =>
  Object.fromEntries(await runGraph(net, new Map(Object.entries(feeds))));
/** To steps of a scale and back. */
const throughSteps = (x: Value, scale: number, zero: number): Value => {
  const parameters = [scalar(scale), tensor([zero], { type: "int8", dims: [] })];
  return x.op("QuantizeLinear", parameters).op("DequantizeLinear", parameters);
};

/** The runtime at the middles of all regions gives what their maps say; areas fill the domain. */
async function checked(net: Graph, box: readonly [number[], number[]], adjacency = false) {
  const found = await planeRegions(net, boxSlice(...box), { adjacency, maxRegions: 20_000 });
  expect(Math.abs(found.area / found.domainArea - 1)).toBeLessThan(1e-10);
  const points = found.regions.map(middle);
  const x = single(points.flat(), [points.length, 2]);
  const [y] = Object.values(await run(net, { x }));
  const values = numbers(y!);
  const width = found.outputNames.length;
  found.regions.forEach((region, k) => {
    const map = outputsAt(region, ...points[k]!);
    // Where rounding in 32 bits crosses a half, the runtime takes the next step: only regions of some size are asked.
    if (region.area < 1e-6 * found.domainArea) return;
    for (let j = 0; j < width; j++) expect(values[k * width + j]).toBeCloseTo(map[j]!, 4);
  });
  return found;
}

const square: [number[], number[]] = [
  [-1, -1],
  [1, 1],
];

describe("quantizers", () => {
  it("cut the plane into one cell for each pair of levels, counted one by one", async () => {
    const net = graph({ x: float32("N", 2) }, ({ x }) => ({
      y: throughSteps(x, 0.3, 2).affine([[1, -2]], [0.5]),
    }));
    const found = await checked(net, square, true);
    const levels = new Set(
      Array.from({ length: 4001 }, (_, k) => Math.round((k - 2000) / 2000 / Math.fround(0.3))),
    );
    expect(found.count).toBe(levels.size ** 2);
    expect(found.neighbours.length).toBe(2 * levels.size * (levels.size - 1));
    for (const { map } of found.regions) expect([map.a[0], map.b[0]]).toEqual([0, 0]);
  });

  it("are cut off at the ends of their type", async () => {
    const net = graph({ x: float32("N", 2) }, ({ x }) => ({ y: throughSteps(x, 1 / 512, 0) }));
    const quarter: [number[], number[]] = [
      [0.2, -0.3],
      [0.3, -0.2],
    ];
    const found = await checked(net, quarter);
    const level = (v: number) => Math.max(-128, Math.min(127, Math.round(512 * v)));
    const along = (from: number) =>
      new Set(Array.from({ length: 10_001 }, (_, k) => level(from + k / 100_000))).size;
    expect(found.count).toBe(along(0.2) * along(-0.3));
  });

  it("follow affine layers, and are followed by layers that bend", async () => {
    const net = graph({ x: float32("N", 2) }, ({ x }) => {
      const h = x.affine(matrix("a", 4, 2), matrix("ab", 1, 4)[0]).relu();
      const q = throughSteps(h, 0.25, -100).affine(matrix("b", 3, 4));
      return {
        y: throughSteps(q, 0.5, 3)
          .relu()
          .add(x.sum([1], 1)),
      };
    });
    const found = await checked(net, square);
    expect(found.count).toBeGreaterThan(100);
    expect(found.exactForms).toBeGreaterThanOrEqual(0);
  });

  it("take halves to the even neighbour, where a whole region lies on one", async () => {
    // 0 x + 1/2 and 0 x + 3/2 in steps of 1 are 0 and 2.
    const net = graph({ x: float32("N", 2) }, ({ x }) => ({
      y: throughSteps(
        x.affine(
          [
            [0, 0],
            [0, 0],
            [1, 0],
          ],
          [0.5, 1.5, 0],
        ),
        1,
        0,
      ),
    }));
    const { regions } = await checked(net, square);
    for (const { map } of regions) expect([...map.c.subarray(0, 2)]).toEqual([0, 2]);
  });

  it("are the pieces along a segment", async () => {
    const net = graph({ x: float32(1, 2) }, ({ x }) => ({
      y: throughSteps(
        throughSteps(x, 0.01, 0)
          .affine(matrix("c", 3, 2))
          .relu(),
        0.125,
        -8,
      ),
    }));
    const [a, b] = [single([-0.3, 0.7], [1, 2]), single([0.9, -0.8], [1, 2])];
    const [start, end] = [numbers(a), numbers(b)];
    const { y } = piecesAlong(net, { x: a }, { x: b });
    for (let k = 0; k < 40; k++) {
      const t = (k + 0.3123) / 40;
      const at = single(
        [0, 1].map((j) => start[j]! + t * (end[j]! - start[j]!)),
        [1, 2],
      );
      const values = numbers((await run(net, { x: at })).y!);
      y!.components.forEach((f, j) => {
        expect(values[j]).toBeCloseTo(toNumber(evaluate(f, t)), 5);
      });
    }
  });
});

describe("trees", () => {
  const random = createRandom("trees");
  /** Complete trees of depth 3 on two features. */
  function ensemble(trees: number, targets: number, aggregate: string): Graph {
    const a = {
      nodes_treeids: [] as number[],
      nodes_nodeids: [] as number[],
      nodes_featureids: [] as number[],
      nodes_values: [] as number[],
      nodes_modes: [] as string[],
      nodes_truenodeids: [] as number[],
      nodes_falsenodeids: [] as number[],
      target_treeids: [] as number[],
      target_nodeids: [] as number[],
      target_ids: [] as number[],
      target_weights: [] as number[],
    };
    for (let tree = 0; tree < trees; tree++)
      for (let node = 0; node < 15; node++) {
        const isLeaf = node >= 7;
        a.nodes_treeids.push(tree);
        a.nodes_nodeids.push(node);
        a.nodes_featureids.push(isLeaf ? 0 : random.integer(0, 1));
        a.nodes_values.push(isLeaf ? 0 : Math.fround(2 * random.uniform() - 1));
        a.nodes_modes.push(isLeaf ? "LEAF" : "BRANCH_LEQ");
        a.nodes_truenodeids.push(isLeaf ? 0 : 2 * node + 1);
        a.nodes_falsenodeids.push(isLeaf ? 0 : 2 * node + 2);
        if (!isLeaf) continue;
        a.target_treeids.push(tree);
        a.target_nodeids.push(node);
        a.target_ids.push(random.integer(0, targets - 1));
        a.target_weights.push(Math.fround(random.uniform()));
      }
    const attributes = { ...a, n_targets: targets, aggregate_function: aggregate };
    const net = graphOfCase("TreeEnsembleRegressor", { inputs: [single([0, 0], [1, 2])], attributes });
    return {
      ...net,
      inputs: [{ name: "x", type: { type: "float32", shape: ["N", 2] } }],
      nodes: net.nodes.map((n) => ({ ...n, inputs: ["x"] })),
    };
  }

  it.each([
    [3, 1, "SUM"],
    [4, 2, "SUM"],
    [3, 1, "MAX"],
  ] as const)(
    "%i trees, %i targets, %s: values of the runtime, and no more cells than thresholds make",
    async (trees, targets, how) => {
      const net = ensemble(trees, targets, how);
      const found = await checked(net, square, true);
      expect(found.count).toBeLessThanOrEqual((7 * trees + 1) ** 2);
      // Every value that a fine grid finds is that of a region, and neighbours differ or are joined.
      const side = 60;
      const grid = Array.from({ length: side * side }, (_, k) =>
        [k % side, Math.floor(k / side)].map((c) => ((c + 0.5) * 2) / side - 1),
      );
      const [y] = Object.values(await run(net, { x: single(grid.flat(), [grid.length, 2]) }));
      const key = (values: readonly number[]) => values.map((v) => v.toFixed(4)).join();
      const known = new Set(found.regions.map(({ map }) => key([...map.c])));
      const values = [...numbers(y!)];
      for (let k = 0; k < grid.length; k++)
        expect(known).toContain(key(values.slice(k * targets, (k + 1) * targets)));
      expect(found.linearRegions).toBeLessThanOrEqual(found.count);
      expect(found.linearRegions).toBeGreaterThanOrEqual(new Set(known).size);
    },
  );

  it("are the pieces along a segment", async () => {
    const net = ensemble(3, 2, "SUM");
    const [a, b] = [single([-0.9, -0.8], [1, 2]), single([0.9, 0.7], [1, 2])];
    const [start, end] = [numbers(a), numbers(b)];
    const [y] = Object.values(piecesAlong(net, { x: a }, { x: b }));
    for (let k = 0; k < 50; k++) {
      const t = (k + 0.4111) / 50;
      const x = single(
        [0, 1].map((j) => start[j]! + t * (end[j]! - start[j]!)),
        [1, 2],
      );
      const values = numbers(Object.values(await run(net, { x }))[0]!);
      y!.components.forEach((f, j) => {
        expect(values[j]).toBeCloseTo(toNumber(evaluate(f, t)), 5);
      });
    }
  });
});
