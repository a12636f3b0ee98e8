import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCsv, writeCsv } from "../../src/data/csv.ts";
import { DataError } from "../../src/data/error.ts";
import { onlyDataError } from "./arbitrary.ts";

describe("dialects", () => {
  const table = { columns: ["x", "y"], rows: Float64Array.of(1, -2.5, 3e4, 0.5), count: 2 };

  test.each([
    ["plain", "x,y\n1,-2.5\n3e4,.5\n"],
    ["no line end at the end", "x,y\n1,-2.5\n3e4,.5"],
    ["Windows", "x,y\r\n1,-2.5\r\n3e4,.5\r\n"],
    ["old Macintosh", "x,y\r1,-2.5\r3e4,.5"],
    ["a byte order mark", "\ufeffx,y\n1,-2.5\n3e4,.5"],
    ["semicolons", "x;y\n1;-2.5\n3e4;.5"],
    ["tabs", "x\ty\n1\t-2.5\n3e4\t.5"],
    ["quotes", '"x","y"\n"1","-2.5"\n3e4,".5"'],
    ["spaces and empty lines", "\nx , y\n\n 1, -2.5\n3e4 ,+.5\n \n\n"],
  ])("%s", (_, text) => expect(readCsv(text)).toEqual(table));

  test("without a header", () => {
    expect(readCsv("1,2\n3,4")).toEqual({
      columns: ["column1", "column2"],
      rows: Float64Array.of(1, 2, 3, 4),
      count: 2,
    });
    expect(readCsv("1\n2\n").rows).toEqual(Float64Array.of(1, 2));
    expect(readCsv("1,2\n3,4", { header: true })).toEqual({
      columns: ["1", "2"],
      rows: Float64Array.of(3, 4),
      count: 1,
    });
  });

  test("names may hold anything, in quotes", () => {
    expect(readCsv('"a, ""b"""\t"c\r\nd"\n1\t2').columns).toEqual(['a, "b"', "c\r\nd"]);
  });

  test("not finite", () => {
    expect([...readCsv("NaN,nan,inf,-Infinity,+INF").rows]).toEqual([
      Number.NaN,
      Number.NaN,
      Infinity,
      -Infinity,
      Infinity,
    ]);
  });
});

test.each([
  ["", "the CSV text is empty"],
  ["x,y\n1,2\n3,four\n5,six", 't.csv: line 3, column 2: "four" is not a number'],
  ["x,y\n1,\n", "line 2, column 2: the cell is empty"],
  ["1,2\n3\n", "line 2 has 1 cells, but the first row has 2"],
  ["x\n0x10\n", '"0x10" is not a number'],
  ["x,1\n2,3", 'line 1, column 1: "x" is not a number'],
  ['"a\nb",c\n1,2\n3,x', "line 4, column 2"],
  ['1,2\n"3,4', "line 2, column 1: a quote is opened and never closed"],
  ['1,"2"3\n', "line 1, column 2: text after the closing quote"],
  ["x;y\n1,5;2,5", '"1,5" is not a number (use a decimal point)'],
])("errors say where: %j", (text, message) => {
  expect(() => readCsv(text, { file: "t.csv" })).toThrow(DataError);
  expect(() => readCsv(text, { file: "t.csv" })).toThrow(message);
});

test("every table survives the round trip", () => {
  const name = fc
    .string({ unit: "grapheme" })
    .map((text) => text.trim())
    .filter((text) => text !== "");
  const columns = fc.array(fc.oneof(name, fc.constantFrom("1", "NaN", "a,b", 'q"', "two\nlines", "x;y")), {
    minLength: 1,
    maxLength: 4,
  });
  fc.assert(
    fc.property(columns, fc.array(fc.double(), { minLength: 4, maxLength: 12 }), (columns, values) => {
      const count = Math.floor(values.length / columns.length);
      const table = { columns, rows: Float64Array.from(values.slice(0, count * columns.length)), count };
      expect(readCsv(writeCsv(table))).toEqual(table);
    }),
  );
});

test("any text gives a table or a DataError", () => {
  const piece = fc.constantFrom(",", ";", "\t", "\n", "\r", '"', "1", "-", "e", "x", " ", "\ufeff");
  fc.assert(
    fc.property(fc.array(piece), (pieces) => void onlyDataError(() => readCsv(pieces.join("")))),
    { numRuns: 2000 },
  );
});
