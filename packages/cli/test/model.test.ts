import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { decodeData, encodeData } from "@lemmata/core/data";
import { float32, graph, tensor, writeModel } from "@lemmata/core/graph";
import { describe, expect, it } from "vitest";
import { lemmata, temporaryFolder } from "./lemmata.ts";

const folder = temporaryFolder();
const file = (name: string, content: Uint8Array | string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const affine = graph({ x: float32("N", 2) }, ({ x }) => ({
  y: x
    .affine(
      [
        [1, 2],
        [0, 3],
        [1, 1],
      ],
      [0, 1, 0],
    )
    .relu()
    .affine([[1, 1, 0]]),
}));
const net = file("net.onnx", writeModel(affine));
const acas = new URL("../../../../shared/models/ACASXU_run2a_1_1_batch_2000.onnx", import.meta.url).pathname;
if (!existsSync(acas)) console.warn("tests on ../shared/models left out: no such folder");

describe("lemmata info", () => {
  it("prints the contract's fields", () => {
    expect(lemmata("info", net, "--json").json).toEqual({
      inputs: [{ name: "x", type: "float32", shape: ["N", 2] }],
      outputs: [{ name: "y", type: "float32", shape: ["N", 1] }],
      opset: 20,
      operators: { Gemm: 2, Relu: 1 },
      parameters: 12,
      nonzeros: 8,
      hiddenUnits: 3,
      depth: 1,
      widths: [3],
    });
    expect(lemmata("info", net).stdout).toMatch(/hidden units +3\n/);
  });

  it.skipIf(!existsSync(acas))("knows the size of ACASXU: six layers of fifty", () => {
    expect(lemmata("info", acas, "--json").json).toMatchObject({
      hiddenUnits: 300,
      depth: 6,
      widths: Array(6).fill(50),
    });
  });
});

describe("lemmata run", () => {
  const outputs = (...words: string[]) =>
    (lemmata("run", ...words, "--json").json as { outputs: Record<string, object> }).outputs;

  it.each([".npy", ".npz", ".csv", ".json"])("reads x%s, converting its numbers", (ending) => {
    const key = ending === ".npz" || ending === ".json" ? "x" : "";
    const x = file(
      `x${ending}`,
      encodeData(`x${ending}`, {
        [key]: tensor([
          [1, 1],
          [0, -5],
        ]),
      }),
    );
    expect(outputs(net, "--input", x)["y"]).toEqual({ shape: [2, 1], type: "float32", data: [7, 0] });
  });

  it("completes a shape where only one completion is possible", () => {
    const x = file("flat.npy", encodeData("flat.npy", { "": tensor([1, 1]) }));
    expect(outputs(net, "--input", `x=${x}`)["y"]).toMatchObject({ shape: [1, 1], data: [7] });
  });

  it("writes the outputs", () => {
    const [x, out] = [file("a.json", "[[1, 1]]"), join(folder, "y.npz")];
    expect(lemmata("run", net, "--input", x, "--out", out).status).toBe(0);
    expect(decodeData(readFileSync(out), "y.npz")["y"]).toMatchObject({
      dims: [1, 1],
      data: new Float32Array([7]),
    });
  });

  it("has the same random inputs for the same seed", () => {
    expect(outputs(net, "--random", "--seed", "4")).toEqual(outputs(net, "--random", "--seed", "4"));
    expect(outputs(net, "--random", "--seed", "4")).not.toEqual(outputs(net, "--random", "--seed", "5"));
  });

  const bad = file("bad.onnx", "this is not a model");
  const wide = file("wide.json", "[[1, 2, 3]]");
  const nan = file("typo.csv", "1,2\n3,four\n");
  it.each([
    [["info", join(folder, "none.onnx")], /none\.onnx.*no such file/],
    [["info", folder], /folder/],
    [["info", bad], /bad\.onnx/],
    [["run", net], /give data for "x" float32 \[N, 2\] with --input/],
    [["run", net, "--input", wide], /wide\.json has shape \[1, 3\], but input "x" is \[N, 2\]/],
    [["run", net, "--input", nan], /typo\.csv.*line 2/],
    [["run", net, "--input", "z=a.npy"], /no such file|no input "z"/],
    [
      ["run", net, "--input", file("one.json", "[[1, 2]]"), "--input", file("two.json", "[[3, 4]]")],
      /input "x" is given twice/,
    ],
    [["info", net, "extra"], /too many arguments/],
    [["run", net, "--random", "--threads", "none"], /threads is an integer/],
    [["run", net, "--random", "--memory", "-1"], /--memory/],
    [["run", net, "--random", "--out", join(folder, "y.png")], /\.png/],
  ])("%j is one clear line and exit code 2", (words, line) => {
    const { status, stdout, stderr } = lemmata(...words);
    expect(stderr).toMatch(line);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^lemmata: [^\n]+\n$/);
  });
});

describe("lemmata --help", () => {
  it.each([[[]], [["info"]], [["run"]], [["theory"]], [["theory", "run"]], [["theory", "falsify"]]])(
    "%j",
    (words) => {
      const { status, stdout, stderr } = lemmata(...words, "--help");
      expect([status, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(/^Usage: lemmata/);
      if (words.length > 0 && words[0] !== "theory") expect(stdout).toContain("Example");
    },
  );
});
