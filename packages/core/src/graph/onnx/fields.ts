// The field numbers of onnx.proto: facts of the format, shared by reading and writing.
import type { AttributeType } from "../graph.ts";

export const modelField = {
  irVersion: 1,
  producerName: 2,
  producerVersion: 3,
  graph: 7,
  opsetImport: 8,
  metadata: 14,
  functions: 25,
} as const;

export const graphField = {
  node: 1,
  name: 2,
  initializer: 5,
  input: 11,
  output: 12,
  valueInfo: 13,
  sparseInitializer: 15,
} as const;

export const nodeField = {
  input: 1,
  output: 2,
  name: 3,
  op: 4,
  attribute: 5,
  domain: 7,
  overload: 8,
} as const;

export const attributeField = {
  name: 1,
  float: 2,
  int: 3,
  string: 4,
  tensor: 5,
  graph: 6,
  floats: 7,
  ints: 8,
  strings: 9,
  tensors: 10,
  graphs: 11,
  type: 14,
  types: 15,
  kind: 20,
  reference: 21,
  sparse: 22,
  sparses: 23,
} as const;

/** AttributeProto.AttributeType by our name; 12 and 14, lists of sparse tensors and types, are used by no operator. */
export const attributeKind: Readonly<Record<AttributeType, number>> = {
  float: 1,
  int: 2,
  string: 3,
  tensor: 4,
  graph: 5,
  floats: 6,
  ints: 7,
  strings: 8,
  tensors: 9,
  graphs: 10,
  sparse: 11,
  type: 13,
};

export const tensorField = {
  dims: 1,
  type: 2,
  segment: 3,
  floats: 4,
  int32s: 5,
  strings: 6,
  int64s: 7,
  name: 8,
  raw: 9,
  doubles: 10,
  uint64s: 11,
  external: 13,
  location: 14,
} as const;

export const sparseField = { values: 1, indices: 2, dims: 3 } as const;
export const functionField = { node: 7, attribute: 11 } as const;
export const valueInfoField = { name: 1, type: 2 } as const;
export const entryField = { key: 1, value: 2 } as const;
export const opsetField = { domain: 1, version: 2 } as const;

export const typeField = { tensor: 1, sequence: 4, map: 5, opaque: 7, sparse: 8, optional: 9 } as const;
export const tensorTypeField = { element: 1, shape: 2 } as const;
export const mapTypeField = { key: 1, value: 2 } as const;
/** TypeProto.Sequence and TypeProto.Optional. */
export const elementTypeField = { element: 1 } as const;
export const opaqueTypeField = { domain: 1, name: 2 } as const;
export const shapeField = { dim: 1 } as const;
export const dimField = { value: 1, name: 2 } as const;
