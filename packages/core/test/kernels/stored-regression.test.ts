import { describe, expect, it } from "vitest";
import { type Tensor, tensor } from "../../src/graph/tensor.ts";
import {
  centredOneHot,
  empiricalBlocks,
  empiricalKernel,
  fillSymmetric,
  kernelMoments,
  kernelRegression,
  kernelSpectrum,
  limitBlocks,
  limitKernel,
  matrixInMemory,
  meanSquaredError,
  misclassified,
  rowsAtOnce,
  type StoredMatrix,
  storedRegression,
  storedSpectrum,
} from "../../src/kernels/index.ts";
import type { Matrix } from "../../src/linear-algebra/index.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { initialNetwork } from "../../src/train/index.ts";

const normals = (seed: string, ...dims: number[]): Tensor => {
  const random = createRandom(seed);
  return tensor(
    Float64Array.from({ length: dims.reduce((n, d) => n * d, 1) }, () => random.normal()),
    { dims },
  );
};
const difference = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  expect(a.length).toBe(b.length);
  let most = 0;
  for (let k = 0; k < a.length; k++) most = Math.max(most, Math.abs(a[k]! - b[k]!));
  return most;
};

const n = 160;
const x = normals("stored", n, 6);
const { ntk } = await limitKernel("6-9-relu-9-relu-1", x);
const K: StoredMatrix & Matrix = matrixInMemory(n, n, ntk);
const y: Matrix = { rows: n, columns: 3, entries: normals("y", n, 3).data as Float64Array };

describe("training with a stored kernel is training with one in memory", () => {
  it.each([0, 1e-3])(
    "at infinity, with the ridge %d: conjugate gradients against eigenvectors",
    async (ridge) => {
      const steps: number[] = [];
      const found = await storedRegression(K, y, {
        ridge,
        tolerance: 1e-10,
        onStep: (part) => steps.push(part),
      });
      const exact = await kernelRegression(K, y, { ridge });
      expect(difference(found.fitted.entries, exact.fitted.entries)).toBeLessThan(1e-8);
      expect(found.residual).toBeLessThan(2e-10);
      expect(steps.at(-1)).toBe(1);
      expect(found.products).toBeLessThan(150);
    },
  );

  it.each([
    [50, undefined],
    [2000, undefined],
    [300, 1.2],
  ] as const)("at the time %d with rate %s: a polynomial against eigenvectors", async (time, rate) => {
    const { max: greatest } = await kernelSpectrum(K);
    const options = { time, rate, greatest: 1.01 * greatest, tolerance: 1e-9 };
    const found = await storedRegression(K, y, options);
    const exact = await kernelRegression(K, y, { time, rate });
    expect(difference(found.fitted.entries, exact.fitted.entries)).toBeLessThan(1e-8);
    expect(found.method).toBe("Chebyshev polynomial");
    // A degree of about the root of time times eigenvalue, not the time itself.
    if (rate !== undefined) expect(found.products).toBeLessThan(time);
  });

  it("says what would help when it does not come to an end", async () => {
    const singular = matrixInMemory(
      n,
      n,
      ntk.map((v, e) => (e % n < 2 || e < 2 * n ? 0 : v)),
    );
    await expect(storedRegression(singular, y, { passes: 50 })).rejects.toThrow(
      /ridge|not positive definite/,
    );
  });
});

describe("the spectrum of a stored kernel", () => {
  it("has the ends of all eigenvalues, or bounds on them", async () => {
    const [all, ends] = [await kernelSpectrum(K), await storedSpectrum(K)];
    expect(ends.max / all.max).toBeCloseTo(1, 9);
    expect(ends.min).toBeGreaterThan(all.min * (1 - 1e-9));
    expect(ends.min).toBeLessThan(1.5 * all.min);
  });

  it("has an effective rank of sum^2 / sum of squares", async () => {
    const { eigenvalues } = await kernelRegression(K, y);
    const [sum, squares] = [1, 2].map((p) => eigenvalues.reduce((s, v) => s + v ** p, 0));
    const { trace, effectiveRank } = kernelMoments(K);
    expect(trace / sum!).toBeCloseTo(1, 10);
    expect(effectiveRank / (sum! ** 2 / squares!)).toBeCloseTo(1, 10);
  });
});

describe("a matrix in blocks", () => {
  it("is the whole kernel, also when it was filled in two goes", async () => {
    // So many columns that a block is a few rows.
    const blocks = limitBlocks("6-9-relu-9-relu-1", x, "ntk");
    const rows = async (from: number, to: number) => (await blocks.rows(from, to)).kernel.entries;
    const few = (matrix: StoredMatrix & Matrix): StoredMatrix & Matrix => ({ ...matrix, columns: 2 ** 17 });
    expect(rowsAtOnce(2 ** 17)).toBe(32);
    const whole = matrixInMemory(n, n);
    await fillSymmetric(few(whole), rows);
    expect(difference(whole.entries, ntk)).toBeLessThan(1e-14);
    const parts = matrixInMemory(n, n);
    let done = 0;
    const stopped = new AbortController();
    const first = fillSymmetric(few(parts), rows, {
      signal: stopped.signal,
      onRows: (count) => {
        done = count;
        if (count > 100) stopped.abort();
      },
    });
    await expect(first).rejects.toThrow(/abort/);
    expect(done).toBe(128);
    parts.entries.fill(7, 140 * n); // what a broken write may have left
    await fillSymmetric(few(parts), rows, { from: done });
    expect(parts.entries).toEqual(whole.entries);
  });

  it("has test examples against all of them, with their own variance", async () => {
    const z = normals("z", 9, 6);
    const exact = await limitKernel("6-9-relu-9-relu-1", z, { other: x });
    const test = await limitBlocks("6-9-relu-9-relu-1", x, "ntk").test(z);
    expect(difference(test.kernel.entries, exact.ntk)).toBeLessThan(1e-14);
    expect(difference(test.covariance!.entries, exact.nngp)).toBeLessThan(1e-14);
    expect(test.own).toEqual(exact.variances);
  });

  it.each(["mean", 1] as const)("of a finite network, output %s, is its tangent kernel", async (outputs) => {
    const net = initialNetwork("6-8-tanh-2", { type: "float64", seed: 2 });
    const [some, z] = [normals("some", 7, 6), normals("z", 3, 6)];
    const blocks = empiricalBlocks(net, some, { outputs });
    const exact = await empiricalKernel(net, some, { outputs });
    const { kernel } = await blocks.rows(4, 7);
    expect(difference(kernel.entries, exact.ntk.subarray(4 * 7))).toBeLessThan(1e-12);
    const test = await blocks.test(z);
    const own = await empiricalKernel(net, z, { outputs });
    expect(
      difference(
        test.own,
        [0, 4, 8].map((d) => own.ntk[d]!),
      ),
    ).toBeLessThan(1e-12);
  });
});

describe("targets", () => {
  it("of classes sum to 0, and predictions are judged by their greatest entry", () => {
    const targets = centredOneHot(tensor([2, 0, 1], { type: "int64" }), 3);
    for (let i = 0; i < 3; i++)
      expect(targets.entries.slice(3 * i, 3 * i + 3).reduce((s, v) => s + v)).toBeCloseTo(0);
    const guess = { rows: 3, columns: 3, entries: Float64Array.of(0, 0, 1, 1, 0, 0, 0, 0, 1) };
    expect(misclassified(guess, targets)).toBeCloseTo(1 / 3);
    expect(meanSquaredError(targets, targets)).toBe(0);
  });
});
