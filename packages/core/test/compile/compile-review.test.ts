import { describe, expect, it } from "vitest";
import { checkCertificate } from "../../src/check/index.ts";
import { type Compiled, compile } from "../../src/compile/compile.ts";
import { sampledError } from "../../src/compile/sample.ts";
import { fitPolygon } from "../../src/compile/spline/fit.ts";
import { CompileError } from "../../src/formula/error.ts";
import { functionGraph } from "../../src/formula/function-graph.ts";
import { rangesOf } from "../../src/formula/range.ts";
import { univariateFunction } from "../../src/functions/univariate.ts";

const asked = (formula: string, lower: number, upper: number, eps: number): Promise<Compiled> =>
  compile({ formula, box: [{ name: "x", lower, upper }], eps });

/** Compiles, samples the error, and has the certificate checked. */
async function proved(formula: string, lower: number, upper: number, eps: number): Promise<number> {
  const { graph, bytes, certificate, sizes } = await asked(formula, lower, upper, eps);
  expect(certificate.certifiedError).toBeLessThanOrEqual(eps);
  const seen = await sampledError(graph, formula, certificate.box, sizes.hiddenUnits!, { points: 5000 });
  expect(seen).toBeLessThanOrEqual(certificate.certifiedError + 1e-13);
  expect(await checkCertificate(bytes, certificate)).toMatchObject({ ok: true });
  return sizes.hiddenUnits!;
}

async function refusal(formula: string, lower: number, upper: number, eps: number): Promise<string> {
  const error: unknown = await asked(formula, lower, upper, eps).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(CompileError);
  const { message } = error as CompileError;
  expect(message).not.toMatch(/\n|NaN/);
  return message;
}

describe("flat tails", () => {
  it.each([
    ["tanh(x)", -100, 100, 1e-2, 9],
    ["tanh(x)", 0.5, 100, 1e-2, 3],
    ["erf(x)", -100, 100, 1e-2, 9],
    ["sigmoid(x)", -1e4, 1e4, 1e-3, 19],
    ["exp(x)", -1e4, 0, 1e-3, 16],
  ])("%s on [%d, %d] to %d takes at most %d units", async (formula, lower, upper, eps, units) => {
    expect(await proved(formula, lower, upper, eps)).toBeLessThanOrEqual(units);
  });

  it("a polygon bends where the second derivative is too small for a double in the middle", () => {
    const { knots, values } = fitPolygon(univariateFunction("tanh"), -100, 100, 0.01);
    expect(knots.length).toBeGreaterThan(7);
    knots.forEach((x, k) => {
      expect(Math.abs(values[k]! - Math.tanh(x))).toBeLessThanOrEqual(0.01);
    });
  });

  it("a line has no bend", () => {
    expect(fitPolygon(univariateFunction("power", 1), 1, 3, 0.01)).toEqual({
      knots: [1, 3],
      values: [1, 3],
    });
  });
});

describe("singular ends", () => {
  it.each([
    ["x^0.1", 1e-2, 15],
    ["x^0.1", 1e-3, 50],
    ["sqrt(x)", 1e-4, 50],
  ])("%s on [0, 1] to %d takes at most %d units", async (formula, eps, units) => {
    expect(await proved(formula, 0, 1, eps)).toBeLessThanOrEqual(units);
  });

  it("too many pieces and no piece at all are told apart", () => {
    expect(() => fitPolygon(univariateFunction("exp"), 0, 1, 1e-13)).toThrow(/more than 200000 pieces/);
    // The first knot would be 0.02^1000.
    expect(() => fitPolygon(univariateFunction("power", 0.001), 0, 1, 0.01)).toThrow(
      /no piece is short enough at 0,/,
    );
  });
});

describe("refusals say what is known, in one line", () => {
  it.each(["sin", "cos"])("%s on a box of 10^14 periods", async (name) => {
    expect(await refusal(`${name}(x)`, -1e15, 1e15, 0.1)).toMatch(
      /the node (sin|cos)\(x\) cannot be met .* inflections .* more than 200000/,
    );
    await refusal(`${name}(x)`, -1e308, 1e308, 0.1);
  });

  it("rounding is blamed where it is the larger part", async () => {
    expect(await refusal("x + 1", -1e20, 1e20, 0.1)).toMatch(
      /the error stays at .*; rounding may cost .* at the node x \+ 1/,
    );
  });

  it("no part of an error is greater than the whole", async () => {
    const [, total, part] = /stays at (\S+); rounding may cost (\S+) at/.exec(
      await refusal("(1 - x)^0.1", 0, 1, 1e-2),
    )!;
    expect(Number(part)).toBeLessThanOrEqual(Number(total));
  });

  it("the widest boxes have cells, and an end to the search for a budget", async () => {
    const graph = functionGraph("x + 1", ["x"]);
    const widest = { lower: -1e308, upper: 1e308 };
    for (const { lower, upper } of rangesOf(graph, [widest])) {
      expect(lower).toBeLessThanOrEqual(-1e308);
      expect(upper).toBeGreaterThanOrEqual(1e308);
      expect(upper).toBeLessThan(1.01e308);
    }
    const message = await refusal("x + 1", -1e308, 1e308, 0.1);
    expect(message).toMatch(/no bound is known for the error of a run at the node x \+ 1/);
    expect(message).not.toMatch(/grows beyond/);
  });
});
