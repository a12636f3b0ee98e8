// Random graphs with every kind of attribute, tensor and type, for property tests.
import fc, { type GeneratorValue } from "fast-check";
import type { Attribute, AttributeType, Graph, Node, ValueInfo, ValueType } from "../../src/graph/graph.ts";
import { elementTypeField, mapTypeField, tensorTypeField, typeField } from "../../src/graph/onnx/fields.ts";
import { WireWriter } from "../../src/graph/onnx/wire-writer.ts";
import {
  arrayFor,
  byteLength,
  type DataType,
  dataTypes,
  elementCount,
  type NumericType,
  type SparseTensor,
  type Tensor,
} from "../../src/graph/tensor.ts";

export const emptyGraph: Graph = {
  name: "",
  inputs: [],
  outputs: [],
  nodes: [],
  initializers: new Map(),
  valueTypes: new Map(),
  opsets: new Map([["", 17]]),
  irVersion: 8,
  metadata: new Map(),
  functions: [],
};

export const graphOf = (parts: Partial<Graph>): Graph => ({ ...emptyGraph, name: "g", ...parts });

export const nodeOf = (
  op: string,
  inputs: string[],
  outputs: string[],
  attributes: Record<string, Attribute> = {},
): Node => ({ op, domain: "", name: "", inputs, outputs, attributes: new Map(Object.entries(attributes)) });

export const floatsOf = (values: number[], dims = [values.length]): Tensor => ({
  type: "float32",
  dims,
  data: new Float32Array(values),
});

export const value = (name: string, shape: number[] = [2], type: DataType = "float32"): ValueInfo => ({
  name,
  type: { type, shape },
});

const text = fc.string({ unit: "binary", maxLength: 40 });
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const tensorTypes = dataTypes.filter((type) => type !== "undefined");
const sparseTypes = tensorTypes.filter((type) => !/string|complex|int[24]|float4/.test(type));

/** Draws a value: the function that `fc.gen()` makes. */
export type Draw = GeneratorValue;
const draw = <T>(g: Draw, arbitrary: fc.Arbitrary<T>): T => g(() => arbitrary);
const count = (g: Draw, max: number): number => draw(g, fc.nat({ max }));
const times = <T>(n: number, make: (k: number) => T): T[] => Array.from({ length: n }, (_, k) => make(k));

export function randomTensor(g: Draw, types: readonly DataType[] = tensorTypes, shape?: number[]): Tensor {
  const type = draw(g, fc.constantFrom(...types));
  const dims = shape ?? times(count(g, 3), () => count(g, 3));
  if (type === "string") return { type, dims, data: times(elementCount(dims), () => draw(g, text)) };
  const length = byteLength(type as NumericType, dims);
  const bytes = draw(g, fc.uint8Array({ minLength: length, maxLength: length })).slice();
  const TypedArray = arrayFor(type as NumericType);
  return { type, dims, data: new TypedArray(bytes.buffer as ArrayBuffer) };
}

export function randomSparse(g: Draw): SparseTensor {
  const dims = times(1 + count(g, 2), () => count(g, 4));
  const all = times(elementCount(dims), BigInt);
  const indices = BigInt64Array.from(draw(g, fc.subarray(all)));
  const values = randomTensor(g, sparseTypes, [indices.length]);
  return { type: values.type, dims, values, indices };
}

function randomType(g: Draw): ValueType {
  if (count(g, 4) === 0) return sequenceOfMaps();
  const type = draw(g, fc.constantFrom(...dataTypes));
  if (count(g, 2) === 0) return { type };
  const dim = fc.oneof(fc.nat(), fc.string({ minLength: 1 }), fc.constant(undefined));
  return { type, shape: draw(g, fc.array(dim, { maxLength: 4 })) };
}

/** sequence(map(int64, tensor(float32))), as classifiers of scikit-learn give it. */
export function sequenceOfMaps(): ValueType {
  const wrap = (field: number, inner: WireWriter, first?: [number, number]): WireWriter => {
    const out = new WireWriter();
    if (first) out.integer(...first);
    out.message(field, inner);
    return out;
  };
  const element = new WireWriter();
  element.integer(tensorTypeField.element, 1);
  const map = wrap(mapTypeField.value, wrap(typeField.tensor, element), [mapTypeField.key, 7]);
  const sequence = wrap(elementTypeField.element, wrap(typeField.map, map));
  const encoded = wrap(typeField.sequence, sequence).finish();
  return { type: "opaque", description: "sequence(map(int64, tensor(float32)))", encoded };
}

export const attributeTypes = [
  "int",
  "float",
  "string",
  "tensor",
  "graph",
  "sparse",
  "type",
  "ints",
  "floats",
  "strings",
  "tensors",
  "graphs",
] as const satisfies readonly AttributeType[];

function randomAttribute(g: Draw, prefix: string, depth: number): Attribute {
  const type = draw(g, fc.constantFrom(...attributeTypes));
  const few = count(g, 3);
  const inner = (k: number): Graph =>
    depth > 0 ? randomGraph(g, `${prefix}${k}.`, depth - 1) : { ...emptyGraph, name: `leaf${k}` };
  switch (type) {
    case "int":
      return { type, value: draw(g, int64) };
    case "float":
      return { type, value: draw(g, fc.float()) };
    case "string":
      return { type, value: draw(g, text) };
    case "tensor":
      return { type, value: randomTensor(g) };
    case "graph":
      return { type, value: inner(0) };
    case "sparse":
      return { type, value: randomSparse(g) };
    case "type":
      return { type, value: randomType(g) };
    case "ints":
      return { type, value: draw(g, fc.array(int64)) };
    case "floats":
      return { type, value: draw(g, fc.array(fc.float())) };
    case "strings":
      return { type, value: draw(g, fc.array(text)) };
    case "tensors":
      return { type, value: times(few, () => randomTensor(g)) };
    case "graphs":
      return { type, value: times(few, inner) };
  }
}

/** A well-formed graph; `prefix` keeps the names of subgraphs apart from those around them. */
export function randomGraph(g: Draw, prefix = "", depth = 1): Graph {
  const inputs = times(count(g, 3), (k) => ({ name: `${prefix}input${k}`, type: randomType(g) }));
  const initializers = new Map(
    times(count(g, 3), (k) => {
      const weight: Tensor | SparseTensor = count(g, 3) === 0 ? randomSparse(g) : randomTensor(g);
      return [`${prefix}weight${k}`, weight] as const;
    }),
  );
  const known = [...inputs.map(({ name }) => name), ...initializers.keys()];
  const nodes = times(count(g, 4), (k): Node => {
    const reads = draw(g, fc.array(fc.constantFrom("", ...known), { maxLength: 3 }));
    const outputs = times(1 + count(g, 1), (j) => `${prefix}value${k}.${j}`);
    const attributes = new Map(
      times(count(g, 3), (j) => [`a${j}`, randomAttribute(g, `${prefix}${k}.${j}.`, depth)]),
    );
    known.push(...outputs);
    return {
      op: draw(g, fc.constantFrom("Relu", "Gemm", "If", "Sonst")),
      domain: draw(g, fc.constantFrom("", "ai.onnx.ml", "com.example")),
      name: draw(g, text),
      inputs: reads,
      outputs,
      attributes,
    };
  });
  const outputNames = known.length > 0 ? draw(g, fc.subarray(known)) : [];
  return {
    ...emptyGraph,
    name: draw(g, text),
    inputs,
    initializers,
    nodes,
    outputs: outputNames.map((name) => ({ name, type: randomType(g) })),
    valueTypes: new Map(known.slice(0, count(g, 3)).map((name) => [name, randomType(g)])),
  };
}

/** A random model: a graph, with what only the outermost one has. */
export function randomModel(g: Draw): Graph {
  const named = new WireWriter();
  named.string(1, "a function");
  return {
    ...withOpsets(randomGraph(g)),
    metadata: new Map(Object.entries(draw(g, fc.dictionary(text, text)))),
    functions: count(g, 1) ? [named.finish()] : [],
  };
}

const opsets = new Map([
  ["", 17],
  ["ai.onnx.ml", 3],
]);

/** Subgraphs have the opsets of the graph around them. */
function withOpsets(graph: Graph): Graph {
  const nodes = graph.nodes.map((node) => ({
    ...node,
    attributes: new Map(
      [...node.attributes].map(([name, a]): [string, Attribute] => [
        name,
        a.type === "graph"
          ? { ...a, value: withOpsets(a.value) }
          : a.type === "graphs"
            ? { ...a, value: a.value.map(withOpsets) }
            : a,
      ]),
    ),
  }));
  return { ...graph, nodes, opsets };
}
