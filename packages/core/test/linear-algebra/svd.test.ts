import { describe, expect, test } from "vitest";
import { orthogonalityOf } from "../../src/linear-algebra/eigen.ts";
import {
  leastSquares,
  type Matrix,
  pivotedQr,
  pseudoInverse,
  qrSolve,
  singularDecomposition,
  symmetricEigen,
} from "../../src/linear-algebra/index.ts";
import {
  diagonal,
  gap,
  gaussian,
  graded,
  greatest,
  identity,
  matrix,
  rowsOf,
  scaled,
  scattered,
  symmetricMatrices,
  times,
  transpose,
  turnedRows,
} from "./matrices.ts";

const eps = 2 ** -53;
const distance = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a, (x, k) => Math.abs(x - b[k]!)).reduce((most, x) => Math.max(most, x), 0);

/** A decomposition that is as good as doubles allow. */
async function expectGood(a: Matrix, expected?: Float64Array): Promise<Float64Array> {
  const { values, left, right } = await singularDecomposition(a);
  const k = Math.min(a.rows, a.columns);
  expect([values.length, left.rows, left.columns, right.rows, right.columns]).toEqual([
    k,
    k,
    a.rows,
    k,
    a.columns,
  ]);
  const allowed = 6 * Math.max(4, a.rows, a.columns) * eps;
  expect(await orthogonalityOf(left)).toBeLessThanOrEqual(allowed);
  expect(await orthogonalityOf(right)).toBeLessThanOrEqual(allowed);
  const norm = values[0] ?? 0;
  const scale = norm === 0 ? 1 : norm;
  const weighted = matrix(k, a.columns, (i, j) => (values[i]! / scale) * right.entries[i * a.columns + j]!);
  const relative = { ...a, entries: a.entries.map((x) => x / scale) };
  expect(gap(times(transpose(left), weighted), relative)).toBeLessThanOrEqual(allowed);
  expect(values).toEqual(values.toSorted().reverse());
  for (const value of values) expect(value).toBeGreaterThanOrEqual(0);
  if (expected)
    expect(distance(values, expected)).toBeLessThanOrEqual(allowed * Math.max(norm, greatest(expected)));
  return values;
}

/** Two random turns of a matrix with these singular values. */
const withValues = async (rows: number, columns: number, values: Float64Array): Promise<Matrix> => {
  const a = await turnedRows(
    matrix(rows, columns, (i, j) => (i === j ? values[i]! : 0)),
    11,
  );
  return transpose(await turnedRows(transpose(a), 12));
};

describe("singular values and vectors", () => {
  // Leaves have 20 rows, panels 32 columns.
  describe.each([1, 2, 3, 19, 20, 21, 43, 90])("symmetric matrices of size %i: |eigenvalues|", async (n) => {
    test.each(await symmetricMatrices(n))("$name", async ({ a, spectrum }) => {
      await expectGood(a, spectrum?.map(Math.abs).toSorted().reverse());
    });
  });

  test.each([
    [1, 5],
    [5, 1],
    [30, 40],
    [40, 30],
    [200, 3],
    [33, 300],
    [150, 149],
    [70, 70],
  ])("random %i x %i, and graded, and of low rank", async (rows, columns) => {
    const k = Math.min(rows, columns);
    await expectGood(gaussian(rows, rows, columns));
    await expectGood(await withValues(rows, columns, graded(k)), graded(k));
    const low = Float64Array.from({ length: k }, (_, i) => (i < k / 3 ? 2 : 0));
    await expectGood(await withValues(rows, columns, low), low);
    await expectGood(scaled(gaussian(rows, rows, columns), 0), new Float64Array(k));
    await expectGood(scaled(gaussian(rows, rows, columns), 1e-300));
    await expectGood(scaled(gaussian(rows, rows, columns), 1e300));
  });

  test("as Jacobi's rotations say of A^T A", async () => {
    const a = gaussian(3, 30, 12);
    const values = await expectGood(a);
    const { values: squares } = symmetricEigen(rowsOf(times(transpose(a), a)));
    expect(distance(values, squares.map(Math.sqrt).reverse())).toBeLessThan(1e-13 * values[0]!);
  });

  test("the values that a random turn of 300 dimensions had to begin with", async () => {
    const values = Float64Array.from({ length: 300 }, (_, k) => Math.abs(Math.sin(k * k)))
      .toSorted()
      .reverse();
    await expectGood(await withValues(300, 300, values), values);
  });

  test("bidiagonal matrices, with zeros in either diagonal", async () => {
    for (const n of [21, 60]) {
      const at = (d: (i: number) => number, e: (i: number) => number) =>
        matrix(n, n, (i, j) => (i === j ? d(i) : j === i + 1 ? e(i) : 0));
      await expectGood(
        at(
          (i) => i % 7,
          () => 1,
        ),
      );
      await expectGood(
        at(
          () => 1,
          (i) => i % 5,
        ),
      );
      await expectGood(
        at(
          () => 0,
          () => 1,
        ),
      );
      await expectGood(
        at(
          () => 1e-9,
          () => 1,
        ),
      );
      await expectGood(
        at(
          (i) => 10 ** -i,
          (i) => -(10 ** -i),
        ),
      );
    }
  });

  test("entries of 1e-300 beside those of 1", async () => {
    for (let seed = 0; seed < 60; seed++) {
      const a = scattered(seed, 5 + seed);
      const upper = matrix(a.rows, a.rows, (i, j) => (j < i ? 0 : a.entries[i * a.rows + j]!));
      if (greatest(upper.entries) > 1e-290) await expectGood(upper);
    }
  });

  test("no rows, or no columns", async () => {
    for (const [rows, columns] of [
      [0, 0],
      [0, 3],
      [3, 0],
    ] as const)
      await expectGood(matrix(rows, columns, () => 0));
  });

  test("what is not finite is refused in one line", async () => {
    await expect(singularDecomposition(matrix(2, 3, () => Number.NaN))).rejects.toThrow(
      "entry (0, 0) is NaN",
    );
    await expect(
      singularDecomposition({ rows: 2, columns: 3, entries: new Float64Array(5) }),
    ).rejects.toThrow("needs 6 entries, not 5");
  });
});

describe("the pseudoinverse", () => {
  test.each([
    [20, 20, 20],
    [30, 12, 12],
    [12, 30, 7],
    [40, 40, 5],
  ])("Penrose's four equations, %i x %i of rank %i", async (rows, columns, rank) => {
    const a = times(gaussian(1, rows, rank), gaussian(2, rank, columns));
    const b = await pseudoInverse(a);
    const [ab, ba] = [times(a, b), times(b, a)];
    const size = greatest(a.entries) * greatest(b.entries) * Math.max(rows, columns);
    const close = (x: Matrix, y: Matrix, scale: number) =>
      expect(gap(x, y)).toBeLessThan(1e-13 * size * scale);
    close(times(ab, a), a, greatest(a.entries));
    close(times(ba, b), b, greatest(b.entries));
    close(ab, transpose(ab), 1);
    close(ba, transpose(ba), 1);
  });

  test("of zero it is zero; the tolerance decides what is", async () => {
    expect(greatest((await pseudoInverse(matrix(3, 2, () => 0))).entries)).toBe(0);
    const a = diagonal([1, 1e-3]);
    expect((await pseudoInverse(a)).entries[3]).toBeCloseTo(1000, 9);
    expect((await pseudoInverse(a, 1e-2)).entries[3]).toBe(0);
    await expect(pseudoInverse(scaled(identity(1), 1e-310))).rejects.toThrow("has no inverse among doubles");
  });
});

describe("least squares", () => {
  test("as QR factors say, with several right-hand sides", async () => {
    const [a, b] = [gaussian(7, 40, 9), gaussian(8, 40, 3)];
    const { solution, rank, condition, residuals } = await leastSquares(a, b);
    expect(rank).toBe(9);
    expect(condition).toBeGreaterThan(1);
    expect(condition).toBeLessThan(20);
    for (let c = 0; c < 3; c++) {
      const column = Float64Array.from({ length: 40 }, (_, i) => b.entries[i * 3 + c]!);
      const x = qrSolve(pivotedQr(a), column);
      expect(
        distance(
          x,
          Float64Array.from({ length: 9 }, (_, i) => solution.entries[i * 3 + c]!),
        ),
      ).toBeLessThan(1e-13);
      const image = times(a, { rows: 9, columns: 1, entries: x }).entries;
      expect(residuals[c]).toBeCloseTo(Math.hypot(...column.map((v, i) => v - image[i]!)), 12);
    }
  });

  test("of all solutions the shortest: orthogonal to the kernel", async () => {
    const a = times(gaussian(1, 10, 4), gaussian(2, 4, 15));
    const { solution, rank, residuals } = await leastSquares(a, times(a, gaussian(3, 15, 1)));
    expect(rank).toBe(4);
    expect(residuals[0]).toBeLessThan(1e-12);
    // In the span of the rows: what A^T z can reach.
    const { residuals: outside } = await leastSquares(transpose(a), solution);
    expect(outside[0]).toBeLessThan(1e-12);
  });

  test("a matrix of zeros explains nothing", async () => {
    const b = gaussian(1, 3, 1);
    const { solution, rank, condition, residuals } = await leastSquares(
      matrix(3, 2, () => 0),
      b,
    );
    expect([greatest(solution.entries), rank, condition]).toEqual([0, 0, 0]);
    expect(residuals[0]).toBeCloseTo(Math.hypot(...b.entries), 14);
    await expect(leastSquares(identity(2), b)).rejects.toThrow(
      "the matrix has 2 rows, the right-hand side 3",
    );
  });
});
