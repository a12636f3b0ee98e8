import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lemmata, temporaryFolder } from "./lemmata.ts";

const folder = temporaryFolder();

describe("lemmata theory", () => {
  it("list", () => {
    const lemmas = lemmata("theory", "list", "--json").json as Record<string, unknown>[];
    const squaring = lemmas.find((l) => l["id"] === "T-27");
    expect(Object.keys(squaring!)).toEqual(["id", "covers", "title", "kind", "source", "claims", "errata"]);
    expect(squaring).toMatchObject({
      covers: expect.arrayContaining(["T-27", "C1a-51"]),
      kind: "construction",
      errata: 3,
    });
    expect(lemmata("theory", "list").stdout).toMatch(/T-27 +construction +Squaring/);
  });

  it("show", () => {
    const { stdout } = lemmata("theory", "show", "c1a-51");
    expect(stdout).toContain("Squaring with logarithmically many units");
    expect(stdout).toMatch(/i +levels +1 to 12 +6/);
    expect(stdout).toContain("erratum, proof of Theorem 4.2");
    expect(lemmata("theory", "show", "T-27", "--json").json).toMatchObject({
      id: "T-27",
      parameters: [{ name: "i", default: 6 }],
    });
  });

  it("run: claims, network file and figure", () => {
    const [out, svg] = [join(folder, "square.onnx"), join(folder, "square.svg")];
    const { status, stderr, json } = lemmata(
      "theory",
      "run",
      "T-27",
      "--param",
      "i=3",
      "--out",
      out,
      "--svg",
      svg,
      "--json",
    );
    expect([status, stderr]).toEqual([0, ""]);
    const { id, parameters, claims, network } = json as {
      id: string;
      parameters: object;
      claims: Record<string, unknown>[];
      network: object;
    };
    expect({ id, parameters }).toEqual({ id: "T-27", parameters: { i: 3 } });
    expect(claims.find((c) => c["name"] === "sup error")).toMatchObject({
      relation: "=",
      theory: 4 ** -4,
      measured: 4 ** -4,
      holds: true,
      strength: "proved",
      reading: "corrected",
    });
    expect(claims.filter((c) => c["reading"] === "corrected" && !c["holds"])).toEqual([]);
    expect(network).toMatchObject({
      hiddenUnits: 8,
      depth: 3,
      widths: [2, 3, 3],
      nonzeros: 21,
      parameters: 29,
    });
    expect(lemmata("info", out, "--json").json).toMatchObject({
      opset: 20,
      operators: { Gemm: 4, Relu: 3 },
      nonzeros: 21,
    });
    expect(readFileSync(svg, "utf8")).toMatch(/^<svg .*Error against hidden units.*<\/svg>\n$/s);
    expect(readdirSync(folder).filter((f) => f.endsWith(".tmp"))).toEqual([]);
  });

  it("run: the table of a lemma that has one, best first", () => {
    const { status, json } = lemmata("theory", "run", "C2-23", "--json");
    const { columns, rows } = (json as { table: { columns: string[]; rows: (string | number)[][] } }).table;
    expect([status, columns.slice(0, 3)]).toEqual([0, ["measure", "τ", "granulated"]]);
    const taus = rows.map((row) => row[1] as number);
    expect(taus).toEqual(taus.toSorted((a, b) => b - a));
    expect(rows.length).toBeGreaterThan(15);
    const { stdout } = lemmata("theory", "run", "C2-23");
    for (const [name] of rows) expect(stdout).toContain(name);
  });

  it("falsify: no corrected claim falls, the errata do", () => {
    const { status, json } = lemmata("theory", "falsify", "T-27", "--trials", "20", "--seed", "1", "--json");
    expect(status).toBe(0);
    const { trials, violations, errata } = json as {
      trials: number;
      violations: unknown[];
      errata: Record<string, unknown>[];
    };
    expect([trials, violations]).toEqual([20, []]);
    expect(errata.map((e) => [e["claim"], e["parameters"]])).toEqual([
      ["refinement, bracket", { i: 1 }],
      ["refinement, scale", { i: 1 }],
      ["refinement, sign", { i: 1 }],
    ]);
  });

  it.each([
    [["theory", "run", "T-99"], /no lemma "T-99"; near it: T-3\d, /],
    [["theory", "run", "T-27", "--param", "j=1"], /T-27 has no parameter "j"; its parameters: i/],
    [["theory", "run", "T-27", "--param", "i=99"], /T-27: parameter i = 99: .*12/],
    [["theory", "run", "T-27", "--param", "i=two"], /T-27: parameter i = two/],
    [["theory", "run", "T-27", "--param", "i"], /write name=value/],
    [["theory", "run", "T-27", "--out", "/proc/nowhere/x.onnx"], /cannot write \/proc\/nowhere\/x\.onnx/],
    [["theory", "rnu", "T-27"], /theory has no command "rnu"; it has list, show, run, falsify, errata/],
    [["theory", "falsify", "--trials", "0"], /trials is an integer from 1 up/],
    [["theory", "list", "--jsno"], /unknown option '--jsno' \(Did you mean --json\?\)/],
  ])("%j is one clear line and exit code 2", (words, line) => {
    const { status, stdout, stderr } = lemmata(...words);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^lemmata: [^\n]+\n$/);
    expect(stderr).toMatch(line);
  });

  it("writes nothing when the run fails", () => {
    const out = join(folder, "never.onnx");
    lemmata("theory", "run", "T-27", "--param", "i=99", "--out", out);
    expect(existsSync(out)).toBe(false);
  });
});
