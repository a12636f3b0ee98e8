import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { isGate } from "../../src/networks/circuit/circuit.ts";
import { boundsOf, errorWeights } from "../../src/networks/circuit/error-bounds.ts";
import { fewestUnits, uniformLevels, unitsOf } from "../../src/networks/circuit/levels.ts";
import { complexity } from "../../src/networks/layers/layers.ts";
import { polynomial, polynomialCircuit } from "../../src/networks/polynomial/polynomial.ts";
import { polynomialRange } from "../../src/networks/polynomial/range.ts";
import { changeVariables, normalize, univariate, valueAt } from "../../src/networks/polynomial/terms.ts";
import { valueExactly } from "../../src/networks/product/distance.ts";
import { abs, add, compare, mul, sub, toNumber } from "../../src/numbers/exact/rational.ts";
import { distance } from "../../src/passes/distance.ts";
import { linearPieces } from "../../src/passes/pieces.ts";

const coefficient = fc.double({ min: -1, max: 1, noNaN: true });
const ends = fc
  .tuple(fc.double({ min: -9, max: 9, noNaN: true }), fc.double({ min: 0.1, max: 9, noNaN: true }))
  .map(([from, width]) => [from, from + width] as const);

describe("polynomials", () => {
  it("keep to eps, in exact arithmetic, on any interval", () => {
    fc.assert(
      fc.property(
        fc.array(coefficient, { minLength: 1, maxLength: 6 }),
        ends,
        fc.integer({ min: 1, max: 6 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (coefficients, [from, to], digits, share) => {
          const reach = Math.max(1, Math.abs(from), Math.abs(to)) ** (coefficients.length - 1);
          const eps = 10 ** -digits * reach;
          const p = univariate(coefficients);
          const { network, error, units } = polynomial(p, { eps, box: [[from, to]] });
          expect(error).toBeLessThanOrEqual(eps);
          const { architecture } = complexity(network);
          expect(architecture.slice(1, -1).reduce((a, b) => a + b, 0)).toBe(units);
          const x = Math.min(to, from + share * (to - from));
          const gap = abs(sub(valueExactly(network, [x]), valueAt(p, [x])));
          expect(compare(gap, error)).toBeLessThanOrEqual(0);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("keep to the certificate by exact pieces", () => {
    const coefficients = [0.5, -1, 0.25, 2];
    const { network, error } = polynomial(univariate(coefficients), { eps: 0.05, box: [[-1, 2]] });
    const { sup } = distance(linearPieces(network, -1, 2), coefficients);
    expect(toNumber(sup.upper)).toBeLessThanOrEqual(error);
    expect(toNumber(sup.lower)).toBeGreaterThan(error / 4);
  });

  it("in several variables keep to eps on a box, in ONNX Runtime, down to 1e-12", async () => {
    const p = [
      { coefficient: 0.5, exponents: [2, 1] },
      { coefficient: -0.25, exponents: [0, 3] },
      { coefficient: 0.25, exponents: [1, 0] },
    ];
    for (const eps of [1e-3, 1e-12]) {
      const { network, error } = polynomial(p, {
        eps,
        box: [
          [-1, 1],
          [0, 1],
        ],
      });
      const x = Float64Array.from({ length: 4000 }, (_, k) => {
        const share = (k * 0.7548776662) % 1;
        return k % 2 ? share : 2 * share - 1;
      });
      const y = numbers((await run(network, { x: tensor(x, { dims: [2000, 2] }) })).y!);
      const worst = Array.from(y).reduce((most, value, k) => {
        const [a, b] = [x[2 * k]!, x[2 * k + 1]!];
        return Math.max(most, Math.abs(value - (0.5 * a * a * b - 0.25 * b ** 3 + 0.25 * a)));
      }, 0);
      expect(error).toBeLessThanOrEqual(eps);
      expect(worst).toBeLessThanOrEqual(eps);
    }
  });

  it("at equal levels are certified to sum |c_k| (k - 1)_+ 4^-(m+1)", () => {
    const circuit = polynomialCircuit(univariate([3, 1, 0.5, -0.25, 0, 2]), 0, { normalization: "centre" });
    const [bound] = boundsOf(circuit, uniformLevels(circuit, 5)).slice(circuit.outputs[0]);
    expect(bound!.error).toBe((0.5 + 0.25 * 2 + 2 * 4) * 4 ** -6);
  });

  it("of degree 1 or 0 are affine maps", () => {
    expect(complexity(polynomial(univariate([1, 2]), { eps: 1e-9 }).network).layers).toBe(1);
    expect(valueExactly(polynomial(univariate([5]), { eps: 1e-9 }).network, [0.3])).toBe(5);
  });

  it("refuse what cannot be", () => {
    const p = univariate([0, 0, 1]);
    const third = { numerator: 10n ** 9n, denominator: 3n }; // rounds by more than eps
    expect(() => polynomial(p, { eps: 0 })).toThrow(/eps = 0 is not a positive number/);
    expect(() => polynomial(p, { eps: 1e-3, box: [[1, 1]] })).toThrow(/not an interval of positive length/);
    expect(() => polynomial(univariate([0, 0, third]), { eps: 1e-12 })).toThrow(/double precision/);
  });
});

describe("the levels of a polynomial", () => {
  it("cost the fewest units there are (brute force)", () => {
    for (const [coefficients, eps] of [
      [[0, 0, 0.3, -1], 1e-2],
      [[0, 1, 0.5, 1, 0.01], 1e-2],
      [[0, 1, 1, 0, 0, 1], 3e-2],
    ] as const) {
      const circuit = polynomialCircuit(univariate(coefficients), eps, { normalization: "centre" });
      const weights = errorWeights(circuit);
      const gates = circuit.values.flatMap((v, i) => (isGate(v) ? [i] : []));
      const found = unitsOf(circuit, fewestUnits(circuit, weights, eps));
      let best = Number.POSITIVE_INFINITY;
      const levels = circuit.values.map(() => 0);
      const search = (k: number, error: number): void => {
        if (error > eps) return;
        if (k === gates.length) {
          best = Math.min(best, unitsOf(circuit, levels));
          return;
        }
        for (let m = 1; m <= 7; m++) {
          levels[gates[k]!] = m;
          search(k + 1, error + weights[gates[k]!]! * 4 ** -(m + 1));
        }
      };
      search(0, 0);
      expect(found).toBe(best);
    }
  });
});

describe("changes of variables", () => {
  it("are exact", () => {
    fc.assert(
      fc.property(
        fc.array(coefficient, { minLength: 1, maxLength: 5 }),
        ends,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (c, interval, share) => {
          const p = univariate(c);
          for (const kind of ["centre", "lower", "upper"] as const) {
            const change = normalize(interval, kind);
            const x = Math.min(interval[1], interval[0] + share * (interval[1] - interval[0]));
            const t = add(mul(change.scale, x), change.shift);
            expect(compare(abs(t), 1)).toBeLessThanOrEqual(0);
            if (kind !== "centre") expect(compare(t, 0)).toBeGreaterThanOrEqual(0);
            expect(valueAt(changeVariables(p, [change]), [t])).toEqual(valueAt(p, [x]));
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("the range of a polynomial", () => {
  it("encloses its values, nearly", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -8, max: 8 }), { minLength: 1, maxLength: 5 }), (c) => {
        const p = univariate(c);
        const { lower, upper } = polynomialRange(p, [[-1, 1]], 0.05);
        const values = Array.from({ length: 401 }, (_, k) => toNumber(valueAt(p, [k / 200 - 1])));
        expect(toNumber(lower)).toBeLessThanOrEqual(Math.min(...values));
        expect(toNumber(upper)).toBeGreaterThanOrEqual(Math.max(...values));
        expect(toNumber(lower)).toBeGreaterThan(Math.min(...values) - 0.06);
        expect(toNumber(upper)).toBeLessThan(Math.max(...values) + 0.06);
      }),
      { numRuns: 40 },
    );
  });
});

it("an interval whose length overflows is refused", () => {
  expect(() => normalize([-1.5e308, 1.5e308], "centre")).toThrow("is not an interval of positive length");
});
