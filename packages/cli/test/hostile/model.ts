// Small models by hand: one input x [1, 2], one output y, and what stands between them.
import { onnx } from "onnx-proto";
import {
  type AttributeProto,
  encodeModel,
  GRAPH,
  type GraphProto,
  integerTensor,
  type Model,
  type NodeProto,
  node,
  type TensorProto,
  valueInfo,
} from "../fuzz/proto.ts";

export const { FLOAT, INT64, BOOL, STRING, DOUBLE } = onnx.TensorProto.DataType;

/** The files of one hostile model by name; the model itself is "net.onnx". */
export type Files = Readonly<Record<string, Uint8Array>>;

export const floats = (name: string, dims: readonly number[], values: readonly number[]): TensorProto => ({
  name,
  dataType: FLOAT,
  dims: [...dims],
  floatData: [...values],
});
export const integers = (name: string, ...values: readonly bigint[]): TensorProto =>
  integerTensor(name, values);
export const integer = (name: string, value: bigint): TensorProto => integerTensor(name, [value], true);
export const truth = (name: string): TensorProto => ({ name, dataType: BOOL, dims: [], int32Data: [1] });
export const graphAttribute = (name: string, g: GraphProto): AttributeProto => ({ name, type: GRAPH, g });

export interface Parts {
  readonly nodes: readonly NodeProto[];
  readonly weights?: readonly TensorProto[];
  readonly input?: readonly number[];
  readonly opset?: number;
  readonly functions?: readonly onnx.IFunctionProto[];
  readonly sparse?: readonly onnx.ISparseTensorProto[];
}

/** A model from x to y. */
export const model = ({
  nodes,
  weights = [],
  input = [1, 2],
  opset = 17,
  functions = [],
  sparse = [],
}: Parts): Model => ({
  irVersion: 8,
  opsetImport: [
    { domain: "", version: opset },
    ...(functions.length > 0 ? [{ domain: "own", version: 1 }] : []),
  ],
  functions: [...functions],
  graph: {
    name: "hostile",
    node: [...nodes],
    initializer: [...weights],
    sparseInitializer: [...sparse],
    input: [valueInfo("x", FLOAT, [...input])],
    output: [valueInfo("y", FLOAT)],
  },
});

export const file = (parts: Parts): Files => ({ "net.onnx": encodeModel(model(parts)) });

/** y = x + the sum of what the nodes make of x, so that passes have to follow both. */
export const beside = (made: string, nodes: readonly NodeProto[]): NodeProto[] => [
  ...nodes,
  node("ReduceSum", [made], ["total"], [{ name: "keepdims", type: 2, i: 0 }]),
  node("Add", ["x", "total"], ["y"]),
];
