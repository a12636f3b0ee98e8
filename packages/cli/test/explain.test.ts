import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readNpy, writeNpy } from "@lemmata/core/data";
import { run } from "@lemmata/core/engine";
import { float32, graph, int64, numbers, readModel, tensor, writeModel } from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";
import { decode, encode } from "fast-png";
import { describe, expect, it } from "vitest";
import { lemmata, temporaryFolder } from "./lemmata.ts";

const folder = temporaryFolder();
const file = (name: string): string => join(folder, name);
const random = createRandom("explain");
const weights = (rows: number, columns: number) =>
  Array.from({ length: rows }, () => [...random.normal(columns)]);

/** A convolution, Relu, mean, and three classes with a softmax behind them. */
const net = graph({ x: float32("N", 1, 8, 8) }, ({ x }) => {
  const kernel = tensor(random.normal(4 * 9), { type: "float32", dims: [4, 1, 3, 3] });
  const bias = tensor([0.1, -0.2, 0.3, 0], { type: "float32" });
  const maps = x
    .op("Conv", [kernel, bias])
    .relu()
    .op("MaxPool", [], { kernel_shape: [2, 2], strides: [2, 2] });
  return { p: maps.op("Flatten").affine(weights(3, 36), [0.5, 0, -0.5]).op("Softmax") };
});
const model = file("net.onnx");
writeFileSync(model, writeModel(net));
const image = new Uint8Array(64).map((_, k) => (k * 37) % 256);
writeFileSync(file("x.png"), encode({ width: 8, height: 8, data: image, channels: 1, depth: 8 }));
writeFileSync(
  file("small.png"),
  encode({ width: 4, height: 4, data: image.slice(0, 16), channels: 1, depth: 8 }),
);
const broken = encode({ width: 8, height: 8, data: image, channels: 1, depth: 8 });
broken[broken.length - 20]! ^= 255;
writeFileSync(file("broken.png"), broken);
const interlaced = encode({ width: 8, height: 8, data: image.slice(0, 8), channels: 1, depth: 1 });
interlaced[28] = 1;
writeFileSync(file("interlaced.png"), interlaced);
const bad = new Float32Array(64);
bad[5] = Number.NaN;
writeFileSync(file("nan.npy"), writeNpy(tensor(bad, { type: "float32", dims: [1, 1, 8, 8] })));
writeFileSync(
  file("none.npy"),
  writeNpy(tensor(new Float32Array(0), { type: "float32", dims: [0, 1, 8, 8] })),
);
const batch = tensor(random.normal(2 * 64), { type: "float32", dims: [2, 1, 8, 8] });
writeFileSync(file("batch.npy"), writeNpy(batch));

interface Found {
  readonly method: string;
  readonly composite: string;
  readonly target: number | string | readonly number[];
  readonly score: number | readonly number[];
  readonly relevanceSum: number;
  readonly conservationError: number;
  readonly ledger: readonly Readonly<
    Record<"in" | "out" | "bias" | "absorbed", number> & { node: string; rule: string }
  >[];
  readonly shape: readonly number[];
  readonly notes: readonly string[];
}
const found = (...words: string[]): Found => lemmata("explain", model, ...words, "--json").json;

describe("lemmata explain", () => {
  it("explains an image before the softmax, with books that add up", () => {
    const { score, relevanceSum, conservationError, ledger, notes, shape, target } = found(
      ...["--input", file("x.png")],
    );
    expect(notes.join()).toContain("ends in Softmax");
    expect(shape).toEqual([1, 1, 8, 8]);
    expect([0, 1, 2]).toContain(target);
    expect(conservationError).toBeLessThan(1e-9);
    const taken = ledger.reduce((sum, { bias, absorbed }) => sum + bias + absorbed, 0);
    expect(relevanceSum + taken).toBeCloseTo(score as number, 9);
    for (const row of ledger) expect(row.in - row.out - row.bias - row.absorbed).toBeCloseTo(0, 9);
  });

  it("writes relevance, a graph that computes it, and pictures", async () => {
    const words = ["--input", file("batch.npy"), "--composite", "epsilon-plus", "--target", "1"];
    const files = { out: file("r.npy"), graph: file("r.onnx"), png: file("r.png"), svg: file("r.svg") };
    const { score } = found(...words, ...Object.entries(files).flatMap(([k, path]) => [`--${k}`, path]));
    expect(score).toHaveLength(2);
    const relevance = Array.from(numbers(readNpy(readFileSync(files.out))));
    const results = await run(readModel(readFileSync(files.graph)), { x: batch });
    const again = Array.from(numbers(results["relevance_x"]!));
    relevance.forEach((v, k) => {
      expect(again[k]).toBeCloseTo(v, 4);
    });
    const { width, height } = decode(readFileSync(files.png));
    expect([width / height]).toEqual([17 / 8]);
    expect(readFileSync(files.svg, "utf8")).toContain("<rect");
  });

  it("one rule everywhere, and others by a file", () => {
    expect(found("--input", file("x.png"), "--composite", "uniform(gamma=0.25)").composite).toBe(
      "uniform(gamma=0.25)",
    );
    writeFileSync(
      file("own.json"),
      JSON.stringify({
        name: "mine",
        rules: [
          { at: "first", rule: "w-square" },
          { at: "layer", rule: "zero" },
        ],
      }),
    );
    const { composite, ledger } = found("--input", file("x.png"), "--composite", file("own.json"));
    expect(composite).toBe("mine");
    expect(ledger.map(({ rule }) => rule)).toContain("w-square");
  });

  it("the graph that is written has the box that was seen", async () => {
    const words = ["--input", file("batch.npy"), "--composite", "epsilon-gamma-box", "--target", "1"];
    found(...words, "--out", file("box.npy"), "--graph", file("box.onnx"));
    const relevance = Array.from(numbers(readNpy(readFileSync(file("box.npy")))));
    const results = await run(readModel(readFileSync(file("box.onnx"))), { x: batch });
    const again = Array.from(numbers(results["relevance_x"]!));
    relevance.forEach((v, k) => {
      expect(again[k]).toBeCloseTo(v, 4);
    });
  });

  it("nothing is written where not all of it can be", () => {
    const words = ["--input", file("x.png"), "--method", "gradient"];
    const answer = lemmata(
      "explain",
      model,
      ...words,
      "--out",
      file("half.npy"),
      "--graph",
      file("half.onnx"),
    );
    expect(answer.status).toBe(2);
    expect(answer.stderr).toContain("--graph is for --method lrp");
    expect(existsSync(file("half.npy"))).toBe(false);
  });

  it("reads images with less than a byte a pixel", () => {
    const bits = Uint8Array.from({ length: 8 }, (_, r) => (r * 73 + 41) % 256);
    writeFileSync(file("bits.png"), encode({ width: 8, height: 8, data: bits, channels: 1, depth: 1 }));
    const bytes = Uint8Array.from({ length: 64 }, (_, k) => ((bits[k >> 3]! >> (7 - (k & 7))) & 1) * 255);
    writeFileSync(file("bytes.png"), encode({ width: 8, height: 8, data: bytes, channels: 1, depth: 8 }));
    expect(found("--input", file("bits.png")).score).toBe(found("--input", file("bytes.png")).score);
  });

  it("ends when its time is over", () => {
    const words = ["--input", file("batch.npy"), "--method", "shapley", "--samples", "10000000"];
    const { status, stderr } = lemmata("explain", model, ...words, "--max-time", "3");
    expect(status).toBe(2);
    expect(stderr).toContain("--max-time");
  });

  it("says how good it is", () => {
    const { stdout } = lemmata("explain", model, "--input", file("batch.npy"), "--evaluate", "--patch", "2");
    expect(stdout).toMatch(/random/);
    expect(stdout).toMatch(/integrated-gradients/);
    expect(stdout).toMatch(/weights shuffled/);
  });

  it.each([
    [["--input", file("x.png"), "--target", "7"], "no class 7: there are 3"],
    [["--input", file("small.png")], "the image has 4 x 4 pixels"],
    [["--input", file("x.png"), "--composite", "nosuch"], 'no composite "nosuch"'],
    [["--input", file("x.png"), "--composite", "uniform(gamma=-1)"], "gamma is at least 0"],
    [["--input", file("x.png"), "--method", "magic"], "choose one of lrp"],
    [["--input", file("net.onnx")], "net.onnx"],
    [["--input", file("x.png"), "--png", file("r.jpg")], ".png"],
    [[], "say what is to be explained"],
    [["--input", file("x.png"), "--target", "cat"], 'lemmata: no target "cat"'],
    [["--input", file("x.png"), "--target", "1-1"], "always 0"],
    [["--input", file("x.png"), "--output", "q"], 'lemmata: no floating-point output "q"'],
    [["--input", file("x.png"), "--mask", file("batch.npy")], "--mask is for --evaluate"],
    [["--input", file("x.png"), "--mean", "0,1"], "--mean has 2 numbers, the image 1 channels"],
    [["--input", file("x.png"), "--deviation", "0"], "--deviation takes numbers above 0"],
    [["--input", file("x.png"), "--baseline", "0,1"], "--baseline takes one number"],
    [["--input", file("broken.png")], "broken.png is no PNG image that can be read"],
    [["--input", file("interlaced.png")], "interlaced with 1 bits a pixel"],
    [["--input", file("nan.npy")], 'lemmata: input "x" holds NaN'],
    [["--input", file("none.npy")], 'lemmata: input "x" has the shape [0,1,8,8]'],
    [["--input", file("x.png"), "--out", file("none/r.npy")], "there is no such folder"],
    [["--input", file("x.png"), "--out", file("r.txt")], ".npy, .npz, .csv, .json"],
  ])("%j gets one line", (words, message) => {
    const { stderr, status } = lemmata("explain", model, ...words);
    expect(status).toBe(2);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toContain(message);
    expect(existsSync(file("r.jpg"))).toBe(false);
  });
});

describe("other shapes than a batch of images", () => {
  const dense = (steps: readonly number[]) =>
    graph({ x: float32(...steps, 3) }, ({ x }) => {
      const rows = x.matmul(weights(3, 2)).relu();
      const axes = steps.map((_, k) => k);
      return { y: (axes.length > 0 ? rows.sum(axes, 0) : rows).reshape([1, 2]) };
    });
  it.each([[[5, 1]], [[5]], [[]]])("steps first: %j", (steps) => {
    const path = file("steps.onnx");
    writeFileSync(path, writeModel(dense(steps)));
    const dims = [...steps, 3];
    const size = dims.reduce((n, d) => n * d, 1);
    writeFileSync(
      file("steps.npy"),
      writeNpy(tensor(Float32Array.from(random.normal(size)), { type: "float32", dims })),
    );
    const { status, stderr } = lemmata(
      ...["explain", path, "--input", file("steps.npy"), "--png", file("steps.png")],
    );
    expect(stderr).toBe("");
    expect(status).toBe(0);
    const { width, height } = decode(readFileSync(file("steps.png")));
    expect(width / height).toBe(steps.length === 0 ? 3 : 3 / 5);
  });

  const text = graph({ ids: int64("N", "T") }, ({ ids }) => ({
    y: ids.builder
      .lift(tensor(random.normal(40), { type: "float32", dims: [10, 4] }), "float32")
      .op("Gather", [ids])
      .mean([1], 0)
      .affine(weights(2, 4), [0.1, 0]),
  }));
  const explainText = (...ids: number[][]) => {
    writeFileSync(file("text.onnx"), writeModel(text));
    writeFileSync(file("ids.npy"), writeNpy(tensor(ids, { type: "int64" })));
    writeFileSync(file("words.txt"), "the\r\ncat\r\nsat\r\n");
    return lemmata(
      ...["explain", file("text.onnx"), "--input", file("ids.npy"), "--tokens", file("words.txt"), "--json"],
    );
  };
  it("words of one text, with lines as Windows ends them", () => {
    const { words } = explainText([1, 2, 3]).json as { words: readonly { word: string }[] };
    expect(words.map(({ word }) => word)).toEqual(["the", "cat", "sat"]);
  });
  it("words of two texts are not mixed", () => {
    expect(explainText([1, 2, 3], [4, 5, 6]).stderr).toContain("--tokens is for one example");
  });
});
