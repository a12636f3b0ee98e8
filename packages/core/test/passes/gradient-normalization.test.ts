// Gradients of normalizations and soft choices against central differences.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import type { OperatorName } from "../../src/graph/operators/index.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { gradient } from "../../src/passes/gradient.ts";
import { graphOfCase, ramp } from "../graph/operators-runtime.ts";
import { checkGradient, randomTensor } from "./gradient-check.ts";
import { checkOperators, checkTwice, errorOfCase } from "./gradient-layers.ts";

const normalizations: readonly OperatorName[] = [
  "BatchNormalization",
  "InstanceNormalization",
  "GroupNormalization",
  "LayerNormalization",
  "LpNormalization",
  "MeanVarianceNormalization",
  "LRN",
  "Softmax",
  "LogSoftmax",
  "Hardmax",
];
checkOperators(normalizations);
checkTwice(normalizations);

describe("other attributes", () => {
  const image = ramp([2, 5, 3, 2]);
  it.each([
    ["LRN", { size: 1 }],
    ["LRN", { size: 4, alpha: 0.5, beta: 0.3, bias: 2 }],
    ["LRN", { size: 5, alpha: 2 }],
    ["LpNormalization", { p: 1, axis: 1 }],
    ["MeanVarianceNormalization", { axes: [2, 3] }],
  ] as const)("%s %o", async (op, attributes) => {
    expect(await errorOfCase(op, { inputs: [image], attributes })).toBeLessThan(1e-6);
  });

  it("a vector of zeros stays zero under LpNormalization, and nothing comes back", async () => {
    const net = graph({ x: float64(2) }, ({ x }) => ({ y: x.op("LpNormalization") }));
    const { grad_x } = await run(gradient(net, { unitSeeds: true }), { x: tensor([0, 0]) });
    expect(Array.from(numbers(grad_x!))).toEqual([0, 0]);
  });
});

it("MeanVarianceNormalization of two numbers: what is added to their deviation is all that moves", async () => {
  const net = graph({ x: float64(2, 1) }, ({ x }) => ({
    y: x.op("MeanVarianceNormalization", [], { axes: [0] }),
  }));
  const back = async (apart: number): Promise<number[]> => {
    const x = tensor([0, apart], { dims: [2, 1] });
    const { grad_x } = await run(gradient(net), { x, seed_y: tensor([0, 1], { dims: [2, 1] }) });
    return Array.from(numbers(grad_x!));
  };
  // y[1] = s / (s + e) with s = apart / 2: its slope by x[1] is e / (2 (s + e)^2).
  const [s, e] = [1e-4, 1e-9];
  const slope = e / (2 * (s + e) ** 2);
  const [down, up] = await back(2 * s);
  expect(up).toBeCloseTo(slope, 8);
  expect(down).toBeCloseTo(-slope, 8);
  expect((await back(0)).every(Number.isFinite)).toBe(true);
});

it("GroupNormalization of opset 21, with a scale for each channel", async () => {
  const inputs = { x0: randomTensor([2, 4, 3], 1), x1: randomTensor([4], 2), x2: randomTensor([4], 3) };
  const given = { inputs: Object.values(inputs), attributes: { num_groups: 2 } };
  const net = { ...graphOfCase("GroupNormalization", given), opsets: new Map([["", 21]]) };
  expect((await checkGradient(net, inputs)).error).toBeLessThan(1e-6);
});

describe("statistics of the batch", () => {
  const dims = [3, 2, 2, 2];
  const inputs = {
    x: randomTensor(dims, 1),
    scale: randomTensor([2], 2),
    bias: randomTensor([2], 3),
    mean: randomTensor([2], 4),
    variance: randomTensor([2], 5, 0.5, 1),
  };
  const types = { x: float64("N", 2, 2, 2), ...vectors(["scale", "bias", "mean", "variance"]) };
  type Inputs = Readonly<Record<"x" | "scale" | "bias" | "mean" | "variance", Value>>;

  function vectors<K extends string>(names: readonly K[]) {
    return Object.fromEntries(names.map((name) => [name, float64(2)])) as Record<
      K,
      ReturnType<typeof float64>
    >;
  }

  /** BatchNormalization in training, as ONNX defines it. */
  const definition = graph(types, ({ x, scale, bias, mean, variance }: Inputs) => {
    const column = (v: Value) => v.reshape([2, 1, 1]);
    const batchMean = x.mean([0, 2, 3]);
    const centered = x.sub(column(batchMean));
    const batchVariance = centered.mul(centered).mean([0, 2, 3]);
    const scaled = centered.div(column(batchVariance).add(Math.fround(1e-5)).sqrt());
    const running = (old: Value, now: Value) => old.mul(Math.fround(0.9)).add(now.mul(1 - Math.fround(0.9)));
    return {
      y: scaled.mul(column(scale)).add(column(bias)),
      m: running(mean, batchMean),
      v: running(variance, batchVariance),
    };
  });
  const layer = graph(types, ({ x, scale, bias, mean, variance }: Inputs) => {
    const outputs = x.builder.apply(
      "BatchNormalization",
      [x, scale, bias, mean, variance],
      { training_mode: 1 },
      3,
    );
    return { y: outputs[0]!, m: outputs[1]!, v: outputs[2]! };
  });

  it("are right in the definition that the rule is compared with", async () => {
    expect((await checkGradient(definition, inputs)).error).toBeLessThan(1e-6);
  });

  it("BatchNormalization in training has the gradients of its definition", async () => {
    const seeds = {
      seed_y: randomTensor(dims, 6),
      seed_m: randomTensor([2], 7),
      seed_v: randomTensor([2], 8),
    };
    // Only the gradients are asked for: ONNX Runtime has no kernel for the layer itself in training.
    const outputs = Object.keys(inputs).map((name) => `grad_${name}`);
    const [found, exact] = await Promise.all(
      [layer, definition].map((g) => run(onlyGradients(gradient(g)), { ...inputs, ...seeds }, { outputs })),
    );
    for (const name of outputs) expectClose(found![name]!, exact![name]!);
  });
});

/** Without the outputs of the original, and what only they need. */
function onlyGradients(g: ReturnType<typeof gradient>) {
  const outputs = g.outputs.filter((o) => o.name.startsWith("grad_"));
  const nodes = g.nodes.filter((node) => node.op !== "BatchNormalization");
  return { ...g, outputs, nodes };
}

function expectClose(a: Tensor, b: Tensor): void {
  expect(a.dims).toEqual(b.dims);
  const [u, v] = [Array.from(numbers(a)), Array.from(numbers(b))];
  const scale = Math.max(...v.map(Math.abs));
  expect(Math.max(...u.map((value, k) => Math.abs(value - v[k]!)))).toBeLessThan(1e-12 * scale);
}

it("the statistics of LayerNormalization have the gradients of their definition", async () => {
  const layer = graph({ x: float64(3, 4) }, ({ x }) => {
    const outputs = x.builder.apply("LayerNormalization", [x, tensor([1, 1, 1, 1])], {}, 3);
    return { mean: outputs[1]!, inverse: outputs[2]! };
  });
  const definition = graph({ x: float64(3, 4) }, ({ x }) => {
    const centered = x.sub(x.mean([1], 1));
    const variance = centered.mul(centered).mean([1], 1);
    return { mean: x.mean([1], 1), inverse: variance.add(Math.fround(1e-5)).sqrt().op("Reciprocal") };
  });
  const x = randomTensor([3, 4], 1);
  const [found, exact] = await Promise.all(
    [layer, definition].map((g) => run(gradient(g, { unitSeeds: true }), { x })),
  );
  expectClose(found!.grad_x!, exact!.grad_x!);
});

describe("attention", () => {
  /** One head with residual connection and layer normalization. */
  const attention = graph(
    {
      x: float64("N", 5, 4),
      query: float64(4, 3),
      key: float64(4, 3),
      value: float64(4, 4),
      scale: float64(4),
      bias: float64(4),
    },
    ({ x, query, key, value, scale, bias }) => {
      const scores = x
        .matmul(query)
        .matmul(x.matmul(key).transpose([0, 2, 1]))
        .div(Math.sqrt(3));
      const mixed = scores.op("Softmax").matmul(x.matmul(value)).add(x);
      return { y: mixed.op("LayerNormalization", [scale, bias]) };
    },
  );
  const inputs = {
    x: randomTensor([2, 5, 4], 1),
    query: randomTensor([4, 3], 2),
    key: randomTensor([4, 3], 3),
    value: randomTensor([4, 4], 4),
    scale: randomTensor([4], 5, 0.5, 1),
    bias: randomTensor([4], 6),
  };

  it("has the gradient that central differences show", async () => {
    expect((await checkGradient(attention, inputs)).error).toBeLessThan(1e-6);
  });
});
