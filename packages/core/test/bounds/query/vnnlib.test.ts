import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exactDecimal } from "../../../src/bounds/query/linear.ts";
import { verifyQuery } from "../../../src/bounds/query/verify.ts";
import { parseVnnlib } from "../../../src/bounds/query/vnnlib.ts";
import { DataError } from "../../../src/data/error.ts";
import { float32, graph } from "../../../src/graph/builder.ts";
import type { Graph } from "../../../src/graph/graph.ts";
import { compare, div, mul } from "../../../src/numbers/exact/rational.ts";

const declarations = "(declare-const X_0 Real)\n(declare-const X_1 Real)\n(declare-const Y_0 Real)\n";
const unitBox = "(assert (and (>= X_0 0) (<= X_0 1)))\n(assert (>= X_1 -1.0))\n(assert (<= X_1 1e0))\n";
/** |x0 - x1|, between 0 and 2 on the box. */
const distance = graph({ X: float32(1, 2) }, ({ X }) => ({ y: X.matmul([[1], [-1]]).abs() }));
const on = (net: Graph) => new Map([["", net]]);
const answer = async (text: string, net: Graph = distance, options = {}) =>
  verifyQuery(parseVnnlib(declarations + unitBox + text), on(net), options);

describe("VNN-LIB 1.0", () => {
  it.each([
    ["(assert (>= Y_0 2.001))", "unsat"],
    ["(assert (>= Y_0 1.99))", "sat"],
    ["(assert (< Y_0 -0.001))", "unsat"],
    ["(assert (or (>= Y_0 2.5) (<= Y_0 -0.5)))", "unsat"],
    ["(assert (or (>= Y_0 2.5) (and (<= Y_0 0.1) (>= X_0 0.9))))", "sat"],
    ["(assert (or (and (<= X_0 0.2) (>= Y_0 1.3)) (and (>= X_0 0.8) (<= X_1 -0.5) (<= Y_0 1.2))))", "unsat"],
    ["(assert (>= (+ Y_0 (* -2 X_0)) 1.01))", "unsat"],
    ["(assert (>= (+ Y_0 (* -2 X_0)) 0.9))", "sat"],
    ["(assert (<= (+ X_0 X_1) -1.5))", "unsat"],
    ["(assert (>= X_0 2))", "unsat"],
    ["(assert (== Y_0 0.5)) (assert (== X_1 0))", "sat"],
    ["(assert (!= Y_0 Y_0))", "unsat"],
    ["(assert (and (> Y_0 0.5) (< Y_0 0.5)))", "unsat"],
  ])("%s is %s", async (text, verdict) => {
    expect((await answer(text, distance, { seconds: 20 })).verdict).toBe(verdict);
  });

  it("a number beyond all doubles is refused with its line", () => {
    expect(() => parseVnnlib(`${declarations}${unitBox}(assert (>= Y_0 1e400))`)).toThrow(DataError);
  });

  it("witnesses satisfy the query, with the outputs of ONNX Runtime", async () => {
    const { witness, strength } = await answer("(assert (>= Y_0 1.9))");
    const value = Object.fromEntries(witness!.map(({ name, value: v }) => [name, v]));
    expect(strength).toBe("checked");
    expect(value["Y_0"]).toBe(Math.fround(Math.abs(value["X_0"]! - value["X_1"]!)));
    expect(value["Y_0"]).toBeGreaterThanOrEqual(1.9);
  });

  const half = graph({ X: float32(1, 2) }, ({ X }) => ({ y: X.gather([0], 1) }));
  const curved = graph({ X: float32(1, 2) }, ({ X }) => ({
    y: X.matmul([[1], [-1]])
      .tanh()
      .pow(2),
  }));
  it.each([
    ["(assert (< Y_0 0))", distance, "unsat"],
    ["(assert (<= Y_0 0))", distance, "sat"],
    ["(assert (> Y_0 2))", distance, "unsat"],
    ["(assert (>= Y_0 2))", distance, "sat"],
    ["(assert (!= Y_0 X_0))", half, "unsat"],
    ["(assert (== Y_0 X_0))", half, "sat"],
    ["(assert (< Y_0 0))", curved, "unknown"],
  ])("what touches, without a time limit: %s", async (text, net, verdict) => {
    const found = await answer(text, net);
    expect(found.verdict).toBe(verdict);
    expect(found.reason ?? "").toMatch(verdict === "unknown" ? /no more than rounding/ : /^$/);
  });

  it("what only holds on the edge of rounding is not called sat without a run that shows it", async () => {
    // Real: y = x0 - x1 + 1e-9 > x0 - x1. In f32 the sum rounds the small number away.
    const net = graph({ X: float32(1, 2) }, ({ X }) => ({ y: X.matmul([[1], [-1]]).add(1e-9) }));
    const text = "(assert (> Y_0 (- X_0 X_1))) (assert (>= X_0 0.9)) (assert (<= X_1 -0.9))";
    const { verdict, witness } = await answer(text, net, { seconds: 1 });
    const value = Object.fromEntries((witness ?? []).map(({ name, value: v }) => [name, v]));
    if (verdict === "sat") expect(value["Y_0"]).toBeGreaterThan(value["X_0"]! - value["X_1"]!);
    else expect(["unknown", "timed-out"]).toContain(verdict);
  });
});

describe("VNN-LIB 2.0", () => {
  const header = `(vnnlib-version <2.0>) ; two networks
(declare-network f (declare-input X_f real [1, 2]) (declare-output Y_f real []))
(declare-network g (isomorphic-to f) (declare-input X_g real [2]) (declare-output Y_g Real [1]))
(assert (and (>= X_f[0,0] 0) (<= X_f[0,0] 1))) (assert (and (>= X_f[0,1] -1) (<= X_f[1] 1)))
(assert (== X_f[0,0] X_g[0])) (assert (== X_g[1] X_f[0,1]))\n`;
  const near = graph({ X: float32(1, 2) }, ({ X }) => ({ y: X.matmul([[1], [-1.01]]).abs() }));
  const networks = new Map([
    ["f", distance],
    ["g", near],
  ]);

  it.each([
    ["(assert (> Y_g[0] (+ Y_f 0.0101)))", false, "unsat"],
    ["(assert (> Y_g[0] (+ Y_f 0.009)))", false, "sat"],
    ["(assert (and (> Y_g[0] (+ Y_f 0.009)) (< Y_g[0] (- Y_f 0.009))))", false, "unsat"],
    ["(assert (and (> Y_g[0] (+ Y_f 0.009)) (< Y_g[0] (- Y_f 0.009))))", true, "sat"],
    ["(assert (and (> Y_g[0] (+ Y_f 0.0101)) (< Y_g[0] (- Y_f 0.0101))))", true, "unsat"],
  ])("%s with or: %s is %s", async (text, or, verdict) => {
    const found = await verifyQuery(parseVnnlib(header + text), networks, { or, seconds: 20 });
    expect(found.verdict).toBe(verdict);
  });

  it("says which model is missing or unknown", async () => {
    const query = parseVnnlib(`${header}(assert (> Y_g[0] 1))`);
    await expect(verifyQuery(query, new Map([["f", distance]]))).rejects.toThrow(
      "no model is given for network g",
    );
    await expect(verifyQuery(query, new Map([...networks, ["h", near]]))).rejects.toThrow(
      "declares no network h",
    );
  });
});

describe("errors", () => {
  it.each([
    ["(assert (>= Y_0 1)", 'line 7: a "(" without its ")"'],
    ["(assert (>= Y_0 1)))", 'line 7: a ")" without its "("'],
    ["\n(assert (>= Y_7 1))", 'line 8: "Y_7" is neither a number nor a declared variable'],
    ["(assert (>= Y_0 1.2.3))", 'line 7: "1.2.3" is neither'],
    ["(assert (>= Y_0 1 2))", "line 7: >= compares two terms, not 3"],
    [`(assert (>= (* ${"X_0 ".repeat(17)}) 1))`, "line 7: a product of more than 16 variables"],
    ["(assert (>= (* X_0 Y_7) 1))", 'line 7: "Y_7" is neither a number nor a declared variable'],
    ["(assert (>= (/ X_0 2) 1))", 'line 7: "/" is not supported in terms'],
    ["(assert (implies (>= X_0 1) (>= X_0 0)))", 'line 7: "implies" is not supported'],
    ["(assert)", "line 7: assert takes one formula"],
    ["(declare-const X_0 Real)", "line 7: X_0 is declared twice"],
    ["(declare-const Z Real)", "line 7: Z: variables are named X_0"],
    ["(push 1)", 'line 7: "push" is not a statement'],
    ["stray", 'line 7: "stray" stands outside'],
    ["(assert (and))", "line 7: and of nothing"],
    ["(vnnlib-version <3.0>)", "line 7: version <3.0> is not supported"],
    ["(declare-network f (declare-input A real [0]))", "line 7: A: a shape is written [1, 5]"],
    ["(declare-const X_9 Real)", "X_2 is not declared"],
    [`${"(assert ".repeat(600)}`, "line 7: more than 500 parentheses"],
  ])("%j", (text, message) => {
    expect(() => parseVnnlib(declarations + unitBox + text)).toThrow(message);
    expect(() => parseVnnlib(declarations + unitBox + text)).toThrow(DataError);
  });

  it("unbounded inputs, wrong counts, too many alternatives", async () => {
    const open = parseVnnlib(`${declarations}(assert (>= X_0 0)) (assert (<= X_0 1)) (assert (>= X_1 0))`);
    await expect(verifyQuery(open, on(distance))).rejects.toThrow("X_1 has no upper bound");
    const wide = graph({ X: float32(1, 3) }, ({ X }) => ({ y: X.matmul([[1], [-1], [1]]) }));
    await expect(answer("(assert (>= Y_0 1))", wide)).rejects.toThrow(
      "the query declares 2 inputs and 1 outputs of the network; the model has 3 and 1",
    );
    const many = "(assert (or (>= Y_0 1) (<= Y_0 0)))".repeat(15);
    await expect(answer(many)).rejects.toThrow("more than 20000 alternatives");
  });

  it("any text is read, or refused with a DataError", () => {
    const words = [
      "(",
      ")",
      "assert",
      "and",
      "or",
      "<=",
      "X_0",
      "Y_0",
      "1e9",
      "-",
      "[",
      "]",
      "[1]",
      "X_0[",
      ";",
      "\n",
      "declare-const",
      "Real",
      "\u0000",
      "99e9999",
      "*",
      "+",
      "(* X_0 Y_0)",
      '"name"',
      '"',
      "declare-network",
      "(declare-input A real [2])",
      "declare-hidden",
      "vnnlib-version",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 40 }), (parts) => {
        try {
          parseVnnlib(declarations + parts.join(" "));
        } catch (error) {
          expect(error).toBeInstanceOf(DataError);
          expect((error as Error).message.length).toBeLessThan(300);
        }
      }),
      { numRuns: 3000 },
    );
  });
});

describe("decimals", () => {
  it("are read exactly", () => {
    expect(exactDecimal("0.1")).toEqual(div(1, 10));
    expect(exactDecimal("-12.50e-1")).toBe(-1.25);
    expect(exactDecimal(".5")).toBe(0.5);
    expect(compare(mul(exactDecimal("3.991125645861615")!, 10 ** 15), 3991125645861615)).toBe(0);
    for (const text of ["", ".", "e5", "1e99999", "0x10", "1,5", "--1", "Infinity", "1".repeat(500)])
      expect(exactDecimal(text)).toBeUndefined();
  });
});
