// One function, one file: all that a file says of its function has to agree.
import { describe, expect, it } from "vitest";
import { bent } from "../../src/functions/bends.ts";
import { rising } from "../../src/functions/curves.ts";
import type { FunctionOfOneVariable } from "../../src/functions/definition.ts";
import { library, partsOf } from "../../src/functions/library.ts";
import { univariateNames } from "../../src/functions/names.ts";
import { univariateFunction } from "../../src/functions/univariate.ts";
import { type Interval, point } from "../../src/numbers/interval/index.ts";

const functions: readonly (readonly [string, FunctionOfOneVariable])[] = Object.entries(library);
const middle = ({ lower, upper }: Interval): number => lower / 2 + upper / 2;

/** Points of the domain, on both sides of 0 where it has both. */
const pointsOf = (name: string): readonly number[] => {
  if (["log", "sqrt", "reciprocal"].includes(name)) return [0.1, 0.75, 2, 7];
  if (name === "acosh") return [1.1, 2, 7];
  return ["asin", "acos", "atanh", "tan"].includes(name)
    ? [-0.9, -0.3, 0.2, 0.8]
    : [-4, -1.7, -0.3, 0.2, 0.9, 3.5];
};

/** Each part's own value and slope, where it has them. */
function saidAt(f: FunctionOfOneVariable, x: number): { values: number[]; slopes: number[] } {
  const [row, lines] = [f.activation?.make(f.activation.parameter?.default ?? 0), f.curve && rising(f.curve)];
  const [bend, jet, taylor] = [f.bend && bent(f.bend), row?.jet(x, 1), f.taylor?.(point(x), 1).map(middle)];
  const formula = f.formula && [f.formula.value(x), f.formula.derivative(x)];
  const formulaTaylor = f.formula?.taylor(point(x), 1).map(middle);
  const enclosures = [f.enclosure, f.formula?.enclosure].flatMap((e) => (e ? [middle(e(point(x)))] : []));
  const pairs = [jet, taylor, formula, formulaTaylor].flatMap((pair) => (pair ? [pair] : []));
  const curves = [lines, bend].flatMap((c) => (c ? [[c.value(x), c.slope(x)]] : []));
  const both = [...pairs, ...curves];
  return { values: [...enclosures, ...both.map((p) => p[0]!)], slopes: both.map((p) => p[1]!) };
}

describe.each(functions)("%s", (name, f) => {
  it("has one value and one slope at a point, whatever is asked", () => {
    for (const x of pointsOf(name)) {
      const { values, slopes } = saidAt(f, x);
      expect(values.length).toBeGreaterThan(0);
      for (const value of values) expect(value).toBeCloseTo(values[0]!, 13);
      for (const slope of slopes) expect(slope).toBeCloseTo(slopes[0]!, 12);
    }
  });
});

it("every function of formulas is in the library, and under one name", () => {
  const found = partsOf("formula").map(([, { name }]) => name);
  expect(found.toSorted()).toEqual(univariateNames.filter((name) => name !== "power").toSorted());
});

it("no operator is two functions", () => {
  const operators = partsOf("operator").map(([, op]) => op);
  expect(new Set(operators).size).toBe(operators.length);
});

describe("waves beyond the factorials that are doubles", () => {
  const factorial = (k: number): number => (k < 2 ? 1 : k * factorial(k - 1));
  it.each([
    ["sin", [Math.sin(1), Math.cos(1), -Math.sin(1), -Math.cos(1)]],
    ["cosh", [Math.cosh(1), Math.sinh(1), Math.cosh(1), Math.sinh(1)]],
  ] as const)("%s", (name, cycle) => {
    const taylor = univariateFunction(name).taylor(point(1), 30);
    for (const [k, c] of taylor.entries()) {
      const scaled = middle(c) * factorial(k);
      expect(scaled).toBeCloseTo(cycle[k % 4]!, 12);
      expect(c.upper - c.lower).toBeLessThan(1e-14 * Math.abs(middle(c)));
    }
  });
});
