// Floating-point operations of each operator that computes.
import { type AttributesOf, families, type OperatorName } from "../../graph/operators/index.ts";
import { elementCount } from "../../graph/tensor.ts";

/** The shapes around a node. */
export interface Shapes {
  x(k: number): readonly number[];
  y(k: number): readonly number[];
  readonly inputs: number;
  given(k: number): boolean;
  /** Elements of an input, of an output; by default of the first. */
  in(k?: number): number;
  out(k?: number): number;
}

type Count<K extends OperatorName> = (shapes: Shapes, attributes: AttributesOf<K>) => number;
type Counts = { readonly [K in OperatorName]?: Count<K> };
type Plain = (shapes: Shapes) => number;

const each =
  (times: number): Plain =>
  ({ out }) =>
    times * out();
const eachInput =
  (times: number): Plain =>
  ({ in: elements }) =>
    times * elements();
/** n inputs are combined by n - 1 operations. */
const variadic: Plain = ({ out, inputs }) => (inputs - 1) * out();

const all = (family: object, count: Plain): Counts =>
  Object.fromEntries(Object.keys(family).map((op) => [op, count]));

/** A product of two matrices takes m n k multiplications and as many additions. */
const matmul: Plain = ({ x, out }) => 2 * out() * (x(0).at(-1) ?? 1);
const gemm: Count<"Gemm"> = ({ x, out, given }, { transA }) =>
  2 * out() * x(0)[transA ? 0 : 1]! + (given(2) ? out() : 0);

/** Every element of the output is a sum over the window and the channels of its group. */
const convolution: Plain = ({ x, out, given }) =>
  2 * out() * elementCount(x(1).slice(1)) + (given(2) ? out() : 0);
/** Every element of the input goes into all channels of its group and all places of the window. */
const transposed: Plain = ({ x, in: elements, out, given }) =>
  2 * elements() * elementCount(x(1).slice(1)) + (given(2) ? out() : 0);

const pool = ({ out }: Shapes, { kernel_shape }: { readonly kernel_shape: readonly number[] }): number =>
  out() * elementCount(kernel_shape);

/** Each letter is an index; all their combinations are visited once, with a product and a sum for each further input. */
const einsum: Count<"Einsum"> = ({ x, inputs }, { equation }) => {
  const terms = equation.replaceAll(" ", "").split("->")[0]!.split(",");
  const sizes = new Map<string, number>();
  terms.forEach((term, k) => {
    const dims = x(k);
    const [before, after] = term.split("...") as [string, string | undefined];
    [...before].forEach((letter, i) => {
      sizes.set(letter, dims[i]!);
    });
    const hidden = dims.slice(before.length, dims.length - (after?.length ?? 0));
    if (after !== undefined)
      hidden.toReversed().forEach((d, i) => {
        sizes.set(`...${i}`, Math.max(d, sizes.get(`...${i}`) ?? 1));
      });
    [...(after ?? "")].forEach((letter, i, rest) => {
      sizes.set(letter, dims[dims.length - rest.length + i]!);
    });
  });
  return Math.max(1, 2 * (inputs - 1)) * elementCount([...sizes.values()]);
};

/** Gates of one step: products with the input and with the state, and a few operations on each unit. */
const recurrent =
  (gates: number): Plain =>
  ({ x }) => {
    const [steps, batch, width] = x(0) as [number, number, number];
    const [directions, rows] = x(1) as [number, number];
    const units = rows / gates;
    return directions * steps * batch * (2 * rows * (width + units) + 3 * rows);
  };

/** Both products of each head, and what softmax does between them. */
const attention: Count<"Attention"> = ({ x, in: elements, out, given }, { q_num_heads, softcap }) => {
  const [q, k] = [x(0), x(1)];
  const keys = (k.length === 4 ? k[2]! : k[1]!) + (given(4) ? x(4)[2]! : 0);
  const queries = q.length === 4 ? q[0]! * q[1]! * q[2]! : q[0]! * q[1]! * (q_num_heads ?? 1);
  const capped = softcap === 0 ? 0 : 3; // a quotient, tanh, a product
  return 2 * elements() * keys + (5 + capped) * queries * keys + 2 * out() * keys;
};

/** What follows scores: one function an element, or a softmax. */
const afterwards = (transform: string, scores: number): number =>
  transform === "NONE" ? 0 : scores * (transform.startsWith("SOFTMAX") ? 5 : 1);

/** A comparison for each branch of the trees and each row: as they are written out, more than a row meets on its way. */
const branches =
  (scores: number) =>
  (
    { x, out }: Shapes,
    attributes: { readonly nodes_modes: readonly string[] | undefined; readonly post_transform: string },
  ): number =>
    (x(0)[0] ?? 1) * (attributes.nodes_modes ?? []).filter((mode) => mode !== "LEAF").length +
    afterwards(attributes.post_transform, out(scores));

/** Products with the features, and an intercept for each result if there are any. */
const linearModel =
  (scores: number) =>
  (
    { x, out }: Shapes,
    attributes: { readonly intercepts: readonly number[] | undefined; readonly post_transform: string },
  ): number =>
    2 * out(scores) * (x(0).at(-1) ?? 1) +
    (attributes.intercepts?.length ? out(scores) : 0) +
    afterwards(attributes.post_transform, out(scores));

/** Each pair of numbers that is turned takes four products and two sums; the rest of a head passes. */
const rotation: Count<"RotaryEmbedding"> = ({ x, out }, { rotary_embedding_dim, num_heads }) => {
  const head = x(0).length === 4 ? x(0)[3]! : x(0)[2]! / (num_heads || 1);
  return (3 * out() * (rotary_embedding_dim || head)) / head;
};

/** A reduction that first applies a function to each element. */
const mapped = eachInput(2);

export const countRules: Counts = {
  ...all(families.elementwise, each(1)),
  ...all(families.activation, each(1)),
  ...all(families.comparison, each(1)),
  ...all(families.reduction, eachInput(1)),
  Max: variadic,
  Min: variadic,
  Sum: variadic,
  Mean: ({ out, inputs }) => inputs * out(),
  ReduceL1: mapped,
  ReduceL2: mapped,
  ReduceSumSquare: mapped,
  ReduceLogSumExp: mapped,
  MatMul: matmul,
  Gemm: gemm,
  Einsum: einsum,
  // Elimination: n^3 / 3 multiplications with a subtraction.
  Det: ({ x, in: elements }) => (2 / 3) * elements() * x(0).at(-1)!,
  Conv: convolution,
  ConvTranspose: transposed,
  MaxPool: pool,
  AveragePool: pool,
  LpPool: pool,
  GlobalMaxPool: eachInput(1),
  GlobalAveragePool: eachInput(1),
  GlobalLpPool: mapped,
  // Less the mean, over the deviation, times the scale, plus the bias; the others find mean and variance as well.
  BatchNormalization: each(4),
  InstanceNormalization: each(7),
  GroupNormalization: each(7),
  LayerNormalization: each(7),
  MeanVarianceNormalization: each(5),
  LpNormalization: each(3),
  LRN: ({ out }, { size }) => (2 * size + 3) * out(),
  // The squares, their mean, the quotient, the scale.
  RMSNormalization: each(4),
  RotaryEmbedding: rotation,
  Attention: attention,
  TensorScatter: each(0),
  // Quotient, whole number, ends; difference and product. Products of integers count as those of the numbers that they stand for.
  QuantizeLinear: each(3),
  DequantizeLinear: ({ out, given }) => (given(2) ? 2 : 1) * out(),
  DynamicQuantizeLinear: eachInput(5),
  QLinearMatMul: matmul,
  QLinearConv: ({ x, out, given }) => 2 * out() * elementCount(x(3).slice(1)) + (given(8) ? out() : 0),
  Scaler: each(2),
  Binarizer: each(1),
  Normalizer: each(3),
  ArrayFeatureExtractor: each(0),
  LinearRegressor: linearModel(0),
  LinearClassifier: linearModel(1),
  TreeEnsembleRegressor: branches(0),
  TreeEnsembleClassifier: branches(1),
  // The greatest, the difference to it, exp, the sum, the quotient.
  Softmax: each(5),
  LogSoftmax: each(5),
  Hardmax: each(1),
  RNN: recurrent(1),
  GRU: recurrent(3),
  LSTM: recurrent(4),
  // Along each axis two neighbours at most are weighed.
  Resize: ({ out, x }, { mode }) =>
    mode === "nearest" ? 0 : out() * (mode === "cubic" ? 8 : 4) * Math.max(1, x(0).length - 2),
  ScatterElements: ({ in: elements }, { reduction }) => (reduction === "none" ? 0 : elements(2)),
  ScatterND: ({ in: elements }, { reduction }) => (reduction === "none" ? 0 : elements(2)),
};
