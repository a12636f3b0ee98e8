// TypeProto and ValueInfoProto: tensor types are read, all others are carried through with a description.
import type { Dim, TensorType, ValueInfo, ValueType } from "../graph.ts";
import { type DataType, dataTypes } from "../tensor.ts";
import {
  dimField,
  elementTypeField,
  mapTypeField,
  opaqueTypeField,
  shapeField,
  tensorTypeField,
  typeField,
  valueInfoField,
} from "./fields.ts";
import type { WireReader } from "./wire.ts";

const unknownType: TensorType = { type: "undefined" };

/** The element type in this field. */
export function readDataType(reader: WireReader): DataType {
  const code = reader.integer();
  return dataTypes[code] ?? reader.fail(`there is no element type ${code}`);
}

/** A name and a type; a value without a stated type has the type "undefined". */
export function readValueInfo(reader: WireReader): ValueInfo {
  let name = "";
  let type: ValueType = unknownType;
  while (reader.next()) {
    if (reader.field === valueInfoField.name) name = reader.string();
    else if (reader.field === valueInfoField.type) type = readType(reader.message("TypeProto"));
    else reader.skip();
  }
  return { name, type };
}

export function readType(reader: WireReader): ValueType {
  let tensorType: TensorType | undefined;
  let description: string | undefined;
  while (reader.next()) {
    if (reader.field === typeField.tensor) tensorType = readTensorType(reader.message("TypeProto.Tensor"));
    else description = describeField(reader) ?? description;
  }
  return description === undefined
    ? (tensorType ?? unknownType)
    : { type: "opaque", description, encoded: reader.encoded() };
}

function readTensorType(reader: WireReader): TensorType {
  let type: DataType = "undefined";
  let shape: Dim[] | undefined;
  while (reader.next()) {
    if (reader.field === tensorTypeField.element) type = readDataType(reader);
    else if (reader.field === tensorTypeField.shape) shape = readShape(reader.message("TensorShapeProto"));
    else reader.skip();
  }
  return shape ? { type, shape } : { type };
}

function readShape(reader: WireReader): Dim[] {
  const shape: Dim[] = [];
  while (reader.next()) {
    if (reader.field === shapeField.dim) shape.push(readDim(reader.message("TensorShapeProto.Dimension")));
    else reader.skip();
  }
  return shape;
}

/** Exporters write -1 or "" for a dimension that they do not know. */
function readDim(reader: WireReader): Dim {
  let dim: Dim;
  while (reader.next()) {
    if (reader.field === dimField.value) {
      const value = reader.integer();
      dim = value < 0 ? undefined : value;
    } else if (reader.field === dimField.name) dim = reader.string() || undefined;
    else reader.skip();
  }
  return dim;
}

/** `sequence(map(int64, tensor(float32)))` */
function describeType(reader: WireReader): string {
  let description = "unknown";
  while (reader.next()) description = describeField(reader) ?? description;
  return description;
}

function describeField(reader: WireReader): string | undefined {
  switch (reader.field) {
    case typeField.tensor:
      return `tensor(${readTensorType(reader.message("TypeProto.Tensor")).type})`;
    case typeField.sparse:
      return `sparse_tensor(${readTensorType(reader.message("TypeProto.SparseTensor")).type})`;
    case typeField.sequence:
      return `sequence(${describeElement(reader.message("TypeProto.Sequence"))})`;
    case typeField.optional:
      return `optional(${describeElement(reader.message("TypeProto.Optional"))})`;
    case typeField.map:
      return `map(${describeMap(reader.message("TypeProto.Map"))})`;
    case typeField.opaque:
      return `opaque(${describeOpaque(reader.message("TypeProto.Opaque"))})`;
    default:
      reader.skip();
      return undefined;
  }
}

function describeElement(reader: WireReader): string {
  let element = "unknown";
  while (reader.next()) {
    if (reader.field === elementTypeField.element) element = describeType(reader.message("TypeProto"));
    else reader.skip();
  }
  return element;
}

function describeMap(reader: WireReader): string {
  let key: DataType = "undefined";
  let value = "unknown";
  while (reader.next()) {
    if (reader.field === mapTypeField.key) key = readDataType(reader);
    else if (reader.field === mapTypeField.value) value = describeType(reader.message("TypeProto"));
    else reader.skip();
  }
  return `${key}, ${value}`;
}

function describeOpaque(reader: WireReader): string {
  let domain = "";
  let name = "";
  while (reader.next()) {
    if (reader.field === opaqueTypeField.domain) domain = reader.string();
    else if (reader.field === opaqueTypeField.name) name = reader.string();
    else reader.skip();
  }
  return domain ? `${domain}.${name}` : name;
}
