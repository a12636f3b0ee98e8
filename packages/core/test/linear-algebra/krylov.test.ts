import { describe, expect, test } from "vitest";
import { orthogonalityOf } from "../../src/linear-algebra/eigen.ts";
import {
  cholesky,
  choleskySolve,
  conjugateGradients,
  generalizedEigen,
  lowRankPreconditioner,
  type Matrix,
  pivotedCholesky,
  type RowsProduct,
  spectralDecomposition,
  topEigenpairs,
} from "../../src/linear-algebra/index.ts";
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
  secondDifferenceSpectrum,
  symmetrized,
  times,
  transpose,
  turned,
} from "./matrices.ts";

const eps = 2 ** -53;
const mapOf =
  (a: Matrix): RowsProduct =>
  async (rows) =>
    times(rows, a);

/** exp(-|x - y|^2 / 2) between points of the plane. */
function kernel(n: number): Matrix {
  const points = gaussian(n, n, 2).entries;
  return matrix(n, n, (i, j) =>
    Math.exp(-((points[2 * i]! - points[2 * j]!) ** 2 + (points[2 * i + 1]! - points[2 * j + 1]!) ** 2) / 2),
  );
}

describe("generalized eigenproblems", () => {
  test.each([1, 2, 33, 120])("A x = lambda B x, size %i", async (n) => {
    const a = symmetrized(gaussian(n, n, n));
    const g = gaussian(n + 1, n + 5, n);
    const b = times(transpose(g), g);
    const { values, vectors } = await generalizedEigen(a, b);
    const [ax, bx] = [times(vectors, a), times(vectors, b)];
    const rest = ax.entries.map((x, k) => x - values[Math.floor(k / n)]! * bx.entries[k]!);
    const condition =
      greatest((await spectralDecomposition(b)).values) / (await spectralDecomposition(b)).values[0]!;
    expect(greatest(rest)).toBeLessThanOrEqual(16 * n * eps * condition * Math.max(1, greatest(ax.entries)));
    expect(gap(times(bx, transpose(vectors)), identity(n))).toBeLessThanOrEqual(16 * n * eps * condition);
  });

  test("with B = 1 it is the usual one, at any scale", async () => {
    const a = secondDifference(50);
    for (const scale of [1, 1e-300, 1e300]) {
      const { values } = await generalizedEigen(scaled(a, scale), identity(50));
      expect(greatest(values.map((x, k) => x / scale - secondDifferenceSpectrum(50)[k]!))).toBeLessThan(
        1e-14,
      );
    }
    // Both at an end of the range: the quotients are moderate, and so are vectors of length 1 in the product of B.
    for (const scale of [1e-310, 1e-300, 1e300]) {
      const { values, vectors } = await generalizedEigen(scaled(a, scale), scaled(identity(50), 4 * scale));
      const { values: plain } = await generalizedEigen(a, scaled(identity(50), 4));
      const top = Math.max(...plain.map(Math.abs));
      values.forEach((v, k) => {
        expect(Math.abs(v - plain[k]!)).toBeLessThan((scale < 1e-308 ? 1e-10 : 1e-13) * top);
      });
      const length = Math.hypot(...vectors.entries.subarray(0, 50)) * Math.sqrt(scale) * 2;
      expect(length).toBeCloseTo(1, 8);
    }
    expect((await generalizedEigen(identity(0), identity(0))).values.length).toBe(0);
  });

  test("what does not fit is refused", async () => {
    await expect(generalizedEigen(identity(2), identity(3))).rejects.toThrow("A is 2 x 2, B is 3 x 3");
    await expect(generalizedEigen(identity(2), diagonal([1, -1]))).rejects.toThrow(
      "not positive definite: pivot 1",
    );
  });
});

describe("the greatest eigenvalues of a map", () => {
  test.each([
    ["second differences", secondDifference(200), 4],
    ["kernel", kernel(150), 10],
    ["identity", identity(40), 5],
    ["zero", scaled(identity(30), 0), 3],
    ["small", symmetrized(gaussian(5, 6, 6)), 6],
    ["one", diagonal([-3]), 1],
    ["tiny", scaled(kernel(60), 1e-300), 4],
    ["huge", scaled(kernel(60), 1e150), 4],
  ] as const)("%s", async (_, a, count) => {
    const { values, vectors, residuals, converged } = await topEigenpairs(mapOf(a), a.rows, count);
    const truth = (await spectralDecomposition(a)).values.toReversed();
    const norm = greatest(truth);
    expect(converged).toBe(true);
    for (let k = 0; k < count; k++) {
      expect(Math.abs(values[k]! - truth[k]!)).toBeLessThanOrEqual(1e-13 * norm);
      expect(residuals[k]).toBeLessThanOrEqual(1e-10 * norm);
    }
    expect(await orthogonalityOf(vectors)).toBeLessThan(1e-13);
  });

  test("as often as they are there", async () => {
    const spectrum = Float64Array.from({ length: 120 }, (_, k) => (k < 6 ? 2 : 1 / (k + 1)));
    const a = symmetrized(await turned(diagonal(spectrum), 3));
    const { values } = await topEigenpairs(mapOf(a), 120, 7);
    expect(values.map((x) => Math.round(1e9 * x) / 1e9)).toEqual(
      Float64Array.of(2, 2, 2, 2, 2, 2, 0.142857143),
    );
  });

  test("says so when it has not found them, and what was wrong", async () => {
    const a = secondDifference(400);
    const { converged, residuals, products } = await topEigenpairs(mapOf(a), 400, 2, { steps: 3 });
    expect(converged).toBe(false);
    expect(products).toBe(18);
    expect(greatest(residuals)).toBeGreaterThan(1e-6);
    await expect(topEigenpairs(mapOf(a), 400, 401)).rejects.toThrow(
      "401 eigenpairs of a map of 400 dimensions",
    );
    await expect(topEigenpairs(async (v) => ({ ...v, rows: 1 }), 9, 2)).rejects.toThrow(
      "6 x 9 rows is 1 x 9",
    );
    await expect(topEigenpairs(async (v) => scaled(v, Number.NaN), 9, 2)).rejects.toThrow("not finite");
    expect((await topEigenpairs(mapOf(a), 400, 0)).values.length).toBe(0);
  });
});

describe("pivoted Cholesky", () => {
  test("of full rank it is the matrix; of less, what is left is not more than it says", async () => {
    const a = kernel(80);
    const column = (j: number) => a.entries.slice(80 * j, 80 * (j + 1));
    for (const rank of [0, 1, 10, 30, 80]) {
      const { factor, rest, pivots } = await pivotedCholesky(new Float64Array(80).fill(1), column, rank);
      const left = times(transpose(factor), factor);
      const difference = { ...a, entries: a.entries.map((x, k) => x - left.entries[k]!) };
      expect(pivots.length).toBe(factor.rows);
      expect(new Set(pivots).size).toBe(pivots.length);
      const { values } = await spectralDecomposition(symmetrized(difference));
      expect(values[0]).toBeGreaterThan(-1e-13);
      expect(values[79]).toBeLessThanOrEqual(rest + 1e-13);
      if (rank === 80) expect(rest).toBeLessThan(1e-11);
    }
  });

  test("ends where a matrix of low rank does", async () => {
    const g = gaussian(2, 50, 3);
    const a = times(g, transpose(g));
    const d = Float64Array.from({ length: 50 }, (_, i) => a.entries[51 * i]!);
    const { factor } = await pivotedCholesky(d, (j) => a.entries.slice(50 * j, 50 * (j + 1)), 20);
    expect(factor.rows).toBe(3);
    await expect(pivotedCholesky(Float64Array.of(-1), () => d, 1)).rejects.toThrow("not negative");
    await expect(pivotedCholesky(Float64Array.of(1), () => d, 1)).rejects.toThrow(
      "column 0 has 50 entries, not 1",
    );
  });
});

describe("conjugate gradients", () => {
  const shift = 1e-4;
  const n = 200;
  const k = kernel(n);
  const a = { ...k, entries: k.entries.map((x, p) => x + (p % (n + 1) === 0 ? shift : 0)) };
  const product = (v: Float64Array): Float64Array => times(a, { rows: n, columns: 1, entries: v }).entries;
  const b = gaussian(9, n, 1);

  test("the solution of elimination, and far sooner with a preconditioner", async () => {
    const truth = (await choleskySolve(await cholesky(a), b)).entries;
    const pivoted = await pivotedCholesky(
      new Float64Array(n).fill(1),
      (j) => k.entries.slice(n * j, n * (j + 1)),
      60,
    );
    const preconditioner = await lowRankPreconditioner(pivoted, shift);
    const quick = await conjugateGradients(product, b.entries, { preconditioner });
    const plain = await conjugateGradients(product, b.entries);
    for (const { solution, residual, converged } of [quick, plain]) {
      expect(converged).toBe(true);
      expect(residual).toBeLessThan(2e-10);
      expect(greatest(solution.map((x, i) => x - truth[i]!))).toBeLessThan(1e-5 * greatest(truth));
    }
    expect(quick.products).toBeLessThan(plain.products / 3);
  });

  test("graded to 1e-15 it stops where it may, and states what is left", async () => {
    const d = graded(30);
    const { converged, residual, products } = await conjugateGradients(
      (v) => v.map((x, i) => d[i]! * x),
      new Float64Array(30).fill(1),
      { steps: 5 },
    );
    expect(converged).toBe(false);
    expect(residual).toBeGreaterThan(1e-10);
    expect(products).toBe(6);
  });

  test("nothing to solve, and what cannot be", async () => {
    expect(await conjugateGradients(product, new Float64Array(n))).toMatchObject({
      residual: 0,
      converged: true,
    });
    await expect(conjugateGradients((v) => v.map((x) => -x), Float64Array.of(1))).rejects.toThrow(
      "not positive definite: a direction with <p, A p> = -1.0e+0",
    );
    await expect(conjugateGradients((v) => v, Float64Array.of(Number.NaN))).rejects.toThrow("not finite");
    const pivoted = await pivotedCholesky(Float64Array.of(1), () => Float64Array.of(1), 1);
    await expect(lowRankPreconditioner(pivoted, 0)).rejects.toThrow("the shift must be positive, not 0");
  });
});
