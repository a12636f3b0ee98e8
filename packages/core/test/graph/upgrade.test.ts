// The canonical form computes what the graph computes: both run in ONNX Runtime on the same numbers.
import { describe, expect, it } from "vitest";
import {
  type Attribute,
  type Graph,
  opsetOf,
  type TensorType,
  type ValueInfo,
} from "../../src/graph/graph.ts";
import { inferTypes } from "../../src/graph/infer.ts";
import { operatorSpec } from "../../src/graph/operators/index.ts";
import { type DataType, numbers, type SparseTensor, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { canonical, canonicalOpset } from "../../src/graph/upgrade.ts";
import { bool, float32, graphWith, int64, nodeWith, ramp, runGraph } from "./operators-runtime.ts";

const int = (value: number): Attribute => ({ type: "int", value: BigInt(value) });
const float = (value: number): Attribute => ({ type: "float", value: Math.fround(value) });
const text = (value: string): Attribute => ({ type: "string", value });
const ints = (...value: number[]): Attribute => ({ type: "ints", value: value.map(BigInt) });
const floats = (...value: number[]): Attribute => ({ type: "floats", value });

interface OldNode {
  readonly opset: number;
  readonly op: string;
  readonly inputs: readonly Tensor[];
  readonly attributes?: Readonly<Record<string, Attribute>>;
  readonly weights?: readonly Tensor[];
  readonly outputs?: number;
  /** Whether the graph declares the shapes of its inputs. */
  readonly declared?: boolean;
}

const signed = (dims: number[], type: "float32" | "float64" = "float32"): Tensor =>
  tensor(
    Array.from(numbers(ramp(dims)), (v, k) => (k % 2 ? 4 * v : -4 * v)),
    { type, dims },
  );

function graphOf({
  opset,
  op,
  inputs,
  weights = [],
  attributes = {},
  outputs = 1,
  declared = true,
}: OldNode): Graph {
  const fed: ValueInfo[] = inputs.map((t, k) => ({
    name: `x${k}`,
    type: declared ? { type: t.type, shape: t.dims } : { type: t.type },
  }));
  const names = [...fed.map((i) => i.name), ...weights.map((_, k) => `w${k}`)];
  const made = Array.from({ length: outputs }, (_, k) => `y${k}`);
  return graphWith({
    inputs: fed,
    outputs: made.map((name) => ({ name, type: { type: "undefined" as DataType } })),
    nodes: [nodeWith(op, names, made, attributes)],
    initializers: new Map(weights.map((w, k) => [`w${k}`, w])),
    opsets: new Map([["", opset]]),
    irVersion: opset >= 9 ? 7 : 4,
  });
}

const feeds = (inputs: readonly Tensor[]) => new Map(inputs.map((t, k) => [`x${k}`, t]));

function expectClose(actual: Tensor, expected: Tensor) {
  expect([actual.type, actual.dims]).toEqual([expected.type, expected.dims]);
  const [a, e] = [numbers(actual), numbers(expected)];
  a.forEach((v, k) => {
    expect(v).toBeCloseTo(e[k]!, 5);
  });
}

/** Runs both forms, and checks that each node of the new one is of the table and of the right shape. */
async function expectSame(graph: Graph, inputs: ReadonlyMap<string, Tensor>): Promise<Graph> {
  const today = canonical(graph);
  expect(opsetOf(today)).toBeGreaterThanOrEqual(canonicalOpset);
  for (const node of today.nodes) expect(operatorSpec(node.op, node.domain), node.op).toBeDefined();
  const before = await runGraph(graph, inputs);
  const after = await runGraph(today, inputs);
  expect([...after.keys()]).toEqual([...before.keys()]);
  const types = inferTypes(graph);
  for (const [name, expected] of before) {
    expectClose(after.get(name)!, expected);
    const shape = types.get(name)?.shape;
    if (shape)
      expect(shape.map((d, k) => (typeof d === "number" ? d : expected.dims[k]))).toEqual(expected.dims);
  }
  return today;
}

const x = signed([2, 3, 4]);
const image = signed([2, 3, 4, 5]);
const c = (...values: number[]) => float32(values);
const reductions = [
  "ReduceMean",
  "ReduceMax",
  "ReduceMin",
  "ReduceProd",
  "ReduceL1",
  "ReduceL2",
  "ReduceSumSquare",
  "ReduceLogSumExp",
];
const softs = ["Softmax", "LogSoftmax", "Hardmax"];
const all = [7, 9, 11, 12];

const cases: OldNode[] = [
  ...[7, 9, 11].flatMap((opset): OldNode[] => [
    { opset, op: "Squeeze", inputs: [signed([1, 3, 1])], attributes: { axes: ints(0) } },
    { opset, op: "Squeeze", inputs: [signed([1, 3, 1])] },
    { opset, op: "Unsqueeze", inputs: [x], attributes: { axes: ints(0, 2) } },
    { opset, op: "ReduceSum", inputs: [x], attributes: { axes: ints(1), keepdims: int(0) } },
    { opset, op: "ReduceSum", inputs: [x] },
    { opset, op: "Split", inputs: [x], attributes: { axis: int(2), split: ints(1, 3) }, outputs: 2 },
    { opset, op: "Split", inputs: [x], attributes: { axis: int(2) }, outputs: 2 },
    { opset, op: "ArgMax", inputs: [x], attributes: { axis: int(1) } },
    {
      opset,
      op: "MaxPool",
      inputs: [image],
      attributes: { kernel_shape: ints(2, 2) },
      outputs: opset >= 8 ? 2 : 1,
    },
    { opset, op: "Dropout", inputs: [x], attributes: { ratio: float(0.3) } },
    {
      opset,
      op: "LSTM",
      inputs: [signed([3, 1, 2])],
      weights: [signed([1, 8, 2]), signed([1, 8, 2])],
      attributes: { hidden_size: int(2) },
      outputs: 3,
    },
    { opset, op: "Gemm", inputs: [signed([2, 3]), signed([3, 4]), signed([4])] },
  ]),
  ...[7, 9, 11, 13, 17].flatMap((opset) =>
    reductions.flatMap((op): OldNode[] => [
      { opset, op, inputs: [x], attributes: { axes: ints(0, 2) } },
      { opset, op, inputs: [x], attributes: { keepdims: int(0) } },
    ]),
  ),
  { opset: 13, op: "Split", inputs: [x], attributes: { axis: int(2) }, outputs: 2 },
  ...[11, 17].map(
    (opset): OldNode => ({
      opset,
      op: "Split",
      inputs: [signed([2, 0])],
      attributes: { axis: int(-1) },
      outputs: 3,
    }),
  ),
  { opset: 17, op: "Split", inputs: [x], weights: [int64([1, 3])], attributes: { axis: int(2) }, outputs: 2 },
  {
    opset: 9,
    op: "Slice",
    inputs: [x],
    attributes: { starts: ints(0, -2), ends: ints(1, 999), axes: ints(0, 2) },
  },
  { opset: 7, op: "Slice", inputs: [x], attributes: { starts: ints(1), ends: ints(2) } },
  ...[7, 9, 10].flatMap((opset): OldNode[] => [
    { opset, op: "Clip", inputs: [x], attributes: { min: float(-0.5), max: float(0.7) } },
    { opset, op: "Clip", inputs: [x], attributes: { max: float(0.7) } },
    { opset, op: "Clip", inputs: [x] },
    { opset, op: "Pad", inputs: [x], attributes: { pads: ints(0, 1, 0, 0, 0, 2), value: float(0.5) } },
    { opset, op: "Pad", inputs: [x], attributes: { pads: ints(0, 1, 0, 0, 0, 2), mode: text("reflect") } },
    {
      opset,
      op: "Pad",
      inputs: [signed([2, 3], "float64")],
      attributes: { pads: ints(0, 1, 0, 2), value: float(0.5) },
    },
  ]),
  { opset: 9, op: "TopK", inputs: [x], attributes: { k: int(2), axis: int(1) }, outputs: 2 },
  { opset: 7, op: "TopK", inputs: [x], attributes: { k: int(2) }, outputs: 2 },
  { opset: 10, op: "TopK", inputs: [x], weights: [int64([2])], outputs: 2 },
  {
    opset: 7,
    op: "Upsample",
    inputs: [image],
    attributes: { scales: floats(1, 1, 2, 3), mode: text("nearest") },
  },
  {
    opset: 7,
    op: "Upsample",
    inputs: [image],
    attributes: { scales: floats(1, 1, 2, 3), mode: text("linear") },
  },
  { opset: 9, op: "Upsample", inputs: [image], weights: [c(1, 1, 2.5, 1.7)] },
  {
    opset: 9,
    op: "Upsample",
    inputs: [image],
    weights: [c(1, 1, 2, 1.7)],
    attributes: { mode: text("linear") },
  },
  { opset: 10, op: "Resize", inputs: [image], weights: [c(1, 1, 2.5, 1.7)] },
  { opset: 10, op: "Resize", inputs: [image], weights: [c(1, 1, 0.6, 0.7)] },
  { opset: 10, op: "Resize", inputs: [image], weights: [c(1, 1, 0.6, 1.7)] },
  { opset: 10, op: "Resize", inputs: [image, c(1, 1, 0.6, 1.7)] },
  {
    opset: 10,
    op: "Resize",
    inputs: [image],
    weights: [c(1, 1, 0.6, 1.7)],
    attributes: { mode: text("linear") },
  },
  { opset: 11, op: "Resize", inputs: [image], weights: [c(), c(1, 1, 2, 0.6)] },
  {
    opset: 11,
    op: "Resize",
    inputs: [image],
    weights: [c(), c(), int64([2, 3, 7, 3])],
    attributes: { mode: text("linear") },
  },
  {
    opset: 13,
    op: "Resize",
    inputs: [image],
    weights: [c(), c(), int64([2, 3, 7, 3])],
    attributes: { mode: text("cubic") },
  },
  ...all.flatMap((opset) =>
    softs.flatMap((op): OldNode[] => [
      { opset, op, inputs: [x] },
      { opset, op, inputs: [x], attributes: { axis: int(0) } },
      { opset, op, inputs: [x], attributes: { axis: int(2) } },
      { opset, op, inputs: [x], attributes: { axis: int(1) }, declared: false },
      { opset, op, inputs: [signed([2, 5, 1, 1])], attributes: { axis: int(1) } },
      ...(opset >= 11 ? [{ opset, op, inputs: [x], attributes: { axis: int(-2) } }] : []),
    ]),
  ),
  ...[13, 17].flatMap((opset) => softs.map((op): OldNode => ({ opset, op, inputs: [x] }))),
  ...[7, 9, 13, 14].map(
    (opset): OldNode => ({
      opset,
      op: "BatchNormalization",
      inputs: [image],
      weights: [c(1, 2, 3), c(0, 1, 0), c(0.5, 0, 1), c(1, 2, 0.5)],
      attributes: { epsilon: float(0.01) },
    }),
  ),
  {
    opset: 7,
    op: "BatchNormalization",
    inputs: [image],
    weights: [signed([3, 4, 5]), signed([3, 4, 5]), signed([3, 4, 5]), ramp([3, 4, 5])],
    attributes: { spatial: int(0) },
  },
  {
    opset: 9,
    op: "Scatter",
    inputs: [x],
    weights: [int64([1, 0], [1, 1, 2]), float32([7, 8], [1, 1, 2])],
    attributes: { axis: int(2) },
  },
  {
    opset: 11,
    op: "ScatterElements",
    inputs: [x],
    weights: [int64([1, 0], [1, 1, 2]), float32([7, 8], [1, 1, 2])],
  },
  ...["Sum", "Max", "Min", "Mean"].flatMap((op) =>
    [7, 8, 13].map((opset): OldNode => ({ opset, op, inputs: [x, signed([2, 3, 4])] })),
  ),
  { opset: 8, op: "Expand", inputs: [signed([3, 1])], weights: [int64([2, 1, 4])] },
  { opset: 11, op: "CumSum", inputs: [x], weights: [tensor([1], { type: "int32", dims: [] })] },
  {
    opset: 18,
    op: "GroupNormalization",
    inputs: [signed([1, 4, 2])],
    weights: [c(1, 2), c(0, 1)],
    attributes: { num_groups: int(2) },
  },
  { opset: 7, op: "Cast", inputs: [x], attributes: { to: int(7) } },
  {
    opset: 10,
    op: "AveragePool",
    inputs: [image],
    attributes: { kernel_shape: ints(2, 2), strides: ints(2, 2), ceil_mode: int(1) },
  },
];

describe("canonical", () => {
  it.each(cases.map((usage, k) => [`${usage.op} of opset ${usage.opset} (${k})`, usage] as const))(
    "%s",
    async (_, usage) => {
      const today = await expectSame(graphOf(usage), feeds(usage.inputs));
      expect(today.nodes.map((node) => node.name)).toContain(`the ${usage.op}`);
    },
  );

  it.each([7, 9])(
    "BatchNormalization of opset %i with further outputs trains, used or not",
    async (opset) => {
      const usage: OldNode = {
        opset,
        op: "BatchNormalization",
        inputs: [image],
        weights: [c(1, 2, 3), c(0, 1, 0), c(0.5, 0, 1), c(1, 2, 0.5)],
        outputs: 5,
      };
      const graph = graphOf(usage);
      for (const shown of [1, 3]) {
        const fewer = { ...graph, outputs: graph.outputs.slice(0, shown) };
        await expectSame(fewer, feeds(usage.inputs));
      }
      expect(() => canonical(graph)).toThrow("the saved mean and variance of opset");
    },
  );

  it("a number whose type is not known before the run is cast to it", () => {
    const old = graphOf({ opset: 9, op: "Clip", inputs: [x], attributes: { max: float(0.7) } });
    const untyped = { ...old, inputs: [{ name: "x0", type: { type: "undefined" as const } }] };
    expect(canonical(untyped).nodes.map((n) => [n.op, n.inputs])).toEqual([
      ["CastLike", ["the Clip/max", "x0"]],
      ["Clip", ["x0", "", "the Clip/max_typed"]],
    ]);
  });

  it("writes nothing but what changed", () => {
    const graph = graphWith({ inputs: [], nodes: [nodeWith("Relu", ["x"], ["y"])] });
    expect(canonical(graph)).toBe(graph);
    const old = graphOf({ opset: 9, op: "Relu", inputs: [x] });
    expect(canonical(old)).toBe(canonical(old));
    expect(canonical(canonical(old))).toBe(canonical(old));
    expect(canonical(old).nodes).toEqual(old.nodes);
  });

  it("is a softmax along one axis wherever that is the same", () => {
    const last = graphOf({ opset: 9, op: "Softmax", inputs: [signed([2, 5])] });
    expect(canonical(last).nodes.map((n) => n.op)).toEqual(["Softmax"]);
    const flat = graphOf({ opset: 9, op: "Softmax", inputs: [x] });
    expect(canonical(flat).nodes.map((n) => n.op)).toEqual(["Flatten", "Softmax", "Shape", "Reshape"]);
  });

  it("takes no name that is there already", async () => {
    const graph = graphWith({
      inputs: [{ name: "x", type: { type: "float32", shape: [1, 3] } }],
      outputs: [{ name: "y", type: { type: "float32" } }],
      nodes: [
        { ...nodeWith("Neg", ["x"], ["s/axes"]), name: "n" },
        { ...nodeWith("Squeeze", ["s/axes"], ["y"], { axes: ints(0) }), name: "s" },
      ],
      opsets: new Map([["", 11]]),
      irVersion: 6,
    });
    const today = await expectSame(graph, new Map([["x", signed([1, 3])]]));
    expect(today.nodes[1]?.inputs[1]).toBe("s/axes_2");
  });

  it("makes weights of constants of every form", async () => {
    const forms: Record<string, Attribute> = {
      value: { type: "tensor", value: signed([2]) },
      value_float: float(0.5),
      value_floats: floats(0.5, 2),
      value_int: int(3),
      value_ints: ints(3, 4),
    };
    for (const [form, attribute] of Object.entries(forms)) {
      const graph = graphWith({
        outputs: [
          { name: "y", type: { type: "undefined" } },
          { name: "k", type: { type: "undefined" } },
        ],
        nodes: [nodeWith("Constant", [], ["k"], { [form]: attribute }), nodeWith("Neg", ["k"], ["y"])],
        opsets: new Map([["", 13]]),
      });
      const today = await expectSame(graph, new Map());
      expect(today.nodes.map((n) => n.op)).toEqual(["Identity", "Neg"]);
    }
    const sparse: SparseTensor = { type: "float32", dims: [3], values: c(5), indices: BigInt64Array.of(1n) };
    const graph = graphWith({
      outputs: [{ name: "y", type: { type: "float32" } }],
      nodes: [
        nodeWith("Constant", [], ["k"], { sparse_value: { type: "sparse", value: sparse } }),
        nodeWith("Neg", ["k"], ["y"]),
      ],
    });
    expect(canonical(graph).initializers.get("k")).toBe(sparse);
    expect(inferTypes(graph).get("y")?.shape).toEqual([3]);
  });

  it("reaches into branches and bodies", async () => {
    const scalarBool: TensorType = { type: "bool", shape: [] };
    const branch = (name: string, op: string, attributes: Record<string, Attribute>): Graph =>
      graphWith({
        name,
        nodes: [
          nodeWith("Constant", [], [`${name}_k`], { value: { type: "tensor", value: c(2) } }),
          nodeWith(op, ["x"], [`${name}_h`], attributes),
          nodeWith("Mul", [`${name}_h`, `${name}_k`], [`${name}_y`]),
        ],
        outputs: [{ name: `${name}_y`, type: { type: "float32" } }],
        opsets: new Map([["", 11]]),
      });
    const graph = graphWith({
      inputs: [
        { name: "x", type: { type: "float32", shape: [2, 3, 4] } },
        { name: "c", type: scalarBool },
      ],
      outputs: [{ name: "y", type: { type: "float32" } }],
      nodes: [
        nodeWith("If", ["c"], ["y"], {
          then_branch: { type: "graph", value: branch("then", "Softmax", {}) },
          else_branch: { type: "graph", value: branch("else", "ReduceSum", { axes: ints(1) }) },
        }),
      ],
      opsets: new Map([["", 11]]),
      irVersion: 6,
    });
    for (const condition of [0, 1]) {
      await expectSame(
        graph,
        new Map([
          ["x", x],
          ["c", bool([condition], [])],
        ]),
      );
    }
  });

  it("a branch that is only a constant still runs", async () => {
    const branch = (name: string, value: number): Graph =>
      graphWith({
        name,
        nodes: [nodeWith("Constant", [], [`${name}_y`], { value: { type: "tensor", value: c(value) } })],
        outputs: [{ name: `${name}_y`, type: { type: "float32", shape: [1] } }],
        opsets: new Map([["", 13]]),
      });
    const graph = graphWith({
      inputs: [{ name: "c", type: { type: "bool", shape: [] } }],
      outputs: [{ name: "y", type: { type: "float32" } }],
      nodes: [
        nodeWith("If", ["c"], ["y"], {
          then_branch: { type: "graph", value: branch("then", 1) },
          else_branch: { type: "graph", value: branch("else", 2) },
        }),
      ],
      opsets: new Map([["", 13]]),
    });
    await expectSame(graph, new Map([["c", bool([1], [])]]));
  });

  it("weights of an old file that are listed as inputs are no inputs", async () => {
    const graph = graphWith({
      inputs: [
        { name: "x", type: { type: "float32", shape: [2] } },
        { name: "w", type: { type: "float32", shape: [2] } },
      ],
      outputs: [{ name: "y", type: { type: "float32" } }],
      nodes: [nodeWith("Add", ["x", "w"], ["y"])],
      initializers: new Map([["w", c(1, 2)]]),
      opsets: new Map([["", 8]]),
      irVersion: 3,
    });
    const today = await expectSame(graph, new Map([["x", c(3, 4)]]));
    expect(today.inputs.map((i) => i.name)).toEqual(["x"]);
  });
});
