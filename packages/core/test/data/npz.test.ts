import fc from "fast-check";
import { zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { readNpz, writeNpz } from "../../src/data/npz.ts";
import { unzip } from "../../src/data/zip.ts";
import { type Tensor, tensor } from "../../src/graph/tensor.ts";
import { anyTensor, damage, damaged, onlyDataError } from "./arbitrary.ts";
import { savez, savezCompressed, text } from "./fixtures.ts";

test("files that NumPy wrote, stored and compressed", () => {
  const x = tensor([0, 1, 2], { type: "float32" });
  expect(readNpz(savez)).toEqual({
    x,
    y: tensor([
      [1, 0],
      [0, 1],
    ]),
  });
  expect(readNpz(savezCompressed)).toEqual({ x, zeros: tensor(new Float64Array(1000)) });
});

test("every record of tensors survives the round trip", () => {
  const record = fc.dictionary(fc.string({ maxLength: 8 }), anyTensor, { maxKeys: 4 });
  fc.assert(
    fc.property(record, fc.boolean(), (tensors, compress) => {
      const read = readNpz(writeNpz(tensors, { compress }));
      expect(Object.entries(read)).toEqual(Object.entries(tensors));
    }),
  );
});

test("the name __proto__ is a name like others", () => {
  const tensors = Object.fromEntries([["__proto__", tensor([1])]]) as Record<string, Tensor>;
  expect(Object.keys(readNpz(writeNpz(tensors)))).toEqual(["__proto__"]);
});

test("the same tensors give the same bytes", () => {
  expect(writeNpz({ x: tensor([1]) })).toEqual(writeNpz({ x: tensor([1]) }));
  expect(writeNpz({ x: tensor(new Float64Array(1000)) }, { compress: true }).length).toBeLessThan(400);
});

describe("hostile archives", () => {
  const bomb = zipSync({ "x.npy": new Uint8Array(10_000_000) }, { level: 9 });

  test("bombs are refused by their declared size", () => {
    expect(bomb.length).toBeLessThan(20_000);
    expect(() => readNpz(bomb, { file: "bomb.npz", maxBytes: 1e6 })).toThrow(
      /^bomb\.npz: unpacks to 10000000 bytes/,
    );
  });

  test("bombs that lie about their size are stopped at it", () => {
    const liar = bomb.slice();
    const directory = liar.length - 22 - 46 - "x.npy".length;
    new DataView(liar.buffer).setUint32(directory + 24, 1000, true);
    expect(() => readNpz(liar, { maxBytes: 1e6 })).toThrow("its unpacked size is not the declared one");
    new DataView(liar.buffer).setUint32(directory + 24, 0x7fffffff, true);
    expect(() => readNpz(liar)).toThrow("too many");
  });

  test("a changed byte of data is noticed", () => {
    const archive = savez.slice();
    archive[180]! ^= 1;
    expect(() => readNpz(archive, { file: "a.npz" })).toThrow(/a\.npz\/x\.npy: damaged: the checksum/);
  });

  test("other files and broken ones", () => {
    expect(() => readNpz(text("PK"))).toThrow("not a complete ZIP archive");
    expect(() => readNpz(savez.slice(0, -30))).toThrow("not a complete ZIP archive");
    expect(() => readNpz(zipSync({ "a.txt": text("hi") }), { file: "z.npz" })).toThrow(
      "z.npz/a.txt: not an .npy file",
    );
    expect(readNpz(writeNpz({}))).toEqual({});
  });

  test("archives with folders and a comment", () => {
    const archive = zipSync({ folder: { "x.npy": text("content") }, "empty/": new Uint8Array(0) });
    const withComment = Uint8Array.from([...archive, ...text("remark")]);
    new DataView(withComment.buffer).setUint16(archive.length - 2, 6, true);
    expect([...unzip(withComment)].map(([name]) => name)).toEqual(["folder/x.npy"]);
  });

  test("damaged archives give a DataError or arrays", () => {
    fc.assert(
      fc.property(fc.constantFrom(savez, savezCompressed), damage, (archive, harm) => {
        onlyDataError(() => readNpz(damaged(archive, harm), { maxBytes: 1e6 }));
      }),
      { numRuns: 2000 },
    );
  });
});

test("what is wrong with the first array is said before the second is unpacked", () => {
  const archive = zipSync({ "a.npy": text("no array"), "b.npy": new Uint8Array(100) });
  const second = archive.findLastIndex(
    (_, k) => archive[k] === 0x50 && archive[k + 1] === 0x4b && archive[k + 2] === 1,
  );
  archive[second + 16]! ^= 1; // its checksum
  expect(() => readNpz(archive)).toThrow("a.npy: not an .npy file");
});
