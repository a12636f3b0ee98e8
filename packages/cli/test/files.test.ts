// What is no file, or not the file it should be; and where the output goes.
import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { float32, graph, tensor, writeModel } from "@lemmata/core/graph";
import { describe, expect, it } from "vitest";
import { encodeModel, node } from "./fuzz/proto.ts";
import { hostileModels } from "./hostile/index.ts";
import { FLOAT, floats, model } from "./hostile/model.ts";
import { lemmata, temporaryFolder } from "./lemmata.ts";

const bin = fileURLToPath(new URL("../bin/lemmata.js", import.meta.url));
const folder = temporaryFolder();
const file = (name: string, content: Uint8Array | string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const net = file("net.onnx", writeModel(graph({ x: float32("N", 2) }, ({ x }) => ({ y: x.relu() }))));
const pipe = join(folder, "pipe");
execFileSync("mkfifo", [pipe]);

/** One line and exit code 2. */
function refusal(...words: string[]): string {
  const { status, stdout, stderr } = lemmata(...words);
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^lemmata: [^\n]+\n$/);
  return stderr;
}

describe("pipes and devices are refused", () => {
  it.each([
    ["as a model", ["info", pipe]],
    ["as data", ["run", net, "--input", pipe]],
    ["as a device of data", ["run", net, "--input", "/dev/zero"]],
    ["as training data", ["train", net, "--data", `${pipe}.csv`]],
    ["as a query", ["verify", `${pipe}.vnnlib`, "--network", net]],
    ["as a certificate", ["verify", net, pipe]],
  ])("%s", (_, words) => {
    for (const word of words) if (word.startsWith(`${pipe}.`)) execFileSync("mkfifo", [word]);
    expect(refusal(...words)).toMatch(/not a file/);
  });

  it("as external data", () => {
    mkdirSync(join(folder, "external"));
    execFileSync("mkfifo", [join(folder, "external/w.bin")]);
    const weight = {
      name: "w",
      dataType: FLOAT,
      dims: [2],
      dataLocation: 1,
      externalData: [{ key: "location", value: "w.bin" }],
    };
    const path = file(
      "external/net.onnx",
      encodeModel(model({ nodes: [node("Add", ["x", "w"], ["y"])], weights: [weight] })),
    );
    expect(refusal("info", path)).toMatch(/external data "w.bin" is not a file/);
  });
});

it("external data in the body of a function is not read from anywhere", () => {
  const path = file("function.onnx", hostileModels["external data in a function"]!["net.onnx"]!);
  file("w.bin", new Uint8Array(new Float32Array([41, 42]).buffer));
  const words = [bin, "run", path, "--random"];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: "utf8" });
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(
    /the body of a function keeps a tensor in the file "w.bin": external data of functions is refused/,
  );
});

describe("packed data", () => {
  const idx = (dims: readonly number[], count: number): string => {
    const bytes = new Uint8Array(4 + 4 * dims.length + count);
    bytes.set([0, 0, 8, dims.length]);
    for (const [k, d] of dims.entries()) new DataView(bytes.buffer).setUint32(4 + 4 * k, d);
    return file(`${dims.join("x")}-ubyte.gz`, gzipSync(bytes));
  };

  it("whose shape is not their size is refused before it is unpacked", () => {
    expect(refusal("run", net, "--input", idx([7, 2], 3e7))).toMatch(
      /shape \[7, 2\] of uint8 needs 14 bytes/,
    );
  });

  it("that the model does not take is refused before it is converted", () => {
    expect(refusal("run", net, "--input", idx([3e7, 1], 3e7), "--memory", "0.2")).toMatch(
      /has shape \[30000000, 1\], but input "x" is \[N, 2\]/,
    );
  });
});

describe("sums inside of sums are written out to a limit", () => {
  const bomb = "sum(i,1,99999,sum(j,1,99999,x))";
  const limit = /written out, the formula has more than 2000000 parts/;

  it("by compile", () => {
    expect(refusal("compile", bomb, "--on", "0..1", "--eps", "0.1")).toMatch(limit);
  });

  it("by verify", () => {
    const [square, certificate] = [join(folder, "square.onnx"), join(folder, "square.json")];
    const made = ["--on", "0..1", "--eps", "0.1", "--out", square, "--certificate", certificate];
    expect(lemmata("compile", "x^2", ...made).status).toBe(0);
    const text = readFileSync(certificate, "utf8");
    expect(text).toContain('"x^2"');
    writeFileSync(certificate, text.replaceAll('"x^2"', JSON.stringify(bomb)));
    const { status, stdout, stderr } = lemmata("verify", square, certificate);
    expect(status).not.toBe(0);
    expect(stdout + stderr).toMatch(limit);
  });
});

describe("the output", () => {
  it.skipIf(!existsSync("/dev/full"))("on a full disk: one line and exit code 2", () => {
    const full = openSync("/dev/full", "w");
    const { status, stderr } = spawnSync(process.execPath, [bin, "info", net], {
      stdio: ["ignore", full, "pipe"],
      encoding: "utf8",
    });
    closeSync(full);
    expect([status, stderr]).toEqual([2, "lemmata: the output cannot be written: the disk is full\n"]);
  });

  it("that nobody reads: one line and exit code 2", () => {
    const script = `"${process.execPath}" "${bin}" theory list; echo "code $?" >&2`;
    const { stderr } = spawnSync("bash", ["-c", `{ ${script}; } | true`], { encoding: "utf8" });
    expect(stderr).toBe("lemmata: the output cannot be written: nobody reads it\ncode 2\n");
  });
});

describe("train", () => {
  const moons = ["--data", "two-moons", "--count", "40", "--loss", "cross-entropy"];

  it("writes nothing where a weight is no number", () => {
    const [out, log] = [join(folder, "out.onnx"), join(folder, "log.csv")];
    const weights = [floats("w", [2, 2], [1, 2, Number.NaN, 4])];
    const path = file(
      "nan.onnx",
      encodeModel(model({ nodes: [node("MatMul", ["x", "w"], ["y"])], weights, input: [-1, 2] })),
    );
    const trainable = file(
      "nan-net.onnx",
      writeModel(
        graph({ x: float32("N", 2) }, ({ x }) => ({
          y: x.matmul(
            tensor(
              [
                [1, Number.NaN],
                [2, 3],
              ],
              { type: "float32" },
            ),
          ),
        })),
      ),
    );
    refusal("train", path, ...moons, "--out", out, "--log", log);
    expect(refusal("train", trainable, ...moons, "--steps", "3", "--out", out, "--log", log)).toMatch(
      /not finite/,
    );
    expect([existsSync(out), existsSync(log)]).toEqual([false, false]);
  });

  it("logs the same on a slow machine", () => {
    const log = (name: string, ...slow: string[]): string => {
      const path = join(folder, name);
      const words = ["train", "2-3-relu-2", ...moons, "--epochs", "500", "--batch", "full", "--log", path];
      expect(spawnSync(process.execPath, [...slow, bin, ...words, "--quiet"]).status).toBe(0);
      return readFileSync(path, "utf8");
    };
    // A clock on which every look takes long: chunks of steps are as short as they can be.
    const clock = file("clock.cjs", "let t = 0; performance.now = () => (t += 5000);");
    const usual = log("usual.csv");
    expect(
      usual
        .trim()
        .split("\n")
        .filter((row) => !row.endsWith(",,")).length,
    ).toBeGreaterThan(100);
    expect(log("slow.csv", "--require", clock)).toBe(usual);
  });
});
