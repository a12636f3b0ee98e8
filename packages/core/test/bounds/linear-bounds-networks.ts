// Random networks of every operator that the linear bounds read, on batches of vectors of six numbers.

import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";

export const width = 6;

const matrix = (random: Random, rows: number, columns: number): number[][] =>
  Array.from({ length: rows }, () => Array.from(random.normal(columns), (w) => w / Math.sqrt(columns)));
const vector = (random: Random, count: number): number[] => Array.from(random.normal(count), (w) => w / 2);
const affine = (x: Value, random: Random): Value =>
  x.affine(matrix(random, width, width), vector(random, width));
const integers = (...values: number[]) => tensor(values, { type: "int64" });
const image = (x: Value): Value => x.reshape([-1, 1, 2, 3]);
const flat = (x: Value): Value => x.reshape([-1, width]);
/** Six numbers again, from any count that broadcasts. */
const spread = (x: Value, random: Random): Value => x.mul([vector(random, width)]);

/** From [N, 6] to [N, 6]. */
export const operations: Readonly<Record<string, (x: Value, random: Random) => Value>> = {
  Relu: (x) => x.relu(),
  LeakyRelu: (x) => x.op("LeakyRelu", [], { alpha: 0.1 }),
  "LeakyRelu, concave": (x) => x.op("LeakyRelu", [], { alpha: 1.7 }),
  PRelu: (x, random) => x.op("PRelu", [vector(random, width)]),
  Abs: (x) => x.abs(),
  Clip: (x) => x.op("Clip", [-0.4, 0.7]),
  "Clip from below": (x) => x.op("Clip", [-0.1]),
  HardSigmoid: (x) => x.op("HardSigmoid"),
  Sigmoid: (x) => x.sigmoid(),
  Tanh: (x) => x.tanh(),
  Exp: (x) => x.mul(0.5).exp(),
  Softplus: (x) => x.op("Softplus"),
  Softsign: (x) => x.op("Softsign"),
  Atan: (x) => x.op("Atan"),
  Elu: (x) => x.op("Elu", [], { alpha: 0.6 }),
  Max: (x, random) => x.max(affine(x, random), affine(x, random)),
  Min: (x, random) => x.min(affine(x, random)),
  ReduceMax: (x, random) => spread(x.op("ReduceMax", [integers(1)], { keepdims: 1 }), random),
  ReduceMin: (x, random) => spread(x.op("ReduceMin", [integers(1)], { keepdims: 1 }), random),
  ReduceSum: (x, random) => spread(x.sum([1], 1), random),
  ReduceMean: (x, random) => spread(x.mean([1], 1), random),
  "Add, a skip": (x, random) => x.add(affine(x, random).relu()),
  Sub: (x, random) => x.sub(affine(x, random).relu()),
  Sum: (x, random) => x.op("Sum", [affine(x, random), [vector(random, width)], [vector(random, width)]]),
  Mean: (x, random) => x.op("Mean", [affine(x, random), [vector(random, width)]]),
  Neg: (x) => x.neg(),
  Mul: (x, random) => x.mul([vector(random, width)]),
  Div: (x) => x.div([[3, 0.7, -2, 1, 5, -0.3]]),
  MatMul: (x, random) => x.matmul(matrix(random, width, width)),
  "Gemm, scaled": (x, random) =>
    x.op("Gemm", [matrix(random, width, width), vector(random, width)], { alpha: 0.3, beta: 0.7 }),
  "Concat, Slice": (x) =>
    x
      .relu()
      .concat([x], 1)
      .slice(1, 3, 3 + width),
  Gather: (x) => x.gather([5, 0, 0, 2, 1, 3], 1),
  "Concat, MatMul": (x, random) => x.concat([x], 1).matmul(matrix(random, 2 * width, width)),
  Transpose: (x) => flat(x.reshape([-1, 2, 3]).transpose([0, 2, 1])),
  Pad: (x) => x.op("Pad", [integers(0, 2, 0, 1), tensor(0.3)]).slice(1, 1, 1 + width),
  Conv: (x, random) =>
    flat(
      image(x).op("Conv", [tensor([[matrix(random, 3, 3)]]), tensor([0.1])], {
        pads: [1, 1, 1, 1],
        kernel_shape: [3, 3],
      }),
    ),
  MaxPool: (x) => flat(image(x).op("MaxPool", [], { kernel_shape: [2, 2], pads: [0, 0, 1, 1] })),
  AveragePool: (x) => flat(image(x).op("AveragePool", [], { kernel_shape: [3, 3], pads: [1, 1, 1, 1] })),
  GlobalAveragePool: (x, random) => spread(image(x).op("GlobalAveragePool").reshape([-1, 1]), random),
  GlobalMaxPool: (x, random) => spread(image(x).op("GlobalMaxPool").reshape([-1, 1]), random),
  BatchNormalization: (x) =>
    flat(
      x
        .reshape([-1, 2, 3])
        .op("BatchNormalization", [
          tensor([0.7, -1.3]),
          tensor([0.1, 0.2]),
          tensor([0.3, -0.4]),
          tensor([1.1, 0.2]),
        ]),
    ),
};

const positive = (x: Value): Value => x.abs().add(0.5);
const tokens = (x: Value): Value => x.reshape([-1, 3, 2]);
/** Curved operators and operators of several values, from [N, 6] to [N, 6]. */
export const curvedOperations: Readonly<Record<string, (x: Value, random: Random) => Value>> = {
  Gelu: (x) => x.op("Gelu"),
  "Gelu, tanh": (x) => x.mul(2).op("Gelu", [], { approximate: "tanh" }),
  Erf: (x) => x.op("Erf"),
  Log: (x) => positive(x).log(),
  Sqrt: (x) => positive(x).sub(0.4).sqrt(),
  Reciprocal: (x) => positive(x).op("Reciprocal"),
  "Reciprocal, negative": (x) => positive(x).neg().op("Reciprocal"),
  HardSwish: (x) => x.mul(3).op("HardSwish"),
  Mish: (x) => x.mul(2).op("Mish"),
  /** The sigmoid is read twice: otherwise the runtime fuses the product into an operator that it has in f32 only. */
  Silu: (x) => {
    const twice = x.mul(2);
    const s = twice.sigmoid();
    return twice.mul(s).add(s.mul(0.1));
  },
  "Mish, written out": (x) => x.mul(x.op("Softplus").tanh()),
  Celu: (x) => x.op("Celu", [], { alpha: 0.7 }),
  Selu: (x) => x.op("Selu"),
  "Elu, alpha above 1": (x) => x.op("Elu", [], { alpha: 1.8 }),
  Sin: (x) => x.mul(3).op("Sin"),
  Cos: (x) => x.mul(3).op("Cos"),
  Sinh: (x) => x.tanh().op("Sinh"),
  Cosh: (x) => x.tanh().op("Cosh"),
  Asinh: (x) => x.op("Asinh"),
  Acosh: (x) => positive(x).add(0.6).op("Acosh"),
  Atanh: (x) => x.tanh().mul(0.9).op("Atanh"),
  Asin: (x) => x.tanh().op("Asin"),
  Acos: (x) => x.tanh().op("Acos"),
  "Pow 2": (x) => x.pow(2),
  "Pow 3": (x) => x.tanh().pow(3),
  "Pow -1": (x) => positive(x).pow(-1),
  "Pow -2": (x) => positive(x).pow(-2),
  "Pow 0.5": (x) => positive(x).pow(0.5),
  "Pow 1.7, enclosed": (x) => positive(x).pow(1.7),
  Softmax: (x) => x.op("Softmax", [], { axis: 1 }),
  "Softmax, first axis": (x) => flat(tokens(x).op("Softmax", [], { axis: 1 })),
  LogSoftmax: (x) => x.op("LogSoftmax", [], { axis: -1 }),
  "Mul of two": (x, random) => x.mul(affine(x, random).tanh()),
  "Mul, broadcast": (x) => x.mul(x.sum([1], 1)).mul(0.2),
  Square: (x) => x.mul(x),
  "Div of two": (x, random) => x.div(positive(affine(x, random))),
  "Div of a constant": (x, random) => x.builder.lift([vector(random, width)], "float64").div(positive(x)),
  "Div by negatives": (x, random) => affine(x, random).div(x.op("Softplus").add(0.3).neg()),
  "MatMul of two": (x, random) =>
    flat(
      tokens(x)
        .matmul(tokens(affine(x, random)).transpose([0, 2, 1]))
        .matmul(tokens(x)),
    ).mul(0.3),
  Attention: (x, random) => {
    const [q, k, v] = [affine(x, random), affine(x, random), affine(x, random)].map(tokens);
    return flat(
      q!
        .matmul(k!.transpose([0, 2, 1]))
        .mul(0.7)
        .op("Softmax", [], { axis: -1 })
        .matmul(v!),
    );
  },
  LayerNormalization: (x, random) =>
    x.op("LayerNormalization", [vector(random, width), vector(random, width)], { axis: -1, epsilon: 0.1 }),
  InstanceNormalization: (x) =>
    flat(
      x
        .reshape([-1, 2, 3])
        .op("InstanceNormalization", [tensor([1, 0.5]), tensor([0.1, 0])], { epsilon: 0.1 }),
    ),
  ReduceSumSquare: (x, random) => spread(x.op("ReduceSumSquare", [integers(1)], { keepdims: 1 }), random),
  "ReduceL2, enclosed": (x, random) => spread(x.op("ReduceL2", [integers(1)], { keepdims: 1 }), random),
  "ReduceLogSumExp, enclosed": (x, random) =>
    spread(x.op("ReduceLogSumExp", [integers(1)], { keepdims: 1 }), random),
  "Floor, enclosed": (x) => x.add(x.mul(3).op("Floor").mul(0.2)),
  "Sign, enclosed": (x) => x.add(x.op("Sign")),
  "Where, enclosed": (x, random) => {
    const y = affine(x, random);
    return x.builder.apply("Where", [x.op("Greater", [y]), x, y.mul(0.5)])[0]!;
  },
  "Cast to integers, enclosed": (x) => x.mul(4).cast("int64").cast("float64").add(x),
  "ThresholdedRelu, enclosed": (x) => x.op("ThresholdedRelu", [], { alpha: 0.4 }),
  "Shrink, enclosed": (x) => x.op("Shrink", [], { bias: 0.1, lambd: 0.3 }),
  "Einsum, enclosed": (x, random) =>
    x.op("Einsum", [tensor(matrix(random, width, width))], { equation: "ni,ij->nj" }),
  DepthToSpace: (x) =>
    flat(
      x
        .reshape([-1, 6, 1, 1])
        .concat([x.reshape([-1, 6, 1, 1]).mul(2)], 1)
        .slice(1, 0, 4)
        .op("DepthToSpace", [], { blocksize: 2 })
        .reshape([-1, 4])
        .concat([x.slice(1, 0, 2)], 1),
    ),
  LSTM: (x, random) => {
    const w = (rows: number, columns: number) => tensor([matrix(random, rows, columns)]);
    const sequence = x.reshape([-1, 3, 2]).transpose([1, 0, 2]);
    const [, h] = x.builder.apply(
      "LSTM",
      [sequence, w(24, 2), w(24, 6), tensor([vector(random, 48)])],
      { hidden_size: 6 },
      2,
    );
    return flat(h!);
  },
};

/** A chain of random operations with affine maps between them. */
export function randomNetwork(seed: number | string, names: readonly string[]): Graph {
  const random = createRandom(seed);
  return graph({ x: float64("N", width) }, ({ x }) => ({
    y: names
      .reduce(
        (h, name) => affine((operations[name] ?? curvedOperations[name])!(h, random), random),
        affine(x, random),
      )
      .affine(matrix(random, 2, width), vector(random, 2)),
  }));
}
