// Against onnx-proto, an independent reader and writer (protobufjs on onnx.proto): field numbers and encodings.
import fc from "fast-check";
import { onnx } from "onnx-proto";
import { describe, expect, it } from "vitest";
import { firstDifference } from "../../src/graph/equal.ts";
import type { Attribute } from "../../src/graph/graph.ts";
import { readModel, writeModel } from "../../src/graph/onnx/index.ts";
import type { DataType, Tensor } from "../../src/graph/tensor.ts";
import { randomModel } from "./onnx-graphs.ts";

const { DataType: Types } = onnx.TensorProto;
const { AttributeType: Kinds } = onnx.AttributeProto;

const encode = (graph: onnx.IGraphProto): Uint8Array =>
  onnx.ModelProto.encode({ irVersion: 8, opsetImport: [{ domain: "ai.onnx", version: 17 }], graph }).finish();

const readWeight = (initializer: onnx.ITensorProto): Tensor =>
  readModel(encode({ initializer: [{ name: "w", ...initializer }] })).initializers.get("w") as Tensor;

const readAttribute = (attribute: onnx.IAttributeProto): Attribute => {
  const node = { opType: "X", domain: "ai.onnx", output: ["y"], attribute: [{ name: "a", ...attribute }] };
  return readModel(encode({ node: [node] })).nodes[0]!.attributes.get("a")!;
};

describe("onnx-proto", () => {
  it("reads what we write, and we read what it writes from that", () => {
    fc.assert(
      fc.property(fc.gen(), (g) => {
        const graph = randomModel(g);
        const decoded = onnx.ModelProto.decode(writeModel(graph));
        expect(decoded.producerName).toBe("lemmata");
        expect(decoded.graph?.name ?? "").toBe(graph.name);
        expect(decoded.graph?.node?.map((node) => node.opType)).toEqual(graph.nodes.map((node) => node.op));
        const back = readModel(onnx.ModelProto.encode(decoded).finish());
        expect(firstDifference(graph, back)).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  it("has the same numbers for element types", () => {
    const names: Record<string, DataType> = {
      FLOAT: "float32",
      DOUBLE: "float64",
      BOOL: "bool",
      FLOAT16: "float16",
      BFLOAT16: "bfloat16",
    };
    for (const [name, dataType] of Object.entries(Types)) {
      if (typeof dataType !== "number" || name === "UNDEFINED") continue;
      const stringData = name === "STRING" ? [] : undefined;
      expect(readWeight({ dataType, dims: [0], stringData }).type).toBe(names[name] ?? name.toLowerCase());
    }
  });
});

describe("typed lists of tensors", () => {
  const cases: [string, onnx.ITensorProto, Tensor["data"]][] = [
    ["float", { dataType: 1, dims: [2], floatData: [1.5, -2] }, new Float32Array([1.5, -2])],
    ["complex64", { dataType: 14, dims: [1], floatData: [1.5, -2] }, new Float32Array([1.5, -2])],
    ["double", { dataType: 11, dims: [2], doubleData: [0.1, -2] }, new Float64Array([0.1, -2])],
    ["int64", { dataType: 7, dims: [2], int64Data: [-1, 2 ** 40] }, new BigInt64Array([-1n, 2n ** 40n])],
    ["uint64", { dataType: 13, dims: [1], uint64Data: [2 ** 40] }, new BigUint64Array([2n ** 40n])],
    ["uint32", { dataType: 12, dims: [1], uint64Data: [2 ** 32 - 1] }, new Uint32Array([2 ** 32 - 1])],
    ["int32", { dataType: 6, dims: [2], int32Data: [-(2 ** 31), 5] }, new Int32Array([-(2 ** 31), 5])],
    ["int16", { dataType: 5, dims: [2], int32Data: [-300, 5] }, new Int16Array([-300, 5])],
    ["uint16", { dataType: 4, dims: [1], int32Data: [65535] }, new Uint16Array([65535])],
    ["int8", { dataType: 3, dims: [2], int32Data: [-128, 127] }, new Int8Array([-128, 127])],
    ["uint8", { dataType: 2, dims: [1], int32Data: [255] }, new Uint8Array([255])],
    ["bool", { dataType: 9, dims: [2], int32Data: [1, 0] }, new Uint8Array([1, 0])],
    ["float16", { dataType: 10, dims: [1], int32Data: [0xbc00] }, new Uint16Array([0xbc00])],
    ["bfloat16", { dataType: 16, dims: [1], int32Data: [0xbf80] }, new Uint16Array([0xbf80])],
    ["float8e5m2", { dataType: 19, dims: [1], int32Data: [0xfe] }, new Uint8Array([0xfe])],
    ["int4, two a byte", { dataType: 22, dims: [3], int32Data: [0xf1, 0x07] }, new Uint8Array([0xf1, 0x07])],
    ["string", { dataType: 8, dims: [1], stringData: [Buffer.from("Ümläut")] }, ["Ümläut"]],
    ["a scalar", { dataType: 1, floatData: [3] }, new Float32Array([3])],
    ["no elements", { dataType: 1, dims: [0, 3] }, new Float32Array(0)],
  ];
  it.each(cases)("%s", (_, initializer, data) => {
    expect(readWeight(initializer as onnx.ITensorProto).data).toEqual(data);
  });

  it("are read unpacked too", () => {
    // field 4 (float_data), wire type 5, twice; field 7 (int64_data), wire type 0, twice.
    const floats = [0x25, 0, 0, 0x80, 0x3f, 0x25, 0, 0, 0, 0x40];
    const integers = [0x38, 5, 0x38, ...new Array(9).fill(0xff), 1];
    const weight = (type: number, list: number[]) => [8, 2, 0x10, type, ...list, 0x42, 1, 0x77];
    const model = (tensor: number[]) => {
      const graph = [0x2a, tensor.length, ...tensor];
      return Uint8Array.from([8, 8, 0x3a, graph.length, ...graph, 0x42, 2, 0x10, 17]);
    };
    const read = (type: number, list: number[]) =>
      (readModel(model(weight(type, list))).initializers.get("w") as Tensor).data;
    expect(read(1, floats)).toEqual(new Float32Array([1, 2]));
    expect(read(7, integers)).toEqual(new BigInt64Array([5n, -1n]));
  });

  const refused: [string, onnx.ITensorProto, RegExp][] = [
    [
      "too few values",
      { dataType: 1, dims: [3], floatData: [1] },
      /"w" is float32 of shape \[3\], but holds 1 v/,
    ],
    ["too few bytes", { dataType: 1, dims: [3], rawData: new Uint8Array(4) }, /holds 4 bytes, not 12/],
    ["a huge shape without data", { dataType: 1, dims: [2 ** 40] }, /but holds 0 values/],
    ["a shape that cannot be counted", { dataType: 1, dims: [2 ** 40, 2 ** 40] }, /more than can be counted/],
    ["a negative dimension", { dataType: 1, dims: [-1] }, /"w" has the dimension -1/],
    [
      "a value beyond its type",
      { dataType: 3, dims: [1], int32Data: [300] },
      /int8, but holds the value 300/,
    ],
    ["no type", { dims: [1], floatData: [1] }, /tensor "w" has no element type/],
    ["an unknown type", { dataType: 99, dims: [0] }, /there is no element type 99/],
    ["both kinds of data", { dataType: 1, dims: [1], floatData: [1], rawData: new Uint8Array(4) }, /twice/],
    ["segments", { dataType: 1, dims: [1], segment: { begin: 0, end: 1 } }, /segments/],
    ["text that is not UTF-8", { dataType: 8, dims: [1], stringData: [Uint8Array.of(0xff)] }, /UTF-8/],
  ];
  it.each(refused)("refuse %s", (_, initializer, message) => {
    expect(() => readWeight(initializer)).toThrow(message);
  });
});

describe("attributes", () => {
  it("without a type have that of their value, as in files of IR versions 1 and 2", () => {
    expect(readAttribute({ i: -7 })).toEqual({ type: "int", value: -7n });
    expect(readAttribute({ f: 0.5 })).toEqual({ type: "float", value: 0.5 });
    expect(readAttribute({ s: Buffer.from("é") })).toEqual({ type: "string", value: "é" });
    expect(readAttribute({ ints: [1, -2] })).toEqual({ type: "ints", value: [1n, -2n] });
    expect(readAttribute({ floats: [1, 2] })).toEqual({ type: "floats", value: [1, 2] });
    expect(readAttribute({ strings: [Buffer.from("a")] })).toEqual({ type: "strings", value: ["a"] });
    expect(readAttribute({ t: { dataType: 1, dims: [0] } })).toMatchObject({ type: "tensor" });
    expect(readAttribute({ g: {} })).toMatchObject({ type: "graph" });
  });

  it("with a type but no value are zero or empty, as proto3 writers leave them", () => {
    expect(readAttribute({ type: Kinds.INT })).toEqual({ type: "int", value: 0n });
    expect(readAttribute({ type: Kinds.INTS })).toEqual({ type: "ints", value: [] });
  });

  const refused: [string, onnx.IAttributeProto, RegExp][] = [
    ["nothing", {}, /attribute "a" of X node "y" has neither a type nor a value/],
    ["two values", { i: 1, f: 1 }, /several values/],
    ["another value than said", { type: Kinds.INT, floats: [1] }, /of type int, but holds floats/],
    ["no tensor", { type: Kinds.TENSOR }, /has no value/],
    ["a reference", { type: Kinds.INT, refAttrName: "b" }, /refers to "b", outside of any function/],
    ["sparse tensors", { type: Kinds.SPARSE_TENSORS }, /type 12, which is not read/],
  ];
  it.each(refused)("refuse %s", (_, attribute, message) => {
    expect(() => readAttribute(attribute)).toThrow(message);
  });
});

describe("sparse tensors", () => {
  const sparse = (indices: number[], indexDims: number[], dims: number[]) => {
    const nonzeros = indexDims[0]!;
    const values = { name: "s", dataType: 1, dims: [nonzeros], floatData: new Array(nonzeros).fill(1) };
    const positions = { dataType: 7, dims: indexDims, int64Data: indices };
    return readModel(encode({ sparseInitializer: [{ values, indices: positions, dims }] })).initializers.get(
      "s",
    );
  };

  it("have flat positions, from coordinates too", () => {
    expect(sparse([1, 5], [2], [2, 3])).toMatchObject({ indices: new BigInt64Array([1n, 5n]), dims: [2, 3] });
    expect(sparse([0, 1, 1, 2], [2, 2], [2, 3])).toMatchObject({ indices: new BigInt64Array([1n, 5n]) });
    expect(sparse([], [0], [2, 3])).toMatchObject({ indices: new BigInt64Array(0) });
  });

  it("refuse positions that are outside, repeated, unsorted or of the wrong shape", () => {
    expect(() => sparse([6], [1], [2, 3])).toThrow(/sparse tensor "s" has a value at position 6, but 6 el/);
    expect(() => sparse([-1], [1], [2, 3])).toThrow(/position -1/);
    expect(() => sparse([1, 1], [2], [2, 3])).toThrow(/must increase/);
    expect(() => sparse([2, 1], [2], [2, 3])).toThrow(/must increase/);
    expect(() => sparse([0, 3], [1, 2], [2, 3])).toThrow(/coordinate 3 on axis 1, of 3/);
    expect(() => sparse([0, 1, 2], [1, 3], [2, 3])).toThrow(/int64 indices of shape \[1, 3\]/);
  });
});

describe("value types", () => {
  const typeOf = (type: onnx.ITypeProto) =>
    readModel(encode({ input: [{ name: "x", type }] })).inputs[0]!.type;

  it("keep known, named and unknown dimensions apart", () => {
    const dim = [{ dimValue: 3 }, { dimParam: "N" }, {}, { dimValue: -1 }, { dimParam: "" }];
    const shape = [3, "N", undefined, undefined, undefined];
    expect(typeOf({ tensorType: { elemType: 1, shape: { dim } } })).toEqual({ type: "float32", shape });
    expect(typeOf({ tensorType: { elemType: 1 } })).toEqual({ type: "float32" });
    expect(typeOf({ tensorType: { elemType: 1, shape: {} } })).toEqual({ type: "float32", shape: [] });
  });

  it("describe sequences, maps, optionals and sparse tensors", () => {
    const tensor = { tensorType: { elemType: 1 } };
    const described = (type: onnx.ITypeProto) => typeOf(type);
    expect(described({ sequenceType: { elemType: tensor } })).toMatchObject({
      description: "sequence(tensor(float32))",
    });
    expect(described({ optionalType: { elemType: { sequenceType: { elemType: tensor } } } })).toMatchObject({
      description: "optional(sequence(tensor(float32)))",
    });
    expect(described({ mapType: { keyType: 8, valueType: tensor } })).toMatchObject({
      description: "map(string, tensor(float32))",
    });
    expect(described({ sparseTensorType: { elemType: 11 } })).toMatchObject({
      description: "sparse_tensor(float64)",
    });
  });
});
