import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NumberError } from "../../src/numbers/error.ts";
import {
  binomialTail,
  fitPowerLaw,
  normalCdf,
  normalQuantile,
  poissonBinomialTail,
  regularizedBeta,
  studentTCdf,
  studentTQuantile,
} from "../../src/numbers/statistics.ts";

// Reference numbers: mpmath with 40 digits (SciPy 1.17 for the regression).
const relativeError = (value: number, truth: number) => Math.abs(value - truth) / Math.abs(truth || 1);

function expectClose(value: number, truth: number, tolerance = 1e-12) {
  expect(relativeError(value, truth), `${value} instead of ${truth}`).toBeLessThan(tolerance);
}

describe("known values", () => {
  test.each([
    [10, 0.5, 7, 0.171875],
    [20, 0.1, 5, 0.04317449528446339],
    [100, 0.03, 20, 1.8506562162337196e-11],
    [1000, 0.5, 560, 8.252493527522651e-5],
    [1000, 0.01, 60, 1.843827984012203e-27],
    [50, 0.9, 30, 0.9999999962926254],
    [10000, 0.1, 1100, 0.0005299417355567902],
    [1_000_000, 0.5, 502_000, 3.1804668750412444e-5],
  ])("binomialTail(%d, %d, %d)", (n, p, k, tail) => expectClose(binomialTail(n, p, k), tail));

  test.each([
    [0.3, 2, 5, 0.579825],
    [0.5, 0.5, 0.5, 0.5],
    [0.9, 10, 3, 0.889130022255],
    [0.001, 0.1, 20, 0.7079970084234154],
    [0.7, 100.5, 40.25, 0.34794517752784576],
    [0.999, 3, 0.01, 0.052718975674526034],
    [1e-10, 0.5, 7, 2.9326171869134766e-5],
  ])("regularizedBeta(%d, %d, %d)", (x, a, b, value) => expectClose(regularizedBeta(x, a, b), value));

  test.each([
    [-30, 4.906713927148187e-198],
    [-10, 7.619853024160525e-24],
    [-5, 2.866515718791939e-7],
    [-2.6, 0.004661188023718749],
    [-2.4, 0.008197535924596131],
    [-1, 0.15865525393145705],
    [-0.1, 0.460172162722971],
    [0.5, 0.6914624612740131],
    [1, 0.8413447460685429],
    [3, 0.9986501019683699],
    [6, 0.9999999990134123],
  ])("normalCdf(%d)", (x, value) => expectClose(normalCdf(x), value));

  test.each([
    [1e-300, -37.0470962993612],
    [1e-100, -21.273453560965326],
    [1e-20, -9.262340089798407],
    [1e-9, -5.9978070150076865],
    [0.001, -3.0902323061678136],
    [0.025, -1.9599639845400543],
    [0.2, -0.8416212335729142],
    [0.3, -0.5244005127080408],
    [0.45, -0.12566134685507402],
    [0.4999999, -2.5066282747031063e-7],
    [0.6, 0.2533471031357997],
    [0.9, 1.2815515655446006],
    [0.975, 1.9599639845400538],
    [0.999, 3.090232306167813],
    [0.9999999, 5.199337582290661],
  ])("normalQuantile(%d)", (p, value) => expectClose(normalQuantile(p), value));

  test.each([
    [1, 1, 0.75],
    [1, -1000, 0.0003183097800805589],
    [2, -3, 0.04773298313335456],
    [3, 0.001, 0.5003675525152695],
    [5, 2, 0.9490302605850708],
    [10, -4, 0.0012591663123683462],
    [30, 1.7, 0.9502610622057416],
    [2.5, -0.7, 0.27170247159477406],
    [1000, -6, 1.3776845866887345e-9],
    [0.5, -20, 0.07169748051423032],
    [100_000, 1.5, 0.9331912202385847],
    [7, -50, 1.67562629777502e-10],
  ])("studentTCdf(%d, %d)", (dof, t, value) => expectClose(studentTCdf(dof, t), value));

  test.each([
    [1, 0.975, 12.706204736174692],
    [2, 0.975, 4.302652729749462],
    [3, 0.95, 2.353363434801823],
    [5, 0.975, 2.5705818356363146],
    [10, 0.995, 3.169272672616951],
    [30, 0.975, 2.0422724563012378],
    [120, 0.025, -1.979930405082441],
    [4, 1e-10, -416.1751403296041],
    [1, 1e-30, -3.183098861837906e29],
    [2.5, 0.6, 0.2814595127485476],
    [8, 0.500001, 2.585990514131264e-6],
    [10_000, 0.975, 1.960201239890626],
    [0.3, 0.01, -139581.2007062224],
    [6, 0.26, -0.6831583659659096],
    [6, 0.24, -0.7528954741456889],
  ])("studentTQuantile(%d, %d)", (dof, p, value) => expectClose(studentTQuantile(dof, p), value));

  test("poissonBinomialTail (exact fractions)", () => {
    const few = [0.1, 0.25, 0.5, 0.9, 0.01, 0.33, 0.75];
    const tails = [
      0.99440340625, 0.91634725, 0.62768903125, 0.2504375, 0.04787971875, 0.00321525, 2.784375e-5,
    ];
    tails.forEach((tail, k) => {
      expectClose(poissonBinomialTail(few, k + 1), tail);
    });
    const many = Array.from({ length: 60 }, (_, k) => ((k % 10) + 1) / 40);
    expectClose(poissonBinomialTail(many, 5), 0.9331169040418328);
    expectClose(poissonBinomialTail(many, 20), 5.9531739968102054e-5);
    expectClose(poissonBinomialTail(many, 40), 1.8371724077235306e-22);
    expectClose(poissonBinomialTail(many, 55), 1.1372234290305256e-45);
  });

  test("fitPowerLaw (scipy.stats.linregress)", () => {
    const fit = fitPowerLaw([10, 20, 50, 100, 200, 500], [3.1, 2.3, 1.35, 1.02, 0.7, 0.46]);
    expectClose(fit.exponent, -0.49328572848062474);
    expectClose(fit.prefactor, 9.72009238053246);
    expectClose(fit.standardError, 0.009927045630138574);
    expect(fit.degreesOfFreedom).toBe(4);
    expectClose(fit.interval(0.95).lower, -0.5208476257294982);
    expectClose(fit.interval(0.95).upper, -0.4657238312317514);
  });
});

describe("laws", () => {
  const probability = fc.double({ min: 1e-12, max: 1 - 1e-12, noNaN: true });
  const positive = fc.double({ min: 0.05, max: 300, noNaN: true });

  test("I_x(a, b) = 1 - I_(1-x)(b, a)", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 20 }), positive, positive, (steps, a, b) => {
        const x = steps / 2 ** 20; // 1 - x is exact
        expect(Math.abs(regularizedBeta(x, a, b) + regularizedBeta(1 - x, b, a) - 1)).toBeLessThan(1e-12);
      }),
    );
  });

  test("quantiles invert distribution functions", () => {
    fc.assert(
      fc.property(probability, positive, (p, dof) => {
        expectClose(studentTCdf(dof, studentTQuantile(dof, p)), p, 1e-10);
        expectClose(normalCdf(normalQuantile(p)), p, 1e-10);
      }),
    );
  });

  test("distribution functions grow", () => {
    const t = fc.double({ min: -50, max: 50, noNaN: true });
    fc.assert(
      fc.property(t, t, positive, (s, t, dof) => {
        expect(studentTCdf(dof, Math.max(s, t)) - studentTCdf(dof, Math.min(s, t))).toBeGreaterThan(-1e-14);
        expect(normalCdf(Math.max(s, t)) - normalCdf(Math.min(s, t))).toBeGreaterThan(-1e-14);
      }),
    );
  });

  test("equal probabilities make the Poisson binomial a binomial", () => {
    const n = fc.integer({ min: 1, max: 200 });
    fc.assert(
      fc.property(n, n, probability, (n, k, p) => {
        const tail = poissonBinomialTail(new Float64Array(n).fill(p), k);
        expect(Math.abs(tail - binomialTail(n, p, k))).toBeLessThan(1e-11 * tail + 1e-300);
      }),
    );
  });

  test("a power law is found", () => {
    const xs = [1, 3, 10, 31, 100];
    fc.assert(
      fc.property(fc.double({ min: -3, max: 3, noNaN: true }), (exponent) => {
        const fit = fitPowerLaw(
          xs,
          xs.map((x) => 2 * x ** exponent),
        );
        expect(Math.abs(fit.exponent - exponent)).toBeLessThan(1e-12);
        expect(fit.standardError).toBeLessThan(1e-12);
      }),
    );
  });
});

test("ends of the ranges", () => {
  expect(binomialTail(5, 0.3, 0)).toBe(1);
  expect(binomialTail(5, 0.3, 6)).toBe(0);
  expect(binomialTail(5, 0, 1)).toBe(0);
  expect(binomialTail(5, 1, 5)).toBe(1);
  expect(poissonBinomialTail([], 0)).toBe(1);
  expect(poissonBinomialTail([1, 1], 2)).toBe(1);
  expect(normalCdf(Infinity)).toBe(1);
  expect(normalQuantile(0)).toBe(-Infinity);
  expect(normalQuantile(0.5)).toBe(0);
  expect(normalQuantile(5e-324)).toBeCloseTo(-38.4, 0);
  expect(studentTQuantile(1, 1)).toBe(Infinity);
  expect(studentTQuantile(Infinity, 0.975)).toBe(normalQuantile(0.975));
  expectClose(studentTQuantile(1, 1e-200), -3.183098861837907e199);
  expect(studentTQuantile(0.01, 1e-10)).toBe(-Infinity);
});

test("nonsense is refused", () => {
  expect(() => binomialTail(5, 1.5, 2)).toThrow(NumberError);
  expect(() => binomialTail(-1, 0.5, 2)).toThrow(NumberError);
  expect(() => poissonBinomialTail([0.5, Number.NaN], 1)).toThrow("probability 1 is NaN");
  expect(() => studentTCdf(0, 1)).toThrow(NumberError);
  expect(() => normalQuantile(2)).toThrow(NumberError);
  expect(() => fitPowerLaw([1, 2], [1, 2])).toThrow("at least 3");
  expect(() => fitPowerLaw([1, 2, 3], [1, 0, 2])).toThrow("y[1] = 0");
  expect(() => fitPowerLaw([2, 2, 2], [1, 1, 2])).toThrow("equal");
});
