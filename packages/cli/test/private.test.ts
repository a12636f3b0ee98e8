// Nothing leaves the machine, and nothing stays on it: no command makes a file that was not asked for, or a connection.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeNpy } from "@lemmata/core/data";
import { float32, graph, tensor, writeModel } from "@lemmata/core/graph";
import { afterAll, describe, expect, it } from "vitest";
import { createProgram } from "../src/program.ts";

const bin = fileURLToPath(new URL("../bin/lemmata.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "lemmata-private-"));
afterAll(() => rmSync(folder, { recursive: true }));

const hasTracer = spawnSync("strace", ["-f", "-e", "trace=connect", "true"]).status === 0;
if (!hasTracer) console.warn("There is no strace here: that no connection is tried is not tested.");

const weights = tensor(
  [
    [1, -2],
    [0.5, 1],
    [-1, 0.25],
  ],
  { type: "float32" },
);
const back = tensor(
  [
    [1, -1, 2],
    [0, 1, 1],
  ],
  { type: "float32" },
);
writeFileSync(
  join(folder, "net.onnx"),
  writeModel(graph({ x: float32("N", 2) }, ({ x }) => ({ y: x.affine(weights).relu().affine(back) }))),
);
writeFileSync(
  join(folder, "query.vnnlib"),
  "(declare-const X_0 Real)(declare-const X_1 Real)(declare-const Y_0 Real)(declare-const Y_1 Real)" +
    "(assert (>= X_0 0))(assert (<= X_0 1))(assert (>= X_1 0))(assert (<= X_1 1))(assert (>= Y_0 100))",
);

writeFileSync(
  join(folder, "x.npy"),
  writeNpy(tensor(Float64Array.from({ length: 64 }, (_, k) => Math.sin(k)))),
);
writeFileSync(
  join(folder, "d.npy"),
  writeNpy(
    tensor(
      Float64Array.from({ length: 640 }, (_, k) => Math.cos(k * k)),
      { dims: [64, 10] },
    ),
  ),
);
writeFileSync(join(folder, "xor.txt"), "xor(a, b)\n");

/** Every command, in an order in which files are there before they are read. */
const commands: Readonly<Record<string, readonly string[]>> = {
  info: ["info", "net.onnx", "--canonical"],
  run: ["run", "net.onnx", "--random", "--out", "y.npz"],
  regions: ["regions", "net.onnx", "--on", "0..1", "--svg", "r.svg"],
  "bound by lines": ["bound", "net.onnx", "--on", "0..1", "--lipschitz"],
  "bound by MILP": ["bound", "net.onnx", "--on", "0..1", "--method", "milp"],
  "verify a query": ["verify", "query.vnnlib", "--network", "net.onnx"],
  compile: [
    "compile",
    "x^2",
    "--on",
    "0..1",
    "--eps",
    "0.01",
    "--out",
    "square.onnx",
    "--certificate",
    "c.json",
  ],
  "verify a certificate": ["verify", "square.onnx", "c.json"],
  compare: ["compare", "net.onnx", "net.onnx", "--on", "0..1"],
  simplify: ["simplify", "net.onnx", "--on", "0..1", "--out", "small.onnx"],
  align: ["align", "net.onnx", "net.onnx", "--data", "two-moons", "--out", "aligned.onnx"],
  gradient: ["gradient", "net.onnx", "--out", "gradient.onnx"],
  train: [
    "train",
    "net.onnx",
    "--data",
    "two-moons",
    "--loss",
    "cross-entropy",
    "--steps",
    "5",
    "--out",
    "trained.onnx",
  ],
  audit: [
    "audit",
    "net.onnx",
    "--data",
    "two-moons",
    "--count",
    "50",
    "--no-pac-bayes",
    "--html",
    "report.html",
  ],
  "sweep in threads": ["sweep", "T-27", "--grid", "i=1,2", "--out", "t.csv", "--quiet"],
  "sweep in processes, with DuckDB": [
    ...["sweep", "compare", "--out", "t.parquet", "--sql", "select 1 from results", "--json"],
    ...["--", "net.onnx", "net.onnx", "--on", "0..1"],
  ],
  explain: ["explain", "net.onnx", "--random", "--out", "relevance.npy"],
  kernel: ["kernel", "2-8-relu-2", "--data", "two-moons", "--count", "20", "--out", "k.npz"],
  "kernel of the weights": [
    "kernel",
    "net.onnx",
    "--data",
    "two-moons",
    "--count",
    "20",
    "--kind",
    "empirical",
  ],
  landscape: ["landscape", "net.onnx", "--data", "two-moons", "--count", "20", "--loss", "cross-entropy"],
  scatter: ["scatter", "x.npy", "--dimension", "1", "--scale", "3", "--out", "s.npz", "--graph", "s.onnx"],
  pursue: [
    "pursue",
    "x.npy",
    "--dictionary",
    "d.npy",
    "--lambda",
    "0.1",
    "--out",
    "codes.npz",
    "--graph",
    "u.onnx",
  ],
  recover: [
    ...["recover", "x.npy", "--measure", "--operator", "pixels:keep=0.5", "--prior", "tv"],
    ...["--out", "r.npy", "--measurements", "y.npy"],
  ],
  "compile a circuit": ["compile", "--circuit", "xor.txt", "--out", "xor.onnx", "--certificate", "xor.json"],
  "theory run": ["theory", "run", "T-27", "--out", "t.onnx", "--svg", "t.svg"],
  "theory list": ["theory", "list", "squaring"],
  "theory show": ["theory", "show", "T-27"],
  "theory falsify": ["theory", "falsify", "T-27", "--trials", "3", "--workers", "2", "--quiet"],
  "theory errata": ["theory", "errata", "T-27"],
  supports: ["supports", "--vnnlib-versions"],
  completion: ["completion", "bash"],
};

/** These serve until they are ended: tests of their own look after them. */
const servers = new Set(["lab", "worker"]);

it("every command is tried", () => {
  const program = createProgram();
  const names = program.commands.flatMap((c) =>
    c.commands.length > 0 ? c.commands.map((sub) => `${c.name()} ${sub.name()}`) : [c.name()],
  );
  const tried = Object.values(commands).flatMap((words) => [words[0]!, words.slice(0, 2).join(" ")]);
  expect(names.filter((name) => !tried.includes(name) && !servers.has(name))).toEqual([]);
});

/** Connections to other machines, and files made outside of the working folder. */
const forbidden = /^(?!.*(ENOENT|EACCES)).*(connect\(.*AF_INET|open(at)?\(.*O_CREAT)/;

describe("no file and no connection that was not asked for", () => {
  it.each(Object.entries(commands))("%s", (name, words) => {
    const empty = mkdtempSync(join(tmpdir(), "lemmata-empty-"));
    const [home, temporary] = [join(empty, "home"), join(empty, "tmp")];
    for (const each of [home, temporary]) mkdirSync(each);
    const trace = join(folder, "trace.txt");
    const tracer = ["strace", "-f", "-qq", "-e", "trace=connect,open,openat,creat", "-o", trace];
    const [program, ...rest] = [...(hasTracer ? tracer : []), process.execPath, bin, ...words];
    const { ORT_DISABLE_TELEMETRY: _, ...inherited } = process.env;
    const { status, stderr } = spawnSync(program!, rest, {
      cwd: folder,
      encoding: "utf8",
      env: { ...inherited, HOME: home, XDG_CACHE_HOME: join(home, ".cache"), TMPDIR: temporary },
    });
    const left = readdirSync(empty, { recursive: true }).sort();
    rmSync(empty, { recursive: true });
    expect({ name, status, stderr }).toEqual({ name, status: 0, stderr: "" });
    expect(left).toEqual(["home", "tmp"]);
    if (!hasTracer) return;
    // What is asked for is written into the working folder, by a relative name.
    const calls = readFileSync(trace, "utf8").split("\n");
    const foreign = calls.filter(
      (line) => forbidden.test(line) && !/AT_FDCWD, "[^/]|\/dev\/(null|tty)/.test(line),
    );
    expect(foreign).toEqual([]);
  });
});

/** What a script prints that loads the runtime, with this value of the switch in its environment. */
function loading(script: string, value?: string): string {
  const { ORT_DISABLE_TELEMETRY: _, ...inherited } = process.env;
  const words = ["--import", "tsx", "--conditions=lemmata-source", "--input-type=module", "-e", script];
  const cwd = fileURLToPath(new URL("../../core/", import.meta.url));
  const env = { ...inherited, HOME: folder, TMPDIR: folder, ...(value && { ORT_DISABLE_TELEMETRY: value }) };
  return spawnSync(process.execPath, words, { cwd, env, encoding: "utf8" }).stdout.trim();
}

it("a user who has set the switch of the telemetry himself is left alone", () => {
  const script = `import { loadRuntime } from "#runtime"; await loadRuntime(); console.log(process.env.ORT_DISABLE_TELEMETRY)`;
  expect([loading(script), loading(script, "2")]).toEqual(["1", "2"]);
});

it("in Bun, whose native code does not see what is set later, the switch is asked for", () => {
  const script = `import { loadRuntime } from "#runtime";
Object.defineProperty(process, "versions", { value: { ...process.versions, bun: "1.4.4" } });
console.log(await loadRuntime().then(() => "loaded", (error) => error.message))`;
  expect(loading(script)).toContain(
    "in Bun the telemetry of ONNX Runtime cannot be turned off: set ORT_DISABLE_TELEMETRY=1",
  );
  expect(loading(script, "1")).toBe("loaded");
});
