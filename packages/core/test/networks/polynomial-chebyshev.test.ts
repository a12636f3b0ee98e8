import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { certified } from "../../src/networks/circuit/certified.ts";
import { uniformLevels } from "../../src/networks/circuit/levels.ts";
import { chebyshevTerms } from "../../src/networks/polynomial/chebyshev.ts";
import { polynomialCircuit } from "../../src/networks/polynomial/polynomial.ts";
import { univariate, valueAt } from "../../src/networks/polynomial/terms.ts";
import { valueExactly } from "../../src/networks/product/distance.ts";
import { abs, add, type Exact, mul, sub, toNumber } from "../../src/numbers/exact/rational.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { adversaries } from "./run-measure.ts";

const chebyshev10 = univariate([-1, 0, 50, 0, -400, 0, 1120, 0, -1280, 0, 512]);

describe("the Chebyshev basis", () => {
  it("is exact, and turns T_10 into one term", () => {
    expect(chebyshevTerms(chebyshev10)).toEqual([{ coefficient: 1, exponents: [10] }]);
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -4, max: 4, noNaN: true }), { minLength: 1, maxLength: 7 }),
        fc.double({ min: -1, max: 1, noNaN: true }),
        (coefficients, t) => {
          const p = univariate(coefficients);
          const T: Exact[] = [1, t];
          for (let k = 2; k < 8; k++) T.push(sub(mul(2, mul(t, T[k - 1]!)), T[k - 2]!));
          const value = chebyshevTerms(p).reduce<Exact>(
            (sum, { coefficient, exponents }) => add(sum, mul(coefficient, T[exponents[0]!]!)),
            0,
          );
          expect(value).toEqual(valueAt(p, [t]));
        },
      ),
      { numRuns: 40 },
    );
  });

  it("in two variables gives a circuit that keeps to its certificate", () => {
    const p = [
      { coefficient: 3, exponents: [3, 2] },
      { coefficient: -2, exponents: [1, 3] },
      { coefficient: 0.3, exponents: [0, 2] },
    ];
    const circuit = polynomialCircuit(p, 1e-3, { normalization: "centre", basis: "chebyshev" });
    const { network, error } = certified(circuit, uniformLevels(circuit, 7));
    expect(error).toBeLessThan(0.02);
    for (const x of adversaries(
      [
        [-1, 1],
        [-1, 1],
      ],
      40,
      createRandom(3),
    ).map((c) => c.map(Math.fround))) {
      const gap = abs(sub(valueExactly(network, x), valueAt(p, x)));
      expect(toNumber(gap)).toBeLessThanOrEqual(error);
    }
  });
});
