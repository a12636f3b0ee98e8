import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formulaHtml } from "../../../src/audit/report/formula.ts";
import {
  confidence,
  counted,
  lowerNumeral,
  lowerPercent,
  numeral,
  numeralFromLog,
  percent,
  upperNumeral,
  upperPercent,
} from "../../../src/audit/report/numerals.ts";

const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** Reads a numeral back. */
function readNumeral(text: string): number {
  const [, mantissa = "1", raised] = /^(?:(.*)·)?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)$/.exec(text) ?? [];
  if (raised === undefined) return Number(text.replaceAll(",", "").replace("−", "-"));
  const exponent = [...raised].map((c) => (c === "⁻" ? "-" : digits.indexOf(c))).join("");
  return Number(`${mantissa.replace("−", "-")}e${exponent}`);
}

describe("numbers as people write them", () => {
  it.each([
    [0, "0"],
    [203530, "203,530"],
    [1234.5678, "1,235"],
    [0.25, "0.25"],
    [-0.5, "−0.5"],
    [0.000012, "1.2·10⁻⁵"],
    [1e-5, "10⁻⁵"],
    [6.02214e23, "6.022·10²³"],
    [Number.POSITIVE_INFINITY, "∞"],
    [Number.NaN, "–"],
    [undefined, "–"],
  ])("%s is %s", (value, text) => {
    expect(numeral(value)).toBe(text);
  });

  it("reads back to four digits", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -1e300, max: 1e300 }), (value) => {
        const error = Math.abs(readNumeral(numeral(value)) - value);
        expect(error).toBeLessThanOrEqual(Math.max(5.001e-4 * Math.abs(value), 1e-323));
      }),
    );
  });

  it("from logarithms beyond doubles", () => {
    expect(numeralFromLog(Math.log(1234.5))).toBe("1,235");
    expect(numeralFromLog(400 * Math.LN10 + Math.log(2.5))).toBe("2.5·10⁴⁰⁰");
    expect(numeralFromLog(-400 * Math.LN10 + Math.log(2.5))).toBe("2.5·10⁻⁴⁰⁰");
  });

  it("shares", () => {
    expect(percent(0.03125)).toBe("3.13%");
    expect(percent(0)).toBe("0%");
    expect(percent(1)).toBe("100%");
    expect(percent(0.99999)).toBe("just below 100%");
    expect([counted(1, "class", "classes"), counted(10, "class", "classes")]).toEqual([
      "1 class",
      "10 classes",
    ]);
  });
});

describe("bounds", () => {
  it("what is shown reads back as no less than an upper bound, no more than a lower one", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -1e300, max: 1e300 }), (value) => {
        // A decimal of four digits reads back as the double nearest to it: on the right side, or the value itself.
        expect(readNumeral(upperNumeral(value))).toBeGreaterThanOrEqual(value);
        expect(readNumeral(lowerNumeral(value))).toBeLessThanOrEqual(value);
      }),
      { seed: 14, numRuns: 500 },
    );
  });

  it("shares and confidences", () => {
    expect([upperPercent(0.10641), lowerPercent(0.10641)]).toEqual(["10.7%", "10.6%"]);
    expect([upperNumeral(0.214241), lowerNumeral(0.214241)]).toEqual(["0.2143", "0.2142"]);
    expect([upperNumeral(0.99998), upperNumeral(1), upperNumeral(7.5)]).toEqual(["0.99998", "1", "7.5"]);
    expect([confidence(1e-9), confidence(0.05, 0.05)]).toEqual(["99.9999999%", "90%"]);
  });
});

describe("formulas as HTML", () => {
  it.each([
    [
      String.raw`\prod_i |W_i|_2^2 / \gamma^2`,
      "∏<sub>i</sub> |W<sub>i</sub>|<sub>2</sub><sup>2</sup> / γ<sup>2</sup>",
    ],
    [String.raw`\frac1m \hat L(w)`, "1/m  L\u0302(w)"],
    [String.raw`\gamma^{-2}`, "γ<sup>−2</sup>"],
    [String.raw`a < \text{b & c}`, "a &lt; b &amp; c"],
    [String.raw`\frac{a`, "a/() "],
  ])("%s", (tex, expected) => {
    expect(formulaHtml(tex).html).toBe(expected);
  });
});
