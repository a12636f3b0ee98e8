import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matrixOfRows } from "../../src/linear-algebra/rows.ts";
import { symmetricEigen } from "../../src/linear-algebra/symmetric-eigen.ts";
import { createRandom } from "../../src/numbers/random.ts";
import {
  babel,
  type Dictionary,
  dictionaryOf,
  dictionaryQuality,
  hardThresholding,
  keepLargest,
  lassoCode,
  lassoPath,
  layeredThresholding,
  multilayerObjective,
  multilayerPursuit,
  optimalityViolation,
  orthogonalMatching,
  safeSteps,
  subspacePursuit,
} from "../../src/sparse/index.ts";
import { squaredNormAbove, synthesize } from "../../src/sparse/pursuit/dictionary.ts";
import { alikeness } from "../../src/sparse/pursuit/dictionary-quality.ts";

const gaussian = (seed: number, size: number, count: number): Dictionary => {
  const random = createRandom(seed);
  return { size, count, atoms: random.normal(size * count) };
};
/** Identity and Hadamard matrix over sqrt(n), n a power of 2. */
const pairOfBases = (n: number): Dictionary => {
  const sign = (i: number, j: number): number => {
    let bits = i & j;
    let parity = 0;
    for (; bits; bits &= bits - 1) parity ^= 1;
    return parity ? -1 : 1;
  };
  return dictionaryOf(
    matrixOfRows(
      Array.from({ length: n }, (_, i) => [
        ...Array.from({ length: n }, (__, j) => Number(i === j)),
        ...Array.from({ length: n }, (__, j) => sign(i, j) / Math.sqrt(n)),
      ]),
    ),
  );
};
const planted = (count: number, support: readonly number[], values: readonly number[]): Float64Array => {
  const x = new Float64Array(count);
  support.forEach((j, k) => {
    x[j] = values[k]!;
  });
  return x;
};

describe("basis pursuit", () => {
  test("its gap bounds what any other code could gain, and its conditions hold", () => {
    for (const [seed, size, count] of [
      [1, 20, 50],
      [2, 50, 20],
      [3, 30, 300],
    ] as const) {
      const d = gaussian(seed, size, count);
      const y = createRandom(seed + 10).normal(size);
      for (const { lambda, x, objective, dualityGap } of lassoPath(d, y, { count: 6, least: 0.01 })) {
        expect(dualityGap).toBeLessThanOrEqual(0.5e-12 * y.reduce((s, v) => s + v * v, 0));
        // The gap is at least |D (x - x*)|^2 / 2, so correlations are off by its root.
        expect(optimalityViolation(d, y, lambda, x)).toBeLessThan(1e-4 * lambda + 1e-4);
        for (let k = 0; k < 20; k++) {
          const other = createRandom(k)
            .normal(count)
            .map((v, j) => x[j]! + 1e-3 * v);
          const fit = synthesize(d, other);
          const value =
            y.reduce((s, v, i) => s + (v - fit[i]!) ** 2, 0) / 2 +
            lambda * other.reduce((s, v) => s + Math.abs(v), 0);
          expect(value).toBeGreaterThanOrEqual(objective - dualityGap);
        }
      }
    }
  });

  test("for orthonormal atoms it is one threshold; for a great lambda it is 0", () => {
    const d = dictionaryOf(
      matrixOfRows([
        [1, 0],
        [0, 1],
      ]),
    );
    expect([...lassoCode(d, Float64Array.of(4, -1), 2).x]).toEqual([2, 0]);
    expect([...lassoCode(d, Float64Array.of(4, -3), 1, { nonnegative: true }).x]).toEqual([3, 0]);
    expect([...lassoCode(d, Float64Array.of(4, -1), 4).x]).toEqual([0, 0]);
  });

  test.each(["normal", "twice", "opposite", "zero", "alike", "hilbert", "scales"])(
    "%s atoms: a code down to small lambdas, more atoms than numbers or fewer",
    (kind) => {
      for (const [size, count] of [
        [10, 30],
        [30, 10],
      ] as const) {
        const d = gaussian(size, size, count);
        const { atoms } = d;
        const first = atoms.slice(0, size);
        for (let j = 0; j < count; j++)
          for (let i = 0; i < size; i++) {
            const at = j * size + i;
            if (kind === "twice" && j % 2 === 1) atoms[at] = atoms[at - size]!;
            if (kind === "opposite" && j % 2 === 1) atoms[at] = -atoms[at - size]!;
            if (kind === "zero" && j % 3 === 0) atoms[at] = 0;
            if (kind === "alike") atoms[at] = first[i]! + 1e-5 * atoms[at]!;
            if (kind === "hilbert") atoms[at] = 1 / (i + j + 1);
            if (kind === "scales") atoms[at]! *= 10 ** ((j % 9) - 4);
          }
        const y = createRandom(size + count).normal(size);
        const energy = y.reduce((s, v) => s + v * v, 0) / 2;
        const { lambda } = lassoPath(d, y, { count: 1 })[0]!;
        for (const share of [0.999, 0.3, 0.01, 1e-4]) {
          const { x, dualityGap, objective } = lassoCode(d, y, share * lambda, { gap: 1e-10 });
          expect(dualityGap, `lambda ${share}`).toBeLessThan(1e-10 * energy);
          // The gap by plain sums, from a point of the dual problem that is made anew.
          const fit = synthesize(d, x);
          const r = y.map((v, i) => v - fit[i]!);
          const greatest = Math.max(
            ...Array.from({ length: count }, (_, j) =>
              Math.abs(r.reduce((s, v, i) => s + v * atoms[j * size + i]!, 0)),
            ),
          );
          const u = r.map((v) => v * Math.min(1, (share * lambda) / greatest));
          const dual = energy - y.reduce((s, v, i) => s + (v - u[i]!) ** 2, 0) / 2;
          const primal =
            r.reduce((s, v) => s + v * v, 0) / 2 + share * lambda * x.reduce((s, v) => s + Math.abs(v), 0);
          expect(primal - dual).toBeLessThan(1e-9 * energy);
          expect(Math.abs(primal - objective)).toBeLessThan(1e-12 * energy);
        }
      }
    },
  );

  test("powers of ten change nothing but the scale, even where squares are no doubles", () => {
    const d = gaussian(4, 8, 20);
    const y = createRandom(5).normal(8);
    const lambda = 0.2 * lassoPath(d, y, { count: 1 })[0]!.lambda;
    const { x } = lassoCode(d, y, lambda);
    for (const [a, b] of [
      [1e-300, 1],
      [1, 1e-300],
      [1e-150, 1e-150],
      [1e150, 1e150],
      [1e300, 1],
      [1e150, 1e-150],
      [1e-150, 1e150],
    ] as const) {
      const scaled = { ...d, atoms: d.atoms.map((v) => a * v) };
      const z = y.map((v) => b * v);
      const found = lassoCode(scaled, z, lambda * a * b).x;
      found.forEach((v, j) => {
        expect(v * (a / b)).toBeCloseTo(x[j]!, 12);
      });
      const [first] = lassoPath(scaled, z, { count: 2 });
      expect(first!.lambda / (lassoPath(d, y, { count: 1 })[0]!.lambda * a * b)).toBeCloseTo(1, 12);
    }
    const long = y.map((v) => 1e200 * v);
    expect(() => lassoCode(d, long, 1e200 * lambda)).toThrow("beyond doubles");
  });

  test("refuses what makes no sense", () => {
    const d = gaussian(1, 3, 4);
    expect(() => lassoCode(d, new Float64Array(2), 1)).toThrow("a signal of 2 numbers for atoms of 3");
    expect(() => lassoCode(d, new Float64Array(3), 0)).toThrow("lambda is a positive number, not 0");
    expect(() => lassoCode(d, Float64Array.of(1, Number.NaN, 0), 1)).toThrow("number 1 of the signal is NaN");
    expect(() => orthogonalMatching(d, new Float64Array(3), 4)).toThrow("from 1 to 3");
  });
});

describe("greedy pursuits", () => {
  test("find codes that are sparse enough for the coherence, exactly", () => {
    const d = pairOfBases(64); // mu = 1/8: fewer than 4.5 nonzeros
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 0, max: 127 }), { minLength: 1, maxLength: 4 }),
        fc.integer(),
        (set, seed) => {
          const random = createRandom(seed);
          const x = planted(
            128,
            set,
            set.map(() => 1 + random.uniform()),
          );
          const y = synthesize(d, x);
          for (const code of [orthogonalMatching(d, y, set.length), subspacePursuit(d, y, set.length)]) {
            expect(code.support).toEqual(set.toSorted((a, b) => a - b));
            code.x.forEach((v, j) => {
              expect(Math.abs(v - x[j]!)).toBeLessThan(1e-12);
            });
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  test("thresholds keep the largest, the first of equals", () => {
    expect([...keepLargest(Float64Array.of(1, -3, 2, 3), 2)]).toEqual([0, -3, 0, 3]);
    expect([...keepLargest(Float64Array.of(1, 1, 1), 2)]).toEqual([1, 1, 0]);
    const d = dictionaryOf(
      matrixOfRows([
        [1, 0],
        [0, 1],
      ]),
    );
    expect([...hardThresholding(d, Float64Array.of(3, 1), 1).x]).toEqual([3, 0]);
  });
});

describe("what a dictionary promises", () => {
  test("an atom that is zero: spark 1; lengths of atoms do not count, however short they are", () => {
    const d = pairOfBases(4);
    const { coherence, spark } = dictionaryQuality({ ...d, atoms: d.atoms.map((v) => 1e-200 * v) });
    expect(coherence).toBeCloseTo(0.5, 14);
    expect(spark).toEqual({ lower: 4, upper: 4 });
    const zero = { ...d, count: 9, atoms: Float64Array.from([...d.atoms, 0, 0, 0, 0]) };
    expect(dictionaryQuality(zero)).toMatchObject({ spark: { lower: 1, upper: 1 }, uniqueBelow: 0.5 });
    expect(lassoCode(zero, Float64Array.of(1, 2, 3, 4), 0.1).x[8]).toBe(0);
  });

  test("identity and Hadamard matrix: coherence 1 / sqrt(n), spark 2 sqrt(n)", () => {
    const { coherence, spark, uniqueBelow } = dictionaryQuality(pairOfBases(4));
    expect(coherence).toBeCloseTo(0.5, 14);
    expect(spark).toEqual({ lower: 4, upper: 4 });
    expect(uniqueBelow).toBe(2);
    expect(dictionaryQuality(pairOfBases(16)).coherence).toBeCloseTo(0.25, 14);
  });

  test("normal atoms: any size of them are independent; Welch's bound is below", () => {
    const quality = dictionaryQuality(gaussian(4, 4, 8));
    expect(quality.spark).toEqual({ lower: 5, upper: 5 });
    expect(quality.welch).toBeCloseTo(Math.sqrt(4 / (4 * 7)), 14);
    expect(quality.coherence).toBeGreaterThanOrEqual(quality.welch);
  });

  test("babel sums the greatest; coherence is the first", () => {
    const alike = alikeness(gaussian(5, 6, 9));
    expect(babel(alike, 1)).toBe(dictionaryQuality(gaussian(5, 6, 9)).coherence);
    expect(babel(alike, 3)).toBeLessThanOrEqual(3 * babel(alike, 1));
    expect(babel(alike, 3)).toBeGreaterThan(babel(alike, 2));
  });

  test("the norm is bounded from above, and closely", () => {
    for (const [size, count] of [
      [5, 9],
      [40, 30],
      [100, 120],
    ] as const) {
      const d = gaussian(6, size, count);
      const rows = Array.from({ length: size }, (_, i) =>
        Array.from({ length: count }, (__, j) => d.atoms[j * size + i]!),
      );
      const gram = rows.map((a) => rows.map((b) => a.reduce((s, v, k) => s + v * b[k]!, 0)));
      const norm = symmetricEigen(gram).values.at(-1)!;
      expect(squaredNormAbove(d)).toBeGreaterThanOrEqual(norm * (1 - 1e-13));
      expect(squaredNormAbove(d)).toBeLessThan(1.4 * norm);
    }
  });
});

describe("multilayer pursuits", () => {
  const layers = [gaussian(7, 8, 12), gaussian(8, 12, 16)];
  const y = createRandom(9).normal(8);

  test("one step from 0 is the forward pass, times the last step", () => {
    const steps = safeSteps(layers);
    const lambdas = [0.3, 0.2];
    const { codes } = multilayerPursuit(layers, y, lambdas, { iterations: 1 });
    const forward = layeredThresholding(layers, y, lambdas).at(-1)!;
    codes.at(-1)!.forEach((v, j) => {
      expect(Math.abs(v - steps[1]! * forward[j]!)).toBeLessThan(1e-13);
    });
  });

  test("without a penalty on the middle it solves basis pursuit with the product of the dictionaries", () => {
    const product: Dictionary = {
      size: 8,
      count: 16,
      atoms: Float64Array.from({ length: 16 * 8 }, (_, k) => {
        const [j, i] = [Math.floor(k / 8), k % 8];
        let sum = 0;
        for (let p = 0; p < 12; p++) sum += layers[0]!.atoms[p * 8 + i]! * layers[1]!.atoms[j * 12 + p]!;
        return sum;
      }),
    };
    const exact = lassoCode(product, y, 2);
    const found = multilayerPursuit(layers, y, [0, 2], { iterations: 20_000, accelerated: true });
    expect(found.objectives.at(-1)! - exact.objective).toBeGreaterThan(-1e-10);
    expect(found.objectives.at(-1)! - exact.objective).toBeLessThan(1e-6);
  });

  test("steps never grow at safe sizes; objectives are what they say", () => {
    const { codes, objectives } = multilayerPursuit(layers, y, [0.1, 0.1], { iterations: 50 });
    expect(objectives.at(-1)).toBe(multilayerObjective(layers, y, [0.1, 0.1], codes.at(-1)!));
    let before = Number.POSITIVE_INFINITY;
    for (let k = 1; k <= 30; k++) {
      const { moved } = multilayerPursuit(layers, y, [0.1, 0.1], { iterations: k });
      expect(moved).toBeLessThanOrEqual(before * (1 + 1e-12));
      before = moved;
    }
  });

  test("dictionaries must fit each other", () => {
    expect(() => multilayerPursuit([layers[0]!, layers[0]!], y, [1, 1])).toThrow(
      "dictionary 2 has atoms of 8 numbers, but dictionary 1 has 12 atoms",
    );
    expect(() => multilayerPursuit(layers, y, [1])).toThrow("1 thresholds for 2 dictionaries");
  });
});
