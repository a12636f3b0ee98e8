// Operators whose gradient is that of their definition, against central differences.
import { expect, it } from "vitest";
import { float64, graph } from "../../src/graph/builder.ts";
import { gradient } from "../../src/passes/gradient.ts";
import { operatorCases } from "../graph/operators-cases.ts";
import { graphOfCase } from "../graph/operators-runtime.ts";
import { checkGradient, randomTensor } from "./gradient-check.ts";
import { checkOperators, checkTwice } from "./gradient-layers.ts";

checkOperators(["RNN", "GRU", "LSTM", "Resize"], []);
checkTwice(["RNN", "GRU", "LSTM", "Resize"]);

it("an LSTM over a batch of any size", async () => {
  const net = graph({ x: float64(3, "N", 2), w: float64(1, 12, 2), r: float64(1, 12, 3) }, ({ x, w, r }) => ({
    y: x.op("LSTM", [w, r], { hidden_size: 3 }),
  }));
  const inputs = {
    x: randomTensor([3, 2, 2], 1),
    w: randomTensor([1, 12, 2], 2),
    r: randomTensor([1, 12, 3], 3),
  };
  expect((await checkGradient(net, inputs)).error).toBeLessThan(1e-6);
});

it("only nodes that a derivative goes through are written out", () => {
  const net = graph({ x: float64(3, 2, 2), w: float64(1, 12, 2), r: float64(1, 12, 3) }, ({ x, w, r }) => ({
    y: x.op("LSTM", [w, r], { hidden_size: 3 }),
    z: x.mul(x),
  }));
  const kinds = (of: string[]) => new Set(gradient(net, { of }).nodes.map((node) => node.op));
  expect(kinds(["z"])).toContain("LSTM");
  expect(kinds(["y"])).not.toContain("LSTM");
});

it("a Resize by scales that are known only at run time is refused by name", () => {
  const given = operatorCases.Resize.find((c) => c.dependsOnData)!;
  expect(() => gradient(graphOfCase("Resize", given))).toThrow(/^Resize node "the Resize": .*constant$/);
});
