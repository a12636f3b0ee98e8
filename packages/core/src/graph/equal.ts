// Whether two graphs are the same, to the last bit of their weights, and if not, where they differ.
import {
  type Attribute,
  describe,
  type Graph,
  isSparse,
  isTensorType,
  type Node,
  type ValueInfo,
  type ValueType,
} from "./graph.ts";
import type { SparseTensor, Tensor, TensorData } from "./tensor.ts";

/**
 * Whether two graphs are the same: nodes in the same order, weights bit for bit. The order within maps is free.
 * @example equalGraphs(net, readModel(writeModel(net))) // true
 */
export const equalGraphs = (a: Graph, b: Graph): boolean => firstDifference(a, b) === undefined;

/** Where two graphs differ first, in words; undefined if nowhere. */
export function firstDifference(a: Graph, b: Graph): string | undefined {
  return (
    differ("the graph's name", a.name, b.name) ??
    differ("the IR version", a.irVersion, b.irVersion) ??
    inMaps("the opset of domain", a.opsets, b.opsets, differ) ??
    inLists("the graph's input", a.inputs, b.inputs, inValueInfo) ??
    inLists("the graph's output", a.outputs, b.outputs, inValueInfo) ??
    inMaps("initializer", a.initializers, b.initializers, inTensors) ??
    inLists("node", a.nodes, b.nodes, inNodes) ??
    inMaps("the type of", a.valueTypes, b.valueTypes, inTypes) ??
    inMaps("metadata", a.metadata, b.metadata, differ) ??
    inLists("function", a.functions, b.functions, inData)
  );
}

type Comparison<T> = (where: string, a: T, b: T) => string | undefined;
type Scalar = string | number | bigint | undefined;

const differ: Comparison<Scalar> = (where, a, b) =>
  Object.is(a, b) ? undefined : `${where} is ${show(a)} and ${show(b)}`;

const show = (value: Scalar): string => (typeof value === "string" ? JSON.stringify(value) : String(value));

function inLists<T>(
  what: string,
  a: ArrayLike<T>,
  b: ArrayLike<T>,
  compare: Comparison<T>,
): string | undefined {
  for (let k = 0; k < Math.min(a.length, b.length); k++) {
    const difference = compare(`${what} ${k}`, a[k]!, b[k]!);
    if (difference) return difference;
  }
  return a.length === b.length ? undefined : `${what}: there are ${a.length} and ${b.length}`;
}

function inMaps<T>(
  what: string,
  a: ReadonlyMap<string, T>,
  b: ReadonlyMap<string, T>,
  compare: Comparison<T>,
): string | undefined {
  for (const [key, value] of a) {
    const other = b.get(key);
    const where = `${what} ${JSON.stringify(key)}`;
    if (other === undefined) return `${where} is only in the first`;
    const difference = compare(where, value, other);
    if (difference) return difference;
  }
  for (const key of b.keys()) if (!a.has(key)) return `${what} ${JSON.stringify(key)} is only in the second`;
  return undefined;
}

function inNodes(where: string, a: Node, b: Node): string | undefined {
  const named = `${where}, ${describe(a)}`;
  return (
    differ(`the operator of ${where}`, `${a.domain}.${a.op}`, `${b.domain}.${b.op}`) ??
    differ(`the name of ${where}`, a.name, b.name) ??
    inLists(`${named}: input`, a.inputs, b.inputs, differ) ??
    inLists(`${named}: output`, a.outputs, b.outputs, differ) ??
    inMaps(`${named}: attribute`, a.attributes, b.attributes, inAttributes)
  );
}

function inAttributes(where: string, a: Attribute, b: Attribute): string | undefined {
  if (a.type !== b.type) return differ(`the kind of ${where}`, a.type, b.type);
  const same = b as never as typeof a;
  if (a.type === "tensor" || a.type === "sparse")
    return inTensors(where, a.value, same.value as typeof a.value);
  if (a.type === "tensors") return inLists(where, a.value, same.value as typeof a.value, inTensors);
  if (a.type === "graph") return inGraphs(where, a.value, same.value as Graph);
  if (a.type === "graphs") return inLists(where, a.value, same.value as typeof a.value, inGraphs);
  if (a.type === "type") return inTypes(where, a.value, same.value as ValueType);
  // ONNX keeps the floats of attributes in 32 bits.
  if (a.type === "float") return differ(where, Math.fround(a.value), Math.fround(same.value as number));
  if (a.type === "floats") {
    return inLists(where, a.value.map(Math.fround), (same.value as typeof a.value).map(Math.fround), differ);
  }
  if (a.type === "ints" || a.type === "strings") {
    return inLists<Scalar>(where, a.value, same.value as typeof a.value, differ);
  }
  return differ(where, a.value, same.value as Scalar);
}

function inGraphs(where: string, a: Graph, b: Graph): string | undefined {
  const difference = firstDifference(a, b);
  return difference && `${where}: ${difference}`;
}

function inValueInfo(where: string, a: ValueInfo, b: ValueInfo): string | undefined {
  return differ(`the name of ${where}`, a.name, b.name) ?? inTypes(`the type of ${where}`, a.type, b.type);
}

function inTypes(where: string, a: ValueType, b: ValueType): string | undefined {
  if (isTensorType(a) && isTensorType(b)) {
    if (!a.shape || !b.shape) {
      return (
        differ(where, a.type, b.type) ?? differ(`the rank of ${where}`, a.shape?.length, b.shape?.length)
      );
    }
    return differ(where, a.type, b.type) ?? inLists(`${where}: dimension`, a.shape, b.shape, differ);
  }
  if (isTensorType(a) || isTensorType(b)) return differ(where, a.type, b.type);
  return differ(where, a.description, b.description) ?? inData(where, a.encoded, b.encoded);
}

function inTensors(where: string, a: Tensor | SparseTensor, b: Tensor | SparseTensor): string | undefined {
  const difference =
    differ(`the element type of ${where}`, a.type, b.type) ??
    inLists(`${where}: dimension`, a.dims, b.dims, differ);
  if (difference) return difference;
  if (isSparse(a) !== isSparse(b)) return `${where} is sparse in one of them only`;
  if (isSparse(a) && isSparse(b)) {
    return inData(`the positions of ${where}`, a.indices, b.indices) ?? inTensors(where, a.values, b.values);
  }
  return inData(where, (a as Tensor).data, (b as Tensor).data);
}

/** Bit for bit: a NaN equals itself, 0 is not -0. */
function inData(where: string, a: TensorData, b: TensorData): string | undefined {
  if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b))
    return inLists<Scalar>(`${where}: element`, a, b, differ);
  if (a.length !== b.length) return `${where} has ${a.length} and ${b.length} elements`;
  const x = new Uint8Array(a.buffer, a.byteOffset, a.byteLength);
  const y = new Uint8Array(b.buffer, b.byteOffset, b.byteLength);
  for (let k = 0; k < x.length; k++) {
    if (x[k] === y[k]) continue;
    const element = Math.floor(k / a.BYTES_PER_ELEMENT);
    return `element ${element} of ${where} is ${a[element]} and ${b[element]}`;
  }
  return undefined;
}
