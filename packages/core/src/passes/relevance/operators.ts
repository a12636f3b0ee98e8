// What each operator does with relevance: the kinds of ways back, and which operator has which.
import type { Node } from "../../graph/graph.ts";
import type { OperatorName } from "../../graph/operators/index.ts";
import type { RuleKind } from "./rule.ts";

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

/** The rules that a way can be told, beside the gradient's, which all have; the others have one way of their own. */
export const rulesOfWay: Readonly<Record<Way, ReadonlySet<RuleKind>>> = {
  layer: new Set(
    "zero epsilon gamma alpha-beta z-plus flat w-square z-box norm".split(" ") as readonly RuleKind[],
  ),
  sum: new Set(["zero", "epsilon", "norm", "flat", "pass"] as const),
  pass: new Set(["pass", "guided", "deconvolution"] as const),
  route: new Set(["pass"] as const),
  product: new Set(),
  first: new Set(["pass"] as const),
  stop: new Set(),
};

const byOperator: ReadonlyMap<string, Way> = new Map(
  (Object.entries(ways) as [Way, string][]).flatMap(([way, names]) =>
    names.split(" ").map((name) => [name, way] as const),
  ),
);

/** Scattering that adds to what is there is a sum. */
const isAdding = ({ attributes }: Node): boolean => attributes.get("reduction")?.value === "add";

/** The way back through a node; undefined where there is none. */
export const wayOf = (node: Node): Way | undefined => {
  const way = byOperator.get(node.op);
  return way === "route" && isAdding(node) ? "sum" : way;
};

export const operatorsWithWay = [...byOperator.keys()] as readonly OperatorName[];
