import { fork, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { splitBounds } from "@lemmata/core/bounds";
import { float32, graph, writeModel } from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";
import { describe, expect, it } from "vitest";
import { lemmata, temporaryFolder } from "./lemmata.ts";

const folder = temporaryFolder();
const file = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const difference = (factor: number) =>
  writeModel(graph({ X: float32(1, 2) }, ({ X }) => ({ y: X.matmul([[1], [-factor]]).abs() })));
const [f, g] = [file("f.onnx", difference(1)), file("g.onnx", difference(1.01))];
const box =
  "(declare-const X_0 Real) (declare-const X_1 Real) (declare-const Y_0 Real)\n" +
  "(assert (and (>= X_0 0) (<= X_0 1) (>= X_1 -1) (<= X_1 1)))\n";
const holds = file("holds.vnnlib", `${box}(assert (>= Y_0 2.1))`);
const violated = file("violated.vnnlib", `${box}(assert (>= Y_0 1.9))`);
const two = file(
  "two.vnnlib",
  `(vnnlib-version <2.0>)
(declare-network f (declare-input X_f real [2]) (declare-output Y_f real [1]))
(declare-network g (isomorphic-to f) (declare-input X_g real [2]) (declare-output Y_g real [1]))
(assert (and (>= X_f[0] 0) (<= X_f[0] 1))) (assert (and (>= X_f[1] -1) (<= X_f[1] 1)))
(assert (== X_f[0] X_g[0])) (assert (== X_f[1] X_g[1]))
(assert (and (> Y_g[0] (+ Y_f[0] 0.005)) (< Y_g[0] (- Y_f[0] 0.005))))`,
);

describe("lemmata verify", () => {
  it("unsat: the word alone on the first line, exit code 0", () => {
    const { status, stdout, stderr } = lemmata("verify", holds, "--network", f);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^unsat\n; proved, for the real function of the stored weights; [\d,]+ boxes/);
  });

  it("sat: the witness in VNN-LIB's way, exit code 1", () => {
    const { status, stdout } = lemmata("verify", violated, "--network", `f=${f}`, "--quiet");
    expect(status).toBe(1);
    const [, x0, x1, y] = /^sat\n\(\(X_0 (\S+)\)\n \(X_1 (\S+)\)\n \(Y_0 (\S+)\)\)\n$/
      .exec(stdout)!
      .map(Number);
    expect(y).toBe(Math.fround(Math.abs(x0! - x1!)));
    expect(y).toBeGreaterThanOrEqual(1.9);
  });

  it("files as competitions keep them, packed by gzip; one that is not gets a line", () => {
    const query = file("packed.vnnlib.gz", gzipSync(readFileSync(violated)));
    const network = file("packed.onnx.gz", gzipSync(difference(1)));
    expect(lemmata("verify", query, "--network", network, "--quiet").stdout).toMatch(/^sat\n/);
    const broken = file("broken.vnnlib.gz", "no gzip");
    for (const [path, net] of [
      [broken, network],
      [query, file("broken.onnx.gz", "no gzip")],
    ] as const) {
      const { status, stderr } = lemmata("verify", path, "--network", net);
      expect([status, stderr]).toEqual([2, expect.stringMatching(/broken\.[a-z]+\.gz.*gzip[^\n]*\n$/)]);
    }
  });

  it("--json", () => {
    const sat = lemmata("verify", violated, "--network", f, "--json").json;
    expect(sat).toMatchObject({
      verdict: "sat",
      strength: "checked",
      witness: [{ name: "X_0" }, { name: "X_1" }, { name: "Y_0" }],
    });
    expect(lemmata("verify", holds, "--network", f, "--json").json).toMatchObject({
      verdict: "unsat",
      strength: "proved",
    });
  });

  it("two networks, as written and with --or", () => {
    const words = ["verify", two, "--network", `f=${f}`, "--network", `g=${g}`, "--quiet"];
    expect(lemmata(...words)).toMatchObject({ status: 0, stdout: "unsat\n" });
    expect(lemmata(...words.slice(0, -1)).stdout).toMatch(/^unsat\n; trivially: /);
    const { status, stdout } = lemmata(...words, "--or");
    expect(status).toBe(1);
    expect(stdout).toMatch(/^sat\n\(\(X_f\[0\] /);
  });

  it.each([
    [[holds], "--network names the model"],
    [[holds, "--network", join(folder, "none.onnx")], "none.onnx"],
    [[holds, "--network", f, "--network", g], "several models need names"],
    [[two, "--network", `f=${f}`], "no model is given for network g"],
    [[f, "--network", f], "what can be verified ends in .vnnlib"],
    [[join(folder, "none.vnnlib"), "--network", f], "there is no such file"],
    [
      [file("bad.vnnlib", `${box}\n(assert (>= Y_1 0))`), "--network", f],
      'bad.vnnlib: line 4: "Y_1" is neither',
    ],
    [[holds, "--network", f, "--timeout", "0"], "--timeout takes a number of seconds above 0"],
  ])("bad input: %j", (words, message) => {
    const { status, stdout, stderr } = lemmata("verify", ...words);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  it("a crash of the runtime is one line and exit code 2", () => {
    const crash = file("crash.cjs", 'if (process.env.LEMMATA_GUARDED) process.kill(process.pid, "SIGSEGV");');
    const bin = fileURLToPath(new URL("../bin/lemmata.js", import.meta.url));
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["--require", crash, bin, "verify", violated, "--network", f],
      { encoding: "utf8" },
    );
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^lemmata: \S*violated\.vnnlib: .*crashed \(SIGSEGV\)\n$/);
  });

  it("unknown: the reason on the next line, and in --json; the search ends by itself", () => {
    const curved = writeModel(
      graph({ X: float32(1, 2) }, ({ X }) => ({
        y: X.matmul([[1], [-1]])
          .tanh()
          .pow(2),
      })),
    );
    const words = [
      "verify",
      file("touch.vnnlib", `${box}(assert (< Y_0 0))`),
      "--network",
      file("curved.onnx", curved),
    ];
    const { status, stdout, stderr } = lemmata(...words);
    expect([status, stderr]).toEqual([3, ""]);
    expect(stdout).toMatch(
      /^unknown\n; on \d+ small boxes .* no more than rounding.*\n; undecided; [\d,]+ boxes/,
    );
    expect(lemmata(...words, "--json").json).toMatchObject({
      verdict: "unknown",
      reason: expect.stringContaining("rounding"),
    });
  });

  const fixed = file("fixed.vnnlib", `${box}(assert (and (>= X_0 0.1) (<= X_0 0.1))) (assert (>= Y_0 0.05))`);

  it("an input fixed at a decimal that is no float32 is said at once, with the tolerance that it needs", () => {
    const { status, stdout, stderr } = lemmata("verify", fixed, "--network", f);
    expect(status).toBe(3);
    const said =
      /^the query fixes X_0 at 0\.1, which is no float32: no run can have it; --tolerance (\S+) accepts the nearest\n$/;
    const [, tolerance] = said.exec(stderr)!;
    expect(Number(tolerance)).toBeLessThan(2e-9);
    expect(stdout).toContain("; undecided; ");
    const allowed = lemmata("verify", fixed, "--network", f, "--tolerance", tolerance!);
    expect([allowed.status, allowed.stderr]).toEqual([1, ""]);
    expect(allowed.stdout).toContain(
      `by a run on ONNX Runtime, for inputs up to ${tolerance} beyond the query's bounds`,
    );
    const bad = lemmata("verify", fixed, "--network", f, "--tolerance", "-1");
    expect([bad.status, bad.stderr.split("\n").length]).toEqual([2, 2]);
  });

  it("the time that is printed is the user's: from the start of the process that watches", () => {
    const bin = fileURLToPath(new URL("../bin/lemmata.js", import.meta.url));
    const { stdout } = spawnSync(process.execPath, [bin, "verify", holds, "--network", f, "--json"], {
      encoding: "utf8",
      env: { ...process.env, LEMMATA_GUARDED: "1", LEMMATA_BEGAN: String(Date.now() - 1e6) },
    });
    expect(JSON.parse(stdout).seconds).toBeGreaterThan(1000);
  });

  it("draws its progress on the terminal of the process that watches it, and takes it away before it answers", async () => {
    const random = createRandom(1);
    const matrix = (rows: number, columns: number) =>
      Array.from({ length: rows }, () => Array.from(random.normal(columns), Math.fround));
    const hard = graph({ X: float32(1, 12) }, ({ X }) => ({
      y: X.matmul(matrix(12, 60)).relu().matmul(matrix(60, 60)).relu().matmul(matrix(60, 1)),
    }));
    const cube = { lower: new Array(12).fill(-1), upper: new Array(12).fill(1) };
    const { attained, upper } = await splitBounds(hard, cube, { seconds: 0.5 });
    // Above all that is easily found, below all that is easily excluded.
    const between = Math.round((attained.upper[0]! + upper[0]!) / 2);
    const names = Array.from({ length: 12 }, (_, i) => `X_${i}`);
    const query =
      [...names, "Y_0"].map((name) => `(declare-const ${name} Real)`).join("") +
      names.map((name) => `(assert (and (>= ${name} -1) (<= ${name} 1)))`).join("");
    const child = fork(
      fileURLToPath(new URL("../bin/lemmata.js", import.meta.url)),
      [
        "verify",
        file("hard.vnnlib", `${query}(assert (>= Y_0 ${between}))`),
        "--network",
        file("hard.onnx", writeModel(hard)),
        "--timeout",
        "2.5",
      ],
      { env: { ...process.env, LEMMATA_GUARDED: "terminal" }, silent: true },
    );
    const seen: string[] = [];
    child.on("message", (news: { readonly draw?: string; readonly answer?: boolean }) => {
      if (news.draw !== undefined) seen.push(news.draw);
      if (news.answer) child.send("drawn");
    });
    child.stdout!.on("data", (text) => seen.push(String(text)));
    await new Promise((resolve) => child.once("close", resolve));
    expect(seen[0]).toMatch(/^\rverify .* %.* boxes/);
    expect(seen.find((text) => !text.startsWith("\rverify"))).toBe("\r\x1b[K");
    // The answer itself is a matter of how fast the machine is; that it comes after the drawing is not.
    expect(seen.at(-1)).toMatch(/^(timed-out|unsat|sat|unknown)\n|^; /);
  }, 300_000);

  const models = new URL("../../../../shared/models/", import.meta.url).pathname;
  it.skipIf(!existsSync(models))("a property of a collision-avoidance network", () => {
    const network = `${models}ACASXU_run2a_2_3_batch_2000.onnx`;
    expect(lemmata("verify", `${models}prop_4.vnnlib`, "--network", network).stdout).toMatch(/^unsat\n/);
    expect(lemmata("verify", `${models}prop_2.vnnlib`, "--network", network).stdout).toMatch(/^sat\n/);
  });
});
