import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  confidencePercent,
  directedDecimal,
  directedNumber,
  directedPercent,
  lessThanOne,
  plainDecimal,
  scientificParts,
} from "../../src/numbers/directed-decimal.ts";

interface Ratio {
  readonly over: bigint;
  readonly under: bigint;
}

/** What a text of decimals says, exactly. */
function said(text: string): Ratio {
  const [mantissa, exponent = "0"] = text.replaceAll(",", "").split("e") as [string, string?];
  const [whole, rest = ""] = mantissa.split(".") as [string, string?];
  const places = rest.length - Number(exponent);
  const over = BigInt(whole + rest);
  return places >= 0
    ? { over, under: 10n ** BigInt(places) }
    : { over: over * 10n ** BigInt(-places), under: 1n };
}

/** What a double is, exactly: doubled, which rounds nothing, until it is whole. */
function meant(value: number): Ratio {
  let [whole, under] = [value, 1n];
  while (!Number.isInteger(whole)) [whole, under] = [whole * 2, under * 2n];
  return { over: BigInt(whole), under };
}

const compare = (a: Ratio, b: Ratio): number => {
  const difference = a.over * b.under - b.over * a.under;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
};
const times = ({ over, under }: Ratio, factor: bigint): Ratio => ({ over: over * factor, under });

const anyDouble = fc.double({ noNaN: true, noDefaultInfinity: true });
const anyShare = fc.oneof(
  fc.double({ noNaN: true, min: 0, max: 1 }),
  fc.double({ noNaN: true, min: 0, max: 1e-300 }),
);

describe("decimals on one side of a double", () => {
  it("are never on the other side, and the next one nearer would be", () => {
    fc.assert(
      fc.property(anyDouble, fc.integer({ min: 1, max: 20 }), (value, digits) => {
        const [down, up] = (["down", "up"] as const).map((side) =>
          said(plainDecimal(directedDecimal(value, digits, side))),
        ) as [Ratio, Ratio];
        const exact = meant(value);
        expect(compare(down, exact)).toBeLessThanOrEqual(0);
        expect(compare(up, exact)).toBeGreaterThanOrEqual(0);
        if (compare(down, exact) === 0) expect(compare(down, up)).toBe(0);
        // Their distance is at most one unit of the last digit that is kept.
        const { point } = directedDecimal(value, digits, value < 0 ? "up" : "down");
        const gap = { over: up.over * down.under - down.over * up.under, under: up.under * down.under };
        const unit = said(`1e${point - digits}`);
        expect(compare(gap, unit)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 2000, seed: 14 },
    );
  });

  it("in percent too: a hundred times the double is never written down as a double", () => {
    fc.assert(
      fc.property(anyShare, fc.integer({ min: 1, max: 8 }), (share, digits) => {
        const exact = times(meant(share), 100n);
        expect(
          compare(said(plainDecimal(directedDecimal(share, digits, "up", 2))), exact),
        ).toBeGreaterThanOrEqual(0);
        expect(
          compare(said(plainDecimal(directedDecimal(share, digits, "down", 2))), exact),
        ).toBeLessThanOrEqual(0);
      }),
      { numRuns: 2000, seed: 14 },
    );
  });

  it.each([
    [0.10641, 3, "up", 2, "10.7"],
    [0.10641, 3, "down", 2, "10.6"],
    [0.21424, 4, "up", 2, "21.43"],
    [0.1, 3, "up", 0, "0.101"], // the double is above a tenth
    [0.25, 3, "up", 2, "25"],
    [0.9996, 3, "up", 2, "100"],
    [1234567, 4, "down", 0, "1,234,000"],
    [-1.25, 2, "up", 0, "-1.2"],
    [-1.25, 2, "down", 0, "-1.3"],
    [0, 3, "up", 2, "0"],
    [-0, 3, "down", 0, "0"],
  ] as const)("%s to %s digits %s, times 10^%s, is %s", (value, digits, side, tens, text) => {
    expect(plainDecimal(directedDecimal(value, digits, side, tens))).toBe(text);
  });

  it("one digit and a power of ten", () => {
    expect(scientificParts(directedDecimal(Number.MIN_VALUE, 2, "up"))).toEqual(["5", -324]);
    expect(scientificParts(directedDecimal(1.2345e30, 3, "up"))).toEqual(["1.24", 30]);
    expect(() => directedDecimal(Number.POSITIVE_INFINITY, 3, "up")).toThrow(/no decimals/);
  });
});

describe("1 less some probabilities", () => {
  it.each([
    [[0.05], "0.95"],
    [[1e-9], "0.999999999"],
    [Array(7).fill(0.05), "0.65"],
    [[0.05 / 3], "0.9833"], // 0.01666... counts as 0.0167
    [[0.1, 0.2], "0.7"],
    [[0.5, 0.5], "0"],
    [[0.9, 0.9], "0"],
    [[0.99999], "0"], // 0.99999 counts as 1
    [[], "1"],
  ])("%s leave %s", (parts, text) => {
    expect(plainDecimal(lessThanOne(parts, 3))).toBe(text);
  });

  it("is never more than what is left, and less than 1", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ noNaN: true, min: 1e-12, max: 0.3 }), { minLength: 1, maxLength: 5 }),
        (parts) => {
          const sum = parts
            .map((p) => said(p.toExponential()))
            .reduce((a, b) => ({
              over: a.over * b.under + b.over * a.under,
              under: a.under * b.under,
            }));
          const left = { over: sum.under - sum.over, under: sum.under };
          const shown = said(plainDecimal(lessThanOne(parts, 3)));
          const zero = { over: 0n, under: 1n };
          expect(compare(shown, compare(left, zero) < 0 ? zero : left)).toBeLessThanOrEqual(0);
          expect(compare(shown, { over: 1n, under: 1n })).toBe(-1);
        },
      ),
      { numRuns: 1000, seed: 14 },
    );
  });
});

describe("what is printed", () => {
  it("shares: a bound below 1 never reads as 100 percent", () => {
    expect(directedPercent(0.10641, "up")).toBe("10.7");
    expect(directedPercent(0.9996, "up")).toBe("99.97");
    expect(directedPercent(0.99999988, "up")).toBe("99.99999");
    expect(directedPercent(1 - 2 ** -53, "up")).toBe("99.99999999999999");
    expect(directedPercent(1, "up")).toBe("100");
    expect(directedPercent(0, "down")).toBe("0");
    expect(directedPercent(1e-9, "down")).toBe("1e-7");
  });

  it("confidence: never above what is left", () => {
    expect(confidencePercent([0.05])).toBe("95");
    expect(confidencePercent([1e-9])).toBe("99.9999999");
    expect(confidencePercent(Array(3).fill(0.05))).toBe("85");
    expect(confidencePercent([0.05 / 2])).toBe("97.5");
    expect(confidencePercent([1e-40])).toBe("100 - 1e-38");
  });

  it("numbers", () => {
    expect(directedNumber(12.9004, "up", 4)).toBe("12.91");
    expect(directedNumber(1.4e20, "up", 4)).toBe("1.4e20");
    expect(directedNumber(2 ** 70, "down", 4)).toBe("1.18e21");
    expect(directedNumber(12345678, "down", 3)).toBe("12,300,000");
    expect(directedNumber(Number.POSITIVE_INFINITY, "up", 3)).toBe("Infinity");
  });
});
