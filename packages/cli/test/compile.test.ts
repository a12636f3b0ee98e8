import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { certificateSchema, sha256 } from "@lemmata/core/compile";
import { readModel } from "@lemmata/core/graph";
import { describe, expect, it } from "vitest";
import { lemmata, temporaryFolder } from "./lemmata.ts";

const folder = temporaryFolder();
const file = (name: string): string => join(folder, name);

interface Summary {
  readonly certifiedError: number;
  readonly realError: number;
  readonly sampledError: number;
  readonly units: number;
  readonly functionGraph: { readonly nodes: number; readonly maxArity: number; readonly depth: number };
  readonly budget: readonly { readonly node: string; readonly units: number }[];
  readonly theory: { readonly deepUnits: number; readonly shallowUnits: number };
}
const compiled = (...words: string[]): Summary => lemmata("compile", ...words, "--json").json;

describe("lemmata compile", () => {
  it("prints the promised object", () => {
    const found = compiled("x^2 + sin(y)", "--on", "x=-1..1, y=0..6", "--eps", "1e-4");
    expect(Object.keys(found)).toEqual(
      expect.arrayContaining(
        "formula box eps certifiedError sampledError units depth nonzeros parameters functionGraph budget theory seconds".split(
          " ",
        ),
      ),
    );
    expect(found.certifiedError).toBeLessThanOrEqual(1e-4);
    expect(found.sampledError).toBeLessThanOrEqual(found.certifiedError);
    expect(found.functionGraph).toEqual({ nodes: 3, maxArity: 2, depth: 2 });
    expect(found.theory).toEqual({ deepUnits: 200, shallowUnits: 10_000 });
    expect(found.budget.map((b) => b.node)).toEqual(["x^2", "sin(y)"]);
    expect(found.budget.reduce((sum, b) => sum + b.units, 0)).toBe(found.units);
  });

  it("draws methods in full, and one line of the legend for what is proved", () => {
    const svg = file("wave.svg");
    lemmata("compile", "sin(x)", "--on", "-10..10", "--eps", "1e-2", "--svg", svg);
    const drawn = readFileSync(svg, "utf8");
    expect(drawn.match(/>proved</g)).toHaveLength(1);
    expect(drawn).toContain("3 folds and a spline of 8 pieces<");
  });

  it("writes a network that lemmata run runs, its certificate, and a picture", async () => {
    const [net, certificate, svg] = [file("net.onnx"), file("c.json"), file("net.svg")];
    const { status, stdout } = lemmata(
      ...["compile", "x * y + 1/2", "--on", "-1..1", "--eps", "1e-3", "--dtype", "f32"],
      ...["--out", net, "--certificate", certificate, "--svg", svg],
    );
    expect(status).toBe(0);
    expect(stdout).toContain("written:");
    const parsed = certificateSchema.parse(JSON.parse(readFileSync(certificate, "utf8")));
    const bytes = readFileSync(net);
    expect(parsed.network.sha256).toBe(await sha256(bytes));
    const model = readModel(bytes);
    expect(model.metadata.get("formula")).toBe("x * y + 1/2");
    expect(model.metadata.get("variables")).toBe("x y");
    writeFileSync(file("points.csv"), "0.5,0.25\n-1,1\n");
    const answer = lemmata("run", net, "--input", file("points.csv"), "--json").json as {
      outputs: { y: { data: number[] } };
    };
    const values = JSON.stringify(answer)
      .match(/-?\d+\.\d+(e-?\d+)?/g)!
      .map(Number);
    expect(values.some((v) => Math.abs(v - 0.625) <= parsed.certifiedError)).toBe(true);
    expect(values.some((v) => Math.abs(v + 0.5) <= parsed.certifiedError)).toBe(true);
    expect(readFileSync(svg, "utf8")).toMatch(/^<svg [\s\S]*x y[\s\S]*<\/svg>\s*$/);
  });

  it("explains its steps, and says how strong each number is", () => {
    const { stdout } = lemmata("compile", "exp(-x^2)", "--on", "x=-2..2", "--eps", "1e-3", "--explain");
    expect(stdout).toMatch(/1\. Function graph[\s\S]*2\. Budget[\s\S]*3\. Errors[\s\S]*4\. Network/);
    expect(stdout).toMatch(/error at most .*proved/);
    expect(stdout).toMatch(/error seen .*sampled/);
    expect(stdout).toMatch(/units .*checked/);
  });

  it("takes a default for all variables, and formulas over indices", () => {
    const { functionGraph } = compiled("exp(-sum(i, 1, 8, x[i]^2))", "--on", "-1..1", "--eps", "1e-2");
    expect(functionGraph).toEqual({ nodes: 10, maxArity: 8, depth: 3 });
  });

  it("says that max of affine maps is exact", () => {
    expect(compiled("max(2*x + y, x - 3*y, 1)", "--on", "-1..1", "--eps", "1e-6").realError).toBe(0);
  });

  it.each([
    [["1/x", "--on", "x=-1..1", "--eps", "1e-3"], "1/x on a box that contains x = 0"],
    [["log(x)", "--on", "x=0..1", "--eps", "1e-3"], "log of a range that reaches 0"],
    [["x +", "--on", "x=0..1", "--eps", "1e-3"], "formula, character 4: "],
    [["x * y", "--on", "x=0..1", "--eps", "1e-3"], 'formula, character 5: "y"'],
    [["x", "--on", "x=0..1, y=0..1", "--eps", "1e-3"], "the box has y, but the formula does not"],
    [["x", "--on", "x=1..0", "--eps", "1e-3"], "1 is greater than 0"],
    [["x", "--on", "x=0..1"], "--eps"],
    [["x", "--eps", "1"], "--on"],
    [["x", "--on", "x=0..1", "--eps", "0"], "eps is a positive number"],
    [["x^2", "--on", "x=0..1", "--eps", "1e-9", "--dtype", "f32"], "cannot be met"],
    [["x", "--on", "x=0..1", "--eps", "1", "--dtype", "f16"], "--dtype is f32 or f64"],
    [["x", "--on", "x=0..1", "--eps", "1", "--out", "/nowhere/net.onnx"], "there is no such folder"],
  ])("%j is refused in one line", (words, message) => {
    const { status, stdout, stderr } = lemmata("compile", ...words);
    expect(status).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});
