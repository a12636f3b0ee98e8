// The gradient of a choice between branches.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { type Graph, type Node, subgraphs, type TensorType } from "../../src/graph/graph.ts";
import { families, type OperatorName } from "../../src/graph/operators/index.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { withoutRule } from "../../src/passes/gradient/without-rule.ts";
import { gradient, gradientPass } from "../../src/passes/gradient.ts";
import { graphWith, nodeWith } from "../graph/operators-runtime.ts";
import { gradientAsFunction } from "./gradient-cases.ts";
import { checkGradient, randomTensor } from "./gradient-check.ts";

const value = (name: string, type: TensorType) => ({ name, type });
const plain: TensorType = { type: "float64" };
const branch = (name: string, nodes: readonly Node[]): { type: "graph"; value: Graph } => ({
  type: "graph",
  value: graphWith({ name, nodes, outputs: [value(nodes.at(-1)!.outputs.find(Boolean)!, plain)] }),
});

const recurrent = (input: string, name: string): Node =>
  nodeWith("LSTM", [input, "w", "r"], ["", name], { hidden_size: { type: "int", value: 1n } });

/** (e^(x y))^2 or (sin(x) + z)^2, plus x. */
const net: Graph = graphWith({
  inputs: [
    value("x", { type: "float64", shape: ["N", 3] }),
    value("y", { type: "float64", shape: [3] }),
    value("z", { type: "float64", shape: [1] }),
    value("way", { type: "bool", shape: [] }),
  ],
  nodes: [
    nodeWith("If", ["way"], ["chosen"], {
      then_branch: branch("first", [nodeWith("Mul", ["x", "y"], ["xy"]), nodeWith("Exp", ["xy"], ["e"])]),
      else_branch: branch("second", [nodeWith("Sin", ["x"], ["s"]), nodeWith("Add", ["s", "z"], ["sz"])]),
    }),
    nodeWith("Mul", ["chosen", "chosen"], ["square"]),
    nodeWith("Add", ["square", "x"], ["out"]),
  ],
  outputs: [value("out", { type: "float64", shape: ["N", 3] })],
});

describe("If", () => {
  const inputs = { x: randomTensor([2, 3], 1), y: randomTensor([3], 2), z: randomTensor([1], 3) };
  it.each([0, 1])("is differentiated in the branch that is taken (%i)", async (taken) => {
    const way = tensor([taken], { type: "bool", dims: [] });
    expect((await checkGradient(net, { ...inputs, way })).error).toBeLessThan(1e-6);
    const second = await gradientAsFunction(net, { ...inputs, way });
    expect((await checkGradient(second.graph, second.inputs)).error).toBeLessThan(1e-6);
  });
  it("gives nothing to what only the other branch reads", async () => {
    const way = tensor([1], { type: "bool", dims: [] });
    const { grad_z, grad_y } = await run(gradient(net, { unitSeeds: true }), { ...inputs, way });
    expect([...numbers(grad_z!)]).toEqual([0]);
    expect(numbers(grad_y!).every((v) => v !== 0)).toBe(true);
  });
});

describe("operators that are defined by others", () => {
  /** An LSTM of x and one of its square, each in a branch of its own, times x. */
  const inside: Graph = graphWith({
    inputs: [
      value("x", { type: "float64", shape: [2, 1, 2] }),
      value("w", { type: "float64", shape: [1, 4, 2] }),
      value("r", { type: "float64", shape: [1, 4, 1] }),
      value("way", { type: "bool", shape: [] }),
    ],
    nodes: [
      nodeWith("If", ["way"], ["chosen"], {
        then_branch: branch("first", [recurrent("x", "first_state")]),
        else_branch: branch("second", [
          nodeWith("Mul", ["x", "x"], ["square"]),
          nodeWith("If", ["way"], ["inner"], {
            then_branch: branch("third", [nodeWith("Identity", ["square"], ["same"])]),
            else_branch: branch("fourth", [recurrent("square", "second_state")]),
          }),
        ]),
      }),
    ],
    outputs: [value("chosen", plain)],
  });
  it.each([0, 1])("have gradients in branches too (%i)", async (taken) => {
    const way = tensor([taken], { type: "bool", dims: [] });
    const inputs = {
      x: randomTensor([2, 1, 2], 1),
      w: randomTensor([1, 4, 2], 2),
      r: randomTensor([1, 4, 1], 3),
    };
    expect((await checkGradient(inside, { ...inputs, way })).error).toBeLessThan(1e-6);
  });
  it("stay as they are where no derivative goes through", () => {
    const aside = graphWith({
      ...inside,
      nodes: [...inside.nodes, nodeWith("Mul", ["x", "x"], ["product"])],
      outputs: [...inside.outputs, value("product", plain)],
    });
    const chosen = gradient(aside, { of: ["product"] }).nodes.find((node) => node.op === "If")!;
    expect(subgraphs(chosen).flatMap((inner) => inner.nodes.map((node) => node.op))).toContain("LSTM");
  });
});

describe("the table of rules", () => {
  it("is asked for by an error that says why there is no rule", () => {
    const turns = graphWith({
      inputs: [value("x", { type: "float64", shape: [2] }), value("n", { type: "int64", shape: [] })],
      nodes: [
        nodeWith("Loop", ["n", "", "x"], ["y"], {
          body: {
            type: "graph",
            value: graphWith({
              inputs: [
                value("i", { type: "int64", shape: [] }),
                value("go", { type: "bool", shape: [] }),
                value("state", { type: "float64", shape: [2] }),
              ],
              nodes: [nodeWith("Identity", ["go"], ["on"]), nodeWith("Sin", ["state"], ["next"])],
              outputs: [value("on", { type: "bool" }), value("next", plain)],
            }),
          },
        }),
      ],
      outputs: [value("y", { type: "float64", shape: [2] })],
    });
    expect(() => gradient(turns)).toThrow(
      /^the gradient pass cannot read Loop node "the Loop": the way back needs the states of all turns/,
    );
  });

  it("says of every operator of the family why it has no rule", () => {
    for (const op of Object.keys(families.control) as OperatorName[])
      expect(Boolean(gradientPass.rules[op]) !== Boolean(withoutRule[op]), op).toBe(true);
  });
  it("lists no operator that has a rule", () => {
    const listed = Object.keys(withoutRule) as OperatorName[];
    expect(listed.filter((op) => gradientPass.rules[op])).toEqual([]);
  });
});
