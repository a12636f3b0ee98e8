// What each operator does with relevance: the kinds of ways back, and which operator has which.
import type { OperatorName } from "../../graph/operators/index.ts";

/**
 * `layer`: by the rule of its layer; `sum`: in proportion to what each input adds; `route`: back to where each number came
 * from; `pass`: unchanged, number by number;
 * `product`: between gate and signal; `first`: all to the first input; `stop`: nothing, its result counts as a constant.
 */
export type Way = "layer" | "sum" | "route" | "pass" | "product" | "first" | "stop";

const ways: Readonly<Record<Way, string>> = {
  layer: "Conv ConvTranspose Gemm MatMul",
  sum: "Add Sub Sum Mean AveragePool GlobalAveragePool ReduceMean ReduceSum CumSum BatchNormalization Einsum",
  route:
    "Identity Cast CastLike Reshape Flatten Squeeze Unsqueeze Transpose Concat Split Slice Pad Gather GatherElements GatherND Expand Tile MaxPool GlobalMaxPool ReduceMax ReduceMin Max Min Where DepthToSpace SpaceToDepth ReverseSequence Compress TopK Trilu ScatterElements ScatterND",
  pass: "Dropout Relu LeakyRelu PRelu Elu Selu Celu Gelu Sigmoid Tanh HardSigmoid HardSwish Mish Softplus Softsign ThresholdedRelu Shrink Clip Abs Neg Erf Exp Log Sqrt Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh Reciprocal Floor Ceil Round",
  product: "Mul",
  first: "Div Pow LRN",
  stop: "Softmax LogSoftmax Hardmax",
};

const byOperator: ReadonlyMap<string, Way> = new Map(
  (Object.entries(ways) as [Way, string][]).flatMap(([way, names]) =>
    names.split(" ").map((name) => [name, way] as const),
  ),
);

/** The way back through an operator; undefined where there is none. */
export const wayOf = (op: string): Way | undefined => byOperator.get(op);

export const operatorsWithWay = [...byOperator.keys()] as readonly OperatorName[];
