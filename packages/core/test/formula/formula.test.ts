import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluateFormula } from "../../src/formula/evaluate.ts";
import { parseFormula } from "../../src/formula/formula.ts";
import { functionGraph, reportOf } from "../../src/formula/function-graph.ts";
import { variablesOf } from "../../src/formula/variables.ts";

const at = (formula: string, values: Record<string, number> = {}): number =>
  evaluateFormula(
    parseFormula(formula),
    new Map(Object.entries(values).map(([name, v]) => [name, Float64Array.of(v)])),
  )[0]!;

describe("formulas", () => {
  it.each([
    ["1 + 2 * 3", 7],
    ["-2^2", -4],
    ["2^-1", 0.5],
    ["2^3^2", 512],
    ["(1 + 2) * 3", 9],
    ["8 / 2 / 2", 2],
    ["1 - 2 - 3", -4],
    ["2(3 + 4)", 14],
    ["1e-2 * 100", 1],
    ["max(1, 5, 3) - min(2, 1)", 4],
    ["sum(i, 1, 4, i^2)", 30],
    ["prod(k, 1, 5, k)", 120],
    ["sum([1, 2, 3])", 6],
    ["dot([1, 2], [3, 4])", 11],
    ["norm([3, 4])", 5],
    ["sum([1, 2] .* [3, 4])", 11],
    ["sum([1, 2, 3].^2)", 14],
    ["sum(2 * [1, 2])", 6],
    ["pow(2, 10)", 1024],
    ["abs(-3) + relu(-1) + relu(2)", 5],
    ["2 ** 3", 8],
    ["-(-(3))", 3],
  ])("%s is %d", (formula, value) => expect(at(formula)).toBeCloseTo(value, 12));

  it("reads variables, indexed ones too", () => {
    expect(at("2x + y", { x: 3, y: 4 })).toBe(10);
    expect(at("sum(i, 1, 3, x[i])", { x1: 1, x2: 2, x3: 3 })).toBe(6);
    expect(at("sum(i, 1, 3, x_i)", { x_1: 1, x_2: 2, x_3: 3 })).toBe(6);
    expect(at("sum(x[1:3])", { x1: 1, x2: 2, x3: 3 })).toBe(6);
    expect(at("sum(i, 1, 2, sum(j, 1, 2, x[2 * i + j - 2]))", { x1: 1, x2: 2, x3: 3, x4: 4 })).toBe(10);
    expect(at("e * x", { e: 2, x: 3 })).toBe(6);
    expect(variablesOf("sin(pi * u) + x[2]")).toEqual(["u", "x2"]);
  });

  it.each([
    ["", "character 1: the formula is empty"],
    ["x +", "character 4: .* missing; here is the end"],
    ["(x", 'character 3: "\\)" is missing after the "\\(" at character 1'],
    ["x y", "character 3: an operator is missing"],
    ["x $ 2", 'character 3: "\\$"'],
    ["foo(x)", 'character 1: there is no function "foo"'],
    ["sin(x, 2)", "character 1: sin takes one argument, not 2"],
    ["x * z", 'character 5: "z": the box gives no range'],
    ["sin + 1", "character 1: .* sin is a function"],
    ["1/2x", "character 4: write \\*"],
    ["[x, 1] + [x, 1, 2]", "character 1: vectors of 2 and 3 entries"],
    ["[x, x]", "character 1: here is a vector"],
    ["x[0.5]", "character 3: an index is a whole number"],
    ["x[7]", 'character 1: .*no variable "x7"'],
    ["sum(i, 3, 1, x)", "character 1: there is nothing from 3 to 1"],
    ["x^1e400", "character 3: 1e400 is too large"],
  ])("%s is refused, with the place", (formula, message) => {
    expect(() => functionGraph(formula, ["x"])).toThrow(new RegExp(message));
  });

  it("never fails but by its own error, whatever the text", () => {
    const words = [
      "x",
      "1",
      "+",
      "-",
      "*",
      "/",
      "^",
      "(",
      ")",
      "[",
      "]",
      ",",
      "sin",
      "sum",
      "max",
      ":",
      ".",
      "e",
      " ",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 14 }), (parts) => {
        try {
          functionGraph(parts.join(""), ["x"]);
        } catch (error) {
          expect((error as Error).name).toBe("CompileError");
          expect((error as Error).message).not.toContain("\n");
        }
      }),
      { numRuns: 3000 },
    );
  });

  it("reads a sum of 20,000 terms and refuses 5,000 brackets", () => {
    expect(at(Array.from({ length: 20_000 }, () => "1").join("+"))).toBe(20_000);
    expect(() => parseFormula("(".repeat(5000))).toThrow(/nested more than/);
  });
});

describe("the function graph", () => {
  it("has every subexpression once", () => {
    expect(reportOf(functionGraph("sin(x + y) * sin(y + x)", ["x", "y"]))).toEqual({
      nodes: 3,
      maxArity: 2,
      depth: 3,
    });
    expect(functionGraph("(x + 1) * (x + 1)", ["x"]).nodes.at(-1)!.op).toBe("square");
    expect(functionGraph("2 * (x + 1) - 2 * x", ["x"]).nodes.at(-1)).toMatchObject({
      op: "affine",
      args: [],
    });
    expect(functionGraph("exp(x) * exp(-x^2)", ["x"]).nodes.map((n) => n.op)).toEqual([
      "variable",
      "square",
      "affine",
      "exp",
    ]);
  });

  it("is a tree of 7 nodes and depth 3 for a product of 8", () => {
    const names = Array.from({ length: 8 }, (_, k) => `x${k + 1}`);
    expect(reportOf(functionGraph(names.join("*"), names))).toEqual({ nodes: 7, maxArity: 2, depth: 3 });
  });

  it("refuses a variable that the formula does not have", () => {
    expect(() => functionGraph("x", ["x", "z"])).toThrow("the box has z, but the formula does not");
  });
});
