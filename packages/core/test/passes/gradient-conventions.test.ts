// The conventions at kinks, ties and zeros that the heads of the rule files state, and what has no derivative.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { bool, float32, float64, graph, int64 } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import type { AttributesOf, OperatorName } from "../../src/graph/operators/index.ts";
import { type NumericType, numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { gradient } from "../../src/passes/gradient.ts";

type Numbers = readonly number[];

/** The gradients of the sum of f at vectors. */
async function slopes(f: (...x: Value[]) => Value, ...at: Numbers[]): Promise<Numbers[]> {
  const names = at.map((_, k) => `x${k}`);
  const net = graph(Object.fromEntries(names.map((n, k) => [n, float64(at[k]!.length)])), (given) => ({
    y: f(...names.map((n) => given[n]!)),
  }));
  const feeds = Object.fromEntries(names.map((n, k) => [n, tensor(at[k]!)]));
  const found = await run(gradient(net, { unitSeeds: true }), feeds);
  return names.map((n) => [...numbers(found[`grad_${n}`]!)].map((v) => v + 0));
}

const op =
  <K extends OperatorName>(name: K, attributes?: Partial<AttributesOf<K>>) =>
  (first: Value, ...others: Value[]): Value =>
    first.op(name, others, attributes);

describe("at a kink", () => {
  const alpha = Math.fround(0.3);
  it.each([
    ["Relu", op("Relu"), [-1, 0, 1], [0, 0, 1]],
    ["Abs", op("Abs"), [-1, 0, 1], [-1, 0, 1]],
    ["LeakyRelu", op("LeakyRelu", { alpha }), [-1, 0, 1], [alpha, alpha, 1]],
    ["HardSigmoid", op("HardSigmoid", { alpha: 0.25, beta: 0.5 }), [-3, -2, 0, 2, 3], [0, 0, 0.25, 0, 0]],
    ["HardSwish", op("HardSwish"), [-4, -3, 0, 3, 4], [0, 0, 0.5, 1, 1]],
    ["ThresholdedRelu", op("ThresholdedRelu", { alpha: 1 }), [0.5, 1, 1.5], [0, 0, 1]],
    ["Shrink", op("Shrink", { lambd: 0.5, bias: 0.25 }), [-1, -0.5, 0, 0.5, 1], [1, 0, 0, 0, 1]],
    ["Floor", op("Floor"), [-1, 0, 0.5], [0, 0, 0]],
    ["Round", op("Round"), [-0.5, 0, 0.5], [0, 0, 0]],
    ["ReduceL1", op("ReduceL1"), [-2, 0, 3], [-1, 0, 1]],
    ["ReduceL2 at 0", op("ReduceL2"), [0, 0], [0, 0]],
    ["ReduceL2", op("ReduceL2"), [3, 4], [0.6, 0.8]],
  ] as const)("%s", async (_, f, at, expected) => {
    expect(await slopes(f, at)).toEqual([expected]);
  });
  it("Elu and Selu take the left side", async () => {
    expect(await slopes(op("Elu", { alpha }), [0])).toEqual([[alpha]]);
    const [[selu]] = (await slopes(op("Selu", { alpha: 2, gamma: 3 }), [0])) as [[number]];
    expect(selu).toBe(6);
  });
  it("PRelu: the slope's derivative is the negative part", async () => {
    expect(await slopes(op("PRelu"), [-2, 0, 2], [0.5])).toEqual([[0.5, 0.5, 1], [-2]]);
  });
  it("Clip follows the bound at a bound", async () => {
    const expected = [[0, 0, 1, 0, 0], [2], [2]];
    const f = (x: Value, low: Value, high: Value) => x.op("Clip", [low.reshape([]), high.reshape([])]);
    expect(await slopes(f as never, [-2, -1, 0, 1, 2], [-1], [1])).toEqual(expected);
    expect(await slopes(f as never, [0, 3], [1], [1]), "equal bounds").toEqual([[0, 0], [0], [2]]);
    expect(await slopes(f as never, [0, 3], [2], [1]), "exchanged bounds").toEqual([[0, 0], [0], [2]]);
  });
  /** Powers of two are exact in float32, in which the runtime computes Shrink. */
  it("Shrink between its kinks is as steep as differences say", async () => {
    const at = [-1.25, -0.75, -0.25, 0.25, 0.75, 1.25];
    const f = graph({ x: float64(at.length) }, ({ x }) => ({ y: x.op("Shrink", [], { bias: 0.25 }) }));
    const values = async (step: number) => numbers((await run(f, { x: tensor(at.map((v) => v + step)) })).y!);
    const [ahead, behind] = [await values(2 ** -6), await values(-(2 ** -6))];
    const expected = at.map((_, k) => (ahead[k]! - behind[k]!) * 2 ** 5);
    expect(await slopes(op("Shrink", { bias: 0.25 }), at)).toEqual([expected]);
  });
});

describe("at a tie", () => {
  it("Max and Min give to the first of their inputs", async () => {
    expect(await slopes(op("Max"), [1, 2, 3], [2, 2, 2])).toEqual([
      [0, 1, 1],
      [1, 0, 0],
    ]);
    expect(await slopes(op("Min"), [1, 2, 3], [2, 2, 2])).toEqual([
      [1, 1, 0],
      [0, 0, 1],
    ]);
    expect(await slopes(op("Max"), [1, 2], [2, 2], [2, 2])).toEqual([
      [0, 1],
      [1, 0],
      [0, 0],
    ]);
  });
  it("ReduceMax and ReduceMin share it equally", async () => {
    expect(await slopes(op("ReduceMax"), [1, 4, 4, 2])).toEqual([[0, 0.5, 0.5, 0]]);
    expect(await slopes(op("ReduceMin"), [1, 1, 1, 1])).toEqual([[0.25, 0.25, 0.25, 0.25]]);
  });
  it("TopK gives to the first elements, Unique to the first of equal ones", async () => {
    const top = (x: Value) => x.builder.apply("TopK", [x, tensor([2], { type: "int64" })], {}, 2)[0]!;
    expect(await slopes(top, [3, 1, 3, 3])).toEqual([[1, 0, 1, 0]]);
    expect(await slopes(op("Unique"), [3, 1, 3, 1])).toEqual([[1, 1, 0, 0]]);
  });
  it("a scatter gives to the update that was written last", async () => {
    const f = (data: Value, updates: Value) =>
      data.op("ScatterND", [tensor([[1], [0], [1]], { type: "int64" }), updates]);
    expect(await slopes(f as never, [5, 1, 7], [5, 2, 4])).toEqual([
      [0, 0, 1],
      [0, 1, 1],
    ]);
    const g = (data: Value, updates: Value) =>
      data.op("ScatterElements", [tensor([1, -2, 0], { type: "int64" }), updates]);
    expect(await slopes(g as never, [5, 1, 7], [5, 2, 4])).toEqual([
      [0, 0, 1],
      [0, 1, 1],
    ]);
  });
  it("a scatter by max shares it among data and updates", async () => {
    const at = tensor([0, 0, 1], { type: "int64" });
    const f = (data: Value, updates: Value) =>
      data.op("ScatterElements", [at, updates], { reduction: "max" });
    expect(await slopes(f as never, [5, 1, 7], [5, 2, 4])).toEqual([
      [0.5, 0, 1],
      [0.5, 0, 1],
    ]);
  });
});

describe("zeros", () => {
  it("ReduceProd is right with none, one and two zeros", async () => {
    expect(await slopes(op("ReduceProd"), [2, 3, 5])).toEqual([[15, 10, 6]]);
    expect(await slopes(op("ReduceProd"), [2, 0, 5])).toEqual([[0, 10, 0]]);
    expect(await slopes(op("ReduceProd"), [0, 0, 5, 7, 2])).toEqual([[0, 0, 0, 0, 0]]);
  });
  it("ReduceProd has its second derivatives at zeros too", async () => {
    // The Hessian of x y z at (0, 3, 5), applied to (1, 1, 1).
    const first = gradient(
      graph({ x: float64(3) }, ({ x }) => ({ y: x.op("ReduceProd") })),
      { unitSeeds: true },
    );
    const second = gradient(first, { of: ["grad_x"], unitSeeds: true });
    const { grad_x_2 } = await run(second, { x: tensor([0, 3, 5]) });
    expect([...numbers(grad_x_2!)]).toEqual([8, 5, 3]);
  });
  it("Pow has no NaN with respect to its base", async () => {
    const power = (exponent: number) => (x: Value) => x.pow(exponent);
    expect(await slopes(power(0), [0, -1, 2])).toEqual([[0, 0, 0]]);
    expect(await slopes(power(1), [0, -1, 2])).toEqual([[1, 1, 1]]);
    expect(await slopes(power(2), [0, -1, 2])).toEqual([[0, -2, 4]]);
    expect(await slopes(power(3), [0, -2, 2])).toEqual([[0, 12, 12]]);
    expect(await slopes(power(-1), [-2, 2])).toEqual([[-0.25, -0.25]]);
    const [base, exponent] = await slopes(op("Pow"), [0, 0, 0, -2], [0, 1, 2, 3]);
    expect(base).toEqual([0, 1, 0, 12]);
    expect(exponent).toEqual([0, 0, 0, 0]);
  });
  it("Pow has derivative 0 by its exponent where the base is not positive, whatever its value", async () => {
    const [, exponent] = await slopes(op("Pow"), [0, -2, 1], [-1, 0.5, 3]);
    expect(exponent).toEqual([0, 0, 0]);
  });
});

/** Where an operator is constant, nothing comes back: not even an infinite cotangent, which 0 times it would make NaN. */
describe("an infinite cotangent does not pass a slope of 0", () => {
  const at = tensor([0, 1], { type: "int64" });
  const infinity = Number.POSITIVE_INFINITY;
  it.each([
    ["Relu", (x: Value) => x.relu(), [-1, 0, 4], [0, 0, 0.25]],
    ["Max", (x: Value) => x.max(0), [-1, 4], [0, 0.25]],
    ["Min", (x: Value) => x.min(0).neg(), [1, -4], [0, -0.25]],
    ["Max of three", (x: Value) => x.max(0, -5), [-1, 4], [0, 0.25]],
    ["Abs", (x: Value) => x.abs(), [0, -4, 4], [0, -0.25, 0.25]],
    ["LeakyRelu", (x: Value) => x.op("LeakyRelu", [], { alpha: 0 }), [-1, 4], [0, 0.25]],
    ["HardSwish", (x: Value) => x.op("HardSwish"), [-4, 4], [0, 0.25]],
    ["HardSigmoid", (x: Value) => x.op("HardSigmoid", [], { alpha: 0.25, beta: 0.5 }), [-4, 4], [0, 0]],
    ["ThresholdedRelu", (x: Value) => x.op("ThresholdedRelu"), [-4, 4], [0, 0.25]],
    ["ReduceMax", (x: Value) => x.op("ReduceMax"), [-1, 0], [0, infinity]],
    ["ReduceMin", (x: Value) => x.op("ReduceMin"), [0, 1], [infinity, 0]],
    ["ReduceL1", (x: Value) => x.op("ReduceL1"), [0, 0], [0, 0]],
    ["ReduceL2", (x: Value) => x.op("ReduceL2"), [0, 0], [0, 0]],
    ["LpNormalization", (x: Value) => x.op("LpNormalization", [], { axis: 0 }), [0, 0], [0, 0]],
    ["Pow by 0", (x: Value) => x.pow(tensor([0, 0])).sub(1), [2, 3], [0, 0]],
    ["GlobalLpPool", (x: Value) => x.reshape([1, 1, -1]).op("GlobalLpPool", [], { p: 1 }), [0, 0], [0, 0]],
    [
      "ScatterElements by max",
      (x: Value) => x.op("ScatterElements", [at, x.builder.lift([0, 4], "float64")], { reduction: "max" }),
      [-1, 1],
      [0, 0],
    ],
  ] as const)("Sqrt of %s", async (_, f, points, expected) => {
    expect(await slopes((x) => f(x).sqrt(), points)).toEqual([expected]);
  });
  it("nor one by a parameter", async () => {
    const slope = (x: Value, s: Value) => x.op("PRelu", [s]).sub(x).sqrt();
    expect((await slopes(slope as never, [1, 2], [0.5]))[1]).toEqual([0]);
    const step = (d: Value) =>
      d.builder
        .apply("Range", [d.builder.lift(0, "float64"), d.reshape([]).mul(2), d.reshape([])])[0]!
        .sqrt();
    expect(await slopes(step, [4])).toEqual([[0.25]]);
    const marks = (values: Value) =>
      values.builder.apply("OneHot", [at, tensor(2, { type: "int64" }), values])[0]!.sqrt();
    expect(await slopes(marks, [0, 4])).toEqual([[infinity, 0.5]]);
  });
  it("second derivatives too", async () => {
    const net = graph({ x: float64(2) }, ({ x }) => ({ y: x.relu().pow(1.5) }));
    const first = gradient(net, { unitSeeds: true });
    const second = gradient(first, { of: ["grad_x"], unitSeeds: true });
    const { grad_x_2 } = await run(second, { x: tensor([-1, 4]) });
    expect([...numbers(grad_x_2!)]).toEqual([0, 0.375]);
  });
});

describe("types", () => {
  it("a cast between floats passes the cotangent on, one through integers does not", async () => {
    expect(await slopes((x) => x.cast("float32").cast("float64"), [0.1, 2])).toEqual([[1, 1]]);
    expect(await slopes((x) => x.cast("int64").cast("float64"), [0.1, 2])).toEqual([[0, 0]]);
  });
  it("gradients of f32 are f32", async () => {
    const net = graph({ x: float32("N", 3) }, ({ x }) => ({
      y: x
        .op("LeakyRelu")
        .max(0.5)
        .op("ReduceLogSumExp", [[1] as never]),
    }));
    expect(gradient(net, { unitSeeds: true }).outputs[1]!.type.type).toBe("float32");
  });
});

describe("Dropout", () => {
  const ratio = tensor(0.25, { type: "float64" });
  const size = 256; // without a seed ONNX Runtime draws by the clock: of eight numbers it often drops none
  const feeds = {
    x: tensor(Array.from({ length: size }, (_, k) => k + 1)),
    on: tensor([1], { type: "bool", dims: [] }),
  };
  const net = graph({ x: float64(size), on: bool() }, ({ x, on }) => {
    const [y, mask] = x.builder.apply("Dropout", [x, ratio, on], { seed: 4 }, 2);
    return { y: y!, kept: mask!.cast("float64") };
  });
  it("hands back what its mask lets through, scaled", async () => {
    const found = await run(gradient(net, { of: ["y"], unitSeeds: true }), feeds);
    const kept = [...numbers(found.kept!)];
    expect(kept).toContain(0);
    expect([...numbers(found.grad_x!)]).toEqual(kept.map((k) => k / 0.75));
  });
  it("hands nothing back to what it dropped, not even an infinity", async () => {
    const root = graph({ x: float64(size), on: bool() }, ({ x, on }) => ({
      y: x.op("Dropout", [ratio, on]).sqrt(),
    }));
    const { y, grad_x } = await run(gradient(root, { unitSeeds: true }), feeds);
    expect([...numbers(y!)]).toContain(0);
    numbers(y!).forEach((value, k) => {
      expect(numbers(grad_x!)[k]).toBeCloseTo(value === 0 ? 0 : 0.5 / value / 0.75, 12);
    });
  });
  it("does nothing when it does not train", async () => {
    const still: Record<string, Tensor> = { ...feeds, on: tensor([0], { type: "bool", dims: [] }) };
    const found = await run(gradient(net, { of: ["y"], unitSeeds: true }), still);
    expect([...numbers(found.grad_x!)]).toEqual(new Array<number>(size).fill(1));
  });
  it("finds its mask when nobody asked for it", async () => {
    const blind = graph({ x: float64(size), on: bool() }, ({ x, on }) => ({
      y: x.op("Dropout", [ratio, on]),
    }));
    const { y, grad_x } = await run(gradient(blind, { unitSeeds: true }), feeds);
    const [dropped, kept] = [0, 1 / 0.75];
    expect(new Set(numbers(grad_x!))).toEqual(new Set([dropped, kept]));
    numbers(y!).forEach((value, k) => {
      expect(value).toBeCloseTo(numbers(grad_x!)[k]! * (k + 1), 12);
    });
  });
});

describe("what has no derivative", () => {
  it("says so, and why", () => {
    const product = graph({ x: float64(2, 3), axes: int64(1) }, ({ x, axes }) => ({
      y: x.op("ReduceProd", [axes]),
    }));
    expect(() => gradient(product)).toThrow(/ReduceProd node .*: its axes are not known before it runs/);
    const at = tensor([0, 1], { type: "int64" });
    const scatter = graph({ x: float64(3), u: float64(2) }, ({ x, u }) => ({
      y: x.op("ScatterElements", [at, u], { reduction: "mul" }),
    }));
    expect(() => gradient(scatter)).toThrow(/"mul" has no derivative with respect to the updates/);
    expect(() => gradient(scatter, { wrt: ["x"] })).not.toThrow();
    const one = (build: (x: Value) => Value) => () =>
      gradient(graph({ x: float64(3) }, ({ x }) => ({ y: build(x) })));
    expect(one((x) => x.op("Celu", [], { alpha: 0 }))).toThrow(/alpha = 0/);
    const [first, beyond, axis, back] = [[2], [2 ** 31 - 1], [0], [-1]].map((n) =>
      tensor(n, { type: "int64" }),
    );
    expect(one((x) => x.op("Slice", [first, beyond, axis, back]))).toThrow(/backwards to INT_MAX/);
  });
});

describe("a cast", () => {
  const through = (...types: readonly NumericType[]): Graph =>
    graph({ x: float32(2) }, ({ x }) => ({ y: types.reduce((value, type) => value.cast(type), x.mul(3)) }));
  const slopeOf = async (net: Graph): Promise<Numbers> => {
    const found = await run(gradient(net, { unitSeeds: true }), { x: tensor([1, 2], { type: "float32" }) });
    return [...numbers(found["grad_x"]!)].map((v) => v + 0);
  };
  it.each([
    [["float64", "float32"], 3],
    [["bfloat16", "float32"], 3],
    [["float16", "float32"], 3],
    [["int32", "float32"], 0],
  ] as const)("to %j and back has slope %d", async (types, slope) => {
    expect(await slopeOf(through(...types))).toEqual([slope, slope]);
  });
});

describe("what an unknown operator gives", () => {
  it.each(["Cast", "Mish", "Relu"] as const)("is not differentiated through %s", (op) => {
    const known = graph({ x: float32(2) }, ({ x }) => ({
      y: op === "Cast" ? x.abs().cast("float64") : x.abs().op(op),
    }));
    const foreign = { ...known.nodes[0]!, op: "SVMRegressor", domain: "ai.onnx.ml", name: "svm" };
    const net = { ...known, nodes: [foreign, ...known.nodes.slice(1)], valueTypes: new Map() };
    expect(() => gradient(net)).toThrow(
      /^the gradient pass cannot read ai\.onnx\.ml\.SVMRegressor node "svm"/,
    );
  });
});
