import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readNpy, writeNpy } from "@lemmata/core/data";
import { run } from "@lemmata/core/engine";
import { float32, graph, numbers, readModel, tensor, writeModel } from "@lemmata/core/graph";
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
  ])("%j gets one line", (words, message) => {
    const { stderr, status } = lemmata("explain", model, ...words);
    expect(status).toBe(2);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toContain(message);
    expect(existsSync(file("r.jpg"))).toBe(false);
  });
});
