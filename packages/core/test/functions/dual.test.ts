// Gaussian expectations of functions, each found a second way: by quadrature over both numbers of the pair.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { activation } from "../../src/functions/activation.ts";
import { type Dual, expectations, monomialDual, twoSlopes } from "../../src/functions/dual.ts";
import { gaussianRule } from "../../src/functions/gaussian-rule.ts";
import { library } from "../../src/functions/library.ts";
import { angle as angleOf, plainNumbers } from "../../src/functions/pair-formula.ts";
import { type ScalarFunction, seriesDual } from "../../src/functions/series-dual.ts";
import { createRandom } from "../../src/numbers/random.ts";

const outer = gaussianRule([], 8);

/** E g(x)^2 for a number of variance a. */
const square = (g: (x: number) => number, a: number): number =>
  outer.nodes.reduce((sum, x, q) => sum + outer.weights[q]! * g(Math.sqrt(a) * x) ** 2, 0);

/** E g(u) g(v), panels ending where a kink at 0 is: of u at 0, of v at -r x / t. */
function byQuadrature(g: (x: number) => number, k: number, a: number, b: number, isBent = false): number {
  const [s, r] = [Math.sqrt(a), k / Math.sqrt(a)];
  const t = Math.sqrt(Math.max(0, b - r * r));
  let sum = 0;
  for (const [i, x] of outer.nodes.entries()) {
    const inner = isBent && t > 1e-12 ? gaussianRule([(-r * x) / t], 8) : outer;
    let along = 0;
    for (const [j, y] of inner.nodes.entries()) along += inner.weights[j]! * g(r * x + t * y);
    sum += outer.weights[i]! * g(s * x) * along;
  }
  return sum;
}

interface Case {
  readonly name: string;
  readonly dual: Dual;
  readonly f: Pick<ScalarFunction, "value" | "slope">;
  /** Whether it has a kink at 0. */
  readonly isBent?: boolean;
}

const phi = (x: number): number => (1 + library.erf.formula.value(x * Math.SQRT1_2)) / 2;
const density = (x: number): number => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
const known = (name: "relu" | "linear" | "sin" | "cos" | "exp" | "gaussian"): Case => {
  const { value, derivative } = activation(name);
  const isBent = name === "relu";
  return { name, dual: library[name].dual(), f: { value, slope: (x) => derivative(1, x) }, isBent };
};
const slopes = (left: number, right: number): Case => ({
  name: `slopes ${left} and ${right}`,
  dual: twoSlopes(left, right),
  f: { value: (x) => (x < 0 ? left : right) * x, slope: (x) => (x < 0 ? left : right) },
  isBent: true,
});
const power = (n: number): Case => ({
  name: `power ${n}`,
  dual: monomialDual(n),
  f: { value: (x) => x ** n, slope: (x) => (n === 0 ? 0 : n * x ** (n - 1)) },
});

const closed: readonly Case[] = [
  ...(["relu", "linear", "sin", "cos", "exp", "gaussian"] as const).map(known),
  ...[slopes(0.2, 1), slopes(-1, 1), slopes(1, 3)],
  ...[0, 1, 2, 3, 4, 5].map(power),
  {
    name: "erf",
    dual: library.erf.dual(),
    f: { value: library.erf.formula.value, slope: library.erf.formula.derivative },
  },
  {
    name: "gelu",
    dual: library.gelu.dual(),
    f: { value: (x) => x * phi(x), slope: (x) => phi(x) + x * density(x) },
  },
];

const pairs = [
  [0.3, 0.7, 1.1],
  [-0.6, 1, 1],
  [0.95, 1, 1],
  [0, 0.5, 0.2],
  [-0.02, 0.04, 0.01],
  [1.2, 2.5, 0.8],
] as const;

describe.each(closed)("the expectations of $name", ({ dual, f, isBent }) => {
  it.each(pairs)("of a pair with covariance %d and variances %d, %d", (k, a, b) => {
    const found = expectations(dual, k, a, b);
    const size = (g: (x: number) => number): number => Math.sqrt(square(g, a) * square(g, b));
    expect(Math.abs(found.value - byQuadrature(f.value, k, a, b, isBent))).toBeLessThan(
      1e-12 + 1e-12 * size(f.value),
    );
    expect(Math.abs(found.slope - byQuadrature(f.slope, k, a, b, isBent))).toBeLessThan(
      1e-12 + 1e-12 * size(f.slope),
    );
  });
});

describe("known values", () => {
  it("of ReLU: a half with itself, 1 / (2 pi) and 1 / 4 at a right angle, nothing with the opposite", () => {
    const relu = library.relu.dual();
    expect(expectations(relu, 1, 1, 1)).toEqual({ value: 0.5, slope: 0.5 });
    expect(expectations(relu, 0, 1, 1).value).toBeCloseTo(1 / (2 * Math.PI), 15);
    expect(expectations(relu, 0, 1, 1).slope).toBe(0.25);
    expect(expectations(relu, -1, 1, 1).value).toBeCloseTo(0, 15);
    expect(expectations(relu, -1, 1, 1).slope).toBeCloseTo(0, 15);
  });

  it("of a number that is always 0", () => {
    for (const { dual, f } of closed) {
      const { value } = expectations(dual, 0, 0, 0);
      expect(value).toBeCloseTo(f.value(0) ** 2, 14);
    }
  });
});

const smooth: readonly (ScalarFunction & { readonly name: string })[] = [
  { name: "tanh", value: Math.tanh, slope: (x) => 1 / Math.cosh(x) ** 2, kinks: [] },
  ...(["logistic", "softplus", "arctan"] as const).map((name) => ({
    name,
    value: activation(name).value,
    slope: (x: number) => activation(name).derivative(1, x),
    kinks: [],
  })),
];

describe("Mehler's series", () => {
  it.each(smooth)("agrees with quadrature for $name", (f) => {
    for (const [k, a, b] of pairs) {
      const found = expectations(seriesDual(f), k, a, b);
      expect(Math.abs(found.value - byQuadrature(f.value, k, a, b))).toBeLessThan(1e-12);
      expect(Math.abs(found.slope - byQuadrature(f.slope, k, a, b))).toBeLessThan(1e-12);
    }
  });

  it("agrees with closed forms, and where kinks move with the variance with quadrature", () => {
    const clip = (x: number): number => Math.min(0.5, Math.max(-0.5, x));
    const clipped = { value: clip, slope: (x: number) => (Math.abs(x) < 0.5 ? 1 : 0), kinks: [-0.5, 0.5] };
    // clip(x) = (|x + 1/2| - |x - 1/2|) / 2 has no closed form here; far from the kinks it is x.
    const near = expectations(seriesDual(clipped), 0.0002, 0.0004, 0.0004);
    expect(near.value).toBeCloseTo(0.0002, 14);
    expect(near.slope).toBeCloseTo(1, 13);
    const wide = expectations(seriesDual(clipped), 5e5, 1e6, 1e6);
    // And from far away a step of height 1: E = (1/4) (2 / pi) arcsin(1/2).
    expect(wide.value).toBeCloseTo(1 / 12, 3);
    const dual = seriesDual({ value: Math.sin, slope: Math.cos, kinks: [] });
    for (const [k, a, b] of pairs) {
      const [series, exact] = [expectations(dual, k, a, b), expectations(library.sin.dual(), k, a, b)];
      expect(series.value).toBeCloseTo(exact.value, 13);
      expect(series.slope).toBeCloseTo(exact.slope, 13);
    }
  });

  it("says how far it is off: no less than it is, for steep and for bent functions", () => {
    const relu: ScalarFunction = { value: (x) => Math.max(0, x), slope: (x) => (x > 0 ? 1 : 0), kinks: [0] };
    const series = seriesDual(relu);
    fc.assert(
      fc.property(
        fc.double({ min: -0.999, max: 0.999, noNaN: true }),
        fc.double({ min: 0.01, max: 30, noNaN: true }),
        (r, a) => {
          const [value, slope] = [new Float64Array(1), new Float64Array(1)];
          const variance = Float64Array.of(a);
          const places = { from: 0, count: 1, aFrom: 0, aStep: 0, bFrom: 0 } as const;
          const k = Float64Array.of(r * a);
          const error = series({ k, a: variance, b: variance, ...places, value, slope });
          const exact = expectations(library.relu.dual(), k[0]!, a, a);
          expect(Math.abs(value[0]! - exact.value)).toBeLessThanOrEqual(1e-13 * a + (error * a) / 2);
          expect(Math.abs(slope[0]! - exact.slope)).toBeLessThanOrEqual(1e-13 + error / 2);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("of a number with itself is the second moment, bent or not", () => {
    const relu: ScalarFunction = { value: (x) => Math.max(0, x), slope: (x) => (x > 0 ? 1 : 0), kinks: [0] };
    const found = expectations(seriesDual(relu), 3, 3, 3);
    expect(found.value).toBeCloseTo(1.5, 13);
    expect(found.slope).toBeCloseTo(0.5, 13);
  });
});

describe("an angle", () => {
  const angle = (y: number, x: number): number => angleOf(plainNumbers, y, x, Math.hypot(x, y));
  const isRight = (y: number, x: number): void => {
    const exact = Math.atan2(y, x);
    expect(Math.abs(angle(y, x) - exact)).toBeLessThanOrEqual(4 * 2 ** -52 * Math.abs(exact) + 5e-324);
  };

  it("is that of atan2 in the right half plane", () => {
    // Lengths with few bits have no angle.
    const normal = (v: number): number => (Math.abs(v) < 1e-290 ? 0 : v);
    for (const most of [1, 1e300])
      fc.assert(
        fc.property(
          fc.double({ min: -most, max: most, noNaN: true }),
          fc.double({ min: 0, max: most, noNaN: true }),
          (y, x) => isRight(normal(y), normal(x)),
        ),
      );
    const random = createRandom("angle");
    for (let k = 0; k < 1000; k++) isRight(2 * random.uniform() - 1, random.uniform());
  });

  it("is right on the axes, at the origin, and where squares are no numbers or 0", () => {
    expect(angle(0, 0)).toBe(0);
    const sizes = [0, 1e-290, 1e-200, 1e-141, 1e-139, 1, 1e149, 1e151, 1e300];
    for (const y of sizes)
      for (const x of sizes) {
        isRight(y, x);
        isRight(-y, x);
      }
  });
});
