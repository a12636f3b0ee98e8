import { describe, expect, it } from "vitest";
import { discreteFourier } from "../../src/approximate/barron/fourier-grid.ts";
import {
  BarronError,
  barronBound,
  barronFactor,
  barronFamilies,
  barronTarget,
  barronUnits,
  bumpSum,
  formulaBarronConstant,
  formulaFunction,
  formulaMoment,
  formulaWaves,
  numericMoment,
  radialMoment,
  type SpectralFunction,
  spectralNodes,
  waveSum,
} from "../../src/approximate/barron/index.ts";
import { shiftedNormalMean } from "../../src/approximate/barron/radius-laws.ts";
import { euclideanLength } from "../../src/approximate/barron/spectral-function.ts";
import { dot } from "../../src/linear-algebra/dot.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { normalCdf } from "../../src/numbers/statistics.ts";

const { gaussian, poisson, matern, odd, packet, ridge } = barronFamilies;
const turn = 2 * Math.PI;

describe("Barron constants in closed form", () => {
  it("are those of the catalogue for Gaussians", () => {
    for (const [d, C] of [
      [1, 0.7979],
      [2, 1.2533],
      [3, 1.5958],
      [10, 3.0843],
    ] as const)
      expect(gaussian(d, 1).moment(1)).toBeCloseTo(C, 4);
    for (const [d, C] of [
      [1, 0.254],
      [2, 0.3989],
      [5, 0.6773],
      [10, 0.9818],
    ] as const)
      expect(gaussian(d, 0.5).moment(1) / turn).toBeCloseTo(C, 4);
    expect(gaussian(1, 1 / Math.sqrt(turn)).moment(1) / turn).toBeCloseTo(1 / Math.PI, 12);
  });

  it("agree with a quadrature along the radius, in ten variables too", () => {
    for (const family of [gaussian, poisson, matern])
      for (const d of [1, 2, 3, 7, 10])
        for (const order of [0, 1, 2] as const) {
          const f = family(d, 0.7);
          expect(radialMoment(f, order, 24) / f.moment(order)).toBeCloseTo(1, 7);
        }
  });

  it("agree with a quadrature over all frequencies", () => {
    for (const d of [1, 2] as const) {
      expect(numericMoment(packet(d, 0.5, 4), 1) / packet(d, 0.5, 4).moment(1)).toBeCloseTo(1, 8);
      const kinked = numericMoment(odd(d, 0.5), 1, { directions: 256 });
      expect(kinked / odd(d, 0.5).moment(1)).toBeCloseTo(1, 4);
    }
  });

  it("of a packet in one variable is the mean of a folded normal number", () => {
    for (const nu of [0, 0.3, 2, 9, 40, 300, 2000]) {
      const folded = Math.sqrt(2 / Math.PI) * Math.exp(-(nu ** 2) / 2) + nu * (1 - 2 * normalCdf(-nu));
      expect(shiftedNormalMean(1, nu) / folded).toBeCloseTo(1, 10);
    }
    for (const d of [2, 10]) // the series and the expansion meet
      expect(shiftedNormalMean(d, 100) / shiftedNormalMean(d, 100 * (1 + 2 ** -50))).toBeCloseTo(1, 10);
  });

  it("scale with ridges and are subadditive", () => {
    expect(ridge(gaussian(1, 1), [3, 4]).moment(1)).toBeCloseTo(5 * gaussian(1, 1).moment(1), 12);
    const two = bumpSum([
      { height: 1, centre: [0.4, 0], width: 0.5 },
      { height: -1, centre: [0.3, 0.1], width: 0.5 },
    ]);
    expect(numericMoment(two, 1)).toBeLessThan(0.5 * two.moment(1));
    expect(two.tight).toBe(false);
  });
});

const everyFunction = (d: number): readonly SpectralFunction[] => [
  ...(["gaussian", "odd", "packet", "bumps", "waves", "poisson", "matern"] as const).map((name) =>
    barronTarget(name, d, 0.6),
  ),
  ridge(
    odd(1, 0.5),
    Float64Array.from({ length: d }, (_, i) => (i === 0 ? 1 : 0.5)),
  ),
];

describe("the waves of a function", () => {
  it.each([1, 2, 4])("drawn from every moment, give the function back in %d variables", (d) => {
    const random = createRandom(d);
    const x = random.sphere(d).map((v) => 0.7 * v);
    const zero = x.map(() => 0);
    for (const f of everyFunction(d)) {
      for (const order of [0, 1, 2] as const) {
        const [n, total] = [4000, f.moment(order)];
        let [sum, squares] = [0, 0];
        for (let i = 0; i < n; i++) {
          const { omega, phase } = f.draw(order, random);
          const wave = Math.cos(dot(omega, x) + phase) - Math.cos(phase);
          const term = (total * wave) / euclideanLength(omega) ** order;
          sum += term / n;
          squares += term ** 2 / n;
        }
        const deviation = Math.sqrt(squares / n);
        expect(Math.abs(sum - (f.value(x) - f.value(zero)))).toBeLessThan(5 * deviation + 1e-12);
      }
    }
  });

  it("give the slope at 0", () => {
    for (const f of everyFunction(3)) {
      const h = 1e-5;
      f.slope.forEach((v, i) => {
        const at = (t: number): number => f.value(f.slope.map((_, k) => (k === i ? t : 0)));
        expect(v).toBeCloseTo((at(h) - at(-h)) / (2 * h), 6);
      });
    }
  });

  it("add up to the function when integrated", () => {
    const x = [0.5, -0.3, 0.4];
    for (const d of [1, 2, 3])
      for (const name of ["gaussian", "odd", "packet", "bumps"] as const) {
        const f = barronTarget(name, d, 0.6);
        const sum = spectralNodes(f).reduce(
          (s, w) => s + w.weight * Math.cos(dot(w.omega, x.slice(0, d)) + w.phase),
          0,
        );
        expect(sum).toBeCloseTo(f.value(x.slice(0, d)), 7);
      }
  });
});

describe("constants from a formula", () => {
  it("rest on a transform that is the plain sum", () => {
    const samples = createRandom(3).normal(64);
    const { re, im } = discreteFourier(samples, 8, 2);
    for (const [p, q] of [
      [0, 0],
      [3, 5],
      [7, 1],
    ] as const) {
      let [a, b] = [0, 0];
      samples.forEach((v, j) => {
        const angle = (-turn * (p * (j % 8) + q * Math.floor(j / 8))) / 8;
        a += v * Math.cos(angle);
        b += v * Math.sin(angle);
      });
      expect(re[p + 8 * q]).toBeCloseTo(a, 12);
      expect(im[p + 8 * q]).toBeCloseTo(b, 12);
    }
  });

  it.each([
    ["exp(-x^2 / 2)", 1, 40, 1024],
    ["exp(-(x^2 + y^2) / 2)", 2, 20, 128],
    ["exp(-(x^2 + y^2 + z^2) / 2)", 3, 12, 32],
  ])("%s is near the closed form, within what it says", (formula, d, period, samples) => {
    const { constant, spacingChange, boxChange, converges } = formulaBarronConstant(formula, {
      period,
      samples,
    });
    expect(converges).toBe(true);
    expect(constant / gaussian(d, 1).moment(1)).toBeCloseTo(1, 2);
    expect(Math.abs(constant - gaussian(d, 1).moment(1))).toBeLessThan(spacingChange + boxChange + 1e-9);
  });

  it("are exact for waves of the box, and phases are right", () => {
    const options = { variables: ["x", "y"], period: 8, samples: 16 };
    expect(formulaMoment("cos(pi * x + 1) + 2 * sin(pi / 4 * (x - y))", 1, options)).toBeCloseTo(
      Math.PI + 2 * (Math.PI / 4) * Math.SQRT2,
      12,
    );
    const f = formulaFunction("cos(pi * x + 1) + 2 * sin(pi / 4 * (x - y))", options);
    expect(f.value([0.3, 0.2])).toBeCloseTo(Math.cos(0.3 * Math.PI + 1) + 2 * Math.sin(0.025 * Math.PI), 12);
  });

  it("of a polynomial need a window, inside which the interpolant is the polynomial", () => {
    const f = formulaFunction("x^2", { period: 16, samples: 1024, window: 4 });
    for (const x of [-1, -0.2, 0.7, 1]) expect(f.value([x])).toBeCloseTo(x * x, 8);
    expect(f.moment(1)).toBeGreaterThan(2); // at least the greatest slope on [-1, 1]
  });

  it("say in one line what is wrong", () => {
    expect(() => formulaWaves("a + b + c + f")).toThrow("1 to 3 variables, not 4");
    expect(() => formulaWaves("1 / x")).toThrow("the formula is Infinity at x = 0");
    expect(() => formulaWaves("x", { samples: 100 })).toThrow("100 samples a side: it is a power of 2");
    expect(() => formulaWaves("x", { period: 8, window: 5 })).toThrow("between 1 and half the period 8");
    expect(() => gaussian(2, -1)).toThrow(BarronError);
    expect(() => waveSum([])).toThrow("a sum of waves needs a wave");
  });
});

describe("Barron's bound", () => {
  it("is at most c C / sqrt(n) for every n, and touches it", () => {
    for (const activation of ["sigmoidal", "relu"] as const) {
      const ratios = Array.from(
        { length: 500 },
        (_, k) => barronBound(1, k + 1, activation) * Math.sqrt(k + 1),
      );
      expect(Math.max(...ratios)).toBeCloseTo(barronFactor(activation), 14);
    }
    expect(turn * barronFactor("sigmoidal")).toBeCloseTo(10.88, 2);
    expect(turn * barronFactor("relu")).toBeCloseTo(16.62, 2);
  });

  it("and the width for an error are inverse to each other", () => {
    const random = createRandom(7);
    for (let i = 0; i < 200; i++) {
      const [C, eps] = [5 * random.uniform(), 0.01 + random.uniform()];
      const n = barronUnits(C, eps, "relu");
      expect(barronBound(C, n, "relu")).toBeLessThanOrEqual(eps);
      if (n > 4) expect(barronBound(C, n - 4, "relu")).toBeGreaterThan(eps);
    }
    expect(barronUnits(0.5, 1, "sigmoidal")).toBe(0);
    expect(() => barronUnits(1, 0, "relu")).toThrow("it is positive");
  });
});

it("a constant that is infinite is not taken for a number", () => {
  expect(formulaBarronConstant("abs(x)", { window: 2 }).converges).toBe(false);
  expect(formulaBarronConstant("max(0, 1-abs(x))").converges).toBe(false);
  expect(formulaBarronConstant("exp(-x^2)").converges).toBe(true);
});
