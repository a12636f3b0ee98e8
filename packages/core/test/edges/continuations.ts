// What may come after a value of a shape: the nodes of graphs of a few operators.

import type { OperatorName } from "../../src/graph/operators/index.ts";
import { elementCount, isFloat, type NumericType, type Tensor, tensor } from "../../src/graph/tensor.ts";
import type { Random } from "../../src/numbers/random.ts";
import type { OperatorCase } from "../graph/operators-runtime.ts";
import { chance, drawInteger, drawTensor, oneOf, withoutZeros } from "./edge-values.ts";
import { type Usage, usageOf } from "./mutate.ts";

type Draw = (random: Random, x: Tensor) => Usage;
const words = (text: string): OperatorName[] => text.split(" ") as OperatorName[];

const bends = words(
  "Relu LeakyRelu Abs Neg Identity Clip HardSigmoid HardSwish ThresholdedRelu Shrink PRelu Sign Floor Ceil Round",
);
const curves = words(
  "Tanh Sigmoid Exp Sin Cos Erf Gelu Softplus Softsign Elu Selu Celu Mish Atan Sqrt Log Reciprocal Softmax LogSoftmax Hardmax",
);
const pairs = words("Add Sub Mul Div Max Min Sum Mean Pow Mod PRelu Less Greater Equal");
const reductions = words(
  "ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSumExp",
);
const castTypes = [1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 16, 17, 19];

const integers = (random: Random, count: number): Tensor => ({
  type: "int64",
  dims: [count],
  data: BigInt64Array.from({ length: count }, () => drawInteger(random, true)),
});
const list = (values: readonly number[]): Tensor =>
  tensor([...values], { type: "int64", dims: [values.length] });
const axis = (random: Random, { dims }: Tensor): number =>
  random.integer(-dims.length, Math.max(0, dims.length - 1));

const use = (op: OperatorName, inputs: readonly (Tensor | "")[], attributes = {}, outputs = 1): Usage => {
  const weights = inputs.flatMap((_, k) => (k > 0 ? [k] : []));
  return usageOf(op, { inputs, weights, attributes, outputs } as OperatorCase);
};

/** A constant that can be broadcast to the value's shape, or beyond it. */
function beside(random: Random, x: Tensor): Tensor {
  const dims = x.dims.map((d) => (chance(random, 0.4) ? 1 : d)).slice(random.integer(0, x.dims.length));
  return drawTensor(random, x.type as NumericType, chance(random, 0.1) ? [2, ...x.dims] : dims);
}

const unary: Draw = (random, x) => {
  const op = oneOf(random, chance(random, 0.6) ? bends : curves);
  if (op === "PRelu") return use(op, [x, beside(random, x)]);
  if (op !== "Clip") return use(op, [x]);
  const end = (): Tensor | "" => (chance(random, 0.3) ? "" : drawTensor(random, x.type as NumericType, []));
  return use(op, [x, end(), end()]);
};
const pair: Draw = (random, x) => use(oneOf(random, pairs), [x, withoutZeros(beside(random, x))]);
/** The value with itself, or with a bend of itself: what is the same value twice has rules of its own. */
const twice: Draw = (random, x) => {
  const op = oneOf(random, pairs);
  return use(!isFloat(x.type) && /^(Div|Mod)$/.test(op) ? "Add" : op, [x, x]);
};
const reduce: Draw = (random, x) => {
  const some = Array.from({ length: random.integer(0, 2) }, () => axis(random, x));
  const attributes = { keepdims: random.integer(0, 1), noop_with_empty_axes: random.integer(0, 1) };
  return use(oneOf(random, reductions), chance(random, 0.2) ? [x] : [x, list(some)], attributes);
};
const slice: Draw = (random, x) => {
  const count = random.integer(1, Math.max(1, x.dims.length));
  const axes = [...random.permutation(Math.max(1, x.dims.length))].slice(0, count);
  const steps = axes.map(() => oneOf(random, [1, 1, 1, 2, -1, -2]));
  return use("Slice", [x, integers(random, count), integers(random, count), list(axes), list(steps)]);
};
const move: Draw = (random, x) => {
  const rank = x.dims.length;
  const n = elementCount(x.dims);
  return oneOf(random, [
    () => use("Transpose", [x], { perm: [...random.permutation(rank)] }),
    () => use("Reshape", [x, list(oneOf(random, [[-1], [0, -1], [1, -1], [n, 1], [1, 1, n]]))]),
    () => use("Flatten", [x], { axis: axis(random, x) }),
    () => use("Unsqueeze", [x, list([axis(random, x)])]),
    () => use("Squeeze", [x]),
    () => use("Concat", [x, beside(random, x)], { axis: axis(random, x) }),
    () => use("Gather", [x, list([random.integer(-2, 2), random.integer(-1, 1)])], { axis: axis(random, x) }),
    () => use("Tile", [x, list(x.dims.map(() => random.integer(0, 2)))]),
    () => use("Expand", [x, list([2, ...x.dims])]),
    () =>
      use("Pad", [x, list(Array.from({ length: 2 * rank }, () => random.integer(-1, 2)))], {
        mode: oneOf(random, ["constant", "edge", "reflect", "wrap"]),
      }),
    () => use("Split", [x], { axis: axis(random, x), num_outputs: 2 }, 2),
    () =>
      use("CumSum", [x, list([axis(random, x)])], {
        reverse: random.integer(0, 1),
        exclusive: random.integer(0, 1),
      }),
    () =>
      use(
        "TopK",
        [x, list([random.integer(0, 2)])],
        { axis: axis(random, x), sorted: random.integer(0, 1), largest: random.integer(0, 1) },
        2,
      ),
    () => use("Trilu", [x], { upper: random.integer(0, 1) }),
  ])();
};
const linear: Draw = (random, x) => {
  const type = (isFloat(x.type) ? x.type : "float32") as NumericType;
  const width = random.integer(1, 3);
  const last = x.dims.at(-1) ?? 1;
  const w = drawTensor(random, type, [last, width]);
  const batched = drawTensor(random, type, [2, last, width]);
  const bias = drawTensor(random, type, oneOf(random, [[width], [], [1, width], [1]]));
  return oneOf(random, [
    () => use("MatMul", [x, chance(random, 0.3) ? batched : w]),
    () => use("Gemm", [x, w, bias], { alpha: oneOf(random, [1, 0.5, -2]), beta: oneOf(random, [1, 0.5, 0]) }),
    () => use("Einsum", [x, w], { equation: "...i,ij->...j" }),
  ])();
};
const cast: Draw = (random, x) => use("Cast", [x], { to: oneOf(random, castTypes) });

const draws: readonly Draw[] = [
  unary,
  unary,
  unary,
  pair,
  pair,
  twice,
  reduce,
  slice,
  move,
  move,
  linear,
  linear,
  cast,
];

/** A node that reads the value, which the runtime may still refuse. */
export const continuation = (random: Random, x: Tensor): Usage => oneOf(random, draws)(random, x);
