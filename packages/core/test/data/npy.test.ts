import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readNpy, writeNpy } from "../../src/data/npy.ts";
import { tensor } from "../../src/graph/tensor.ts";
import { anyTensor, damage, damaged, onlyDataError } from "./arbitrary.ts";
import * as numpy from "./fixtures.ts";

describe("files that NumPy wrote", () => {
  test("element types, byte orders and versions", () => {
    expect(readNpy(numpy.float64)).toEqual(
      tensor([
        [1.5, -2],
        [Number.NaN, Infinity],
      ]),
    );
    expect(readNpy(numpy.bigEndian)).toEqual(
      tensor(
        [
          [0, 1, 2],
          [3, 4, 5],
        ],
        { type: "int32" },
      ),
    );
    expect(readNpy(numpy.half)).toEqual(tensor([1, 0.5, -65504], { type: "float16" }));
    expect(readNpy(numpy.boolean)).toEqual(tensor([1, 0], { type: "bool" }));
    expect(readNpy(numpy.scalar)).toEqual(tensor(-(2 ** 62), { type: "int64" }));
    expect(readNpy(numpy.version2)).toEqual(tensor([1, 2], { type: "uint16" }));
    expect(readNpy(numpy.version3)).toEqual(tensor([1, 2], { type: "uint64" }));
    expect(readNpy(numpy.empty)).toEqual({ type: "float64", dims: [0, 3], data: new Float64Array(0) });
  });

  test("Fortran order becomes row-major", () => {
    const rows = Array.from({ length: 24 }, (_, k) => k);
    expect(readNpy(numpy.fortran)).toEqual(tensor(rows, { type: "float32", dims: [2, 3, 4] }));
  });

  test.each([
    [numpy.complex, "complex numbers"],
    [numpy.strings, "(strings)"],
    [numpy.structured, "structured arrays"],
    [numpy.objects, "Python objects"],
    [numpy.dates, "dates"],
  ])("other elements are refused by name: %#", (file, reason) => {
    expect(() => readNpy(file, { file: "a.npy" })).toThrow(reason);
    expect(() => readNpy(file, { file: "a.npy" })).toThrow(/^a\.npy: /);
  });

  test("what we write is byte for byte what NumPy writes", () => {
    for (const file of [numpy.float64, numpy.half, numpy.boolean, numpy.scalar, numpy.empty]) {
      expect(writeNpy(readNpy(file))).toEqual(file);
    }
  });
});

test("aligned bytes are shared, others copied", () => {
  const file = writeNpy(tensor([1, 2, 3]));
  expect((readNpy(file).data as Float64Array).buffer).toBe(file.buffer);
  const shifted = new Uint8Array(file.length + 1).subarray(1);
  shifted.set(file);
  expect(readNpy(shifted)).toEqual(tensor([1, 2, 3]));
});

test("every tensor survives the round trip", () => {
  fc.assert(fc.property(anyTensor, (each) => void expect(readNpy(writeNpy(each))).toEqual(each)));
});

test("types that .npy lacks are refused", () => {
  expect(() => writeNpy({ type: "string", dims: [1], data: ["a"] })).toThrow("string");
  expect(() => writeNpy(tensor([1], { type: "bfloat16" }))).toThrow("bfloat16");
});

describe("hostile files", () => {
  const header = (shape: string, descr = "'<f8'", order = "False") =>
    `{'descr': ${descr}, 'fortran_order': ${order}, 'shape': ${shape}, }\n`;

  test.each([
    ["nothing", new Uint8Array(0), "not an .npy file"],
    ["text", numpy.text("hello, I am no array"), "not an .npy file"],
    ["a future version", numpy.npyFile(header("()"), [], 9), "version 9.0"],
    ["only a magic number", numpy.float64.slice(0, 8), "ends inside its header"],
    ["a cut header", numpy.float64.slice(0, 60), "ends inside its header"],
    ["a cut body", numpy.float64.slice(0, -1), "needs 32 bytes, but the file holds 31"],
    ["a shape that lies", numpy.npyFile(header("(2,)"), [0, 0, 0, 0, 0, 0, 0, 0]), "needs 16 bytes"],
    ["a gigantic shape", numpy.npyFile(header("(999999999999999, 999999999999999, 9)")), "needs"],
    ["an endless dimension", numpy.npyFile(header("(9999999999999999999,)")), "malformed"],
    ["a negative dimension", numpy.npyFile(header("(-1,)")), "no shape"],
    ["no commas", numpy.npyFile(header("(1 2)")), "malformed"],
    ["no element type", numpy.npyFile("{'shape': ()}"), "no element type"],
    ["an element type of the prototype", numpy.npyFile(header("()", "'toString'")), "not supported"],
    ["no order", numpy.npyFile("{'descr': '<f8', 'shape': ()}"), "fortran_order"],
    ["long double", numpy.npyFile(header("()", "'<f16'")), '"<f16"'],
  ])("%s", (_, file, reason) => {
    expect(onlyDataError(() => readNpy(file, { file: "x.npy" }))?.message).toContain(reason);
  });

  test("headers of other writers", () => {
    expect(
      readNpy(numpy.npyFile("{ 'shape':(2L,),'fortran_order' : False,\"descr\":\"|u1\"}", [7, 8])).dims,
    ).toEqual([2]);
  });

  test("damaged files give a DataError or an array", () => {
    fc.assert(
      fc.property(anyTensor, damage, (tensor, harm) => {
        onlyDataError(() => readNpy(damaged(writeNpy(tensor), harm)));
      }),
      { numRuns: 500 },
    );
  });
});
