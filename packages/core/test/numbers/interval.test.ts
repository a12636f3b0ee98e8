// Outward rounding: the exact result always lies between the ends, and they are near.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { operatorNorm } from "../../src/linear-algebra/matrix-norm.ts";
import * as exact from "../../src/numbers/exact/rational.ts";
import * as enclosures from "../../src/numbers/interval/index.ts";
import { type Interval, interval, matrixProduct, point } from "../../src/numbers/interval/index.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { nextDown, nextUp } from "../../src/numbers/rounding.ts";
import { references } from "./interval-references.ts";

const arithmetic = { ...enclosures };
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 }),
  fc.double({ noNaN: true, min: -10, max: 10 }),
  fc.integer({ min: -1000, max: 1000 }),
  fc.constantFrom(0, 1, -1, Number.MIN_VALUE, -Number.MIN_VALUE, 2 ** -1022, 2 ** 1000, -(2 ** -900)),
);
const intervals = fc.tuple(number, number).map(([a, b]) => interval(Math.min(a, b), Math.max(a, b)));

/** Is an exact number inside? Infinite ends hold everything on their side. */
const holds = ({ lower, upper }: Interval, x: exact.Exact): boolean =>
  (lower === -Infinity || exact.compare(lower, x) <= 0) &&
  (upper === Infinity || exact.compare(upper, x) >= 0);

const operations = {
  add: exact.add,
  sub: exact.sub,
  mul: exact.mul,
  div: exact.div,
} as const;

describe("arithmetic of intervals", () => {
  it.each(Object.keys(operations) as (keyof typeof operations)[])("%s holds the results at ends", (name) => {
    fc.assert(
      fc.property(intervals, intervals, (x, y) => {
        if (name === "div" && y.lower <= 0 && y.upper >= 0) {
          expect(() => arithmetic.div(x, y)).toThrow("may be zero");
          return;
        }
        const result = arithmetic[name](x, y);
        for (const a of [x.lower, x.upper])
          for (const b of [y.lower, y.upper]) expect(holds(result, operations[name](a, b))).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it("is off by two steps at most, and exact where the doubles are", () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        for (const name of ["add", "sub", "mul"] as const) {
          const { lower, upper } = arithmetic[name](point(a), point(b));
          if (!Number.isFinite(upper - lower)) continue;
          expect(upper).toBeLessThanOrEqual(nextUp(nextUp(nextUp(lower))));
          const isSafe = [a, b, a * b].every(
            (x) => x === 0 || (Math.abs(x) < 2 ** 900 && Math.abs(x) > 2 ** -900),
          );
          if (isSafe && typeof operations[name](a, b) === "number") expect(upper).toBe(lower);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it("takes roots that hold the exact one", () => {
    fc.assert(
      fc.property(number, (a) => {
        const x = Math.abs(a);
        const { lower, upper } = arithmetic.sqrt(point(x));
        expect(exact.compare(exact.mul(lower, lower), x)).toBeLessThanOrEqual(0);
        expect(exact.compare(exact.mul(upper, upper), x)).toBeGreaterThanOrEqual(0);
        expect(upper).toBeLessThanOrEqual(nextUp(nextUp(nextUp(lower))));
      }),
      { numRuns: 3000 },
    );
  });

  it("steps to a greater and to a smaller double", () => {
    fc.assert(
      fc.property(number, (x) => {
        expect(nextUp(x)).toBeGreaterThan(x);
        expect(nextDown(x)).toBeLessThan(x);
      }),
    );
    expect(nextUp(-Infinity)).toBe(-Number.MAX_VALUE);
    expect(arithmetic.add(point(-Number.MAX_VALUE), point(-Number.MAX_VALUE))).toEqual({
      lower: -Infinity,
      upper: -Number.MAX_VALUE,
    });
  });

  it("raises to integer powers", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -30, max: 30 }), fc.integer({ min: 0, max: 12 }), (x, n) => {
        const result = arithmetic.pow(point(x), point(n));
        const power = Array.from({ length: n }, () => x).reduce<exact.Exact>((p, f) => exact.mul(p, f), 1);
        expect(holds(result, power)).toBe(true);
      }),
    );
    expect(arithmetic.pow(interval(-2, 1), point(2))).toEqual({ lower: 0, upper: 4 });
    expect(() => arithmetic.pow(interval(-1, 1), point(-1))).toThrow("may be zero");
    expect(() => arithmetic.pow(interval(-1, 1), point(0.5))).toThrow("may be -1");
  });
});

/** A decimal with exponent as a fraction. */
function decimal(text: string): exact.Exact {
  const [, sign, whole, fraction = "", exponent = "0"] = /^(-?)(\d+)\.?(\d*)(?:e([+-]?\d+))?$/.exec(text)!;
  const digits = BigInt(`${sign}${whole}${fraction}`);
  const power = Number(exponent) - fraction.length;
  return power >= 0
    ? exact.reduce(digits * 10n ** BigInt(power), 1n)
    : exact.reduce(digits, 10n ** BigInt(-power));
}

/** Widths in units of 2^-52 of the value: 4 on each side for one function, more for compositions and the series of erf. */
const widths: Readonly<Record<string, number>> = { sigmoid: 24, softplus: 24, erf: 2 ** 11 };

describe("elementary functions of intervals", () => {
  it.each(Object.keys(references))("%s holds values to 40 digits, and little more", (name) => {
    const f = arithmetic[name as "exp"];
    for (const [x, text] of references[name]!) {
      const { lower, upper } = f(point(x));
      const value = decimal(text);
      expect(holds({ lower, upper }, value), `${name}(${x})`).toBe(true);
      const room =
        (widths[name] ?? 10) * Math.max(Math.abs(exact.toNumber(value)) * 2 ** -52, Number.MIN_VALUE);
      expect(upper - lower, `width of ${name}(${x})`).toBeLessThanOrEqual(room);
    }
  });

  it("hold the function on wide intervals: sampled", () => {
    const random = createRandom(3);
    for (const name of ["sin", "cos", "exp", "cosh", "tanh", "sigmoid", "softplus", "atan"] as const)
      for (let k = 0; k < 300; k++) {
        const [a, b] = [20 * random.uniform() - 10, 20 * random.uniform() - 10];
        const x = interval(Math.min(a, b), Math.max(a, b));
        const bounds = arithmetic[name](x);
        for (let j = 0; j < 30; j++) {
          const t = x.lower + random.uniform() * (x.upper - x.lower);
          const at = arithmetic[name](point(Math.min(t, x.upper)));
          expect(bounds.lower).toBeLessThanOrEqual(at.upper);
          expect(bounds.upper).toBeGreaterThanOrEqual(at.lower);
        }
      }
  });

  it("reach their extremes only where they have them", () => {
    expect(arithmetic.sin(interval(1, 2)).upper).toBe(1);
    expect(arithmetic.sin(interval(2, 4)).upper).toBeLessThan(0.91);
    expect(arithmetic.cos(interval(3, 4)).lower).toBe(-1);
    expect(arithmetic.sin(interval(-1e9, 1e9))).toEqual({ lower: -1, upper: 1 });
    expect(arithmetic.exp(interval(-Infinity, 0))).toMatchObject({ lower: 0, upper: 1 });
    expect(() => arithmetic.tan(interval(1, 2))).toThrow("pole");
    expect(() => arithmetic.log(interval(-1, 2))).toThrow("may be -1");
    expect(() => arithmetic.asin(interval(0, 2))).toThrow("may be 2");
  });
});

describe("products of matrices of intervals", () => {
  const sizes = { rows: 3, inner: 17, columns: 4 };
  const exactEntry = (a: ArrayLike<number>, b: ArrayLike<number>, i: number, j: number): exact.Exact => {
    let sum: exact.Exact = 0;
    for (let p = 0; p < sizes.inner; p++)
      sum = exact.add(sum, exact.mul(a[i * sizes.inner + p]!, b[p * sizes.columns + j]!));
    return sum;
  };
  const near = (center: Float64Array, radius: number) => ({
    lower: center.map((x) => x - radius),
    upper: center.map((x) => x + radius),
  });

  it.each([
    ["numbers and numbers", 0, 0],
    ["intervals and numbers", 0.25, 0],
    ["numbers and intervals", 0, 0.25],
    ["intervals and intervals", 0.25, 0.5],
  ])("of %s hold exact products of members", (_, left, right) => {
    const random = createRandom(11);
    for (let turn = 0; turn < 40; turn++) {
      const scale = turn % 3 === 2 ? 1e-170 : turn % 3 === 1 ? 1e150 : 1;
      const a = near(
        random.normal(sizes.rows * sizes.inner).map((x) => x * scale),
        left * scale,
      );
      const b = near(
        random.normal(sizes.inner * sizes.columns).map((x) => x * scale),
        right * scale,
      );
      const product = matrixProduct(a, b, sizes);
      const member = (box: typeof a) => box.lower.map((l, k) => (random.uniform() < 0.5 ? l : box.upper[k]!));
      for (let sample = 0; sample < 5; sample++) {
        const [x, y] = [member(a), member(b)];
        for (let k = 0; k < product.lower.length; k++) {
          const value = exactEntry(x, y, Math.floor(k / sizes.columns), k % sizes.columns);
          expect(holds({ lower: product.lower[k]!, upper: product.upper[k]! }, value)).toBe(true);
        }
      }
    }
  });

  it("are exact for integers, and hold what is unbounded", () => {
    const product = matrixProduct(arithmetic.points([1, 2, 3]), arithmetic.points([4, 5, 6]), {
      rows: 1,
      inner: 3,
      columns: 1,
    });
    expect([product.lower[0], product.upper[0]]).toEqual([32, 32]);
    const unbounded = matrixProduct(
      { lower: Float64Array.of(-Infinity, 0), upper: Float64Array.of(1, 1) },
      arithmetic.points([0, 2]),
      { rows: 1, inner: 2, columns: 1 },
    );
    expect([unbounded.lower[0], unbounded.upper[0]]).toEqual([0, 2]);
  });
});

describe("operator norms", () => {
  it("are bounds, and near", () => {
    const random = createRandom(2);
    for (const [rows, columns] of [
      [1, 7],
      [20, 5],
      [40, 60],
    ] as const) {
      const entries = random.normal(rows * columns);
      const stretched = (order: 1 | 2 | typeof Infinity, x: Float64Array): number => {
        const y = Float64Array.from({ length: rows }, (_, i) =>
          x.reduce((sum, v, j) => sum + v * entries[i * columns + j]!, 0),
        );
        const size = (v: Float64Array) =>
          order === 1
            ? v.reduce((s, a) => s + Math.abs(a), 0)
            : order === 2
              ? Math.sqrt(v.reduce((s, a) => s + a * a, 0))
              : v.reduce((s, a) => Math.max(s, Math.abs(a)), 0);
        return size(y) / size(x);
      };
      // Power iteration: a lower bound on the spectral norm that is nearly attained.
      let x = random.normal(columns);
      for (let k = 0; k < 300; k++) {
        const y = Float64Array.from({ length: rows }, (_, i) =>
          x.reduce((sum, v, j) => sum + v * entries[i * columns + j]!, 0),
        );
        x = Float64Array.from({ length: columns }, (_, j) =>
          y.reduce((s, v, i) => s + v * entries[i * columns + j]!, 0),
        );
        const size = Math.sqrt(x.reduce((s, a) => s + a * a, 0));
        x = x.map((a) => a / size);
      }
      const spectral = operatorNorm({ rows, columns, entries }, 2);
      expect(spectral).toBeGreaterThanOrEqual(stretched(2, x) * (1 - 1e-12));
      expect(spectral).toBeLessThanOrEqual(1.01 * stretched(2, x));
      for (const order of [1, 2, Infinity] as const)
        for (let k = 0; k < 50; k++)
          expect(stretched(order, random.normal(columns))).toBeLessThanOrEqual(
            operatorNorm({ rows, columns, entries }, order) * (1 + 1e-12),
          );
    }
  });
});
