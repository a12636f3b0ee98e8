import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeNpz } from "@lemmata/core/data";
import { float32, type Graph, graph, tensor, writeModel } from "@lemmata/core/graph";
import { describe, expect, it } from "vitest";
import { lemmata, temporaryFolder } from "./lemmata.ts";

const folder = temporaryFolder();
const file = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const f32 = { type: "float32" } as const;
const model = (name: string, net: Graph): string => file(`${name}.onnx`, writeModel(net));
/** max(0, x_0) against max(0, x_1), the second one scaled. */
const scaled = (s: number, bias = 0): Graph =>
  graph({ x: float32("N", 2) }, ({ x }) => ({
    y: x
      .affine(
        tensor(
          [
            [1, 0],
            [0, s],
          ],
          f32,
        ),
        tensor([bias, 0], f32),
      )
      .relu()
      .affine(
        tensor(
          [
            [3, 0],
            [0, 4],
          ],
          f32,
        ),
      ),
  }));
const net = model("net", scaled(1));
const W = tensor(
  [
    [1, 0],
    [0, 1],
  ],
  f32,
);
const points = (n: number, shift = 0): number[][] =>
  Array.from({ length: n }, (_, k) => [((k * 7 + shift) % 11) / 10, ((k * 5 + shift) % 13) / 10]);
const label = ([a, b]: readonly number[]): number => (3 * a! > 4 * b! + 0.2 ? 0 : 1);
const npz = (
  name: string,
  n: number,
  y?: (p: readonly number[], k: number) => number,
  type = "int64",
): string => {
  const x = points(n);
  const t = points(40, 3);
  const of = y ?? label;
  return file(
    `${name}.npz`,
    writeNpz({
      x: tensor(x, f32),
      y: tensor(x.map(of), { type: type as "int64" }),
      x_test: tensor(t, f32),
      y_test: tensor(t.map(of), { type: type as "int64" }),
    }),
  );
};
const data = npz("data", 60);
const fast = ["--no-pac-bayes", "--quiet"];

describe("lemmata audit", () => {
  it("JSON: measures and bounds with reasons in place of values, no list of the data's length", () => {
    const { status, stdout, stderr, json } = lemmata("audit", net, "--data", data, "--json", ...fast);
    expect([status, stderr]).toEqual([0, ""]);
    const {
      model: about,
      data: examples,
      measures,
      bounds,
      errorDecomposition,
    } = json as {
      model: object;
      data: object;
      measures: Record<string, unknown>;
      bounds: { id: string; value?: number; unmet: string[]; assumptions: string[]; vacuous: boolean }[];
      errorDecomposition: { gap: number };
    };
    const wrong = (sample: readonly (readonly number[])[]): number =>
      sample.filter((p) => {
        const margin = (3 * p[0]! - 4 * p[1]!) * (label(p) === 0 ? 1 : -1);
        return margin <= 1e-9;
      }).length / sample.length;
    expect(about).toMatchObject({ name: "net.onnx", inputDims: [2], outputs: 2, parameters: 10 });
    expect(examples).toMatchObject({ examples: 60, testExamples: 40, classes: 2, task: "classification" });
    expect(measures).toMatchObject({ trainError: wrong(points(60)), testError: wrong(points(40, 3)) });
    expect(measures["frobeniusNorms"]).toEqual([Math.SQRT2, 5].map((v) => expect.closeTo(v, 6)));
    expect(measures["spectralNorms"]).toEqual([1, 4].map((v) => expect.closeTo(v, 6)));
    for (const [name, value] of Object.entries({
      spectralProduct: 4,
      pathNorm1: 7,
      pathNorm2: 5,
      lipschitzUpper: 4,
    }))
      expect(measures[name]).toBeCloseTo(value, 5);
    expect(Object.keys(measures["margins"] as object)).toEqual(["min", "q10", "median", "mean"]);
    expect(errorDecomposition.gap).toBeCloseTo(wrong(points(40, 3)) - wrong(points(60)), 12);
    for (const { value, unmet, assumptions } of bounds) {
      expect(value === undefined).toBe(unmet.length > 0);
      expect(assumptions.length).toBeGreaterThan(0);
    }
    // Biases that are 0 are none, so the bounds by norms have values.
    expect(bounds.find(({ id }) => id === "spectral-margin")!.value).toBeGreaterThan(0);
    expect(stdout).not.toContain("null");
  });

  it("text: errors, bounds, what is vacuous, and what is not met and why", () => {
    const biased = model("biased", scaled(1, 0.1));
    const { status, stdout } = lemmata("audit", biased, "--data", data, ...fast);
    expect(status).toBe(0);
    expect(stdout).toMatch(/error: training .* %, test .* %; a constant answer/);
    expect(stdout).toMatch(/Held-out examples +[\d.]+ %/);
    expect(stdout).toMatch(/vacuous \(/);
    expect(stdout).toMatch(/not met: the network is layered and has no biases \(it has biases\)/);
    expect(stdout).toMatch(/--radius R/);
  });

  it("printed bounds are on their own side of the exact ones, and no confidence reads as certainty", () => {
    const options = ["--data", npz("hundred", 100), "--delta", "1e-9", ...fast];
    const { json } = lemmata("audit", net, ...options, "--json") as unknown as {
      json: { bounds: { name: string; value?: number; vacuous: boolean }[] };
    };
    const { stdout } = lemmata("audit", net, ...options);
    expect(stdout).toContain("with probability at least 99.9999999 %");
    expect(stdout).not.toMatch(/probability[^\n]* 100 %/);
    const stated = json.bounds.filter((b) => b.value !== undefined && Number.isFinite(b.value));
    expect(stated.length).toBeGreaterThan(4);
    for (const { name, value, vacuous } of stated) {
      const row = stdout.split("\n").find((line) => line.startsWith(`${name}  `))!;
      const [, shown] = (vacuous ? /vacuous \(([^)]*)\)/ : / ([\d.e,-]+) %/).exec(row)!;
      const printed = Number(shown!.replaceAll(",", "")) / (vacuous ? 1 : 100);
      expect(printed, row).toBeGreaterThanOrEqual(value! * (1 - 1e-15));
    }
  });

  it("a bound of a network that was trained for it stands apart", () => {
    const options = ["--data", npz("apart", 400), "--pac-bayes", "--quiet"];
    const { json } = lemmata("audit", net, ...options, "--json") as unknown as {
      json: { bounds: { id: string; network: string }[] };
    };
    const others = json.bounds.filter((b) => b.network !== "audited");
    expect(others.map((b) => [b.id, b.network])).toEqual([["pac-bayes-gaussian", "trained for the bound"]]);
    expect(json.bounds.at(-1)).toBe(others[0]);
    const { stdout } = lemmata("audit", net, ...options);
    const [own, apart] = stdout.split("bound of another network") as [string, string];
    expect(own).not.toContain("randomized network");
    expect(apart).toMatch(/of a network that was trained for it, not of the audited weights/);
  });

  it("--html writes one file, and leaves nothing else", () => {
    const page = join(folder, "report.html");
    const { status, stderr } = lemmata("audit", net, "--data", data, "--html", page, ...fast);
    expect([status, stderr]).toEqual([0, ""]);
    expect(readFileSync(page, "utf8")).toMatch(/^<!doctype html>[\s\S]*net\.onnx[\s\S]*<\/html>\s*$/i);
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("several models: side by side, one delta, ranks of measures", () => {
    const others = [0.8, 1.5].map((s) => model(`scaled${s}`, scaled(s)));
    const { json } = lemmata("audit", net, ...others, "--data", data, "--json", ...fast) as unknown as {
      json: {
        models: { bounds: { id: string; name: string }[] }[];
        ranking: { tau?: number; count: number }[];
      };
    };
    expect(json.models.length).toBe(3);
    expect(json.models[0]!.bounds.find(({ id }) => id === "validation")!.name).toMatch(/best of 3 models/);
    expect(json.ranking.some(({ tau, count }) => tau !== undefined && count === 3)).toBe(true);
    const { stdout } = lemmata("audit", net, ...others, "--data", data, ...fast);
    expect(stdout).toMatch(/scaled0\.8\.onnx[\s\S]*rank correlation with the gap/);
  });

  it("text: counts with their nouns, confidence after a choice, kernels, outputs that were left out", () => {
    const big = npz("big", 3000, (p) => (3 * p[0]! > 4 * p[1]! ? 0 : 1));
    const { stdout } = lemmata("audit", net, "--data", big, ...fast);
    expect(stdout).toMatch(/3,000 training and 40 test examples, 2 classes/);
    expect(stdout).toMatch(/Occam \(kl form\):\n {2}320 bits for 10 stored numbers/);
    expect(stdout).toMatch(/the least of all \d+, chosen after the fact, with probability at least \d+ %/);
    const one = file(
      "one.npz",
      writeNpz({ x: tensor([[0.5, 0.1]], f32), y: tensor([0], { type: "int64" }) }),
    );
    const images = file(
      "images.npz",
      writeNpz({
        x: tensor(
          new Float32Array(16 * 4).map((_, k) => (k % 7) / 7),
          { ...f32, dims: [4, 1, 4, 4] },
        ),
        y: tensor([0, 1, 1, 0], { type: "int64" }),
      }),
    );
    const two = graph({ x: float32("N", 2) }, ({ x }) => ({ y: x.affine(W), z: x.relu() }));
    const kernel = tensor(new Float32Array(18).fill(0.1), { ...f32, dims: [2, 1, 3, 3] });
    const convolution = graph({ x: float32("N", 1, 4, 4) }, ({ x }) => ({
      y: x
        .op("Conv", [kernel], { kernel_shape: [3, 3] })
        .op("GlobalAveragePool", [])
        .op("Flatten", []),
    }));
    const single = lemmata("audit", model("two-outputs", two), "--data", one, ...fast).stdout;
    expect(single).toMatch(/: 1 training example, 2 classes/);
    expect(single).toContain('audited on its first output, "y", without "z"');
    const kernels = lemmata("audit", model("convolution", convolution), "--data", images, ...fast).stdout;
    expect(kernels).toContain("of a convolution: Frobenius of the kernel");
    expect(lemmata("audit", net, net, "--data", big, ...fast).stdout).toMatch(/\d %? \([\w-]+\), \d+ %/);
  });

  it("tests that are training examples under another name state no true error", () => {
    const again = file("again.npz", readFileSync(data));
    const { stdout } = lemmata("audit", net, "--data", data, "--test", again, ...fast);
    expect(stdout).toContain("true error: not stated, as every test example is a training example");
    expect(stdout).not.toMatch(/true error: [\d.]+ %/);
  });

  it("labels as floats are classes for a network with several outputs; one example and one class are enough", () => {
    const floats = npz("floats", 30, label, "float64");
    const single = file(
      "single.npz",
      writeNpz({ x: tensor([[0.5, 0.1]], f32), y: tensor([0], { type: "int64" }) }),
    );
    for (const set of [floats, single, npz("zeros", 20, () => 0)]) {
      const { status, stderr, json } = lemmata("audit", net, "--data", set, "--json", ...fast);
      expect([status, stderr]).toEqual([0, ""]);
      expect((json as { data: { task: string } }).data.task).toBe("classification");
    }
  });

  it("bad input: one line, exit code 2", () => {
    const nan = model(
      "nan",
      graph({ x: float32("N", 2) }, ({ x }) => ({
        y: x.affine(
          tensor(
            [
              [Number.NaN, 1],
              [1, 1],
            ],
            f32,
          ),
        ),
      })),
    );
    const two = model(
      "two",
      graph({ x: float32("N", 2), z: float32("N", 2) }, ({ x, z }) => ({ y: x.add(z) })),
    );
    const steep = graph({ x: float32("N", 2) }, ({ x }) => {
      const W = tensor(
        [
          [1e30, 1],
          [1, 1e30],
        ],
        f32,
      );
      return {
        y: x
          .affine(W)
          .relu()
          .affine(W)
          .relu()
          .affine(
            tensor(
              [
                [1, -1],
                [-1, 1],
              ],
              f32,
            ),
          ),
      };
    });
    const wide = file(
      "wide.npz",
      writeNpz({ x: tensor([[1, 2, 3]], f32), y: tensor([0], { type: "int64" }) }),
    );
    const empty = file(
      "empty.npz",
      writeNpz({
        x: tensor(new Float32Array(), { type: "float32", dims: [0, 2] }),
        y: tensor([], { type: "int64", dims: [0] }),
      }),
    );
    const cases: readonly (readonly [RegExp, ...string[]])[] = [
      [/an example is \[3\], but the network reads \[2\]/, net, "--data", wide],
      [/subtract 1 from the labels/, net, "--data", npz("from-one", 10, (p) => 1 + label(p))],
      [/label 2 .* out of range/, net, "--data", npz("range", 10, () => 2)],
      [/empty/, net, "--data", empty],
      [/NaN/, nan, "--data", data],
      [/one input, not 2/, two, "--data", data],
      [/--delta 1/, net, "--data", data, "--delta", "1"],
      [/--radius 0.1: example/, net, "--data", data, "--radius", "0.1"],
      [/\.html/, net, "--data", data, "--html", "report.txt"],
      [/--initial is for one model/, net, net, "--data", data, "--initial", net],
      [/--data/, net],
      [/test nothing/, net, "--data", data, "--test", data],
      [/not finite numbers/, model("steep", steep), "--data", data],
      [/no such file/, net, "--data", data, "--test", "nowhere.npz"],
    ];
    for (const [message, ...words] of cases) {
      const { status, stdout, stderr } = lemmata("audit", ...words);
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr.trim().split("\n").length).toBe(1);
      expect(stderr).toMatch(message);
    }
    expect(existsSync("report.txt")).toBe(false);
  }, 300_000);
});
