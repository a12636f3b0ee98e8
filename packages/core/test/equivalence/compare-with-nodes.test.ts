import { describe, expect, it } from "vitest";
import { compareWithNodes, comparisonPoints, comparisonRecord } from "../../src/equivalence/index.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { initialNetwork } from "../../src/train/network.ts";

const net = initialNetwork("2-10-relu-10-relu-1", { seed: 1, type: "float64" });
const close = { atol: 1e-6, rtol: 1e-4 };

function perturbed(graph: Graph, size: number): Graph {
  const random = createRandom(5);
  const initializers = new Map(
    [...graph.initializers].map(([name, weight]) => [
      name,
      "data" in weight
        ? { ...weight, data: (weight.data as Float64Array).map((v) => v + size * random.normal()) }
        : weight,
    ]),
  );
  return { ...graph, initializers } as Graph;
}

describe("a comparison and its nodes", () => {
  it("tells of bounds that hold at every moment", async () => {
    const told: (readonly [lower: number, upper: number])[] = [];
    const { result } = await compareWithNodes(net, perturbed(net, 1e-3), {
      ...close,
      tolerance: 1,
      tighten: true,
      seconds: 3,
      onBounds: (lower, upper) => told.push([lower, upper]),
    });
    expect(told.length).toBeGreaterThan(1);
    const { lower, upper } = result.maxDifference;
    for (const [seen, proved] of told) {
      expect(seen).toBeLessThanOrEqual(upper);
      expect(proved).toBeGreaterThanOrEqual(lower);
    }
    for (let k = 1; k < told.length; k++) expect(told[k]![1]).toBeLessThanOrEqual(told[k - 1]![1]);
  });

  it("looks at the nodes on the points, on whose range it compares", async () => {
    const points = [Float64Array.of(0, 0), Float64Array.of(0.5, 2)];
    const { result, nodes } = await compareWithNodes(net, perturbed(net, 0.1), { ...close, points });
    expect(result.verdict).toBe("different");
    const [a, b] = result.witness!.at;
    expect([a! >= 0 && a! <= 0.5, b! >= 0 && b! <= 2]).toEqual([true, true]);
    expect(nodes!.points).toBe(2);
    expect(nodes!.agree).toBe(false);
    expect(nodes!.firstDiverging).toBe(nodes!.rows[0]!.first);
    expect(comparisonRecord({ result, nodes }).witness!.at).toEqual([...result.witness!.at]);
  });

  it.each([
    [{}, /0 tensors; one is needed/],
    [{ a: tensor([1, 2]), b: tensor([1, 2]) }, /2 tensors/],
    [{ "": tensor([1, 2, 3]) }, /3 numbers are no rows of 2/],
    [{ "": tensor([1, Number.NaN]) }, /number 1 is NaN/],
  ])("refuses points that are none", (tensors, message) => {
    expect(() => comparisonPoints(net, tensors, "points.npy")).toThrow(message);
  });
});
