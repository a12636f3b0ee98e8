import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exponentsOf } from "../../src/approximate/ridge/decomposition.ts";
import {
  expandRidges,
  formDimension,
  latticeDirections,
  ridgeDecomposition,
  ridgePolynomialNetwork,
  ridgeRank,
  solveExactly,
} from "../../src/approximate/ridge/index.ts";
import { run } from "../../src/engine/run.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { complexity } from "../../src/networks/layers/layers.ts";
import type { PolynomialTerms } from "../../src/networks/polynomial/terms.ts";
import { compare, toNumber } from "../../src/numbers/exact/rational.ts";
import { createRandom } from "../../src/numbers/random.ts";

const sorted = (p: PolynomialTerms) =>
  [...p]
    .sort((a, b) => (String(a.exponents) < String(b.exponents) ? -1 : 1))
    .filter((t) => compare(t.coefficient, 0) !== 0);

describe("ridge decompositions", () => {
  it("write xy as ((x+y)^2 - (x-y)^2) / 4", () => {
    expect(
      ridgeDecomposition(
        [{ coefficient: 1, exponents: [1, 1] }],
        [
          [1, 1],
          [1, -1],
          [1, 0],
        ],
      ),
    ).toEqual([
      { direction: [1, 1], coefficients: [0, 0, 0.25] },
      { direction: [1, -1], coefficients: [0, 0, -0.25] },
    ]);
  });

  it("give back every polynomial, exactly", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer(),
        (n, k, seed) => {
          const random = createRandom(seed);
          const polynomial = Array.from({ length: k + 1 }, (_, s) => exponentsOf(n, s))
            .flat()
            .map((exponents) => ({ coefficient: random.integer(-20, 20) / 8, exponents }));
          const ridges = ridgeDecomposition(polynomial);
          expect(ridges.length).toBeLessThanOrEqual(formDimension(n, k));
          expect(sorted(expandRidges(ridges))).toEqual(sorted(polynomial));
        },
      ),
      { numRuns: 40 },
    );
  });

  it("count forms, and see when directions are too few or special", () => {
    expect([formDimension(3, 4), formDimension(2, 5), formDimension(4, 4)]).toEqual([15, 6, 35]);
    for (const [n, k] of [
      [2, 5],
      [3, 4],
      [4, 3],
    ] as const)
      expect(ridgeRank(k, latticeDirections(n, k))).toBe(formDimension(n, k));
    expect(
      ridgeRank(2, [
        [1, 0],
        [2, 0],
        [0, 1],
      ]),
    ).toBe(2);
    const square = [{ coefficient: 1, exponents: [1, 1] }];
    expect(() =>
      ridgeDecomposition(square, [
        [1, 0],
        [0, 1],
      ]),
    ).toThrow("need 3 directions, not 2");
    expect(() =>
      ridgeDecomposition(square, [
        [1, 0],
        [0, 1],
        [2, 0],
      ]),
    ).toThrow("lie on the zeros of a form");
    expect(() =>
      ridgeDecomposition(square, [
        [1, 0.5],
        [0, 1],
        [2, 0],
      ]),
    ).toThrow("whole coordinates");
  });

  it("solve integer systems exactly, or say that they are singular", () => {
    expect(
      solveExactly(
        [
          [2n, 1n],
          [1n, 3n],
        ],
        [1, 0.5],
      )!.map(toNumber),
    ).toEqual([0.5, 0]);
    expect(
      solveExactly(
        [
          [0n, 3n],
          [1n, 1n],
        ],
        [1, 0],
      ),
    ).toEqual([
      { numerator: -1n, denominator: 3n },
      { numerator: 1n, denominator: 3n },
    ]);
    expect(
      solveExactly(
        [
          [1n, 2n],
          [2n, 4n],
        ],
        [1, 1],
      ),
    ).toBeUndefined();
  });
});

it("networks of ridges keep to their errors", async () => {
  const polynomial = [
    { coefficient: 1, exponents: [2, 1] },
    { coefficient: -0.5, exponents: [0, 1] },
    { coefficient: 2, exponents: [0, 0] },
  ];
  const random = createRandom(3);
  const points = Array.from({ length: 200 }, () => Array.from(random.uniform(2), (u) => 2 * u - 1));
  for (const name of ["tanh", "gaussian", "exp"] as const) {
    const { network, error, rounding } = ridgePolynomialNetwork(name, polynomial);
    expect(complexity(network).width).toBeLessThanOrEqual(7 * 4);
    const { y } = await run(network, { x: tensor(points) });
    points.forEach(([a, b], k) => {
      expect(Math.abs(numbers(y!)[k]! - (a! * a! * b! - b! / 2 + 2))).toBeLessThanOrEqual(error + rounding);
    });
    expect(error + rounding).toBeLessThan(1e-3);
  }
});
