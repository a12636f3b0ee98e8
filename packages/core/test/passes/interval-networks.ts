// Random networks in which every operator may stand: each layer takes [N, 6] to [N, 6], with numbers of moderate size.

import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import type { OperatorName } from "../../src/graph/operators/index.ts";
import { type Tensor, tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import type { Random } from "../../src/numbers/random.ts";

export const width = 6;

type Layer = (x: Value, random: Random, earlier: Value) => Value;

const weight = (random: Random, ...dims: number[]): Tensor =>
  tensor(random.normal(dims.reduce((n, d) => n * d, 1)), { dims });
const integers = (...values: number[]): Tensor => tensor(values, { type: "int64" });
const positive = (x: Value): Value => x.abs().add(0.5);
const bounded = (x: Value): Value => x.tanh();
const image = (x: Value): Value => x.reshape([-1, 1, 2, 3]);
const row = (x: Value): Value => x.reshape([-1, width]);
/** One number an example, added to all six. */
const spread = (x: Value, number: Value): Value => x.add(number.reshape([-1, 1])).mul(0.5);

const unary =
  (op: OperatorName, attributes: object = {}): Layer =>
  (x) =>
    x.op(op, [], attributes);
const reduce =
  (op: OperatorName): Layer =>
  (x) =>
    spread(x, bounded(x.op(op, [integers(1)], { keepdims: 1 })));

const activations: Partial<Record<OperatorName, Layer>> = Object.fromEntries(
  "Relu LeakyRelu Elu Selu Celu Gelu Sigmoid Softplus Softsign HardSigmoid HardSwish Mish ThresholdedRelu Shrink Abs Neg Sign Floor Ceil Round Erf Sin Cos Tanh Atan Asinh Identity Softmax LogSoftmax Hardmax LpNormalization"
    .split(" ")
    .map((op) => [op, unary(op as OperatorName)]),
);
const reductions: Partial<Record<OperatorName, Layer>> = Object.fromEntries(
  "ReduceSum ReduceMean ReduceMax ReduceMin ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSumExp ReduceProd"
    .split(" ")
    .map((op) => [op, reduce(op as OperatorName)]),
);

export const layers: Partial<Record<OperatorName, Layer>> = {
  ...activations,
  ...reductions,
  Exp: (x) => x.tanh().exp(),
  Log: (x) => positive(x).log(),
  Sqrt: (x) => positive(x).sqrt(),
  Reciprocal: (x) => positive(x).op("Reciprocal"),
  Tan: (x) => bounded(x).op("Tan"),
  Asin: (x) => bounded(x).mul(0.99).op("Asin"),
  Acos: (x) => bounded(x).mul(0.99).op("Acos"),
  Atanh: (x) => bounded(x).mul(0.9).op("Atanh"),
  Acosh: (x) => positive(x).add(1).op("Acosh"),
  Sinh: (x) => bounded(x).op("Sinh"),
  Cosh: (x) => bounded(x).op("Cosh"),
  Pow: (x) => bounded(x).pow(3),
  Mod: (x, random) => x.op("Mod", [tensor([0.5 + random.uniform()])], { fmod: 1 }),
  Add: (x, _, y) => x.add(y).mul(0.5),
  Sub: (x, _, y) => x.sub(y).mul(0.5),
  Mul: (x, _, y) => bounded(x).mul(y),
  Div: (x, _, y) => x.div(positive(y)),
  Max: (x, _, y) => x.max(y),
  Min: (x, _, y) => x.min(y),
  Sum: (x, _, y) => x.op("Sum", [y, x]).mul(0.3),
  Mean: (x, _, y) => x.op("Mean", [y]),
  Clip: (x) => x.op("Clip", [tensor([-1], { dims: [] }), tensor([0.5], { dims: [] })]),
  PRelu: (x, random) => x.op("PRelu", [weight(random, width)]),
  Where: (x, _, y) => x.builder.apply("Where", [x.op("Greater", [y]), x, y.mul(0.5)])[0]!,
  Less: (x, _, y) => x.op("Less", [y]).cast("float64").add(x).mul(0.5),
  And: (x, _, y) =>
    x
      .op("Less", [0.5])
      .op("And", [y.op("LessOrEqual", [0])])
      .cast("float64")
      .add(y),
  Not: (x) => x.op("GreaterOrEqual", [0.1]).op("Not").cast("float64").sub(x),
  MatMul: (x, random) => bounded(x.matmul(weight(random, width, width))),
  Gemm: (x, random) => x.affine(weight(random, width, width), weight(random, width)).mul(0.4),
  Einsum: (x, random) => x.op("Einsum", [weight(random, width, width)], { equation: "ni,ij->nj" }).mul(0.4),
  Conv: (x, random) =>
    row(image(x).op("Conv", [weight(random, 1, 1, 2, 3)], { pads: [1, 1, 0, 1] })).mul(0.4),
  ConvTranspose: (x, random) =>
    row(image(x).op("ConvTranspose", [weight(random, 1, 1, 2, 3)], { pads: [0, 1, 1, 1] })).mul(0.4),
  MaxPool: (x) => row(image(x).op("MaxPool", [], { kernel_shape: [2, 3], pads: [1, 1, 0, 1] })),
  AveragePool: (x) => row(image(x).op("AveragePool", [], { kernel_shape: [2, 3], pads: [1, 1, 0, 1] })),
  LpPool: (x) => row(image(x).op("LpPool", [], { kernel_shape: [2, 3], pads: [1, 1, 0, 1], p: 3 })).mul(0.5),
  GlobalMaxPool: (x) => spread(x, image(x).op("GlobalMaxPool")),
  GlobalAveragePool: (x) => spread(x, image(x).op("GlobalAveragePool")),
  GlobalLpPool: (x) => spread(x, image(x).op("GlobalLpPool")).mul(0.5),
  BatchNormalization: (x, random) =>
    x.op(
      "BatchNormalization",
      [
        weight(random, width),
        weight(random, width),
        weight(random, width),
        tensor(random.uniform(width)),
      ].map((t, k) => (k === 3 ? tensor(Array.from(t.data as Float64Array, (v) => v + 0.2)) : t)),
    ),
  LayerNormalization: (x, random) =>
    x.op("LayerNormalization", [weight(random, width), weight(random, width)], { epsilon: 0.1 }),
  InstanceNormalization: (x, random) =>
    row(image(x).op("InstanceNormalization", [weight(random, 1), weight(random, 1)], { epsilon: 0.1 })),
  LRN: (x) => row(image(x).op("LRN", [], { size: 3 })),
  CumSum: (x) => x.op("CumSum", [tensor([1], { type: "int64", dims: [] })]).mul(0.3),
  TopK: (x) => x.builder.apply("TopK", [x, integers(width)], { axis: 1 }, 2)[0]!,
  ArgMax: (x) => spread(x, x.op("ArgMax", [], { axis: 1 }).cast("float64").mul(0.2)),
  Reshape: (x) => x.reshape([-1, 3, 2]).reshape([-1, width]),
  Transpose: (x) => x.reshape([-1, 3, 2]).transpose([0, 2, 1]).reshape([-1, width]),
  Concat: (x, _, y) => x.slice(1, 0, 2).concat([y.slice(1, 1, 5)], 1),
  Gather: (x) => x.gather([3, 1, 1, 0, 5, 2], 1),
  Pad: (x) => x.slice(1, 1, 4).op("Pad", [integers(0, 2, 0, 1)]),
  Tile: (x) => x.slice(1, 0, 3).op("Tile", [integers(1, 2)]),
  Resize: (x) => row(image(x).op("Resize", [undefined, tensor([1, 1, 1, 1])], { mode: "linear" })),
  ScatterElements: (x, _, y) =>
    x
      .transpose([1, 0])
      .op("ScatterND", [tensor([[4], [0]], { type: "int64" }), y.transpose([1, 0]).slice(0, 0, 2)])
      .transpose([1, 0]),
};

const names = Object.keys(layers) as OperatorName[];

/** A network of so many random layers; its outputs are the values after the last few of them. */
export function randomNetwork(
  random: Random,
  depth: number,
): { readonly graph: Graph; readonly ops: readonly string[] } {
  const ops = Array.from({ length: depth }, () => names[random.integer(0, names.length - 1)]!);
  const net = graph({ x: float64("N", width) }, ({ x }) => {
    let [value, earlier] = [x!, x!];
    const outputs: Record<string, Value> = {};
    ops.forEach((op, k) => {
      const next = layers[op]!(value, random, earlier);
      if (k % 2 === 0) earlier = value;
      value = next;
      if (k >= depth - 3) outputs[`y${k}`] = next.op("Identity");
    });
    return outputs;
  });
  return { graph: net, ops };
}
