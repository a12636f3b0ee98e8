import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/engine/random.ts";
import { run } from "../../src/engine/run.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { alignByActivations } from "../../src/symmetry/alignment/activations.ts";
import { alignByWeights } from "../../src/symmetry/alignment/align.ts";
import { between, lossBarrier } from "../../src/symmetry/alignment/barrier.ts";
import { applySymmetry } from "../../src/symmetry/apply.ts";
import { randomSymmetry } from "../../src/symmetry/element.ts";
import { symmetryGroup } from "../../src/symmetry/group.ts";
import { initialNetwork } from "../../src/train/network.ts";

const random = createRandom("alignment");

/** Only the permutations of a random symmetry. */
const permutedCopy = (net: ReturnType<typeof initialNetwork>) => {
  const { permutations } = randomSymmetry(symmetryGroup(net), random);
  return applySymmetry(net, { permutations, scales: new Map(), matrices: new Map() });
};

const specs = {
  dense: "20-32-relu-24-relu-5",
  tanh: "6-16-tanh-16-tanh-2",
  convolutional: "1x8x8-conv6k3-relu-conv8k3s2-relu-flatten-16-tanh-4",
};

describe.each(Object.entries(specs))("alignment by weights, %s", (_name, spec) => {
  const net = initialNetwork(spec, { seed: 5, type: "float64", initialization: "pytorch" });

  it("finds a planted permutation", async () => {
    for (let trial = 0; trial < 5; trial++) {
      const { distance, graph } = await alignByWeights(net, permutedCopy(net), { random });
      expect(distance.before).toBeGreaterThan(0.1);
      expect(distance.after).toBe(0);
      expect(between(net, graph, 1).initializers).toEqual(net.initializers);
    }
  });

  it("finds it by activations, too", async () => {
    const dims = [60, ...spec.split("-")[0]!.split("x").map(Number)];
    const x = tensor(random.normal(dims.reduce((a, b) => a * b)), { dims });
    for (let trial = 0; trial < 3; trial++) {
      const { distance } = await alignByActivations(net, permutedCopy(net), { x });
      expect(distance.before).toBeGreaterThan(0.1);
      expect(distance.after).toBe(0);
    }
  });

  it("changes no function, and never moves away", async () => {
    const other = initialNetwork(spec, { seed: 6, type: "float64", initialization: "pytorch" });
    const { distance, graph } = await alignByWeights(net, other, { random });
    expect(distance.after).toBeLessThan(distance.before);
    const dims = [7, ...spec.split("-")[0]!.split("x").map(Number)];
    const x = tensor(random.normal(dims.reduce((a, b) => a * b)), { dims });
    const [a, b] = [await run(other, { x }), await run(graph, { x })];
    numbers(a["y"]!).forEach((v, k) => {
      expect(Number(numbers(b["y"]!)[k])).toBeCloseTo(Number(v), 10);
    });
  });
});

describe("the line between two networks", () => {
  it("has its ends", async () => {
    const [a, b] = [initialNetwork("2-3-relu-1", { seed: 1 }), initialNetwork("2-3-relu-1", { seed: 2 })];
    expect(between(a, b, 0).initializers).toEqual(a.initializers);
    expect(between(a, b, 1).initializers).toEqual(b.initializers);
    const losses = [0, 1, 5, 2, 4];
    let k = 0;
    const { height } = await lossBarrier(a, b, async () => losses[k++]!, 4);
    expect(height).toBe(3);
  });

  it("says which weights do not fit", () => {
    const [a, b] = [initialNetwork("2-3-relu-1"), initialNetwork("2-4-relu-1")];
    expect(() => between(a, b, 0.5)).toThrow(/shape \[2,3\], its counterpart \[2,4\]/);
  });

  it("layouts that differ are not aligned", async () => {
    const [a, b] = [initialNetwork("2-3-relu-1"), initialNetwork("2-3-relu-3-relu-1")];
    await expect(alignByWeights(a, b, { random })).rejects.toThrow(/not of the same layout/);
  });
});
