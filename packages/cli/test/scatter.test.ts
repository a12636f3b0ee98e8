import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readNpz, writeNpy } from "@lemmata/core/data";
import { run } from "@lemmata/core/engine";
import { numbers, readModel, tensor } from "@lemmata/core/graph";
import { describe, expect, it } from "vitest";
import { lemmata, temporaryFolder } from "./lemmata.ts";

const folder = temporaryFolder();
const file = (name: string): string => join(folder, name);
const picture = Float64Array.from({ length: 2 * 32 * 32 }, (_, k) => {
  const [u, v] = [Math.floor(k / 32) % 32, k % 32];
  return (k < 1024 ? 1 : -1) * (Math.cos(0.3 * u) * Math.sin(0.2 * v) + ((7 * u + 3 * v) % 11) / 11);
});
const given = tensor(picture, { type: "float64", dims: [2, 1, 32, 32] });
writeFileSync(file("x.npy"), writeNpy(given));
const onPictures = ["scatter", file("x.npy"), "--dimension", "2", "--scale", "2"];

interface Found {
  readonly paths: number;
  readonly shape: readonly number[];
  readonly frame: { readonly lower: number; readonly upper: number };
  readonly energy: { readonly input: number; readonly orders: readonly number[] };
}

describe("lemmata scatter", () => {
  it("writes Kymatio's coefficients, what their paths are, and the graph that made them", async () => {
    const words = ["--out", file("s.npz"), "--graph", file("s.onnx"), "--json"];
    const found: Found = lemmata(...onPictures, ...words).json;
    expect(Object.keys(found)).toEqual(["paths", "shape", "frame", "energy", "cost"]);
    expect(found.shape).toEqual([2, 1, 81, 8, 8]);
    expect(found.frame.lower).toBeCloseTo(0.123, 3);
    const { s, meta, order, scales, angles } = readNpz(readFileSync(file("s.npz")));
    const means = [0, 1, 9, 17].map(
      (path) => [...numbers(s!)].slice(64 * path, 64 * path + 64).reduce((sum, v) => sum + v, 0) / 64,
    );
    // The means of Kymatio's channels, to its single precision.
    [0.457336, 0.0640399, 0.0645379, 0.0140898].forEach((mean, k) => {
      expect(means[k]! / mean).toBeCloseTo(1, 5);
    });
    expect([...numbers(order!)].filter((m) => m === 2)).toHaveLength(64);
    expect([...numbers(scales!)].slice(34, 36)).toEqual([0, 1]);
    expect([...numbers(angles!)].slice(34, 36)).toEqual([0, 0]);
    expect(meta!.dims).toEqual([81, 5]);
    const rows = [...numbers(meta!)];
    expect(rows.slice(0, 10)).toEqual([0, -1, -1, -1, -1, 1, 0, -1, 0, -1]);
    expect(rows.slice(400)).toEqual([2, 0, 1, 7, 7]);
    const { s: again } = await run(readModel(readFileSync(file("s.onnx"))), {
      x: { ...given, dims: [2, 32, 32] },
    });
    expect([...numbers(again!)]).toEqual([...numbers(s!)]);
    const energy = [...numbers(again!)].reduce((sum, v) => sum + 16 * v * v, 0);
    expect(found.energy.orders.reduce((a, b) => a + b, 0)).toBeCloseTo(energy, 8);
    expect(energy).toBeLessThan(found.energy.input);
  });

  it.each([
    [1e-25, "float32"],
    [1e25, "float32"],
    [1e-200, "float64"],
  ] as const)("scales with its signal, where squares would vanish or overflow: %d", (size, type) => {
    const x = picture.subarray(0, 64);
    const coefficients = (factor: number): readonly number[] => {
      writeFileSync(
        file("sized.npy"),
        writeNpy(
          tensor(
            x.map((v) => factor * v),
            { dims: [64], type },
          ),
        ),
      );
      const words = ["--dimension", "1", "--scale", "3", "--out", file("sized.npz"), "--json"];
      const { energy }: Found = lemmata("scatter", file("sized.npy"), ...words).json;
      // Squares of the smallest doubles are no numbers, and are said to be 0.
      if (type === "float32") expect(energy.orders[1]! / energy.input).toBeGreaterThan(1e-3);
      return Array.from(numbers(readNpz(readFileSync(file("sized.npz"))).s!), (v) => v / factor);
    };
    const [one, other] = [coefficients(1), coefficients(size)];
    one.forEach((v, k) => {
      expect(Math.abs(other[k]! - v)).toBeLessThan(1e-6);
    });
    expect(one.slice(8).some((v) => v > 1e-3)).toBe(true);
  });

  it("begins where it is told, and takes a texture as periodic", () => {
    writeFileSync(file("texture.npy"), writeNpy(tensor(picture.subarray(0, 256), { dims: [16, 16] })));
    const words = ["--dimension", "2", "--scale", "2", "--angles", "4", "--synthesize", "--iterations", "3"];
    const begun = (...more: readonly string[]): number => {
      const { error }: { error: { before: number } } = lemmata(
        ...["scatter", file("texture.npy"), ...words, ...more, "--json"],
      ).json;
      return error.before;
    };
    const noise = begun();
    expect(begun("--padding", "none")).toBe(noise);
    expect(begun("--padding", "reflect")).not.toBe(noise);
    // A field with the texture's spectrum is nearer to its averages.
    expect(begun("--start", "gaussian")).toBeLessThan(noise);
  });

  it("gives noise the averages of a picture, and draws both", () => {
    writeFileSync(file("one.npy"), writeNpy(tensor(picture.subarray(0, 1024), { dims: [32, 32] })));
    const words = ["--angles", "4", "--padding", "none", "--synthesize", "--iterations", "30"];
    const { error, constraints }: { error: { before: number; after: number }; constraints: number } = lemmata(
      ...["scatter", file("one.npy"), "--dimension", "2", "--scale", "2", ...words],
      ...["--png", file("two.png"), "--out", file("two.npz"), "--json"],
    ).json;
    expect(constraints).toBe(25);
    expect(error.after).toBeLessThan(error.before / 10);
    expect(readNpz(readFileSync(file("two.npz"))).x!.dims).toEqual([32, 32]);
    expect(readFileSync(file("two.png")).readUInt32BE(16)).toBe(2 * 32 + 8);
  });

  it("imitates a picture in several statistics, and says how far each is from it", () => {
    writeFileSync(file("tiny.npy"), writeNpy(tensor(picture.subarray(0, 256), { dims: [16, 16] })));
    const words = ["--angles", "4", "--padding", "none", "--synthesize", "--statistics", "all"];
    const { models }: { models: readonly { name: string; distances: Record<string, number> }[] } = lemmata(
      ...["scatter", file("tiny.npy"), "--dimension", "2", "--scale", "2", "--iterations", "12", ...words],
      ...["--png", file("all.png"), "--out", file("all.npz"), "--json"],
    ).json;
    expect(models.map(({ name }) => name)).toEqual(["gaussian", "order 1", "order 2", "harmonics"]);
    const [gaussian, , second, harmonics] = models.map(({ distances }) => distances);
    expect(second!["second"]).toBeLessThan(gaussian!["second"]!);
    expect(harmonics!["harmonics"]).toBeLessThan(gaussian!["harmonics"]!);
    expect(Object.keys(readNpz(readFileSync(file("all.npz"))))).toEqual([
      "gaussian",
      "order1",
      "order2",
      "harmonics",
    ]);
    expect(readFileSync(file("all.png")).readUInt32BE(16)).toBe(5 * 16 + 4 * 8);
  });

  it("scatters signals on a graph whose edges a table has", () => {
    writeFileSync(file("edges.csv"), "a,b\n0,1\n1,2\n2,0\n");
    writeFileSync(file("v.npy"), writeNpy(tensor([1, 1, 1, 0, 1, 2], { dims: [2, 3], type: "float64" })));
    const words = ["scatter", file("v.npy"), "--dimension", "1", "--scale", "2"];
    const found: { gap: number; shape: readonly number[] } = lemmata(
      ...[...words, "--edges", file("edges.csv"), "--out", file("g.npz"), "--json"],
    ).json;
    expect(found.gap).toBeCloseTo(1 / 4, 12); // a triangle: (1 + cos(2 pi / 3)) / 2
    expect(found.shape).toEqual([2, 7]);
    const written = readNpz(readFileSync(file("g.npz")));
    expect([...numbers(written.meta!)]).toEqual(
      [[0, -1, -1], [1, 0, -1], [1, 1, -1], ...[2, 0, 0, 2, 0, 1, 2, 1, 0, 2, 1, 1].map((v) => [v])].flat(),
    );
    const s = [...numbers(written.s!)];
    expect(s[0]).toBeCloseTo(Math.sqrt(3), 12);
    expect(Math.max(...s.slice(1, 7).map(Math.abs))).toBeLessThan(1e-12);
    const short = lemmata("scatter", file("x.npy"), ...words.slice(2), "--edges", file("edges.csv"));
    expect(short.status).toBe(2);
    expect(short.stderr).toMatch(/the graph has 3 vertices, the signals have 32 numbers/);
  });

  it("refuses a picture only where its own grid is too large", () => {
    writeFileSync(file("large.npy"), writeNpy(tensor(new Float32Array(512 * 512), { dims: [512, 512] })));
    const words = [
      "scatter",
      file("large.npy"),
      "--dimension",
      "2",
      "--scale",
      "3",
      "--order",
      "0",
      "--json",
    ];
    const { shape }: Found = lemmata(...words, "--memory", "1").json;
    expect(shape).toEqual([1, 64, 64]);
    const { status, stderr } = lemmata(...words, "--memory", "0.1");
    expect(status).toBe(2);
    expect(stderr).toMatch(/memory/);
  });

  it.each<[string, string, readonly string[], RegExp]>([
    [
      "an edge twice with two weights",
      "0,1,1\n1,0,2\n1,2,1\n",
      [],
      /the edge 1 - 0 twice, with the weights 1 and 2/,
    ],
    ["a graph in two parts", "0,1\n2,2\n", [], /the graph is not connected/],
    ["a negative weight", "0,1,-2\n1,2,1\n", [], /the edge 0 - 1 weighs -2/],
    ["a weight that is no number", "0,1,1\n1,2,nan\n", [], /the edge 1 - 2 weighs NaN/],
    [
      "options of other signals",
      "0,1\n1,2\n",
      ["--quality", "4"],
      /--quality is for signals in time or space/,
    ],
    ["paths beyond all memory", "0,1\n1,2\n", ["--scale", "3000"], /9003001 paths on 3 vertices take about/],
    ["paths beyond counting", "0,1\n1,2\n", ["--order", "9"], /the order on a graph is up to 8, not 9/],
  ])("refuses %s", (_, edges, words, reason) => {
    writeFileSync(file("bad.csv"), edges);
    writeFileSync(file("three.npy"), writeNpy(tensor([1, 2, 3], { dims: [3], type: "float64" })));
    const { status, stderr } = lemmata(
      ...["scatter", file("three.npy"), "--dimension", "1", "--scale", "3", "--edges", file("bad.csv")],
      ...["--memory", "1", ...words],
    );
    expect(status).toBe(2);
    expect(stderr).toMatch(reason);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  it.each([1e300, 1e-310])("does not see how large weights are: %d", (size) => {
    const frames = [1, size].map((factor) => {
      writeFileSync(file("sizes.csv"), `0,1,${factor}\n1,2,${2 * factor}\n0,2,${4 * factor}\n`);
      writeFileSync(file("three.npy"), writeNpy(tensor([1, 2, 3], { dims: [3], type: "float64" })));
      const { frame }: Found = lemmata(
        ...["scatter", file("three.npy"), "--dimension", "1", "--scale", "3"],
        ...["--edges", file("sizes.csv"), "--json"],
      ).json;
      return frame;
    });
    expect(frames[1]!.lower / frames[0]!.lower).toBeCloseTo(1, 10);
  });

  it.each([
    [["--synthesize", "--graph", "g.onnx"], /it goes without --graph/],
    [["--start", "gaussian"], /--start says where --synthesize begins/],
    [["--synthesize", "--start", "zero"], /--start is one of noise, gaussian, not zero/],
    [["--quality", "3"], /pictures have angles, not a quality/],
    [["--frontend", "real"], /--frontend is complex/],
    [["--bank", "haar"], /--bank is morlet or spline/],
    [["--average", "64"], /does not fit a signal of 32/],
    [["--angles", "100000"], /--memory allows more/],
    [["--out", "s.txt"], /must end in .npz/],
    [["--statistics", "harmonics"], /says what --synthesize imitates/],
    [["--synthesize", "--statistics", "vgg"], /is one of gaussian, scattering, harmonics, all, not vgg/],
    [["--synthesize", "--order", "0"], /needs --order 1 or 2/],
  ])("refuses %o in one line", (words, reason) => {
    const { status, stderr, stdout } = lemmata(...onPictures, ...words);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(reason);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  it.each([
    ["a number that is none", Float64Array.of(1, Number.NaN, 3, 4), /not a number/],
    ["squares that overflow", Float64Array.of(1, 1e200, 3, 4), /beyond 1e\+140/],
    ["no samples", new Float64Array(0), /no samples/],
    ["one sample", Float64Array.of(1), /does not fit a signal of 1/],
  ])("refuses %s", (name, values, reason) => {
    writeFileSync(file("bad.npy"), writeNpy(tensor(values, { type: "float64", dims: [values.length] })));
    const { status, stderr } = lemmata("scatter", file("bad.npy"), "--dimension", "1", "--scale", "1");
    expect([name, status]).toEqual([name, 2]);
    expect(stderr).toMatch(reason);
  });
});

describe("lemmata scatter --stability", () => {
  it("compares coefficients with other representations, and refuses what does not go with it", () => {
    interface Row {
      readonly name: string;
      readonly additive: number;
      readonly geometric: number;
    }
    writeFileSync(file("wave.npy"), writeNpy(tensor(picture.subarray(0, 64), { dims: [1, 64] })));
    const words = ["scatter", file("wave.npy"), "--dimension", "1", "--scale", "3", "--padding", "none"];
    const { signals, representations }: { signals: number; representations: readonly Row[] } = lemmata(
      ...[...words, "--stability", "--json"],
    ).json;
    expect(signals).toBe(1);
    expect(representations.map(({ name }) => name)).toEqual(["scattering", "Fourier modulus", "samples"]);
    const [coefficients, , samples] = representations as [Row, Row, Row];
    expect(samples.additive).toBeCloseTo(1, 5);
    expect(coefficients.additive).toBeLessThan(1.01);
    expect(coefficients.geometric).toBeLessThan(samples.geometric);
    const { status, stderr } = lemmata(...words, "--stability", "--out", file("no.npz"));
    expect(status).toBe(2);
    expect(stderr).toContain("--stability prints constants");
  });
});
