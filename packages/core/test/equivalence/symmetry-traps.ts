// Networks that look more symmetric than they are: parameters that are no coefficients, and fibres over an axis that is reordered.
import { float32, graph } from "../../src/graph/builder.ts";
import type { Graph, Shape } from "../../src/graph/graph.ts";
import { type Tensor, tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { weight } from "./symmetry-networks.ts";

const integers = (...values: number[]): Tensor => tensor(values, { type: "int64", dims: [values.length] });
/** A parameter with an axis of size 1, which a scale could be given to. */
const parameter = (value: number): Tensor => tensor([value], { type: "float32", dims: [1] });

const network = (shape: Shape, y: (x: Value) => Value): Graph =>
  graph({ x: float32(...shape) }, ({ x }) => ({ y: y(x!) }));

const between = (width: number, f: (h: Value) => Value): Graph =>
  network([2, 3], (x) => f(x.matmul(weight(3, 4)).add(weight(4))).matmul(weight(width, 2)));

/** p f(p)^T for p with weights of its own for each of two places, which f exchanges. */
const exchanged = (p: (x: Value) => Value, exchange: (p: Value) => Value): Graph =>
  network([2, 3, 5], (x) => {
    const own = p(x.matmul(weight(2, 5, 4)));
    return exchange(own).matmul(own.transpose([0, 2, 1]));
  });

const swap = (p: Value) => p.op("Gather", [integers(1, 0)], { axis: 0 });
const reverse = (p: Value) => p.op("Slice", [integers(-1), integers(-9), integers(0), integers(-1)]);
/** One place more before the first: what was at 0 is at 1. */
const shift = (p: Value) =>
  p
    .op("Pad", [integers(1, 0, 0, 0, 0, 0)], { mode: "constant" })
    .op("Slice", [integers(0), integers(2), integers(0)]);

/** An image times W place by place, and convolved with W. */
const convolved = graph({ x: float32(1, 2) }, ({ x }) => {
  const image = x!.matmul(weight(2, 27)).reshape([1, 3, 3, 3]);
  const W = x!.builder.weight(weight(1, 3, 3, 3));
  return {
    y: image.mul(W).op("ReduceSum", [integers(1)]),
    z: image.op("Conv", [W], { pads: [1, 1, 1, 1] }),
  };
});

/** Windows of places {0, 2} and {2}: as many as if they were disjoint. */
const dilated = network([1, 3], (x) =>
  x
    .matmul(weight(3, 4))
    .reshape([1, 1, 4])
    .op("MaxPool", [], { kernel_shape: [2], strides: [2], dilations: [2], ceil_mode: 1 }),
);

/** What each is, and what is left of its symmetries: dimension, signs, permutations. */
export const traps: readonly (readonly [string, Graph, number, number, number])[] = [
  ["the exponent of Pow", between(4, (h) => h.op("Pow", [parameter(2)])), 4, 4, 24],
  ["the bounds of Clip", between(4, (h) => h.op("Clip", [parameter(-0.2), parameter(0.3)])), 0, 0, 24],
  [
    "the value of Pad",
    between(6, (h) => h.op("Pad", [integers(0, 1, 0, 1), parameter(0.7)], { mode: "constant" })),
    0,
    0,
    1,
  ],
  ["places that Gather exchanges", exchanged((p) => p, swap), 0, 0, 24],
  ["places that Gather exchanges after tanh", exchanged((p) => p.tanh(), swap), 0, 0, 24],
  ["places that Slice reverses", exchanged((p) => p.tanh(), reverse), 0, 0, 24],
  ["places that Pad and Slice shift", exchanged((p) => p.tanh(), shift), 0, 0, 24],
  ["places that a convolution sums over", convolved, 0, 0, 6],
  ["windows that are dilated", dilated, 0, 0, 1],
];
