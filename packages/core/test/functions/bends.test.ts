// Functions by enclosures: their slopes, the turns of their curvature, and the lines around them.
import { describe, expect, it } from "vitest";
import { type Bend, bent } from "../../src/functions/bends.ts";
import { exponentialUnit } from "../../src/functions/library/elu.ts";
import { gelu, tanhGelu } from "../../src/functions/library/gelu.ts";
import { log } from "../../src/functions/library/log.ts";
import { mish } from "../../src/functions/library/mish.ts";
import { powerBend, reciprocal, sqrt } from "../../src/functions/library/power.ts";
import { silu } from "../../src/functions/library/silu.ts";
import { partsOf } from "../../src/functions/library.ts";
import type { Lines } from "../../src/functions/lines.ts";
import {
  add,
  exp,
  type Interval,
  mul,
  nextDown,
  nextUp,
  point,
  type RealFunction,
  squared,
  sub,
  tanh,
} from "../../src/numbers/interval/index.ts";
import { createRandom } from "../../src/numbers/random.ts";

const [one, two, three] = [1, 2, 3].map(point) as [Interval, Interval, Interval];
const near = (x: number): Interval => ({ lower: nextDown(x), upper: nextUp(x) });
const positive = new Set(["Log", "Sqrt"]);
const inUnit = new Set(["Atanh", "Asin", "Acos"]);

/** Where a function is asked: most anywhere, some in their domain. */
function domainOf(name: string): readonly [number, number] {
  if (positive.has(name) || name === "Reciprocal") return [0.01, 20];
  if (name === "Acosh") return [1, 20];
  return inUnit.has(name) ? [-0.999, 0.999] : [-9, 9];
}

const bends: readonly Bend[] = [
  ...partsOf("bend").map(([, f]) => f),
  exponentialUnit("Selu", point(1.75), 1, 1.05),
  exponentialUnit("Celu", point(0.7), 0.7, 1),
  ...[2, 3, 4, 5].map(powerBend),
];

/** Each with where it is asked; 1/x on both sides of its pole. */
const cases: readonly (readonly [string, Bend, readonly [number, number]])[] = [
  ...bends.map((f) => [f.name, f, domainOf(f.name)] as const),
  ["Reciprocal below 0", reciprocal.bend, [-20, -0.01]],
];

describe("slopes", () => {
  it.each(cases)("%s: difference quotients are among them", (_, f, [from, to]) => {
    const random = createRandom(f.name);
    const value = (z: number) => bent(f).value(z);
    for (let trial = 0; trial < 500; trial++) {
      const low = from + random.uniform() * (to - from);
      const high = Math.min(to, low + 0.1 * random.uniform());
      if (!(high - low > 1e-3)) continue;
      const quotient = (value(high) - value(low)) / (high - low);
      const { lower, upper } = f.slope({ lower: low, upper: high });
      // values are right to some 1e-12 of their size, over a width of 1e-3 or more
      const room = 1e-9 * (1 + Math.abs(value(low)));
      expect([low, high, quotient >= lower - room, quotient <= upper + room]).toEqual([
        low,
        high,
        true,
        true,
      ]);
    }
  });
});

describe("lines", () => {
  const lines: Lines = { lowSlope: 0, lowShift: 0, highSlope: 0, highShift: 0 };
  it.each(cases)("%s: the function is between them", (_, f, [from, to]) => {
    const random = createRandom(f.name);
    const curve = bent(f);
    for (let trial = 0; trial < 300; trial++) {
      const low = from + random.uniform() * (to - from);
      const high = Math.min(to, low + 10 ** (4.5 * random.uniform() - 3));
      curve.lines(low, high, lines);
      const range = curve.range(low, high);
      let worst = 0;
      for (let k = 0; k <= 100; k++) {
        const z = Math.min(high, low + (k / 100) * (high - low));
        const { lower, upper } = f.value(point(z));
        const size = Math.abs(lower) + Math.abs(lines.lowSlope * z) + Math.abs(lines.highSlope * z);
        const beyond = Math.max(
          range.lower - upper,
          lower - range.upper,
          // the lines are evaluated in plain doubles here: three roundings
          lines.lowSlope * z + lines.lowShift - upper - 2 ** -51 * size,
          lower - (lines.highSlope * z + lines.highShift) - 2 ** -51 * size,
        );
        worst = Math.max(worst, beyond);
      }
      expect([low, high, worst]).toEqual([low, high, 0]);
    }
  });

  it("are second order: their gap on narrow intervals is that of a chord and a tangent", () => {
    for (const f of [gelu, tanhGelu, silu, mish])
      for (const z of [-4, -1.5, -0.7, 0.3, 1.4, 2.2]) {
        const width = 1e-3;
        bent(f.bend).lines(z, z + width, lines);
        const middle = z + width / 2;
        const gap = (lines.highSlope - lines.lowSlope) * middle + lines.highShift - lines.lowShift;
        expect(gap).toBeLessThan(width ** 2 / 4);
      }
  });

  it("outside of its domain a function says so", () => {
    expect(() => bent(log.bend).lines(-1, 1, lines)).toThrow("logarithm of a number that may be -1");
    expect(() => bent(log.bend).lines(0, 1, lines)).toThrow("logarithm of a number that may be 0");
    expect(() => bent(sqrt.bend).lines(-1, 1, lines)).toThrow("square root");
    expect(() => bent(reciprocal.bend).lines(-1, 1, lines)).toThrow("may be zero");
  });

  it("the slope of a root is infinite at 0, its lines are not", () => {
    bent(sqrt.bend).lines(0, 4, lines);
    expect(lines.lowSlope * 4 + lines.lowShift).toBeCloseTo(2, 6);
    expect(lines.lowShift).toBeCloseTo(0, 6);
    expect(lines.highSlope * 2 + lines.highShift).toBeCloseTo(Math.SQRT2, 6);
  });
});

/** The sign of a function's curvature, as a factor that is positive, times this. */
const curvatures: readonly (readonly [string, Bend, RealFunction, reach: number])[] = [
  // p' + x p''/2 - x t p'^2; with x t p' >= 2, from 5 on, it is below p' (2 - x t p') <= 0, and it is even.
  [
    "Gelu (tanh)",
    tanhGelu.bend,
    (x) => {
      const [a, c] = [near(0.044715), near(Math.sqrt(2 / Math.PI))];
      const square = squared(x);
      const t = tanh(mul(c, mul(x, add(one, mul(a, square)))));
      const slope = mul(c, add(one, mul(three, mul(a, square))));
      return sub(mul(c, add(one, mul(mul(two, three), mul(a, square)))), mul(mul(x, t), squared(slope)));
    },
    5,
  ],
  // x tanh(x/2) is even and increases with |x|
  ["Silu", silu.bend, (x) => sub(two, mul(x, tanh(mul(point(0.5), x)))), 4],
  // below -8 it is at most 4.1 - 8 * 2; above 3 at most 2 (1.17 - x) u^3
  [
    "Mish",
    mish.bend,
    (x) => {
      const u = exp(x);
      const [uu, uuu] = [squared(u), mul(u, squared(u))];
      const rest = sub(add(two, mul(two, u)), add(mul(three, uu), mul(two, uuu)));
      return add(mul(mul(two, add(u, one)), add(add(uu, mul(two, u)), two)), mul(x, rest));
    },
    8,
  ],
];

describe("turns of the curvature", () => {
  /** Has the function one sign between two points? By halving until intervals say so. */
  const hasSign = (f: RealFunction, low: number, high: number, sign: number, depth = 0): boolean => {
    const { lower, upper } = f({ lower: low, upper: high });
    if (sign > 0 ? lower > 0 : upper < 0) return true;
    const middle = low / 2 + high / 2;
    if (depth > 60) return false;
    return hasSign(f, low, middle, sign, depth + 1) && hasSign(f, middle, high, sign, depth + 1);
  };
  it.each(curvatures)("%s: none but those that are stored", (_, f, curvature, reach) => {
    const { turns, ways } = f.curvature(-reach, reach);
    const ends = [-reach, ...turns.flatMap(({ lower, upper }) => [lower, upper]), reach];
    ways.forEach((way, k) => {
      expect([k, hasSign(curvature, ends[2 * k]!, ends[2 * k + 1]!, way)]).toEqual([k, true]);
    });
  });
});
