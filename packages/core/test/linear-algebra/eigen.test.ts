import { describe, expect, test } from "vitest";
import {
  eigenQuality,
  type Matrix,
  spectralDecomposition,
  symmetricEigen,
  symmetricEigenvalues,
} from "../../src/linear-algebra/index.ts";
import {
  diagonal,
  gaussian,
  greatest,
  identity,
  kac,
  kacSpectrum,
  matrix,
  rowsOf,
  scattered,
  symmetricMatrices,
  symmetrized,
  turned,
  wilkinson,
} from "./matrices.ts";

const eps = 2 ** -53;
const distance = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a, (x, k) => Math.abs(x - b[k]!)).reduce((most, x) => Math.max(most, x), 0);

/** Eigenpairs and eigenvalues that are as good as doubles allow. */
async function expectGood(a: Matrix, spectrum?: Float64Array): Promise<Float64Array> {
  const n = a.rows;
  const eigen = await spectralDecomposition(a);
  const { residual, orthogonality } = await eigenQuality(a, eigen);
  const allowed = 6 * Math.max(4, n) * eps;
  expect(residual).toBeLessThanOrEqual(allowed);
  expect(orthogonality).toBeLessThanOrEqual(allowed);
  const norm = greatest(eigen.values);
  expect(eigen.values).toEqual(eigen.values.toSorted());
  expect(distance(await symmetricEigenvalues(a), eigen.values)).toBeLessThanOrEqual(allowed * norm);
  if (spectrum)
    expect(distance(eigen.values, spectrum)).toBeLessThanOrEqual(
      allowed * Math.max(norm, greatest(spectrum)),
    );
  return eigen.values;
}

describe("the spectral decomposition", () => {
  // Leaves have 32 rows, panels 32 columns.
  describe.each([1, 2, 3, 31, 33, 70, 150])("size %i", async (n) => {
    test.each(await symmetricMatrices(n))("$name", async ({ a, spectrum }) => {
      await expectGood(a, spectrum);
    });
  });

  test.each([1, 2, 5, 21, 40])("as Jacobi's rotations say, size %i", async (n) => {
    const a = symmetrized(gaussian(n, n, n));
    const values = await expectGood(a);
    expect(distance(values, symmetricEigen(rowsOf(a)).values)).toBeLessThanOrEqual(
      8 * n * eps * greatest(values),
    );
  });

  test("the eigenvalues that a random turn of 300 dimensions had to begin with", async () => {
    const spectrum = Float64Array.from({ length: 300 }, (_, k) => Math.sin(k * k)).toSorted();
    await expectGood(symmetrized(await turned(diagonal(spectrum), 7)), spectrum);
  });

  test("Wilkinson's pair: 10.746194182903322 and 10.746194182903393", async () => {
    const values = await expectGood(wilkinson(21));
    expect(values[19]).toBeCloseTo(10.746194182903322, 12);
    expect(values[20]).toBeCloseTo(10.746194182903393, 12);
    await expectGood(wilkinson(201));
  });

  test("Kac's whole numbers, size 260", async () => {
    await expectGood(kac(260), kacSpectrum(260));
  });

  test("glued Wilkinson matrices: clusters of clusters", async () => {
    const n = 21 * 8;
    const w = wilkinson(21).entries;
    const glue = (i: number, j: number): number =>
      Math.floor(i / 21) === Math.floor(j / 21)
        ? w[(i % 21) * 21 + (j % 21)]!
        : Math.abs(i - j) === 1
          ? 1e-8
          : 0;
    await expectGood(matrix(n, n, glue));
  });

  test("entries of 1e-300 beside those of 1: rotations by them would lose their digits", async () => {
    for (let seed = 0; seed < 150; seed++) {
      const a = scattered(seed, 5 + (seed % 80));
      if (greatest(a.entries) > 1e-290) await expectGood(a);
    }
  });

  test("no rows at all", async () => {
    const { values, vectors } = await spectralDecomposition(identity(0));
    expect([values.length, vectors.rows]).toEqual([0, 0]);
    expect((await symmetricEigenvalues(identity(0))).length).toBe(0);
  });

  test("the matrix is left alone", async () => {
    const a = symmetrized(gaussian(3, 50, 50));
    const copy = a.entries.slice();
    await spectralDecomposition(a);
    expect(a.entries).toEqual(copy);
  });

  test("the quality tells good from bad", async () => {
    const a = symmetrized(gaussian(4, 30, 30));
    const eigen = await spectralDecomposition(a);
    const shifted = { ...eigen, values: eigen.values.map((x) => x + 1e-3 * greatest(eigen.values)) };
    expect((await eigenQuality(a, shifted)).residual).toBeGreaterThan(0.9e-3);
    const bent = {
      ...eigen,
      vectors: { ...eigen.vectors, entries: eigen.vectors.entries.map((x) => 1.001 * x) },
    };
    expect((await eigenQuality(a, bent)).orthogonality).toBeCloseTo(0.002001, 9);
  });

  test("what has no spectrum of this kind is refused in one line", async () => {
    await expect(spectralDecomposition(matrix(2, 3, () => 1))).rejects.toThrow("must be square, not 2 x 3");
    await expect(spectralDecomposition(matrix(2, 2, (i, j) => i - j))).rejects.toThrow("must be symmetric");
    await expect(symmetricEigenvalues(matrix(2, 2, () => Number.NaN))).rejects.toThrow("entry (0, 0) is NaN");
    const eigen = await spectralDecomposition(identity(2));
    await expect(eigenQuality(identity(3), eigen)).rejects.toThrow(
      "2 eigenpairs of size 2 for a matrix of size 3",
    );
  });
});
