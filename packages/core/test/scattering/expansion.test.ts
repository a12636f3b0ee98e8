// How far a transform expands distances as it is computed, and readouts that rest on it.
import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/numbers/random.ts";
import { affineDistances, affineSpace, nearestSpace } from "../../src/scattering/affine-classes.ts";
import { decayBound } from "../../src/scattering/energy-decay.ts";
import { expansion } from "../../src/scattering/expansion.ts";
import { harmonicCount, harmonicPairs, harmonicWeights } from "../../src/scattering/phase-harmonics.ts";
import { scatteringPlan } from "../../src/scattering/plan.ts";
import { certifiedRadius } from "../../src/scattering/readout.ts";
import { measuring, type SynthesisOptions } from "../../src/scattering/synthesis.ts";

const norm = (x: ArrayLike<number>): number => Math.hypot(...Array.from(x));

describe("the expansion of distances", () => {
  const cases: readonly SynthesisOptions[] = [
    { shape: [32], scale: 3, bank: "spline", padding: "none" },
    { shape: [32], scale: 3, quality: 2 },
    { shape: [16, 16], scale: 2, angles: 4, padding: "none" },
    { shape: [12, 12], scale: 2, angles: 4, oversampling: 1 },
  ];
  it.each(cases)("bounds the transform with samples left out, and is near: %o", async (options) => {
    const plan = scatteringPlan(options);
    const bound = expansion(plan);
    const measure = measuring({ ...options, averages: "local", type: "float64" });
    const random = createRandom("expansion");
    const size = options.shape.reduce((a, b) => a * b, 1);
    let most = 0;
    // Constants, slow waves on them, noise.
    for (let k = 0; k < 6; k++) {
      const x = random.normal(size).map((v) => 0.1 * k * v);
      const d = k < 4 ? x.map(() => 1) : random.normal(size);
      const [a, b] = [await measure.of(x), await measure.of(x.map((v, u) => v + d[u]!))];
      most = Math.max(most, norm(a.map((v, u) => v - b[u]!)) / norm(d));
    }
    await measure.release();
    expect(most).toBeLessThanOrEqual(bound * (1 + 1e-9));
    // Mirror images at the border are counted as if every sample had them all.
    const borders = options.padding === "none" ? 1 : 2 ** (options.shape.length / 2 + 0.5);
    expect(most * 1.3 * borders).toBeGreaterThan(bound);
  });

  it("counts the most mirror images of a sample", () => {
    // 16 samples on a grid of 32: 8 mirror images in front show 8 .. 1, 8 behind show 14 .. 7.
    const mirrored = expansion(scatteringPlan({ shape: [16], scale: 2 }));
    const periodic = expansion(scatteringPlan({ shape: [32], scale: 2, padding: "none" }));
    expect(mirrored / periodic).toBeCloseTo(Math.sqrt(3), 10);
  });

  it("is exact where there is one path", () => {
    const plan = scatteringPlan({ shape: [16], scale: 2, order: 0, bank: "spline", padding: "none" });
    expect(expansion(plan)).toBeCloseTo(1 / 2, 6);
    expect(expansion(plan, { weights: [3] })).toBeCloseTo(3 / 2, 6);
    expect(() => expansion(plan, { weights: [1, 2] })).toThrow("2 weights for 1 paths");
  });
});

describe("a linear readout", () => {
  const readout = {
    weights: [
      [2, 0],
      [0, 1],
      [2, 4],
    ],
    biases: [0, 1, 0],
  } as const;

  it("has the radius of the nearest boundary, less by what the features expand", () => {
    // Scores 6, 0, 2: boundaries at 6 / |(2, -1)| and 4 / |(0, 4)|.
    const found = certifiedRadius(readout, [3, -1]);
    expect(found).toEqual({ predicted: 0, rival: 2, radius: 1 });
    expect(certifiedRadius(readout, [3, -1], 4).radius).toBe(0.25);
    expect(certifiedRadius({ weights: [[1], [1]], biases: [1, 0] }, [5]).radius).toBe(
      Number.POSITIVE_INFINITY,
    );
    expect(certifiedRadius({ weights: [[1], [1]], biases: [1, 1] }, [5]).radius).toBe(0);
  });

  it("takes many features, and refuses scores that are no numbers", () => {
    const count = 300_000;
    const wide = { weights: [new Float64Array(count).fill(1), new Float64Array(count)], biases: [0, 0] };
    expect(certifiedRadius(wide, new Float64Array(count).fill(1)).radius).toBeCloseTo(Math.sqrt(count), 8);
    expect(() => certifiedRadius(readout, [Number.NaN, 1])).toThrow(/not a number/);
  });
});

describe("what energy leaves", () => {
  it("is |x|^2 - |x * chi|^2, with chi in time", () => {
    const [n, s] = [32, 0.1];
    const x = createRandom("decay").normal(n);
    const chi = (t: number): number => Math.sqrt(Math.PI) * s * Math.exp(-((Math.PI * s * t) ** 2));
    const smooth = x.map((_, u) => {
      let sum = 0;
      for (let t = -60; t <= 60; t++) sum += chi(t) * x[(((u - t) % n) + n) % n]!;
      return sum;
    });
    expect(decayBound(x, s)).toBeCloseTo(norm(x) ** 2 - norm(smooth) ** 2, 8);
  });
});

describe("affine spaces", () => {
  it("are found from few examples as from many, and have distances by Pythagoras", async () => {
    const random = createRandom("affine");
    // Points of a plane in R^6, more or fewer than 6 of them.
    const [p, q, origin] = [random.normal(6), random.normal(6), random.normal(6)];
    const points = (rows: number) => ({
      ...{ rows, columns: 6 },
      entries: Float64Array.from(
        Array.from({ length: rows }, () => [random.normal(), random.normal()]).flatMap(([a, b]) =>
          Array.from(origin, (v, k) => v + a! * p[k]! + b! * q[k]!),
        ),
      ),
    });
    for (const rows of [4, 12]) {
      const space = await affineSpace(points(rows), { dimension: 3 });
      expect(space.directions.rows).toBe(2);
      const [inside] = await affineDistances([space], points(1));
      expect(inside!.entries[0]).toBeLessThan(1e-5);
      const one = points(1);
      const [none, both] = await affineDistances([space], one, [0, 2]);
      expect(none!.entries[0]).toBeCloseTo(norm(one.entries.map((v, k) => v - space.mean[k]!)), 10);
      expect(both!.entries[0]).toBeLessThan(1e-5);
    }
    expect(nearestSpace([3, 1, 2], 2)).toEqual({ predicted: 1, rival: 2, radius: 0.25 });
    await expect(
      affineSpace({ rows: 0, columns: 2, entries: new Float64Array(0) }, { dimension: 1 }),
    ).rejects.toThrow("a class without examples");
  });
});

describe("phase harmonics", () => {
  it("count what they compare, each by its own deviations", async () => {
    const options: SynthesisOptions = {
      shape: [8, 8],
      scale: 2,
      angles: 4,
      order: 1,
      model: "harmonics",
      padding: "none",
    };
    const plan = scatteringPlan(options);
    const measure = measuring({ ...options, type: "float64" });
    const x = createRandom("phases").normal(64);
    const [once, twice] = [await measure.of(x), await measure.of(x.map((v) => 2 * v))];
    await measure.release();
    expect(once).toHaveLength(harmonicCount(plan));
    // All statistics of twice the picture count alike: means double, covariances are four times as large.
    const [a, b] = [harmonicWeights(plan, once), harmonicWeights(plan, twice)];
    const start = once.length - harmonicPairs(plan).length;
    once.forEach((v, k) => {
      expect(twice[k]! * b[k]!).toBeCloseTo(v * a[k]!, 6);
      expect(b[k]! / a[k]!).toBeCloseTo(k < start ? 1 / 2 : 1 / 4, 6);
    });
    const diagonal = harmonicPairs(plan).findIndex(
      ({ a: p, b: q, harmonics: [k, l] }) => p === q && k === 1 && l === 1,
    );
    expect(once[start + diagonal]! * a[start + diagonal]!).toBeCloseTo(1, 9);
  });
});
