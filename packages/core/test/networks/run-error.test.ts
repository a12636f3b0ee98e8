import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConstructError } from "../../src/functions/error.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { type Certified, certified } from "../../src/networks/circuit/certified.ts";
import type { Circuit } from "../../src/networks/circuit/circuit.ts";
import { uniformLevels } from "../../src/networks/circuit/levels.ts";
import { rowRounding } from "../../src/networks/circuit/run.ts";
import { complexity, layersOf } from "../../src/networks/layers/layers.ts";
import { monomials, productOf } from "../../src/networks/monomial.ts";
import { polynomial, polynomialCircuit } from "../../src/networks/polynomial/polynomial.ts";
import {
  type Interval,
  type PolynomialTerms,
  univariate,
  valueAt,
} from "../../src/networks/polynomial/terms.ts";
import {
  multiplication,
  multiplicationError,
  multiplicationLevels,
} from "../../src/networks/product/product.ts";
import { rational } from "../../src/networks/rational/rational.ts";
import { centredFactor, reciprocal, reciprocalCircuit } from "../../src/networks/rational/reciprocal.ts";
import { splineRounding } from "../../src/networks/spline/rounding.ts";
import { spline } from "../../src/networks/spline/spline.ts";
import { square, squareCircuit, squareError } from "../../src/networks/square/square.ts";
import { abs, add, div, type Exact, mul, sub, toNumber } from "../../src/numbers/exact/rational.ts";
import { halfSpacing } from "../../src/numbers/floating-point.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { evaluateInAnyOrder } from "./any-order.ts";
import { adversaries, measured, type Target } from "./run-measure.ts";

const chebyshev10 = univariate([-1, 0, 50, 0, -400, 0, 1120, 0, -1280, 0, 512]);
const at =
  (p: PolynomialTerms): Target =>
  (x) =>
    valueAt(p, x);
const oneOver: Target = ([x]) => div(1, x!);

it("partial sums that may reach a power of two may be rounded beyond it, and are spaced as there", () => {
  const ones = [0, 1, 2].map((index): [number, number] => [index, 1]);
  const { rounding } = rowRounding(
    { terms: ones, constant: 0 } as never,
    [
      [0, 1],
      [0, 1],
      [0, 2],
    ] as never,
  );
  expect(rounding).toBeGreaterThanOrEqual(2 * halfSpacing(4.001));
  expect(halfSpacing(4.001)).toBe(2 * halfSpacing(4));
});

describe("the error of a run in f64", () => {
  it.each<readonly [string, () => Certified, readonly Interval[], Target, number]>([
    ["T_10", () => polynomial(chebyshev10, { eps: 1e-12 }), [[-1, 1]], at(chebyshev10), 1e-12],
    [
      "x^2 far from 0",
      () => polynomial(univariate([0, 0, 1]), { eps: 1e-12, box: [[-7, -3]] }),
      [[-7, -3]],
      at(univariate([0, 0, 1])),
      1e-12,
    ],
    [
      "x^3 on a short interval",
      () => polynomial(univariate([0, 0, 0, 1]), { eps: 1e-6, box: [[1000, 1000.001]] }),
      [[1000, 1000.001]],
      at(univariate([0, 0, 0, 1])),
      1e-6,
    ],
    [
      "x^2 nearly to the last bit",
      () => polynomial(univariate([0, 0, 1]), { eps: 2e-15, box: [[0, 1]] }),
      [[0, 1]],
      at(univariate([0, 0, 1])),
      2e-15,
    ],
    ["1/x", () => reciprocal([0.1, 1], { eps: 1e-12 }), [[0.1, 1]], oneOver, 1e-12],
    ["1/x near 0", () => reciprocal([0.001, 1], { eps: 2e-9 }), [[0.001, 1]], oneOver, 2e-9],
    [
      "1/(1 + 25 x^2)",
      () => rational(univariate([1]), univariate([1, 0, 25]), { eps: 1e-12 }),
      [[-1, 1]],
      (x) => div(1, valueAt(univariate([1, 0, 25]), x)),
      1e-12,
    ],
  ])("is certified to be at most eps: %s", async (_, make, box, target, eps) => {
    const { network, error, runError, units } = make();
    const hidden = complexity(network).architecture.slice(1, -1);
    expect(units).toBe(hidden.reduce((sum, width) => sum + width, 0));
    expect(error).toBeLessThanOrEqual(runError);
    expect(runError).toBeLessThanOrEqual(eps);
    expect(await measured(network, box, target, 2000)).toBeLessThanOrEqual(runError);
  });

  it("keeps to its bound for random polynomials, far from 0, on short and long intervals, or is refused", async () => {
    let certifications = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 3, maxLength: 9 }),
        fc.double({ min: -3, max: 3, noNaN: true }),
        fc.double({ min: -3, max: 1, noNaN: true }),
        fc.double({ min: -15, max: -3, noNaN: true }),
        fc.nat(),
        async (coefficients, far, width, digits, seed) => {
          const from = Math.sign(far) * 10 ** Math.abs(far) - 1;
          const box: Interval[] = [[from, from + 10 ** width]];
          const p = univariate(coefficients);
          const reach = Math.max(1, ...box[0]!.map(Math.abs));
          const eps = 10 ** digits * reach ** (coefficients.length - 1);
          const found = orRefusal(() => polynomial(p, { eps, box }));
          if (!found) return;
          certifications++;
          expect(found.runError).toBeLessThanOrEqual(eps);
          const error = await measured(found.network, box, at(p), 100, seed);
          expect(error).toBeLessThanOrEqual(found.runError);
        },
      ),
      { numRuns: 60 },
    );
    expect(certifications).toBeGreaterThan(30);
  });

  it("keeps to its bound for random quotients, or is refused", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: -3, max: -0.3, noNaN: true }),
        fc.double({ min: -13, max: -3, noNaN: true }),
        fc.double({ min: -1, max: 1, noNaN: true }),
        fc.nat(),
        async (delta, digits, slope, seed) => {
          const [p, q] = [univariate([1, slope]), univariate([10 ** delta, 0, 1])];
          const found = orRefusal(() => rational(p, q, { eps: 10 ** (digits - delta) }));
          if (!found) return;
          const target: Target = (x) => div(valueAt(p, x), valueAt(q, x));
          const error = await measured(found.network, [[-1, 1]], target, 60, seed);
          expect(error).toBeLessThanOrEqual(found.runError);
        },
      ),
      { numRuns: 6 },
    );
  });

  it("keeps to its bound for products and monomials with many levels", async () => {
    const power: Target = (x) => x.reduce<Exact>((p, c) => mul(p, c), 1);
    const cube: Interval[] = [1, 2, 3, 4].map(() => [-1, 1]);
    for (const levels of [19, 24, 30])
      for (const layout of ["tree", "chain"] as const) {
        const { network, runError } = productOf(4, { levels, layout });
        expect(await measured(network, cube, power)).toBeLessThanOrEqual(runError);
        expect(runError).toBeLessThan(1e-11);
      }
    const { network, runError } = monomials([[8]], { levels: 26, nonnegative: true });
    expect(
      await measured(network, [[0, 1]], at(univariate([0, 0, 0, 0, 0, 0, 0, 0, 1]))),
    ).toBeLessThanOrEqual(runError);
  });

  it("keeps to its bound for the squaring network, whatever its levels", async () => {
    for (const levels of [1, 8, 19, 26, 40]) {
      const { error, runError } = squareError(levels);
      expect(error).toBe(4 ** -(levels + 1));
      expect(sortedWeights(squareCircuit(levels).network)).toEqual(sortedWeights(square(levels)));
      expect(await measured(square(levels), [[0, 1]], ([x]) => mul(x!, x!))).toBeLessThanOrEqual(runError);
    }
    expect(squareError(19).runError).toBeLessThan(1e-12);
  });

  it("keeps to its bound for splines with steep pieces", async () => {
    const source = createRandom(5);
    for (const pieces of [1, 10, 300, 3000]) {
      const knots = Array.from({ length: pieces + 1 }, (_, k) => 3 + (k + 0.5 * source.uniform()) / pieces);
      const values = knots.map(() => source.uniform());
      const target: Target = ([x]) => {
        const j = Math.max(
          0,
          Math.min(
            pieces - 1,
            knots.findLastIndex((knot) => knot <= x!),
          ),
        );
        const [from, to, v, w] = [knots[j]!, knots[j + 1]!, values[j]!, values[j + 1]!];
        return add(v, mul(sub(w, v), div(sub(x!, from), sub(to, from))));
      };
      const box: Interval[] = [[knots[0]!, knots.at(-1)!]];
      const error = await measured(spline(knots, values), box, target);
      expect(error).toBeLessThanOrEqual(splineRounding(knots, values));
      expect(error).toBeGreaterThan(0);
    }
  });

  it("is at most eps for two factors at the levels that are given for eps", async () => {
    for (const [eps, bound] of [
      [1e-6, 1],
      [1e-12, 1],
      [1e-12, 9],
      [3e-13, 0.7],
    ] as const)
      for (const accumulators of ["separate", "shared"] as const) {
        const levels = multiplicationLevels(eps, bound);
        const { runError } = multiplicationError(levels, { bound, accumulators });
        if (accumulators === "separate") expect(runError).toBeLessThanOrEqual(eps);
        const network = multiplication(levels, { bound, accumulators });
        const box: Interval[] = [0, 1].map(() => [-bound, bound]);
        expect(await measured(network, box, ([x, y]) => mul(x!, y!))).toBeLessThanOrEqual(runError);
      }
    expect(() => multiplicationLevels(1e-15)).toThrow(/x y on \[-1, 1\]\^2 cannot be certified to 1e-15/);
  });

  it("holds for every order of every sum, fused or not (the worst of several at each unit)", () => {
    // With so many levels the gates are exact, and all that is left is rounding.
    const circuits: readonly [Circuit, readonly Interval[], Target][] = [
      [
        polynomialCircuit(chebyshev10, 1e-14, { normalization: "centre", basis: "chebyshev" }),
        [[-1, 1]],
        at(chebyshev10),
      ],
      [
        polynomialCircuit(univariate([1, -3, 2, 0.3, -1.7]), 1e-14, { normalization: "lower" }, [[3, 4.5]]),
        [[3, 4.5]],
        at(univariate([1, -3, 2, 0.3, -1.7])),
      ],
      [reciprocalCircuit([0.25, 1], { factor: centredFactor([0.25, 1]), stages: 7 }), [[0.25, 1]], oneOver],
    ];
    for (const [circuit, box, target] of circuits)
      for (const writing of [{}, { finish: true }, { finish: true, split: 4 }]) {
        const { network, runError } = certified(circuit, uniformLevels(circuit, 26), writing);
        let worst = 0;
        for (const [k, x] of adversaries(box, 100, createRandom(7)).entries()) {
          const [y] = evaluateInAnyOrder(layersOf(network).layers, x, createRandom(k));
          worst = Math.max(worst, toNumber(abs(sub(y!, target(x)))));
        }
        expect(worst).toBeLessThanOrEqual(runError);
        expect(worst).toBeGreaterThan(runError / 300); // seen: from 1/8 to 1/55 of the bound
      }
  });
});

/** Weights and biases layer by layer, whatever the order of the units. */
const sortedWeights = (network: Graph): number[][] =>
  layersOf(network).layers.map(({ weights, bias }) => [...weights.values, ...bias].sort((a, b) => a - b));

/** What can be made, or nothing where rounding forbids it and the message says so. */
function orRefusal(make: () => Certified): Certified | undefined {
  try {
    return make();
  } catch (cause) {
    expect(cause).toBeInstanceOf(ConstructError);
    expect((cause as Error).message).toMatch(
      /cannot be certified to \S+ in double precision: rounding alone may cost \S+$|too short for its distance/,
    );
    return undefined;
  }
}

describe("half the spacing of doubles", () => {
  it("is what rounding costs at most", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-300, max: 1e300, noNaN: true }),
        fc.double({ noNaN: true, min: 0, max: 1 }),
        (a, b) => {
          const sum = add(a, mul(a, b));
          expect(toNumber(abs(sub(sum, toNumber(sum))))).toBeLessThanOrEqual(halfSpacing(a + a * b));
        },
      ),
    );
  });
});
