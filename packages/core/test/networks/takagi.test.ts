import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { layer, network } from "../../src/networks/layers/layers.ts";
import { selfSimilarSum, takagi } from "../../src/networks/takagi.ts";
import { triangle, zigzag } from "../../src/networks/triangle/triangle.ts";
import { div, sub, toNumber } from "../../src/numbers/exact/rational.ts";
import { distanceToQuadratic } from "../../src/passes/distance.ts";
import { evaluate, linearPieces } from "../../src/passes/pieces.ts";
import { sizes } from "../../src/passes/sizes.ts";

const values = async (graph: Graph, x: ArrayLike<number>) =>
  numbers((await run(graph, { x: tensor(x, { dims: [x.length, 1] }) })).y!);
const fold = (x: number): number => 1 - Math.abs(2 * x - 1);

describe("Takagi sums", () => {
  it("are sums of iterates, for negative ratios too", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 7 }),
        fc.double({ min: -0.95, max: 0.95, noNaN: true }),
        async (m, t) => {
          const x = Float64Array.from({ length: 65 }, (_, k) => k / 64);
          const sums = x.map((point) => {
            let [sum, y] = [0, point];
            for (let k = 1; k <= m; k++) {
              y = fold(y);
              sum += t ** k * y;
            }
            return sum;
          });
          (await values(takagi(m, t), x)).forEach((value, k) => {
            expect(value).toBeCloseTo(sums[k]!, 12);
          });
        },
      ),
      { numRuns: 25 },
    );
  });

  it("leave two thirds of 2^-m at x = 1/3", () => {
    for (const m of [1, 3, 5, 8]) {
      const rest = sub(div(2, 3), evaluate(linearPieces(takagi(m, 0.5), 0, 1), div(1, 3)));
      expect(toNumber(rest)).toBe(2 / 3 / 2 ** m);
    }
  });

  it("with t = 1/4 tend to x (1 - x)", () => {
    expect(distanceToQuadratic(linearPieces(takagi(5, 0.25), 0, 1), [0, 1, -1]).sup).toBe(4 ** -6);
  });

  it("have 3 m - 1 units, and refuse a ratio that does not converge", () => {
    expect(sizes(takagi(6, -0.5)).widths).toEqual([2, 3, 3, 3, 3, 3]);
    expect(() => takagi(3, 1)).toThrow(/\|t\| < 1, not t = 1/);
  });
});

describe("sums over the iterates of other maps", () => {
  it("agree with the sum written out", async () => {
    const profile = network([layer([[1], [-1]], [-0.25, 0.75]), layer([[3, -2]], [0.5])]);
    const g = (y: number) => 3 * Math.max(0, y - 0.25) - 2 * Math.max(0, 0.75 - y) + 0.5;
    const three = (x: number) => (x <= 1 / 3 ? 3 * x : x <= 2 / 3 ? 2 - 3 * x : 3 * x - 2);
    const x = Float64Array.from({ length: 101 }, (_, k) => k / 100);
    for (const m of [1, 2, 5]) {
      const sums = x.map((point) => {
        let [sum, y] = [0, point];
        for (let k = 1; k <= m; k++) {
          y = three(y);
          sum += (-0.75) ** k * g(y);
        }
        return sum;
      });
      const graph = selfSimilarSum({ ratio: -0.75, map: zigzag(3), profile }, m);
      (await values(graph, x)).forEach((value, k) => {
        expect(value).toBeCloseTo(sums[k]!, 11);
      });
      expect(sizes(graph).depth).toBe(m + 1);
    }
  });

  it("ask for shallow networks", () => {
    expect(() => selfSimilarSum({ ratio: 0.5, map: triangle(2), profile: triangle() }, 2)).toThrow(
      /the map must have one input, one output and one hidden layer/,
    );
  });
});
