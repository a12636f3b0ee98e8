// What stands in branches and bodies of loops is looked at as closely as what stands outside.
import { expect, it } from "vitest";
import type { Graph, Node } from "../../src/graph/graph.ts";
import { tensor } from "../../src/graph/tensor.ts";
import { outputBounds } from "../../src/passes/interval.ts";

const float = (name: string) => ({ name, type: { type: "float32", shape: [1] } as const });
const bool = (name: string) => ({ name, type: { type: "bool", shape: [] } as const });
const node = (op: string, inputs: string[], outputs: string[]): Node => ({
  ...{ op, domain: "", name: op, inputs, outputs, attributes: new Map() },
});
const plain = {
  ...{ valueTypes: new Map(), opsets: new Map([["", 17]]), irVersion: 8, metadata: new Map(), functions: [] },
};

it("a loop whose first collected output nobody names: the second one is ten times the input, not the third", () => {
  const body: Graph = {
    ...{ ...plain, name: "body", initializers: new Map() },
    inputs: [{ name: "turn", type: { type: "int64", shape: [] } }, bool("before")],
    outputs: [bool("after"), float("first"), float("second"), float("third")],
    nodes: [
      node("Identity", ["before"], ["after"]),
      node("Identity", ["x"], ["first"]),
      node("Mul", ["x", "ten"], ["second"]),
      node("Identity", ["x"], ["third"]),
    ],
  };
  const loop: Node = {
    ...node("Loop", ["turns", ""], ["", "second", "third"]),
    attributes: new Map([["body", { type: "graph", value: body }]]),
  };
  const net: Graph = {
    ...{ ...plain, name: "net", inputs: [float("x")], nodes: [loop] },
    outputs: [{ name: "second", type: { type: "float32", shape: [1, 1] } }],
    initializers: new Map([
      ["turns", tensor(1, { type: "int64", dims: [] })],
      ["ten", tensor(new Float32Array([10]))],
    ]),
  };
  const { lower, upper } = outputBounds(net, { x: { lower: 0, upper: 1 } }).get("second")!;
  expect([lower[0], upper[0]]).toEqual([0, 10]);
});

it("a node in a branch that has too few inputs is refused by its name", () => {
  const branch = (op: string): Graph => ({
    ...{ ...plain, name: op, initializers: new Map(), inputs: [], outputs: [float("y")] },
    nodes: [node(op, ["x"], ["y"])],
  });
  const choice: Node = {
    ...node("If", ["yes"], ["y"]),
    attributes: new Map(
      (["then_branch", "else_branch"] as const).map((name) => [
        name,
        { type: "graph", value: branch("InstanceNormalization") } as const,
      ]),
    ),
  };
  const net: Graph = {
    ...{ ...plain, name: "net", inputs: [float("x")], nodes: [choice], outputs: [float("y")] },
    initializers: new Map([["yes", tensor([1], { type: "bool", dims: [] })]]),
  };
  expect(() => outputBounds(net, { x: { lower: 0, upper: 1 } })).toThrow(
    'InstanceNormalization node "InstanceNormalization" takes 3 inputs, not 1',
  );
});
