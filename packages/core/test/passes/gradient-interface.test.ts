// The inputs and outputs of a gradient graph: what they are called, and what is refused.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { float64, graph, int64 } from "../../src/graph/builder.ts";
import type { Node } from "../../src/graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { gradient } from "../../src/passes/gradient.ts";
import { perExampleJacobian } from "../../src/passes/jacobian.ts";
import { graphWith, nodeWith } from "../graph/operators-runtime.ts";

const values = (t: Tensor | undefined): number[] => Array.from(numbers(t!));

describe("names", () => {
  it("are all different, and plain where the plain name is free", async () => {
    const net = graph({ x: float64(1), x_2: float64(1) }, ({ x, x_2 }) => ({ grad_x: x.mul(x_2).mul(x) }));
    const slopes = gradient(net, { unitSeeds: true });
    expect(slopes.outputs.map((o) => o.name)).toEqual(["grad_x", "grad_x_3", "grad_x_2"]);
    const found = await run(slopes, { x: tensor([3]), x_2: tensor([5]) });
    expect([values(found.grad_x_3), values(found.grad_x_2)]).toEqual([[30], [9]]);
  });
  it("of seeds are different too", () => {
    const net = graph({ seed_y: float64(1) }, ({ seed_y }) => ({ y: seed_y.exp(), y_2: seed_y.sin() }));
    expect(gradient(net).inputs.map((i) => i.name)).toEqual(["seed_y", "seed_y_3", "seed_y_2"]);
  });
  it("asked for twice come once", () => {
    const net = graph({ x: float64(1) }, ({ x }) => ({ y: x.exp() }));
    expect(gradient(net, { wrt: ["x", "x"] }).outputs.map((o) => o.name)).toEqual(["y", "grad_x"]);
  });
});

describe("an output that is an input", () => {
  const net = graphWith({
    inputs: [{ name: "x", type: { type: "float64", shape: [2] } }],
    nodes: [nodeWith("Mul", ["x", "x"], ["y"])],
    outputs: [
      { name: "y", type: { type: "float64", shape: [2] } },
      { name: "x", type: { type: "float64", shape: [2] } },
    ],
  });
  it("stays one, and its cotangent is its share", async () => {
    const slopes = gradient(net);
    expect(slopes.outputs.map((o) => o.name)).toEqual(["y", "x", "grad_x"]);
    const found = await run(slopes, { x: tensor([1, 2]), seed_y: tensor([1, 1]), seed_x: tensor([10, 20]) });
    expect([values(found.y), values(found.x), values(found.grad_x)]).toEqual([
      [1, 4],
      [1, 2],
      [12, 24],
    ]);
  });
  it("can be differentiated twice", async () => {
    const second = gradient(gradient(net, { unitSeeds: true }), { of: ["grad_x"], unitSeeds: true });
    expect(values((await run(second, { x: tensor([1, 2]) })).grad_x_2)).toEqual([2, 2]);
  });
  it("is written by a body too, but no other value may have an input's name", async () => {
    const same = graph({ x: float64(2) }, ({ x }) => ({ x, y: x.exp() }));
    expect(values((await run(same, { x: tensor([1, 2]) })).x)).toEqual([1, 2]);
    expect(() => graph({ x: float64(2) }, ({ x }) => ({ x: x.exp() }))).toThrow(
      /of an input and of an output/,
    );
  });
});

describe("nothing to differentiate by", () => {
  const table = tensor([1, 2, 3], { dims: [3, 1] });
  const net = graph({ word: int64("N") }, ({ word }) => ({
    y: word.builder.weight(table, "table").op("Gather", [word]),
  }));
  it("is an error", () => {
    expect(() => gradient(net)).toThrow(
      "no input holds floating-point numbers: there is nothing to differentiate by",
    );
    expect(() => gradient(net, { wrt: [] })).toThrow(/nothing to differentiate by/);
    const inNode = graph({ x: float64(2) }, ({ x }) => ({ y: x.add(1) }));
    const [[name, value]] = [...inNode.initializers] as [[string, Tensor]];
    const constant: Node = {
      op: "Constant",
      domain: "",
      name: "c",
      inputs: [],
      outputs: [name],
      attributes: new Map([["value", { type: "tensor", value }]]),
    };
    const written = { ...inNode, initializers: new Map(), nodes: [constant, ...inNode.nodes] };
    expect(() => gradient(written, { wrt: "weights" })).toThrow(
      "no weight outside of Constant nodes holds floating-point numbers",
    );
    const bare = graph({ x: float64(2) }, ({ x }) => ({ y: x.exp() }));
    expect(() => gradient(bare, { wrt: "weights" })).toThrow(/no weight holds floating-point numbers/);
    expect(() => perExampleJacobian(bare)).toThrow(/no weight holds floating-point numbers/);
  });
  it("is none if there are weights", () => {
    expect(gradient(net, { wrt: "both" }).outputs.map((o) => o.name)).toEqual(["y", "grad_table"]);
  });
});
