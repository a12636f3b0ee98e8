import { describe, expect, it } from "vitest";
import { integrate } from "../../src/dynamics/index.ts";
import { type Tensor, tensor } from "../../src/graph/tensor.ts";
import { kernelRegression, limitKernel } from "../../src/kernels/index.ts";
import { cholesky, choleskySolve, type Matrix, matrixOfRows } from "../../src/linear-algebra/index.ts";
import { createRandom } from "../../src/numbers/random.ts";

const normals = (seed: string, ...dims: number[]): Tensor => {
  const random = createRandom(seed);
  return tensor(
    Float64Array.from({ length: dims.reduce((n, d) => n * d, 1) }, () => random.normal()),
    { dims },
  );
};
const matrix = (rows: number, columns: number, entries: Float64Array): Matrix => ({ rows, columns, entries });
const row = ({ columns, entries }: Matrix, i: number): Float64Array =>
  entries.slice(i * columns, (i + 1) * columns);
const rowsOf = (m: Matrix): Float64Array[] => Array.from({ length: m.rows }, (_, i) => row(m, i));
const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, v, k) => sum + v * b[k]!, 0);
const difference = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  expect(a.length).toBe(b.length);
  return Math.max(...Array.from(a, (v, k) => Math.abs(v - b[k]!)));
};

const [n, m] = [14, 5];
const [x, z] = [normals("train", n, 3), normals("test", m, 3)];
const options = { wStd: 1.4, bStd: 0.3 };
const within = await limitKernel("3-9-relu-9-erf-1", x, options);
const across = await limitKernel("3-9-relu-9-erf-1", z, { ...options, other: x });
const own = (await limitKernel("3-9-relu-9-erf-1", z, options)).variances;
const K = matrix(n, n, within.ntk);
const k = matrix(m, n, across.ntk);
const S = matrix(n, n, within.nngp);
const s = matrix(m, n, across.nngp);
const y = matrix(n, 2, Float64Array.from(normals("targets", n, 2).data as Float64Array));

/** (K + ridge)^-1 B by Cholesky's factors. */
async function solved(a: Matrix, ridge: number, b: Matrix): Promise<Matrix> {
  const entries = a.entries.map((v, e) => (e % (a.rows + 1) === 0 ? v + ridge : v));
  return choleskySolve(await cholesky({ ...a, entries }), b);
}

describe("training with a fixed kernel", () => {
  it.each([
    [3, 0],
    [40, 0],
    [40, 0.2],
  ])("at the time %d with the ridge %d is the flow of the mean squared error", async (time, ridge) => {
    const found = await kernelRegression(K, y, { time, ridge });
    // The test predictions are part of the state: d f(x)/dt = -(2/m) k(x, X) (f(X) - y + ridge alpha), alpha' likewise.
    for (const c of [0, 1]) {
      const target = Float64Array.from({ length: n }, (_, i) => y.entries[2 * i + c]!);
      const field = (alpha: Float64Array): Float64Array =>
        Float64Array.from(alpha, (a, i) => (-2 / n) * (dot(row(K, i), alpha) + ridge * a - target[i]!));
      const alpha = (await integrate(field, new Float64Array(n), { until: time, tolerance: 1e-12 })).at(-1)!;
      const predicted = rowsOf(k).map((each) => dot(each, alpha.state));
      const own = rowsOf(K).map((each) => dot(each, alpha.state));
      const column = (of: Matrix): number[] => rowsOf(of).map((each) => each[c]!);
      expect(difference(column(await found.predict(k)), predicted)).toBeLessThan(1e-9);
      expect(difference(column(found.fitted), own)).toBeLessThan(1e-9);
    }
  });

  it("by steps of gradient descent is what the steps give", async () => {
    const [rate, steps] = [0.5, 57];
    const found = await kernelRegression(K, y, { time: steps, rate });
    const alpha = new Float64Array(2 * n);
    for (let t = 0; t < steps; t++) {
      const f = Array.from({ length: 2 * n }, (_, e) => {
        const column = Float64Array.from({ length: n }, (_, i) => alpha[2 * i + (e % 2)]!);
        return dot(row(K, Math.floor(e / 2)), column);
      });
      f.forEach((value, e) => {
        alpha[e]! -= (2 / n) * rate * (value - y.entries[e]!);
      });
    }
    expect(difference(found.coefficients.entries, alpha)).toBeLessThan(1e-10);
  });

  it("refuses a rate at which descent diverges, and steps that are no whole number", async () => {
    const most = n / (await kernelRegression(K, y)).eigenvalues.at(-1)!;
    await expect(kernelRegression(K, y, { time: 9, rate: 1.01 * most })).rejects.toThrow(
      /diverges: .* below/,
    );
    await expect(kernelRegression(K, y, { time: 9, rate: 0.99 * most })).resolves.toBeDefined();
    await expect(kernelRegression(K, y, { time: 9.5, rate: 0.1 })).rejects.toThrow(/whole number/);
  });

  it.each([0, 0.3])("at infinity with the ridge %d is the solution by Cholesky's factors", async (ridge) => {
    const found = await kernelRegression(K, y, { ridge });
    const alpha = await solved(K, ridge, y);
    expect(difference(found.coefficients.entries, alpha.entries)).toBeLessThan(1e-9);
    if (ridge === 0) expect(difference(found.fitted.entries, y.entries)).toBeLessThan(1e-10);
  });

  it("predicts 0 at the beginning, with the variance of the start", async () => {
    const found = await kernelRegression(K, y, { time: 0 });
    expect(Math.max(...(await found.predict(k)).entries.map(Math.abs))).toBe(0);
    expect(difference(await found.variance(k, own, { train: S, test: s }), own)).toBeLessThan(1e-12);
  });

  it("of examples that are there twice has the targets' mean, in spite of a kernel without inverse", async () => {
    const twice = matrixOfRows([
      [2, 2, 0],
      [2, 2, 0],
      [0, 0, 1],
    ]);
    const found = await kernelRegression(twice, matrixOfRows([[1], [3], [5]]));
    expect(difference(found.fitted.entries, [2, 2, 5])).toBeLessThan(1e-12);
  });
});

describe("the variance", () => {
  /** Conditioning of a Gaussian vector, one coordinate after the other: no linear algebra in common. */
  function conditionalVariance(covariance: number[][], noise: number): number {
    const a = covariance.map((r, i) => r.map((v, j) => (i === j && i < r.length - 1 ? v + noise : v)));
    const last = a.length - 1;
    for (let g = 0; g < last; g++)
      for (let i = g + 1; i <= last; i++) {
        const factor = a[i]![g]! / a[g]![g]!;
        for (let j = last; j >= g; j--) a[i]![j]! -= factor * a[g]![j]!;
      }
    return a[last]![last]!;
  }

  it.each([0, 0.05])("of a Gaussian process with noise %d is the conditional one", async (ridge) => {
    const found = await (await kernelRegression(S, y, { ridge })).variance(s, own);
    found.forEach((v, i) => {
      const joint = [...rowsOf(S).map((r, j) => [...r, s.entries[i * n + j]!]), [...row(s, i), own[i]!]];
      expect(v).toBeCloseTo(conditionalVariance(joint, ridge), 10);
    });
  });

  it("of trained networks is that of draws of their start", async () => {
    const [time, draws] = [25, 40_000];
    const found = await kernelRegression(K, y, { time });
    const exact = await found.variance(k, own, { train: S, test: s });
    // f_t(x) - its mean = f_0(x) - C f_0(X): starts are drawn from the joint covariance of x and X.
    const i = 2;
    const joint = matrixOfRows([
      ...rowsOf(S).map((r, j) => [...r, s.entries[i * n + j]!]),
      [...row(s, i), own[i]!],
    ]);
    const { factor } = await cholesky(joint);
    const unit = (j: number): Matrix =>
      matrix(
        n,
        1,
        Float64Array.from({ length: n }, (_, e) => (e === j ? 1 : 0)),
      );
    const C = await Promise.all(
      Array.from({ length: n }, async (_, j) => {
        const one = await kernelRegression(K, unit(j), { time });
        return (await one.predict(k)).entries[i]!;
      }),
    );
    const random = createRandom("starts");
    let squares = 0;
    for (let d = 0; d < draws; d++) {
      const g = random.normal(n + 1);
      const start = Array.from({ length: n + 1 }, (_, j) => {
        let sum = 0;
        for (let e = 0; e <= j; e++) sum += factor.entries[e * (n + 1) + j]! * g[e]!;
        return sum;
      });
      squares += (start[n]! - dot(C, start)) ** 2;
    }
    expect(Math.abs(squares / draws / exact[i]! - 1)).toBeLessThan(0.04);
  });

  it("on the training examples is 0 at infinity", async () => {
    const found = await kernelRegression(K, y);
    const train = await found.variance(K, within.variances, { train: S, test: S });
    expect(Math.max(...train)).toBeLessThan(1e-9);
  });
});
