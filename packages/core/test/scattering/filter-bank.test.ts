// Filter banks: what they keep of a norm, and what texts print of them.
import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/numbers/random.ts";
import {
  battleLemarieBank,
  convolved,
  type FilterBank,
  gridFourier,
  haarBank,
  littlewoodPaley,
  morletBank1d,
  morletBank2d,
  nonExpansive,
  polarBank,
  splineLowPass,
  splineScaling,
} from "../../src/scattering/index.ts";

const random = createRandom("filter banks");

/** |W x|^2 / |x|^2, in the domain of time. */
function gain(bank: FilterBank, x: Float64Array): number {
  const spectrum = gridFourier(bank.shape, x);
  const energy = (values: Float64Array): number => values.reduce((sum, v) => sum + v * v, 0);
  const total = [bank.lowPass, ...bank.wavelets].reduce((sum, filter) => {
    const { re, im } = convolved(bank, spectrum, filter);
    return sum + energy(re) + energy(im);
  }, 0);
  return total / energy(x);
}

const cosine = (shape: readonly number[], at: readonly number[]): Float64Array => {
  const columns = shape[1] ?? 1;
  return Float64Array.from({ length: shape[0]! * columns }, (_, k) =>
    Math.cos(
      2 *
        Math.PI *
        ((Math.floor(k / columns) * at[0]!) / shape[0]! + ((k % columns) * (at[1] ?? 0)) / columns),
    ),
  );
};

const banks: readonly [string, FilterBank][] = [
  ["Morlet, one variable", morletBank1d({ length: 90, scale: 4, quality: 4 })],
  ["Morlet, two variables", morletBank2d({ shape: [24, 20], scale: 2 })],
  ["Battle-Lemarie", battleLemarieBank({ length: 90, scale: 4 })],
  ["Battle-Lemarie, real, odd length", battleLemarieBank({ length: 63, scale: 3, real: true })],
  ["polar", polarBank({ shape: [24, 20], scale: 3 })],
  ["polar, odd", polarBank({ shape: [15, 9], scale: 2, angles: 4 })],
  ["Haar", haarBank({ length: 48, scale: 4 })],
];

describe("Littlewood-Paley sums", () => {
  it.each(banks)("%s: bounds of |W x|^2 / |x|^2 that cosines attain", (_, bank) => {
    const { lower, upper, lowerAt, upperAt, mean } = littlewoodPaley(bank);
    const size = bank.shape.reduce((a, b) => a * b, 1);
    for (let draw = 0; draw < 5; draw++) {
      const measured = gain(bank, random.normal(size));
      expect(measured).toBeGreaterThan(lower - 1e-12);
      expect(measured).toBeLessThan(upper + 1e-12);
    }
    expect(gain(bank, cosine(bank.shape, lowerAt))).toBeCloseTo(lower, 11);
    expect(gain(bank, cosine(bank.shape, upperAt))).toBeCloseTo(upper, 11);
    expect(mean).toBe(0);
  });

  it.each(banks.slice(2))("%s keeps norms", (_, bank) => {
    const { lower, upper } = littlewoodPaley(bank);
    expect(lower).toBeGreaterThan(1 - 1e-13);
    expect(upper).toBeLessThan(1 + 1e-13);
  });

  it("one constant makes a Morlet bank non-expansive, and no larger one", () => {
    const { upper } = littlewoodPaley(nonExpansive(morletBank2d({ shape: [32, 32], scale: 3 })));
    expect(upper).toBeCloseTo(1, 12);
  });

  it("of complex signals, analytic wavelets see one half of the frequencies", () => {
    const { lower, upper } = littlewoodPaley(battleLemarieBank({ length: 64, scale: 3 }), {
      signals: "complex",
    });
    expect(lower).toBeLessThan(1e-3);
    expect(upper).toBeCloseTo(2, 3);
  });

  it("Kymatio's bank of 8 angles, J = 2, on 40 x 40: [0.123, 1.0001]", () => {
    const { lower, upper } = littlewoodPaley(morletBank2d({ shape: [40, 40], scale: 2 }));
    expect(lower).toBeCloseTo(0.123, 3);
    expect(upper).toBeCloseTo(1.0001, 4);
  });
});

describe("splines", () => {
  it("the mirror filter is power complementary", () => {
    for (const omega of [0.1, 0.7, 1.3, 2.9])
      expect(splineLowPass(omega) + splineLowPass(omega + Math.PI)).toBeCloseTo(1, 13);
  });

  it("the scaling function is a sum over the lattice", () => {
    for (const omega of [0.4, 1.7, 3.1, 5.5]) {
      let sum = 0;
      for (let n = -2000; n <= 2000; n++) sum += (omega + 2 * Math.PI * n) ** -8;
      expect(splineScaling(omega)).toBeCloseTo(1 / (omega ** 8 * sum), 12);
    }
  });
});

describe("Morlet wavelets", () => {
  it("the constants of the book: beta = 0.13459 for sigma = 0.85 and 3 pi / 4", () => {
    // On a fine and wide grid the wavelet is what it is on the plane: at its centre 1 - beta e^(-sigma^2 xi^2 / 2).
    const bank = morletBank2d({
      ...{
        shape: [64, 64],
        scale: 3,
        angles: 4,
        sigma: 0.85 * 4,
        centre: (3 * Math.PI) / 16,
        slant: 1,
        pi: Math.PI,
      },
    });
    const beta = Math.exp(-((0.85 * 0.75 * Math.PI) ** 2) / 2);
    expect(beta).toBeCloseTo(0.13459, 5);
    const along = bank.wavelets[1]!; // angle 0
    expect(along.angle).toBe(0);
    expect(along.re[6 * 64]).toBeCloseTo(1 - beta * beta, 9);
  });

  it("the sum over aliases is the sum over periods", () => {
    // 22 columns are just too few for the fast way, 24 are enough: both must lie on the same smooth family.
    const at = (columns: number): number =>
      morletBank2d({ shape: [64, columns], scale: 3 }).wavelets[16]!.re[3 * columns]!;
    expect(Math.abs(at(24) - at(28))).toBeLessThan(1e-6);
    expect(Math.abs(at(22) - at(28))).toBeLessThan(1e-6);
  });
});
