import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tensorFromJson, tensorsFromJson, tensorsToJson, tensorToJson } from "../../src/data/json.ts";
import { type Tensor, tensor } from "../../src/graph/tensor.ts";
import { anyTensor, onlyDataError } from "./arbitrary.ts";

test("nested arrays", () => {
  expect(
    tensorFromJson([
      [1, 2],
      [3, "NaN"],
    ]),
  ).toEqual(
    tensor([
      [1, 2],
      [3, Number.NaN],
    ]),
  );
  expect(tensorFromJson(5)).toEqual(tensor(5));
  expect(tensorFromJson([[], []]).dims).toEqual([2, 0]);
});

test("shape, type and data", () => {
  const json = { shape: [2, 1], type: "int64", data: [-1, "9007199254740993"] };
  expect(tensorFromJson(json)).toEqual({
    type: "int64",
    dims: [2, 1],
    data: BigInt64Array.of(-1n, 9007199254740993n),
  });
  expect(tensorToJson(tensorFromJson(json))).toEqual(json);
  expect(tensorToJson(tensor([0.5, Number.NaN, -Infinity])).data).toEqual([0.5, "NaN", "-Infinity"]);
  expect(tensorFromJson({ shape: [2], type: "bool", data: [true, false] }).data).toEqual(Uint8Array.of(1, 0));
  expect(tensorFromJson({ shape: [1], type: "string", data: ["NaN"] }).data).toEqual(["NaN"]);
});

test("records by name, or one tensor without a name", () => {
  expect(tensorsFromJson({ x: [1], y: { shape: [], data: [2] } })).toEqual({ x: tensor([1]), y: tensor(2) });
  expect(tensorsFromJson([1])).toEqual({ "": tensor([1]) });
  expect(tensorsFromJson({ shape: [1], data: [2] })).toEqual({ "": tensor([2]) });
  expect(tensorsToJson({ x: tensor([1]) })).toEqual({ x: { shape: [1], type: "float64", data: [1] } });
});

test("every tensor survives the round trip through text (but for the sign of zero)", () => {
  const positiveZeros = (each: Tensor) => JSON.parse(JSON.stringify(tensorToJson(each)));
  fc.assert(
    fc.property(anyTensor, (each) => {
      const read = tensorFromJson(JSON.parse(JSON.stringify(tensorToJson(each))));
      expect(positiveZeros(read)).toEqual(positiveZeros(each));
      expect([read.type, read.dims]).toEqual([each.type, each.dims]);
    }),
  );
});

describe("errors say where", () => {
  test.each([
    [[[1, 2], [3]], '"[1]" has 1 entries, but its neighbours have 2'],
    [[[1], 2], '"[1]" is 2, but its neighbours are arrays'],
    [[1, [2]], '"[1]" is an array, not a number'],
    [[[1], [null]], '"[1][0]" is null, not a number'],
    ["text", 'the value is "text", not a number'],
    [{ shape: [2], data: [1] }, "has shape [2], so 2 values, but 1 are given"],
    [{ shape: [-1], data: [] }, 'needs a "shape"'],
    [{ shape: [1] }, 'needs "data"'],
    [{ shape: [1], type: "int8", data: [200] }, '"data[0]" is 200, beyond the range of int8'],
    [{ shape: [1], type: "uint64", data: ["-1"] }, "beyond the range of uint64"],
    [{ shape: [1], type: "int32", data: [1.5] }, "is 1.5, not a whole number"],
    [{ shape: [1], type: "toString", data: [1] }, 'unknown type "toString"'],
    [{ shape: [1], type: "complex64", data: [1] }, 'unknown type "complex64"'],
  ])("%j", (value, message) => {
    expect(onlyDataError(() => tensorFromJson(value, { file: "t.json" }))?.message).toContain(message);
    expect(onlyDataError(() => tensorFromJson(value, { file: "t.json" }))?.message).toMatch(/^t\.json: /);
  });

  test("in a record, with the name", () => {
    expect(() => tensorsFromJson({ weights: [1, [2]] })).toThrow('"weights[1]"');
  });

  test("deep or lying nests neither overflow the stack nor fill the memory", () => {
    expect(() => tensorFromJson(JSON.parse("[".repeat(100_000) + "]".repeat(100_000)))).toThrow("64 levels");
    const wide = new Array(30_000).fill(0);
    expect(() => tensorFromJson([[wide, ...wide], ...wide])).toThrow("neighbours");
  });

  test("any JSON gives tensors or a DataError", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void onlyDataError(() => tensorsFromJson(value))));
  });
});
