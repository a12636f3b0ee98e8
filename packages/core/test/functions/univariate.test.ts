import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldings } from "../../src/compile/fold.ts";
import { splineCost, splinePlan } from "../../src/compile/plan/spline.ts";
import { arithmetics } from "../../src/compile/precision.ts";
import { splineBound } from "../../src/compile/spline/certified.ts";
import { univariateNames } from "../../src/functions/names.ts";
import { univariateFunction } from "../../src/functions/univariate.ts";
import type { Interval } from "../../src/numbers/interval/index.ts";
import { circuitValue, expand } from "../compile/expand.ts";

/** An interval inside of each function's domain. */
const domains: Readonly<Record<string, readonly [number, number]>> = {
  sqrt: [0.01, 9],
  log: [0.05, 9],
  reciprocal: [0.1, 5],
  power: [0.1, 4],
  asin: [-0.98, 0.98],
  acos: [-0.98, 0.98],
  tan: [-1.4, 1.4],
};
const domainOf = (name: string): readonly [number, number] => domains[name] ?? [-4, 4];
const exponents = [3, 4, -2, 0.3, 2.5];
const functions = univariateNames.flatMap((name) =>
  name === "power" ? exponents.map((p) => univariateFunction(name, p)) : [univariateFunction(name)],
);
const label = (f: { name: string; exponent?: number }): string => `${f.name} ${f.exponent ?? ""}`;
const cases = functions.map((f) => [label(f), f] as const);

const inside = ({ lower, upper }: Interval, x: number, slack: number): boolean =>
  x >= lower - slack && x <= upper + slack;

describe("functions of one variable", () => {
  it.each(cases)("%s: derivatives and enclosures agree at random points", (_, f) => {
    const [from, to] = domainOf(f.name);
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (a, b) => {
          const [x, y] = [from + (to - from) * Math.min(a, b), from + (to - from) * Math.max(a, b)];
          const [value, first, second] = f.taylor({ lower: x, upper: y }, 2) as [
            Interval,
            Interval,
            Interval,
          ];
          for (const t of [x, (x + y) / 2, y]) {
            const size =
              1e-13 * (1 + Math.abs(f.value(t)) + Math.abs(f.derivative(t)) + Math.abs(f.second(t)));
            expect(inside(value, f.value(t), size)).toBe(true);
            expect(inside(first, f.derivative(t), size)).toBe(true);
            expect(inside(second, f.second(t) / 2, size)).toBe(true);
          }
        },
      ),
    );
  });

  it.each(cases)("%s: f' and f'' are the differences of f and f'", (_, f) => {
    const [from, to] = domainOf(f.name);
    for (let k = 1; k < 20; k++) {
      const x = from + ((to - from) * k) / 20;
      const h = 1e-5;
      const scale = 1 + Math.abs(f.second(x)) + Math.abs(f.derivative(x));
      expect(Math.abs((f.value(x + h) - f.value(x - h)) / (2 * h) - f.derivative(x))).toBeLessThan(
        1e-5 * scale,
      );
      expect(Math.abs((f.derivative(x + h) - f.derivative(x - h)) / (2 * h) - f.second(x))).toBeLessThan(
        1e-4 * scale,
      );
    }
  });

  it.each(cases)("%s: Taylor sums of order 12 with their remainder hold the value", (_, f) => {
    const [from, to] = domainOf(f.name);
    for (let k = 1; k < 10; k++) {
      const [c, h] = [from + ((to - from) * k) / 10, (to - from) / 200];
      const terms = f.taylor({ lower: c, upper: c }, 11);
      const remainder = f.taylor({ lower: c, upper: c + h }, 12)[12]!;
      const sum = terms.reduce((s, t, j) => s + ((t.lower + t.upper) / 2) * h ** j, 0);
      const slack = 1e-13 * (1 + Math.abs(sum));
      const rest = f.value(c + h) - sum;
      expect(
        inside({ lower: remainder.lower * h ** 12, upper: remainder.upper * h ** 12 }, rest, slack),
      ).toBe(true);
    }
  });
});

describe("splines", () => {
  const on = (name: string, slightly = 0): Interval => {
    const [lower, upper] = domainOf(name);
    return { lower: lower + slightly, upper };
  };

  it.each(cases)("%s: at most 10 % more pieces than the optimum, and no point beyond the bound", (_, f) => {
    const range = on(f.name);
    for (const delta of [1e-3, 1e-5, 1e-6]) {
      const { spline, shifts, localError, rounding } = splinePlan(f, range, range, delta, arithmetics.f64)!;
      const [folding] = foldings(f, range, arithmetics.f64).filter((g) => g.shifts.length === shifts.length);
      const optimum = splineCost(folding!.curve, folding!.range) / Math.sqrt(delta);
      expect(spline.knots.length + 1).toBeLessThanOrEqual(1.1 * optimum + 3);
      expect(localError).toBeLessThanOrEqual(delta * 1.01); // the proof may lose a little at inflections
      const at = (u: number): number => {
        const z = shifts.reduce((v, c) => Math.abs(v - c), u);
        return spline.knots.reduce(
          (s, x, j) => s + spline.changes[j]! * Math.max(0, j < spline.pivot ? x - z : z - x),
          spline.offset + spline.slope * z,
        );
      };
      let most = 0;
      for (let k = 0; k <= 5000; k++) {
        const x = range.lower + ((range.upper - range.lower) * k) / 5000;
        most = Math.max(most, Math.abs(at(x) - f.value(x)));
      }
      expect(most).toBeLessThanOrEqual(localError + rounding + 1e-13 * (1 + Math.abs(f.value(range.lower)))); // of the comparison
      expect(most).toBeGreaterThan(0.8 * localError); // the bound is sharp
    }
  });

  it("near a steep end the knots are graded", () => {
    const plan = splinePlan(
      univariateFunction("sqrt"),
      { lower: 0, upper: 1 },
      { lower: 0, upper: 1 },
      1e-3,
      arithmetics.f64,
    )!;
    expect(plan.units).toBeLessThanOrEqual(
      1.1 * (splineCost(univariateFunction("sqrt"), { lower: 0, upper: 1 }) / Math.sqrt(1e-3)) + 3,
    );
    expect(plan.growth(1e-8)).toBeGreaterThanOrEqual(1e-4); // sqrt(1e-8) near 0
  });

  it("a wrong weight raises the bound", () => {
    const f = univariateFunction("exp");
    const { spline, localError } = splinePlan(
      f,
      { lower: 0, upper: 1 },
      { lower: 0, upper: 1 },
      1e-4,
      arithmetics.f64,
    )!;
    const bent = { ...spline, changes: spline.changes.map((c, j) => (j === 3 ? c * 1.01 : c)) };
    expect(splineBound(bent, f, { lower: 0, upper: 1 })).toBeGreaterThan(2 * localError);
  });
});

describe("polynomials", () => {
  it.each(["exp", "sin", "cosh", "sigmoid", "erf"] as const)(
    "%s: the truncation bound holds and is sharp",
    (name) => {
      const f = univariateFunction(name);
      const expansion = expand(f, { lower: -1, upper: 1 }, 1e-8);
      let most = 0;
      for (let k = 0; k <= 2000; k++) {
        const x = -1 + k / 1000;
        most = Math.max(most, Math.abs(circuitValue(expansion.circuit, x) - f.value(x)));
      }
      expect(most).toBeLessThanOrEqual(expansion.truncation + 1e-14);
      expect(expansion.truncation).toBeLessThanOrEqual(Math.max(4 * most, 1e-9));
    },
  );
});
