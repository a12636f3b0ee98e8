import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lemmata, temporaryFolder } from "./lemmata.ts";

const folder = temporaryFolder();
const file = (name: string, text?: string): string => {
  const path = join(folder, name);
  if (text !== undefined) writeFileSync(path, text);
  return path;
};
const adder = "s = a ^ b ^ c\ncarry = maj(a, b, c)\n";

const beaver = {
  start: "A",
  blank: "0",
  rules: ["A01RB", "A11LB", "B01LA", "B11RH"].map((rule) => [...rule]),
};

describe("lemmata compile --kernel", () => {
  it.each(["shallow", "free", "0", "1"])("%s: writes a stochastic network that verify confirms", (depth) => {
    const [net, certificate] = [file(`k${depth}.onnx`), file(`k${depth}.json`)];
    const table = file("table.csv", "0.1,0.2,0.3,0.4\n0.25,0.25,0.5,0\n");
    const found = lemmata(
      ...[
        "compile",
        "--kernel",
        table,
        "--eps",
        "1e-3",
        "--depth",
        depth,
        "--out",
        net,
        "--certificate",
        certificate,
        "--json",
      ],
    ).json as { certifiedError: number; exactError: number; layers: number };
    expect(found).toMatchObject({ inputs: 1, outputs: 2 });
    expect(found.certifiedError).toBeLessThanOrEqual(1e-3);
    expect(found.exactError).toBeLessThanOrEqual(found.certifiedError);
    const verified = lemmata("verify", net, certificate);
    expect(verified.stdout).toMatch(/^verified: total variation <= /);
    const forged = readFileSync(certificate, "utf8").replace("[0.1,0.2,", "[0.2,0.1,");
    const refuted = lemmata("verify", net, file("forged.json", forged));
    expect([refuted.status, refuted.stdout.slice(0, 8)]).toEqual([1, "refuted:"]);
  });
});

describe("lemmata compile --machine", () => {
  it("writes a network of a layer a step, and one that is a loop", () => {
    const machine = file("beaver.json", JSON.stringify(beaver));
    const found = lemmata("compile", "--machine", machine, "--steps", "6", "--out", file("b.onnx"), "--json")
      .json as object;
    expect(found).toMatchObject({
      steps: 6,
      cells: 13,
      depth: 6,
      fanIn: 3,
      blank: { halted: true, steps: 6, state: "H" },
    });
    const loop = lemmata(
      "compile",
      "--machine",
      machine,
      "--steps",
      "6",
      "--recurrent",
      "--out",
      file("l.onnx"),
    );
    expect(loop.stdout).toMatch(/halts after 6 steps in state H/);
    expect(loop.status).toBe(0);
  });

  it.each([
    ["after 6 steps", "steps", []],
    ["after any number of steps", "loop", ["--recurrent"]],
  ] as const)(
    "writes a certificate that verify confirms %s, and that another rule refutes",
    (after, name, more) => {
      const [net, certificate] = [file(`${name}.onnx`), file(`${name}.json`)];
      const machine = file("beaver.json", JSON.stringify(beaver));
      const words = ["--steps", "6", ...more, "--out", net, "--certificate", certificate, "--json"];
      expect(lemmata("compile", "--machine", machine, ...words).json).toMatchObject({ certifiedError: 0 });
      const { stdout, status } = lemmata("verify", net, certificate);
      expect([stdout.split("\n")[0], status]).toEqual([
        `verified: the network is the machine ${after}, on every tape of 13 cells (proved)`,
        0,
      ]);
      const read = JSON.parse(readFileSync(certificate, "utf8")) as { rules: number[][] };
      read.rules[1]![2] = 0;
      const refuted = lemmata("verify", net, file("forged.json", JSON.stringify(read)));
      expect([refuted.status, refuted.stdout.slice(0, 14)]).toEqual([1, "refuted: cell "]);
    },
  );
});

describe("lemmata compile --circuit", () => {
  it("writes a network with a certificate that verify confirms, and that a change refutes", () => {
    const [net, certificate] = [file("net.onnx"), file("c.json")];
    const found = lemmata(
      ...[
        "compile",
        "--circuit",
        file("adder.txt", adder),
        "--out",
        net,
        "--certificate",
        certificate,
        "--json",
      ],
    ).json as Record<string, unknown>;
    expect(found).toMatchObject({
      inputs: ["a", "b", "c"],
      outputs: ["s", "carry"],
      ...{ gates: 2, units: 3, depth: 1, certifiedError: 0 },
      equality: { inputs: 8, exhaustive: true },
    });
    const verified = lemmata("verify", net, certificate);
    expect(verified.status).toBe(0);
    expect(verified.stdout).toMatch(/^verified: the network is the circuit on all 2\^3 inputs \(proved\)/);
    const forged = readFileSync(certificate, "utf8").replace('"on":[0,1,0,1]', '"on":[0,1,1,1]');
    const refuted = lemmata("verify", net, file("forged.json", forged));
    expect(refuted.status).toBe(1);
    expect(refuted.stdout).toMatch(/^refuted: node 4 at /);
    writeFileSync(file("x.csv"), "1,1,0\n1,1,1\n");
    expect(lemmata("run", net, "--input", file("x.csv")).stdout).toContain("0, 1, 1, 1");
  });

  it("proves thresholds too, and lists the shapes of a table of probabilities", () => {
    const [net, certificate] = [file("steps.onnx"), file("steps.json")];
    const words = ["--units", "threshold", "--out", net, "--certificate", certificate, "--quiet"];
    lemmata("compile", "--circuit", file("adder.txt", adder), ...words);
    expect(lemmata("verify", net, certificate).stdout).toMatch(
      /^verified: the network is the circuit on all 2\^3/,
    );
    const table = file("table.csv", "0.1,0.2,0.3,0.4\n0.25,0.25,0.5,0\n");
    const { stdout } = lemmata("compile", "--kernel", table, "--eps", "1e-3", "--explain");
    expect(stdout).toMatch(/--depth +layers +widest +units/);
    expect(stdout).toMatch(/^shallow +2 +3 +5 /m);
  });

  it("makes thresholds, and shows the spectrum", () => {
    const { stdout } = lemmata(
      "compile",
      "--circuit",
      file("t.tt", "y: 01101001\n"),
      "--units",
      "threshold",
      "--explain",
    );
    expect(stdout).toMatch(/5 thresholds in 2 hidden layers/);
    expect(stdout).toMatch(/y +4 +3 +1 +3/);
  });

  it.each([
    [
      ["--circuit", file("cycle.txt", "a = b\nb = a\n")],
      /cycle\.txt: line 1: the circuit is cyclic: a reads b reads a/,
    ],
    [["--circuit", file("none.v", "")], /none\.v: the name of a circuit's file ends in \.aag/],
    [["--circuit", join(folder, "missing.blif")], /cannot read .*missing\.blif: there is no such file/],
    [["--circuit", file("adder.txt", adder), "--eps", "1"], /--eps is for a formula and --kernel/],
    [["--circuit", file("adder.txt", adder), "--units", "tanh"], /--units is relu or threshold, not tanh/],
    [["x", "--circuit", file("adder.txt", adder)], /formula and --circuit: one of them, not both/],
    [["x", "--on", "0..1", "--eps", "1", "--steps", "3"], /--steps is for --machine/],
    [
      ["--kernel", file("bad.csv", "0.5,0.5\n0.5,0.4\n"), "--eps", "0.01"],
      /bad\.csv: row 2 sums to 0\.9, not to 1/,
    ],
    [
      ["--kernel", file("neg.csv", "1.5,-0.5\n1,0\n"), "--eps", "0.01"],
      /neg\.csv: row 1, column 2: -0\.5 is no probability/,
    ],
    [
      ["--kernel", file("k.csv", "1,0\n0,1\n"), "--eps", "0.01", "--depth", "2"],
      /k\.csv: the shape of a deep network is 0 \.\.\. 1, not 2/,
    ],
    [["--kernel", file("k.csv", "1,0\n0,1\n")], /say how accurate: --eps 1e-3/],
    [["--machine", file("m.json", "{}")], /say how long: --steps 107/],
    [
      [
        "--machine",
        file("two.json", JSON.stringify({ ...beaver, rules: [...beaver.rules, ["A", "0", "0", "L", "A"]] })),
        "--steps",
        "3",
      ],
      /two\.json: rules\.4: the machine is not deterministic: rules\.0 is for state A and symbol 0 too/,
    ],
    [
      ["--machine", file("b.json", JSON.stringify(beaver)), "--steps", "6", "--cells", "2"],
      /the head leaves the tape of 2 cells in step 1/,
    ],
    [[], /say what to compile/],
  ])("%j is refused in one line", (words, line) => {
    const { status, stdout, stderr } = lemmata("compile", ...words);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(line);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});
