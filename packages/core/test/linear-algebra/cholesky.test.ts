import { describe, expect, test } from "vitest";
import { cholesky, choleskySolve, logDeterminant, type Matrix } from "../../src/linear-algebra/index.ts";
import {
  diagonal,
  gap,
  gaussian,
  graded,
  greatest,
  identity,
  matrix,
  scaled,
  secondDifference,
  symmetrized,
  times,
  transpose,
  turned,
} from "./matrices.ts";

const gramOf = (n: number): Matrix => {
  const g = gaussian(n, n + 2, n);
  return times(transpose(g), g);
};
const eps = 2 ** -53;

describe("Cholesky factors", () => {
  // Rows are eliminated 16 at a time; from 257 on there are panels of 160 columns, at 645 also products on ONNX Runtime.
  test.each([0, 1, 2, 63, 64, 65, 129, 403, 645])("R^T R = A and A X = B, size %i", async (n) => {
    const a = gramOf(n);
    const { factor } = await cholesky(a);
    expect(gap(times(transpose(factor), factor), a)).toBeLessThanOrEqual((n + 2) * eps * greatest(a.entries));
    for (let i = 0; i < n; i++) {
      expect(factor.entries[i * n + i]).toBeGreaterThan(0);
      expect(greatest(factor.entries.subarray(i * n, i * n + i))).toBe(0);
    }
    const b = gaussian(n + 1, n, 5);
    const x = await choleskySolve({ size: n, factor }, b);
    // The backward error of a solution: a small multiple of n eps |A| |x|.
    expect(gap(times(a, x), b)).toBeLessThanOrEqual(n * n * eps * greatest(a.entries) * greatest(x.entries));
  });

  test("graded to the last digit, and still backward stable", async () => {
    const n = 300;
    const a = symmetrized(await turned(diagonal(graded(n).map((x) => x + 1e-13)), 5));
    const { factor } = await cholesky(a);
    expect(gap(times(transpose(factor), factor), a)).toBeLessThanOrEqual(n * eps * greatest(a.entries));
  });

  test.each([1e-300, 1e300, 1e-310])("on the scale of %d", async (scale) => {
    const n = 150;
    const a = secondDifference(n);
    const [{ factor }, reference] = [await cholesky(scaled(a, scale)), await cholesky(a)];
    expect(gap(scaled(factor, 1 / Math.sqrt(scale)), reference.factor)).toBeLessThanOrEqual(
      scale < 1e-305 ? 1e-12 : 4 * eps * n,
    );
  });

  test("the determinant of second differences is n + 1, of the identity 1", async () => {
    for (const n of [1, 10, 200])
      expect(logDeterminant(await cholesky(secondDifference(n)))).toBeCloseTo(Math.log(n + 1), 10);
    expect(logDeterminant(await cholesky(identity(70)))).toBe(0);
    // The determinant itself is far out of reach of doubles.
    expect(logDeterminant(await cholesky(scaled(identity(100), 1e-10)))).toBeCloseTo(-1000 * Math.log(10), 8);
  });

  test("what is not positive definite is refused, with its pivot", async () => {
    const bad = identity(200);
    bad.entries[17 * 201] = -3.2e-4;
    await expect(cholesky(bad)).rejects.toThrow("not positive definite: pivot 17 is -3.2e-4");
    const later = identity(200);
    later.entries[150 * 201] = 0;
    await expect(cholesky(scaled(later, 1e300))).rejects.toThrow(
      "not positive definite: pivot 150 is 0.0e+0",
    );
    await expect(cholesky(scaled(identity(3), 0))).rejects.toThrow("pivot 0 is 0.0e+0");
    await expect(cholesky(matrix(2, 2, () => 1))).rejects.toThrow("pivot 1 is 0.0e+0");
  });

  // Tiles of 32 columns, four rows at a time: one place in each of the four rows, in tiles on the diagonal and above it.
  test.each([
    [0, 40],
    [1, 41],
    [2, 69],
    [35, 66],
    [33, 36],
    [68, 69],
  ])(
    "an entry (%d, %d) unlike its mirror image is found, one that differs by a rounding is not",
    async (i, j) => {
      const n = 70;
      const spoilt = (change: number): Promise<unknown> => {
        const a = identity(n);
        a.entries[j * n + i]! += change;
        return cholesky(a);
      };
      await expect(spoilt(1e-6)).rejects.toThrow(`(${i}, ${j}) and (${j}, ${i}) differ by 0.0000010`);
      await expect(spoilt(1e-9)).resolves.toBeDefined();
      await expect(spoilt(Number.NaN)).rejects.toThrow(`entry (${j}, ${i}) is NaN`);
      await expect(spoilt(Number.POSITIVE_INFINITY)).rejects.toThrow(`entry (${j}, ${i}) is Infinity`);
    },
  );

  test("what is no symmetric matrix is refused in one line", async () => {
    await expect(cholesky(matrix(2, 3, () => 1))).rejects.toThrow("must be square, not 2 x 3");
    await expect(cholesky(matrix(2, 2, (i, j) => 1 + 2 * i + j))).rejects.toThrow(
      "must be symmetric: entries (0, 1) and (1, 0) differ by 1.0",
    );
    // Squares of these are 0.
    await expect(cholesky(matrix(2, 2, (i, j) => (i <= j ? 1e-300 : 9e-301)))).rejects.toThrow(
      "must be symmetric",
    );
    await expect(cholesky(matrix(2, 2, (i) => (i === 1 ? Number.NaN : 1)))).rejects.toThrow(
      "entry (1, 0) is NaN",
    );
    await expect(cholesky({ rows: 2, columns: 2, entries: new Float64Array(3) })).rejects.toThrow(
      "needs 4 entries, not 3",
    );
    const factors = await cholesky(identity(2));
    await expect(
      choleskySolve(
        factors,
        matrix(3, 1, () => 1),
      ),
    ).rejects.toThrow(/3 right-hand sides' rows/);
    await expect(
      choleskySolve(
        factors,
        matrix(2, 1, () => Number.POSITIVE_INFINITY),
      ),
    ).rejects.toThrow("Infinity");
  });
});
