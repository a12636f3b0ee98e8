import { describe, expect, it } from "vitest";
import {
  csvOf,
  joinRows,
  jsonOf,
  quantileOf,
  type Row,
  rowOf,
  sweepFigure,
  tableOf,
} from "../../src/sweep/index.ts";

describe("a result as a row", () => {
  it.each([
    [
      { testLoss: 0.5, ended: "done", testAccuracy: null },
      { test_loss: 0.5, ended: "done", test_accuracy: null },
    ],
    [{ model: { units: 3, deep: { er: true } } }, { model_units: 3, model_deep_er: true }],
    [
      { claims: [{ name: "sup error", measured: 1, holds: true }] },
      { claims_sup_error_measured: 1, claims_sup_error_holds: true },
    ],
    [{ sizes: [1, 2, 3], all: Array(65).fill(0), mixed: [{ a: 1 }, 2] }, { sizes: "[1,2,3]" }],
    [
      { "a b": 1, a_b: 2, aB: 3 },
      { a_b: 1, a_b_2: 2, a_b_3: 3 },
    ],
    [
      { "42": 1, "%": 2, σ: 3 },
      { _42: 1, _: 2, σ: 3 },
    ],
    [{ f: undefined, g: () => 1 }, {}],
    [{ empty: [], none: {} }, { empty: "[]" }],
    [null, {}],
    [7, {}],
  ])("%j", (result, row) => expect(rowOf(result)).toEqual(row));
});

describe("two rows as one", () => {
  it.each([
    [{ n: 3 }, { N: 4, m: 5 }, { n: 3, result_N: 4, m: 5 }],
    [{ n: 3 }, { m: 4, N: 5 }, { n: 3, m: 4, result_N: 5 }],
    [{ n: 3 }, { m: 4, k: Number.NaN }, { n: 3, m: 4, k: "NaN" }],
    [
      { n: 3, N: 1 },
      { result_n: 4, n: 5 },
      { n: 3, N_2: 1, result_n: 4, result_result_n: 5 },
    ],
    [
      { n: 6, N: 2 },
      { result_n: 7, n: 8 },
      { n: 6, N_2: 2, result_n: 7, result_result_n: 8 },
    ],
    [{}, { n: 5 }, { n: 5 }],
    [{ n: 5 }, {}, { n: 5 }],
  ])("%j and %j", (known, found, row) => {
    expect(joinRows(known as Row, found as Row)).toEqual(row);
    expect(Object.keys(joinRows(known as Row, found as Row))).toEqual(Object.keys(row));
  });
});

describe("columns", () => {
  it.each([
    [[1, 2, null], "integer"],
    [[1, 2.5], "double"],
    [[1, "Infinity"], "double"],
    [[-0], "double"],
    [[2 ** 53], "double"],
    [[true, false], "boolean"],
    [[true, 1], "text"],
    [["x", 1], "text"],
    [[null], "text"],
  ])("of %j are %s", (values, type) => {
    expect(tableOf(values.map((v) => ({ v }))).columns).toEqual([{ name: "v", type }]);
  });

  it("are those of all rows, in the order in which they come", () => {
    const { columns } = tableOf([{ b: 1 }, { a: 1, b: 2 }, { c: null }]);
    expect(columns.map(({ name }) => name)).toEqual(["b", "a", "c"]);
  });
});

describe("text", () => {
  const table = tableOf([
    { a: 1, word: 'say "no", twice', x: "Infinity", flag: true },
    { a: null, word: "", x: 0.1, flag: null },
    { a: 3, word: "two\nlines", x: "NaN" },
  ]);

  it("CSV", () => {
    expect([...csvOf(table)].join("")).toBe(
      'a,word,x,flag\n1,"say ""no"", twice",Infinity,true\n,"",0.1,\n3,"two\nlines",NaN,\n',
    );
  });

  it("JSON", () => {
    expect(JSON.parse([...jsonOf(table)].join(""))).toEqual([
      { a: 1, word: 'say "no", twice', x: "Infinity", flag: true },
      { a: null, word: "", x: 0.1, flag: null },
      { a: 3, word: "two\nlines", x: "NaN", flag: null },
    ]);
    expect(JSON.parse([...jsonOf(tableOf([]))].join(""))).toEqual([]);
  });
});

describe("a figure", () => {
  it("quantiles are those of R and NumPy (type 7)", () => {
    // numpy.quantile([1, 2, 4, 8, 16], [0, .1, .25, .5, .9, 1])
    const values = [1, 2, 4, 8, 16];
    expect([0, 0.1, 0.25, 0.5, 0.9, 1].map((q) => quantileOf(values, q))).toEqual([1, 1.4, 2, 4, 12.8, 16]);
    expect(quantileOf([7], 0.25)).toBe(7);
  });

  const rows = [1, 2, 4].flatMap((width) =>
    ["a", "b"].flatMap((loss) =>
      [1, 2, 3, 4, 5].map((seed) => ({ width, loss, seed, error: seed / width + (loss === "b" ? 10 : 0) })),
    ),
  );
  const failed = { width: 8, loss: "a", seed: 1, status: "failed" };
  const table = tableOf([...rows.toReversed(), failed]);

  it("has a line a colour, with medians and quartiles, in the order of x", () => {
    const { panels } = sweepFigure(table, { title: "t", x: "width", y: "error", colour: "loss" });
    expect(panels.length).toBe(1);
    const byName = Object.fromEntries(panels[0]!.series.map((s) => [s.name, s]));
    expect(byName["loss = a"]!.points).toEqual([
      [1, 3],
      [2, 1.5],
      [4, 0.75],
    ]);
    expect(byName["loss = a"]!.band).toEqual([
      [1, 2, 4],
      [2, 1, 2],
      [4, 0.5, 1],
    ]);
    expect(byName["loss = b"]!.points).toEqual([
      [1, 13],
      [2, 11.5],
      [4, 10.75],
    ]);
  });

  it("has a panel a facet, all with the same axes and the same lines", () => {
    const { panels } = sweepFigure(table, {
      title: "t",
      x: "width",
      y: "error",
      colour: "seed",
      facet: "loss",
    });
    expect(panels.map(({ title }) => title).toSorted()).toEqual(["loss = a", "loss = b"]);
    expect(panels[0]!.series.map(({ name }) => name)).toEqual(panels[1]!.series.map(({ name }) => name));
    expect(panels[0]!.y).toEqual(panels[1]!.y);
    expect(panels.map(({ x, y }) => [x.domain, y.domain])).toEqual([
      [
        [1, 4],
        [1 / 4, 15],
      ],
      [
        [1, 4],
        [1 / 4, 15],
      ],
    ]);
    expect(panels[0]!.series[0]!.band).toBeUndefined();
  });

  it("takes a logarithmic axis for what spans decades, and only where all is above 0", () => {
    const spans = (values: readonly number[]) =>
      sweepFigure(tableOf(values.map((x) => ({ x, y: 1 }))), { title: "", x: "x", y: "y" }).panels[0]!.x
        .scale;
    expect([spans([1, 10, 100]), spans([1, 2, 3]), spans([0, 10, 100])]).toEqual(["log", "linear", "linear"]);
  });

  it.each([
    [{ x: "depth", y: "error" }, "--x depth: no such column; there are width, loss, seed, error, status"],
    [{ x: "loss", y: "error" }, "--x loss: this column has words"],
    [{ x: "width", y: "error", colour: "hue" }, "--colour hue: no such column"],
    [{ x: "width", y: "error", facet: "hue" }, "--facet hue: no such column"],
  ])("%j: %s", (options, message) => {
    expect(() => sweepFigure(table, { title: "t", ...options })).toThrow(message);
  });

  it("refuses more colours than people can tell apart", () => {
    const many = tableOf(Array.from({ length: 13 }, (_, k) => ({ x: 1, y: 1, k })));
    expect(() => sweepFigure(many, { title: "", x: "x", y: "y", colour: "k" })).toThrow("13 values");
  });
});
