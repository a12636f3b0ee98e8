// Random networks of every operator that the linear bounds read, on batches of vectors of six numbers.
import { createRandom, type Random } from "../../src/engine/random.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";

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

/** A chain of random operations with affine maps between them. */
export function randomNetwork(seed: number | string, names: readonly string[]): Graph {
  const random = createRandom(seed);
  return graph({ x: float64("N", width) }, ({ x }) => ({
    y: names
      .reduce((h, name) => affine(operations[name]!(h, random), random), affine(x, random))
      .affine(matrix(random, 2, width), vector(random, 2)),
  }));
}
