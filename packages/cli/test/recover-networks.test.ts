// The options of `lemmata recover` that have a network, and the trainings that make such networks.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readNpy, writeNpy, writeNpz } from "@lemmata/core/data";
import { float64, type Graph, graph, numbers, tensor, writeModel } from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";
import { initialNetwork } from "@lemmata/core/train";
import { describe, expect, it } from "vitest";
import { captured } from "../src/output.ts";
import { createProgram } from "../src/program.ts";
import { temporaryFolder } from "./lemmata.ts";

const folder = temporaryFolder();
const file = (name: string): string => join(folder, name);
const random = createRandom("recover with networks");
const array = (dims: readonly number[], data: ArrayLike<number>) =>
  tensor(Float64Array.from(data), { type: "float64", dims: [...dims] });
const write = (name: string, dims: readonly number[], data: ArrayLike<number>): string => {
  writeFileSync(file(name), writeNpy(array(dims, data)));
  return file(name);
};
const model = (name: string, network: Graph): string => {
  writeFileSync(file(name), writeModel(network));
  return file(name);
};
const read = (name: string): number[] => [...numbers(readNpy(readFileSync(file(name))))].map(Number);

const command = async (...words: string[]): Promise<never> =>
  JSON.parse(
    await captured(() => createProgram().parseAsync([...words, "--quiet", "--json"], { from: "user" })),
  ) as never;
interface Report {
  readonly error: number;
  readonly psnr: number;
  readonly ssim: number;
  readonly latent: readonly number[];
  readonly misfits: readonly number[];
  readonly restarts: readonly number[];
  readonly objective: number;
  readonly objectives: readonly number[];
  readonly deviations: number;
  readonly change: number;
  readonly measurements: number;
  readonly measurementError: number;
  readonly logDensity: number;
  readonly certificate: { readonly kind: string; readonly provenance?: string; readonly bound?: number };
}
const recover = (...words: string[]): Promise<Report> => command("recover", ...words);
const train = (...words: string[]): Promise<{ losses: number[]; ended: string }> =>
  command("train", ...words);

/** A line in the plane: z times (3, 4). */
const line = graph({ z: float64("N", 1) }, ({ z }) => ({ x: z.mul([[3, 4]]) }));
const onLine = model("line.onnx", line);
const deep = model("deep.onnx", initialNetwork("2-8-relu-24-relu-72", { seed: 4, type: "float64" }));

describe("recover with a generator", () => {
  it("least squares on a line, with and without a weight of |z|^2", async () => {
    const y = write("y.npy", [2], [1, 2]);
    // (3 + 8) / 25, and |y|^2 - 11^2 / 25.
    const found = await recover(y, "--operator", "identity", "--generator", onLine, "--steps", "200");
    expect(found.latent[0]).toBeCloseTo(11 / 25, 6);
    expect(found.objective).toBeCloseTo(5 - 121 / 25, 9);
    const ridge = await recover(
      ...[y, "--operator", "identity", "--generator", onLine, "--latent-weight", "25", "--restarts", "3"],
    );
    expect(ridge.latent[0]).toBeCloseTo(11 / 50, 6);
    expect(ridge.restarts).toHaveLength(3);
    expect(ridge.certificate).toMatchObject({ kind: "all-signals", provenance: "checked" });
  });

  it("of moduli: the sign is lost, the length is not", async () => {
    const x = write("minus.npy", [2], [-6, -8]);
    const found = await recover(
      ...[x, "--measure", "--modulus", "--operator", "identity", "--generator", onLine, "--negation", "20"],
    );
    expect(Math.abs(found.latent[0]!)).toBeCloseTo(2, 6);
    expect(found.certificate.kind).toBe("none");
  });

  it("layer by layer, and the layers say what they could not meet", async () => {
    const z = [0.6, -1.3];
    const [V, W, U] = [1, 2, 3].map((k) => [
      ...numbers(
        initialNetwork("2-8-relu-24-relu-72", { seed: 4, type: "float64" }).initializers.get(
          `layer${k}.weight`,
        ) as never,
      ),
    ]) as [number[], number[], number[]];
    const layer = (v: readonly number[], M: readonly number[], width: number): number[] =>
      Array.from({ length: width }, (_, j) => v.reduce((sum, e, i) => sum + e * M[i * width + j]!, 0));
    const relu = (v: readonly number[]): number[] => v.map((e) => Math.max(0, e));
    const x = write("made.npy", [72], layer(relu(layer(relu(layer(z, V, 8)), W, 24)), U, 72));
    const words = ["--operator", "identity", "--generator", deep, "--layerwise", "--out", file("back.npy")];
    const found = await recover(x, ...words, "--truth", x);
    found.latent.forEach((v, k) => {
      expect(v).toBeCloseTo(z[k]!, 5);
    });
    expect(found.error).toBeLessThan(1e-5);
    expect(found.misfits).toHaveLength(3);
    expect(Math.max(...found.misfits)).toBeLessThan(1e-6);
    expect(read("back.npy")).toHaveLength(72);
  });

  it("deviations are found where the generator cannot be", async () => {
    const made = Float64Array.from({ length: 40 }, (_, k) => 0.5 * Math.sin(k + 1));
    const sine = graph({ z: float64("N", 1) }, ({ z }) => ({ x: z.mul([Array.from(made, (v) => 2 * v)]) }));
    const x = made.map((v, k) => v + Number(k === 7) * 2);
    const words = [write("near.npy", [40], x), "--measure", "--operator", "gaussian:m=24", "--generator"];
    const without = await recover(...words, model("sine.onnx", sine), "--steps", "150");
    const found = await recover(...words, file("sine.onnx"), "--steps", "150", "--deviations", "0.02");
    expect(found.deviations).toBeLessThan(20);
    expect(found.error).toBeLessThan(0.2 * without.error);
  });

  it("later layers reach what the generator does not make", async () => {
    const x = write("any.npy", [72], random.normal(72));
    const words = [x, "--measure", "--operator", "gaussian:m=50", "--generator", deep, "--steps", "150"];
    const found = await recover(...words, "--intermediate", "2", "--nearness", "0.5");
    expect(found.objectives).toHaveLength(3);
    expect(found.objectives[2]).toBeLessThan(0.9 * found.objectives[0]!);
    expect(found.measurementError ** 2).toBeCloseTo(found.objectives[2]!, 9);
  });
});

describe("networks that are trained for it", () => {
  /** 6 x 6 pictures with one row or column lit. */
  const bars = Float64Array.from({ length: 240 * 36 }, (_, k) => {
    const [picture, pixel] = [Math.floor(k / 36), k % 36];
    const which = picture % 6;
    return Number(picture % 12 < 6 ? Math.floor(pixel / 6) === which : pixel % 6 === which);
  });
  const data = file("bars.npz");
  writeFileSync(data, writeNpz({ x: array([240, 36], bars), y: array([240], new Float64Array(240)) }));
  const mean = 10 * Math.log10(36 / (6 * (5 / 6) ** 2 + 30 / 36)); // PSNR of the mean picture
  const base = ["--data", data, "--test-fraction", "0", "--batch", "40", "--rate", "0.01"];
  const measured = [`${data}:x:2`, "--measure", "--operator", "pixels:keep=0.5,seed=3", "--shape", "6x6"];

  it.each(["vae", "gan", "autoencoder"])("%s: makes what comes near to the data", async (kind) => {
    const out = file(`${kind}.onnx`);
    const { losses, ended } = await train(`${kind}:4-30`, ...base, "--epochs", "30", "--out", out);
    expect([losses.length, ended]).toEqual([30, "done"]);
    const found = await recover(...measured, "--generator", out, "--steps", "150", "--png", file("p.png"));
    expect(found.latent).toHaveLength(4);
    // A GAN so short is not a good one: it is only seen to be one.
    expect(found.psnr).toBeGreaterThan(kind === "gan" ? 0 : mean + 3);
    expect(readFileSync(file("p.png")).subarray(1, 4).toString()).toBe("PNG");
  });

  it("flow: a posterior, whose density is told", async () => {
    await train("flow:4-30", ...base, "--noise", "0.1", "--epochs", "20", "--out", file("flow.onnx"));
    const words = [...measured, "--noise", "0.1", "--generator", file("flow.onnx"), "--restarts", "2"];
    const likely = await recover(...words, "--posterior", "--steps", "200");
    const any = await recover(...words, "--steps", "200");
    // Without the density measurements are met exactly; with it they are not.
    expect(any.measurementError).toBeLessThan(1e-2);
    expect(likely.measurementError).toBeGreaterThan(any.measurementError);
    const s2 = 0.1 ** 2;
    expect(
      likely.measurementError ** 2 - 2 * s2 * (likely.logDensity + 18 * Math.log(2 * Math.PI)),
    ).toBeCloseTo(likely.objective, 3);
  });

  it.each(["inversion:60", "unrolled:2-6"])("%s undoes its operator", async (kind) => {
    const operator = ["--operator", "pixels:keep=0.5,seed=3", "--noise", "0.01"];
    const out = file("undo.onnx");
    await train(kind, ...base, ...operator, "--epochs", "20", "--out", out);
    const found = await recover(...measured, "--network", out);
    expect(found.psnr).toBeGreaterThan(mean + 3);
  });

  it("a denoiser is a prior", async () => {
    const words = ["--operator", "identity", "--noise", "0.3", "--epochs", "20"];
    await train("inversion:60", ...base, ...words, "--out", file("denoiser.onnx"));
    const found = await recover(...measured, "--denoiser", file("denoiser.onnx"), "--lambda", "0.05");
    expect(found.change).toBeLessThan(1e-3);
    expect(found.psnr).toBeGreaterThan(mean);
  });

  it.each([
    ["no operator", /--operator says which/, ["inversion:20", "--data", data]],
    ["an operator too many", /--operator is there for/, ["vae:2", "--data", data, "--operator", "identity"]],
    ["noise of a vae", /--noise is there for/, ["vae:2", "--data", data, "--noise", "0.1"]],
    ["another training's option", /--checkpoint has no meaning/, ["vae:2", "--checkpoint", file("c.npz")]],
    ["three widths", /say flow:6-256/, ["flow:2-3-4", "--data", data]],
    ["words for widths", /cannot be trained/, ["vae:many", "--data", data]],
    ["a width of 0", /from 1 to 100000/, ["vae:0", "--data", data]],
    ["data beyond 1", /numbers from 0 to 1/, ["vae:2", "--data", "two-moons"]],
    [
      "another size",
      /takes 12 numbers|are 36 numbers/,
      ["inversion:4", "--data", data, "--operator", file("A.npy")],
    ],
  ])("train: %s is refused", async (_, message, words) => {
    write("A.npy", [2, 12], new Float64Array(24));
    const before = readdirSync(folder);
    await expect(train(...words, "--out", file("never.onnx"))).rejects.toThrow(message);
    expect(existsSync(file("never.onnx"))).toBe(false);
    expect(readdirSync(folder)).toEqual(before);
  });
});

describe("what is refused", () => {
  const y = write("four.npy", [4], [1, 2, 3, 4]);
  const many = write("many.npy", [3, 4], random.normal(12));
  const identity = ["--operator", "identity", "--shape", "4"];
  it.each([
    ["two priors", /one of --generator/, ["--prior", "tv", "--generator", onLine]],
    ["an option of a generator", /--posterior is there for a --generator/, ["--prior", "tv", "--posterior"]],
    ["negation alone", /--negation is there for/, ["--prior", "tv", "--negation", "3"]],
    ["two ways", /exclude each other/, ["--generator", onLine, "--layerwise", "--deviations", "1"]],
    ["no noise", /--posterior needs --noise/, ["--generator", onLine, "--posterior"]],
    [
      "no flow",
      /is there for a flow/,
      ["--generator", onLine, "--posterior", "--noise", "1", "--shape", "2"],
    ],
    ["no layers", /no layer between/, ["--generator", onLine, "--intermediate", "1", "--shape", "2"]],
    ["another network", /from 4 measurements to 4 numbers/, ["--network", onLine]],
    ["another denoiser", /takes 1 and makes 2/, ["--denoiser", onLine]],
    ["a nearness of 0", /positive part/, ["--generator", deep, "--intermediate", "1", "--nearness", "0"]],
    ["no deviations", /positive weight/, ["--generator", onLine, "--deviations", "0"]],
    ["another operator", /--layerwise inverts/, ["--generator", deep, "--layerwise", "--modulus"]],
  ])("%s", async (_, message, words) => {
    const file = words.includes("2") ? write("two.npy", [2], [1, 2]) : y;
    await expect(recover(file, ...identity, ...words)).rejects.toThrow(message);
  });

  it.each([
    ["the fourth of three", /signals 0 to 2/, `${many}:3`],
    ["one of a list", /no signals in a list/, `${y}:0`],
    ["a digit too many", /signals 0 to 9999/, "mnist:10000"],
  ])("%s", async (_, message, which) => {
    await expect(recover(which, "--measure", "--operator", "identity", "--prior", "dct")).rejects.toThrow(
      message,
    );
  });

  it("one of many is that row", async () => {
    const words = [
      "--measure",
      "--operator",
      "identity",
      "--prior",
      "dct",
      "--measurements",
      file("row.npy"),
    ];
    await recover(`${many}:1`, ...words);
    expect(read("row.npy")).toEqual(read("many.npy").slice(4, 8));
  });
});
