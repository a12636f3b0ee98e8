import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splineError } from "../../src/networks/spline/error.ts";
import { freeKnots, rootCurvature, uniformKnots } from "../../src/networks/spline/knots.ts";
import { integral, integralBetween } from "../../src/networks/spline/quadrature.ts";
import {
  interpolant,
  interpolationError,
  interpolationPieces,
  spline,
  splineCertificate,
} from "../../src/networks/spline/spline.ts";
import {
  greatestSecond,
  leastSecond,
  lipschitz,
  type Segment,
  targets,
} from "../../src/networks/spline/target.ts";
import { toNumber } from "../../src/numbers/exact/rational.ts";
import { distanceToQuadratic } from "../../src/passes/distance.ts";
import { linearPieces } from "../../src/passes/pieces.ts";
import { sizes } from "../../src/passes/sizes.ts";

const on: Segment = [-1, 1];
const smooth = ["exp", "square", "cube", "sine", "wave", "runge"] as const;

describe("targets", () => {
  it.each(Object.entries(targets))("%s: derivatives agree with differences of values", (_, f) => {
    for (let x = -0.97; x < 1; x += 0.0613) {
      const e = 1e-5;
      expect(f.derivative(x)).toBeCloseTo((f.value(x + e) - f.value(x - e)) / (2 * e), 5);
      expect(f.second(x)).toBeCloseTo((f.derivative(x + e) - f.derivative(x - e)) / (2 * e), 4);
    }
  });

  it.each(Object.entries(targets))("%s: extremes of the derivatives are those on a fine grid", (_, f) => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 2, max: 60 }), (start, length) => {
        const part: Segment = [start / 50 - 1, Math.min(1, (start + length) / 50 - 1)];
        const grid = uniformKnots(part, 400);
        const seconds = grid.map((x) => Math.abs(f.second(x)));
        expect(lipschitz(f, part)).toBeCloseTo(Math.max(...grid.map((x) => Math.abs(f.derivative(x)))), 1);
        expect(greatestSecond(f, part)).toBeGreaterThanOrEqual(Math.max(...seconds) - 1e-9);
        expect(leastSecond(f, part)).toBeLessThanOrEqual(Math.min(...seconds) + 1e-9);
      }),
      { numRuns: 30 },
    );
  });

  it.each(Object.entries(targets))("%s: monotone between turns, inflections and bends", (_, f) => {
    /** The values on each piece, in order, without its ends. */
    const pieces = (places: readonly number[], value: (x: number) => number): number[][] =>
      [...places, 1].map((to, k) => {
        const from = k === 0 ? -1 : places[k - 1]!;
        return uniformKnots([from, to], 200).slice(1, -1).map(value);
      });
    const signs = (values: readonly number[]): number =>
      new Set(values.filter((v) => Math.abs(v) > 1e-12).map(Math.sign)).size;
    for (const slopes of pieces(f.turns, f.derivative)) expect(signs(slopes)).toBeLessThanOrEqual(1);
    for (const seconds of pieces(f.inflections, f.second)) expect(signs(seconds)).toBeLessThanOrEqual(1);
    for (const seconds of pieces(f.bends, f.second))
      expect(signs(seconds.slice(1).map((v, k) => v - seconds[k]!))).toBeLessThanOrEqual(1);
  });
});

describe("quadrature", () => {
  it("is exact to degree 15", () => {
    for (let k = 0; k <= 15; k++) expect(integral((x) => x ** k, 0, 1)).toBeCloseTo(1 / (k + 1), 14);
    expect(integralBetween(Math.exp, [0, 0.3, 1], 2)).toBeCloseTo(Math.E - 1, 14);
  });
});

describe("spline", () => {
  it("has these values at these knots, one unit a piece, and is constant to the left", () => {
    const net = spline([0, 0.5, 1], [1, 3, 2]);
    expect(linearPieces(net, -1, 1)).toEqual({ knots: [-1, 0, 0.5, 1], values: [1, 1, 3, 2] });
    expect(sizes(net).hiddenUnits).toBe(2);
  });

  it("has error h^2 / 4 for the square, exactly", () => {
    const net = interpolant((x) => x * x, uniformKnots([0, 1], 8));
    expect(distanceToQuadratic(linearPieces(net, 0, 1), [0, 0, 1]).sup).toBe(1 / 256);
  });

  it("has the errors that the catalogue measured for exp", () => {
    const error = (n: number) =>
      splineError(linearPieces(interpolant(Math.exp, uniformKnots(on, n)), -1, 1), targets.exp).sup;
    expect(error(4)).toBeCloseTo(0.0666, 4);
    expect(error(20)).toBeCloseTo(0.003233, 6);
    expect(interpolationError({ second: Math.E }, 0.5)).toBeCloseTo(0.0849, 4);
  });

  it.each(smooth)(
    "%s: no error on a fine grid exceeds the one found, and that one keeps its certificate",
    (name) => {
      const f = targets[name];
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 24 }), fc.boolean(), (n, free) => {
          const knots = free ? freeKnots(f, on, n) : uniformKnots(on, n);
          const values = knots.map((x) => f.value(x));
          const { sup } = splineError({ knots, values }, f);
          let [worst, k] = [0, 0];
          for (const x of uniformKnots(on, 2000)) {
            while (k + 2 < knots.length && knots[k + 1]! < x) k++;
            const t = (x - knots[k]!) / (knots[k + 1]! - knots[k]!);
            worst = Math.max(worst, Math.abs(values[k]! * (1 - t) + values[k + 1]! * t - f.value(x)));
          }
          expect(worst).toBeLessThanOrEqual(sup + 1e-13);
          expect(sup).toBeLessThanOrEqual(splineCertificate(f, knots) + 1e-13);
        }),
        { numRuns: 12 },
      );
    },
  );

  it("counts pieces for an error", () => {
    expect(interpolationPieces({ second: 50 }, 2, 0.01)).toBe(50);
    expect(interpolationPieces({ lipschitz: 3 }, 1, 0.05)).toBe(30);
    expect(() => interpolationPieces({ lipschitz: 3 }, 1, 0)).toThrow(/must be positive/);
  });

  it("says what is wrong", () => {
    expect(() => spline([0], [1])).toThrow(/two or more knots/);
    expect(() => spline([0, 0], [1, 2])).toThrow(/knot 1 .* not above 0/);
    expect(() => uniformKnots(on, 0)).toThrow(/at least 1, not 0/);
  });
});

describe("free knots", () => {
  it("are those of the closed form for exp: e^{x/2} in equal steps", () => {
    const [a, b] = [Math.exp(-0.5), Math.exp(0.5)];
    const expected = uniformKnots([a, b], 10).map((y) => 2 * Math.log(y));
    freeKnots(targets.exp, on, 10).forEach((x, j) => {
      expect(x).toBeCloseTo(expected[j]!, 13);
    });
    expect(rootCurvature(targets.exp, on).total).toBeCloseTo(2 * (b - a), 14);
  });

  it("have error (int sqrt|f''|)^2 / (8 n^2) for large n where f'' is not zero", () => {
    const knots = freeKnots(targets.exp, on, 64);
    const { sup } = splineError({ knots, values: knots.map(Math.exp) }, targets.exp);
    expect((8 * 64 ** 2 * sup) / rootCurvature(targets.exp, on).total ** 2).toBeCloseTo(1, 4);
  });

  it("have 2 / sqrt(3) times as much where a knot is a simple inflection, for every even n", () => {
    for (const n of [2, 4, 16, 64]) {
      const knots = freeKnots(targets.cube, on, n);
      const { sup } = splineError({ knots, values: knots.map((x) => x ** 3) }, targets.cube);
      expect((8 * n ** 2 * sup) / rootCurvature(targets.cube, on).total ** 2).toBeCloseTo(
        2 / Math.sqrt(3),
        8, // near an inflection, x moves by the 2/3 power of the rounding of the integral
      );
    }
  });

  it("beat fixed knots for a function that bends in one place", () => {
    const error = (knots: readonly number[]) =>
      splineError(linearPieces(interpolant(targets.runge.value, knots), -1, 1), targets.runge).sup;
    expect(error(freeKnots(targets.runge, on, 32))).toBeLessThan(error(uniformKnots(on, 32)) / 8);
    expect(
      toNumber(linearPieces(interpolant(targets.runge.value, [-1, 0, 1]), -1, 1).values[1]!),
    ).toBeCloseTo(1, 15);
  });
});
