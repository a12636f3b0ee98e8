import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { alignByActivations } from "../../src/equivalence/alignment/activations.ts";
import { alignByWeights } from "../../src/equivalence/alignment/align.ts";
import { between, lossBarrier } from "../../src/equivalence/alignment/barrier.ts";
import { applySymmetry } from "../../src/equivalence/apply.ts";
import { randomSymmetry } from "../../src/equivalence/element.ts";
import { symmetryGroup } from "../../src/equivalence/group.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";
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

describe("networks that two exporters wrote", () => {
  const weights = (k: number) => random.normal(k);
  const [W, b, V, c] = [weights(6 * 4), weights(6), weights(2 * 6), weights(2)];
  const order = [3, 0, 5, 1, 4, 2];
  const rows = (values: Float64Array, width: number, to: readonly number[]) =>
    Float64Array.from(to.flatMap((k) => [...values.subarray(k * width, (k + 1) * width)]));
  const columns = (values: Float64Array, width: number, to: readonly number[]) =>
    values.map((_, k) => values[Math.floor(k / width) * width + to[k % width]!]!);
  const transposed = (values: Float64Array, width: number) =>
    values.map(
      (_, k) => values[(k % (values.length / width)) * width + Math.floor(k / (values.length / width))]!,
    );
  /** By Gemm, weights as PyTorch has them. */
  const gemm = graph({ x: float64("N", 4) }, ({ x }) => ({
    y: x
      .op("Gemm", [tensor(W, { dims: [6, 4] }), tensor(b)], { transB: 1 })
      .relu()
      .op("Gemm", [tensor(V, { dims: [2, 6] }), tensor(c)], { transB: 1 }),
  }));
  /** By MatMul and Add, with the hidden units in another order, and another name for the input. */
  const matmul = graph({ input: float64("batch", 4) }, ({ input }) => ({
    out: input
      .op("Identity")
      .matmul(tensor(transposed(rows(W, 4, order), 4), { dims: [4, 6] }))
      .add(tensor(rows(b, 1, order)))
      .relu()
      .matmul(tensor(transposed(columns(V, 6, order), 6), { dims: [6, 2] }))
      .add(tensor(c)),
  }));
  const x = tensor(random.normal(20), { dims: [5, 4] });

  it("are aligned by weights and by activations, and stay as they were written", async () => {
    for (const found of [
      await alignByWeights(gemm, matmul, { random }),
      await alignByActivations(gemm, matmul, { x }),
    ]) {
      expect(found.distance.before).toBeGreaterThan(0.5);
      expect([found.distance.after, found.rest, found.movable]).toEqual([0, 0, 6]);
      expect(found.graph.nodes.map((n) => n.op)).toEqual(matmul.nodes.map((n) => n.op));
      const [was, is] = [await run(matmul, { input: x }), await run(found.graph, { input: x })];
      numbers(was["out"]!).forEach((v, k) => {
        expect(Number(numbers(is["out"]!)[k])).toBeCloseTo(Number(v), 12);
      });
    }
  });

  it("have networks between them, for as many examples as are asked for", async () => {
    const { ends } = await alignByWeights(gemm, matmul, { random, size: 5 });
    const { height } = await lossBarrier(ends.reference, ends.aligned, async (net) => {
      const [y] = Object.values(await run(net, { x }));
      return Float64Array.from(numbers(y!)).reduce((sum, v) => sum + v ** 2, 0);
    });
    expect(height).toBeLessThan(1e-9);
  });

  it("weights that belong to no hidden unit count in the distance", async () => {
    const one = (bias: number) =>
      graph({ x: float64("N", 2) }, ({ x }) => ({ y: x.affine([[1, 2]], [bias]) }));
    const { distance, rest, movable } = await alignByWeights(one(0), one(3), { random });
    expect([distance.before, rest, movable]).toEqual([0, 9, 0]);
  });

  it("with other operators they are not of one layout", async () => {
    const net = (alpha: number) =>
      graph({ x: float64("N", 4) }, ({ x }) => ({
        y: x.affine(tensor(W, { dims: [6, 4] }), tensor(b)).op("LeakyRelu", [], { alpha }),
      }));
    await expect(alignByWeights(net(0.1), net(0.2), { random })).rejects.toThrow(
      /not of the same layout: node/,
    );
  });
});
