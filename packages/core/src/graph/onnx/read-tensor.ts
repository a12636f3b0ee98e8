// TensorProto: raw bytes, typed lists or external data, as one typed array. Nothing is allocated from dims alone.
import { GraphError } from "../error.ts";
import {
  arrayFor,
  byteLength,
  type DataType,
  dataLength,
  elementCount,
  type NumericType,
  type Tensor,
  type TensorData,
} from "../tensor.ts";
import { Collected } from "./collected.ts";
import { type ExternalData, externalBytes, readEntry } from "./external.ts";
import { tensorField } from "./fields.ts";
import { readDataType } from "./read-type.ts";
import type { WireReader } from "./wire.ts";

export interface NamedTensor {
  readonly name: string;
  readonly tensor: Tensor;
}

/** The typed list that holds values of a type, where there is no raw data. */
type ListField = "floats" | "int32s" | "int64s" | "doubles" | "uint64s";

const listFor: Partial<Record<DataType, ListField>> = {
  float32: "floats",
  complex64: "floats",
  float64: "doubles",
  complex128: "doubles",
  int64: "int64s",
  uint32: "uint64s",
  uint64: "uint64s",
};

interface Parts {
  name: string;
  type: DataType;
  dims: Collected;
  raw?: Uint8Array;
  lists: Partial<Record<ListField, Collected>>;
  strings: string[];
  external: Map<string, string>;
  isExternal: boolean;
}

/** Reads a tensor; `where` describes it in errors if it has no name. */
export function readTensor(reader: WireReader, where: string, external?: ExternalData): NamedTensor {
  const parts = readParts(reader);
  const { name, type } = parts;
  const label = name ? `tensor ${JSON.stringify(name)}` : `the tensor of ${where}`;
  if (type === "undefined") throw new GraphError(`${label} has no element type`);
  const dims = checkedDims(integersOf(parts.dims), label);
  return { name, tensor: { type, dims, data: readData(parts, type, dims, label, external) } };
}

function readParts(reader: WireReader): Parts {
  const parts: Parts = {
    name: "",
    type: "undefined",
    dims: new Collected(),
    lists: {},
    strings: [],
    external: new Map(),
    isExternal: false,
  };
  const list = (field: ListField): Collected => {
    parts.lists[field] ??= new Collected();
    return parts.lists[field];
  };
  while (reader.next()) {
    switch (reader.field) {
      case tensorField.dims:
        reader.varints(parts.dims);
        break;
      case tensorField.type:
        parts.type = readDataType(reader);
        break;
      case tensorField.name:
        parts.name = reader.string();
        break;
      case tensorField.raw:
        parts.raw = reader.delimited();
        break;
      case tensorField.floats:
        reader.fixed(list("floats"), 4);
        break;
      case tensorField.doubles:
        reader.fixed(list("doubles"), 8);
        break;
      case tensorField.int32s:
        reader.varints(list("int32s"));
        break;
      case tensorField.int64s:
        reader.varints(list("int64s"));
        break;
      case tensorField.uint64s:
        reader.varints(list("uint64s"));
        break;
      case tensorField.strings:
        parts.strings.push(reader.string());
        break;
      case tensorField.external:
        parts.external.set(...readEntry(reader.message("external_data")));
        break;
      case tensorField.location:
        parts.isExternal = reader.integer() === 1;
        break;
      case tensorField.segment:
        reader.fail("a tensor in segments is not read");
        break;
      default:
        reader.skip();
    }
  }
  return parts;
}

/** The signed 64-bit integers that were collected. */
export function integersOf(collected: Collected): BigInt64Array {
  return typedView("int64", collected.result()) as BigInt64Array;
}

/** Dimensions as numbers: none negative, and their product exact. */
export function checkedDims(integers: BigInt64Array, label: string): number[] {
  const dims = Array.from(integers, Number);
  const bad = dims.find((dim) => dim < 0 || !Number.isSafeInteger(dim));
  if (bad !== undefined) throw new GraphError(`${label} has the dimension ${bad}`);
  if (!Number.isSafeInteger(16 * elementCount(dims.filter((dim) => dim > 0)))) {
    throw new GraphError(`${label} has the shape ${shapeText(dims)}, more than can be counted`);
  }
  return dims;
}

/** `[2, 3]`; a shape of over eight dimensions is cut. */
export const shapeText = (dims: readonly number[]): string =>
  `[${dims.slice(0, 8).join(", ")}${dims.length > 8 ? `, ... ${dims.length} dimensions` : ""}]`;

function readData(
  parts: Parts,
  type: DataType,
  dims: readonly number[],
  label: string,
  external: ExternalData | undefined,
): TensorData {
  const { raw, lists, strings } = parts;
  const held = [raw, strings, ...Object.values(lists)].filter((store) => store && store.length > 0).length;
  if (held + (parts.isExternal ? 1 : 0) > 1) throw new GraphError(`${label} holds its values twice`);
  const mismatch = (found: string): never => {
    throw new GraphError(`${label} is ${type} of shape ${shapeText(dims)}, but holds ${found}`);
  };
  if (type === "string") {
    if (parts.isExternal) throw new GraphError(`${label} has strings as external data`);
    return strings.length === elementCount(dims) ? strings : mismatch(`${strings.length} strings`);
  }
  const numeric = type as NumericType;
  const bytes = byteLength(numeric, dims);
  if (parts.isExternal) {
    return typedView(numeric, plain(externalBytes(parts.external, bytes, label, external)));
  }
  if (raw && (raw.length > 0 || held === 0)) {
    return raw.length === bytes ? typedView(numeric, raw) : mismatch(`${raw.length} bytes, not ${bytes}`);
  }
  const field = listFor[type] ?? "int32s";
  const list = lists[field]?.result() ?? new Uint8Array(0);
  const width = field === "floats" ? 4 : 8;
  const length = dataLength(numeric, dims);
  if (list.length !== width * length) mismatch(`${list.length / width} values, not ${length}`);
  if (field !== "int32s" && numeric !== "uint32") return typedView(numeric, list);
  return narrowed(numeric, new Int32Array(list.buffer, list.byteOffset, list.length / 4), label);
}

/** Low words of 64-bit values, in an array of the type. */
function narrowed(type: NumericType, words: Int32Array, label: string): TensorData {
  const values = new (arrayFor(type) as Uint8ArrayConstructor)(words.length / 2);
  for (let k = 0; k < values.length; k++) {
    const word = words[2 * k]!;
    values[k] = word;
    if ((values[k]! | 0) !== word) throw new GraphError(`${label} is ${type}, but holds the value ${word}`);
  }
  return values;
}

/** A Node Buffer behaves unlike a Uint8Array (its `slice` is no copy): see it as the latter. */
export const plain = (bytes: Uint8Array): Uint8Array =>
  new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** A typed array on the bytes themselves where alignment allows it, else on a copy. Little-endian, as ONNX is. */
function typedView(type: NumericType, bytes: Uint8Array): Exclude<TensorData, readonly string[]> {
  const TypedArray = arrayFor(type);
  const aligned = bytes.byteOffset % TypedArray.BYTES_PER_ELEMENT === 0 ? bytes : bytes.slice();
  return new TypedArray(
    aligned.buffer as ArrayBuffer,
    aligned.byteOffset,
    aligned.byteLength / TypedArray.BYTES_PER_ELEMENT,
  );
}
