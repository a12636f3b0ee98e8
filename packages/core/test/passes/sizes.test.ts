// Sizes of networks whose weights are no floating-point numbers, and of names that objects have by themselves.
import { describe, expect, it } from "vitest";
import { float32, graph } from "../../src/graph/builder.ts";
import type { Graph, Node } from "../../src/graph/graph.ts";
import { sizes } from "../../src/passes/sizes.ts";

const weights = {
  w: { type: "int8", dims: [3, 2], data: Int8Array.of(1, 0, -3, 4, 0, 6) },
  s: { type: "float32", dims: [], data: Float32Array.of(0.5) },
} as const;
const node = (op: string, domain: string): Node => ({
  name: op,
  op,
  domain,
  inputs: ["w", "s"],
  outputs: ["d"],
  attributes: new Map(),
});
const plain = graph({ x: float32(1, 3), d: float32(3, 2) }, ({ x, d }) => ({ y: x!.matmul(d!) }));
const reading = (first: Node): Graph => ({
  ...plain,
  inputs: plain.inputs.slice(0, 1),
  initializers: new Map(Object.entries(weights)),
  nodes: [first, ...plain.nodes],
});

describe("parameters", () => {
  it("are weights that were quantized too, not their scales alone", () => {
    expect(sizes(reading(node("DequantizeLinear", "")))).toMatchObject({ parameters: 7, nonzeros: 5 });
  });
  it.each([
    ["MatMulInteger", ["x", "w"]],
    ["ConvInteger", ["x", "w"]],
    ["QLinearMatMul", ["x", "s", "z", "w", "s", "z", "s", "z"]],
    ["QLinearConv", ["x", "s", "z", "w", "s", "z", "s", "z", "b"]],
  ])("are the weights of %s, and not its zero points", (op, inputs) => {
    const more = {
      z: { type: "int8", dims: [], data: Int8Array.of(7) },
      b: { type: "int32", dims: [2], data: Int32Array.of(1, 2) },
    } as const;
    const net = reading({ ...node(op, ""), inputs });
    const initializers = new Map([...net.initializers, ...Object.entries(more)]);
    expect(sizes({ ...net, initializers }).parameters).toBe(7 + (inputs.includes("b") ? 2 : 0));
  });
  it("are counted where an operator is called as something that every object has", () => {
    expect(sizes(reading(node("constructor", "own"))).parameters).toBe(1);
  });
});
