import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exactDecimal } from "../../../src/bounds/query/linear.ts";
import {
  greatestAllowed,
  leastAllowed,
  nearestOf,
  representable,
} from "../../../src/bounds/query/representable.ts";
import { numbers, tensor } from "../../../src/graph/tensor.ts";
import { compare, type Exact, neg, reduce } from "../../../src/numbers/exact/rational.ts";

const types = ["float64", "float32", "bfloat16", "float16"] as const;
type Type = (typeof types)[number];
const from = (value: Exact, strict = false) => ({ value, strict });
/** The library's own conversion, which a run uses. */
const stored = (x: number, type: Type): number => numbers(tensor([x], { type }))[0]!;

/** Decimals of 17 digits, near numbers of the type or anywhere. */
const decimals = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -7e4, max: 7e4 }).map((x) => x.toPrecision(17)),
  fc.float({ noNaN: true, noDefaultInfinity: true, min: -2, max: 2 }).map((x) => x.toPrecision(17)),
  fc.integer({ min: -(2 ** 20), max: 2 ** 20 }).map((n) => (n * 2 ** -24).toPrecision(17)),
  fc.constantFrom(
    "0",
    "0.1",
    "-0.1",
    "1",
    "-1",
    "0.5",
    "1e-45",
    "1e-46",
    "-7e-46",
    "6e-8",
    "65504",
    "1.0000000596046447",
  ),
);

describe("numbers of a type between exact bounds", () => {
  it.each(types)("the least %s from a bound on, and the greatest up to it", (type) => {
    fc.assert(
      fc.property(decimals, fc.boolean(), (text, strict) => {
        const value = exactDecimal(text)!;
        const least = leastAllowed(from(value, strict), type);
        const greatest = greatestAllowed(from(value, strict), type);
        if (Number.isFinite(least)) {
          expect(stored(least, type)).toBe(least);
          expect(compare(least, value)).toBeGreaterThanOrEqual(strict ? 1 : 0);
        }
        if (Number.isFinite(greatest)) {
          expect(stored(greatest, type)).toBe(greatest);
          expect(compare(greatest, value)).toBeLessThanOrEqual(strict ? -1 : 0);
        }
        if (!Number.isFinite(least) || !Number.isFinite(greatest)) return;
        // Nothing between them but the bound itself: what is halfway is stored as one of both, or as the bound.
        const middle = greatest + (least - greatest) / 2;
        expect([least, greatest, ...(strict && typeof value === "number" ? [value] : [])]).toContain(
          stored(middle, type),
        );
        expect(greatestAllowed(from(value, strict), type)).toBe(
          0 - leastAllowed(from(neg(value), strict), type),
        );
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  it.each(types)("the nearest %s is what a tensor stores", (type) => {
    fc.assert(
      fc.property(decimals, (text) => {
        const x = Number(text);
        if (Math.abs(x) < 65504) expect(nearestOf(x, type)).toBe(stored(x, type) + 0);
      }),
      { numRuns: 500, seed: 2 },
    );
  });

  it("at the ends of the type", () => {
    expect(leastAllowed(from(65504), "float16")).toBe(65504);
    expect(leastAllowed(from(65504, true), "float16")).toBe(Number.POSITIVE_INFINITY);
    expect(greatestAllowed(from(1e6), "float16")).toBe(65504);
    expect(leastAllowed(from(-1e6), "float16")).toBe(-65504);
    expect(leastAllowed(from(0, true), "float32")).toBe(2 ** -149);
    expect(greatestAllowed(from(0, true), "float64")).toBe(-Number.MIN_VALUE);
    expect(leastAllowed(from(reduce(1n, 3n)), "float64")).toBe(1 / 3 + 2 ** -54);
    expect(greatestAllowed(from(Number.MAX_VALUE), "float64")).toBe(Number.MAX_VALUE);
    expect(() => leastAllowed(from(0), "float8e5m2")).toThrow("inputs of type float8e5m2 are not supported");
  });

  it("a point is moved to the nearest number inside, and only to the nearest at all if there is none", () => {
    expect(representable(0.1, "float32", 0.1, 1)).toBe(Math.fround(0.1));
    expect(representable(0.3, "float32", 0, 0.3)).toBe(Math.fround(0.3) - 2 ** -25);
    expect(representable(0.3, "float32", 0.3, 0.3)).toBe(Math.fround(0.3));
  });
});

it.each([
  ["float32", 3.4028234663852886e38],
  ["bfloat16", 3.3895313892515355e38],
  ["float16", 65504],
] as const)("%s goes up to its greatest number, and no further", (type, greatest) => {
  expect([nearestOf(greatest, type), stored(greatest, type)]).toEqual([greatest, greatest]);
  expect(leastAllowed(from(greatest), type)).toBe(greatest);
  expect(leastAllowed(from(greatest, true), type)).toBe(Number.POSITIVE_INFINITY);
});
