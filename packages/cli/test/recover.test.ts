import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readNpy, writeNpy } from "@lemmata/core/data";
import { float64, graph, numbers, tensor, writeModel } from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";
import { initialNetwork } from "@lemmata/core/train";
import { describe, expect, it } from "vitest";
import { captured } from "../src/output.ts";
import { createProgram } from "../src/program.ts";
import { lemmata, temporaryFolder } from "./lemmata.ts";

const folder = temporaryFolder();
const file = (name: string): string => join(folder, name);
const random = createRandom("recover");
const write = (name: string, dims: readonly number[], data: Float64Array): void =>
  writeFileSync(file(name), writeNpy(tensor(data, { type: "float64", dims: [...dims] })));
const read = (name: string): number[] => [...numbers(readNpy(readFileSync(file(name))))].map(Number);

const picture = Float64Array.from({ length: 64 }, (_, k) => (k % 8 < 3 ? 0.2 : k > 40 ? 0.9 : 0.5));
const matrix = random.normal(5 * 12);
write("x.npy", [8, 8], picture);
write("A.npy", [5, 12], matrix);
write("short.npy", [3], new Float64Array(3));
write(
  "mask.npy",
  [8, 8],
  Float64Array.from({ length: 64 }, (_, k) => Number(k % 3 > 0)),
);
const generator = initialNetwork("1-6-relu-12", { seed: 2, type: "float64" });
writeFileSync(file("g.onnx"), writeModel(generator));
writeFileSync(file("bent.onnx"), writeModel(graph({ x: float64("N", 12) }, ({ x }) => ({ y: x.relu() }))));

interface Report {
  readonly measurements: number;
  readonly measurementError: number;
  readonly error: number;
  readonly psnr: number;
  readonly dualityGap: number;
  readonly objective: number;
  readonly latent: readonly number[];
  readonly restarts: readonly number[];
  readonly certificate: {
    readonly kind: string;
    readonly gamma?: number;
    readonly provenance?: string;
    readonly bound?: number;
    readonly assumes: readonly string[];
  };
}

/** What the command prints; without a process of its own, which takes longer than the work. */
const recover = (...words: string[]): Promise<string> =>
  captured(() => createProgram().parseAsync(["recover", ...words, "--quiet"], { from: "user" }));
const reported = async (...words: string[]): Promise<Report> =>
  JSON.parse(await recover(...words, "--json")) as Report;

describe("lemmata recover", () => {
  it("measures a picture, recovers it, and writes all of it", async () => {
    const found: Report = await reported(
      ...[file("x.npy"), "--measure", "--operator", `mask:${file("mask.npy")}`, "--prior", "tv"],
      ...[
        "--lambda",
        "0.001",
        "--out",
        file("r.npy"),
        "--measurements",
        file("y.npy"),
        "--png",
        file("p.png"),
        "--json",
      ],
    );
    const [x, y] = [read("r.npy"), read("y.npy")];
    expect(found.measurements).toBe(42);
    expect(y).toEqual([...picture].filter((_, k) => k % 3 > 0));
    const seen = x.filter((_, k) => k % 3 > 0);
    expect(found.measurementError).toBeCloseTo(Math.hypot(...seen.map((v, i) => v - y[i]!)), 12);
    expect(found.error).toBeCloseTo(Math.hypot(...x.map((v, k) => v - picture[k]!)), 12);
    expect(found.psnr).toBeGreaterThan(30);
    expect(found.certificate.kind).toBe("none");
    expect(existsSync(file("p.png"))).toBe(true);
    // The measurements by themselves give the same.
    await recover(
      ...[file("y.npy"), "--operator", `mask:${file("mask.npy")}`, "--prior", "tv", "--lambda", "0.001"],
      ...["--out", file("again.npy")],
    );
    expect(read("again.npy")).toEqual(x);
  });

  it("proves what it says of a small generator, and it holds", async () => {
    const words = [
      "--operator",
      file("A.npy"),
      "--generator",
      file("g.onnx"),
      "--steps",
      "100",
      "--restarts",
      "4",
    ];
    // G(0.7) by hand.
    const [W, V] = ["layer1.weight", "layer2.weight"].map((name) => [
      ...numbers(generator.initializers.get(name) as never),
    ]) as [number[], number[]];
    const x = Float64Array.from({ length: 12 }, (_, j) =>
      W.reduce((sum, w, i) => sum + Math.max(0, 0.7 * w) * V[12 * i + j]!, 0),
    );
    write("gx.npy", [12], x);
    const found: Report = await reported(
      ...[file("gx.npy"), "--measure", "--noise", "0.01", ...words, "--out", file("gr.npy")],
    );
    const { kind, provenance, bound, gamma } = found.certificate;
    expect([kind, provenance]).toEqual(["generator-range", "checked"]);
    expect(gamma).toBeGreaterThan(0);
    expect(found.error).toBeLessThanOrEqual(bound!);
    expect(found.restarts).toHaveLength(4);
    expect(found.latent).toHaveLength(1);
    expect(found.objective).toBeCloseTo(found.measurementError ** 2, 8);
    const stdout = await recover(file("gx.npy"), "--measure", ...words);
    expect(stdout).toMatch(/generator-range, gamma .* \(checked\)/);
    expect(stdout).toMatch(/assumes the truth is G\(z\) with \|z_j\| <= 3/);
  });

  it("needs no prior where measurements say all", async () => {
    const found: Report = await reported(
      ...[
        file("x.npy"),
        "--measure",
        "--noise",
        "0.02",
        "--operator",
        "identity",
        "--prior",
        "dct",
        "--json",
      ],
    );
    expect(found.certificate).toMatchObject({ kind: "all-signals", provenance: "checked" });
    expect(found.certificate.gamma).toBeCloseTo(1, 9);
    expect(found.error).toBeLessThanOrEqual(found.certificate.bound!);
  });

  it("fits untrained networks", async () => {
    for (const prior of ["dip", "deep-decoder"]) {
      const found: Report = await reported(
        ...[file("x.npy"), "--measure", "--operator", "pixels:keep=0.7", "--prior", prior],
        ...["--steps", "60", "--width", "8"],
      );
      expect(found.psnr).toBeGreaterThan(10);
    }
  });

  it.each([
    ["no prior", /one of --generator, --prior/, [file("x.npy"), "--operator", "identity"]],
    ["an unknown one", /--prior is one of tv/, [file("x.npy"), "--operator", "identity", "--prior", "magic"]],
    [
      "no shape",
      /does not say how large signals are/,
      [file("short.npy"), "--operator", "gaussian:m=3", "--prior", "tv"],
    ],
    [
      "another length",
      /holds 3 numbers, but the operator measures 5/,
      [file("short.npy"), "--operator", file("A.npy"), "--prior", "dct"],
    ],
    [
      "a graph that bends",
      /not linear: .*bends/,
      [file("short.npy"), "--operator", file("bent.onnx"), "--prior", "dct"],
    ],
    [
      "another generator",
      /takes 64 numbers, the generator makes 12/,
      [file("x.npy"), "--measure", "--operator", "identity", "--generator", file("g.onnx")],
    ],
    [
      "a bad shape",
      /--shape is 784/,
      [file("x.npy"), "--measure", "--operator", "identity", "--prior", "tv", "--shape", "8by8"],
    ],
    [
      "an unknown operator",
      /there is no operator "warp"/,
      [file("x.npy"), "--measure", "--operator", "warp", "--prior", "tv"],
    ],
    [
      "a picture of a line",
      /--png needs rows and columns/,
      [file("short.npy"), "--measure", "--operator", "identity", "--prior", "tv", "--png", file("q.png")],
    ],
    [
      "a range upside down",
      /--range is two numbers/,
      [file("x.npy"), "--measure", "--operator", "identity", "--prior", "tv", "--range", "1,0"],
    ],
    [
      "moduli without a generator",
      /--modulus is there for/,
      [file("x.npy"), "--measure", "--operator", "identity", "--prior", "tv", "--modulus"],
    ],
    [
      "a truth of another length",
      /the truth has 3 numbers/,
      [
        file("x.npy"),
        "--operator",
        "identity",
        "--shape",
        "8x8",
        "--prior",
        "tv",
        "--truth",
        file("short.npy"),
      ],
    ],
    [
      "an unknown wavelet",
      /wavelets are haar, db2, db3, not sym8/,
      [file("x.npy"), "--measure", "--operator", "identity", "--prior", "wavelet", "--wavelet", "sym8"],
    ],
  ])("%s is refused", async (_, message, words) => {
    await expect(recover(...words)).rejects.toThrow(message);
  });

  it("says so in one line, code 2", () => {
    const { status, stderr, stdout } = lemmata("recover", file("x.npy"), "--operator", "identity");
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toBe("lemmata: one of --generator, --prior, --network and --denoiser is wanted\n");
  });
});
