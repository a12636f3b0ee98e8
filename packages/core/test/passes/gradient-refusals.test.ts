// Where the runtime could not run a gradient, there is none: one line says why. Otherwise it runs.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { graph } from "../../src/graph/builder.ts";
import { tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { gradient } from "../../src/passes/gradient.ts";
import { randomTensor } from "./gradient-check.ts";

const of = (dims: readonly number[], f: (x: Value) => Value) => {
  const net = graph({ x: { type: "float64", shape: dims } }, ({ x }) => ({ y: f(x!.sin()).sin() }));
  return async () => run(gradient(net, { unitSeeds: true }), { x: randomTensor(dims, 3) }, { threads: 1 });
};

describe("gradients that ONNX Runtime might refuse", () => {
  it.each([
    [[7, 6], { kernel_shape: [2, 2], dilations: [3, 1], strides: [1, 4], ceil_mode: 1, pads: [0, 1, 0, 0] }],
    [[8, 8], { kernel_shape: [1, 1], strides: [1, 4], ceil_mode: 1 }],
    [[7, 4], { kernel_shape: [3, 1], strides: [2, 2], ceil_mode: 1, auto_pad: "SAME_LOWER" }],
    [[5, 6], { kernel_shape: [1, 3], dilations: [3, 1], strides: [3, 1], ceil_mode: 1, auto_pad: "VALID" }],
    [[6, 6], { kernel_shape: [1, 3], dilations: [2, 3], strides: [2, 4], auto_pad: "SAME_LOWER" }],
    [[7, 7], { kernel_shape: [2, 3], dilations: [2, 1], strides: [2, 2], ceil_mode: 1 }],
    [[8, 7], { kernel_shape: [2, 2], strides: [3, 2], ceil_mode: 1 }],
  ] as const)("of MaxPool on %j with %j run, or are refused in one line", async (sizes, attributes) => {
    try {
      await of([1, 2, ...sizes], (x) => x.op("MaxPool", [], attributes))();
    } catch (error) {
      expect((error as Error).message).toMatch(
        /^MaxPool node ".*": ONNX Runtime counts its windows in two ways/,
      );
    }
  });
  it("of products of one number run", async () => {
    for (const dims of [[1], [1, 1], [2, 1], []])
      for (const keepdims of [0, 1]) await of(dims, (x) => x.op("ReduceProd", [], { keepdims }))();
    await of([2, 1], (x) => x.op("ReduceProd", [tensor([1], { type: "int64" })], { keepdims: 0 }))();
  });
  it("of bfloat16 are said not to be supported", () => {
    const net = graph({ x: { type: "bfloat16", shape: [1, 2] } }, ({ x }) => ({ y: x!.relu() }));
    expect(() => gradient(net)).toThrow(/gradients in bfloat16 are not supported/);
  });
});
