import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { learnLowDegree, predict } from "../../src/discrete/boolean/low-degree.ts";
import {
  bitCount,
  degreeOf,
  influences,
  lowDegreeError,
  monomialCount,
  noiseStability,
  weightByDegree,
} from "../../src/discrete/boolean/spectrum.ts";
import { signsOf, valuesFrom, walshCoefficients } from "../../src/discrete/boolean/walsh.ts";
import { createRandom } from "../../src/numbers/random.ts";

const points = (n: number): number[] => Array.from({ length: 2 ** n }, (_, x) => x);
const table = fc
  .integer({ min: 0, max: 9 })
  .chain((n) => fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 2 ** n, maxLength: 2 ** n }));

describe("the Walsh-Fourier transform", () => {
  it("is the sum that defines it, and its own inverse", () => {
    fc.assert(
      fc.property(table, (bits) => {
        const f = signsOf(bits);
        const hat = walshCoefficients(f);
        hat.forEach((c, S) => {
          const sum = f.reduce((s, v, x) => s + v * (-1) ** bitCount(S & x), 0);
          expect(c).toBe(sum / f.length);
        });
        expect(valuesFrom(hat)).toEqual(f);
      }),
      { numRuns: 60 },
    );
  });

  it("crosses the blocks of the cache: a parity of 17 bits is one coefficient", () => {
    const S = 0b1_0100_0000_0000_0101;
    const hat = walshCoefficients(points(17).map((x) => (-1) ** bitCount(S & x)));
    expect(monomialCount(hat)).toBe(1);
    expect(hat[S]).toBe(1);
  });

  it("knows majority, conjunction and parity", () => {
    const majority = signsOf(points(3).map((x) => (bitCount(x) >= 2 ? 1 : 0)));
    expect([...walshCoefficients(majority)]).toEqual([0, 0.5, 0.5, 0, 0.5, 0, 0, -0.5]);
    // As a function with values 0 and 1, all coefficients of a conjunction are +-2^-n.
    const and = walshCoefficients(points(4).map((x) => (x === 15 ? 1 : 0)));
    expect([...and].map(Math.abs)).toEqual(points(4).map(() => 1 / 16));
    expect(degreeOf(walshCoefficients(majority))).toBe(3);
    expect(lowDegreeError(walshCoefficients(majority), 1)).toBe(0.25);
  });
});

describe("what the coefficients say", () => {
  it("influences are chances of a flip, stability is a correlation", () => {
    fc.assert(
      fc.property(table, fc.constantFrom(-1, -0.5, 0, 0.25, 1), (bits, rho) => {
        const n = Math.log2(bits.length);
        const f = signsOf(bits);
        const hat = walshCoefficients(f);
        const flips = Array.from(
          { length: n },
          (_, i) => points(n).filter((x) => f[x] !== f[x ^ (1 << i)]).length / 2 ** n,
        );
        influences(hat).forEach((v, i) => {
          expect(v).toBeCloseTo(flips[i]!, 12);
        });
        if (n <= 5) {
          const chance = (x: number, y: number): number =>
            ((1 - rho) / 2) ** bitCount(x ^ y) * ((1 + rho) / 2) ** (n - bitCount(x ^ y));
          const direct = points(n).reduce(
            (sum, x) => sum + points(n).reduce((s, y) => s + chance(x, y) * f[x]! * f[y]!, 0),
            0,
          );
          expect(noiseStability(hat, rho)).toBeCloseTo(direct / 2 ** n, 12);
        }
        expect(weightByDegree(hat).reduce((a, b) => a + b, 0)).toBeCloseTo(1, 12);
      }),
      { numRuns: 60 },
    );
  });

  it("low-degree learning finds a majority of few examples", () => {
    const majority = (x: number): number => (bitCount(x & 0b111) >= 2 ? -1 : 1);
    const learned = learnLowDegree(majority, 8, 1, 4000, createRandom(1));
    expect(points(8).every((x) => Math.sign(predict(learned, x)) === majority(x))).toBe(true);
  });
});
