// Activations in f64: what simplify must not put into types that do not run, and digits that cancel.
import { describe, expect, it } from "vitest";
import { run } from "../../../src/engine/run.ts";
import { simplify } from "../../../src/equivalence/simplify/simplify.ts";
import { numbers } from "../../../src/graph/tensor.ts";
import { graphWith, nodeWith, runGraph } from "../../graph/operators-runtime.ts";
import { expectBounded, of, oneNode, output } from "./one-node.ts";

describe.each(["PRelu", "HardSigmoid", "Elu", "Softsign"])("%s in f64", (op) => {
  it("runs after simplify where it ran before", async () => {
    const x = of("float64", [3, -2], [1, 2]);
    const before = graphWith({
      inputs: [{ name: "x", type: { type: "float64", shape: [1, 2] } }],
      initializers: new Map([["slope", of("float64", [0.5], [])]]),
      nodes: [
        nodeWith(op, op === "PRelu" ? ["x", "slope"] : ["x"], ["h"]),
        nodeWith("Identity", ["h"], ["i"]),
        nodeWith("Neg", ["i"], ["y"]),
      ],
      outputs: [output("y")],
      opsets: new Map([["", 18]]),
    });
    const feeds = new Map([["x", x]]);
    const { graph } = await simplify(before);
    expect(graph.nodes.some(({ op }) => op === "Identity")).toBe(false);
    expect([...numbers((await runGraph(graph, feeds)).get("y")!)]).toEqual([
      ...numbers((await runGraph(before, feeds)).get("y")!),
    ]);
  });
});

describe("Celu with a negative alpha", () => {
  it("loses no digits in f64, however far it falls", async () => {
    const x = of("float64", [-30, -5, -1e-9, 2]);
    const celu = oneNode("Celu", { x }, { alpha: { type: "float", value: -1 } });
    const { y } = await run(celu, { x });
    const exact = [-Math.expm1(30), -Math.expm1(5), -Math.expm1(1e-9), 2];
    exact.forEach((value, k) => {
      expect(Math.abs(numbers(y!)[k]! / value - 1)).toBeLessThan(1e-14);
    });
  });
});

describe("a Clip without bounds", () => {
  it("ends at the last number of its type", async () => {
    const x = of("float32", [32, -32, 1e30]);
    const graph = graphWith({
      inputs: [{ name: "x", type: { type: "float32", shape: [3] } }],
      initializers: new Map([["p", of("float32", [31], [])]]),
      nodes: [nodeWith("Pow", ["x", "p"], ["v"]), nodeWith("Clip", ["v"], ["y"])],
      outputs: [output("y")],
    });
    await expectBounded(graph, { x });
  });
});
