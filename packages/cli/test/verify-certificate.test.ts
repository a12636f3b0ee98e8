import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Certificate, compile, sha256 } from "@lemmata/core/compile";
import { readModel, writeModel } from "@lemmata/core/graph";
import { describe, expect, it } from "vitest";
import { lemmata, temporaryFolder } from "./lemmata.ts";

const folder = temporaryFolder();
const file = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const { bytes, certificate } = await compile({
  formula: "x * y",
  box: ["x", "y"].map((name) => ({ name, lower: -1, upper: 1 })),
  eps: 1e-6,
});
const written = (name: string, changes: Partial<Certificate>): string =>
  file(name, JSON.stringify({ ...certificate, ...changes }));
const net = file("net.onnx", bytes);
const right = written("c.json", {});
const other = written("other.json", { formula: "x * y * 2" });

describe("lemmata verify net.onnx c.json", () => {
  it("a certificate that holds: the bound, and what it is about, exit code 0", () => {
    const { status, stdout, stderr } = lemmata("verify", net, right);
    expect([status, stderr]).toEqual([0, ""]);
    const [first, ...more] = stdout.trimEnd().split("\n");
    const [, bound] = /^verified: \|network - formula\| <= (\S+) on the box \(proved\)$/.exec(first!)!;
    expect(Number(bound)).toBeGreaterThan(0.9 * certificate.certifiedError);
    expect(Number(bound)).toBeLessThan(1.01 * certificate.certifiedError);
    expect(more).toEqual([
      "  formula    x * y",
      "  box        x in [-1, 1], y in [-1, 1]",
      expect.stringMatching(/^ {2}precision {2}runs in f64; in real arithmetic the error is <= \S+$/),
    ]);
    expect(lemmata("verify", net, right, "--quiet").stdout.trimEnd()).toBe(first);
  });

  it("a file that ONNX Runtime refuses is not verified", async () => {
    // An attribute that Relu does not have: the reader passes over it, the runtime does not.
    const model = readModel(bytes);
    const nodes = model.nodes.map((node) =>
      node.op === "Relu"
        ? { ...node, attributes: new Map([["alpha", { type: "float", value: 1 } as const]]) }
        : node,
    );
    const strange = writeModel({ ...model, nodes });
    const network = { ...certificate.network, sha256: await sha256(strange) };
    const { status, stdout, stderr } = lemmata(
      "verify",
      file("strange.onnx", strange),
      written("strange.json", { network }),
    );
    expect([status, stderr]).toEqual([1, ""]);
    expect(stdout).toMatch(/^refuted: the network: ONNX Runtime refuses [^\n]+\n$/);
  });

  it("one that does not: one line that names the node, exit code 1", () => {
    const { status, stdout, stderr } = lemmata("verify", net, other);
    expect([status, stderr]).toEqual([1, ""]);
    expect(stdout).toMatch(/^refuted: [^\n]+: [^\n]+\n$/);
    const wider = written("wider.json", { box: certificate.box.map((side) => ({ ...side, upper: 1.5 })) });
    expect(lemmata("verify", net, wider).stdout).toMatch(
      /^refuted: node 0 \(x\): the box has it from -1 to 1.5/,
    );
  });

  it("--json", () => {
    const { certifiedError } = certificate;
    expect(lemmata("verify", net, right, "--json").json).toMatchObject({
      ...{ verdict: "verified", certifiedError, strength: "proved" },
      ...{ formula: "x * y", box: certificate.box, dtype: "f64" },
      checkedError: expect.closeTo(certifiedError, 8),
      realError: expect.closeTo(certificate.realError, 8),
      seconds: expect.any(Number),
    });
    const { status, json } = lemmata("verify", net, other, "--json");
    expect(status).toBe(1);
    expect(json).toMatchObject({ verdict: "refuted", node: expect.any(String), reason: expect.any(String) });
  });

  it.each<[string, string[], RegExp]>([
    ["no certificate", [net], /lemmata verify net\.onnx c\.json/],
    ["no such file", [net, join(folder, "none.json")], /there is no such file/],
    ["no JSON", [net, file("text.json", "{")], /this is no JSON/],
    ["no certificate in it", [net, file("empty.json", "{}")], /this is no certificate/],
    ["no network", [file("bad.onnx", "no network"), right], /bad\.onnx: /],
    ["a query with a certificate", [file("q.vnnlib", ""), right], /only a network has a certificate/],
  ])("%s: exit code 2 and one line", (_, words, message) => {
    const { status, stdout, stderr } = lemmata("verify", ...words);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});
