// Windows: paddings that are less than all values, means and kernels that runtimes do not agree on.
import { describe, expect, it } from "vitest";
import { run } from "../../../src/engine/run.ts";
import { canonical } from "../../../src/graph/upgrade.ts";
import { expectBounded, int, ints, of, oneNode } from "./one-node.ts";

describe("integers", () => {
  it("in a pooled window of int8 are not compared with 0", async () => {
    const image = of("int8", [-5, -6, -7, -8], [1, 1, 2, 2]);
    const graph = oneNode("MaxPool", { image }, { kernel_shape: ints([2, 2]), pads: ints([1, 1, 1, 1]) });
    await expectBounded(graph, { image });
  });
});

describe("what runtimes and opsets do not agree on", () => {
  it("the mean of a window that is larger than its input", () => {
    const pool = oneNode(
      "AveragePool",
      { x: of("float32", [1, 2, 3], [1, 1, 3, 1]) },
      { kernel_shape: ints([3, 2]), strides: ints([1, 3]), count_include_pad: int(1) },
    );
    expect(() => canonical({ ...pool, opsets: new Map([["", 18]]) })).toThrow("larger than its input");
    expect(canonical({ ...pool, opsets: new Map([["", 19]]) }).nodes).toHaveLength(1);
    const fitting = {
      ...pool,
      opsets: new Map([["", 18]]),
      inputs: [{ name: "x", type: { type: "float32", shape: [1, 1, 3, 2] } as const }],
    };
    expect(canonical(fitting).nodes).toHaveLength(1);
  });
});

describe("a tensor of nothing", () => {
  it("as a kernel is a run without end, which is not begun", async () => {
    const x = of("float32", [], [3, 0, 7, 6]);
    const conv = oneNode("Conv", { x }, { strides: ints([2, 2]) }, { w: of("float32", [], [3, 0, 3, 3]) });
    await expect(run(conv, { x })).rejects.toThrow("never ends");
    const w = of("float32", [], [3, 0, 3, 3]);
    await expect(run(oneNode("Conv", { x, w }), { x, w })).rejects.toThrow("never ends");
  });
});
