// Attention, layer normalization and layers for each token, against the same formulas in plain numbers.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/index.ts";
import { type Graph, numbers, type Tensor, tensor } from "../../src/graph/index.ts";
import { createRandom } from "../../src/numbers/random.ts";
import {
  initialNetwork,
  openNetwork,
  parseSpec,
  specFromJson,
  train,
  trainableWeights,
} from "../../src/train/index.ts";
import { weightsAsInputs } from "../../src/train/weights.ts";
import { checkGradient, randomTensor } from "../passes/gradient-check.ts";

type Rows = number[][];
const random = createRandom("attention");
const [tokens, features] = [5, 4];
const X: Rows = Array.from({ length: tokens }, () => Array.from(random.normal(features)));
const rowsOf = (net: Graph, name: string): Rows => {
  const { dims, ...rest } = net.initializers.get(name) as Tensor;
  const values = numbers({ dims, ...rest } as Tensor);
  return Array.from({ length: dims[0]! }, (_, i) =>
    Array.from(values.slice(i * dims[1]!, (i + 1) * dims[1]!)),
  );
};
const times = (a: Rows, b: Rows): Rows =>
  a.map((row) => b[0]!.map((_, j) => row.reduce((sum, v, k) => sum + v * b[k]![j]!, 0)));
const columns = (a: Rows, from: number, to: number): Rows => a.map((row) => row.slice(from, to));

function plainAttention(net: Graph, heads: number, x: Rows): Rows {
  const part = (name: string) => times(x, rowsOf(net, `layer1.${name}.weight`));
  const [Q, K, V] = [part("query"), part("key"), part("value")];
  const size = features / heads;
  const mixed = x.map(() => [] as number[]);
  for (let h = 0; h < heads; h++) {
    const [q, k, v] = [Q, K, V].map((a) => columns(a, h * size, (h + 1) * size)) as [Rows, Rows, Rows];
    q.forEach((query, i) => {
      const powers = k.map((key) =>
        Math.exp(key.reduce((sum, w, c) => sum + w * query[c]!, 0) / Math.sqrt(size)),
      );
      const total = powers.reduce((a, b) => a + b);
      mixed[i]!.push(...v[0]!.map((_, c) => powers.reduce((sum, p, j) => sum + (p / total) * v[j]![c]!, 0)));
    });
  }
  return times(mixed, rowsOf(net, "layer1.output.weight"));
}

describe("attention in a specification", () => {
  it("is the layers as they are written, in one line or as JSON", () => {
    const line =
      "16x8-positions-residual(layernorm-attention(2))-residual(layernorm-tokens(32-relu-8))-flatten-1";
    const block = [
      { layer: "positions" },
      { layer: "residual", layers: ["layernorm", { layer: "attention", heads: 2 }] },
      {
        layer: "residual",
        layers: [{ layer: "layernorm" }, { layer: "tokens", layers: ["32", "relu", "8"] }],
      },
      "flatten",
      "1",
    ];
    expect(specFromJson({ input: [16, 8], layers: block })).toEqual(parseSpec(line));
    expect(parseSpec("3x4-attention-flatten-1").layers[0]).toEqual({ layer: "attention", heads: 1 });
    expect(trainableWeights(initialNetwork(line))).toEqual([
      "layer1.weight",
      ...["layer2.weight", "layer2.bias"],
      ...["query", "key", "value", "output"].map((part) => `layer3.${part}.weight`),
      ...["layer4.weight", "layer4.bias", "layer5.weight", "layer5.bias", "layer6.weight", "layer6.bias"],
      ...["layer7.weight", "layer7.bias"],
    ]);
    expect(openNetwork(line).inputs.length).toBe(1 + trainableWeights(initialNetwork(line)).length);
  });

  it.each([
    ["8-attention(2)", 3, /reads tokens x features/],
    ["3x8-attention(3)", 5, /3 heads must divide the 8 features/],
    ["3x8-attention(0)", 5, /number of heads is a whole number/],
    ["3x8-attention(x)", 5, /number of heads is a whole number/],
    ["8-tokens(3)", 3, /reads tokens x features/],
    ["3x8-tokens(attention(2))", 12, /reads tokens x features/],
    ["3x8-10", 5, /tokens\(\.\.\.\) around it/],
  ])("%s is wrong at character %i", (text, at, message) => {
    expect(() => parseSpec(text)).toThrow(new RegExp(`", character ${at}: .*${message.source}`));
  });

  it.each([1, 2, 4])("of %i heads computes softmax(Q K^T / sqrt(d)) V", async (heads) => {
    const net = initialNetwork(`${tokens}x${features}-attention(${heads})`, { type: "float64", seed: heads });
    const { y } = await run(net, { x: tensor([X]) });
    const found = numbers(y!);
    const expected = plainAttention(net, heads, X).flat();
    for (const [k, v] of expected.entries()) expect(found[k]).toBeCloseTo(v, 12);
  });

  it("normalizes over features, and gives each token the same layers", async () => {
    const net = initialNetwork(`${tokens}x${features}-layernorm-tokens(3-tanh-2)`, { type: "float64" });
    const { y } = await run(net, { x: tensor([X]) });
    const [W, U] = [rowsOf(net, "layer2.weight"), rowsOf(net, "layer3.weight")];
    const expected = X.flatMap((row) => {
      const mean = row.reduce((a, b) => a + b) / features;
      const spread = Math.sqrt(row.reduce((sum, v) => sum + (v - mean) ** 2, 0) / features + 1e-5);
      const hidden = times([row.map((v) => (v - mean) / spread)], W)[0]!.map(Math.tanh);
      return times([hidden], U)[0]!;
    });
    for (const [k, v] of expected.entries()) expect(numbers(y!)[k]).toBeCloseTo(v, 12);
  });

  it("has gradients of all its weights", async () => {
    const net = initialNetwork("3x4-positions-residual(layernorm-attention(2))-tokens(2)-flatten", {
      type: "float64",
    });
    const rename = new Map(trainableWeights(net).map((name) => [name, name.replaceAll(".", "_")]));
    const open = weightsAsInputs(net, rename);
    const weights = [...rename].map(([name, key]) => [key, net.initializers.get(name) as Tensor] as const);
    const inputs = { x: randomTensor([2, 3, 4], 7), ...Object.fromEntries(weights) };
    const { error } = await checkGradient(open, inputs);
    expect(error).toBeLessThan(1e-7); // central differences of step 2e-5: their square, and 2^-52 over the step
  });

  it("can be trained", async () => {
    const x = tensor(random.normal(64 * 12), { dims: [64, 3, 4], type: "float32" });
    const first = numbers(x).filter((_, k) => k % 12 === 0);
    const target = tensor(first, { dims: [64, 1], type: "float32" });
    const net = initialNetwork("3x4-positions-residual(layernorm-attention(2))-flatten-1");
    const { losses } = await train(
      net,
      { x, target },
      { loss: "square", steps: 60, optimizer: "adam", rate: 0.01 },
    );
    expect(losses.at(-1)!).toBeLessThan(losses[0]! / 2);
  });
});
