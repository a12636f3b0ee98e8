// Which networks are continuous: only operators that are known to be, in every input that varies, are let through.

import { GraphError } from "../../graph/error.ts";
import { describe, type Graph, type Node, outerReferences, subgraphs } from "../../graph/graph.ts";
import { inferTypes } from "../../graph/infer.ts";
import { scalarOf } from "../../graph/operators/constant.ts";
import type { OperatorName } from "../../graph/operators/index.ts";
import { ownEntry } from "../../graph/own-entry.ts";
import { type DataType, isFloat } from "../../graph/tensor.ts";
import { canonical } from "../../graph/upgrade.ts";
import { inputShapes } from "../affine/compile.ts";

const names = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

/** Continuous in all their inputs wherever they are defined: at a pole their derivatives have no bound. */
const continuous = names(`
  Abs Acos Acosh Add Asin Asinh Atan Atanh AveragePool BatchNormalization Celu Clip Concat Conv ConvTranspose Cos Cosh
  Det Div Einsum Elu Erf Exp Flatten Gelu Gemm GlobalAveragePool GlobalLpPool GlobalMaxPool GroupNormalization
  HardSigmoid HardSwish Identity InstanceNormalization LRN LayerNormalization LeakyRelu Log LogSoftmax LpNormalization
  LpPool MatMul Max Mean MeanVarianceNormalization Min Mish Mul Neg PRelu Pow Reciprocal ReduceL1 ReduceL2 ReduceLogSum
  ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu Selu Sigmoid Sin Sinh Softmax
  Softplus Softsign Split Sqrt Sub Sum Tan Tanh Transpose`);

/** Continuous in their first input; the others say where its elements go. */
const movers = names(`
  Compress CumSum DepthToSpace Expand Gather GatherElements GatherND Reshape Resize ReverseSequence Slice SpaceToDepth
  Squeeze Tile Trilu Unsqueeze`);

/** Continuous in the inputs at these places. */
const continuousAt: Partial<Readonly<Record<OperatorName, readonly number[]>>> = {
  Pad: [0, 2],
  ScatterElements: [0, 2],
  ScatterND: [0, 2],
  Where: [1, 2],
};

/** They jump, somewhere or (the random ones) from run to run. */
const jumping = names(`
  And ArgMax ArgMin Bernoulli BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Cast CastLike Ceil Dropout
  DynamicQuantizeLinear Equal Floor GRU Greater GreaterOrEqual Hardmax IsInf IsNaN LSTM Less LessOrEqual MaxPool Mod NonZero
  Not OneHot Or QuantizeLinear RNN Round Shrink Sign ThresholdedRelu Unique Xor`);

/** Their outputs do not depend on the numbers that they read. */
const constant = names("Shape Size EyeLike");

/** Numbers of the first type are numbers of the second: a cast does not round. */
const widths: Partial<Readonly<Record<DataType, readonly DataType[]>>> = {
  float16: ["float32", "float64"],
  bfloat16: ["float32", "float64"],
  float32: ["float64"],
};

type Types = ReturnType<typeof inferTypes>;

const isContinuousCast = (from: DataType | undefined, to: DataType | undefined): boolean =>
  from !== undefined &&
  to !== undefined &&
  isFloat(from) &&
  (from === to || (widths[from]?.includes(to) ?? false));

/** Activations of recurrent cells that do not jump. */
const cellActivations = names(
  "relu tanh sigmoid affine leakyrelu scaledtanh hardsigmoid elu softsign softplus",
);

function hasContinuousCells({ attributes }: Node): boolean {
  const list = attributes.get("activations");
  return (
    list?.type !== "strings" ||
    (list.value as readonly string[]).every((name) => cellActivations.has(name.toLowerCase()))
  );
}

/** Is the node continuous in its inputs at these places? */
function isContinuous(node: Node, places: readonly number[], types: Types): boolean {
  const { op, domain, inputs, outputs } = node;
  if (domain !== "" || subgraphs(node).length > 0) return false;
  if (continuous.has(op)) return true;
  if (movers.has(op)) return places.every((place) => place === 0);
  const typeOf = (name: string | undefined) => (name ? types.get(name)?.type : undefined);
  switch (op) {
    case "Cast":
    case "CastLike":
      return isContinuousCast(typeOf(inputs[0]), typeOf(outputs[0]));
    // Which element was the greatest jumps.
    case "MaxPool":
      return !outputs[1];
    // In training the mask is drawn anew.
    case "Dropout":
      return !inputs[2] || scalarOf(types.get(inputs[2])!) === 0;
    case "RNN":
    case "GRU":
    case "LSTM":
      return hasContinuousCells(node) && !places.includes(4);
    default: {
      const allowed = ownEntry(continuousAt as Readonly<Record<string, readonly number[]>>, op);
      return allowed !== undefined && places.every((place) => allowed.includes(place));
    }
  }
}

/** A value is constant if nothing that it is made from depends on the inputs; one that varies and may jump is an error. */
export function checkContinuous(source: Graph): void {
  const graph = canonical(source);
  const shapes = inputShapes(source);
  const types = inferTypes(graph, {
    inputs: new Map(shapes.map(({ name, type, dims }) => [name, { type: type.type, shape: dims }])),
  });
  const varying = new Set(shapes.map(({ name }) => name));
  for (const node of graph.nodes) {
    const places = node.inputs.flatMap((name, k) => (varying.has(name) ? [k] : []));
    const captured = subgraphs(node).some((body) => [...outerReferences(body)].some((n) => varying.has(n)));
    const isVarying = captured || (places.length > 0 && !constant.has(node.op));
    if (!isVarying) continue;
    if (captured || !isContinuous(node, places, types))
      throw new GraphError(
        node.domain === "" && jumping.has(node.op)
          ? `${describe(node)} is not continuous, so that the network has no Lipschitz bound`
          : `${describe(node)} is not known to be continuous, so that no Lipschitz bound can be given`,
      );
    for (const name of node.outputs) if (name) varying.add(name);
  }
}
