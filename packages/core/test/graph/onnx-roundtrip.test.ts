import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { equalGraphs, firstDifference } from "../../src/graph/equal.ts";
import type { Attribute, Graph } from "../../src/graph/graph.ts";
import { readModel, writeModel, writeModelAndWeights } from "../../src/graph/onnx/index.ts";
import type { SparseTensor, Tensor } from "../../src/graph/tensor.ts";
import { floatsOf, graphOf, nodeOf, randomModel, sequenceOfMaps, value } from "./onnx-graphs.ts";

const holding = (attribute: Attribute): Graph =>
  graphOf({ nodes: [nodeOf("X", [], ["y"], { a: attribute })] });
const withWeight = (weight: Tensor | SparseTensor): Graph =>
  graphOf({ initializers: new Map([["w", weight]]) });

describe("write, then read", () => {
  it("gives the same graph, whatever it holds", () => {
    fc.assert(
      fc.property(fc.gen(), (g) => {
        const graph = randomModel(g);
        expect(firstDifference(graph, readModel(writeModel(graph)))).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  it("gives the same bytes each time, also from what was read", () => {
    fc.assert(
      fc.property(fc.gen(), (g) => {
        const bytes = writeModel(randomModel(g));
        expect(writeModel(readModel(bytes))).toEqual(bytes);
      }),
      { numRuns: 100 },
    );
  });

  it("does not depend on where the bytes lie in memory", () => {
    const graph = withWeight(floatsOf([1, 2, 3]));
    const bytes = writeModel(graph);
    for (let shift = 0; shift < 8; shift++) {
      const moved = new Uint8Array(bytes.length + 8).subarray(shift, shift + bytes.length);
      moved.set(bytes);
      expect(equalGraphs(readModel(moved), graph)).toBe(true);
      expect(equalGraphs(readModel(Buffer.from(moved)), graph)).toBe(true);
    }
  });

  it("leaves large aligned weights where they are: no copy", () => {
    const bytes = writeModel(withWeight({ type: "uint8", dims: [5000], data: new Uint8Array(5000).fill(7) }));
    const weight = readModel(bytes).initializers.get("w") as Tensor;
    expect((weight.data as Uint8Array).buffer).toBe(bytes.buffer);
  });

  it("keeps large weights, in order, among small fields", () => {
    const weights = [3, 100_000, 1, 5_000, 300].map((n, k) => {
      const data = Float32Array.from({ length: n }, (_, j) => j + k);
      return [`w${k}`, { type: "float32", dims: [n], data }] as const;
    });
    const graph = graphOf({ initializers: new Map<string, Tensor>(weights) });
    expect(firstDifference(graph, readModel(writeModel(graph)))).toBeUndefined();
  });

  it("keeps the weights of external data", () => {
    fc.assert(
      fc.property(fc.gen(), fc.integer({ min: 0, max: 40 }), (g, threshold) => {
        const graph = randomModel(g);
        const { model, weights } = writeModelAndWeights(graph, { location: "w.data", threshold });
        const file = Buffer.concat(weights);
        const back = readModel(model, {
          external: (location, offset, length) => {
            expect(location).toBe("w.data");
            expect(offset % 4096).toBe(0);
            return file.subarray(offset, offset + length);
          },
        });
        expect(firstDifference(graph, back)).toBeUndefined();
      }),
      { numRuns: 100 },
    );
  });

  it("reorders nodes that come before what they read, and keeps any order that is already right", () => {
    const [a, b, c] = [nodeOf("A", ["x"], ["a"]), nodeOf("B", ["a"], ["b"]), nodeOf("C", ["x"], ["c"])];
    const read = (...nodes: (typeof a)[]) =>
      readModel(writeModel(graphOf({ inputs: [value("x")], nodes }))).nodes.map((node) => node.op);
    expect(read(a, b, c)).toEqual(["A", "B", "C"]);
    expect(read(b, a, c).indexOf("A")).toBeLessThan(read(b, a, c).indexOf("B"));
  });

  it("describes types that it does not read", () => {
    const graph = graphOf({ inputs: [{ name: "x", type: sequenceOfMaps() }] });
    expect(readModel(writeModel(graph)).inputs[0]?.type).toMatchObject({
      description: "sequence(map(int64, tensor(float32)))",
    });
  });
});

describe("writing refuses", () => {
  const cases: [string, Graph, RegExp][] = [
    ["a tensor with too few values", withWeight(floatsOf([1], [2])), /tensor "w" is float32 of shape \[2\]/],
    ["an int beyond 64 bits", holding({ type: "int", value: 2n ** 63n }), /does not fit in 64 bits/],
    ["half a surrogate pair", holding({ type: "string", value: "\ud800" }), /surrogate/],
  ];
  it.each(cases)("%s", (_, graph, message) => {
    expect(() => writeModel(graph)).toThrow(message);
  });
});

describe("firstDifference", () => {
  const weighted = (x: number) => graphOf({ initializers: new Map([["w", floatsOf([0, x])]]) });
  it("says which element of which weight", () => {
    expect(firstDifference(weighted(1), weighted(2))).toBe('element 1 of initializer "w" is 1 and 2');
  });
  it("is about bits: NaN equals itself, 0 does not equal -0", () => {
    expect(equalGraphs(weighted(Number.NaN), weighted(Number.NaN))).toBe(true);
    expect(equalGraphs(weighted(0), weighted(-0))).toBe(false);
  });
  it("names the node and the attribute", () => {
    const alpha = (value: number) => holding({ type: "float", value });
    expect(firstDifference(alpha(1), alpha(2))).toBe('node 0, X node "y": attribute "a" is 1 and 2');
    expect(equalGraphs(alpha(0.1), alpha(Math.fround(0.1)))).toBe(true);
  });
  it("sees what is only in one of them", () => {
    expect(firstDifference(weighted(1), graphOf({}))).toBe('initializer "w" is only in the first');
    expect(firstDifference(graphOf({}), weighted(1))).toBe('initializer "w" is only in the second');
    expect(firstDifference(graphOf({ inputs: [value("x")] }), graphOf({}))).toBe(
      "the graph's input: there are 1 and 0",
    );
  });
});
