// For every operator of the table, ways to use it. An operator without a case does not compile here.
import type { Graph, TensorType } from "../../src/graph/graph.ts";
import type { OperatorName } from "../../src/graph/operators/index.ts";
import { tensor } from "../../src/graph/tensor.ts";
import { bool, float32, graphWith, int64, nodeWith, type OperatorCase, ramp } from "./operators-runtime.ts";

const x = ramp([2, 3, 4]);
const image = ramp([2, 4, 7, 6]);
const unary: OperatorCase[] = [{ inputs: [x] }, { inputs: [ramp([])] }];
const scalar = (value: number, type: "float32" | "int64" | "bool" = "float32") =>
  tensor([value], { type, dims: [] });
const float64 = (dims: number[]) => ramp(dims, "float64");
const int32 = (values: number[], dims = [values.length]) => tensor(values, { type: "int32", dims });
const uint8 = (values: number[], dims = [values.length]) => tensor(values, { type: "uint8", dims });

const int8 = (values: number[], dims = [values.length]) => tensor(values, { type: "int8", dims });

/** A tree of two tests and one of one. */
const stumps = {
  nodes_treeids: [0, 0, 0, 0, 0, 1, 1, 1],
  nodes_nodeids: [0, 1, 2, 3, 4, 0, 1, 2],
  nodes_featureids: [0, 0, 1, 0, 0, 1, 0, 0],
  nodes_values: [0.4, 0, 0.7, 0, 0, 0.3, 0, 0],
  nodes_modes: ["BRANCH_LEQ", "LEAF", "BRANCH_LT", "LEAF", "LEAF", "BRANCH_GT", "LEAF", "LEAF"],
  nodes_truenodeids: [1, 0, 3, 0, 0, 1, 0, 0],
  nodes_falsenodeids: [2, 0, 4, 0, 0, 2, 0, 0],
};
const targets = {
  target_ids: [0, 0, 0, 0, 0],
  target_nodeids: [1, 3, 4, 1, 2],
  target_treeids: [0, 0, 0, 1, 1],
  target_weights: [1, -2, 0.5, 1.25, -3],
};

const broadcasting: OperatorCase[] = [
  { inputs: [x, x] },
  { inputs: [x, ramp([4])] },
  { inputs: [ramp([3, 1]), x] },
  { inputs: [ramp([2, 1, 4]), ramp([5, 1, 3, 1])] },
  { inputs: [ramp([]), ramp([0, 3])] },
];
const folding: OperatorCase[] = [
  ...broadcasting,
  { inputs: [int64([7, 8, 9]), int64([2])], weights: [0, 1] },
];
const variadic: OperatorCase[] = [...broadcasting, { inputs: [x] }, { inputs: [x, ramp([4]), ramp([3, 1])] }];
const logic: OperatorCase[] = [
  { inputs: [bool([1, 0, 1]), bool([1, 1, 0])] },
  { inputs: [bool([1, 0], [2, 1]), bool([1, 1, 0])], weights: [0, 1] },
];
const bits: OperatorCase[] = [{ inputs: [int32([1, 2, 3]), int32([6], [1, 1])] }];
const alongAxis: OperatorCase[] = [
  { inputs: [x] },
  { inputs: [x], attributes: { axis: 0 } },
  { inputs: [x], attributes: { axis: 1 } },
  { inputs: [x], attributes: { axis: -2 } },
];
const windows = { kernel_shape: [3, 2], strides: [2, 3] };
const pools: OperatorCase[] = [
  { inputs: [image], attributes: { kernel_shape: [2, 3] } },
  { inputs: [image], attributes: { ...windows, pads: [1, 0, 1, 1] } },
  { inputs: [image], attributes: { ...windows, ceil_mode: 1 } },
  { inputs: [image], attributes: { ...windows, ceil_mode: 1, pads: [0, 1, 1, 1] } },
  { inputs: [image], attributes: { kernel_shape: [3, 2], strides: [2, 2], auto_pad: "SAME_UPPER" } },
  { inputs: [image], attributes: { kernel_shape: [3, 2], strides: [2, 2], auto_pad: "SAME_LOWER" } },
  { inputs: [image], attributes: { ...windows, auto_pad: "VALID" } },
  { inputs: [ramp([1, 2, 9])], attributes: { kernel_shape: [4], strides: [4] } },
];
const dilatedPools: OperatorCase[] = [
  ...pools,
  { inputs: [image], attributes: { kernel_shape: [3, 2], dilations: [2, 3] } },
];
const global: OperatorCase[] = [{ inputs: [image] }, { inputs: [ramp([1, 2, 9])] }];
const reductions: OperatorCase[] = [
  { inputs: [x] },
  { inputs: [x], attributes: { keepdims: 0 } },
  { inputs: [x, int64([1])], weights: [1] },
  { inputs: [x, int64([-1, 0])], weights: [1], attributes: { keepdims: 0 } },
  { inputs: [x, int64([])], weights: [1] },
  { inputs: [x, int64([])], weights: [1], attributes: { noop_with_empty_axes: 1 } },
  { inputs: [x], attributes: { noop_with_empty_axes: 1 } },
  { inputs: [x, int64([1])], dependsOnData: true },
  { inputs: [x, int64([1])], attributes: { keepdims: 0 }, dependsOnData: true },
];
const integerReductions: OperatorCase[] = [
  ...reductions,
  { inputs: [int64([4, 5, 6])], weights: [0], attributes: { keepdims: 0 } },
];
const argument: OperatorCase[] = [
  { inputs: [x] },
  { inputs: [x], attributes: { axis: -1, keepdims: 0, select_last_index: 1 } },
];
const channels = [float32([1, 2, 3, 4]), float32([1, 2, 3, 4])] as const;
const steps = ramp([5, 2, 3]);
const recurrent = (gates: number): OperatorCase[] => {
  const weights = (directions: number) => [
    ramp([directions, gates * 4, 3]),
    ramp([directions, gates * 4, 4]),
  ];
  return [
    { inputs: [steps, ...weights(1)], attributes: { hidden_size: 4 }, outputs: 2 },
    { inputs: [steps, ...weights(1)], attributes: { hidden_size: 4, direction: "reverse" } },
    {
      inputs: [steps, ...weights(2)],
      attributes: { hidden_size: 4, direction: "bidirectional" },
      outputs: 2,
    },
    { inputs: [steps, ...weights(1), ramp([1, 2 * gates * 4])], attributes: { hidden_size: 4 }, outputs: 1 },
  ];
};

const value = (name: string, type: TensorType) => ({ name, type });
const plain: TensorType = { type: "undefined" };
/** Doubles the state and puts out the square of each. */
const loopBody: Graph = graphWith({
  name: "body",
  inputs: [
    value("turn", { type: "int64", shape: [] }),
    value("goes_on", { type: "bool", shape: [] }),
    value("state", { type: "float32" }),
  ],
  nodes: [
    nodeWith("Identity", ["goes_on"], ["still"]),
    nodeWith("Add", ["state", "state"], ["next"]),
    nodeWith("Mul", ["state", "state"], ["square"]),
  ],
  outputs: [
    value("still", { type: "bool" }),
    value("next", { type: "float32" }),
    value("square", { type: "float32" }),
  ],
});
/** Joins its state to itself: its size changes in each turn. */
const growingBody: Graph = graphWith({
  ...loopBody,
  nodes: [
    nodeWith("Identity", ["goes_on"], ["still"]),
    nodeWith("Concat", ["state", "state"], ["next"], { axis: { type: "int", value: 0n } }),
    nodeWith("ReduceSum", ["state"], ["square"]),
  ],
});
const scanBody: Graph = graphWith({
  name: "scan_body",
  inputs: [value("sum", { type: "float32" }), value("item", { type: "float32" })],
  nodes: [nodeWith("Add", ["sum", "item"], ["sum_next"]), nodeWith("Neg", ["sum_next"], ["negative"])],
  outputs: [value("sum_next", { type: "float32" }), value("negative", { type: "float32" })],
});

export const operatorCases: Readonly<Record<OperatorName, readonly OperatorCase[]>> = {
  Add: folding,
  Sub: folding,
  Mul: folding,
  Div: folding,
  Mod: [
    { inputs: [x, ramp([4])], attributes: { fmod: 1 } },
    { inputs: [int64([-7, 8]), int64([3])], weights: [0, 1] },
  ],
  Pow: [...broadcasting, { inputs: [x, int64([2], [])] }],
  Max: variadic,
  Min: variadic,
  Sum: variadic,
  Mean: variadic,
  Clip: [{ inputs: [x] }, { inputs: [x, scalar(0.2)] }, { inputs: [x, "", scalar(0.2)], weights: [2] }],
  Abs: unary,
  Sign: unary,
  Neg: unary,
  Reciprocal: unary,
  Floor: unary,
  Ceil: unary,
  Round: unary,
  Sqrt: unary,
  Exp: unary,
  Log: unary,
  Erf: unary,
  Sin: unary,
  Cos: unary,
  Tan: unary,
  Asin: unary,
  Acos: unary,
  Atan: unary,
  Sinh: unary,
  Cosh: unary,
  Tanh: unary,
  Asinh: unary,
  Acosh: unary,
  Atanh: unary,
  Relu: [...unary, { inputs: [float64([2])] }],
  LeakyRelu: [...unary, { inputs: [x], attributes: { alpha: 0.3 } }],
  PRelu: [{ inputs: [x, ramp([4])] }, { inputs: [x, ramp([3, 1])] }, { inputs: [x, ramp([1])] }],
  Elu: unary,
  Selu: unary,
  Celu: unary,
  Gelu: [...unary, { inputs: [x], attributes: { approximate: "tanh" } }],
  Sigmoid: unary,
  Softplus: unary,
  Softsign: unary,
  HardSigmoid: unary,
  HardSwish: unary,
  Mish: unary,
  ThresholdedRelu: unary,
  Shrink: unary,
  Equal: folding,
  Less: folding,
  LessOrEqual: folding,
  Greater: folding,
  GreaterOrEqual: folding,
  Not: [{ inputs: [bool([1, 0])] }, { inputs: [bool([1, 0])], weights: [0] }],
  And: logic,
  Or: logic,
  Xor: logic,
  IsNaN: unary,
  IsInf: [...unary, { inputs: [x], attributes: { detect_negative: 0 } }],
  BitwiseAnd: bits,
  BitwiseOr: bits,
  BitwiseXor: bits,
  BitwiseNot: [{ inputs: [int32([1, 2])] }],
  BitShift: [{ inputs: [uint8([1, 2]), uint8([1])], attributes: { direction: "LEFT" } }],
  Where: [
    { inputs: [bool([1, 0, 1, 0]), x, ramp([3, 1])] },
    { inputs: [bool([1, 0]), int64([1, 2]), int64([5])], weights: [0, 1, 2] },
  ],
  MatMul: [
    { inputs: [ramp([2, 3]), ramp([3, 5])] },
    { inputs: [ramp([3]), ramp([3])] },
    { inputs: [ramp([3]), ramp([4, 3, 5])] },
    { inputs: [ramp([4, 2, 3]), ramp([3])] },
    { inputs: [ramp([4, 1, 2, 3]), ramp([5, 3, 2])] },
  ],
  Gemm: [
    { inputs: [ramp([2, 3]), ramp([3, 5])] },
    { inputs: [ramp([3, 2]), ramp([5, 3]), ramp([5])], attributes: { transA: 1, transB: 1 } },
    { inputs: [ramp([2, 3]), ramp([3, 5]), ramp([2, 1])], attributes: { alpha: 0.5 } },
    { inputs: [ramp([2, 3]), ramp([3, 5]), ramp([])] },
  ],
  Einsum: [
    { inputs: [ramp([2, 3]), ramp([3, 5])], attributes: { equation: "ij,jk->ik" } },
    { inputs: [ramp([2, 3]), ramp([3, 5])], attributes: { equation: "zj, jb" } },
    { inputs: [ramp([4, 2, 3]), ramp([4, 3, 5])], attributes: { equation: "...ij,...jk->...ik" } },
    { inputs: [ramp([3, 3])], attributes: { equation: "ii->i" } },
    { inputs: [x], attributes: { equation: "ijk->" } },
  ],
  Det: [{ inputs: [ramp([3, 3])] }, { inputs: [ramp([5, 2, 2])] }],
  Conv: [
    { inputs: [image, ramp([3, 4, 3, 2])] },
    { inputs: [image, ramp([3, 4, 3, 2]), ramp([3])], attributes: { ...windows, pads: [1, 0, 1, 1] } },
    { inputs: [image, ramp([6, 2, 3, 3])], attributes: { group: 2, dilations: [2, 1] } },
    { inputs: [image, ramp([3, 4, 3, 2])], attributes: { strides: [2, 2], auto_pad: "SAME_UPPER" } },
    { inputs: [image, ramp([3, 4, 3, 2])], attributes: { auto_pad: "VALID" } },
    { inputs: [ramp([1, 2, 9]), ramp([3, 2, 4])], attributes: { strides: [2] } },
    { inputs: [ramp([1, 1, 4, 5, 6]), ramp([2, 1, 2, 2, 2])] },
  ],
  ConvTranspose: [
    { inputs: [image, ramp([4, 3, 3, 2])] },
    { inputs: [image, ramp([4, 3, 3, 2]), ramp([3])], attributes: { strides: [2, 3], pads: [1, 0, 1, 1] } },
    {
      inputs: [image, ramp([4, 3, 3, 3])],
      attributes: { strides: [2, 3], output_padding: [1, 2], dilations: [2, 1] },
    },
    { inputs: [image, ramp([4, 3, 3, 2])], attributes: { group: 2 } },
    { inputs: [image, ramp([4, 3, 3, 3])], attributes: { strides: [2, 2], auto_pad: "SAME_UPPER" } },
    { inputs: [image, ramp([4, 3, 3, 3])], attributes: { strides: [2, 2], output_shape: [14, 12] } },
    { inputs: [ramp([1, 2, 9]), ramp([2, 3, 4])] },
  ],
  MaxPool: [...dilatedPools, { inputs: [image], attributes: windows, outputs: 2 }],
  AveragePool: [...dilatedPools, { inputs: [image], attributes: { ...windows, count_include_pad: 1 } }],
  LpPool: [...pools, { inputs: [image], attributes: { ...windows, p: 1 } }],
  GlobalMaxPool: global,
  GlobalAveragePool: global,
  GlobalLpPool: global,
  BatchNormalization: [
    { inputs: [image, ...channels, ...channels] },
    { inputs: [ramp([3, 4]), ...channels, ...channels], attributes: { epsilon: 0.1 } },
  ],
  InstanceNormalization: [{ inputs: [image, ...channels] }],
  GroupNormalization: [{ inputs: [image, float32([1, 2]), float32([1, 2])], attributes: { num_groups: 2 } }],
  LayerNormalization: [
    { inputs: [x, ramp([4])], outputs: 3 },
    { inputs: [x, ramp([3, 4]), ramp([3, 4])], attributes: { axis: 1 }, outputs: 3 },
  ],
  LpNormalization: alongAxis,
  MeanVarianceNormalization: [{ inputs: [image] }, { inputs: [x], attributes: { axes: [1, 2] } }],
  LRN: [{ inputs: [image], attributes: { size: 3 } }],
  Softmax: alongAxis,
  LogSoftmax: alongAxis,
  Hardmax: alongAxis,
  ReduceSum: integerReductions,
  ReduceMean: reductions,
  ReduceMax: integerReductions,
  ReduceMin: integerReductions,
  ReduceProd: integerReductions,
  ReduceL1: reductions,
  ReduceL2: reductions,
  ReduceSumSquare: reductions,
  ReduceLogSum: reductions,
  ReduceLogSumExp: reductions,
  ArgMax: argument,
  ArgMin: argument,
  CumSum: [
    { inputs: [x, int64([1], [])] },
    { inputs: [x, int64([-1])], attributes: { exclusive: 1, reverse: 1 } },
  ],
  TopK: [
    { inputs: [x, int64([2])], weights: [1], outputs: 2 },
    { inputs: [x, int64([2])], weights: [1], outputs: 2, attributes: { axis: 0, largest: 0 } },
    { inputs: [x, int64([2])], outputs: 2, dependsOnData: true },
  ],
  Identity: unary,
  Reshape: [
    { inputs: [x, int64([6, 4])], weights: [1] },
    { inputs: [x, int64([0, -1])], weights: [1] },
    { inputs: [x, int64([-1, 1, 0])], weights: [1] },
    { inputs: [ramp([0, 3]), int64([3, 0])], weights: [1], attributes: { allowzero: 1 } },
    { inputs: [ramp([]), int64([1, 1])], weights: [1] },
    { inputs: [x, int64([6, 4])], dependsOnData: true },
  ],
  Flatten: [
    { inputs: [x] },
    { inputs: [x], attributes: { axis: 0 } },
    { inputs: [x], attributes: { axis: 3 } },
    { inputs: [x], attributes: { axis: -1 } },
    { inputs: [ramp([])], attributes: { axis: 0 } },
  ],
  Squeeze: [
    { inputs: [ramp([1, 3, 1])] },
    { inputs: [ramp([1, 3, 1]), int64([-1])], weights: [1] },
    { inputs: [ramp([1, 3, 1]), int64([-1])], dependsOnData: true },
  ],
  Unsqueeze: [
    { inputs: [x, int64([0, -1])], weights: [1] },
    { inputs: [x, int64([2])], weights: [1] },
  ],
  Transpose: [{ inputs: [x] }, { inputs: [x], attributes: { perm: [1, 0, 2] } }],
  Expand: [
    { inputs: [ramp([3, 1]), int64([2, 1, 4])], weights: [1] },
    { inputs: [ramp([3, 4]), int64([1])], weights: [1] },
    { inputs: [ramp([3, 1]), int64([2, 1, 4])], dependsOnData: true },
  ],
  Cast: [
    { inputs: [x], attributes: { to: 7 } },
    { inputs: [x], attributes: { to: 10 } },
    { inputs: [int64([0, 3])], attributes: { to: 9 }, weights: [0] },
    { inputs: [x], attributes: { to: 11 } },
  ],
  CastLike: [{ inputs: [x, int64([1])] }],
  Shape: [
    { inputs: [x] },
    { inputs: [x], attributes: { start: 1 } },
    { inputs: [x], attributes: { start: -2, end: -1 } },
    { inputs: [x], attributes: { start: 2, end: 1 } },
    { inputs: [ramp([])] },
  ],
  Size: [{ inputs: [x] }, { inputs: [ramp([])] }],
  Dropout: [
    { inputs: [x], outputs: 2 },
    { inputs: [x, scalar(0.3), scalar(1, "bool")], outputs: 2, attributes: { seed: 3 } },
  ],
  Concat: [
    { inputs: [x, ramp([2, 1, 4]), x], attributes: { axis: 1 } },
    { inputs: [x, ramp([2, 3, 2])], attributes: { axis: -1 } },
    { inputs: [int64([1, 2]), int64([3])], weights: [0, 1], attributes: { axis: 0 } },
  ],
  Split: [
    { inputs: [ramp([7, 2])], attributes: { num_outputs: 3 }, outputs: 3 },
    { inputs: [x, int64([1, 3])], weights: [1], attributes: { axis: -1 }, outputs: 2 },
    { inputs: [x, int64([1, 3])], attributes: { axis: 2 }, outputs: 2, dependsOnData: true },
  ],
  Slice: [
    { inputs: [x, int64([1]), int64([2 ** 40])], weights: [1, 2] },
    { inputs: [x, int64([-1, 3]), int64([-9, 0]), int64([1, 2]), int64([-1, -2])], weights: [1, 2, 3, 4] },
    { inputs: [x, int64([5]), int64([1]), int64([-1])], weights: [1, 2, 3] },
    { inputs: [x, int64([1]), int64([2])], dependsOnData: true },
    {
      inputs: [int64([4, 5, 6, 7]), int64([3]), int64([-5]), int64([0]), int64([-2])],
      weights: [0, 1, 2, 3, 4],
    },
  ],
  Gather: [
    { inputs: [x, int64([0, 2, -1, 1], [2, 2])], attributes: { axis: 1 }, weights: [1] },
    { inputs: [x, int64([1], [])], attributes: { axis: -1 } },
    { inputs: [int64([4, 5, 6]), int64([-1, 0])], weights: [0, 1] },
  ],
  GatherElements: [{ inputs: [x, int64([0, 1, 1, 0], [1, 2, 2])], attributes: { axis: 1 } }],
  GatherND: [
    { inputs: [x, int64([0, 1, 1, 0], [2, 2])] },
    { inputs: [x, int64([0, 1], [2, 1])], attributes: { batch_dims: 1 } },
  ],
  ScatterElements: [
    { inputs: [x, int64([0, 1], [1, 1, 2]), ramp([1, 1, 2])], attributes: { axis: 2 } },
    { inputs: [x, int64([0, 1], [1, 1, 2]), ramp([1, 1, 2])], attributes: { reduction: "add" } },
  ],
  ScatterND: [{ inputs: [x, int64([0, 1], [1, 2]), ramp([1, 4])] }],
  Compress: [
    { inputs: [x, bool([1, 0, 1])], dependsOnData: true },
    { inputs: [x, bool([1, 0, 1])], attributes: { axis: 1 }, dependsOnData: true },
  ],
  Unique: [
    { inputs: [float32([1, 2, 1])], outputs: 4, dependsOnData: true },
    { inputs: [x], attributes: { axis: 1, sorted: 0 }, outputs: 4, dependsOnData: true },
  ],
  NonZero: [{ inputs: [x], dependsOnData: true }],
  ReverseSequence: [{ inputs: [ramp([4, 2]), int64([1, 3])] }],
  Trilu: [{ inputs: [x] }, { inputs: [x, scalar(1, "int64")], attributes: { upper: 0 } }],
  Pad: [
    { inputs: [x, int64([1, 0, 2, 0, 1, 0])], weights: [1] },
    { inputs: [x, int64([1, -1]), scalar(3), int64([-1])], weights: [1, 2, 3] },
    { inputs: [x, int64([1, 0, 2, 0, 1, 0])], weights: [1], attributes: { mode: "edge" } },
    { inputs: [x, int64([1, 0, 2, 0, 1, 0])], dependsOnData: true },
  ],
  Tile: [
    { inputs: [x, int64([1, 2, 3])], weights: [1] },
    { inputs: [int64([1, 2]), int64([2])], weights: [0, 1] },
  ],
  Resize: [
    { inputs: [image, "", float32([1, 1, 2, 0.6])], weights: [2] },
    { inputs: [image, "", float32([1, 1, 2.7, 0.33])], weights: [2], attributes: { mode: "linear" } },
    { inputs: [image, "", "", int64([2, 4, 5, 9])], weights: [3], attributes: { mode: "cubic" } },
    {
      inputs: [image, "", "", int64([5, 9])],
      weights: [3],
      attributes: { axes: [2, 3], keep_aspect_ratio_policy: "not_larger" },
    },
    {
      inputs: [image, "", "", int64([5, 9])],
      weights: [3],
      attributes: { axes: [2, 3], keep_aspect_ratio_policy: "not_smaller" },
    },
    { inputs: [image, "", float32([1, 1, 2, 2])], dependsOnData: true },
  ],
  DepthToSpace: [
    { inputs: [image], attributes: { blocksize: 2 } },
    { inputs: [image], attributes: { blocksize: 2, mode: "CRD" } },
  ],
  SpaceToDepth: [{ inputs: [ramp([1, 3, 4, 6])], attributes: { blocksize: 2 } }],
  Constant: [
    { inputs: [], attributes: { value: ramp([2, 3]) } },
    { inputs: [], attributes: { value_float: 0.5 } },
    { inputs: [], attributes: { value_floats: [0.5, 1] } },
    { inputs: [], attributes: { value_int: 3 } },
    { inputs: [], attributes: { value_ints: [3, 4] } },
  ],
  ConstantOfShape: [
    { inputs: [int64([2, 3])], weights: [0] },
    { inputs: [int64([3])], weights: [0], attributes: { value: int64([7]) } },
    { inputs: [int64([])], weights: [0] },
    { inputs: [int64([2, 3])], dependsOnData: true },
  ],
  Range: [
    { inputs: [scalar(2, "int64"), scalar(11, "int64"), scalar(3, "int64")], weights: [0, 1, 2] },
    { inputs: [scalar(1), scalar(0), scalar(-0.3)], weights: [0, 1, 2] },
    { inputs: [scalar(2), scalar(11), scalar(3)], dependsOnData: true },
  ],
  EyeLike: [{ inputs: [ramp([2, 3])] }, { inputs: [ramp([2, 3])], attributes: { dtype: 7, k: 1 } }],
  OneHot: [
    { inputs: [int64([0, 2]), scalar(3, "int64"), float32([0, 1])], weights: [1] },
    { inputs: [int64([0, 2], [2, 1]), int64([3]), float32([0, 1])], weights: [1], attributes: { axis: 0 } },
  ],
  RandomNormal: [{ inputs: [], attributes: { shape: [2, 3] } }],
  RandomUniform: [{ inputs: [], attributes: { shape: [2, 3], dtype: 11 } }],
  RandomNormalLike: [{ inputs: [x] }, { inputs: [x], attributes: { dtype: 11 } }],
  RandomUniformLike: [{ inputs: [x] }],
  Bernoulli: [{ inputs: [x] }, { inputs: [x], attributes: { dtype: 9 } }],
  Multinomial: [{ inputs: [ramp([2, 3])], attributes: { sample_size: 4 } }],
  RNN: recurrent(1),
  GRU: [...recurrent(3), { ...recurrent(3)[0]!, attributes: { hidden_size: 4, linear_before_reset: 1 } }],
  LSTM: [...recurrent(4), { ...recurrent(4)[0]!, outputs: 3 }],
  If: [
    {
      inputs: [scalar(1, "bool")],
      attributes: {
        then_branch: constantBranch("then", [2, 3]),
        else_branch: constantBranch("else", [2, 3]),
      },
    },
    {
      inputs: [scalar(1, "bool")],
      attributes: {
        then_branch: constantBranch("then", [2, 3]),
        else_branch: constantBranch("else", [4, 3]),
      },
      dependsOnData: true,
    },
    {
      inputs: [scalar(0, "bool")],
      weights: [0],
      attributes: {
        then_branch: constantBranch("then", [2, 3]),
        else_branch: constantBranch("else", [4, 3, 1]),
      },
    },
  ],
  Loop: [
    {
      inputs: [scalar(3, "int64"), scalar(1, "bool"), ramp([2, 4])],
      weights: [0, 1],
      attributes: { body: loopBody },
      outputs: 2,
    },
    {
      inputs: [scalar(3, "int64"), "", ramp([2, 4])],
      weights: [0],
      attributes: { body: loopBody },
      outputs: 2,
    },
    {
      inputs: [scalar(3, "int64"), scalar(1, "bool"), ramp([2, 4])],
      attributes: { body: loopBody },
      outputs: 2,
      dependsOnData: true,
    },
    {
      inputs: [scalar(3, "int64"), "", ramp([2, 4])],
      attributes: { body: growingBody },
      outputs: 2,
      dependsOnData: true,
    },
  ],
  Scan: [
    { inputs: [ramp([2]), ramp([5, 2])], attributes: { body: scanBody, num_scan_inputs: 1 }, outputs: 2 },
    {
      inputs: [ramp([2]), ramp([2, 5])],
      attributes: { body: scanBody, num_scan_inputs: 1, scan_input_axes: [1], scan_output_axes: [1] },
      outputs: 2,
    },
  ],
  RMSNormalization: [
    { inputs: [x, ramp([4])], weights: [1] },
    { inputs: [x, ramp([3, 4])], attributes: { axis: 1, epsilon: 0.1 } },
  ],
  RotaryEmbedding: [
    { inputs: [ramp([2, 3, 4, 6]), ramp([2, 4, 3]), ramp([2, 4, 3])] },
    {
      inputs: [ramp([2, 3, 4, 6]), ramp([9, 3]), ramp([9, 3]), int64([0, 1, 2, 3, 8, 0, 4, 2], [2, 4])],
      weights: [3],
    },
    {
      inputs: [ramp([2, 4, 12]), ramp([9, 3]), ramp([9, 3]), int64([0, 1, 2, 3, 8, 0, 4, 2], [2, 4])],
      weights: [3],
      attributes: { num_heads: 2, interleaved: 1 },
    },
    {
      inputs: [ramp([2, 3, 4, 6]), ramp([2, 4, 2]), ramp([2, 4, 2])],
      attributes: { rotary_embedding_dim: 4 },
    },
  ],
  Attention: [
    { inputs: [ramp([2, 3, 4, 6]), ramp([2, 3, 5, 6]), ramp([2, 3, 5, 7])] },
    { inputs: [ramp([1, 3, 4, 6]), ramp([1, 3, 4, 6]), ramp([1, 3, 4, 6])], attributes: { is_causal: 1 } },
    {
      inputs: [ramp([2, 4, 12]), ramp([2, 5, 6]), ramp([2, 5, 6])],
      attributes: { q_num_heads: 4, kv_num_heads: 2 },
    },
    {
      inputs: [ramp([1, 2, 3, 4]), ramp([1, 2, 5, 4]), ramp([1, 2, 5, 4]), ramp([3, 5])],
      attributes: { scale: 0.5 },
    },
    {
      inputs: [
        ramp([1, 2, 3, 4]),
        ramp([1, 2, 3, 4]),
        ramp([1, 2, 3, 4]),
        bool([1, 0, 1, 1, 1, 1, 0, 1, 1], [3, 3]),
      ],
    },
    {
      inputs: [
        ramp([1, 2, 3, 4]),
        ramp([1, 2, 3, 4]),
        ramp([1, 2, 3, 4]),
        "",
        ramp([1, 2, 2, 4]),
        ramp([1, 2, 2, 4]),
      ],
      outputs: 3,
    },
    // Scores that are capped, and seen at each stage.
    ...[0, 1, 2, 3].map((mode) => ({
      inputs: [ramp([1, 4, 3, 4]), ramp([1, 2, 5, 4]), ramp([1, 2, 5, 4]), ramp([3, 5])] as const,
      attributes: { softcap: 0.75, qk_matmul_output_mode: mode },
      outputs: 4,
      opset: 24,
    })),
    // More keys than queries, from the first on; and with a past.
    {
      inputs: [ramp([1, 2, 3, 4]), ramp([1, 2, 5, 4]), ramp([1, 2, 5, 4])],
      attributes: { is_causal: 1 },
      opset: 24,
    },
    {
      inputs: [
        ramp([1, 4, 3, 4]),
        ramp([1, 2, 3, 4]),
        ramp([1, 2, 3, 4]),
        "",
        ramp([1, 2, 2, 4]),
        ramp([1, 2, 2, 4]),
      ],
      attributes: { is_causal: 1 },
      outputs: 3,
      opset: 24,
    },
    // Caches that are filled to several lengths, with and without masks that are as long as the longest.
    {
      inputs: [ramp([2, 2, 3, 4]), ramp([2, 2, 5, 4]), ramp([2, 2, 5, 4]), "", "", "", int64([3, 5])],
      opset: 24,
    },
    {
      inputs: [ramp([2, 3, 8]), ramp([2, 5, 4]), ramp([2, 5, 4]), ramp([3, 5]), "", "", int64([2, 4])],
      attributes: { q_num_heads: 4, kv_num_heads: 2, softcap: 2 },
      opset: 24,
    },
  ],
  TensorScatter: [
    { inputs: [ramp([2, 5, 3]), ramp([2, 2, 3]), int64([1, 3])] },
    { inputs: [ramp([2, 3, 5, 2]), ramp([2, 3, 2, 2])] },
    { inputs: [ramp([2, 5, 3]), ramp([2, 3, 3]), int64([4, 1])], attributes: { mode: "circular" } },
    { inputs: [ramp([2, 3, 5]), ramp([2, 3, 1]), int64([0, 4])], attributes: { axis: -1 } },
  ],
  QuantizeLinear: [
    { inputs: [x, scalar(0.013), uint8([3], [])], weights: [1, 2] },
    { inputs: [x, scalar(0.3)] },
    { inputs: [x, float32([0.1, 0.2, 0.05]), int8([1, 2, -3])], weights: [1, 2], attributes: { axis: 1 } },
    { inputs: [x, float32([0.1]), int8([5])], weights: [1, 2] },
  ],
  DequantizeLinear: [
    { inputs: [uint8([0, 7, 255, 128]), scalar(0.013), uint8([3], [])], weights: [1, 2] },
    {
      inputs: [int8([0, 7, -128, 12, 5, 1], [2, 3]), float32([0.1, 0.2, 0.05]), int8([1, 2, -3])],
      weights: [1, 2],
    },
    {
      inputs: [int32([0, 7, -1280, 12, 5, 1], [2, 3]), float32([0.1, 0.2])],
      weights: [1],
      attributes: { axis: 0 },
    },
  ],
  DynamicQuantizeLinear: [{ inputs: [x], outputs: 3 }],
  MatMulInteger: [
    { inputs: [uint8([1, 2, 3, 4, 5, 6], [2, 3]), int8([1, -2, 3, 4, -5, 6], [3, 2])] },
    {
      inputs: [
        uint8([1, 2, 3, 4, 5, 6], [2, 3]),
        uint8([1, 2, 3, 4, 5, 6], [3, 2]),
        uint8([3], []),
        uint8([1, 9]),
      ],
      weights: [1, 2, 3],
    },
  ],
  ConvInteger: [
    {
      inputs: [
        uint8([1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 1, 3, 3]),
        uint8([1, 2, 3, 4], [1, 1, 2, 2]),
        uint8([4], []),
      ],
    },
  ],
  QLinearMatMul: [
    {
      inputs: [
        uint8([1, 2, 3, 4, 5, 6], [2, 3]),
        scalar(0.1),
        uint8([2], []),
        int8([1, -2, 3, 4, -5, 6], [3, 2]),
        scalar(0.2),
        int8([1], []),
        scalar(0.05),
        uint8([100], []),
      ],
      weights: [1, 2, 3, 4, 5, 6, 7],
    },
  ],
  QLinearConv: [
    {
      inputs: [
        uint8([1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 1, 3, 3]),
        scalar(0.1),
        uint8([2], []),
        int8([1, -2, 3, 4, -5, 6, 7, 8], [2, 1, 2, 2]),
        float32([0.2, 0.1]),
        int8([0, 0]),
        scalar(0.05),
        uint8([100], []),
        int32([5, -7]),
      ],
      weights: [1, 2, 3, 4, 5, 6, 7, 8],
      attributes: { pads: [1, 1, 0, 0] },
    },
  ],
  Scaler: [
    { inputs: [ramp([2, 3])], attributes: { offset: [0.5, 1, 2], scale: [2, 3, 0.1] } },
    { inputs: [ramp([2, 3])], attributes: { offset: [0.5], scale: [2] } },
    { inputs: [int64([1, 2, 3], [1, 3])], attributes: { offset: [0.5, 1, 2], scale: [2, 3, 0.1] } },
  ],
  Binarizer: [{ inputs: [ramp([2, 3])], attributes: { threshold: 0.5 } }],
  Normalizer: ["MAX", "L1", "L2"].map((norm) => ({ inputs: [ramp([2, 3])], attributes: { norm } })),
  ArrayFeatureExtractor: [
    { inputs: [ramp([2, 5]), int64([4, 0])], weights: [1] },
    { inputs: [ramp([1, 5]), int64([3, 1], [1, 2])], weights: [1] },
  ],
  LinearRegressor: [
    {
      inputs: [ramp([2, 3])],
      attributes: { coefficients: [1, 2, 3, 4, 5, 6], intercepts: [0.5, -1], targets: 2 },
    },
  ],
  LinearClassifier: ["NONE", "SOFTMAX", "LOGISTIC"].map((post_transform) => ({
    inputs: [ramp([2, 3])],
    attributes: {
      classlabels_ints: [4, 7],
      coefficients: [1, -2, 3, 4, 5, -6],
      intercepts: [0.5, -1],
      post_transform,
    },
    outputs: 2,
  })),
  TreeEnsembleRegressor: [
    { inputs: [ramp([5, 2])], attributes: { ...stumps, ...targets, n_targets: 1 } },
    {
      inputs: [ramp([5, 2])],
      attributes: { ...stumps, ...targets, n_targets: 1, aggregate_function: "MAX" },
    },
    { inputs: [ramp([5, 2])], attributes: { ...stumps, ...targets, n_targets: 1, base_values: [0.25] } },
    {
      inputs: [ramp([5, 2])],
      attributes: {
        ...stumps,
        ...targets,
        target_ids: [0, 1, 1, 0, 1],
        n_targets: 2,
        post_transform: "LOGISTIC",
      },
    },
  ],
  TreeEnsembleClassifier: ["NONE", "SOFTMAX"].map((post_transform) => ({
    inputs: [ramp([5, 2])],
    attributes: {
      ...stumps,
      class_ids: [0, 1, 2, 2, 0],
      class_nodeids: [1, 3, 4, 1, 2],
      class_treeids: [0, 0, 0, 1, 1],
      class_weights: [1, 2, 0.5, 1.25, 3],
      classlabels_int64s: [5, 6, 9],
      post_transform,
    },
    outputs: 2,
  })),
};

function constantBranch(name: string, dims: number[]): Graph {
  return graphWith({
    name,
    nodes: [nodeWith("Neg", [`${name}_w`], [`${name}_y`])],
    initializers: new Map([[`${name}_w`, ramp(dims)]]),
    outputs: [value(`${name}_y`, plain)],
  });
}
