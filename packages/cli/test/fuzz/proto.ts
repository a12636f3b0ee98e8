// ONNX files as onnx-proto sees them, and the ways to get at their parts.
import type { Random } from "@lemmata/core/numbers";
import { onnx } from "onnx-proto";

export type Model = onnx.IModelProto;
export type GraphProto = onnx.IGraphProto;
export type NodeProto = onnx.INodeProto;
export type TensorProto = onnx.ITensorProto;
export type AttributeProto = onnx.IAttributeProto;

export const { INT, INTS, FLOAT, FLOATS, STRING, TENSOR, GRAPH } = onnx.AttributeProto.AttributeType;

export const decodeModel = (bytes: Uint8Array): Model => onnx.ModelProto.decode(bytes);
export const encodeModel = (model: Model): Uint8Array => onnx.ModelProto.encode(model).finish();

/** A 64-bit integer as protobufjs takes it. */
export function int64(value: bigint): number {
  const low = Number(BigInt.asIntN(32, value));
  const high = Number(BigInt.asIntN(32, value >> 32n));
  return { low, high, unsigned: false } as unknown as number;
}

export function pick<T>(random: Random, items: readonly T[]): T | undefined {
  return items.length > 0 ? items[random.integer(0, items.length - 1)] : undefined;
}

/** The graph of a model and all graphs inside it. */
export function graphsOf(model: Model): GraphProto[] {
  const found: GraphProto[] = [];
  const visit = (graph: GraphProto | null | undefined) => {
    if (!graph) return;
    found.push(graph);
    for (const node of graph.node ?? [])
      for (const attribute of node.attribute ?? []) {
        visit(attribute.g);
        for (const inner of attribute.graphs ?? []) visit(inner);
      }
  };
  visit(model.graph);
  return found;
}

export const nodesOf = (model: Model): NodeProto[] => graphsOf(model).flatMap((g) => g.node ?? []);
export const attributesOf = (model: Model): AttributeProto[] =>
  nodesOf(model).flatMap((n) => n.attribute ?? []);

/** Initializers and the tensors of attributes. */
export const tensorsOf = (model: Model): TensorProto[] => [
  ...graphsOf(model).flatMap((g) => g.initializer ?? []),
  ...attributesOf(model).flatMap((a) => (a.t ? [a.t] : [])),
];

export const valueInfosOf = (model: Model): onnx.IValueInfoProto[] =>
  graphsOf(model).flatMap((g) => [...(g.input ?? []), ...(g.output ?? []), ...(g.valueInfo ?? [])]);

/** An int64 tensor; `scalar` leaves its dims out. */
export const integerTensor = (name: string, values: readonly bigint[], scalar = false): TensorProto => ({
  name,
  dataType: onnx.TensorProto.DataType.INT64,
  dims: scalar ? [] : [values.length],
  rawData: new Uint8Array(BigInt64Array.from(values).buffer),
});

export const intAttribute = (name: string, value: bigint): AttributeProto => ({
  name,
  type: INT,
  i: int64(value),
});
export const intsAttribute = (name: string, values: readonly bigint[]): AttributeProto => ({
  name,
  type: INTS,
  ints: values.map(int64),
});

export const node = (
  opType: string,
  input: string[],
  output: string[],
  attribute: AttributeProto[] = [],
): NodeProto => ({ opType, input, output, name: `${opType} ${output[0]}`, attribute });

/** A tensor type of unknown shape, or of rank 0. */
export const valueInfo = (name: string, elemType: number, shape?: number[]): onnx.IValueInfoProto => ({
  name,
  type: {
    tensorType: { elemType, ...(shape ? { shape: { dim: shape.map((d) => ({ dimValue: d })) } } : {}) },
  },
});
