import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { complexity } from "../../src/networks/layers/layers.ts";
import { univariate, valueAt } from "../../src/networks/polynomial/terms.ts";
import { valueExactly } from "../../src/networks/product/distance.ts";
import { rational } from "../../src/networks/rational/rational.ts";
import { abs, compare, div, sub } from "../../src/numbers/exact/rational.ts";

const coefficient = fc.integer({ min: -1e6, max: 1e6 }).map((k) => k / 1e6);

describe("rational functions", () => {
  it("keep to eps, in exact arithmetic, whatever the sign of the denominator", () => {
    fc.assert(
      fc.property(
        fc.array(coefficient, { minLength: 1, maxLength: 3 }),
        coefficient,
        fc.constantFrom(1, -1),
        fc.integer({ min: 1, max: 4 }),
        fc.double({ min: -2, max: 3, noNaN: true }),
        (top, a, sign, digits, x) => {
          const [p, q] = [univariate(top), univariate([sign * (0.5 + a * a), -2 * sign * a, sign])];
          const eps = 10 ** -digits;
          const { network, error, units } = rational(p, q, { eps, box: [[-2, 3]] });
          expect(error).toBeLessThanOrEqual(eps);
          const { architecture } = complexity(network);
          expect(architecture.slice(1, -1).reduce((s, n) => s + n, 0)).toBe(units);
          const exact = div(valueAt(p, [x]), valueAt(q, [x]));
          expect(compare(abs(sub(valueExactly(network, [x]), exact)), error)).toBeLessThanOrEqual(0);
        },
      ),
      { numRuns: 25 },
    );
  });

  it.each([1e-3, 1e-12])(
    "run in ONNX Runtime with an error of %f: Runge's function, and x y / (2 + x + y^2)",
    async (eps) => {
      const runge = rational(univariate([1]), univariate([1, 0, 25]), { eps });
      const x = Float64Array.from({ length: 2001 }, (_, k) => -1 + k / 1000);
      const y = numbers((await run(runge.network, { x: tensor(x, { dims: [x.length, 1] }) })).y!);
      for (let k = 0; k < x.length; k++)
        expect(Math.abs(y[k]! - 1 / (1 + 25 * x[k]! ** 2))).toBeLessThanOrEqual(eps);
      const two = rational(
        [{ coefficient: 1, exponents: [1, 1] }],
        [
          { coefficient: 2, exponents: [0, 0] },
          { coefficient: 1, exponents: [1, 0] },
          { coefficient: 1, exponents: [0, 2] },
        ],
        { eps },
      );
      const z = Float64Array.from({ length: 2000 }, (_, k) => Math.cos(k * 78.233));
      const w = numbers((await run(two.network, { x: tensor(z, { dims: [1000, 2] }) })).y!);
      for (let k = 0; k < 1000; k++) {
        const [a, b] = [z[2 * k]!, z[2 * k + 1]!];
        expect(Math.abs(w[k]! - (a * b) / (2 + a + b * b))).toBeLessThanOrEqual(eps);
      }
    },
  );

  it("refuse a denominator with a zero in the box", () => {
    expect(() => rational(univariate([1]), univariate([0, 1]), { eps: 0.1 })).toThrow(/keep away from 0/);
    expect(() => rational(univariate([1]), univariate([0.5, 1]), { eps: 0.1 })).toThrow(/keep away from 0/);
  });
});
