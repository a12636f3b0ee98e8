import { describe, expect, it } from "vitest";
import {
  atLeast,
  atMost,
  counted,
  duration,
  fileSize,
  percent,
  short,
  shown,
  shownPair,
} from "../src/parts/numbers.ts";

describe("numbers", () => {
  it("are written as people do", () => {
    expect([-0.000012345, 0, 0.01234, 1234.5, 1.5e6, Number.NaN, undefined].map((x) => short(x))).toEqual([
      ...["−1.23 × 10⁻⁵", "0", "0.0123", "1,230", "1.5 × 10⁶", "–", "–"],
    ]);
    expect([4 ** -7, -1e12, 1234567, Number.POSITIVE_INFINITY, null].map((x) => shown(x))).toEqual([
      ...["6.104 × 10⁻⁵", "−10¹²", "1,234,567", "∞", "none"],
    ]);
    expect([counted(12345), percent(0.123), percent(1e-5), percent(0)]).toEqual([
      ...["12,345", "12.3%", "< 0.1%", "0%"],
    ]);
    expect([duration(0.0123), duration(2.34), fileSize(999), fileSize(1_400_000)]).toEqual([
      ...["12 ms", "2.3 s", "999 B", "1.4 MB"],
    ]);
  });

  it("look different where they are", () => {
    expect(shownPair(0.1, 0.1)).toEqual(["0.1", "0.1"]);
    const [a, b] = shownPair(0.1 + 0.2, 0.3);
    expect(a).not.toBe(b);
  });

  it("are rounded outward where they bound something", () => {
    expect(atMost(0.0100001)).toBe("0.0101");
    expect(atMost(9.999e-5)).toBe("10⁻⁴");
    expect(atMost(0.25)).toBe("0.25");
    expect(atLeast(0.019999)).toBe("0.0199");
    expect(atLeast(-0.0100001)).toBe("−0.0101");
    expect(atMost(Number.POSITIVE_INFINITY)).toBe("∞");
  });
});
