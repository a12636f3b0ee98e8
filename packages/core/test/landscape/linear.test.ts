// Linear networks: known values of chapter 4, exact arithmetic against floating point, and hypotheses that fail.
import { describe, expect, it } from "vitest";
import {
  balancedFactors,
  criticalClasses,
  criticalWeights,
  deepSaddle,
  dropoutLoss,
  escapeTime,
  exactLandscape,
  expectedDropoutLoss,
  flowedEscapeTime,
  linearLandscape,
  linearMinimum,
  linearRisk,
} from "../../src/landscape/index.ts";
import {
  characteristicPolynomial,
  doubles,
  exactEigenvalues,
  exactInertia,
  isSquareFree,
  matrixAlgebra,
  rationals,
  symmetricEigen,
} from "../../src/linear-algebra/index.ts";
import { toNumber } from "../../src/numbers/exact/rational.ts";
import { createRandom } from "../../src/numbers/random.ts";

const diagonal = (...values: number[]) => values.map((v, i) => values.map((_, j) => (i === j ? v : 0)));
const known = { xx: diagonal(1, 1, 1), yx: diagonal(3, 2, 1), yy: diagonal(10, 5, 2) };

describe("critical points of one hidden layer", () => {
  it("has the values and indices of the chapter's example", () => {
    const { classes } = exactLandscape(known, 1);
    expect(classes.map((c) => [c.risk.from, c.risk.to, c.index])).toEqual([
      [8, 8, 0],
      [13, 13, 1],
      [16, 16, 2],
      [17, 17, 3],
    ]);
    expect(linearLandscape(known, 1).classes.map((c) => c.risk)).toEqual([8, 13, 16, 17]);
    const origin = [[[0, 0, 0]], [[0], [0], [0]]];
    const { hessian } = linearRisk(matrixAlgebra(doubles), known);
    expect(symmetricEigen(hessian(origin)).values[0]).toBeCloseTo(-6, 12);
  });

  it("encloses eigenvalues that are not rational", () => {
    const [great, small] = exactEigenvalues([
      [2, 1],
      [1, 1],
    ])!;
    expect(toNumber(great!.from)).toBeLessThanOrEqual((3 + Math.sqrt(5)) / 2);
    expect(toNumber(great!.to)).toBeGreaterThanOrEqual((3 + Math.sqrt(5)) / 2);
    expect(toNumber(great!.to) - toNumber(great!.from)).toBeLessThan(1e-15);
    expect(toNumber(small!.from)).toBeCloseTo((3 - Math.sqrt(5)) / 2, 14);
  });

  it("names the hypothesis that fails", () => {
    expect(() => exactLandscape({ ...known, xx: diagonal(1, 1, 0) }, 1)).toThrow("Sxx has no inverse");
    expect(() => exactLandscape({ ...known, yx: diagonal(3, 3, 1) }, 1)).toThrow("repeated eigenvalue");
    expect(() => exactLandscape({ ...known, yx: diagonal(3, 2, 0) }, 1)).toThrow("not of full rank");
  });

  it("says how well doubles determine the order", () => {
    const near = linearLandscape({ ...known, yx: diagonal(3, 2, 2 - 1e-9) }, 1);
    expect(near.gap).toBeLessThan(1e-8);
    expect(linearLandscape(known, 1).gap).toBeCloseTo(1 / 9, 12);
  });

  it("gives weights whose exact gradient is 0", () => {
    const algebra = matrixAlgebra(rationals);
    const weights = criticalWeights(algebra, known, { vectors: [[0, 1, 0]], gauge: [[3]] });
    expect(linearRisk(algebra, known).gradient(weights).flat(2)).toEqual([0, 0, 0, 0, 0, 0]);
  });
});

describe("exact linear algebra", () => {
  const random = createRandom("inertia");
  it("counts signs as eigenvalues have them", () => {
    for (let trial = 0; trial < 30; trial++) {
      const n = random.integer(1, 6);
      const half = Array.from({ length: n }, () => Array.from({ length: n }, () => random.integer(-2, 2)));
      const a = half.map((row, i) => row.map((x, j) => x + half[j]![i]!));
      const { values } = symmetricEigen(a);
      const { positive, negative, zero } = exactInertia(a);
      expect([positive, negative, zero]).toEqual([
        values.filter((v) => v > 1e-9).length,
        values.filter((v) => v < -1e-9).length,
        values.filter((v) => Math.abs(v) <= 1e-9).length,
      ]);
    }
  });

  it("knows double roots", () => {
    expect(isSquareFree(characteristicPolynomial(diagonal(2, 2, 1)))).toBe(false);
    expect(isSquareFree(characteristicPolynomial(diagonal(3, 2, 1)))).toBe(true);
    expect(exactEigenvalues(diagonal(2, 2))).toBeUndefined();
  });
});

describe("deep linear networks", () => {
  it("multiplies balanced factors to the map, tall or wide", () => {
    const { product } = matrixAlgebra(doubles);
    for (const z of [[[1, 2, 3]], [[1], [2], [3]], diagonal(2, 5)]) {
      const widths = [z[0]!.length, 3, 2, z.length];
      const whole = balancedFactors(z, widths).reduce((a, w) => product(w, a));
      whole.flat().forEach((v, k) => {
        expect(v).toBeCloseTo(z.flat()[k]!, 12);
      });
    }
  });

  it("one class is the global minimum: the one of the greatest eigenvalues", () => {
    const classes = criticalClasses({ inputs: 3, hidden: 2, outputs: 3 });
    expect(classes).toHaveLength(3 + 3 + 1);
    const minima = classes.filter(({ kind }) => kind === "global minimum");
    expect(minima.map(({ chosen, index }) => [chosen, index])).toEqual([[[0, 1], 0]]);
  });

  it("refuses widths that do not fit the data", () => {
    expect(() => linearMinimum(known, [2, 1, 3])).toThrow("widths 2-1-3, but the data have 3 inputs");
  });

  it("tells the three saddles of the chapter apart", () => {
    const covariances = { xx: diagonal(1, 1), yx: diagonal(3, 1), yy: diagonal(10, 2) };
    const at = (middle: number[][]) => deepSaddle(covariances, [diagonal(0, 0), middle, diagonal(0, 0)]);
    expect(at(diagonal(1, 1))).toMatchObject({ verdict: "strict saddle", isStrictByRank: true });
    expect(at(diagonal(1, 1)).leastEigenvalue).toBeCloseTo(-6, 12);
    expect(at(diagonal(0, 0))).toMatchObject({ verdict: "degenerate saddle", isStrictByRank: false });
    expect(at(diagonal(1, 0))).toMatchObject({ verdict: "strict saddle", isStrictByRank: false });
    // A rank is that of the matrix, whatever its size.
    expect(at(diagonal(1e-6, 1e-6)).middleRank).toBe(2);
    expect(at(diagonal(1e6, 1e-6)).middleRank).toBe(1);
    const { weights } = linearMinimum(covariances, [2, 2, 2, 2]);
    expect(deepSaddle(covariances, weights).verdict).toBe("global minimum");
  });

  it.each([1e-8, 1e8])("gives its verdict in units of the data, here %f", (unit) => {
    const covariances = {
      ...{ xx: diagonal(unit, unit), yx: diagonal(3 * unit, unit), yy: diagonal(10 * unit, 2 * unit) },
    };
    const { weights } = linearMinimum(covariances, [2, 2, 2, 2]);
    expect(deepSaddle(covariances, weights).verdict).toBe("global minimum");
    const beside = [diagonal(0.1, 0), ...weights.slice(1)];
    expect(deepSaddle(covariances, beside).verdict).toBe("not critical");
    const zero = diagonal(0, 0);
    expect(deepSaddle(covariances, [zero, diagonal(1, 1), zero]).verdict).toBe("strict saddle");
  });

  it("leaves the origin as late as the series says", () => {
    const chain = (layers: number) => ({ layers, xx: 1, yx: 1 });
    for (const layers of [2, 3, 4])
      expect(flowedEscapeTime(chain(layers), 0.1)).toBeCloseTo(escapeTime(chain(layers), 0.1), 7);
    expect(escapeTime(chain(4), 0.05)).toBeCloseTo(199.87 / 2 + 0, 0);
    expect(() => escapeTime(chain(3), 2)).toThrow("a start between 0 and 0.7937");
  });
});

it("takes the mean over masks of dropout", () => {
  const algebra = matrixAlgebra(doubles);
  const factors = { u: [[1, 2]], v: [[1, -1]], y: [[3]] };
  // Masks 00, 10, 01, 11 with q = 1/2: (9 + 1 + 49 + 25) / 4.
  expect(expectedDropoutLoss(algebra, factors, 0.5)).toBeCloseTo(21, 12);
  expect(dropoutLoss(algebra, factors, 0.5)).toBeCloseTo(21, 12);
});
