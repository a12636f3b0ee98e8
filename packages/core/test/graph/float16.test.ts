import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { float16ToNumber, numberToFloat16 } from "../../src/graph/float16.ts";

// The 31744 finite non-negative halves, from the definition: 10-bit steps that double with each binade.
const halves: number[] = [];
for (let exponent = 0, unit = 2 ** -24, base = 0; exponent < 31; exponent++) {
  for (let step = 0; step < 1024; step++) halves.push(base + step * unit);
  base += 1024 * unit;
  if (exponent > 0) unit *= 2;
}

/** Nearest, ties to even, by search in the table; the midpoint of two halves is exact in f64. */
function nearest(x: number): number {
  const sign = Object.is(Math.abs(x), x) ? 0 : 0x8000;
  const magnitude = Math.abs(x);
  let low = 0;
  let high = halves.length; // stands for 65536 = infinity
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (halves[middle]! <= magnitude) low = middle;
    else high = middle;
  }
  const midpoint = (halves[low]! + (halves[high] ?? 65536)) / 2;
  const up = magnitude > midpoint || (magnitude === midpoint && low % 2 === 1);
  return sign | (up ? high : low);
}

describe("float16", () => {
  it("reads all 65536 bit patterns", () => {
    for (let bits = 0; bits < 65536; bits++) {
      const magnitude = bits & 0x7fff;
      const expected = magnitude < 0x7c00 ? halves[magnitude]! : magnitude === 0x7c00 ? Infinity : Number.NaN;
      const value = float16ToNumber(bits);
      if (!Object.is(value, bits & 0x8000 ? -expected : expected)) {
        expect.fail(`0x${bits.toString(16)} read as ${value}`);
      }
    }
  });

  it("gives back every half, and a NaN for NaN", () => {
    for (let bits = 0; bits < 65536; bits++) {
      const back = numberToFloat16(float16ToNumber(bits));
      if (back !== bits && (bits & 0x7fff) <= 0x7c00) expect.fail(`0x${bits.toString(16)}`);
    }
    expect(Number.isNaN(float16ToNumber(numberToFloat16(Number.NaN)))).toBe(true);
  });

  it("rounds at, just below and just above every midpoint", () => {
    for (let k = 0; k < halves.length; k++) {
      const midpoint = (halves[k]! + (halves[k + 1] ?? 65536)) / 2;
      for (const x of [midpoint, midpoint * (1 - 2 ** -52), midpoint * (1 + 2 ** -52)]) {
        if (numberToFloat16(x) !== nearest(x)) expect.fail(`${x}`);
        if (numberToFloat16(-x) !== nearest(-x)) expect.fail(`${-x}`);
      }
    }
  });

  it("rounds random doubles to the nearest half, ties to even", () => {
    const near = fc.double({ min: -70000, max: 70000, noNaN: true });
    const any = fc.double({ noNaN: true });
    fc.assert(
      fc.property(fc.oneof(near, any), (x) => numberToFloat16(x) === nearest(x)),
      { numRuns: 20_000 },
    );
  });
});
