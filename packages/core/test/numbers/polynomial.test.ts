import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExactSum, ratioOf } from "../../src/numbers/exact/ratio.ts";
import {
  add,
  compare,
  type Exact,
  fraction,
  mul,
  reduce,
  sign,
  sub,
  toNumber,
} from "../../src/numbers/exact/rational.ts";
import { combinations, entry, pick, take, vectorOf } from "../../src/numbers/exact/vector.ts";
import { isExact } from "../../src/numbers/interval/exact.ts";
import { ExactPolynomial, polynomialAt } from "../../src/numbers/polynomial/polynomial.ts";
import { signCells } from "../../src/numbers/polynomial/roots.ts";

const ratio = fc
  .tuple(fc.integer({ min: -40, max: 40 }), fc.integer({ min: 1, max: 12 }))
  .map(([n, d]) => reduce(BigInt(n), BigInt(d)));
const wild = fc.oneof(
  ratio,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: -1, max: 1, noNaN: true }),
);

const plainValue = (p: readonly Exact[], x: Exact): Exact =>
  p.reduceRight<Exact>((sum, c) => add(mul(sum, x), c), 0);

describe("polynomials", () => {
  it("have the value that Horner's rule in fractions has, and its sign", () => {
    fc.assert(
      fc.property(fc.array(wild, { maxLength: 6 }), wild, (p, x) => {
        const expected = plainValue(p, x);
        expect(compare(polynomialAt(p, x), expected)).toBe(0);
        expect(new ExactPolynomial(p).signAt(x)).toBe(sign(expected));
      }),
      { numRuns: 1000 },
    );
  });

  it("have the sign that their cells say, also with multiple roots", () => {
    const roots = fc.array(ratio, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(roots, fc.array(ratio, { minLength: 5, maxLength: 5 }), (zeros, points) => {
        const product = zeros.reduce<readonly Exact[]>(
          (p, r) =>
            Array.from({ length: p.length + 1 }, (_, k) =>
              sub(k > 0 ? p[k - 1]! : 0, k < p.length ? mul(r, p[k]!) : 0),
            ),
          [1],
        );
        const cells = signCells(new ExactPolynomial(product), -50, 50, 2 ** -40);
        expect(cells[0]!.from).toBe(-50);
        expect(cells.at(-1)!.to).toBe(50);
        cells.forEach((cell, k) => {
          if (k > 0) expect(compare(cells[k - 1]!.to, cell.from)).toBe(0);
          if (cell.sign === 0) expect(compare(sub(cell.to, cell.from), 2 ** -40)).toBeLessThanOrEqual(0);
        });
        for (const x of points) {
          const inside = cells.find((c) => compare(c.from, x) < 0 && compare(x, c.to) < 0);
          const value = polynomialAt(product, x);
          if (inside && inside.sign !== 0 && sign(value) !== 0) expect(sign(value)).toBe(inside.sign);
          if (inside && sign(value) === 0) expect(zeros.some((r) => compare(r, x) === 0)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("find the square root of two", () => {
    const cells = signCells(new ExactPolynomial([-2, 0, 1]), 0, 2, 2 ** -80);
    expect(cells.map((c) => c.sign)).toEqual([-1, 0, 1]);
    const { from, to } = cells[1]!;
    expect(compare(mul(from, from), 2)).toBe(-1);
    expect(compare(mul(to, to), 2)).toBe(1);
    expect(compare(sub(to, from), 2 ** -80)).toBeLessThanOrEqual(0);
  });

  it("meet zero exactly where a root is a double", () => {
    expect(signCells(new ExactPolynomial([0.375, -1.25, 1]), 0, 1, 2 ** -30)).toEqual([
      { from: 0, to: 0.5, sign: 1 },
      { from: 0.5, to: 0.75, sign: -1 },
      { from: 0.75, to: 1, sign: 1 },
    ]);
  });
});

describe("long sums", () => {
  const terms = fc.array(ratio, { maxLength: 40 });
  it("are exact", () => {
    fc.assert(
      fc.property(terms, (list) => {
        const sum = new ExactSum();
        for (const x of list) sum.add(ratioOf(x));
        const { lower, upper } = sum.enclosure();
        expect(lower).toBe(upper);
        expect(compare(lower, list.reduce<Exact>(add, 0))).toBe(0);
      }),
    );
  });

  it("or enclosed, when they are told not to be", () => {
    const scaled = fc.tuple(terms, fc.constantFrom(1, 2 ** 300, 2 ** -300, 1e-300));
    fc.assert(
      fc.property(scaled, ([list, scale]) => {
        const sum = new ExactSum();
        for (const x of list) sum.add(ratioOf(mul(x, scale)));
        const { lower, upper } = sum.enclosure(-1);
        const exact = mul(list.reduce<Exact>(add, 0), scale);
        expect(compare(lower, exact)).toBeLessThanOrEqual(0);
        expect(compare(upper, exact)).toBeGreaterThanOrEqual(0);
        expect(compare(sub(upper, lower), mul(2 ** -150, scale))).toBeLessThanOrEqual(0);
      }),
    );
  });
});

describe("vectors of exact numbers", () => {
  const vectors = fc.array(fc.array(wild, { minLength: 4, maxLength: 4 }), { minLength: 1, maxLength: 4 });
  it("combine as their entries do", () => {
    fc.assert(
      fc.property(vectors, fc.array(wild, { minLength: 4, maxLength: 4 }), wild, (rows, weights, bias) => {
        const combine = combinations(rows.map(vectorOf), 4, 2);
        const indices = rows.map((_, k) => k);
        const result = combine(indices, weights.slice(0, rows.length), bias);
        for (let k = 0; k < 4; k++) {
          const expected = rows.reduce<Exact>(
            (sum, row, j) => add(sum, mul(weights[j]!, row[k]!)),
            k < 2 ? bias : 0,
          );
          expect(compare(entry(result, k), expected)).toBe(0);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("are plain doubles where these hold all entries", () => {
    const combine = combinations([vectorOf([1, 0.5]), vectorOf([2 ** 60, 3])], 2, 1);
    expect(combine([0], [3], 0.25)).toEqual(Float64Array.of(3.25, 1.5));
    expect(combine([0, 1], [1, 1], 0)).not.toBeInstanceOf(Float64Array);
    expect(combine([0, 1, 1], [1, 1, -1], 0)).toEqual(Float64Array.of(1, 0.5)); // 2^60 came and went
  });

  it("are taken and picked entry by entry", () => {
    fc.assert(
      fc.property(
        fc.array(wild, { minLength: 3, maxLength: 3 }),
        fc.array(wild, { minLength: 3, maxLength: 3 }),
        (a, b) => {
          const mixed = pick([vectorOf(a), vectorOf(b)], Uint8Array.of(1, 0, 1));
          const turned = take(mixed, Int32Array.of(2, 1, 0, 0));
          [b[2]!, a[1]!, b[0]!, b[0]!].forEach((x, k) => {
            expect(compare(entry(turned, k), x)).toBe(0);
          });
        },
      ),
    );
  });
});

describe("enclosures", () => {
  it("of one number are exact", () => {
    expect(isExact({ lower: fraction(0.5), upper: 0.5 })).toBe(true);
    expect(toNumber(fraction(0.375))).toBe(0.375);
  });
});
