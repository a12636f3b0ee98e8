// Reductions and statistics: of integers, of nothing, along axes that are said twice or are not there.
import { describe, expect, it } from "vitest";
import { linearBounds } from "../../../src/bounds/linear.ts";
import { run } from "../../../src/engine/run.ts";
import { symmetryGroup } from "../../../src/equivalence/group.ts";
import { inferTypes } from "../../../src/graph/infer.ts";
import { numbers } from "../../../src/graph/tensor.ts";
import { gradient } from "../../../src/passes/gradient.ts";
import { constantTensor } from "../../../src/passes/interval/tensor.ts";
import { intervalPass } from "../../../src/passes/interval.ts";
import { linearPieces, piecesAlong } from "../../../src/passes/pieces.ts";
import { boxSlice, planeRegions } from "../../../src/passes/regions/index.ts";
import { graphWith, nodeWith, runGraph } from "../../graph/operators-runtime.ts";
import { expectBounded, int, of, oneNode, output } from "./one-node.ts";

describe("integers", () => {
  const x = of("int32", [1, 2, 2, 5], [2, 2]);

  it.each(["ReduceL2", "ReduceLogSum", "ReduceMean"])("of %s lose their fraction", async (op) => {
    await expectBounded(oneNode(op, { x }), { x });
  });

  it("of ReduceLogSumExp lose it in each power, in ONNX Runtime: refused", async () => {
    const few = of("int64", [6, 5, 5, 5, 5, 5, 5]);
    const graph = oneNode("ReduceLogSumExp", { few });
    expect(Number((await runGraph(graph, new Map([["few", few]]))).get("y")!.data[0])).toBe(6);
    expect(Math.trunc(6 + Math.log(1 + 6 / Math.E))).toBe(7);
    expect(() => intervalPass(graph, new Map([["few", constantTensor(few)]]))).toThrow(/loses its fraction/);
  });

  it("of a mean are whole to the pieces pass too", () => {
    const mean = piecesAlong(oneNode("ReduceMean", { x }), { x }, { x })["y"]!.components[0]!;
    expect(mean.values).toEqual([2, 2]);
  });
});

describe("a mean of nothing", () => {
  const graph = graphWith({
    inputs: [{ name: "x", type: { type: "float32", shape: [1, 1] } }],
    nodes: [
      nodeWith("Slice", ["x", "one", "one", "axis"], ["none"]),
      nodeWith("ReduceMean", ["none", "axis"], ["mean"]),
      nodeWith("Add", ["x", "mean"], ["y"]),
    ],
    outputs: [output("y")],
    initializers: new Map([
      ["one", of("int64", [1])],
      ["axis", of("int64", [1])],
    ]),
  });
  it("is refused by pieces, regions and bounds", async () => {
    expect(() => linearPieces(graph, 0, 1)).toThrow(/ReduceMean node/);
    await expect(planeRegions(graph, boxSlice([0], [1]))).rejects.toThrow(/ReduceMean node/);
    expect(() => linearBounds(graph, { lower: [0], upper: [1] })).toThrow(/ReduceMean/);
  });
});

describe("a reduction", () => {
  const x = of("float64", [1, 2, 3, 4, 5, 6], [1, 2, 3]);
  const axes = of("int64", [1, 1]);
  const graph = oneNode("ReduceMean", { x, axes }, { keepdims: int(0) });

  it("along an axis that is said twice has one axis less, and a gradient", async () => {
    const ran = (await runGraph(graph, new Map(Object.entries({ x, axes })))).get("y")!;
    expect(ran.dims).toEqual([1, 3]);
    expect(inferTypes(graph).get("y")?.shape).toBeUndefined();
    const seed = of("float64", [2, 4, 6], [1, 3]);
    const back = await run(gradient(graph, { wrt: ["x"] }), { x, axes, seed_y: seed });
    expect([...numbers(Object.values(back).find((t) => t.dims.length === 3)!)]).toEqual([1, 2, 3, 1, 2, 3]);
  });

  it("of what may be nothing keeps no size of 1 that is sure", () => {
    const { nodes } = oneNode("ReduceSum", { x }, {}, { along: of("int64", [2]) });
    const unknown = graphWith({
      inputs: [{ name: "x", type: { type: "float64", shape: [1, 2, undefined] } }],
      initializers: new Map([["along", of("int64", [2])]]),
      nodes,
      outputs: [output("y")],
    });
    expect(inferTypes(unknown).get("y")?.shape).toEqual([1, 2, undefined]);
  });
});

describe("a running sum along an axis that is not there", () => {
  it("has no symmetry that is known, and no error that nobody understands", () => {
    const x = of("float32", [], [0, 3]);
    const sum = oneNode("CumSum", { x }, {}, { axis: of("int64", [2], []) });
    expect(() => symmetryGroup(sum)).not.toThrow(TypeError);
  });
});

describe("the statistics of LayerNormalization", () => {
  it("are f32 whatever is normalized", async () => {
    const x = of("float64", [1, 2, 4, 8], [2, 2]);
    const graph = oneNode("LayerNormalization", { x }, {}, { scale: of("float64", [1, 1]) }, [
      "y",
      "mean",
      "inverse",
    ]);
    const bounds = intervalPass(graph, new Map([["x", constantTensor(x)]]));
    const computed = await runGraph(graph, new Map([["x", x]]));
    for (const [name, t] of computed) expect(bounds.get(name)!.type, name).toBe(t.type);
  });
});
