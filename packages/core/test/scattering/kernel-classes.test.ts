import { describe, expect, it } from "vitest";
import { cholesky, choleskySolve } from "../../src/linear-algebra/index.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { certifiedKernelRadius, kernelClasses, kernelScores } from "../../src/scattering/kernel-classes.ts";

const random = createRandom("kernel classes");
const [n, d, bandwidth, ridge] = [60, 3, 1.5, 0.1] as const;
const entries = random.normal(n * d);
const labels = Array.from({ length: n }, (_, i) => (entries[i * d]! * entries[i * d + 1]! > 0 ? 1 : 0));
const examples = { rows: n, columns: d, entries };
const kernel = (i: number, j: number): number => {
  let square = 0;
  for (let k = 0; k < d; k++) square += (entries[i * d + k]! - entries[j * d + k]!) ** 2;
  return Math.exp(-square / 2 / bandwidth ** 2);
};

describe("scores of a Gaussian kernel", () => {
  it("are those of ridge regression where every example is a centre", async () => {
    const readout = await kernelClasses(examples, labels, { classes: 2, bandwidth, ridge });
    expect(readout.residual).toBeLessThan(2e-4);
    const { entries: found } = await kernelScores(readout, examples);
    const gram = Float64Array.from({ length: n * n }, (_, k) => kernel(Math.floor(k / n), k % n));
    const shifted = gram.map((v, k) => v + (k % (n + 1) === 0 ? ridge : 0));
    const targets = Float64Array.from(labels, (label) => (label === 1 ? 1 : -1));
    const solved = await choleskySolve(await cholesky({ rows: n, columns: n, entries: shifted }), {
      ...{ rows: n, columns: 1, entries: targets },
    });
    for (let i = 0; i < n; i += 7) {
      let score = 0;
      for (let j = 0; j < n; j++) score += solved.entries[j]! * gram[i * n + j]!;
      expect(found[2 * i + 1]).toBeCloseTo(score, 2);
      expect(found[2 * i]).toBeCloseTo(-score, 2);
    }
    const wrong = labels.filter((label, i) => found[2 * i + label]! < found[2 * i + 1 - label]!).length;
    expect(wrong).toBeLessThan(n / 10);
  });

  it("with fewer centres leave the same equations unsolved that a normal equation says", async () => {
    const m = 20;
    const readout = await kernelClasses(examples, labels, { classes: 2, bandwidth, ridge, centres: m });
    expect(readout.centres.rows).toBe(m);
    const { entries: found } = await kernelScores(readout, examples);
    const between = await kernelScores({ ...readout, coefficients: identity(m) }, { ...readout.centres });
    const toAll = await kernelScores({ ...readout, coefficients: identity(m) }, examples);
    for (let c = 0; c < m; c++) {
      // K_c^T (K a - y) + ridge K_cc a = 0
      let left = 0;
      for (let i = 0; i < n; i++)
        left += toAll.entries[i * m + c]! * (found[2 * i + 1]! - (labels[i] === 1 ? 1 : -1));
      for (let k = 0; k < m; k++)
        left += ridge * between.entries[c * m + k]! * readout.coefficients.entries[m + k]!;
      expect(Math.abs(left)).toBeLessThan(0.02);
    }
  });

  it("change by no more than their certificate, and the answer stays within its radius", async () => {
    const readout = await kernelClasses(examples, labels, { classes: 2, bandwidth, ridge });
    const scoresOf = async (x: Float64Array) =>
      (await kernelScores(readout, { rows: 1, columns: d, entries: x })).entries;
    for (let i = 0; i < n; i += 5) {
      const x = entries.slice(i * d, (i + 1) * d);
      const { predicted, radius } = certifiedKernelRadius(readout, await scoresOf(x));
      for (let draw = 0; draw < 4; draw++) {
        const step = random.sphere(d);
        const moved = x.map((v, k) => v + 0.999 * Math.min(radius, 10) * step[k]!);
        const after = await scoresOf(moved);
        expect(after[predicted]! - after[1 - predicted]!).toBeGreaterThan(-1e-4);
      }
    }
  });

  it("say what is wrong with labels, ridges and features", async () => {
    await expect(kernelClasses(examples, [1], { classes: 2, bandwidth, ridge })).rejects.toThrow(
      "1 labels for 60 examples",
    );
    await expect(kernelClasses(examples, labels, { classes: 2, bandwidth, ridge: 0 })).rejects.toThrow(
      "above 0",
    );
    const readout = await kernelClasses(examples, labels, { classes: 2, bandwidth, ridge });
    await expect(
      kernelScores(readout, { rows: 1, columns: 2, entries: new Float64Array(2) }),
    ).rejects.toThrow("inputs of 2 features, examples of 3");
  });
});

const identity = (m: number) => ({
  ...{ rows: m, columns: m },
  entries: Float64Array.from({ length: m * m }, (_, k) => (k % (m + 1) === 0 ? 1 : 0)),
});
