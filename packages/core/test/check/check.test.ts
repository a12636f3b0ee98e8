import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type Certificate, sha256 } from "../../src/check/certificate.ts";
import { checkCertificate } from "../../src/check/check.ts";
import { formulaNodes } from "../../src/check/formula-nodes.ts";
import { type BoxSide, compile } from "../../src/compile/compile.ts";
import { functionGraph } from "../../src/formula/function-graph.ts";
import { float64, graph, writeModel } from "../../src/graph/index.ts";
import { box } from "./mutations.ts";

const indexed = (count: number, lower: number, upper: number): BoxSide[] =>
  Array.from({ length: count }, (_, k) => ({ name: `x${k + 1}`, lower, upper }));
const blackScholes =
  "s*(1+erf((log(s/k)+(r+v^2/2)*t)/(v*sqrt(t))/sqrt(2)))/2" +
  "-k*exp(-r*t)*(1+erf((log(s/k)+(r-v^2/2)*t)/(v*sqrt(t))/sqrt(2)))/2";

describe("certificates of the compiler", () => {
  it.each<[string, BoxSide[], number, ("f32" | "f64")?]>([
    ["x^2", box({ x: [-1, 1] }), 1e-8],
    ["x*y", box({ x: [-1, 1], y: [-1, 1] }), 1e-6],
    ["x*y + sin(3x)", box({ x: [-1, 1], y: [0, 2] }), 1e-3],
    ["x^3 - 2x + 1", box({ x: [-2, 2] }), 1e-10],
    ["x - x^2", box({ x: [0, 1] }), 1e-5],
    ["exp(x)", box({ x: [-1, 1] }), 1e-9],
    ["sin(x)", box({ x: [-10, 10] }), 1e-4],
    ["sin(x)", box({ x: [-1000, 1000] }), 1e-3],
    ["cos(20x)", box({ x: [-1, 1] }), 1e-8],
    ["exp(x)", box({ x: [-20, 5] }), 1e-6],
    ["sigmoid(10x)", box({ x: [-1, 1] }), 1e-10],
    ["1/(1 + exp(-10x))", box({ x: [-1, 1] }), 1e-10],
    ["1/x", box({ x: [0.05, 1] }), 1e-4],
    ["atan(log(x))", box({ x: [0.001, 10] }), 1e-5],
    ["sqrt(x)", box({ x: [0, 1] }), 1e-4],
    ["x^(1/3) + asin(x) - acos(x)", box({ x: [0, 1] }), 1e-2],
    ["log(x) / x", box({ x: [0.1, 10] }), 1e-3],
    ["tanh(x) + sigmoid(x) - erf(x) + atan(x)", box({ x: [-3, 3] }), 1e-4],
    ["tan(x) + sinh(x) * cosh(x)", box({ x: [-1, 1] }), 1e-4],
    ["sqrt(x^2 + y^2)", box({ x: [-1, 1], y: [-1, 1] }), 1e-3],
    ["max(2x + 1, y, x - y) - abs(x - pi*y) + min(x, y/3)", box({ x: [-1, 1], y: [-1, 1] }), 1e-9],
    ["x^y", box({ x: [0.5, 2], y: [1, 2] }), 1e-3],
    ["exp(x) * exp(y) / (1 + x^2)", box({ x: [0, 1], y: [0, 1] }), 1e-3],
    ["prod(i, 1, 8, x[i])", indexed(8, -1, 1), 1e-4],
    ["exp(-sum(x[1:8] .^ 2))", indexed(8, -1, 1), 1e-3],
    ["norm([x1, x2, x3]) + dot(x[1:2], x[2:3])", indexed(3, 1, 2), 1e-3],
    [blackScholes, box({ s: [80, 120], k: [90, 110], r: [0.01, 0.05], v: [0.1, 0.4], t: [0.5, 2] }), 1e-2],
    ["x^2", box({ x: [-1, 1] }), 1e-3, "f32"],
    ["sin(x) * y", box({ x: [-3, 3], y: [0.1, 1] }), 1e-3, "f32"],
    ["max(exp(x), 2 - x)", box({ x: [0, 1] }), 1e-4, "f32"],
  ])("%s", async (formula, sides, eps, dtype = "f64") => {
    const { bytes, certificate } = await compile({ formula, box: sides, eps, dtype });
    const result = await checkCertificate(bytes, JSON.parse(JSON.stringify(certificate)));
    // What the checker finds is its own; the compiler has claimed no less, and not twice as much.
    const { certifiedError, realError } = certificate;
    expect(result).toMatchObject({ ok: true });
    if (!result.ok) return;
    expect(result.error).toBeLessThanOrEqual(certifiedError);
    expect(result.error).toBeGreaterThan(0.5 * certifiedError);
    expect(result.realError).toBeLessThanOrEqual(realError);
  });

  it("a sum of 1024 squares, by sparse weights", async () => {
    const { bytes, certificate } = await compile({
      formula: "sum(i, 1, 1024, x[i]^2)",
      box: indexed(1024, 0, 1),
      eps: 1,
    });
    expect(await checkCertificate(bytes, certificate)).toMatchObject({ ok: true });
  });
});

describe("a certificate written by hand", () => {
  const net = graph({ x: float64("N", 2) }, ({ x }) => {
    const [u, v] = [x.gather([0], 1), x.gather([1], 1)];
    return { y: v.add(u.sub(v).relu()) };
  });
  const [u, v, , , y] = net.nodes.map((node) => node.outputs[0]!);
  const variable = (id: number, name: string): Certificate["nodes"][number] => ({
    ...{ id, op: "variable", args: [], name, range: [0, 1], error: 0, runError: 0, tensor: "x", column: id },
  });
  const certificate = async (bytes: Uint8Array): Promise<Certificate> => ({
    version: 1,
    formula: "max(a, b)",
    box: box({ a: [0, 1], b: [0, 1] }),
    eps: 1e-12,
    certifiedError: 1e-15,
    realError: 0,
    dtype: "f64",
    network: { sha256: await sha256(bytes), input: "x", output: y! },
    output: 2,
    nodes: [
      variable(0, "a"),
      variable(1, "b"),
      { id: 2, op: "max", args: [0, 1], range: [0, 1], error: 0, runError: 1e-15, tensor: y!, column: 0 },
    ],
    blocks: [
      {
        kind: "exact",
        nodes: [2],
        inputs: ["x"],
        output: y!,
        localError: [0],
        rounding: [1e-15],
        left: u!,
        right: v!,
      },
    ],
  });

  it("is confirmed", async () => {
    const bytes = writeModel(net);
    expect(await checkCertificate(bytes, await certificate(bytes))).toEqual({
      ...{ ok: true, realError: 0 },
      error: expect.closeTo(2 ** -52, 18), // a difference and a sum of numbers up to 1, each rounded once
    });
  });

  it("is not, for another file, formula, or a NaN", async () => {
    const bytes = writeModel(net);
    const right = await certificate(bytes);
    const other = writeModel({ ...net, name: "another" });
    expect(await checkCertificate(other, right)).toMatchObject({ ok: false, node: "the network" });
    const minimum = { ...right, formula: "min(a, b)" };
    expect(await checkCertificate(bytes, minimum)).toMatchObject({
      ok: false,
      node: "node 2 (max of node 0, node 1)",
    });
    const undefinedError = { ...right, certifiedError: Number.NaN };
    expect(await checkCertificate(bytes, undefinedError)).toMatchObject({
      ok: false,
      node: "the certificate",
    });
  });

  it("bytes that are no network are an error", async () => {
    await expect(checkCertificate(new Uint8Array(3), await certificate(new Uint8Array(3)))).rejects.toThrow();
  });
});

describe("independence", () => {
  const folder = fileURLToPath(new URL("../../src/check", import.meta.url));

  it("of what compiles, the checker imports nothing but the parser and the names of functions", () => {
    const imports = readdirSync(folder).flatMap((file) =>
      [...readFileSync(`${folder}/${file}`, "utf8").matchAll(/from "(\.\.\/[^"]+)"/g)].map((m) => m[1]!),
    );
    const beyond = imports.filter((path) => !/^\.\.\/(engine|graph|numbers)\//.test(path));
    expect([...new Set(beyond)].sort()).toEqual([
      "../formula/error.ts",
      "../formula/formula.ts",
      "../functions/names.ts",
    ]);
  });

  it.each([
    ["2x*(x + 1)^2 - x/(3y) + x*x*y", ["x", "y"]],
    ["exp(x)*exp(-2y)/exp(x*y) + e^(x + 1)", ["x", "y"]],
    ["relu(x - 1) + abs(-2x) + max(x, x, 3)", ["x"]],
    ["sum(i, 1, 3, i * x_i) * prod(x1, x2, x3)^2", ["x1", "x2", "x3"]],
    ["sqrt(2)*x^0.5 + cube(x) + x^-2 + pow(x, 0)", ["x"]],
    ["dot([x, 2], [y, x]) + sum([x, y] .* [y, y])", ["x", "y"]],
    [
      "1/(1 + exp(-10x)) + y/(1 + exp(x + y))^2 - 3/(2 + exp(y)) + 1/(1 + 2exp(x)) + (1 + e^x)^-1",
      ["x", "y"],
    ],
  ])("both read %s as the same nodes", (formula, names) => {
    const own = formulaNodes(formula, names);
    expect(own).toEqual(JSON.parse(JSON.stringify(functionGraph(formula, names))));
  });
});
