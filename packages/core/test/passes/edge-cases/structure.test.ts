// The graph around the nodes: names used twice, nodes that do nothing, enclosures of nothing.
import { describe, expect, it } from "vitest";
import { simplify } from "../../../src/equivalence/simplify/simplify.ts";
import type { Graph } from "../../../src/graph/graph.ts";
import type { Tensor } from "../../../src/graph/tensor.ts";
import { checked } from "../../../src/passes/interval/checked.ts";
import { constantTensor } from "../../../src/passes/interval/tensor.ts";
import { type IntervalTensor, intervalPass } from "../../../src/passes/interval.ts";
import { graphWith, nodeWith, runGraph } from "../../graph/operators-runtime.ts";
import { of, output } from "./one-node.ts";

describe("a weight of a branch", () => {
  const branch = (name: string, weight: Tensor): Graph =>
    graphWith({
      name,
      nodes: [nodeWith("Add", ["x", "w"], [`${name}_y`])],
      outputs: [output(`${name}_y`)],
      initializers: new Map([["w", weight]]),
    });
  it("with a name of the graph around it is refused", () => {
    const graph = graphWith({
      inputs: [{ name: "x", type: { type: "float32", shape: [1] } }],
      nodes: [
        nodeWith("If", ["yes"], ["y"], {
          then_branch: { type: "graph", value: branch("then", of("float32", [5])) },
          else_branch: { type: "graph", value: branch("else", of("float32", [6])) },
        }),
      ],
      outputs: [output("y")],
      initializers: new Map([
        ["w", of("float32", [1])],
        ["yes", of("bool", [1], [])],
      ]),
    });
    const box = new Map([["x", constantTensor(of("float32", [0]))]]);
    expect(() => intervalPass(graph, box)).toThrow(/weight "w", a name of the graph around it/);
  });
});

describe("two Identity nodes in a row", () => {
  it("are both taken out by simplify", async () => {
    const x = of("float32", [-2]);
    const graph = graphWith({
      inputs: [{ name: "x", type: { type: "float32", shape: [1] } }],
      nodes: [
        nodeWith("Abs", ["x"], ["a"]),
        { ...nodeWith("Identity", ["a"], ["b"]), name: "first" },
        { ...nodeWith("Identity", ["b"], ["c"]), name: "second" },
        nodeWith("Sin", ["c"], ["y"]),
      ],
      outputs: [output("y")],
    });
    const { graph: smaller } = await simplify(graph);
    expect(smaller.nodes.map(({ op }) => op)).toEqual(["Abs", "Sin"]);
    const feeds = new Map([["x", x]]);
    expect(await runGraph(smaller, feeds)).toEqual(await runGraph(graph, feeds));
  });
});

describe("an enclosure that is empty", () => {
  const bounds = (lower: number, upper: number): IntervalTensor => ({
    type: "float32",
    dims: [1],
    lower: Float64Array.of(lower),
    upper: Float64Array.of(upper),
  });
  it("stops the pass", () => {
    expect(() => checked(bounds(1, 0))).toThrow("1 .. 0 hold no number");
    expect(() => checked(bounds(Number.NaN, 0))).toThrow("NaN");
    expect(checked(bounds(0, 0)).upper[0]).toBe(0);
  });
});
