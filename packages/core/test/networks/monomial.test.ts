import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { isGate } from "../../src/networks/circuit/circuit.ts";
import { unitsOf } from "../../src/networks/circuit/levels.ts";
import { complexity } from "../../src/networks/layers/layers.ts";
import { type Exponents, monomial, monomials, productOf } from "../../src/networks/monomial.ts";
import { valueExactly } from "../../src/networks/product/distance.ts";
import { abs, compare, mul, sub } from "../../src/numbers/exact/rational.ts";

const exponents = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 3 });
const side = fc.integer({ min: -64, max: 64 }).map((k) => k / 64);
const power = (x: readonly number[], alpha: Exponents): number =>
  alpha.reduce((p, a, k) => p * x[k]! ** a, 1);

describe("monomials", () => {
  it("err by at most (|alpha| - 1) 4^-(m+1), stay in [-1, 1] and vanish with a factor", () => {
    fc.assert(
      fc.property(
        exponents,
        fc.array(side, { minLength: 3, maxLength: 3 }),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom("tree" as const, "chain" as const),
        (alpha, point, levels, layout) => {
          const x = point.slice(0, alpha.length);
          const degree = alpha.reduce((a, b) => a + b, 0);
          const { network, error, units } = monomial(alpha, { levels, layout });
          const value = valueExactly(network, x);
          expect(error).toBe(Math.max(0, degree - 1) * 4 ** -(levels + 1));
          const exact = alpha
            .flatMap((a, k) => new Array<number>(a).fill(x[k]!))
            .reduce<ReturnType<typeof mul>>(mul, 1);
          expect(compare(abs(sub(value, exact)), error)).toBeLessThanOrEqual(0);
          expect(compare(abs(value), 1)).toBeLessThanOrEqual(0);
          if (alpha.some((a, k) => a > 0 && x[k] === 0)) expect(value).toBe(0);
          const { architecture } = complexity(network);
          expect(architecture.slice(1, -1).reduce((a, b) => a + b, 0)).toBe(units);
        },
      ),
      { numRuns: 80 },
    );
  });

  it("have ceil(log2 k) stages as a tree, k - 1 as a chain", () => {
    for (const [k, stages] of [
      [2, 1],
      [3, 2],
      [4, 2],
      [5, 3],
      [8, 3],
    ] as const) {
      const layers = (layout: "tree" | "chain") =>
        complexity(productOf(k, { levels: 3, layout }).network).layers - 1;
      expect(layers("tree")).toBe(stages * 4);
      expect(layers("chain")).toBe((k - 1) * 4);
    }
  });

  it("of all degrees up to r take one gate each", () => {
    const all: number[][] = [];
    for (let a = 0; a <= 4; a++) for (let b = 0; a + b <= 4; b++) all.push([a, b]);
    const { circuit, network } = monomials(all, { levels: 2 });
    expect(circuit.values.filter(isGate).length).toBe(15 - 3);
    expect(complexity(network).architecture.at(-1)).toBe(15);
  });

  it("run in ONNX Runtime with the certified error", async () => {
    for (const layout of ["chain", "tree"] as const) {
      const { network, error } = productOf(8, { levels: 8, layout });
      expect(error).toBe(7 * 4 ** -9);
      const x = Float64Array.from({ length: 8 * 3000 }, (_, k) => 1 - ((k * 0.6180339887) % 0.3));
      const y = numbers((await run(network, { x: tensor(x, { dims: [3000, 8] }) })).y!);
      const worst = Array.from(y).reduce((most, value, k) => {
        const point = [...x.subarray(8 * k, 8 * k + 8)];
        return Math.max(most, Math.abs(value - power(point, new Array(8).fill(1))));
      }, 0);
      expect(worst).toBeLessThanOrEqual(error);
      expect(worst).toBeGreaterThan(error / 10);
    }
  });

  it("need no absolute values on [0, 1]^d", () => {
    const { network, circuit, levels } = monomial([1, 1, 1], { levels: 3, nonnegative: true });
    expect(unitsOf(circuit, levels)).toBeLessThan(monomial([1, 1, 1], { levels: 3 }).units);
    expect(valueExactly(network, [1, 1, 1])).toBe(1);
  });

  it("refuse exponents that are none", () => {
    expect(() => monomial([1.5], { levels: 3 })).toThrow(/exponents \[1.5\]/);
    expect(() => productOf(0, { levels: 3 })).toThrow(/number of factors/);
  });
});
