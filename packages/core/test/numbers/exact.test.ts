import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  add,
  compare,
  div,
  type Exact,
  fraction,
  mul,
  neg,
  reduce,
  sub,
  toNumber,
} from "../../src/numbers/exact/rational.ts";
import {
  addDown,
  addUp,
  mulDown,
  mulUp,
  powerOfTwoAbove,
  roundDown,
  roundUp,
} from "../../src/numbers/exact/rounding.ts";

/** A second way to the same number: plain fractions of BigInts, no doubles anywhere. */
const plain = (a: Exact): readonly [bigint, bigint] => {
  const { numerator, denominator } = fraction(a);
  return [numerator, denominator];
};
const same = (a: Exact, [n, d]: readonly [bigint, bigint]): boolean => {
  const [p, q] = plain(a);
  return p * d === n * q;
};

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const ratio = fc.tuple(
  fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
  fc.bigInt({ min: 1n, max: 10n ** 25n }),
);
const exact: fc.Arbitrary<Exact> = fc.oneof(
  finite,
  fc.integer(),
  fc.integer().map((k) => k / 1024),
  ratio.map(([n, d]) => reduce(n, d)),
);

describe("exact arithmetic", () => {
  it("agrees with fractions of integers", () => {
    fc.assert(
      fc.property(exact, exact, (a, b) => {
        const [[n, d], [p, q]] = [plain(a), plain(b)];
        expect(same(add(a, b), [n * q + p * d, d * q])).toBe(true);
        expect(same(sub(a, b), [n * q - p * d, d * q])).toBe(true);
        expect(same(mul(a, b), [n * p, d * q])).toBe(true);
        if (p !== 0n) expect(same(div(a, b), [n * q, d * p])).toBe(true);
        expect(Math.sign(compare(a, b))).toBe(n * q < p * d ? -1 : n * q > p * d ? 1 : 0);
        expect(same(neg(a), [-n, d])).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("stays exact where doubles round, overflow or underflow", () => {
    expect(toNumber(sub(add(1, 2 ** -80), 1))).toBe(2 ** -80);
    expect(toNumber(div(mul(1e300, 1e300), 1e300))).toBe(1e300);
    expect(toNumber(mul(mul(5e-324, 0.5), 2))).toBe(5e-324);
    expect(toNumber(mul(div(1, 3), 3))).toBe(1);
    expect(add(0.1, 0.2)).not.toBe(0.1 + 0.2);
  });

  it("keeps a double where one holds the result", () => {
    expect(add(0.25, 0.5)).toBe(0.75);
    expect(mul(div(1, 3), 6)).toBe(2);
    expect(div(3, 8)).toBe(0.375);
  });

  it("rounds to the nearest double", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-200, max: 1e200, noNaN: true }),
        fc.bigInt({ min: 1n, max: 10n ** 20n }),
        (x, salt) => {
          // A hair above x rounds to x; the hair is far below half a unit in the last place.
          const hair = mul(x, reduce(1n, 10n ** 40n + salt));
          expect(toNumber(add(x, hair))).toBe(x);
        },
      ),
    );
    expect(toNumber(reduce(1n, 3n))).toBe(1 / 3);
    expect(toNumber(reduce(-2n, 7n))).toBe(-2 / 7);
    expect(toNumber(reduce(2n ** 53n + 1n, 1n))).toBe(2 ** 53); // a tie goes to even
    expect(toNumber(reduce(2n ** 53n + 3n, 1n))).toBe(2 ** 53 + 4);
  });

  it("refuses what is not a number", () => {
    expect(() => fraction(Number.NaN)).toThrow(RangeError);
    expect(() => div(1, 0)).toThrow(RangeError);
  });
});

describe("outward rounding of exact numbers", () => {
  const third: Exact = { numerator: 1n, denominator: 3n };
  const { MAX_VALUE } = Number;

  it("stays finite on the side where the number is", () => {
    expect(addDown(MAX_VALUE, MAX_VALUE)).toBe(MAX_VALUE);
    expect(addUp(-MAX_VALUE, -MAX_VALUE)).toBe(-MAX_VALUE);
    expect(mulDown(MAX_VALUE, 2)).toBe(MAX_VALUE);
    expect(addUp(MAX_VALUE, MAX_VALUE)).toBe(Number.POSITIVE_INFINITY);
  });

  it("keeps doubles, and puts others between two of them", () => {
    expect([roundDown(0.1), roundUp(0.1)]).toEqual([0.1, 0.1]);
    expect(compare(roundDown(third), third)).toBe(-1);
    expect(compare(roundUp(third), third)).toBe(1);
    expect(compare(mulUp(third, 0.1), mul(third, 0.1))).toBe(1);
    expect(compare(mulDown(third, 0.1), mul(third, 0.1))).toBe(-1);
  });

  it("finds the least power of two", () => {
    expect([powerOfTwoAbove(third), powerOfTwoAbove(0.5), powerOfTwoAbove(-1)]).toEqual([0.5, 0.5, 0]);
  });
});
