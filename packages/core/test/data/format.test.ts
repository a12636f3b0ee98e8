import fc from "fast-check";
import { gzipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { DataError, decodeData, encodeData, writeNpy, writeNpz } from "../../src/data/index.ts";
import { type Tensor, tensor } from "../../src/graph/tensor.ts";
import { anyTensor, onlyDataError } from "./arbitrary.ts";
import { text } from "./fixtures.ts";

const x = tensor([
  [1, 2],
  [3, 4],
]);
const idx = Uint8Array.of(0, 0, 8, 1, 0, 0, 0, 2, 5, 6);

describe("decodeData", () => {
  test.each([
    ["x.npy", writeNpy(x), { "": x }],
    ["X.NPZ", writeNpz({ x }), { x }],
    ["x.csv", text("a,b\n1,2\n3,4"), { "": x }],
    ["x.json", text('{ "x": [[1, 2], [3, 4]] }'), { x }],
    ["train-labels-idx1-ubyte", idx, { "": tensor([5, 6], { type: "uint8" }) }],
    ["train-labels.idx1-ubyte.gz", gzipSync(idx), { "": tensor([5, 6], { type: "uint8" }) }],
    ["x.idx", idx, { "": tensor([5, 6], { type: "uint8" }) }],
    ["x.npy.gz", gzipSync(writeNpy(x)), { "": x }],
    ["unpacked-by-the-browser.npy.gz", writeNpy(x), { "": x }],
    ["by-magic", writeNpy(x), { "": x }],
    ["by-magic", gzipSync(writeNpz({ x })), { x }],
    ["by-magic", idx, { "": tensor([5, 6], { type: "uint8" }) }],
    ["by-magic", text(" [[1, 2], [3, 4]]"), { "": x }],
  ])("%s", (name, bytes, expected) => expect(decodeData(bytes, name)).toEqual(expected));

  test.each([
    ["x.bin", text("hello"), "x.bin: unknown data format"],
    ["x.json", text('{ "x": [1, }'), "x.json: not JSON"],
    ["x.csv", Uint8Array.of(0xff, 0xfe, 0x31, 0), "x.csv: not a text in UTF-8"],
    ["x.npy", text("hello"), "x.npy: not an .npy file"],
    ["x.npz", writeNpz({ x }).slice(0, -5), "x.npz: not a complete ZIP archive"],
  ])("%s that is something else", (name, bytes, message) => {
    expect(onlyDataError(() => decodeData(bytes, name))?.message).toContain(message);
  });

  test("any bytes under any name give tensors or a DataError", () => {
    const name = fc.constantFrom("a", "a.npy", "a.npz", "a.csv", "a.json", "a.idx", "a.csv.gz");
    const start = fc.constantFrom(
      [],
      [0x1f, 0x8b, 8],
      [0x50, 0x4b, 3, 4],
      [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0],
      [0, 0, 8, 1],
    );
    fc.assert(
      fc.property(name, start, fc.uint8Array({ maxLength: 80 }), (name, start, bytes) => {
        onlyDataError(() => decodeData(Uint8Array.from([...start, ...bytes]), name, { maxBytes: 1e6 }));
      }),
      { numRuns: 1000 },
    );
  });
});

describe("encodeData", () => {
  test("round trips in each format", () => {
    for (const name of ["x.npy", "x.csv", "x.json", "x.npy.gz", "x.json.gz"]) {
      expect(decodeData(encodeData(name, { "": x }), name)).toEqual({ "": x });
    }
    fc.assert(
      fc.property(fc.dictionary(fc.string(), anyTensor), (tensors) => {
        expect(decodeData(encodeData("x.npz", tensors), "x.npz")).toEqual({ ...tensors });
      }),
      { numRuns: 50 },
    );
  });

  test("a table of several tensors", () => {
    const labels = tensor([7, 8], { type: "int64" });
    expect(new TextDecoder().decode(encodeData("t.csv", { x, label: labels }))).toBe(
      "x1,x2,label\n1,2,7\n3,4,8\n",
    );
  });

  test("a column whose name is a number reads back as a name", () => {
    expect(decodeData(encodeData("t.csv", { 26: tensor([1, 2]) }), "t.csv")[""]?.dims).toEqual([2, 1]);
  });

  test.each([
    ["x.npy", { x, y: x }, "x.npy: .npy files hold one tensor, not 2"],
    ["x.txt", { x }, "x.txt: this format cannot be written"],
    ["x.csv", { x: tensor([[[1]]]) }, "x.csv: a tensor of shape [1,1,1] is no table"],
    ["x.csv", { x, y: tensor([1]) }, "same, positive number of rows"],
    ["x.csv", { s: { type: "string", dims: [1], data: ["a"] } as const }, "x.csv: values of type string"],
  ])("%s cannot hold everything", (name, tensors, message) => {
    expect(() => encodeData(name, tensors)).toThrow(DataError);
    expect(() => encodeData(name, tensors)).toThrow(message);
  });
});

test("a table does not bend large integers", () => {
  const tensorOf = (value: bigint): Tensor => ({ type: "int64", dims: [1], data: BigInt64Array.of(value) });
  const large = tensorOf(2n ** 53n + 1n);
  expect(() => encodeData("x.csv", { "": large })).toThrow(/lose digits of integers above 2\^53/);
  expect(new TextDecoder().decode(encodeData("x.csv", { "": tensorOf(2n ** 53n) }))).toContain(
    "9007199254740992",
  );
});

test("a gzipped .npy file is refused by its first bytes, before anything is unpacked", () => {
  const bomb = (content: Uint8Array): Uint8Array => {
    const packed = gzipSync(content);
    packed[packed.length - 8]! ^= 1; // to unpack it would find a checksum that does not match
    return packed;
  };
  const long = writeNpy(tensor(new Float64Array(1000)));
  expect(() => decodeData(bomb(new Uint8Array(1e6)), "x.npy.gz")).toThrow("not an .npy file");
  expect(() => decodeData(bomb(long.slice(0, -8)), "x.npy.gz")).toThrow(/shape \[1000\].*needs 8000 bytes/);
});
