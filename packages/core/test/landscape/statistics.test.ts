// Spin glasses and small networks: derivatives against differences, points and indices that are known.
import { describe, expect, it } from "vitest";
import { activation } from "../../src/functions/activation.ts";
import {
  criticalPointFrom,
  LandscapeError,
  rankCorrelation,
  type SmoothRisk,
  smallNetworkRisk,
  spinComplexity,
  spinCriticalPoint,
  spinIndexFraction,
  spinLevel,
  spinModel,
  spinRate,
  spinStart,
  spinThreshold,
} from "../../src/landscape/index.ts";
import { createRandom } from "../../src/numbers/random.ts";

const moved = (v: Float64Array, k: number, by: number): Float64Array =>
  v.map((w, c) => (c === k ? w + by : w));

/** Central differences: off by some 1e-5 squared of third derivatives, and by rounding over 1e-5. */
function expectDerivatives(
  { value, gradient, hessian }: Pick<SmoothRisk, "value" | "gradient" | "hessian">,
  at: Float64Array,
): void {
  const [g, h] = [gradient(at), hessian(at)];
  at.forEach((_, k) => {
    expect((value(moved(at, k, 1e-5)) - value(moved(at, k, -1e-5))) / 2e-5).toBeCloseTo(g[k]!, 6);
    const [up, down] = [gradient(moved(at, k, 1e-5)), gradient(moved(at, k, -1e-5))];
    at.forEach((__, l) => {
      expect((up[l]! - down[l]!) / 2e-5).toBeCloseTo(h[k]![l]!, 6);
    });
  });
}

describe("the spherical p-spin model", () => {
  it.each([2, 3, 4])("has the derivatives of its energy, p = %d", (p) => {
    const random = createRandom(`spin ${p}`);
    const n = 4;
    const model = spinModel(n, p, random.normal(n ** p));
    const rows = (s: Float64Array) => {
      const entries = model.hessian(s);
      return Array.from({ length: n }, (_, i) => entries.subarray(i * n, (i + 1) * n));
    };
    expectDerivatives({ value: model.energy, gradient: model.gradient, hessian: rows }, random.normal(n));
  });

  it("is the sum of its couplings", () => {
    const random = createRandom("sum");
    const [n, couplings, s] = [3, random.normal(27), random.normal(3)];
    let sum = 0;
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++)
        for (let k = 0; k < n; k++) sum += couplings[9 * i + 3 * j + k]! * s[i]! * s[j]! * s[k]!;
    expect(spinModel(n, 3, couplings).energy(s)).toBeCloseTo(sum / 3, 12);
    expect(() => spinModel(3, 3, s)).toThrow(LandscapeError);
  });

  it("finds points with the index that eigenvalues give, p = 2", async () => {
    // Height 2 u = hessian eigenvalue: couplings diag(1, 2, 3, 4), so the axis k has k directions down.
    const couplings = Float64Array.from({ length: 16 }, (_, k) => (k % 5 === 0 ? k / 5 + 1 : 0));
    const model = spinModel(4, 2, couplings);
    for (let k = 0; k < 4; k++) {
      const start = Float64Array.from({ length: 4 }, (_, c) => (c === k ? 1 : 0.05 * (c + 1)));
      const point = await spinCriticalPoint(model, start);
      expect(point?.index).toBe(k);
      expect(point?.u).toBeCloseTo((k + 1) / 2, 10);
      expect(point?.multiplier).toBeCloseTo(k + 1, 10);
    }
  });

  it("starts at the height that is asked for", () => {
    const random = createRandom("height");
    const model = spinModel(10, 3, random.normal(1000));
    const height = (s: Float64Array) => model.energy(s) / 10;
    expect(height(spinStart(model, 0.8, random))).toBeGreaterThanOrEqual(0.8);
    expect(height(spinStart(model, -0.8, random))).toBeLessThanOrEqual(-0.8);
  });

  it("has the levels and the law that are known", () => {
    expect(spinThreshold(3)).toBeCloseTo(1.63299, 5);
    expect([0, 1, 2].map((k) => Number(spinLevel(3, k).toFixed(5)))).toEqual([1.657, 1.65287, 1.65025]);
    expect(spinIndexFraction(3, -9)).toBe(0);
    expect(spinIndexFraction(3, 9)).toBe(1);
    // The semicircle's area up to half of its radius: 1/2 + (sqrt(3)/4 + pi/6) / pi.
    expect(spinIndexFraction(3, spinThreshold(3) / 2)).toBeCloseTo(
      0.5 + Math.sqrt(3) / 4 / Math.PI + 1 / 6,
      12,
    );
    const slope = (spinRate(3, -1.8001) - spinRate(3, -1.7999)) / 2e-4;
    expect(slope).toBeCloseTo((2 / spinThreshold(3) ** 2) * Math.sqrt(1.8 ** 2 - spinThreshold(3) ** 2), 6);
    expect(spinComplexity(3, 1, -1.65) - spinComplexity(3, 0, -1.65)).toBeCloseTo(-spinRate(3, -1.65), 12);
  });
});

describe("critical points of small networks", () => {
  it.each(["tanh", "linear"] as const)("have derivatives as by differences: %s", (rho) => {
    const random = createRandom(rho);
    const inputs = Array.from({ length: 5 }, () => random.normal(2));
    const targets = inputs.map(() => random.normal(2));
    const risk = smallNetworkRisk({ inputs, targets }, activation(rho), 3);
    expectDerivatives(risk, random.normal(risk.size));
  });

  it("are found as minima, saddles and maxima", () => {
    const risk: SmoothRisk = {
      size: 2,
      value: ([x, y]) => x! ** 3 - 3 * x! + y! ** 3 - 3 * y!,
      gradient: ([x, y]) => Float64Array.of(3 * x! * x! - 3, 3 * y! * y! - 3),
      hessian: ([x, y]) => [Float64Array.of(6 * x!, 0), Float64Array.of(0, 6 * y!)],
    };
    const index = (x: number, y: number) => criticalPointFrom(risk, Float64Array.of(x, y))?.index;
    expect([index(0.7, 1.2), index(-0.8, 0.7), index(-1.3, -0.6)]).toEqual([0, 1, 2]);
    // A slope that is flat but not 0: no critical point.
    const flat: SmoothRisk = {
      size: 1,
      value: ([x]) => x! + x! ** 3,
      gradient: ([x]) => Float64Array.of(1 + 3 * x! * x!),
      hessian: ([x]) => [Float64Array.of(6 * x!)],
    };
    expect(criticalPointFrom(flat, Float64Array.of(0.5))).toBeUndefined();
  });

  it("have ranks that correlate as by hand", () => {
    expect(rankCorrelation([1, 2, 3, 4], [4, 3, 2, 1])).toBe(-1);
    expect(rankCorrelation([1, 1, 2], [0, 0, 5])).toBe(1);
    expect(rankCorrelation([1, 1], [0, 5])).toBe(0);
    // 1 - 6 sum d^2 / (n (n^2 - 1)) for d = (1, 1, 0).
    expect(rankCorrelation([1, 2, 3], [2, 1, 3])).toBe(0.5);
  });
});
