// `lemmata bound` as a user runs it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { initialNetwork, square } from "@lemmata/core";
import { float64, graph, saveModel, tensor } from "@lemmata/core/graph";
import { beforeAll, describe, expect, it } from "vitest";
import { lemmata, temporaryFolder } from "./lemmata.ts";

const folder = temporaryFolder();
const file = (name: string): string => join(folder, name);

interface Printed {
  readonly outputs: readonly { readonly name?: string; readonly lower: number; readonly upper: number }[];
  readonly method: string;
  readonly strength: string;
  readonly seconds: number;
  readonly lipschitz?: {
    readonly exact?: number;
    readonly norms: readonly { readonly norm: string; readonly global: number; readonly local: number }[];
  };
}

beforeAll(async () => {
  await saveModel(square(3), file("square.onnx"));
  const two = graph({ a: float64("N", 2), b: float64(1) }, ({ a, b }) => ({ s: a.add(b), t: b.exp() }));
  await saveModel(two, file("two.onnx"));
  await saveModel(initialNetwork("40-200-relu-200-relu-20", { seed: 1 }), file("wide.onnx"));
  await saveModel(
    graph({ x: float64(2) }, ({ x }) => ({ y: x.div(x.sub(0.5)) })),
    file("pole.onnx"),
  );
  await saveModel(
    graph({ x: float64(2) }, ({ x }) => ({ y: x.mul(tensor([1, Number.NaN])) })),
    file("nan.onnx"),
  );
});

/** The command is to end by itself, and not to be ended, however slow the machine. */
const patience = ["--max-time", "55"];

describe("lemmata bound --from", () => {
  const table = tensor(
    [
      [0.1, -0.2],
      [0.3, 0.4],
      [-0.5, 0.6],
    ],
    { type: "float32" },
  );
  const ids = [2, 0, 1];

  beforeAll(async () => {
    const tokens = graph({ ids: { type: "int64", shape: ["N"] } }, ({ ids }) => {
      const rows = ids.builder.lift(table, "float32").op("Gather", [ids]);
      return { y: rows.mul(2).sub(0.1).op("Relu") };
    });
    await saveModel(tokens, file("tokens.onnx"));
    writeFileSync(file("ids.json"), JSON.stringify({ ids }));
  });

  it("bounds the network for all embeddings near those of the tokens", () => {
    const [name] = lemmata(
      "bound",
      file("tokens.onnx"),
      "--input",
      file("ids.json"),
      "--from",
      "?",
      "--radius",
      "1",
    ).stderr.match(/(?<=its embeddings: ")[^"]+/)!;
    const near = ["--input", file("ids.json"), "--from", name!, "--radius", "0.01"];
    const { outputs } = lemmata("bound", file("tokens.onnx"), ...near, "--json").json as Printed;
    const rows = ids.flatMap((id) => [0, 1].map((k) => Number(table.data[2 * id + k])));
    rows.forEach((v, k) => {
      const [low, high] = [v - 0.01, v + 0.01].map((e) => Math.max(0, 2 * e - 0.1));
      expect(outputs[k]!.lower).toBeLessThanOrEqual(low! + 1e-7);
      expect(outputs[k]!.lower).toBeCloseTo(low!, 6);
      expect(outputs[k]!.upper).toBeCloseTo(high!, 6);
    });
  });

  it.each([
    [["--input", "ids.json", "--on", "0..1"], "--on and --input: one of them, not both"],
    [["--input", "ids.json"], "say how far from the data: --radius 0.01"],
    [["--on", "0..1", "--radius", "1"], "--radius is for --input"],
    [["--input", "ids.json", "--radius", "-1"], "a radius is a number from 0 up"],
  ])("%j is refused", (words, message) => {
    const { status, stderr } = lemmata(
      "bound",
      file("tokens.onnx"),
      ...words.map((w) => (w === "ids.json" ? file(w) : w)),
    );
    expect(stderr).toContain(message);
    expect(status).toBe(2);
  });
});

describe("lemmata bound", () => {
  it.each(["interval", "linear", "split"])("with --method %s holds the range of a network", (method) => {
    const { status, json } = lemmata(
      "bound",
      file("square.onnx"),
      "--on",
      "0..1",
      "--method",
      method,
      "--json",
    );
    const { outputs, ...rest } = json as Printed;
    expect(status).toBe(0);
    expect(rest).toMatchObject({ method, strength: "proved" });
    expect(outputs).toHaveLength(1);
    expect(outputs[0]!.lower).toBeLessThanOrEqual(0);
    expect(outputs[0]!.upper).toBeGreaterThanOrEqual(1);
    expect(outputs[0]!.upper).toBeLessThan(2);
  });

  it("names the numbers of several outputs, and lets all inputs vary", () => {
    const { json } = lemmata(
      "bound",
      file("two.onnx"),
      "--on",
      "0..1, b=-1..2",
      "--method",
      "interval",
      "--json",
    );
    const { outputs } = json as Printed;
    expect(outputs.map((o) => o.name)).toEqual(["s[0]", "s[1]", "t"]);
    expect([outputs[0]!.lower, outputs[0]!.upper]).toEqual([-1, 3]);
    expect(outputs[2]!.upper).toBeCloseTo(Math.exp(2), 12);
  });

  it("of the methods each is at least as tight as the one before, and the last two are the truth", () => {
    const widths = ["interval", "linear", "split", "milp"].map((method) => {
      const { json } = lemmata("bound", file("square.onnx"), "--on", "0..1", "--method", method, "--json");
      const { outputs, strength } = json as Printed & { readonly strength: string };
      expect(strength).toBe(method === "milp" ? "checked" : "proved");
      return outputs[0]!.upper - outputs[0]!.lower;
    });
    expect(widths[1]).toBeLessThanOrEqual(widths[0]!);
    expect(widths[2]).toBeLessThanOrEqual(widths[1]!);
    // h(0) = 0 and h(1) = 1 are the least and the greatest value.
    expect(Math.abs(widths[2]! - 1)).toBeLessThan(1e-5);
    expect(Math.abs(widths[3]! - 1)).toBeLessThan(1e-5);
  });

  it("--time: says whether the bounds are done", () => {
    const net = file("square.onnx");
    for (const method of ["linear", "split", "milp"])
      expect(
        lemmata("bound", net, "--on", "0..1", "--method", method, "--time", "30", "--json").json,
      ).toMatchObject({ method, complete: true });
    const { status, stderr } = lemmata("bound", net, "--on", "0..1", "--time", "0");
    expect([status, stderr]).toEqual([2, "lemmata: --time takes a number of seconds above 0\n"]);
  });

  it("--lipschitz --time: what is proved when the time is over is printed, and that it was over", () => {
    const words = ["bound", file("wide.onnx"), "--on", "0..1", "--lipschitz", "--time", "0.01", ...patience];
    const { status, stdout, stderr } = lemmata(...words, "--method", "interval");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^y\[0\] .* proved$/m);
    expect(stdout).toMatch(/^norm 2 +(\S+) +\1 +proved$/m);
    expect(stdout).toMatch(
      /^time ran out before .*: what holds everywhere stands there \(--time allows more\)$/m,
    );
    const { lipschitz } = lemmata(...words, "--json").json as Printed;
    expect(lipschitz).toMatchObject({ complete: false });
  });

  it("--method milp --time: bounds that are loose rather than none", () => {
    const words = [
      "bound",
      file("wide.onnx"),
      "--on",
      "0..1",
      "--method",
      "milp",
      "--time",
      "1",
      ...patience,
    ];
    expect(lemmata(...words, "--json")).toMatchObject({ status: 0, stderr: "", json: { complete: false } });
  });

  it("prints a table in which every number is proved, with Lipschitz bounds", () => {
    const { stdout } = lemmata(
      "bound",
      file("square.onnx"),
      "--on",
      "0..1",
      "--method",
      "interval",
      "--lipschitz",
    );
    expect(stdout).toMatch(/^y +-0\.125\d* +1\.59375\d* +proved$/m);
    expect(stdout).toMatch(/^exact +1\.875 +proved$/m);
    const { lipschitz } = lemmata("bound", file("square.onnx"), "--on", "0..1", "--lipschitz", "--json")
      .json as Printed;
    expect(lipschitz!.exact).toBe(1.875);
    expect(lipschitz!.norms.map((n) => n.norm)).toEqual(["1", "2", "infinity"]);
    for (const { global, local } of lipschitz!.norms) {
      expect(local).toBeGreaterThanOrEqual(1.875);
      expect(global).toBeGreaterThanOrEqual(local);
    }
  });

  it.each([
    [["square.onnx"], /say where: --on/],
    [["square.onnx", "--on", "1..0"], /1 is greater than 0/],
    [["square.onnx", "--on", "0..1", "--method", "guess"], /choose one of interval, linear, split/],
    [
      ["pole.onnx", "--on", "0..1"],
      /cannot read Div node ".*": it divides by a number between -0\.5 and 0\.5/,
    ],
    [["nan.onnx", "--on", "0..1"], /the weight ".*" holds NaN/],
    [["missing.onnx", "--on", "0..1"], /missing\.onnx/],
  ] as const)("says in one line what is wrong with %j", ([name, ...words], message) => {
    const { status, stdout, stderr } = lemmata("bound", file(name), ...words);
    expect(status).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});
