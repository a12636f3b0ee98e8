import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Grid,
  gridSize,
  jobKey,
  makeJob,
  makeJobAtOnce,
  parseGrid,
  points,
} from "../../src/sweep/index.ts";

describe("a grid", () => {
  it.each([
    ["width=16,32,64; seed=1..3", { width: [16, 32, 64], seed: [1, 2, 3] }],
    ["eps=1e-1..1e-4 log 4", { eps: [0.1, 0.01, 0.001, 0.0001] }],
    ["x=0..1 linear 5", { x: [0, 0.25, 0.5, 0.75, 1] }],
    ["x=-1..1 linear 11", { x: [-1, -0.8, -0.6, -0.4, -0.2, 0, 0.2, 0.4, 0.6, 0.8, 1] }],
    ["x=0..1 step 0.1", { x: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1] }],
    ["x=0..0.3 step 0.1", { x: [0, 0.1, 0.2, 0.3] }], // 0.3 / 0.1 < 3
    ["n=10..0 step 4", { n: [10, 6, 2] }],
    ["n=3..1", { n: [3, 2, 1] }],
    ["n=1..3, 10, 20..22", { n: [1, 2, 3, 10, 20, 21, 22] }],
    ["n=-3..-1; m=-8..-1 log 4", { n: [-3, -2, -1], m: [-8, -4, -2, -1] }],
    [
      "bias=true,false; loss=square, cross-entropy",
      { bias: [true, false], loss: ["square", "cross-entropy"] },
    ],
    ['on="0..1","x=0..1; y=-1..1"', { on: ["0..1", "x=0..1; y=-1..1"] }],
    ['version="1","2"; σ=.5', { version: ["1", "2"], σ: [0.5] }],
    [" ; a = 1 ; ", { a: [1] }],
    ["", {}],
  ])("%s", (text, expected) => {
    const grid = parseGrid(text);
    expect(Object.fromEntries(grid.map(({ name, values }) => [name, values]))).toEqual(expected);
  });

  it.each([
    ["width", 'write name=values, as in "width=16,32,64; seed=1..10"'],
    ["=3", "write name=values"],
    ["a=1,,2", "a: a value is missing"],
    ["a=", "a: a value is missing"],
    ["a=1; a=2", "a is there twice"],
    ["a=1,2,1", "a: 1 is there twice"],
    ["a=1..3,2", "a: 2 is there twice"],
    ["a=0.5..1", "how many?"],
    ["a=1..x", "x is no number"],
    ["a=1..1e400", "a: "],
    ["a=1e400", "beyond all numbers"],
    ["a=-1..1 log 3", "one sign"],
    ["a=0..1 log 3", "one sign"],
    ["a=1..2 log 1", "from 2 up"],
    ["a=1..2 linear 2.5", "from 2 up"],
    ["a=1..2 step 0", "a step is above 0"],
    ["a=1..2 step -1", "a step is above 0"],
    ["a=1..1e12", "1000000000000 values"],
    ["a=1..10000; b=1..10000", "at most 10000000 can be run"],
    ['a="x', "not closed"],
    ['a="x" y', "not one value"],
  ])("%s is refused: %s", (text, message) => {
    expect(() => parseGrid(text)).toThrow(message);
    expect(() => parseGrid(text)).toThrow(/^grid: [^\n]*$/);
  });

  it("has every combination once, the last name fastest", () => {
    expect([...points(parseGrid("a=1,2; b=x,y"))]).toEqual([
      { a: 1, b: "x" },
      { a: 1, b: "y" },
      { a: 2, b: "x" },
      { a: 2, b: "y" },
    ]);
  });

  const value = fc.oneof(
    fc.integer(),
    fc.double({ noDefaultInfinity: true, noNaN: true }).map((x) => x + 0),
    fc.boolean(),
    fc.stringMatching(/^[a-z]{6,9}$/),
  );
  const axis = fc.record({
    name: fc.stringMatching(/^[a-z_][a-z0-9_]{0,6}$/),
    values: fc.uniqueArray(value, { minLength: 1, maxLength: 5, selector: (v) => (v === 0 ? 0 : v) }),
  });
  const grids: fc.Arbitrary<Grid> = fc.uniqueArray(axis, { maxLength: 4, selector: ({ name }) => name });
  const written = (grid: Grid): string =>
    grid.map(({ name, values }) => `${name}=${values.join(",")}`).join("; ");

  it("reads what is written, and makes as many points as it says, all different", () => {
    fc.assert(
      fc.property(grids, (grid) => {
        expect(parseGrid(written(grid))).toEqual(grid);
        const all = [...points(grid)].map((p) => JSON.stringify(p));
        expect(all.length).toBe(grid.reduce((n, { values }) => n * values.length, 1));
        expect(gridSize(grid)).toBe(all.length);
        expect(new Set(all).size).toBe(all.length);
      }),
    );
  });

  it("spaces points evenly, or by one ratio", () => {
    const [end, ratio] = [
      fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
      fc.double({ min: 1.5, max: 1e9, noNaN: true }), // nearer ends have points that are the same in 14 digits
    ];
    fc.assert(
      fc.property(end, ratio, fc.integer({ min: 3, max: 30 }), (a, r, n) => {
        const [linear, log] = ["linear", "log"].map(
          (kind) => parseGrid(`a=${a}..${a * r} ${kind} ${n}`)[0]!.values as number[],
        );
        expect([linear!.length, log!.length, linear![0], log![0]]).toEqual([n, n, a, a]);
        const [first, last] = [a, a * r];
        // Each point is rounded to 14 digits: half a unit of the 14th, relative to the larger end.
        for (const [k, x] of linear!.entries())
          expect(Math.abs(x - (first + (k * (last - first)) / (n - 1)))).toBeLessThanOrEqual(
            6e-14 * Math.max(a, last),
          );
        for (const [k, x] of log!.entries())
          expect(Math.abs(Math.log(x / first) - (k * Math.log(last / first)) / (n - 1))).toBeLessThan(1e-12);
      }),
    );
  });
});

describe("a job's key", () => {
  it("is SHA-256 of what is to be done, cut to 128 bits", async () => {
    // printf '{"a":[1,"x"],"b":null}' | sha256sum
    const { createHash } = await import("node:crypto");
    const expected = createHash("sha256").update('{"a":[1,"x"],"b":null}').digest("hex").slice(0, 32);
    expect(await jobKey({ b: null, a: [1, "x"], c: undefined })).toBe(expected);
  });

  it("is the same when it is made at once", async () => {
    const { createHash } = await import("node:crypto");
    const [task, point] = [
      { id: "T-27", words: ["é", "\n"] },
      { i: 1, flag: true },
    ];
    const atOnce = makeJobAtOnce(task, point, (text) => createHash("sha256").update(text).digest("hex"));
    expect(atOnce).toEqual(await makeJob(task, point));
  });

  it("differs when anything differs", async () => {
    const jobs = await Promise.all([
      makeJob({ lemma: "T-27" }, { i: 1 }),
      makeJob({ lemma: "T-27" }, { i: "1" }),
      makeJob({ lemma: "T-27" }, { i: true }),
      makeJob({ lemma: "T-27" }, { j: 1 }),
      makeJob({ lemma: "T-28" }, { i: 1 }),
      makeJob({ lemma: "T-27", seed: 1 }, { i: 1 }),
    ]);
    expect(new Set(jobs.map(({ key }) => key)).size).toBe(jobs.length);
  });
});
