// Operators that move elements or choose among them: TopK, Resize, Pad, Squeeze.
import { describe, expect, it } from "vitest";
import { linearBounds } from "../../../src/bounds/linear.ts";
import { inferTypes } from "../../../src/graph/infer.ts";
import { numbers } from "../../../src/graph/tensor.ts";
import { gradient } from "../../../src/passes/gradient.ts";
import { constantTensor } from "../../../src/passes/interval/tensor.ts";
import { intervalPass } from "../../../src/passes/interval.ts";
import { runGraph } from "../../graph/operators-runtime.ts";
import { expectBounded, int, of, oneNode } from "./one-node.ts";

describe("TopK that need not sort", () => {
  it("is bounded in any order", async () => {
    const x = of("float32", [3, 9, 1, 7, 5, 8, 2, 6]);
    const graph = oneNode("TopK", { x }, { sorted: int(0) }, { k: of("int64", [4]) }, ["y", "places"]);
    const y = await expectBounded(graph, { x });
    expect([y.lower[0], y.upper[0]]).toEqual([6, 9]);
  });
});

describe("integers", () => {
  it("that are interpolated are refused", () => {
    const image = of("int32", [1, 5, 9, 13], [1, 1, 2, 2]);
    const scales = { roi: of("float32", []), scales: of("float32", [1, 1, 2, 2]) };
    const graph = oneNode("Resize", { image }, { mode: { type: "string", value: "linear" } }, scales);
    expect(() => intervalPass(graph, new Map([["image", constantTensor(image)]]))).toThrow(
      /Resize.*integers/,
    );
  });
});

describe("what runtimes and opsets do not agree on", () => {
  it("the shape of stacks of matrices without columns", () => {
    const product = (left: readonly number[]) =>
      oneNode("MatMul", { a: of("float32", [], left), b: of("float32", [], [5, 0, 2]) });
    expect(inferTypes(product([4, 1, 2, 0])).get("y")?.shape).toBeUndefined();
    expect(inferTypes(product([5, 2, 0])).get("y")?.shape).toEqual([5, 2, 2]);
  });

  it("sizes that keep their aspect, of axes counted from the end", () => {
    const resized = (axes: bigint[]) =>
      oneNode(
        "Resize",
        { x: of("float32", new Array(336).fill(0), [2, 4, 7, 6]) },
        {
          axes: { type: "ints", value: axes },
          keep_aspect_ratio_policy: { type: "string", value: "not_larger" },
        },
        { roi: of("float32", []), scales: of("float32", []), sizes: of("int64", [5, 9]) },
      );
    expect(inferTypes(resized([2n, 3n])).get("y")?.shape).toEqual([2, 4, 5, 4]);
    expect(inferTypes(resized([2n, -1n])).get("y")?.shape).toEqual([2, 4, undefined, undefined]);
  });

  it("what is read when an axis is wrapped around more than once", () => {
    const wrapped = (...pads: number[]) =>
      oneNode(
        "Pad",
        { x: of("float32", [1, 2], [2, 1]) },
        { mode: { type: "string", value: "wrap" } },
        { pads: of("int64", pads) },
      );
    expect(() => gradient(wrapped(0, 2, 0, 0))).toThrow("wraps around more than once");
    expect(() => gradient(wrapped(2, 0, -1, 0))).toThrow("wraps around more than once");
    expect(() => gradient(wrapped(0, 1, 0, 0))).not.toThrow();
    expect(() => gradient(wrapped(1, 0, -1, 0))).not.toThrow();
  });
});

describe("padding along all axes at once", () => {
  it.each([1, 2, 3, 4, 5])("of %i axes is bounded as the runtime computes it, corners too", async (rank) => {
    const dims = new Array<number>(rank).fill(1);
    const x = of("float32", [0.5], dims);
    const graph = oneNode("Pad", { x }, {}, { pads: of("int64", new Array<number>(2 * rank).fill(1)) });
    const found = linearBounds(graph, { lower: [0.5], upper: [0.5] });
    const y = numbers((await runGraph(graph, new Map([["x", x]]))).get("y")!);
    expect(Array.from(found.lower)).toEqual(Array.from(y));
    expect(Array.from(found.upper)).toEqual(Array.from(y));
  });
});

describe("numbers that are none", () => {
  it("are no sizes", () => {
    const scales = of("float32", [1, 1, Number.NaN, 3e38]);
    const resized = oneNode("Resize", { x: of("float32", [1, 2], [1, 1, 1, 2]) }, {}, { scales });
    const { nodes } = resized;
    const named = { ...resized, nodes: [{ ...nodes[0]!, inputs: ["x", "", "scales"] }] };
    expect(inferTypes(named).get("y")?.shape).toEqual([1, 1, undefined, undefined]);
  });
});

describe("an empty list", () => {
  it("of axes is all of them or none to Squeeze: its shape is not known", () => {
    const squeeze = (dims: readonly number[]) =>
      oneNode("Squeeze", { x: of("float32", [1, 2, 3], dims) }, {}, { axes: of("int64", []) });
    expect(inferTypes(squeeze([1, 3, 1])).get("y")?.shape).toBeUndefined();
    expect(inferTypes(squeeze([3])).get("y")?.shape).toEqual([3]);
  });
});

it("GatherND by tuples of nothing gathers everything, once for each", async () => {
  const x = of("float32", [1, 2, 3, 4], [2, 2]);
  const pick = oneNode("GatherND", { x }, { batch_dims: int(1) }, { indices: of("int64", [], [2, 0]) });
  expect([...(await expectBounded(pick, { x })).lower]).toEqual([1, 2, 3, 4]);
  const thrice = oneNode("GatherND", { x }, {}, { indices: of("int64", [], [3, 0]) });
  expect((await expectBounded(thrice, { x })).dims).toEqual([3, 2, 2]);
});
