// Operators at edges where a rule once gave what the runtime does not: integers that lose their fraction, least values,
// casts that round, names used twice, flags that are neither 0 nor 1, means of nothing.
import { describe, expect, it } from "vitest";
import { linearBounds } from "../../src/bounds/linear.ts";
import { run } from "../../src/engine/run.ts";
import { symmetryGroup } from "../../src/equivalence/group.ts";
import { simplify } from "../../src/equivalence/simplify/simplify.ts";
import { GraphError } from "../../src/graph/error.ts";
import type { Attribute, Graph } from "../../src/graph/graph.ts";
import { inferTypes } from "../../src/graph/infer.ts";
import { dataTypes, type NumericType, numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { canonical } from "../../src/graph/upgrade.ts";
import { gradient } from "../../src/passes/gradient.ts";
import { checked } from "../../src/passes/interval/checked.ts";
import { constantTensor } from "../../src/passes/interval/tensor.ts";
import { type IntervalTensor, intervalPass, outputBounds } from "../../src/passes/interval.ts";
import { linearPieces, piecesAlong } from "../../src/passes/pieces.ts";
import { boxSlice, planeRegions } from "../../src/passes/regions/index.ts";
import { graphWith, nodeWith, runGraph } from "../graph/operators-runtime.ts";

const int = (value: number | bigint): Attribute => ({ type: "int", value: BigInt(value) });
const ints = (value: readonly number[]): Attribute => ({ type: "ints", value: value.map(BigInt) });
const of = (
  type: NumericType,
  values: readonly number[],
  dims: readonly number[] = [values.length],
): Tensor => tensor(values, { type, dims });
const output = (name: string) => ({ name, type: { type: "undefined" } as const });

function oneNode(
  op: string,
  inputs: Readonly<Record<string, Tensor>>,
  attributes: Readonly<Record<string, Attribute>> = {},
  weights: Readonly<Record<string, Tensor>> = {},
  outputs: readonly string[] = ["y"],
): Graph {
  return graphWith({
    inputs: Object.entries(inputs).map(([name, t]) => ({ name, type: { type: t.type, shape: t.dims } })),
    initializers: new Map(Object.entries(weights)),
    nodes: [nodeWith(op, [...Object.keys(inputs), ...Object.keys(weights)], outputs, attributes)],
    outputs: outputs.map(output),
  });
}

/** Bounds at a point, and what the runtime computes there: integers must agree, whatever is computed must lie inside. */
async function expectBounded(
  graph: Graph,
  inputs: Readonly<Record<string, Tensor>>,
): Promise<IntervalTensor> {
  const feeds = new Map(Object.entries(inputs));
  const bounds = intervalPass(graph, new Map([...feeds].map(([name, t]) => [name, constantTensor(t)])));
  for (const [name, t] of await runGraph(graph, feeds)) {
    const bound = bounds.get(name)!;
    expect([bound.type, ...bound.dims]).toEqual([t.type, ...t.dims]);
    numbers(t).forEach((v, k) => {
      expect(bound.lower[k], `${name}[${k}] is ${v}`).toBeLessThanOrEqual(v);
      expect(bound.upper[k], `${name}[${k}] is ${v}`).toBeGreaterThanOrEqual(v);
    });
  }
  return bounds.get("y")!;
}

describe("integers", () => {
  const x = of("int32", [1, 2, 2, 5], [2, 2]);

  it.each(["ReduceL2", "ReduceLogSum", "ReduceMean"])("of %s lose their fraction", async (op) => {
    await expectBounded(oneNode(op, { x }), { x });
  });

  it("of ReduceLogSumExp lose it in each power, in ONNX Runtime: refused", async () => {
    const few = of("int64", [6, 5, 5, 5, 5, 5, 5]);
    const graph = oneNode("ReduceLogSumExp", { few });
    expect(Number((await runGraph(graph, new Map([["few", few]]))).get("y")!.data[0])).toBe(6);
    expect(Math.trunc(6 + Math.log(1 + 6 / Math.E))).toBe(7);
    expect(() => intervalPass(graph, new Map([["few", constantTensor(few)]]))).toThrow(/loses its fraction/);
  });

  it("of a mean are whole to the pieces pass too", () => {
    const mean = piecesAlong(oneNode("ReduceMean", { x }), { x }, { x })["y"]!.components[0]!;
    expect(mean.values).toEqual([2, 2]);
  });

  it("of a power lose their fraction", async () => {
    const base = of("int64", [2, 3, -3, 1]);
    await expectBounded(oneNode("Pow", { base }, {}, { exponent: of("int64", [-1, 2, 3, -4]) }), { base });
  });

  it("in a pooled window of int8 are not compared with 0", async () => {
    const image = of("int8", [-5, -6, -7, -8], [1, 1, 2, 2]);
    const graph = oneNode("MaxPool", { image }, { kernel_shape: ints([2, 2]), pads: ints([1, 1, 1, 1]) });
    await expectBounded(graph, { image });
  });

  it("that are interpolated are refused", () => {
    const image = of("int32", [1, 5, 9, 13], [1, 1, 2, 2]);
    const scales = { roi: of("float32", []), scales: of("float32", [1, 1, 2, 2]) };
    const graph = oneNode("Resize", { image }, { mode: { type: "string", value: "linear" } }, scales);
    expect(() => intervalPass(graph, new Map([["image", constantTensor(image)]]))).toThrow(
      /Resize.*integers/,
    );
  });

  it("that may leave their type are refused", () => {
    const a = of("uint8", [3]);
    const graph = oneNode("Sub", { a }, {}, { b: of("uint8", [4]) });
    expect(() => intervalPass(graph, new Map([["a", constantTensor(a)]]))).toThrow(
      /Sub node.*range of uint8/,
    );
    expect(() => piecesAlong(graph, { a }, { a })).toThrow(/Sub node.*range of uint8/);
    const x = of("float32", [-1.5]);
    const cast = oneNode("Cast", { x }, { to: int(dataTypes.indexOf("uint8")) });
    expect(() => intervalPass(cast, new Map([["x", constantTensor(x)]]))).toThrow(
      /Cast node.*range of uint8/,
    );
  });
});

describe("TopK that need not sort", () => {
  it("is bounded in any order", async () => {
    const x = of("float32", [3, 9, 1, 7, 5, 8, 2, 6]);
    const graph = oneNode("TopK", { x }, { sorted: int(0) }, { k: of("int64", [4]) }, ["y", "places"]);
    const y = await expectBounded(graph, { x });
    expect([y.lower[0], y.upper[0]]).toEqual([6, 9]);
  });
});

describe("a cast to a narrower float", () => {
  const x = of("float32", [1 / 3, -1000.1, 1e-9, 2]);
  it.each(["float16", "bfloat16"] as const)("to %s rounds", async (type) => {
    const graph = graphWith({
      inputs: [{ name: "x", type: { type: "float32", shape: [4] } }],
      nodes: [
        nodeWith("Cast", ["x"], ["narrow"], { to: int(dataTypes.indexOf(type)) }),
        { ...nodeWith("Cast", ["narrow"], ["y"], { to: int(dataTypes.indexOf("float32")) }), name: "back" },
      ],
      outputs: [output("y")],
    });
    const y = await expectBounded(graph, { x });
    expect([y.lower[3], y.upper[3]]).toEqual([2, 2]);
    expect(() => piecesAlong(graph, { x }, { x })).toThrow(new RegExp(`Cast node.*rounds to ${type}`));
    await expect(planeRegions(graph, boxSlice([0, 0, 0, 0], [1, 1, 0, 0]))).rejects.toThrow(/Cast node/);
    const { lower, upper } = linearBounds(graph, { lower: numbers(x), upper: numbers(x) });
    const computed = numbers((await runGraph(graph, new Map([["x", x]]))).get("y")!);
    computed.forEach((v, k) => {
      expect(lower[k]! <= v && v <= upper[k]!, `y[${k}] is ${v}`).toBe(true);
    });
  });

  it("to 8 bits is refused", () => {
    const graph = oneNode("Cast", { x }, { to: int(dataTypes.indexOf("float8e4m3fn")) });
    expect(() => intervalPass(graph, new Map([["x", constantTensor(x)]]))).toThrow(/Cast node.*float8e4m3fn/);
  });

  it("like an integer is no identity to regions", async () => {
    const u = of("float32", [0.5]);
    const graph = oneNode("CastLike", { u }, {}, { like: of("int32", [1]) });
    await expect(planeRegions(graph, boxSlice([0], [2]))).rejects.toThrow(/CastLike node.*int32/);
  });
});

describe("flags", () => {
  it("that are neither 0 nor 1 are refused", () => {
    const x = of("float32", [1, 2], [2, 1, 1]);
    const weights = { w: of("float32", [1, 1, 1], [1, 3, 1]), r: of("float32", [1, 1, 1], [1, 3, 1]) };
    const graph = oneNode("GRU", { x }, { hidden_size: int(1), linear_before_reset: int(2) }, weights);
    const box = new Map([["x", constantTensor(x)]]);
    expect(() => intervalPass(graph, box)).toThrow(/GRU node.*linear_before_reset.*neither 0 nor 1/);
    const sum = oneNode("ReduceSum", { x }, { keepdims: int(-1) });
    expect(() => intervalPass(sum, box)).toThrow(/keepdims.*neither 0 nor 1/);
  });
});

describe("a weight of a branch", () => {
  const branch = (name: string, weight: Tensor): Graph =>
    graphWith({
      name,
      nodes: [nodeWith("Add", ["x", "w"], [`${name}_y`])],
      outputs: [output(`${name}_y`)],
      initializers: new Map([["w", weight]]),
    });
  it("with a name of the graph around it is refused", () => {
    const graph = graphWith({
      inputs: [{ name: "x", type: { type: "float32", shape: [1] } }],
      nodes: [
        nodeWith("If", ["yes"], ["y"], {
          then_branch: { type: "graph", value: branch("then", of("float32", [5])) },
          else_branch: { type: "graph", value: branch("else", of("float32", [6])) },
        }),
      ],
      outputs: [output("y")],
      initializers: new Map([
        ["w", of("float32", [1])],
        ["yes", of("bool", [1], [])],
      ]),
    });
    const box = new Map([["x", constantTensor(of("float32", [0]))]]);
    expect(() => intervalPass(graph, box)).toThrow(/weight "w", a name of the graph around it/);
  });
});

describe("a mean of nothing", () => {
  const graph = graphWith({
    inputs: [{ name: "x", type: { type: "float32", shape: [1, 1] } }],
    nodes: [
      nodeWith("Slice", ["x", "one", "one", "axis"], ["none"]),
      nodeWith("ReduceMean", ["none", "axis"], ["mean"]),
      nodeWith("Add", ["x", "mean"], ["y"]),
    ],
    outputs: [output("y")],
    initializers: new Map([
      ["one", of("int64", [1])],
      ["axis", of("int64", [1])],
    ]),
  });
  it("is refused by pieces, regions and bounds", async () => {
    expect(() => linearPieces(graph, 0, 1)).toThrow(/ReduceMean node/);
    await expect(planeRegions(graph, boxSlice([0], [1]))).rejects.toThrow(/ReduceMean node/);
    expect(() => linearBounds(graph, { lower: [0], upper: [1] })).toThrow(/ReduceMean/);
  });
});

describe("the statistics of LayerNormalization", () => {
  it("are f32 whatever is normalized", async () => {
    const x = of("float64", [1, 2, 4, 8], [2, 2]);
    const graph = oneNode("LayerNormalization", { x }, {}, { scale: of("float64", [1, 1]) }, [
      "y",
      "mean",
      "inverse",
    ]);
    const bounds = intervalPass(graph, new Map([["x", constantTensor(x)]]));
    const computed = await runGraph(graph, new Map([["x", x]]));
    for (const [name, t] of computed) expect(bounds.get(name)!.type, name).toBe(t.type);
  });
});

describe("two Identity nodes in a row", () => {
  it("are both taken out by simplify", async () => {
    const x = of("float32", [-2]);
    const graph = graphWith({
      inputs: [{ name: "x", type: { type: "float32", shape: [1] } }],
      nodes: [
        nodeWith("Abs", ["x"], ["a"]),
        { ...nodeWith("Identity", ["a"], ["b"]), name: "first" },
        { ...nodeWith("Identity", ["b"], ["c"]), name: "second" },
        nodeWith("Sin", ["c"], ["y"]),
      ],
      outputs: [output("y")],
    });
    const { graph: smaller } = await simplify(graph);
    expect(smaller.nodes.map(({ op }) => op)).toEqual(["Abs", "Sin"]);
    const feeds = new Map([["x", x]]);
    expect(await runGraph(smaller, feeds)).toEqual(await runGraph(graph, feeds));
  });
});

describe("an enclosure that is empty", () => {
  const bounds = (lower: number, upper: number): IntervalTensor => ({
    type: "float32",
    dims: [1],
    lower: Float64Array.of(lower),
    upper: Float64Array.of(upper),
  });
  it("stops the pass", () => {
    expect(() => checked(bounds(1, 0))).toThrow("1 .. 0 hold no number");
    expect(() => checked(bounds(Number.NaN, 0))).toThrow("NaN");
    expect(checked(bounds(0, 0)).upper[0]).toBe(0);
  });
});

describe("a reduction", () => {
  const x = of("float64", [1, 2, 3, 4, 5, 6], [1, 2, 3]);
  const axes = of("int64", [1, 1]);
  const graph = oneNode("ReduceMean", { x, axes }, { keepdims: int(0) });

  it("along an axis that is said twice has one axis less, and a gradient", async () => {
    const ran = (await runGraph(graph, new Map(Object.entries({ x, axes })))).get("y")!;
    expect(ran.dims).toEqual([1, 3]);
    expect(inferTypes(graph).get("y")?.shape).toBeUndefined();
    const seed = of("float64", [2, 4, 6], [1, 3]);
    const back = await run(gradient(graph, { wrt: ["x"] }), { x, axes, seed_y: seed });
    expect([...numbers(Object.values(back).find((t) => t.dims.length === 3)!)]).toEqual([1, 2, 3, 1, 2, 3]);
  });

  it("of what may be nothing keeps no size of 1 that is sure", () => {
    const { nodes } = oneNode("ReduceSum", { x }, {}, { along: of("int64", [2]) });
    const unknown = graphWith({
      inputs: [{ name: "x", type: { type: "float64", shape: [1, 2, undefined] } }],
      initializers: new Map([["along", of("int64", [2])]]),
      nodes,
      outputs: [output("y")],
    });
    expect(inferTypes(unknown).get("y")?.shape).toEqual([1, 2, undefined]);
  });
});

describe.each(["PRelu", "HardSigmoid", "Elu", "Softsign"])("%s in f64", (op) => {
  it("runs after simplify where it ran before", async () => {
    const x = of("float64", [3, -2], [1, 2]);
    const before = graphWith({
      inputs: [{ name: "x", type: { type: "float64", shape: [1, 2] } }],
      initializers: new Map([["slope", of("float64", [0.5], [])]]),
      nodes: [
        nodeWith(op, op === "PRelu" ? ["x", "slope"] : ["x"], ["h"]),
        nodeWith("Identity", ["h"], ["i"]),
        nodeWith("Neg", ["i"], ["y"]),
      ],
      outputs: [output("y")],
      opsets: new Map([["", 18]]),
    });
    const feeds = new Map([["x", x]]);
    const { graph } = await simplify(before);
    expect(graph.nodes.some(({ op }) => op === "Identity")).toBe(false);
    expect([...numbers((await runGraph(graph, feeds)).get("y")!)]).toEqual([
      ...numbers((await runGraph(before, feeds)).get("y")!),
    ]);
  });
});

describe("what runtimes and opsets do not agree on", () => {
  it("the threshold of a recurrent ThresholdedRelu that is left out", () => {
    const weight = of("float32", [1], [1, 1, 1]);
    const recurrent = (attributes: Readonly<Record<string, Attribute>>) =>
      oneNode(
        "RNN",
        { x: of("float32", [0.3], [1, 1, 1]) },
        {
          hidden_size: int(1),
          activations: { type: "strings", value: ["ThresholdedRelu"] },
          ...attributes,
        },
        { w: weight, r: weight },
      );
    const box = { x: { lower: [0.3], upper: [0.3] } };
    expect(() => outputBounds(recurrent({}), box)).toThrow("needs an alpha");
    const { upper } = outputBounds(
      recurrent({ activation_alpha: { type: "floats", value: [0.25] } }),
      box,
    ).get("y")!;
    expect(upper[0]).toBeCloseTo(0.3, 6);
  });

  it("the mean of a window that is larger than its input", () => {
    const pool = oneNode(
      "AveragePool",
      { x: of("float32", [1, 2, 3], [1, 1, 3, 1]) },
      { kernel_shape: ints([3, 2]), strides: ints([1, 3]), count_include_pad: int(1) },
    );
    expect(() => canonical({ ...pool, opsets: new Map([["", 18]]) })).toThrow("larger than its input");
    expect(canonical({ ...pool, opsets: new Map([["", 19]]) }).nodes).toHaveLength(1);
    const fitting = {
      ...pool,
      opsets: new Map([["", 18]]),
      inputs: [{ name: "x", type: { type: "float32", shape: [1, 1, 3, 2] } as const }],
    };
    expect(canonical(fitting).nodes).toHaveLength(1);
  });

  it("the shape of stacks of matrices without columns", () => {
    const product = (left: readonly number[]) =>
      oneNode("MatMul", { a: of("float32", [], left), b: of("float32", [], [5, 0, 2]) });
    expect(inferTypes(product([4, 1, 2, 0])).get("y")?.shape).toBeUndefined();
    expect(inferTypes(product([5, 2, 0])).get("y")?.shape).toEqual([5, 2, 2]);
  });

  it("what is read when an axis is wrapped around more than once", () => {
    const wrapped = (by: number) =>
      oneNode(
        "Pad",
        { x: of("float32", [1, 2], [2, 1]) },
        { mode: { type: "string", value: "wrap" } },
        { pads: of("int64", [0, by, 0, 0]) },
      );
    expect(() => gradient(wrapped(2))).toThrow("wraps around more than once");
    expect(() => gradient(wrapped(1))).not.toThrow();
  });
});

describe("numbers that are none", () => {
  it("are no sizes", () => {
    const scales = of("float32", [1, 1, Number.NaN, 3e38]);
    const resized = oneNode("Resize", { x: of("float32", [1, 2], [1, 1, 1, 2]) }, {}, { scales });
    const { nodes } = resized;
    const named = { ...resized, nodes: [{ ...nodes[0]!, inputs: ["x", "", "scales"] }] };
    expect(inferTypes(named).get("y")?.shape).toEqual([1, 1, undefined, undefined]);
  });

  it("have no type that a tensor could have", () => {
    expect(() => tensor([1], { type: "undefined" as never })).toThrow(GraphError);
  });
});

describe("an empty list, and a tensor of nothing", () => {
  it("of axes is all of them or none to Squeeze: its shape is not known", () => {
    const squeeze = (dims: readonly number[]) =>
      oneNode("Squeeze", { x: of("float32", [1, 2, 3], dims) }, {}, { axes: of("int64", []) });
    expect(inferTypes(squeeze([1, 3, 1])).get("y")?.shape).toBeUndefined();
    expect(inferTypes(squeeze([3])).get("y")?.shape).toEqual([3]);
  });

  it("of tuples of nothing gathers everything, once for each", async () => {
    const x = of("float32", [1, 2, 3, 4], [2, 2]);
    const pick = oneNode("GatherND", { x }, { batch_dims: int(1) }, { indices: of("int64", [], [2, 0]) });
    expect([...(await expectBounded(pick, { x })).lower]).toEqual([1, 2, 3, 4]);
    const thrice = oneNode("GatherND", { x }, {}, { indices: of("int64", [], [3, 0]) });
    expect((await expectBounded(thrice, { x })).dims).toEqual([3, 2, 2]);
  });

  it("as a kernel is a run without end, which is not begun", async () => {
    const x = of("float32", [], [3, 0, 7, 6]);
    const conv = oneNode("Conv", { x }, { strides: ints([2, 2]) }, { w: of("float32", [], [3, 0, 3, 3]) });
    await expect(run(conv, { x })).rejects.toThrow("never ends");
    const w = of("float32", [], [3, 0, 3, 3]);
    await expect(run(oneNode("Conv", { x, w }), { x, w })).rejects.toThrow("never ends");
  });

  it("of another rank is no weight of an LSTM: symmetries say nothing of it", () => {
    const x = of("float32", [1], [1, 1, 1]);
    const weights = {
      w: of("float32", [1, 1, 1, 1], [1, 4, 1]),
      r: of("float32", [1, 1, 1, 1], [1, 4, 1]),
      b: of("float32", [], [0]),
    };
    const lstm = oneNode("LSTM", { x }, { hidden_size: int(1) }, weights);
    expect(() => symmetryGroup(lstm)).not.toThrow(TypeError);
  });
});

describe("Celu with a negative alpha", () => {
  it("loses no digits in f64, however far it falls", async () => {
    const x = of("float64", [-30, -5, -1e-9, 2]);
    const celu = oneNode("Celu", { x }, { alpha: { type: "float", value: -1 } });
    const { y } = await run(celu, { x });
    const exact = [-Math.expm1(30), -Math.expm1(5), -Math.expm1(1e-9), 2];
    exact.forEach((value, k) => {
      expect(Math.abs(numbers(y!)[k]! / value - 1)).toBeLessThan(1e-14);
    });
  });
});

describe("a running sum along an axis that is not there", () => {
  it("has no symmetry that is known, and no error that nobody understands", () => {
    const x = of("float32", [], [0, 3]);
    const sum = oneNode("CumSum", { x }, {}, { axis: of("int64", [2], []) });
    expect(() => symmetryGroup(sum)).not.toThrow(TypeError);
  });
});
