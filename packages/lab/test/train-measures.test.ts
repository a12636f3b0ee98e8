import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Graph, numbers, readModel, type Tensor } from "@lemmata/core/graph";
import { measureModel } from "@lemmata/core/measures";
import { pathNorms } from "@lemmata/core/passes";
import { initialNetwork, trainableWeights } from "@lemmata/core/train";
import { describe, expect, it } from "vitest";
import { main } from "../../cli/src/main.ts";
import { chainOf, normOf, pathNorm1, pathNorm2, spectralNorm } from "../src/train/live-measures.ts";
import { contrast, marginsFrom } from "../src/train/margins.ts";
import { gridSize, type Weight } from "../src/train/messages.ts";
import { commandOf } from "../src/train/run-plan.ts";
import { presets, type Settings } from "../src/train/settings.ts";
import { boxAround, taskOf } from "../src/train/task.ts";
import { gridOf, trainerFor } from "../src/train/trainer.ts";

const weightsOf = (graph: Graph): readonly Weight[] =>
  trainableWeights(graph).map((name) => {
    const { dims, data } = graph.initializers.get(name) as Tensor;
    return { name, dims, data: data as Float32Array };
  });

describe("measures that follow a run", () => {
  it("are those of an audit", async () => {
    for (const spec of ["2-16-relu-12-relu-2", "5-3-leakyrelu(0.1)-9-abs-1", "3-2"]) {
      const [net, start] = [3, 4].map((seed) => initialNetwork(spec, { seed, initialization: "pytorch" }));
      const audit = await measureModel(net!, { initial: start! });
      const [weights, first] = [weightsOf(net!), weightsOf(start!)];
      const layers = chainOf(weights);
      expect(layers).toHaveLength(audit.spectralNorms.length);
      for (const [k, layer] of layers.entries())
        expect(spectralNorm(layer)).toBeCloseTo(audit.spectralNorms[k]!, 6);
      expect(pathNorm1(layers)).toBeCloseTo(audit.pathNorm1!, 6);
      expect(pathNorm2(layers)).toBeCloseTo(audit.pathNorm2!, 6);
      expect(normOf(weights)).toBeCloseTo(audit.weightNorm, 6);
      expect(normOf(weights, first)).toBeCloseTo(audit.distanceFromInitial!, 6);
      const paths = await pathNorms(net!);
      expect(pathNorm1(layers)).toBeCloseTo(
        paths.norm1.reduce((sum, v) => sum + v, 0),
        6,
      );
    }
  });
});

describe("a run", () => {
  const settings = { ...presets["two-moons"], hidden: [6], count: 60, batch: 16 };

  it("starts anew with the same losses, and diverges without losing its weights", async () => {
    const task = await taskOf(settings, "");
    const trainer = trainerFor(settings, task);
    const losses = async () => {
      const found: number[] = [];
      for (let k = 0; k < 3; k++) {
        await trainer.advance(4, settings, 1000);
        found.push((await trainer.judge(task.train)).loss);
      }
      return found;
    };
    const first = await losses();
    expect(trainer.step).toBe(12);
    trainer.reset();
    expect(trainer.step).toBe(0);
    expect(await losses()).toEqual(first);
    const before = trainer.weights().map(({ data }) => [...data]);
    const bad = await trainer.advance(50, { ...settings, rate: 1e38, schedule: "constant" }, 1000);
    expect(bad).toBeDefined();
    expect(Number.isFinite(bad!.loss) && bad!.loss < 1e8).toBe(false);
    expect(trainer.weights().map(({ data }) => [...data])).toEqual(before);
    await trainer.close();
  });

  it("judges by the same scores that it shows", async () => {
    for (const loss of ["cross-entropy", "logistic", "square"] as const) {
      const task = await taskOf({ ...settings, loss }, "");
      const trainer = trainerFor({ ...settings, loss }, task);
      const { accuracy, margins, scores } = await trainer.judge(task.test);
      expect(margins).toEqual(marginsFrom(scores, task.test.classes));
      const signs = contrast(scores, scores.length / task.test.classes.length);
      const right = [...signs].filter((s, k) => s > 0 === (task.test.classes[k] === 1)).length;
      expect(accuracy).toBeCloseTo(right / signs.length, 12);
      await trainer.close();
    }
  });

  it("is that of its command line, weight by weight", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lemmata-train-"));
    const cases: readonly Partial<Settings>[] = [
      {},
      { data: "circles", optimizer: "adamw", loss: "square", schedule: "cosine" },
      { data: "spirals", optimizer: "gd", loss: "hinge", activation: "tanh", weightDecay: 0.01 },
      { optimizer: "momentum", batch: 500, l1: 0.01, proximalL1: 0.02, seed: 5, noise: 0.3 },
    ];
    for (const change of cases) {
      const plan: Settings = { ...settings, epochs: 3, ...change };
      const file = join(folder, "net.onnx");
      const words = [...commandOf(plan).matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
      await main([...words.slice(1, -1), file, "--quiet"]);
      const trainer = trainerFor(plan, await taskOf(plan, ""));
      const steps = plan.epochs * trainer.perEpoch;
      await trainer.advance(steps, plan, steps);
      expect(trainer.step).toBe(steps);
      expect(weightsOf(readModel(readFileSync(file)))).toEqual(trainer.weights());
      await trainer.close();
    }
    rmSync(folder, { recursive: true });
  });

  it("is looked at on a square around all points", async () => {
    const { train, test, box } = await taskOf(settings, "");
    const { lower, upper } = box!;
    expect(upper[0] - lower[0]).toBeCloseTo(upper[1] - lower[1], 9);
    for (const { x } of [train, test])
      for (const [k, v] of numbers(x).entries()) {
        expect(v).toBeGreaterThan(lower[(k % 2) as 0 | 1]);
        expect(v).toBeLessThan(upper[(k % 2) as 0 | 1]);
      }
    expect(boxAround([0, 0, 1, 2])).toEqual({ lower: [-0.8, -0.3], upper: [1.8, 2.3] });
    const grid = numbers(gridOf({ lower: [0, 0], upper: [1, 1] }));
    expect([...grid.slice(0, 2)]).toEqual([Math.fround(0.5 / gridSize), Math.fround(1 - 0.5 / gridSize)]);
  });
});
