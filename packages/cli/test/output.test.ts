import { afterEach, describe, expect, it, vi } from "vitest";
import { grownIn } from "../src/commands/simplify.ts";
import { atLeast, atMost, number } from "../src/output.ts";
import { progressBar, remark } from "../src/progress.ts";

describe("numbers", () => {
  it.each([
    [12345, "12,345"],
    [0.0625, "0.0625"],
    [3.1e-9, "3.1e-9"],
    [1.4e20, "1.4e20"],
    [-140000000000000000000, "-1.4e20"],
    [12345.678, "12345.68"],
    [1234567890.5, "1.234568e9"],
    [Number.POSITIVE_INFINITY, "∞"],
    [Number.NEGATIVE_INFINITY, "-∞"],
    [0, "0"],
  ])("%f is written %s", (value, text) => {
    expect(number(value)).toBe(text);
  });

  it("bounds keep their side", () => {
    expect([atMost(10.641, 3), atLeast(10.641, 3)]).toEqual(["10.7", "10.6"]);
    expect([atMost(-1.00001, 3), atLeast(-1.00001, 3)]).toEqual(["-1", "-1.01"]);
    expect([atMost(Number.POSITIVE_INFINITY), atLeast(Number.NEGATIVE_INFINITY)]).toEqual(["∞", "-∞"]);
  });
});

describe("progress where stderr is no terminal", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** What is written when a bar is told of progress every half second for so many seconds. */
  function writtenIn(seconds: number, quiet = false): readonly string[] {
    const written: string[] = [];
    vi.spyOn(process.stderr, "write").mockImplementation((text) => {
      written.push(String(text));
      return true;
    });
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    const bar = progressBar("verify", { quiet, seed: 1 });
    for (; now <= 1000 * seconds; now += 500) bar.update(now / 1e5, "7 boxes");
    void bar.done();
    if (!quiet) remark("a remark", { seed: 1 });
    return written;
  }

  it("is a plain line now and then, and nothing else", () => {
    expect(writtenIn(35)).toEqual([
      "verify: 10 %, 90 s left, 7 boxes\n",
      "verify: 20 %, 80 s left, 7 boxes\n",
      "verify: 30 %, 70 s left, 7 boxes\n",
      "a remark\n",
    ]);
  });

  it("is nothing for short work, or when nobody wants it", () => {
    expect(writtenIn(9)).toEqual(["a remark\n"]);
    expect(writtenIn(35, true)).toEqual([]);
  });
});

describe("simplify", () => {
  it("says what has grown", () => {
    const before = { parameters: 10, nonzeros: 10, hiddenUnits: 5, depth: 1, widths: [5] };
    expect(grownIn({ before, after: before })).toEqual([]);
    expect(grownIn({ before, after: { ...before, parameters: 2000, hiddenUnits: 4 } })).toEqual([
      "parameters 10 -> 2,000",
    ]);
  });
});
