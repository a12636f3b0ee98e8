// Tensors and types, written: weights as raw bytes, in the model or in a file of external data beside it.
import { GraphError } from "../error.ts";
import { isTensorType, type ValueInfo, type ValueType } from "../graph.ts";
import {
  type DataType,
  dataLength,
  dataTypes,
  elementCount,
  type NumericType,
  type SparseTensor,
  type Tensor,
} from "../tensor.ts";
import {
  dimField,
  entryField,
  shapeField,
  sparseField,
  tensorField,
  tensorTypeField,
  typeField,
  valueInfoField,
} from "./fields.ts";
import { WireWriter } from "./wire-writer.ts";

/** Weights that go to a file of their own, in the order of their offsets there. */
export interface ExternalWeights {
  readonly location: string;
  /** Tensors of fewer bytes stay in the model. */
  readonly threshold: number;
  readonly chunks: Uint8Array[];
  length: number;
}

/** The ONNX specification asks for offsets on page boundaries, so that a runtime can map the file. */
const pageBytes = 4096;

const typeNumber = (type: DataType): number => dataTypes.indexOf(type);

/** A tensor; with `external`, a large one leaves only its place in the file there. */
export function writeTensor(tensor: Tensor, name: string, external?: ExternalWeights): WireWriter {
  const { type, dims, data } = tensor;
  const out = new WireWriter();
  const expected = type === "string" ? elementCount(dims) : dataLength(type as NumericType, dims);
  if (type === "undefined" || data.length !== expected) {
    throw new GraphError(
      `tensor "${name}" is ${type} of shape [${dims}], so it cannot hold ${data.length} values`,
    );
  }
  out.integers(tensorField.dims, dims);
  out.integer(tensorField.type, typeNumber(type));
  if (name) out.string(tensorField.name, name);
  if (!ArrayBuffer.isView(data)) {
    for (const text of data) out.string(tensorField.strings, text);
    return out;
  }
  const raw = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (external && raw.length >= external.threshold) writeExternal(out, raw, external);
  else out.bytes(tensorField.raw, raw);
  return out;
}

function writeExternal(out: WireWriter, raw: Uint8Array, external: ExternalWeights): void {
  const padding = (pageBytes - (external.length % pageBytes)) % pageBytes;
  if (padding > 0) external.chunks.push(new Uint8Array(padding));
  const offset = external.length + padding;
  external.chunks.push(raw);
  external.length = offset + raw.length;
  const entries = { location: external.location, offset: `${offset}`, length: `${raw.length}` };
  for (const [key, value] of Object.entries(entries)) {
    out.message(tensorField.external, writeEntry(key, value));
  }
  out.integer(tensorField.location, 1);
}

export function writeEntry(key: string, value: string): WireWriter {
  const out = new WireWriter();
  out.string(entryField.key, key);
  out.string(entryField.value, value);
  return out;
}

/** Values, named like the tensor, and their flat positions. */
export function writeSparse({ dims, values, indices }: SparseTensor, name: string): WireWriter {
  const out = new WireWriter();
  out.message(sparseField.values, writeTensor(values, name));
  const positions: Tensor = { type: "int64", dims: [indices.length], data: indices };
  out.message(sparseField.indices, writeTensor(positions, ""));
  out.integers(sparseField.dims, dims);
  return out;
}

export function writeValueInfo({ name, type }: ValueInfo): WireWriter {
  const out = new WireWriter();
  out.string(valueInfoField.name, name);
  if (!isTensorType(type)) out.bytes(valueInfoField.type, type.encoded);
  else if (type.type !== "undefined" || type.shape) out.message(valueInfoField.type, writeType(type));
  return out;
}

function writeType(type: Exclude<ValueType, { type: "opaque" }>): WireWriter {
  const out = new WireWriter();
  const inner = new WireWriter();
  inner.integer(tensorTypeField.element, typeNumber(type.type));
  if (type.shape) {
    const shape = new WireWriter();
    for (const dim of type.shape) {
      const written = new WireWriter();
      if (typeof dim === "number") written.integer(dimField.value, dim);
      else if (dim !== undefined) written.string(dimField.name, dim);
      shape.message(shapeField.dim, written);
    }
    inner.message(tensorTypeField.shape, shape);
  }
  out.message(typeField.tensor, inner);
  return out;
}

/** A type as the bytes of a TypeProto. */
export const encodedType = (type: ValueType): Uint8Array =>
  isTensorType(type) ? writeType(type).finish() : type.encoded;
