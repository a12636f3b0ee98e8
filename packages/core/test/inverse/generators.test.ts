import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { run } from "../../src/engine/run.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, view } from "../../src/graph/tensor.ts";
import {
  generatorOf,
  identityOperator,
  type LinearSolver,
  latentDescent,
  layerwiseInversion,
  meanSquaredError,
  sparseDeviations,
  trainedGenerator,
} from "../../src/inverse/index.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { initialNetwork } from "../../src/train/network.ts";

const random = createRandom("generators");
const folder = new URL("../../../../node_modules/highs", import.meta.url).pathname;
const missing = !existsSync(folder);
if (missing) console.warn("tests of inversion by linear programs left out: highs is not installed");

const loaded = missing
  ? undefined
  : (createRequire(import.meta.url)(folder) as () => Promise<{ solve: LinearSolver }>)();
const solve: LinearSolver = async (problem) => (await loaded!).solve(problem);

async function made(network: Graph, z: Float64Array): Promise<Float64Array> {
  const { input, output, type } = generatorOf(network);
  const found = await run(network, { [input]: view(type, [1, z.length], z) });
  return Float64Array.from(numbers(found[output]!));
}

const furthest = (a: Float64Array, b: Float64Array): number =>
  a.reduce((most, v, k) => Math.max(most, Math.abs(v - b[k]!)), 0);

describe.skipIf(missing)("layer by layer", () => {
  /** As exporters write it: the layer "leakyrelu" of a specification is a maximum, which is refused. */
  const leaky = graph({ z: float64("N", 3) }, ({ z }) => {
    const [V, W] = [random.normal(27), random.normal(9 * 30)].map((v, k) =>
      view("float64", k === 0 ? [3, 9] : [9, 30], v),
    );
    return { x: z.matmul(V!).op("LeakyRelu", [], { alpha: 0.2 }).matmul(W!) };
  });
  test.each([
    ["ReLU", initialNetwork("3-9-relu-27-relu-81", { seed: 3, type: "float64" }), 3],
    ["leaky ReLU", leaky, 2],
    ["linear", initialNetwork("4-5", { seed: 3, type: "float64" }), 1],
  ])("%s: the latent vector that made a signal is found", async (_, network, layers) => {
    for (let k = 0; k < 4; k++) {
      const z = random.normal(generatorOf(network).latent);
      const { z: found, misfits } = await layerwiseInversion(network, await made(network, z), solve);
      expect(misfits).toHaveLength(layers);
      expect(Math.max(...misfits)).toBeLessThan(1e-6);
      expect(furthest(found, z)).toBeLessThan(1e-5);
    }
  });

  test("one layer: the line that is nearest in the greatest error", async () => {
    // |z - 0|, |z - 1|, |z - 5| are at most 2.5 where z is 2.5.
    const line = graph({ z: float64("N", 1) }, ({ z }) => ({ x: z.mul([[1, 1, 1]]) }));
    const { z, misfits } = await layerwiseInversion(line, Float64Array.of(0, 1, 5), solve);
    expect(z[0]).toBeCloseTo(2.5, 9);
    expect(misfits).toEqual([expect.closeTo(2.5, 9)]);
  });

  test("noise is met no worse than its greatest number", async () => {
    const network = initialNetwork("2-8-relu-32", { seed: 5, type: "float64" });
    const x = await made(network, Float64Array.of(0.4, -1.1));
    const noise = random.normal(32).map((v) => 0.01 * v);
    const { misfits } = await layerwiseInversion(
      network,
      x.map((v, k) => v + noise[k]!),
      solve,
    );
    expect(misfits[0]).toBeLessThanOrEqual(furthest(noise, new Float64Array(32)) + 1e-9);
    expect(misfits[0]).toBeGreaterThan(1e-3);
  });

  test("what it cannot read", async () => {
    const curved = initialNetwork("2-8-tanh-9", { seed: 5, type: "float64" });
    await expect(layerwiseInversion(curved, new Float64Array(9), solve)).rejects.toThrow(/only dense layers/);
    const past = graph({ z: float64("N", 2) }, ({ z }) => ({ x: z.relu().add(z) }));
    await expect(layerwiseInversion(past, new Float64Array(2), solve)).rejects.toThrow(/past a layer/);
    const greatest = initialNetwork("2-8-leakyrelu-9", { seed: 5, type: "float64" });
    await expect(layerwiseInversion(greatest, new Float64Array(9), solve)).rejects.toThrow(
      /past a layer|maxima/,
    );
    const short = initialNetwork("2-8-relu-9", { seed: 5, type: "float64" });
    await expect(layerwiseInversion(short, new Float64Array(8), solve)).rejects.toThrow(/9 numbers.* of 8/);
  });
});

describe("deviations", () => {
  test("of a line they are a regression that is robust: a scan of Huber's loss", async () => {
    const w = [1, 2, -1, 0.5, 1.5];
    const line = graph({ z: float64("N", 1) }, ({ z }) => ({ x: z.mul([w]) }));
    const y = Float64Array.from(w, (v, k) => 0.8 * v + (k === 2 ? 3 : 0.02 * k));
    const lambda = 0.3;
    // min over nu of (r - nu)^2 + lambda |nu| is Huber's loss of r.
    const huber = (r: number): number =>
      Math.abs(r) <= lambda / 2 ? r * r : lambda * Math.abs(r) - lambda ** 2 / 4;
    let [best, least] = [0, Number.POSITIVE_INFINITY];
    for (let z = -3; z <= 3; z += 1e-4) {
      const value = w.reduce((sum, v, k) => sum + huber(y[k]! - z * v), 0);
      if (value < least) [best, least] = [z, value];
    }
    const found = await sparseDeviations(generatorOf(line), identityOperator(5), y, createRandom(1), {
      ...{ lambda, restarts: 2, steps: 100, rounds: 200 },
    });
    expect(found.objectives.at(-1)).toBeCloseTo(least, 5);
    expect(found.z[0]).toBeCloseTo(best, 2);
    expect([...found.deviation].map((v) => v !== 0)).toEqual([false, false, true, false, false]);
    found.objectives.slice(1).forEach((v, k) => {
      expect(v).toBeLessThanOrEqual(found.objectives[k]! * (1 + 1e-9));
    });
  });

  test("moduli: the nearest of both signs of every line", async () => {
    // |z| (1, 2) is nearest to (3, 1) where |z| = (3 + 2) / 5.
    const line = graph({ z: float64("N", 1) }, ({ z }) => ({ x: z.mul([[1, -2]]) }));
    const found = await latentDescent(
      generatorOf(line),
      identityOperator(2),
      Float64Array.of(3, 1),
      createRandom(1),
      { measured: "modulus", restarts: 3, steps: 100 },
    );
    expect(Math.abs(found.z[0]!)).toBeCloseTo(1, 6);
    expect(found.objective).toBeCloseTo(5, 9);
  });
});

describe("training", () => {
  /** 5 x 5 pictures with one row or column lit: 10 kinds. */
  const bars = Float32Array.from({ length: 200 * 25 }, (_, k) => {
    const [picture, pixel] = [Math.floor(k / 25), k % 25];
    const which = picture % 5;
    return Number(picture % 10 < 5 ? Math.floor(pixel / 5) === which : pixel % 5 === which);
  });
  const signals = view("float32", [200, 25], bars);
  const mean = Float64Array.from({ length: 25 }, () => 0.2);

  test.each(["vae", "autoencoder"] as const)("%s: a decoder that makes what it saw", async (kind) => {
    const { generator, encoder, losses, ended } = await trainedGenerator(signals, {
      ...{ kind, latent: 6, hidden: [40], epochs: 60, batch: 40, rate: 0.01, seed: 1 },
    });
    expect(ended).toBe("done");
    expect(losses).toHaveLength(60);
    const { z } = await run(encoder!, { x: signals });
    const { x } = await run(generator, { z: z! });
    const found = Float64Array.from(numbers(x!));
    const all = Float64Array.from(bars);
    const repeated = Float64Array.from({ length: all.length }, (_, k) => mean[k % 25]!);
    expect(meanSquaredError(found, all)).toBeLessThan(0.1 * meanSquaredError(repeated, all));
  });

  test("gan: what it makes of noise is like what it saw", async () => {
    // Two kinds of signals, (0.9, 0.1) and (0.1, 0.9): fakes are near one of them, and both are made.
    const kinds = view(
      "float32",
      [200, 2],
      Float32Array.from({ length: 400 }, (_, k) => (Math.floor(k / 2) % 2 === k % 2 ? 0.9 : 0.1)),
    );
    const { generator, encoder } = await trainedGenerator(kinds, {
      ...{ kind: "gan", latent: 2, hidden: [24], epochs: 120, batch: 50, rate: 4e-3, seed: 3 },
    });
    expect(encoder).toBeUndefined();
    const noise = Float32Array.from(createRandom(1).normal(400));
    const fakes = Float64Array.from(
      numbers((await run(generator, { z: view("float32", [200, 2], noise) }))["x"]!),
    );
    const sums = Array.from({ length: 200 }, (_, k) => fakes[2 * k]! + fakes[2 * k + 1]!);
    expect(Math.abs(sums.reduce((a, b) => a + b, 0) / 200 - 1)).toBeLessThan(0.15);
    const first = Array.from({ length: 200 }, (_, k) => fakes[2 * k]!);
    expect(first.filter((v) => v > 0.7).length).toBeGreaterThan(20);
    expect(first.filter((v) => v < 0.3).length).toBeGreaterThan(20);
  });

  test("what it refuses, and where it stops", async () => {
    const none = view("float32", [0, 25], new Float32Array(0));
    await expect(trainedGenerator(none, { kind: "vae" })).rejects.toThrow(/no signals/);
    await expect(trainedGenerator(signals, { kind: "vae", latent: 0 })).rejects.toThrow(/whole numbers/);
    const wild = await trainedGenerator(signals, {
      ...{ kind: "vae", latent: 2, hidden: [4], epochs: 30, rate: 1e30 },
    });
    expect(wild.ended).toBe("diverged");
    expect(wild.losses.length).toBeLessThan(30);
    const stopped = await trainedGenerator(signals, {
      ...{ kind: "vae", latent: 2, hidden: [4], epochs: 30, signal: AbortSignal.abort() },
    });
    expect([stopped.ended, stopped.losses.length]).toEqual(["stopped", 1]);
  });
});
