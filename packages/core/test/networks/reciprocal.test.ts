import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { certified } from "../../src/networks/circuit/certified.ts";
import { complexity } from "../../src/networks/layers/layers.ts";
import { valueExactly } from "../../src/networks/product/distance.ts";
import { reciprocal, reciprocalCircuit } from "../../src/networks/rational/reciprocal.ts";
import { abs, compare, div, sub } from "../../src/numbers/exact/rational.ts";

describe("reciprocals", () => {
  it("keep to eps, in exact arithmetic, on any interval", () => {
    const positive = fc.double({ min: 0.05, max: 20, noNaN: true });
    fc.assert(
      fc.property(
        positive,
        fc.double({ min: 1.1, max: 20, noNaN: true }),
        fc.integer({ min: 1, max: 5 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (from, ratio, digits, share) => {
          const to = from * ratio;
          const eps = 10 ** -digits / from;
          const { network, error, units } = reciprocal([from, to], { eps });
          expect(error).toBeLessThanOrEqual(eps);
          const { architecture } = complexity(network);
          expect(architecture.slice(1, -1).reduce((a, b) => a + b, 0)).toBe(units);
          const x = Math.min(to, from + share * (to - from));
          expect(compare(abs(sub(valueExactly(network, [x]), div(1, x))), error)).toBeLessThanOrEqual(0);
        },
      ),
      { numRuns: 30 },
    );
  });

  it.each([1e-3, 1e-6, 1e-12])("run in ONNX Runtime with an error of %f on [0.1, 1]", async (eps) => {
    const { network } = reciprocal([0.1, 1], { eps });
    const x = Float64Array.from({ length: 5001 }, (_, k) => 0.1 + (0.9 * k) / 5000);
    const y = numbers((await run(network, { x: tensor(x, { dims: [x.length, 1] }) })).y!);
    const worst = Array.from(y).reduce((most, value, k) => Math.max(most, Math.abs(value - 1 / x[k]!)), 0);
    expect(worst).toBeLessThanOrEqual(eps);
    expect(worst).toBeGreaterThan(eps / 20);
  });

  it("by the series of 1 - x keep to the bound of equal levels", () => {
    const [delta, K, squares, products] = [0.1, 7, 12, 13];
    const circuit = reciprocalCircuit([delta, 1], { factor: 1, stages: K });
    const levels = circuit.values.map((v) =>
      v.kind === "square" ? squares : v.kind === "product" ? products : 0,
    );
    const bound =
      (1 - delta) ** (2 ** K) / delta +
      (2 ** K - 1) * (2 / delta) ** 2 * 4 ** -(products + 1) +
      ((K * 2 ** (K - 1)) / delta) * 4 ** -(squares + 1);
    expect(certified(circuit, levels).error).toBeLessThanOrEqual(bound);
  });

  it("refuse intervals with 0", () => {
    expect(() => reciprocal([0, 1], { eps: 0.1 })).toThrow(/positive ends/);
  });
});
