import { describe, expect, it } from "vitest";
import { type Tensor, tensor } from "../../src/graph/tensor.ts";
import {
  centredOneHot,
  empiricalBlocks,
  empiricalKernel,
  fillSymmetric,
  kernelFlow,
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
  storedProduct,
  storedRegression,
  storedSpectrum,
  unstoredProduct,
} from "../../src/kernels/index.ts";
import { type Matrix, matrixProduct } from "../../src/linear-algebra/index.ts";
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

  it("refuses a rate at which descent diverges, also where nobody waits for its end, and no other", async () => {
    const most = n / (await kernelSpectrum(K)).max;
    for (const time of [20, Number.POSITIVE_INFINITY]) {
      await expect(storedRegression(K, y, { time, rate: 1.001 * most })).rejects.toThrow(/diverges/);
      const { fitted } = await storedRegression(K, y, { time, rate: 0.999 * most, tolerance: 1e-9 });
      const exact = await kernelRegression(K, y, { time, rate: 0.999 * most });
      expect(difference(fitted.entries, exact.fitted.entries)).toBeLessThan(1e-7);
    }
    await expect(storedRegression(K, y, { rate: -1 })).rejects.toThrow(/a learning rate is above 0/);
    await expect(storedRegression(K, y, { time: 1e12 })).rejects.toThrow(
      /1000000000000 takes more than 2000/,
    );
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

describe("the variance of a stored kernel is that of one in memory", async () => {
  const [count, tests, tolerance] = [300, 7, 1e-10];
  const [many, z] = [normals("many", count, 6), normals("tests", tests, 6)];
  const spec = "6-9-relu-9-relu-1";
  const blocks = limitBlocks(spec, many, "ntk");
  const train = await limitKernel(spec, many);
  const test = await blocks.test(z);
  const norm = (v: ArrayLike<number>): number => Math.hypot(...Array.from(v));

  it.each([
    ["ntk", 0, Number.POSITIVE_INFINITY],
    ["ntk", 1e-2, Number.POSITIVE_INFINITY],
    ["ntk", 0, 400],
    ["nngp", 1e-2, Number.POSITIVE_INFINITY],
    ["nngp", 1e-2, 400],
  ] as const)("%s with the ridge %d at the time %d", async (kind, ridge, time) => {
    const kernel = matrixInMemory(count, count, train[kind]);
    const cross = kind === "ntk" ? test.kernel : test.covariance!;
    const targets = { rows: count, columns: 1, entries: normals("t", count).data as Float64Array };
    const exact = await kernelRegression(kernel, targets, { ridge, time });
    const [least, greatest] = [exact.eigenvalues[0]! + ridge, exact.eigenvalues.at(-1)! + ridge];
    const found = await storedRegression(kernel, targets, {
      ridge,
      time,
      tolerance,
      greatest: 1.01 * greatest,
    });
    const covariance = matrixInMemory(count, count, train.nngp);
    const initial = { train: covariance, test: test.covariance! };
    const rows = async (from: number, to: number) => (await blocks.rows(from, to)).covariance!.entries;
    const stored = { train: unstoredProduct(count, rows), test: test.covariance! };
    const isStart = kind === "ntk";
    const known = await exact.variance(cross, test.own, isStart ? initial : undefined);
    const own = await found.variance(cross, test.own, isStart ? stored : undefined);
    // C is known to 2 tol |k| / lambda_min (better at finite times), and v + 2 <S C - s, d> + <d, S d> at C + d.
    const C = await (await kernelFlow(kernel, ridge)).at(time).weights(cross);
    const S = matrixInMemory(count, count, isStart ? train.nngp : train.nngp.slice());
    if (!isStart) for (let i = 0; i < count; i++) S.entries[i * (count + 1)]! += ridge;
    const image = (await matrixProduct(C, S)).entries;
    const [size, s] = [norm(S.entries), test.covariance!.entries];
    for (let i = 0; i < tests; i++) {
      const row = (v: Float64Array): Float64Array => v.subarray(i * count, (i + 1) * count);
      const off = (2 * tolerance * norm(row(cross.entries))) / least;
      const slope = norm(row(image).map((v, j) => v - row(s)[j]!));
      const rounding = 2 ** -40 * (1 + size * norm(row(C.entries)) ** 2);
      expect(Math.abs(known[i]! - own[i]!)).toBeLessThan(2 * slope * off + size * off ** 2 + rounding);
    }
    expect(difference(known, test.own)).toBeGreaterThan(1e-3); // the data do say something
    expect(Math.min(...known)).toBeGreaterThan(1e-3);
  });

  it("reads symmetric matrices that nobody keeps, in several blocks", async () => {
    // So many columns that a block is 64 rows.
    const size = 150;
    const dense = normals("dense", size, size).data as Float64Array;
    const whole = dense.map((v, e) => v + dense[(e % size) * size + Math.floor(e / size)]!);
    const v = { rows: 3, columns: size, entries: normals("v", 3, size).data as Float64Array };
    const rows = async (from: number, to: number): Promise<Float64Array> => {
      const block = new Float64Array((to - from) * to);
      for (let i = from; i < to; i++)
        for (let j = 0; j <= i; j++) block[(i - from) * to + j] = whole[i * size + j]!;
      return block;
    };
    const product = await storedProduct(matrixInMemory(size, size, whole))(v);
    for (const step of [size, 64, 1]) {
      const found = await unstoredProduct(size, rows, { step })(v);
      expect(difference(found.entries, product.entries)).toBeLessThan(1e-11);
    }
  });
});

describe("a pass over a stored kernel hears its signal between blocks", () => {
  // 4096 rows are read in four blocks; what is heard in the first one stops the pass before the second.
  const size = 4096;
  const watched = (): { readonly kernel: StoredMatrix; readonly signal: AbortSignal; reads(): number } => {
    const stop = new AbortController();
    let reads = 0;
    const kernel: StoredMatrix = {
      ...{ rows: size, columns: size, write: () => {} },
      read(from, to) {
        if (to - from > 1 && reads++ === 0) setTimeout(() => stop.abort(), 0);
        const block = new Float64Array((to - from) * size);
        for (let i = from; i < to; i++) block[(i - from) * size + i] = 1 + i / size;
        return block;
      },
    };
    return { kernel, signal: stop.signal, reads: () => reads };
  };
  const ones = { rows: size, columns: 1, entries: new Float64Array(size).fill(1) };

  it.each([
    [
      "a product",
      (k: StoredMatrix, signal: AbortSignal) =>
        storedProduct(k, 0, signal)({ ...ones, rows: 1, columns: size }),
    ],
    ["the moments", (k: StoredMatrix, signal: AbortSignal) => kernelMoments(k, signal)],
    ["the spectrum", (k: StoredMatrix, signal: AbortSignal) => storedSpectrum(k, { signal })],
    ["conjugate gradients", (k: StoredMatrix, signal: AbortSignal) => storedRegression(k, ones, { signal })],
    [
      "a polynomial",
      (k: StoredMatrix, signal: AbortSignal) => storedRegression(k, ones, { signal, time: 3, greatest: 2 }),
    ],
  ] as const)("%s", async (_, work) => {
    const { kernel, signal, reads } = watched();
    await expect(work(kernel, signal)).rejects.toThrow(/abort/);
    expect(rowsAtOnce(size)).toBe(1024);
    expect(reads()).toBe(1);
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
    const { trace, effectiveRank } = await kernelMoments(K);
    expect(trace / sum!).toBeCloseTo(1, 10);
    expect(effectiveRank / (sum! ** 2 / squares!)).toBeCloseTo(1, 10);
  });

  it("has it whatever the size of the numbers, and says which of them are none", async () => {
    const { effectiveRank } = await kernelMoments(K);
    for (const size of [2 ** 900, 2 ** -900])
      expect(
        (
          await kernelMoments(
            matrixInMemory(
              n,
              n,
              ntk.map((v) => size * v),
            ),
          )
        ).effectiveRank,
      ).toBeCloseTo(effectiveRank, 10);
    const wrong = ntk.slice();
    wrong[5 * n + 7] = Number.NaN;
    await expect(kernelMoments(matrixInMemory(n, n, wrong))).rejects.toThrow(
      /the kernel of examples 6 and 8 is NaN: .* scale the data/,
    );
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
