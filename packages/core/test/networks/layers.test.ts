import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { toDense } from "../../src/graph/sparse.ts";
import { elementCount, numbers, tensor } from "../../src/graph/tensor.ts";
import { complexity, layer, layersOf, network, sparseLayer } from "../../src/networks/layers/layers.ts";
import { dyadicPoints, randomNetwork } from "../../src/networks/layers/random.ts";
import { square } from "../../src/networks/square/square.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { linearPieces } from "../../src/passes/pieces.ts";
import { sizes } from "../../src/passes/sizes.ts";

const architectures = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 2, maxLength: 5 });
const evaluate = async (net: Graph, points: Float64Array, d: number): Promise<number[]> => {
  const { y } = await run(net, { x: tensor(points, { dims: [points.length / d, d] }) });
  return Array.from(numbers(y!));
};
/** The same chain, written by hand with the builder. */
const byHand = (net: Graph): Graph => {
  const { layers } = layersOf(net);
  return graph({ x: float64("N", layers[0]!.weights.columns) }, ({ x }) => ({
    y: layers.reduce((value, { weights, bias }, l) => {
      const dense = tensor(toDense(weights), { dims: [weights.rows, weights.columns] });
      return (l === 0 ? value : value.relu()).affine(dense, [...bias]);
    }, x),
  }));
};
const storedElements = (net: Graph): number =>
  [...net.initializers.values()].reduce((n, w) => n + elementCount(w.dims), 0);

describe("a layered network", () => {
  it("computes what the same chain written by hand computes", async () => {
    await fc.assert(
      fc.asyncProperty(architectures, fc.nat(), async (architecture, seed) => {
        const random = createRandom(seed);
        const net = randomNetwork(random, architecture);
        const points = dyadicPoints(random, 20, architecture[0]!);
        expect(await evaluate(net, points, architecture[0]!)).toEqual(
          await evaluate(byHand(net), points, architecture[0]!),
        );
      }),
      { numRuns: 25 },
    );
  });

  it("has the exact pieces of the same chain written by hand", () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const net = randomNetwork(createRandom(seed), [1, 4, 3, 1]);
        expect(linearPieces(net, -2, 2)).toEqual(linearPieces(byHand(net), -2, 2));
      }),
      { numRuns: 25 },
    );
  });

  it("can be 500 layers deep", async () => {
    const triangle = [layer([[1], [1]], [0, -0.5]), layer([[2, -4]])];
    const fold = layer(
      [
        [2, -4],
        [2, -4],
      ],
      [0, -0.5],
    );
    const deep = network([triangle[0]!, ...Array.from({ length: 499 }, () => fold), triangle[1]!]);
    expect(complexity(deep)).toMatchObject({
      layers: 501,
      neurons: 1002,
      weights: 3 + 5 * 499 + 2,
      width: 2,
    });
    expect(await evaluate(deep, Float64Array.of(0, 1 / 3, 1), 1)).toHaveLength(3);
  });

  it("stores a large sparse matrix entry by entry, and computes with it", async () => {
    const n = 3000;
    const entries = Array.from({ length: n }, (_, k) => [k, (7 * k) % n, k / 4] as const);
    const sum = sparseLayer(
      1,
      n,
      Array.from({ length: n }, (_, k) => [0, k, 1] as const),
    );
    const net = network([
      sparseLayer(
        n,
        1,
        entries.map(([r]) => [r, 0, 1] as const),
      ),
      sparseLayer(n, n, entries),
      sum,
    ]);
    expect(storedElements(net)).toBeLessThan(20 * n);
    expect(net.nodes.some((node) => node.op === "Gather")).toBe(true);
    const expected = ((n * (n - 1)) / 2 / 4) * 2;
    expect(await evaluate(net, Float64Array.of(2), 1)).toEqual([expected]);
  });

  it("rounds its weights to float32 when asked to, and says so", async () => {
    const net = network([layer([[0.1]], [0.5])], { precision: "float32" });
    expect(layersOf(net).layers[0]!.weights.values[0]).toBe(Math.fround(0.1));
    expect(layersOf(net).exact).toBe(false);
    expect(layersOf(network([layer([[0.25]])], { precision: "float32" })).exact).toBe(true);
    const { y } = await run(net, { x: tensor([[1]], { type: "float32" }) });
    expect(y!.type).toBe("float32");
  });

  it("refuses what is no chain, and says where", () => {
    expect(() => network([])).toThrow("a network needs a layer");
    expect(() => network([layer([[1, 2]]), layer([[1, 2]])])).toThrow(
      "layer 2 takes 2 numbers, layer 1 gives 1",
    );
    expect(() => network([layer([[1]]), layer([[Number.NaN]])])).toThrow("layer 2 has a weight NaN");
    expect(() => network([layer([[1e300]])], { precision: "float32" })).toThrow(
      "layer 1 has a weight Infinity",
    );
    expect(() => layer([[1, 2], [3]])).toThrow("row 1 of a layer has 1 weights, row 0 has 2");
    expect(() => layer([[1]], [1, 2])).toThrow("a layer with 1 rows has 2 biases");
    expect(() => network([layer([])])).toThrow("layer 1 is 0 x 0");
  });
});

describe("the size of a network", () => {
  it("is the hand count of Definition 3.1", () => {
    const net = network([
      layer(
        [
          [1, 0],
          [0, -0],
          [2, 3],
        ],
        [0, 1, 0],
      ),
      layer([[1, 1, 0]], [5]),
    ]);
    expect(complexity(net)).toEqual({
      layers: 2,
      neurons: 2 + 3 + 1,
      weights: 4 + 3,
      width: 3,
      weightsByLayer: [4, 3],
      architecture: [2, 3, 1],
    });
    expect(complexity(network([layer([[1, 2]])])).width).toBe(0);
  });

  it("does not count entries that cancel", () => {
    const cancelled = sparseLayer(1, 2, [
      [0, 0, 1],
      [0, 0, -1],
      [0, 1, 3],
    ]);
    expect(complexity(network([cancelled])).weights).toBe(1);
  });

  it.each([1, 2, 5, 9])(
    "of the squaring network with %i levels is 8i - 3 weights and 3i + 1 neurons",
    (i) => {
      expect(complexity(square(i))).toMatchObject({ layers: i + 1, neurons: 3 * i + 1, weights: 8 * i - 3 });
      expect(sizes(square(i))).toMatchObject({
        hiddenUnits: 3 * i - 1,
        nonzeros: 8 * i - 3,
        parameters: i === 1 ? 7 : 12 * i - 7,
      });
    },
  );
});
