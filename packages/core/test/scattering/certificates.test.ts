// Energies, translations, deformations: identities to rounding, certificates that hold and can be broken.
import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/numbers/random.ts";
import {
  battleLemarieBank,
  convolved,
  deformationCertificate,
  deformationSize,
  energyLedger,
  gridFourier,
  haarBank,
  morletBank1d,
  nonExpansive,
  polarBank,
  scatteringDistances,
  translated,
  translationCertificate,
  translationFactor,
  warped,
} from "../../src/scattering/index.ts";

const random = createRandom("certificates");

describe("the energy ledger", () => {
  it.each([
    ["Battle-Lemarie", battleLemarieBank({ length: 96, scale: 4 })],
    ["Haar", haarBank({ length: 60, scale: 3 })],
    ["polar", polarBank({ shape: [12, 16], scale: 2, angles: 4 })],
  ])("of a unitary bank nothing is missing: %s", (_, bank) => {
    const x = random.normal(bank.shape.reduce((a, b) => a * b, 1));
    const { input, missing, propagated } = energyLedger(x, bank, { order: 2, paths: "all" });
    for (const left of missing) expect(Math.abs(left)).toBeLessThan(1e-12 * input);
    expect(propagated[2]).toBeLessThan(propagated[1]!);
  });

  it("white noise, analytic splines, J = 5: 3.4, 81.4, 13.7, 1.45 %", () => {
    const bank = battleLemarieBank({ length: 512, scale: 5 });
    const draws = Array.from({ length: 6 }, () =>
      energyLedger(random.normal(512), bank, { order: 3, paths: "all" }),
    );
    const mean = (m: number): number =>
      draws.reduce((sum, { averaged, input }) => sum + (100 * averaged[m]!) / input, 0) / draws.length;
    // A first-order share has a deviation of about 1.5 in one draw of 512 samples.
    [3.4, 81.4, 13.7, 1.45].forEach((share, m) => {
      expect(Math.abs(mean(m) - share)).toBeLessThan(2);
    });
  });

  it("of decreasing paths, what other paths have is missing", () => {
    const bank = battleLemarieBank({ length: 128, scale: 4 });
    const x = random.normal(128);
    const [some, all] = [energyLedger(x, bank), energyLedger(x, bank, { paths: "all" })];
    expect(some.missing[2]).toBeGreaterThan(0);
    expect(some.missing[2]).toBeCloseTo(all.propagated[2]! - some.propagated[2]!, 10);
  });
});

describe("translations", () => {
  it("coefficients move less than the certificate, which a pure frequency attains in order 0", () => {
    const bank = battleLemarieBank({ length: 128, scale: 3 });
    const { measured, bound } = translationCertificate(random.normal(128), bank, [3], { paths: "all" });
    measured.forEach((change, m) => {
      expect(change).toBeLessThan(bound[m]!);
      expect(change).toBeGreaterThan(0.02 * bound[m]!);
    });
    const factor = translationFactor(bank, [3]);
    const best = Math.max(
      ...Array.from({ length: 64 }, (_, k) => {
        const wave = Float64Array.from({ length: 128 }, (__, t) => Math.cos((2 * Math.PI * k * t) / 128));
        return (
          translationCertificate(wave, bank, [3], { order: 0 }).measured[0]! /
          Math.sqrt(energyLedger(wave, bank, { order: 0 }).input)
        );
      }),
    );
    expect(best).toBeCloseTo(factor, 10);
  });

  it("distances do not grow with the scale", () => {
    const x = random.normal(64);
    const y = translated(x, [64], [5]);
    const distances = [1, 2, 3, 4].map((scale) =>
      Math.hypot(
        ...scatteringDistances(x, y, battleLemarieBank({ length: 64, scale }), { order: 4, paths: "all" }),
      ),
    );
    // All paths up to an order at which next to nothing is left.
    for (let k = 1; k < distances.length; k++) expect(distances[k]!).toBeLessThan(distances[k - 1]! * 1.01);
  });

  it.each([
    [3, 0],
    [0, 2],
    [-1, 4],
  ])("a picture has the factor of its fastest wave, along either axis: %d, %d", (down, across) => {
    const shape = [8, 12];
    const bank = polarBank({ shape: [8, 12], scale: 2, angles: 4 });
    let most = 0;
    for (let a = 0; a < 8; a++)
      for (let b = 0; b < 12; b++) {
        const wave = Float64Array.from({ length: 96 }, (_, k) =>
          Math.cos(2 * Math.PI * ((a * Math.floor(k / 12)) / 8 + (b * (k % 12)) / 12) + 0.3),
        );
        const [change] = scatteringDistances(wave, translated(wave, shape, [down, across]), bank, {
          order: 0,
        });
        most = Math.max(most, change! / Math.sqrt(energyLedger(wave, bank, { order: 0 }).input));
      }
    expect(translationFactor(bank, [down, across])).toBeCloseTo(most, 10);
  });

  it("a picture moves along both axes", () => {
    expect([...translated([1, 2, 3, 4, 5, 6], [2, 3], [1, 1])]).toEqual([6, 4, 5, 3, 1, 2]);
  });
});

describe("deformations", () => {
  const sinusoid = (n: number, g: number): Float64Array =>
    Float64Array.from({ length: n }, (_, u) => ((g * n) / (2 * Math.PI)) * Math.sin((2 * Math.PI * u) / n));

  it("their size: a translation by v is 2^-J v, a sinusoid has its slope", () => {
    expect(deformationSize(new Float64Array(64).fill(3), 3).size).toBe(3 / 8);
    const { gradient, hessian, isDiffeomorphism } = deformationSize(sinusoid(4096, 0.3), 3);
    expect(gradient).toBeCloseTo(0.3, 5);
    expect(hessian).toBeCloseTo((0.3 * 2 * Math.PI) / 4096, 8);
    expect(isDiffeomorphism).toBe(true);
  });

  it("K(tau) by hand, of a sinusoid of 64 samples and amplitude 2", () => {
    const f = (2 * Math.PI) / 64;
    const tau = Float64Array.from({ length: 64 }, (_, u) => 2 * Math.sin(f * u));
    const { size, spread } = deformationSize(tau, 2);
    expect(spread).toBeCloseTo(4, 12);
    // Central differences of it: |tau'| = 2 sin f, |tau''| = 4 (1 - cos f).
    const slope = 2 * Math.sin(f);
    expect(size).toBeCloseTo(2 / 4 + slope * Math.log(4 / slope) + 4 * (1 - Math.cos(f)), 12);
    // A slope beyond the spread over e counts once.
    const jump = Float64Array.from({ length: 8 }, (_, u) => (u === 4 ? 1 : 0));
    expect(deformationSize(jump, 1).size).toBeCloseTo(1 / 2 + 1 / 2 + 2, 12);
  });

  it("the commutator is the gain of the signal that it changes most, and so are the averages", async () => {
    const n = 18;
    const bank = haarBank({ length: n, scale: 2 });
    const tau = Float64Array.from({ length: n }, (_, u) => 2.4 * Math.sin(u * 0.9));
    const { commutator, averages } = await deformationCertificate(random.normal(n), tau, bank);
    const through = (x: Float64Array, isAll: boolean): readonly Float64Array[] =>
      [bank.lowPass, ...(isAll ? bank.wavelets : [])].map((h) => {
        const wave = gridFourier([n], x);
        return convolved(bank, wave, h).re;
      });
    const changes = (x: Float64Array): Float64Array => {
      const moved = through(warped(x, tau), true);
      return Float64Array.from(
        through(x, true).flatMap((y, k) => [...warped(y, tau)].map((v, u) => moved[k]![u]! - v)),
      );
    };
    const low = (x: Float64Array): Float64Array => {
      const [y] = through(x, false);
      return warped(y!, tau).map((v, u) => v - y![u]!);
    };
    for (const [of, norm] of [
      [changes, commutator],
      [low, averages],
    ] as const) {
      // The columns, and the greatest eigenvalue of their products by repeated multiplication.
      const columns = Array.from({ length: n }, (_, k) => of(new Float64Array(n).fill(1, k, k + 1)));
      let v = random.normal(n);
      for (let step = 0; step < 4000; step++) {
        const image = columns[0]!.map((_, r) => columns.reduce((sum, c, k) => sum + c[r]! * v[k]!, 0));
        const back = Float64Array.from(columns, (c) => c.reduce((sum, a, r) => sum + a * image[r]!, 0));
        const size = Math.hypot(...back);
        v = back.map((a) => a / size);
      }
      expect(norm).toBeCloseTo(Math.hypot(...of(v)), 6);
    }
  });

  it.each([0.05, 0.2, 0.4])("change less than the certificate, slope %d", async (g) => {
    for (const bank of [
      battleLemarieBank({ length: 64, scale: 3 }),
      nonExpansive(morletBank1d({ length: 64, scale: 3 })),
    ]) {
      const found = await deformationCertificate(random.normal(64), sinusoid(64, g), bank);
      expect(found.measured).toBeLessThan(found.bound);
      expect(found.measured).toBeGreaterThan(0.02 * found.bound);
      expect(found.theoremApplies).toBe(true);
    }
  });

  it("certify no bank that expands distances", async () => {
    const { wavelets, ...rest } = battleLemarieBank({ length: 24, scale: 2 });
    const wide = { ...rest, wavelets: wavelets.map((w) => ({ ...w, re: w.re.map((v) => 1.1 * v) })) };
    await expect(deformationCertificate(random.normal(24), sinusoid(24, 0.3), wide)).rejects.toThrow(
      /expands distances/,
    );
  });

  it("a translation commutes with filters: only the averages change", async () => {
    const bank = battleLemarieBank({ length: 48, scale: 3 });
    const { commutator, averages } = await deformationCertificate(
      random.normal(48),
      new Float64Array(48).fill(2),
      bank,
    );
    expect(commutator).toBeLessThan(1e-12);
    expect(averages).toBeCloseTo(translationFactor(bank, [2]), 10);
    expect([...warped([1, 2, 3, 4], [1, 1, 1, 1])]).toEqual([4, 1, 2, 3]);
  });
});
