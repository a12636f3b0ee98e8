// Relations between inputs, from which bounds follow that the query does not state, and what is written infix.
import { describe, expect, it } from "vitest";
import { casesOf } from "../../../src/bounds/query/cases.ts";
import { verifyQuery } from "../../../src/bounds/query/verify.ts";
import { parseVnnlib } from "../../../src/bounds/query/vnnlib.ts";
import { float32, graph } from "../../../src/graph/builder.ts";
import { tensor } from "../../../src/graph/tensor.ts";

const two = (...assertions: readonly string[]): string =>
  `(vnnlib-version <2.0>)
(declare-network f (declare-input X real [2]) (declare-output Y real [1]))
(declare-network g (equal-to f) (declare-input U real [2]) (declare-output V real [1]))
${assertions.map((a) => `(assert ${a})`).join("\n")}`;

const box = ["(>= X[0] 0)", "(<= U[0] 1)", "(>= X[1] 0)", "(<= X[1] 1)", "(== X[1] U[1])"];

/** relu(w_0 x_0) + w_1 x_1: it rises with x_0 where w_0 > 0. */
const net = (slope: number) =>
  graph({ x: float32(1, 2) }, ({ x }) => ({
    y: x
      .mul(tensor([[slope, 1]], { type: "float32" }))
      .relu()
      .sum([1], 1),
  }));

describe("relations between inputs", () => {
  it("give bounds to inputs that have none", () => {
    const [single] = casesOf(parseVnnlib(two(...box, "(<= X[0] U[0])")), [0, 1, 3]);
    expect([single!.lower.get(0), single!.upper.get(0)]).toEqual([0, 1]);
    expect([single!.lower.get(3), single!.upper.get(3)]).toEqual([0, 1]);
  });

  it("with coefficients, strictly, and over several steps", () => {
    const query = parseVnnlib(
      two(
        "(> X[0] 1)",
        "(<= U[1] 2)",
        "(<= (* 2.0 X[0]) X[1])",
        "(< X[1] (- U[0] 1.0))",
        "(<= U[0] (* 3.0 U[1]))",
        "(>= U[1] 0)",
      ),
    );
    const [single] = casesOf(query, [0, 1, 3, 4]);
    // u_0 <= 6, x_1 < 5, x_0 < 2.5; x_1 > 2, u_0 > 3.
    expect([single!.lower.get(1), single!.upper.get(1)]).toEqual([2, 5]);
    expect([single!.upper.get(0), single!.lower.get(3), single!.upper.get(3)]).toEqual([2.5, 3, 6]);
    expect(single!.greatest.get(0)!.strict && single!.least.get(3)!.strict).toBe(true);
    expect(single!.greatest.get(3)!.strict).toBe(false);
  });

  it("decide monotonicity, both ways", async () => {
    const query = parseVnnlib(two(...box, "(<= X[0] U[0])", "(> Y[0] (+ V[0] 0.01))"));
    const ask = (slope: number) => verifyQuery(query, new Map([["f", net(slope)]]), { seconds: 20 });
    expect((await ask(2)).verdict).toBe("unsat");
    const falling = graph({ x: float32(1, 2) }, ({ x }) => ({ y: x.neg().sum([1], 1) }));
    expect((await verifyQuery(query, new Map([["f", falling]]), { seconds: 20 })).verdict).toBe("sat");
  });

  it("are said to be missing where nothing follows", () => {
    expect(() => casesOf(parseVnnlib(two(...box, "(>= X[0] U[0])")), [0, 1, 3])).toThrow(
      /X\[0\] has no upper bound/,
    );
  });
});

describe("infix", () => {
  it.each([
    ["(X[0] >= 1)", '">=" stands between what it joins: operators come first, as in (>= X[0] 1)'],
    ["X[0] >= 1", '">=" stands between what it joins: operators come first, as in (>= X[0] 1)'],
    ["(>= (X[0] + X[1]) 1)", '"+" stands between what it joins: operators come first, as in (+ X[0] X[1])'],
    [
      "((>= X[0] 1) and (>= X[1] 1))",
      '"and" stands between what it joins: operators come first, as in (and (...) (...))',
    ],
  ])("%s", (assertion, message) => {
    expect(() => parseVnnlib(two(assertion))).toThrow(`line 4: ${message}`);
  });
});
