import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { sum } from "../../src/networks/calculus/calculus.ts";
import { rampWidth, trapezoid } from "../../src/networks/trapezoid.ts";
import { linearPieces } from "../../src/passes/pieces.ts";
import { sizes } from "../../src/passes/sizes.ts";

describe("trapezoid", () => {
  it("rises and falls at its four knots, with four units", () => {
    const net = trapezoid(0.25, 0.625, 0.125);
    expect(linearPieces(net, 0, 1)).toEqual({
      knots: [0, 0.25, 0.375, 0.625, 0.75, 1],
      values: [0, 0, 1, 1, 0, 0],
    });
    expect(sizes(net).hiddenUnits).toBe(4);
    expect(linearPieces(trapezoid(0.25, 0.625, 0.125, { ramps: "outside" }), 0, 1).knots).toEqual([
      0, 0.125, 0.25, 0.625, 0.75, 1,
    ]);
    expect(linearPieces(trapezoid(0.25, 0.625, 0.125, { ramps: "centred" }), 0, 1).knots).toEqual([
      0, 0.1875, 0.3125, 0.5625, 0.6875, 1,
    ]);
  });

  it("has the L2 error that its ramps were chosen for, by quadrature of any width", async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0.05, max: 0.3, noNaN: true }), async (eps) => {
        const xs = Array.from({ length: 20000 }, (_, k) => (k + 0.5) / 20000);
        const { y } = await run(trapezoid(0.2, 0.7, rampWidth(eps)), { x: tensor(xs.map((x) => [x])) });
        const squared = Array.from(numbers(y!)).reduce(
          (s, v, k) => s + (v - (xs[k]! >= 0.2 && xs[k]! < 0.7 ? 1 : 0)) ** 2,
          0,
        );
        expect(Math.sqrt(squared / 20000)).toBeCloseTo(eps, 2);
      }),
      { numRuns: 5 },
    );
  });

  it("adds up to 1 with its neighbours", () => {
    const edges = [0, 0.25, 0.5, 0.75];
    const total = sum(edges.slice(1).map((to, j) => trapezoid(edges[j]!, to, 0.125)));
    expect(linearPieces(total, 0.125, 0.75)).toEqual({ knots: [0.125, 0.75], values: [1, 1] });
  });

  it("says what is wrong", () => {
    expect(() => trapezoid(0, 1, 0)).toThrow(/positive width/);
    expect(() => trapezoid(0.5, 0.6, 0.125)).toThrow(/overlap/);
  });
});
