import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NumberError } from "../../src/numbers/error.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { normalCdf } from "../../src/numbers/statistics.ts";

const count = 200_000;
const mean = (values: Float64Array, power = 1) =>
  values.reduce((sum, x) => sum + x ** power, 0) / values.length;

/** The Kolmogorov-Smirnov statistic sqrt(n) sup |F_n - F|: above 1.95 with probability 0.001. */
function kolmogorovSmirnov(values: Float64Array, cdf: (x: number) => number): number {
  const sorted = values.slice().sort();
  const gaps = sorted.map((x, k) => Math.max((k + 1) / sorted.length - cdf(x), cdf(x) - k / sorted.length));
  return Math.sqrt(sorted.length) * gaps.reduce((most, gap) => Math.max(most, gap), 0);
}

const chiSquare = (counts: readonly number[], expected: number) =>
  counts.reduce((sum, each) => sum + (each - expected) ** 2 / expected, 0);

const correlation = (a: Float64Array, b: Float64Array) =>
  a.reduce((sum, x, k) => sum + x * b[k]!, 0) / a.length;

describe("the same seed gives the same numbers everywhere", () => {
  // A port of random.ts to Python (IEEE doubles, math.sqrt) gave the same bits.
  test("pinned numbers", () => {
    expect([...createRandom(42).uniform(3)]).toEqual([
      0.22114768913371563, 0.7717533350306739, 0.9828790821381964,
    ]);
    expect([...createRandom(42).normal(4)]).toEqual([
      1.4262146378515244, -1.2740368994475502, -0.03517259728851904, 0.4586315886107819,
    ]);
    expect([...createRandom(42).permutation(8)]).toEqual([6, 2, 0, 4, 5, 3, 7, 1]);
    expect(createRandom(42).split("weights").uniform()).toBe(0.21122516609061426);
  });

  test("a pinned sum over wedges and tails", () => {
    expect(
      createRandom("ziggurat")
        .normal(count)
        .reduce((sum, x) => sum + Math.abs(x), 0),
    ).toBe(159657.21637138518);
  });

  test("arrays hold the numbers that single draws give", () => {
    const [one, many] = [createRandom("a"), createRandom("a")];
    expect([...many.normal(50)]).toEqual(Array.from({ length: 50 }, () => one.normal()));
    expect([...many.uniform(new Float32Array(5))]).toEqual(
      Array.from({ length: 5 }, () => Math.fround(one.uniform())),
    );
  });

  test("a number is the same seed as its text, and different seeds differ", () => {
    expect(createRandom(7).uniform()).toBe(createRandom("7").uniform());
    const first = new Set(Array.from({ length: 10_000 }, (_, seed) => createRandom(seed).uniform()));
    expect(first.size).toBe(10_000);
  });
});

describe("uniform", () => {
  const values = createRandom("uniform").uniform(count);

  test("in [0, 1), multiples of 2^-53 that use the last bit", () => {
    expect(values.every((x) => x >= 0 && x < 1 && Number.isInteger(x * 2 ** 53))).toBe(true);
    expect(mean(values.map((x) => (x * 2 ** 53) % 2))).toBeCloseTo(0.5, 2);
  });

  test("moments and distribution", () => {
    expect(mean(values)).toBeCloseTo(1 / 2, 2);
    expect(mean(values, 2)).toBeCloseTo(1 / 3, 2);
    expect(kolmogorovSmirnov(values, (x) => x)).toBeLessThan(1.95);
  });

  test("pairs of neighbours fill the square", () => {
    const cells = new Array<number>(100).fill(0);
    for (let k = 0; k + 1 < count; k += 2) {
      cells[Math.floor(values[k]! * 10) * 10 + Math.floor(values[k + 1]! * 10)]!++;
    }
    expect(chiSquare(cells, count / 200)).toBeLessThan(149); // 99 degrees of freedom: p = 0.001
  });

  test("the first numbers of consecutive seeds are uniform", () => {
    const first = Float64Array.from({ length: 20_000 }, (_, seed) => createRandom(seed).uniform());
    expect(kolmogorovSmirnov(first, (x) => x)).toBeLessThan(1.95);
    expect(Math.abs(correlation(first.map((x) => x - 0.5).subarray(1), first.subarray(0, -1)))).toBeLessThan(
      0.01,
    );
  });
});

describe("normal", () => {
  const values = createRandom("normal").normal(count);

  test("moments and distribution", () => {
    expect(Math.abs(mean(values))).toBeLessThan(0.01);
    expect(mean(values, 2)).toBeCloseTo(1, 1);
    expect(Math.abs(mean(values, 3))).toBeLessThan(0.03);
    expect(Math.abs(mean(values, 4) - 3)).toBeLessThan(0.1);
    expect(kolmogorovSmirnov(values, normalCdf)).toBeLessThan(1.95);
  });

  test("the tail beyond the ziggurat's last layer is normal too", () => {
    const random = createRandom("tail");
    const tail = Float64Array.from(
      Array.from({ length: 20 }, () => [
        ...random.normal(count).filter((x) => Math.abs(x) > 3.654152885361009),
      ]).flat(),
    );
    const beyond = 2 * normalCdf(-3.654152885361009);
    const expected = 20 * count * beyond;
    expect(Math.abs(tail.length - expected)).toBeLessThan(4 * Math.sqrt(expected));
    expect(kolmogorovSmirnov(tail.map(Math.abs), (x) => 1 - (2 * normalCdf(-x)) / beyond)).toBeLessThan(1.95);
    expect(tail.filter((x) => x > 0).length / tail.length).toBeCloseTo(0.5, 1);
  });
});

describe("integers and orders", () => {
  test("integer is uniform, both ends included", () => {
    const random = createRandom("dice");
    const counts = new Array<number>(6).fill(0);
    for (let k = 0; k < 60_000; k++) counts[random.integer(1, 6) - 1]!++;
    expect(chiSquare(counts, 10_000)).toBeLessThan(20.5); // 5 degrees of freedom: p = 0.001
  });

  test("integer stays within any range", () => {
    const bound = fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(fc.integer(), bound, bound, (seed, a, b) => {
        const [min, max] = [Math.min(a, b), Math.max(a, b)];
        const value = createRandom(seed).integer(min, max);
        expect(Number.isSafeInteger(value) && value >= min && value <= max).toBe(true);
      }),
    );
  });

  test("all 24 orders of four things are equally likely", () => {
    const random = createRandom("orders");
    const counts = new Map<string, number>();
    for (let k = 0; k < 24_000; k++) {
      const order = random.permutation(4).join("");
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).toBe(24);
    expect(chiSquare([...counts.values()], 1000)).toBeLessThan(49.7); // 23 degrees of freedom: p = 0.001
  });

  test("a shuffle keeps the items", () => {
    fc.assert(
      fc.property(fc.integer(), fc.array(fc.integer()), (seed, items) => {
        const shuffled = createRandom(seed).shuffle([...items]);
        expect(shuffled.sort((a, b) => a - b)).toEqual(items.sort((a, b) => a - b));
      }),
    );
  });
});

describe("sphere", () => {
  test("points have norm 1", () => {
    const random = createRandom("sphere");
    for (const dimension of [1, 2, 3, 784]) {
      expect(random.sphere(dimension).reduce((sum, x) => sum + x * x, 0)).toBeCloseTo(1, 12);
    }
  });

  test("each coordinate on the sphere of R^3 is uniform on [-1, 1] (Archimedes)", () => {
    const random = createRandom("Archimedes");
    const points = Array.from({ length: 20_000 }, () => random.sphere(3));
    for (const axis of [0, 1, 2]) {
      const coordinate = Float64Array.from(points, (point) => point[axis]!);
      expect(kolmogorovSmirnov(coordinate, (x) => (x + 1) / 2)).toBeLessThan(1.95);
    }
  });
});

describe("split", () => {
  test("depends on the seed and the label, not on what was drawn", () => {
    const random = createRandom(1);
    const before = random.split("a").uniform();
    random.uniform(100);
    expect(random.split("a").uniform()).toBe(before);
    expect(createRandom(2).split("a").uniform()).not.toBe(before);
    expect(createRandom(1).split("ab").uniform()).not.toBe(random.split("a").split("b").uniform());
    expect(createRandom("1a").uniform()).not.toBe(before);
  });

  test("streams are uncorrelated, and their first numbers uniform", () => {
    const random = createRandom(3);
    const streams = [random, ...[0, 1, 2, 3].map((label) => random.split(label))].map((each) =>
      each.normal(50_000),
    );
    for (const [k, a] of streams.entries()) {
      for (const b of streams.slice(k + 1)) expect(Math.abs(correlation(a, b))).toBeLessThan(0.02);
    }
    const first = Float64Array.from({ length: 20_000 }, (_, label) => random.split(label).uniform());
    expect(kolmogorovSmirnov(first, (x) => x)).toBeLessThan(1.95);
  });
});

test("nonsense is refused", () => {
  const random = createRandom(0);
  expect(() => createRandom(Number.NaN)).toThrow(NumberError);
  expect(() => random.integer(2, 1)).toThrow("integer(2, 1)");
  expect(() => random.integer(0, 0.5)).toThrow(NumberError);
  expect(() => random.uniform(-1)).toThrow(NumberError);
  expect(() => random.sphere(0)).toThrow(NumberError);
});
