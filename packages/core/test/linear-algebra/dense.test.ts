import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  conditionNumber,
  luDeterminant,
  luFactor,
  luSolve,
  luSolveTransposed,
  type Matrix,
  pivotedQr,
  qrSolve,
  residualOf,
  selectIndependentRows,
  solveLinear,
} from "../../src/linear-algebra/index.ts";
import { abs, compare, div, type Exact, mul, sub, toNumber } from "../../src/numbers/exact/rational.ts";
import { createRandom } from "../../src/numbers/random.ts";

const matrix = (rows: number, columns: number, at: (i: number, j: number) => number): Matrix => ({
  rows,
  columns,
  entries: Float64Array.from({ length: rows * columns }, (_, k) => at(Math.floor(k / columns), k % columns)),
});
const transpose = (a: Matrix): Matrix => matrix(a.columns, a.rows, (i, j) => a.entries[j * a.columns + i]!);
const hilbert = (n: number): Matrix => matrix(n, n, (i, j) => 1 / (i + j + 1));
const greatest = (entries: Float64Array): number => entries.reduce((m, x) => Math.max(m, Math.abs(x)), 0);
const gaussian = (seed: number, rows: number, columns: number): Matrix => ({
  rows,
  columns,
  entries: createRandom(seed).normal(rows * columns),
});

/** Gaussian elimination in rational numbers. */
function solveExactly(a: Matrix, b: Float64Array): number[] {
  const n = a.rows;
  const rows: Exact[][] = Array.from({ length: n }, (_, i) => [
    ...a.entries.subarray(i * n, (i + 1) * n),
    b[i]!,
  ]);
  for (let j = 0; j < n; j++) {
    const best = rows
      .slice(j)
      .reduce((k, row, i) => (compare(abs(row[j]!), abs(rows[k]![j]!)) > 0 ? i + j : k), j);
    [rows[j], rows[best]] = [rows[best]!, rows[j]!];
    for (let i = 0; i < n; i++) {
      if (i === j) continue;
      const factor = div(rows[i]![j]!, rows[j]![j]!);
      rows[i] = rows[i]!.map((v, c) => sub(v, mul(factor, rows[j]![c]!)));
    }
  }
  return rows.map((row, i) => toNumber(div(row[n]!, row[i]!)));
}

describe("LU factors", () => {
  // 31 to 33 cross the width of a panel, 97 several, 400 and 700 run on ONNX Runtime.
  test.each([1, 2, 31, 32, 33, 97, 400, 700])("A X = B and A^T X = B, size %i", async (n) => {
    const [a, b] = [gaussian(n, n, n), gaussian(n + 1, n, 3)];
    const lu = await luFactor(a);
    const condition = await conditionNumber(lu);
    // Backward stable in practice: the residual is a small multiple of n eps |A| |x|.
    const allowed = (x: Matrix) => 8 * n * 2 ** -53 * lu.rowSum * greatest(x.entries);
    const x = await luSolve(lu, b);
    expect(greatest((await residualOf(a, x, b)).entries)).toBeLessThanOrEqual(allowed(x));
    const y = await luSolveTransposed(lu, b);
    expect(greatest((await residualOf(transpose(a), y, b)).entries)).toBeLessThanOrEqual(2 * allowed(y));
    expect(condition).toBeGreaterThanOrEqual(1);
  });

  test("many right-hand sides at once are the same as one by one", async () => {
    const [n, k] = [150, 64];
    const [a, b] = [gaussian(1, n, n), gaussian(2, n, k)];
    const lu = await luFactor(a);
    for (const solve of [luSolve, luSolveTransposed]) {
      const all = await solve(lu, b);
      for (const c of [0, 17, 63]) {
        const one = await solve(
          lu,
          matrix(n, 1, (i) => b.entries[i * k + c]!),
        );
        const gap = one.entries.reduce((m, v, i) => Math.max(m, Math.abs(v - all.entries[i * k + c]!)), 0);
        expect(gap).toBeLessThan(1e-10 * greatest(one.entries));
      }
    }
  });

  test("small systems against rational arithmetic, within the condition number", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 7 }),
        fc.array(fc.integer({ min: -8, max: 8 }), { minLength: 56, maxLength: 56 }),
        async (n, numbers) => {
          const a = matrix(n, n, (i, j) => numbers[i * 7 + j]! / 4);
          const b = Float64Array.from({ length: n }, (_, i) => numbers[49 + i]!);
          const lu = await luFactor(a);
          // Singular, or too near it for elimination in doubles to tell.
          fc.pre(Math.abs(luDeterminant(lu)) > 1e-3);
          const truth = solveExactly(a, b);
          const { solution, condition } = await solveLinear(a, { rows: n, columns: 1, entries: b });
          const size = Math.max(...truth.map(Math.abs));
          truth.forEach((x, i) => {
            expect(Math.abs(solution.entries[i]! - x)).toBeLessThanOrEqual(
              32 * n * 2 ** -53 * condition * size,
            );
          });
        },
      ),
      { numRuns: 200 },
    );
  });

  test.each([
    [3, 748, 1 / 2160],
    [4, 28375, 1 / 6048000],
    [5, 943656, 1 / 266716800000],
    [6, 29070279, 1 / 186313420339200000],
  ])("Hilbert's matrix of size %i", async (n, condition, determinant) => {
    const lu = await luFactor(hilbert(n));
    const tolerance = condition * 2 ** -50;
    expect(Math.abs((await conditionNumber(lu)) / condition - 1)).toBeLessThan(tolerance);
    expect(Math.abs(luDeterminant(lu) / determinant - 1)).toBeLessThan(tolerance);
  });

  test("determinants: permutations and Vandermonde", async () => {
    const order = [3, 0, 4, 1, 2];
    const inversions = order.flatMap((x, i) => order.slice(i + 1).filter((y) => y < x)).length;
    const lu = await luFactor(matrix(5, 5, (i, j) => (order[i] === j ? 1 : 0)));
    expect(luDeterminant(lu)).toBe((-1) ** inversions);
    const points = [-2, -1, 0, 1, 3];
    const product = points.flatMap((x, i) => points.slice(0, i).map((y) => x - y)).reduce((p, q) => p * q);
    const vandermonde = await luFactor(matrix(5, 5, (i, j) => points[i]! ** j));
    expect(luDeterminant(vandermonde)).toBeCloseTo(product, 9);
  });

  test("what cannot be solved says so", async () => {
    const ones = matrix(3, 3, () => 1);
    const lu = await luFactor(ones);
    expect(lu.singularAt).toBe(1);
    expect(await conditionNumber(lu)).toBe(Number.POSITIVE_INFINITY);
    await expect(
      luSolve(
        lu,
        matrix(3, 1, () => 1),
      ),
    ).rejects.toThrow(/singular: no pivot in column 1/);
    await expect(luFactor(matrix(2, 3, () => 1))).rejects.toThrow(/square/);
    await expect(luFactor(matrix(2, 2, (i) => (i === 1 ? Number.NaN : 1)))).rejects.toThrow(/row 1/);
    await expect(selectIndependentRows(matrix(2, 3, () => 1))).rejects.toThrow(/2 rows cannot span 3/);
  });

  test("the matrix is left alone unless it may be overwritten", async () => {
    const a = gaussian(3, 40, 40);
    const copy = a.entries.slice();
    await luFactor(a);
    expect(a.entries).toEqual(copy);
    const { factors } = await luFactor(a, { overwrite: true });
    expect(factors.entries.buffer).toBe(a.entries.buffer);
  });

  test("selected rows are independent, and their factors are of the rows in that order", async () => {
    const tall = matrix(60, 10, (i, j) => Math.sin((i % 15) * (j + 1))); // every row four times
    const { selected, lu } = await selectIndependentRows(tall);
    expect(new Set(selected.map((i) => i % 15)).size).toBe(10);
    const square = matrix(10, 10, (i, j) => tall.entries[selected[i]! * 10 + j]!);
    const b = gaussian(1, 10, 2);
    const x = await luSolve(lu, b);
    expect(greatest((await residualOf(square, x, b)).entries)).toBeLessThan(
      1e-12 * (await conditionNumber(lu)),
    );
  });
});

describe("the condition number", () => {
  test("lies between a third of the truth and the truth on random matrices", async () => {
    for (let seed = 0; seed < 20; seed++) {
      const n = 12;
      const a = gaussian(seed, n, n);
      const lu = await luFactor(a);
      const inverse = await luSolve(
        lu,
        matrix(n, n, (i, j) => (i === j ? 1 : 0)),
      );
      const norm = (m: Matrix) =>
        Math.max(
          ...Array.from({ length: n }, (_, i) =>
            m.entries.subarray(i * n, (i + 1) * n).reduce((s, v) => s + Math.abs(v), 0),
          ),
        );
      const truth = norm(a) * norm(inverse);
      const estimate = await conditionNumber(lu);
      expect(estimate).toBeLessThanOrEqual(truth * (1 + 1e-9));
      expect(estimate).toBeGreaterThanOrEqual(truth / 3);
    }
  });
});

describe("QR factors", () => {
  test("the rank of products of thin matrices", () => {
    for (const rank of [1, 3, 8]) {
      const [l, r] = [gaussian(rank, 20, rank), gaussian(rank + 50, rank, 30)];
      const a = matrix(20, 30, (i, j) =>
        Array.from({ length: rank }, (_, k) => l.entries[i * rank + k]! * r.entries[k * 30 + j]!).reduce(
          (p, q) => p + q,
        ),
      );
      expect(pivotedQr(a).rank).toBe(rank);
    }
    expect(pivotedQr(matrix(3, 2, () => 0)).rank).toBe(0);
  });

  test("R^T R = (A P)^T A P, and the lengths on R's diagonal fall", () => {
    const a = gaussian(5, 9, 6);
    const { r, order, rank } = pivotedQr(a);
    expect(rank).toBe(6);
    const dot = (m: Matrix, i: number, j: number) =>
      Array.from(
        { length: m.rows },
        (_, k) => m.entries[k * m.columns + i]! * m.entries[k * m.columns + j]!,
      ).reduce((p, q) => p + q);
    for (let i = 0; i < 6; i++)
      for (let j = 0; j < 6; j++) expect(dot(r, i, j)).toBeCloseTo(dot(a, order[i]!, order[j]!), 10);
    for (let i = 1; i < 6; i++)
      expect(Math.abs(r.entries[i * 7]!)).toBeLessThanOrEqual(Math.abs(r.entries[(i - 1) * 7]!) * (1 + 1e-9));
  });

  test("least squares: the rest is orthogonal to the columns", () => {
    const a = gaussian(7, 40, 9);
    const b = createRandom(8).normal(40);
    const x = qrSolve(pivotedQr(a), b);
    const rest = b.map((v, i) => v - x.reduce((s, c, j) => s + c * a.entries[i * 9 + j]!, 0));
    for (let j = 0; j < 9; j++)
      expect(Math.abs(rest.reduce((s, v, i) => s + v * a.entries[i * 9 + j]!, 0))).toBeLessThan(1e-12);
  });
});
