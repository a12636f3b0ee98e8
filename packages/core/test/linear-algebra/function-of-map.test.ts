import { describe, expect, it } from "vitest";
import { wholeBlock } from "../../src/linear-algebra/block.ts";
import {
  chebyshevCoefficients,
  conjugateGradients,
  functionOfMap,
  type Matrix,
  simultaneousGradients,
  spectralDecomposition,
} from "../../src/linear-algebra/index.ts";
import { productOf } from "../../src/linear-algebra/product.ts";
import { createRandom } from "../../src/numbers/random.ts";

const n = 40;
const random = createRandom("function of map");
const factor = random.normal(n * n);
/** A positive definite matrix with a spread spectrum. */
const A: Matrix = {
  rows: n,
  columns: n,
  entries: Float64Array.from({ length: n * n }, (_, e) => {
    const [i, j] = [Math.floor(e / n), e % n];
    let sum = i === j ? 0.5 : 0;
    for (let k = 0; k < n; k++) sum += (factor[i * n + k]! * factor[j * n + k]!) / n;
    return sum;
  }),
};
const product = (v: Matrix): Promise<Matrix> => productOf(wholeBlock(v), wholeBlock(A));
const v: Matrix = { rows: 3, columns: n, entries: random.normal(3 * n) };

describe("a function of a symmetric map", () => {
  it.each([
    ["exp(-x)", (x: number) => Math.exp(-x)],
    ["1/x", (x: number) => 1 / x],
    ["(1 - exp(-30x)) / x", (x: number) => -Math.expm1(-30 * x) / x],
  ])("%s by a polynomial is that by eigenvectors", async (_, f) => {
    const { values, vectors } = await spectralDecomposition(A);
    const found = await functionOfMap(f, product, v, {
      interval: [values[0]!, values.at(-1)!],
      tolerance: 1e-11,
    });
    for (let r = 0; r < 3; r++)
      for (let i = 0; i < n; i++) {
        let sum = 0;
        for (let k = 0; k < n; k++) {
          let along = 0;
          for (let j = 0; j < n; j++) along += vectors.entries[k * n + j]! * v.entries[r * n + j]!;
          sum += f(values[k]!) * along * vectors.entries[k * n + i]!;
        }
        expect(found.entries[r * n + i]).toBeCloseTo(sum, 8);
      }
  });

  it("has the coefficients of exp, which are Bessel functions", () => {
    const c = chebyshevCoefficients(Math.exp, [-1, 1], 1e-12, 100);
    expect(0.5 * c[0]!).toBeCloseTo(1.266065877752008, 12); // I_0(1)
    expect(0.5 * c[1]!).toBeCloseTo(0.565159103992485, 12); // I_1(1)
    expect(c.length).toBeLessThan(16);
  });

  it("is refused where the polynomial would have too high a degree", () => {
    expect(() => chebyshevCoefficients((x) => Math.abs(x - 0.1), [-1, 1], 1e-9, 60)).toThrow(
      /degree above 60/,
    );
  });
});

describe("conjugate gradients in step", () => {
  it("are those one by one", async () => {
    const passes: number[] = [];
    const found = await simultaneousGradients(product, v, { onStep: (residual) => passes.push(residual) });
    for (let r = 0; r < 3; r++) {
      const b = v.entries.slice(r * n, (r + 1) * n);
      const one = await conjugateGradients(
        async (x) => (await product({ rows: 1, columns: n, entries: x })).entries,
        b,
      );
      one.solution.forEach((x, j) => {
        expect(found.solution.entries[r * n + j]).toBeCloseTo(x, 9);
      });
    }
    expect(found.converged).toBe(true);
    expect(found.products).toBe(passes.length + 1);
    expect(passes.at(-1)).toBeLessThan(1e-10);
  });

  it("of a right-hand side of zeros are done at once, and of a map that is not positive are refused", async () => {
    const zeros: Matrix = { rows: 1, columns: n, entries: new Float64Array(n) };
    expect((await simultaneousGradients(product, zeros)).residual).toBe(0);
    const negative = async (x: Matrix): Promise<Matrix> => ({ ...x, entries: x.entries.map((a) => -a) });
    await expect(simultaneousGradients(negative, v)).rejects.toThrow(/not positive definite/);
  });
});
