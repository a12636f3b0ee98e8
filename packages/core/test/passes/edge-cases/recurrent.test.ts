// Recurrent layers: flags that are neither 0 nor 1, thresholds that are left out, weights of nothing.
import { describe, expect, it } from "vitest";
import { symmetryGroup } from "../../../src/equivalence/group.ts";
import type { Attribute } from "../../../src/graph/graph.ts";
import { constantTensor } from "../../../src/passes/interval/tensor.ts";
import { intervalPass, outputBounds } from "../../../src/passes/interval.ts";
import { int, of, oneNode } from "./one-node.ts";

describe("flags", () => {
  it("that are neither 0 nor 1 are refused", () => {
    const x = of("float32", [1, 2], [2, 1, 1]);
    const weights = { w: of("float32", [1, 1, 1], [1, 3, 1]), r: of("float32", [1, 1, 1], [1, 3, 1]) };
    const graph = oneNode("GRU", { x }, { hidden_size: int(1), linear_before_reset: int(2) }, weights);
    const box = new Map([["x", constantTensor(x)]]);
    expect(() => intervalPass(graph, box)).toThrow(/GRU node.*linear_before_reset.*neither 0 nor 1/);
    const sum = oneNode("ReduceSum", { x }, { keepdims: int(-1) });
    expect(() => intervalPass(sum, box)).toThrow(/keepdims.*neither 0 nor 1/);
  });
});

describe("what runtimes and opsets do not agree on", () => {
  it("the threshold of a recurrent ThresholdedRelu that is left out", () => {
    const weight = of("float32", [1], [1, 1, 1]);
    const recurrent = (attributes: Readonly<Record<string, Attribute>>) =>
      oneNode(
        "RNN",
        { x: of("float32", [0.3], [1, 1, 1]) },
        {
          hidden_size: int(1),
          activations: { type: "strings", value: ["ThresholdedRelu"] },
          ...attributes,
        },
        { w: weight, r: weight },
      );
    const box = { x: { lower: [0.3], upper: [0.3] } };
    expect(() => outputBounds(recurrent({}), box)).toThrow("needs an alpha");
    const { upper } = outputBounds(
      recurrent({ activation_alpha: { type: "floats", value: [0.25] } }),
      box,
    ).get("y")!;
    expect(upper[0]).toBeCloseTo(0.3, 6);
  });
});

describe("a tensor of nothing", () => {
  it("of another rank is no weight of an LSTM: symmetries say nothing of it", () => {
    const x = of("float32", [1], [1, 1, 1]);
    const weights = {
      w: of("float32", [1, 1, 1, 1], [1, 4, 1]),
      r: of("float32", [1, 1, 1, 1], [1, 4, 1]),
      b: of("float32", [], [0]),
    };
    const lstm = oneNode("LSTM", { x }, { hidden_size: int(1) }, weights);
    expect(() => symmetryGroup(lstm)).not.toThrow(TypeError);
  });
});
