// Numbers below the normal range are lost in doubles, and count in real arithmetic as soon as something great follows.
import { describe, expect, it } from "vitest";
import { linearBounds } from "../../src/bounds/linear.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import { tensor } from "../../src/graph/tensor.ts";

const scalar = (x: number) => tensor(new Float64Array([x]));
const input = { x: float64(1, 1) };

describe("linear bounds of networks with numbers below the normal range", () => {
  it.each(["Exp", "Sigmoid", "Softplus"] as const)("1e300 relu(1e300 %s(x)) at -760 is above 1e269", (op) => {
    const net = graph(input, ({ x }) => ({
      y: x.op(op).mul(scalar(1e300)).relu().mul(scalar(1e300)),
    }));
    const { upper } = linearBounds(net, { lower: [-900], upper: [-760] });
    expect(upper[0]).toBeGreaterThan(1e269); // e^-760 = 8.6e-331
  });

  it("a product of two weights that is 0 in doubles, times 1e308", () => {
    const net = graph(input, ({ x }) => ({
      y: x.mul(scalar(1e-200)).relu().mul(scalar(1e-200)).relu().mul(scalar(1e10)),
    }));
    const { upper } = linearBounds(net, { lower: [0], upper: [1e308] });
    expect(upper[0]).toBeGreaterThanOrEqual(1e-82);
  });

  it.each([-1e-301, 1e-300])("a leaky unit with slope 1e-30 times 1e300, on -1e-300..%s", (upper) => {
    const net = graph(input, ({ x }) => ({ y: x.op("LeakyRelu", [], { alpha: 1e-30 }).mul(scalar(1e300)) }));
    expect(linearBounds(net, { lower: [-1e-300], upper: [upper] }).lower[0]).toBeLessThan(-0.99e-30);
  });
});
