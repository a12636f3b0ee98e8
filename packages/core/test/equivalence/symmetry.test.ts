// Symmetries of networks: whatever the group claims leaves the function as it was, in ONNX Runtime.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  applySymmetry,
  canonicalForm,
  effectiveLogVolume,
  randomSymmetry,
  symmetryGroup,
} from "../../src/equivalence/index.ts";
import { float32, graph, int64 } from "../../src/graph/builder.ts";
import { readModel } from "../../src/graph/onnx/index.ts";
import { tensor } from "../../src/graph/tensor.ts";
import { canonical } from "../../src/graph/upgrade.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { changedWeights, networks, perceptron, relativeDifference, weight } from "./symmetry-networks.ts";
import { traps } from "./symmetry-traps.ts";

// float32 carries 2^-24; a dozen layers of sums with scales of e^(1/2) lose a few digits.
const rounding = 2e-5;

describe("random symmetries leave the function", () => {
  it.each(Object.entries(networks))("of %s", async (_, net) => {
    const random = createRandom("apply");
    const group = symmetryGroup(net);
    for (let k = 0; k < 2; k++) {
      const twin = applySymmetry(net, randomSymmetry(group, random));
      expect(changedWeights(net, twin)).toBeGreaterThan(1);
      expect(await relativeDifference(net, twin, random)).toBeLessThan(rounding);
    }
  });

  it.each(traps)("of one with %s", async (_, net, dimension, signs, permutations) => {
    const random = createRandom("traps");
    const group = symmetryGroup(net);
    expect([group.dimension, group.signs]).toEqual([dimension, signs]);
    expect(Math.exp(group.logPermutations)).toBeCloseTo(permutations, 6);
    for (let k = 0; k < 4; k++) {
      const twin = applySymmetry(net, randomSymmetry(group, random));
      expect(await relativeDifference(net, twin, random)).toBeLessThan(rounding);
    }
    expect(await relativeDifference(net, canonicalForm(net).graph, random)).toBeLessThan(rounding);
  });

  const models = new URL("../../../../../shared/models/", import.meta.url).pathname;
  if (!existsSync(models)) console.warn("tests on ../shared/models left out: no such folder");
  const files = existsSync(models) ? readdirSync(models).filter((f) => f.endsWith(".onnx")) : [];
  it.each(files)("of %s", async (file) => {
    const net = readModel(readFileSync(models + file));
    const random = createRandom(file);
    const group = symmetryGroup(net);
    const twin = applySymmetry(net, randomSymmetry(group, random));
    if (group.logPermutations > 0) expect(changedWeights(canonical(net), twin)).toBeGreaterThan(1);
    expect(await relativeDifference(net, twin, random)).toBeLessThan(rounding);
  });
});

describe("the group of a network", () => {
  const group = (name: string) => symmetryGroup(networks[name]!);
  const lnFactorial = (n: number) =>
    Array.from({ length: n }, (_, k) => Math.log(k + 1)).reduce((a, b) => a + b, 0);

  it.each([
    ["relu", 13, 0, lnFactorial(7) + lnFactorial(6)],
    ["tanh", 0, 13, lnFactorial(7) + lnFactorial(6)],
    ["sigmoid", 0, 13, lnFactorial(7) + lnFactorial(6)],
    ["cosine", 0, 13, lnFactorial(7) + lnFactorial(6)],
    ["gelu", 0, 0, lnFactorial(7) + lnFactorial(6)],
    ["width 1", 2, 0, 0],
    // One permutation for the stream, however many blocks add to it.
    ["residual", 6 + 27, 0, lnFactorial(6) + 3 * lnFactorial(9)],
    // Scales before and after each normalization; the sign of what goes in is free.
    ["batch normalization", 22, 11, lnFactorial(6) + lnFactorial(5)],
    // Three heads: queries with keys, and values with the output, have any 4 x 4 matrix each.
    ["attention", 2 * 3 * 16, 0, lnFactorial(3)],
    ["bidirectional LSTM", 0, 0, 2 * lnFactorial(6)],
    ["pooled rows", 0, 0, 4 * lnFactorial(3)],
  ])("of %s", (name, dimension, signs, logPermutations) => {
    expect(group(name)).toMatchObject({ dimension, signs });
    expect(group(name).logPermutations).toBeCloseTo(logPermutations, 9);
  });

  it("is smaller where an operator reads the order, a bias is shared, or nothing takes the 1 of a sigmoid", () => {
    const hidden = (end: Parameters<typeof perceptron>[0]) => symmetryGroup(perceptron(end, [3, 5, 2]));
    expect(hidden((h) => h.relu().op("CumSum", [tensor(1, { type: "int64" })])).logPermutations).toBe(0);
    expect(hidden((h) => h.add(tensor(0.5, { type: "float32" })).relu()).dimension).toBe(0);
    const noBias = graph({ x: float32("N", 3) }, ({ x }) => ({
      y: x!.affine(weight(5, 3), weight(5)).sigmoid().matmul(weight(5, 2)),
    }));
    expect(symmetryGroup(noBias).signs).toBe(0);
    const W = weight(4, 4);
    const shared = graph({ x: float32("N", 4) }, ({ x }) => ({ y: x!.affine(W).relu().affine(W) }));
    expect(symmetryGroup(shared)).toMatchObject({ logPermutations: 0, dimension: 0 });
  });

  it("is trivial where an operator has no rule, and says which", () => {
    const sorted = graph({ x: float32("N", 3) }, ({ x }) => {
      const [top] = x!.builder.apply(
        "TopK",
        [x!.affine(weight(5, 3), weight(5)).relu(), tensor([2], { type: "int64" })],
        { axis: -1 },
        2,
      );
      return { y: top!.affine(weight(1, 2)) };
    });
    expect(symmetryGroup(sorted)).toMatchObject({
      logPermutations: 0,
      dimension: 0,
      signs: 0,
      unread: ["TopK"],
    });
  });

  it("is trivial where a rank is not known", () => {
    const net = graph({ x: float32(4), shape: int64("rank") }, ({ x, shape }) => ({
      y: x!.op("Reshape", [shape!]).sigmoid().affine(weight(3, 4), weight(3)),
    }));
    expect(symmetryGroup(net)).toMatchObject({ logPermutations: 0, dimension: 0, signs: 0 });
  });

  it("has an end where nothing stands beside something, as ONNX Runtime allows", () => {
    const net = graph({ x: float32(1, 3) }, ({ x }) => {
      const nothing = x!.op("Tile", [tensor([0, 1], { type: "int64" })]);
      return { y: nothing.builder.apply("Concat", [nothing, weight(1, 3)], { axis: -1 })[0]! };
    });
    expect(symmetryGroup(net)).toMatchObject({ logPermutations: 0, dimension: 0 });
  });

  it("gives the volumes of the catalogue: S ln 2B - ln d!", () => {
    const shallow = (d: number) => symmetryGroup(perceptron((h) => h.op("Gelu"), [1, d, 1]));
    for (const [d, ln] of [
      [2, 4.2],
      [4, 5.8],
      [8, 6.7],
      [16, 3.3],
      [32, -14],
      [64, -71],
      [128, -230],
    ] as const)
      expect(Math.abs(effectiveLogVolume(shallow(d), 1) - ln)).toBeLessThan(0.02 * Math.abs(ln) + 0.05);
    expect(() => effectiveLogVolume(shallow(2), 0)).toThrow(/above 0, not 0/);
  });
});
