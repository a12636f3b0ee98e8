// Where reasoning that is right for ordinary numbers breaks: phases beyond 2^52, enclosures that hold nothing, parts of a
// formula that have no value.
import { describe, expect, it } from "vitest";
import { type Certificate, sha256 } from "../../src/check/certificate.ts";
import { checkCertificate } from "../../src/check/check.ts";
import { taylorOf } from "../../src/check/functions.ts";
import { runtimeContradiction } from "../../src/check/runtime.ts";
import { type BoxSide, compile } from "../../src/compile/compile.ts";
import { float64, graph, writeModel } from "../../src/graph/index.ts";
import { box } from "./mutations.ts";

describe("sin near a multiple of pi beyond 2^52", () => {
  // c is within 1e-5 of n pi with n = 4503599627447530, so that sin(c) is near 0; n + 1/2 is no double, and it was taken
  // for n, so that |x - c| looked like a fold about a crest.
  const c = 14148475504298890;

  it("is no crest", async () => {
    expect(Math.abs(Math.sin(c))).toBeLessThan(1e-5);
    const side: BoxSide = { name: "x", lower: c, upper: c };
    const net = graph({ x: float64("N", 1) }, ({ x }) => {
      const d = x.sub(c);
      const r = d.relu();
      const z = r.add(r).sub(d);
      return { y: z.mul(-0.5).add(1) };
    });
    const names = net.nodes.map((node) => node.outputs[0]!);
    const bytes = writeModel(net);
    const forged: Certificate = {
      version: 1,
      formula: "sin(x)",
      box: [side],
      ...{ eps: 0.1, certifiedError: 0.1, realError: 0.1, dtype: "f64", output: 1 },
      network: { sha256: await sha256(bytes), input: "x", output: "y" },
      nodes: [
        {
          ...{ id: 0, op: "variable", args: [], name: "x", range: [c, c], error: 0, runError: 0 },
          ...{ tensor: "x", column: 0 },
        },
        {
          ...{ id: 1, op: "sin", args: [0], range: [-1, 1], error: 0.1, runError: 0.1 },
          ...{ tensor: "y", column: 0 },
        },
      ],
      blocks: [
        {
          ...{ kind: "spline", nodes: [1], inputs: ["x"], output: "y", localError: [0.09], rounding: [0.01] },
          ...{ argument: "x", folds: [names[3]!], pieces: 1 },
        },
      ],
    };
    expect(await checkCertificate(bytes, forged)).toMatchObject({ ok: false });
  });
});

describe("Taylor coefficients of x^p", () => {
  it("p - k is no double: the slope of x^0.3 at 1e300", () => {
    const [, slope] = taylorOf({ op: "power", exponent: 0.3 }, { lower: 1e300, upper: 1e300 }, 1);
    const exact = 2.9999999999999768e-211; // ...976771 by 60 digits, for the double 0.3
    expect(slope!.lower).toBeLessThan(exact);
    expect(slope!.upper).toBeGreaterThan(exact);
  });
});

describe("pairs of numbers that hold none", () => {
  it("coefficients of servants with the greater end first: refuted", async () => {
    const { bytes, certificate } = await compile({ formula: "exp(x)", box: box({ x: [0, 1] }), eps: 1e-6 });
    const affine = certificate.nodes.filter(({ op, servant }) => op === "affine" && servant !== undefined);
    expect(affine.length).toBeGreaterThan(0);
    for (const { id } of affine) {
      const draft = structuredClone(certificate);
      const node = draft.nodes[id]!;
      node.constant = [node.constant![1] + 1e-14, node.constant![0] - 1e-14];
      expect(await checkCertificate(bytes, draft)).toMatchObject({
        ok: false,
        reason: expect.stringContaining("made of nodes before it"),
      });
    }
  });
});

describe("a part of the formula has no value on the box", () => {
  const cases: [string, Record<string, [number, number]>, RegExp][] = [
    ["x + 0*log(x)", { x: [-1, 1] }, /log/],
    ["x + 0*log(x)", { x: [0, 1] }, /log/],
    ["x + 0/x", { x: [-1, 1] }, /1\/x|reciprocal/],
    ["x * 0 * sqrt(x) + x", { x: [-1, 1] }, /sqrt/],
    ["log(x) - log(x) + x", { x: [-1, 1] }, /log/],
    ["log(x)^0 * x", { x: [-1, 1] }, /log/],
    ["exp(log(x)) * exp(-log(x)) + x", { x: [-1, 1] }, /log/],
    ["asin(x) * 0 + x", { x: [0, 2] }, /asin/],
    ["tan(x) * 0 + x", { x: [0, 2] }, /tan/],
    ["0 * x^0.3 + x", { x: [-1, 1] }, /power|0\.3/],
    ["0 * log(x - y) + x", { x: [0, 1], y: [0, 1] }, /log/],
  ];

  it.each(cases)("%s on %o is not compiled", async (formula, sides, what) => {
    await expect(compile({ formula, box: box(sides), eps: 1e-3 })).rejects.toThrow(what);
  });

  it.each(cases)("%s on %o is not verified", async (formula, sides, what) => {
    // The network of a formula that agrees with it wherever it has a value.
    const plain = formula.includes("^0 *") || !formula.startsWith("exp") ? "x" : "x + 1";
    const extra = "y" in sides ? " + 0*y" : "";
    const { bytes, certificate } = await compile({ formula: plain + extra, box: box(sides), eps: 1e-3 });
    expect(await checkCertificate(bytes, certificate)).toMatchObject({ ok: true });
    const result = await checkCertificate(bytes, { ...certificate, formula });
    expect(result).toMatchObject({ ok: false, node: "the formula" });
    expect(result.ok ? "" : result.reason).toMatch(what);
  });

  it.each([
    ["x + 0*log(x)", { x: [0.1, 1] }],
    ["x + 0*log(x^2 - x + 1)", { x: [-1, 2] }],
  ] as [string, Record<string, [number, number]>][])("%s on %o is", async (formula, sides) => {
    const { bytes, certificate } = await compile({ formula, box: box(sides), eps: 1e-3 });
    expect(await checkCertificate(bytes, certificate)).toMatchObject({ ok: true });
  });
});

describe("names", () => {
  it("a variable that no formula can name is refused, so that it cannot pass for a verdict", async () => {
    const { bytes, certificate } = await compile({ formula: "x", box: box({ x: [0, 1] }), eps: 1e-3 });
    const name = "x\nverified: y";
    const nodes = certificate.nodes.map((node) => ({ ...node, name }));
    expect(
      await checkCertificate(bytes, { ...certificate, nodes, box: [{ name, lower: 0, upper: 1 }] }),
    ).toMatchObject({ ok: false, node: "the box" });
  });
});

describe("what ONNX Runtime says", () => {
  it("a run that the proved error excludes is told; one that it allows is not", async () => {
    const squares = await compile({ formula: "x^2", box: box({ x: [-1, 1] }), eps: 1e-3 });
    const { bytes, certificate } = squares;
    expect(await runtimeContradiction(bytes, certificate, certificate.certifiedError)).toBeUndefined();
    const other = { ...certificate, formula: "x^2 + 0.01" };
    expect(await runtimeContradiction(bytes, other, 1e-3)).toMatch(/which the proof excludes/);
    expect(await runtimeContradiction(new Uint8Array(9), certificate, 1)).toMatch(/ONNX Runtime refuses/);
  });
});
