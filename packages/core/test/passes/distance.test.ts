// Distances against closed forms and dense sampling.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { float64, graph } from "../../src/graph/builder.ts";
import { square } from "../../src/networks/square/square.ts";
import {
  add,
  compare,
  div,
  type Exact,
  mul,
  reduce,
  sub,
  toNumber,
} from "../../src/numbers/exact/rational.ts";
import { isExact } from "../../src/numbers/interval/exact.ts";
import { polynomialAt } from "../../src/numbers/polynomial/polynomial.ts";
import {
  type Distance,
  distance,
  distanceToQuadratic,
  type Enclosure,
  l1Distance,
  supDistance,
} from "../../src/passes/distance.ts";
import { evaluate, linearPieces, type PiecewiseLinear } from "../../src/passes/pieces.ts";

const quarters = fc.integer({ min: -12, max: 12 }).map((k) => k / 4);
const thirds = fc.integer({ min: -9, max: 9 }).map((k) => reduce(BigInt(k), 3n));

/** A random function with knots at thirds or sevenths of [0, 1], and perhaps a jump. */
const functions: fc.Arbitrary<PiecewiseLinear> = fc
  .tuple(
    fc.constantFrom(3, 7),
    fc.array(fc.oneof(quarters, thirds), { minLength: 24, maxLength: 24 }),
    fc.boolean(),
  )
  .map(([n, v, jumps]) => {
    const knots = Array.from({ length: n + 1 }, (_, k) => reduce(BigInt(k), BigInt(n)));
    const values = v.slice(0, n + 1);
    return jumps
      ? { knots, values, limits: { left: v.slice(8, 8 + n + 1), right: v.slice(16, 16 + n + 1) } }
      : { knots, values };
  });
const polynomials = fc.array(fc.oneof(quarters, thirds), { minLength: 1, maxLength: 6 });

const samples = Array.from({ length: 4200 }, (_, k) => (k + 0.5) / 4200);
const fast = (f: PiecewiseLinear): ((x: number) => number) => {
  const knots = f.knots.map(toNumber);
  const [left, right] = [f.limits?.left ?? f.values, f.limits?.right ?? f.values].map((v) => v.map(toNumber));
  return (x) => {
    const k = knots.findIndex((t) => t > x) - 1;
    return right![k]! + ((left![k + 1]! - right![k]!) * (x - knots[k]!)) / (knots[k + 1]! - knots[k]!);
  };
};

function expectSampled(d: Distance, gap: (x: number) => number) {
  const gaps = samples.map(gap);
  const [least, greatest] = [Math.min(...gaps), Math.max(...gaps)];
  const scale = 1 + toNumber(d.sup.upper);
  expect(toNumber(d.least.lower)).toBeLessThanOrEqual(least + 1e-12);
  expect(toNumber(d.greatest.upper)).toBeGreaterThanOrEqual(greatest - 1e-12);
  const mean = (f: (g: number) => number) => gaps.reduce((sum, g) => sum + f(g), 0) / gaps.length;
  expect(Math.abs(mean(Math.abs) - toNumber(d.l1.lower)) / scale).toBeLessThan(1e-3);
  expect(Math.abs(mean((g) => g * g) - toNumber(d.squaredL2.lower)) / scale ** 2).toBeLessThan(1e-3);
  return { least, greatest, scale };
}

const isTight = ({ lower, upper }: Enclosure, size: Exact): boolean =>
  compare(lower, upper) <= 0 && compare(sub(upper, lower), mul(1e-15, size)) <= 0;

describe("the distance to a polynomial", () => {
  it("is what dense sampling sees, enclosed tightly", () => {
    fc.assert(
      fc.property(functions, polynomials, (f, g) => {
        const d = distance(f, g);
        const at = fast(f);
        const c = g.map(toNumber);
        const { least, greatest, scale } = expectSampled(
          d,
          (x) => at(x) - c.reduceRight((sum, a) => sum * x + a, 0),
        );
        if (!f.limits) {
          expect(Math.abs(toNumber(d.least.lower) - least) / scale).toBeLessThan(0.02);
          expect(Math.abs(toNumber(d.greatest.upper) - greatest) / scale).toBeLessThan(0.02);
        }
        for (const e of [d.least, d.greatest, d.sup]) expect(isTight(e, d.sup.upper)).toBe(true);
        expect(isTight(d.l1, d.l1.upper)).toBe(true);
        expect(isExact(d.squaredL2)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it("has a supremum that points confirm from below", () => {
    fc.assert(
      fc.property(functions, polynomials, fc.integer({ min: 0, max: 1000 }), (f, g, k) => {
        const x = reduce(BigInt(k), 1000n);
        const gap = sub(evaluate(f, x), polynomialAt(g, x));
        const { least, greatest } = distance(f, g);
        expect(compare(least.lower, gap)).toBeLessThanOrEqual(0);
        expect(compare(greatest.upper, gap)).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 100 },
    );
  });

  it("of degree two is exact but for the integral of the absolute value", () => {
    fc.assert(
      fc.property(functions, quarters, quarters, thirds, (f, a, b, c) => {
        const d = distance(f, [a, b, c]);
        for (const e of [d.least, d.greatest, d.sup, d.slope, d.squaredL2]) expect(isExact(e)).toBe(true);
        const q = distanceToQuadratic(f, [a, b, c]);
        expect(compare(q.sup, d.sup.lower)).toBe(0);
        expect(compare(q.squaredL2, d.squaredL2.lower)).toBe(0);
        expect(compare(q.slope, d.slope.upper)).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  it("of the squaring network is 4^(-i-1), 4^-i / 6, 16^-i / 30 and 2^-i", () => {
    for (let i = 1; i <= 8; i++) {
      const d = distance(linearPieces(square(i), 0, 1), [0, 0, 1]);
      expect(d.sup).toEqual({ lower: 4 ** -(i + 1), upper: 4 ** -(i + 1) });
      expect(d.least.lower).toBe(0);
      const exactly = (e: Enclosure, value: Exact) => {
        expect(isExact(e)).toBe(true);
        expect(e.lower).toEqual(value);
      };
      exactly(d.l1, reduce(1n, 6n * 4n ** BigInt(i)));
      exactly(d.squaredL2, reduce(1n, 30n * 16n ** BigInt(i)));
      exactly(d.slope, 2 ** -i);
    }
  });

  const absolute: PiecewiseLinear = { knots: [-1, 0, 1], values: [1, 0, 1] };

  it("of |x| to 1/8 + x^2 is 1/8, alternating five times", () => {
    const d = distance(absolute, [1 / 8, 0, 1]);
    expect(d.sup).toEqual({ lower: 1 / 8, upper: 1 / 8 });
    expect(d.least).toEqual({ lower: -1 / 8, upper: -1 / 8 });
    // x - 1/8 - x^2 = 0 at (1 -+ sqrt(1/2)) / 2: irrational zeros, so that the integral is enclosed.
    const root = Math.SQRT1_2;
    const antiderivative = (x: number) => x ** 2 / 2 - x / 8 - x ** 3 / 3;
    const [a, b] = [(1 - root) / 2, (1 + root) / 2];
    const l1 = 2 * (antiderivative(b) - antiderivative(a)) * 2 - 2 * antiderivative(1);
    expect(toNumber(d.l1.lower)).toBeCloseTo(l1, 12);
    expect(compare(d.l1.lower, d.l1.upper)).toBeLessThan(0);
    expect(isTight(d.l1, d.l1.upper)).toBe(true);
  });

  it("of |x| to a cubic and a quartic has irrational extremes, enclosed", () => {
    // x - x^3 on [0, 1] is greatest at 1 / sqrt 3; the other branch, -x - x^3 on [-1, 0], at -1, where it is 2.
    const cubic = distance(absolute, [0, 0, 0, 1]);
    expect(cubic.greatest).toEqual({ lower: 2, upper: 2 });
    const right: PiecewiseLinear = { knots: [0, 1], values: [0, 1] };
    const { sup } = distance(right, [0, 0, 0, 1]);
    expect(toNumber(sup.lower)).toBeCloseTo(2 / (3 * Math.sqrt(3)), 15);
    expect(compare(mul(27, mul(sup.lower, sup.lower)), 4)).toBeLessThanOrEqual(0); // sup^2 = 4 / 27
    expect(compare(mul(27, mul(sup.upper, sup.upper)), 4)).toBeGreaterThanOrEqual(0);
    const narrow = supDistance(right, [0, 0, 0, 1], { tolerance: 1e-60 });
    expect(compare(sub(narrow.upper, narrow.lower), 1e-58)).toBeLessThan(0);
    // x - x^4: greatest where 4 x^3 = 1, the value there is (3/4) x.
    expect(toNumber(supDistance(right, [0, 0, 0, 0, 1]).upper)).toBeCloseTo(0.75 * 4 ** (-1 / 3), 15);
  });

  it("finds rational zeros of a quadratic exactly", () => {
    // x - (x^2 + 3/16) = -(x - 1/4)(x - 3/4)
    const line: PiecewiseLinear = { knots: [0, 1], values: [0, 1] };
    const l1 = l1Distance(line, [3 / 16, 0, 1]);
    expect(isExact(l1)).toBe(true);
    expect(l1.lower).toEqual(div(1, 16));
    // x - (x^2 + 2/9) = -(x - 1/3)(x - 2/3): neither is a double.
    const thirds = l1Distance(line, [reduce(2n, 9n), 0, 1]);
    expect(isExact(thirds)).toBe(true);
    expect(thirds.lower).toEqual(reduce(11n, 162n));
  });
});

describe("the distance between two piecewise-linear functions", () => {
  it("is exact, and what dense sampling sees", () => {
    fc.assert(
      fc.property(functions, functions, (f, g) => {
        const d = distance(f, g);
        const [a, b] = [fast(f), fast(g)];
        expectSampled(d, (x) => a(x) - b(x));
        for (const e of [d.least, d.greatest, d.sup, d.l1, d.squaredL2, d.slope])
          expect(isExact(e)).toBe(true);
        const back = distance(g, f);
        expect(compare(d.l1.lower, back.l1.lower)).toBe(0);
        expect(compare(d.squaredL2.lower, back.squaredL2.lower)).toBe(0);
        expect(compare(add(d.least.lower, back.greatest.lower), 0)).toBe(0);
      }),
      { numRuns: 100 },
    );
  });

  it("of a function to itself is zero", () => {
    fc.assert(
      fc.property(functions, (f) => {
        const d = distance(f, f);
        for (const e of [d.sup, d.l1, d.squaredL2, d.slope]) expect(e).toEqual({ lower: 0, upper: 0 });
      }),
    );
  });

  it("of the partial sums of the Takagi function is 2^-n times its tail", () => {
    // sum_k 2^-k dist(2^k x, Z): consecutive sums differ by a wave of height 2^-k / 2, mean 2^-k / 4.
    const takagi = (terms: number) =>
      linearPieces(
        graph({ x: float64("N", 1) }, ({ x }) => {
          let [wave, sum] = [x, x.mul(0)];
          for (let k = 0; k < terms; k++) {
            wave = wave
              .affine([[1], [1]], [0, -0.5])
              .relu()
              .affine([[2, -4]]);
            sum = sum.add(wave.mul(2 ** -(k + 1)));
          }
          return { y: sum };
        }),
        0,
        1,
      );
    for (let n = 1; n <= 8; n++) {
      const d = distance(takagi(n + 1), takagi(n));
      expect(d.sup).toEqual({ lower: 2 ** -(n + 1), upper: 2 ** -(n + 1) });
      expect(d.least.lower).toBe(0);
      expect(d.l1).toEqual({ lower: 2 ** -(n + 2), upper: 2 ** -(n + 2) });
      expect(d.squaredL2.lower).toEqual(reduce(1n, 3n * 4n ** BigInt(n + 1)));
      expect(d.slope.lower).toBe(1);
    }
  });

  it("of a step to its ramp sees the jump but not the point", () => {
    const step: PiecewiseLinear = {
      knots: [0, 0.5, 1],
      values: [0, 5, 1],
      limits: { left: [0, 0, 1], right: [0, 1, 1] },
    };
    const ramp: PiecewiseLinear = { knots: [0, 1], values: [0, 1] };
    const d = distance(step, ramp);
    expect(d.greatest.upper).toBe(4.5); // the value at the point itself
    expect(d.least.lower).toBe(-0.5);
    expect(d.l1).toEqual({ lower: 0.25, upper: 0.25 });
    expect(d.slope.upper).toBe(1);
  });

  it("needs the same interval", () => {
    const f: PiecewiseLinear = { knots: [0, 1], values: [0, 1] };
    expect(() => distance(f, { knots: [0, 2], values: [0, 1] })).toThrow(/same interval/);
  });

  it("with astronomic denominators is enclosed far beyond double precision", () => {
    // 4000 zeros with pairwise different prime-like denominators.
    const n = 4000;
    const teeth: PiecewiseLinear = {
      knots: Array.from({ length: n + 1 }, (_, k) => k / n).map((t) => t),
      values: Array.from({ length: n + 1 }, (_, k) => (k % 2 === 0 ? 1 : -1) * (1 + 1 / (k + 7))),
    };
    const zero: PiecewiseLinear = { knots: [0, 1], values: [0, 0] };
    const { l1 } = distance(teeth, zero);
    expect(isExact(l1)).toBe(false);
    expect(compare(sub(l1.upper, l1.lower), 2 ** -150)).toBeLessThan(0);
    let sum = 0;
    for (let k = 0; k < n; k++) {
      const [a, b] = [1 + 1 / (k + 7), 1 + 1 / (k + 8)];
      sum += (a * a + b * b) / (a + b) / 2 / n;
    }
    expect(toNumber(l1.lower)).toBeCloseTo(sum, 12);
  });
});
