import { describe, expect, it } from "vitest";
import { derivativeText, partialDerivative } from "../../src/approximate/sobolev/differentiate.ts";
import { expressionText } from "../../src/approximate/sobolev/expression-text.ts";
import { jetOnBox } from "../../src/approximate/sobolev/jet.ts";
import { countOf, multiIndices } from "../../src/approximate/sobolev/multi-index.ts";
import { evaluateFormula } from "../../src/formula/evaluate.ts";
import { parseFormula } from "../../src/formula/formula.ts";
import { functionGraph } from "../../src/formula/function-graph.ts";
import { factorial } from "../../src/numbers/factorial.ts";
import { createRandom } from "../../src/numbers/random.ts";

const formulas = [
  "x^2*sin(y)",
  "exp(-x^2-y^2)",
  "sqrt(x+y+1)/(1+y^2)",
  "log(x+2)*atan(y)",
  "erf(x)*tanh(y)+sigmoid(x*y)",
  "x^y",
  "norm([x+1,y])+dot([x,y],[y,x])",
  "tan(x)/cos(y)",
  "asin(x/2)*y^-2.5-acos(y/3)",
  "2^x*y+cosh(x)*sinh(y)",
];
const at = (formula: string, x: number, y: number): number =>
  evaluateFormula(
    parseFormula(formula),
    new Map([
      ["x", Float64Array.of(x)],
      ["y", Float64Array.of(y)],
    ]),
  )[0]!;

describe("derivatives", () => {
  it("print as one would write them", () => {
    expect(derivativeText("x^2 * sin(y)", "x")).toBe("2 * x * sin(y)");
    expect(derivativeText("x^2 * sin(y)", "z")).toBe("0");
    expect(derivativeText("sum(i, 1, 3, x[i]^2)", "x2")).toBe("2 * x2");
    expect(derivativeText("1/x", "x")).toBe("-1 / x^2");
    expect(() => derivativeText("abs(x)", "x")).toThrow(/abs\(x\) has a kink/);
  });

  it.each(formulas)("%s agrees with finite differences", (formula) => {
    const step = 2 ** -16;
    const difference = (at(formula, 0.3 + step, 0.7) - at(formula, 0.3 - step, 0.7)) / (2 * step);
    expect(at(derivativeText(formula, "x"), 0.3, 0.7)).toBeCloseTo(difference, 7);
  });

  it.each(formulas)(
    "%s: jets hold the symbolic derivatives of order up to 4, on points and boxes",
    (formula) => {
      const graph = functionGraph(formula, ["x", "y"]);
      const { all } = multiIndices(2, 4);
      const random = createRandom(formula);
      const box = [
        { lower: 0.25, upper: 0.375 },
        { lower: 0.625, upper: 0.75 },
      ];
      const wide = jetOnBox(graph, box, 4);
      const point = [0.25 + random.uniform() / 8, 0.625 + random.uniform() / 8] as const;
      const narrow = jetOnBox(
        graph,
        point.map((x) => ({ lower: x, upper: x })),
        4,
      );
      for (const [k, alpha] of all.entries()) {
        const derived = expressionText(partialDerivative(parseFormula(formula), ["x", "y"], alpha));
        const value = at(derived, ...point) / alpha.reduce((p, n) => p * factorial(n), 1);
        const slack = 1e-10 * Math.max(1, Math.abs(value));
        for (const jet of [wide, narrow]) {
          expect(jet[k]!.lower).toBeLessThanOrEqual(value + slack);
          expect(jet[k]!.upper).toBeGreaterThanOrEqual(value - slack);
        }
        expect(narrow[k]!.upper - narrow[k]!.lower).toBeLessThan(slack);
      }
    },
  );

  it("refuses what is not smooth on the box, and says what", () => {
    const on = (formula: string, lower: number, upper: number) => () =>
      jetOnBox(functionGraph(formula, ["x"]), [{ lower, upper }], 2);
    expect(on("log(x)", 0, 1)).toThrow(/log\(x\).*\[0, 1\]/);
    expect(on("sqrt(x)", 0, 1)).toThrow(/sqrt\(x\) has no bounded derivatives up to order 2/);
    expect(on("abs(x)", 0, 0)).toThrow(/kink/);
    expect(on("max(x, 0)", 0, 1)).toThrow(/kink/);
    expect(on("abs(x)", -1, 1)).toThrow(/kink/);
    expect(on("abs(x)", 1, 2)()[1]).toEqual({ lower: 1, upper: 1 });
    expect(on("1/x", -1, 1)).toThrow(/not defined/);
  });

  it("counts multi-indices", () => {
    for (const [d, n] of [
      [1, 5],
      [2, 3],
      [3, 4],
      [5, 2],
    ] as const)
      expect(multiIndices(d, n).all.length).toBe(countOf(d, n));
  });
});
