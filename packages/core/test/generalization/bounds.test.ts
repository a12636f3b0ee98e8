import { describe, expect, it } from "vitest";
import { bernoulliKl, klLowerInverse, klUpperInverse } from "../../src/generalization/bounds/bernoulli-kl.ts";
import { type GeneralizationBound, tightestBound } from "../../src/generalization/bounds/bound.ts";
import { bestOverMargins, classifierBounds } from "../../src/generalization/bounds/classifier-bounds.ts";
import { coveringExcessBound, coveringMarginBound } from "../../src/generalization/bounds/covering-bound.ts";
import {
  leastSampleForOccam,
  logInverseBitWeight,
  occamBound,
  occamKlBound,
} from "../../src/generalization/bounds/finite-class.ts";
import { normMarginBound, rademacherMarginBound } from "../../src/generalization/bounds/margin.ts";
import {
  chosenPrior,
  gaussianKl,
  gaussianPacBayesBound,
  pacBayesBound,
} from "../../src/generalization/bounds/pac-bayes.ts";
import { pacBayesMarginBound } from "../../src/generalization/bounds/pac-bayes-margin.ts";
import {
  depthFreeFactor,
  exponentialDepthFactor,
  normRademacher,
} from "../../src/generalization/bounds/rademacher-norm.ts";
import { spectralMarginBound } from "../../src/generalization/bounds/spectral-margin.ts";
import { gridLevel, gridLevelFromOne, gridRatio } from "../../src/generalization/bounds/union-grid.ts";
import { binomialUpperLimit, validationBound } from "../../src/generalization/bounds/validation.ts";
import { excessRiskBound } from "../../src/generalization/risk-from-covering.ts";
import { spectralNorm } from "../../src/linear-algebra/matrix-norm.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { binomialTail } from "../../src/numbers/statistics.ts";

const layer = {
  margin: 1,
  marginLoss: 0.1,
  n: 10_000,
  delta: 0.05,
  widths: [10, 20, 2],
  spectralNorms: [2, 3],
  frobeniusNorms: [4, 5],
  rowNormSums: [6, 7],
  dataNorm: 100,
  inputRadius: 1,
  outputs: 2,
  biasFree: true,
  homogeneous: true,
  relu: true,
};

describe("the relative entropy of coins", () => {
  it("is inverted upwards, never below", () => {
    for (const q of [0, 1e-6, 0.01, 0.3, 0.9, 1])
      for (const c of [0, 1e-9, 1e-3, 0.1, 2, 50]) {
        const p = klUpperInverse(q, c);
        expect(p).toBeGreaterThanOrEqual(q);
        if (p < 1) {
          expect(bernoulliKl(q, p)).toBeGreaterThanOrEqual(c);
          expect(bernoulliKl(q, Math.max(q, p - 1e-6))).toBeLessThanOrEqual(c + 1e-4);
        }
        // Pinsker.
        expect(p - q).toBeLessThanOrEqual(Math.sqrt(c / 2) + 1e-7);
      }
  });

  it("has closed forms at 0", () => {
    expect(klUpperInverse(0, 0.05)).toBeCloseTo(1 - Math.exp(-0.05), 12);
    expect(klLowerInverse(1, 0.05)).toBeCloseTo(Math.exp(-0.05), 12);
  });
});

describe("grids of levels", () => {
  it("share no more than all of delta", () => {
    let both = 0;
    for (let k = -5000; k <= 5000; k++) both += 1 / gridLevel(gridRatio ** k * (1 - 1e-9)).cost;
    let above = 0;
    for (let k = 0; k <= 5000; k++) above += 1 / gridLevelFromOne(gridRatio ** k * (1 - 1e-9)).cost;
    expect(both).toBeLessThanOrEqual(1);
    expect(both).toBeGreaterThan(0.999);
    expect(above).toBeLessThanOrEqual(1);
    expect(above).toBeGreaterThan(0.999);
  });

  it("are not below the value, nor far above", () => {
    for (const value of [1e-7, 0.3, 0.99, 1, 1.0001, 7, 1e9]) {
      const { level } = gridLevel(value);
      expect(level).toBeGreaterThanOrEqual(value);
      expect(level).toBeLessThan(value * gridRatio * (1 + 1e-9));
    }
  });
});

describe("finite classes and held-out examples", () => {
  it("have their textbook values", () => {
    const uniform = occamBound({ empirical: 0.1, logInverseWeight: Math.log(100), n: 1000, delta: 0.05 });
    expect(uniform.value).toBeCloseTo(0.1 + Math.sqrt(Math.log(100 * 40) / 2000), 9);
    expect(uniform.vacuous).toBe(false);
    const clean = occamKlBound({ empirical: 0, logInverseWeight: Math.log(100), n: 1000, delta: 0.05 });
    expect(clean.value).toBeCloseTo(1 - (0.05 / 100) ** (1 / 1000), 9);
    expect(leastSampleForOccam(logInverseBitWeight(1e6, 32), 0.05) / 1e6).toBeCloseTo(11.09, 2);
  });

  it("invert the binomial tail", () => {
    for (const [n, k, level] of [
      [10, 0, 0.05],
      [100, 7, 0.01],
      [10_000, 150, 1e-4],
      [50, 49, 0.2],
    ] as const) {
      const p = binomialUpperLimit(n, k, level);
      const atMost = (q: number) => 1 - binomialTail(n, q, k + 1);
      expect(atMost(p)).toBeLessThanOrEqual(level * (1 + 1e-7));
      expect(atMost(p - 1e-4)).toBeGreaterThan(level);
    }
    expect(binomialUpperLimit(5, 5, 0.05)).toBe(1);
  });

  it("pay for a search among models", () => {
    const value = (models: number) => validationBound({ errors: 20, n: 1000, models, delta: 0.05 }).value!;
    expect(value(1)).toBeCloseTo(0.0289, 3); // Clopper and Pearson, one-sided
    expect(value(1000)).toBeGreaterThan(value(1));
    expect(value(1000)).toBeLessThan(0.02 + Math.sqrt(Math.log(1000 / 0.05) / 2000));
  });
});

describe("bounds by norms and margins", () => {
  const all = [normMarginBound, spectralMarginBound, pacBayesMarginBound];

  it("do not change when function and margin are scaled together", () => {
    for (const bound of all)
      for (const c of [0.01, 3, 1000]) {
        const scaled = {
          ...layer,
          margin: c,
          spectralNorms: [2 * c, 3],
          frobeniusNorms: [4 * c, 5],
          rowNormSums: [6 * c, 7],
        };
        expect(bound(scaled).value! / bound(layer).value!).toBeCloseTo(1, 9);
      }
  });

  it("fall with the number of examples and rise with the norms", () => {
    for (const bound of all) {
      const more = { ...layer, n: 4 * layer.n, dataNorm: 2 * layer.dataNorm };
      expect(bound(more).value).toBeLessThan(bound(layer).value!);
      const larger = { ...layer, spectralNorms: [4, 3], frobeniusNorms: [8, 5], rowNormSums: [12, 7] };
      expect(bound(larger).value).toBeGreaterThan(bound(layer).value!);
    }
  });

  it("say what is unmet, and then no number", () => {
    for (const bound of all) {
      const refused = bound({ ...layer, biasFree: false });
      expect(refused.value).toBeUndefined();
      expect(refused.vacuous).toBe(true);
      expect(refused.unmet).toEqual(["the network is layered and has no biases"]);
      expect(bound({ ...layer, margin: -1 }).unmet).toContain("the margin is positive");
      expect(bound(layer).unmet).toEqual([]);
    }
  });

  it("never overflow into a number that means something", () => {
    const huge = {
      ...layer,
      spectralNorms: [1e200, 1e200],
      frobeniusNorms: [1e200, 1e200],
      rowNormSums: [1e200, 1e200],
    };
    for (const bound of all)
      expect(bound(huge)).toMatchObject({ value: Number.POSITIVE_INFINITY, vacuous: true });
  });

  it("have the values of the formulas", () => {
    const K = ((42 * Math.E * 2) ** 2 * 20 * Math.log(160) * 36 * (4 + 25 / 9)) / 2;
    expect(pacBayesMarginBound(layer).value).toBeCloseTo(
      0.1 + 4 * Math.sqrt((K + Math.log((6e4 * 20) / 0.05)) / 9999),
      6,
    );
    expect(
      rademacherMarginBound({ margin: 2, marginLoss: 0.1, complexity: 0.05, n: 100, delta: 0.1 }).value,
    ).toBeCloseTo(0.15 + 3 * Math.sqrt(Math.log(20) / 200), 9);
    const exponential = normMarginBound({ ...layer, depthFactor: exponentialDepthFactor }).value!;
    const free = normMarginBound({ ...layer, depthFactor: depthFreeFactor }).value!;
    expect(normMarginBound(layer).value).toBeCloseTo(Math.min(exponential, free), 9);
    // Tighter than c = 48 sqrt 5 with exact norms, no grid: at least the same formula at the next levels.
    const R = 6 * (3 ** (2 / 3) + (7 / 3) ** (2 / 3)) ** 1.5;
    const exact = (24 * Math.SQRT2 * Math.sqrt(5) * Math.log(1e4) * 100 * Math.sqrt(Math.log(800)) * R) / 1e4;
    const spectral = spectralMarginBound(layer).value!;
    expect(spectral).toBeGreaterThan(exact);
    expect(spectral).toBeLessThan(0.1 + 8e-4 + exact * gridRatio ** 2.5 + 0.2);
  });
});

describe("covering numbers", () => {
  it("go through the excess risk", () => {
    const logCovering = (eps: number) => Math.log(Math.max(1, Math.ceil(1 / eps)));
    const options = { n: 1000, M: 2, lipschitz: 1, delta: 0.05 };
    const bound = coveringExcessBound(logCovering, options);
    expect(bound.value).toBeCloseTo(excessRiskBound(logCovering, options).value, 9);
    expect(bound.quantity).toBe("excess");
    expect(coveringExcessBound(logCovering, { ...options, M: 0 }).unmet).toHaveLength(1);
  });

  it("bound margins of small networks for many examples", () => {
    const networks = { widths: [2, 4, 1], B: 1, inputRadius: 1, activation: "relu" } as const;
    const at = (n: number) => coveringMarginBound({ networks, margin: 1, marginLoss: 0, n, delta: 0.05 });
    expect(at(50).vacuous).toBe(true);
    expect(at(10_000).value).toBeLessThan(0.2);
    expect(at(10_000).value).toBeGreaterThan(at(100_000).value!);
  });
});

describe("PAC-Bayes", () => {
  it("inverts kl, and pays for draws and priors", () => {
    const plain = pacBayesBound({ empirical: 0.03, kl: 100, n: 10_000, delta: 0.05 });
    const c = (100 + Math.log((2 * 100) / 0.05)) / 10_000;
    expect(bernoulliKl(0.03, plain.value!)).toBeCloseTo(c, 9);
    const drawn = pacBayesBound({ empirical: 0.03, kl: 100, n: 10_000, delta: 0.05, draws: 1000 });
    expect(drawn.value).toBeGreaterThan(plain.value!);
    const paid = pacBayesBound({ empirical: 0.03, kl: 100, logPriorCost: 5, n: 10_000, delta: 0.05 });
    expect(paid.value).toBeGreaterThan(plain.value!);
    expect(pacBayesBound({ empirical: 0.03, kl: -1, n: 10, delta: 0.05 }).unmet).toEqual([
      "KL(Q || P) is not negative",
    ]);
    expect(
      pacBayesBound({ empirical: 0.03, kl: 1, n: 10, delta: 0.05, draws: 10, drawsDelta: 0.05 }).value,
    ).toBeUndefined();
  });

  it("chooses the best prior of the grid", () => {
    const q = {
      parameters: 50,
      squaredDistance: 3,
      varianceSum: 50 * 0.01,
      logVarianceSum: 50 * Math.log(0.01),
    };
    const grid = { ceiling: 0.1, precision: 100 };
    const found = chosenPrior(q, grid);
    let best = Number.POSITIVE_INFINITY;
    for (let j = 1; j <= 2000; j++) {
      const lambda = 0.1 * Math.exp(-j / 100);
      best = Math.min(best, gaussianKl(q, lambda) + Math.log((Math.PI * j) ** 2 / 6));
    }
    expect(found.kl + found.logPriorCost).toBeCloseTo(best, 9);
    const bound = gaussianPacBayesBound(q, { empirical: 0.1, n: 1000, delta: 0.05, grid });
    expect(bound.prior.j).toBe(found.j);
  });

  it("has no divergence between equal Gaussians", () => {
    expect(
      gaussianKl(
        { parameters: 7, squaredDistance: 0, varianceSum: 0.7, logVarianceSum: 7 * Math.log(0.1) },
        0.1,
      ),
    ).toBeCloseTo(0, 12);
  });
});

describe("several bounds together", () => {
  const facts = {
    ...layer,
    parameters: 260,
    bits: 32,
    trainError: 0.02,
    margins: Array.from({ length: 10_000 }, (_, i) => (i - 200) / 5000),
    lastRowNorm: 4,
    greatestParameter: 2,
    activation: "relu",
    layered: true,
    fullyConnected: true,
  } as const;

  it("are all there for a plain ReLU network", () => {
    const bounds = classifierBounds(facts);
    expect(bounds.map(({ id }) => id)).toEqual([
      "occam",
      "occam-kl",
      "vc-network",
      "rademacher-norm-exponential",
      "rademacher-norm-depth-free",
      "spectral-margin",
      "pac-bayes-margin",
      "covering",
    ]);
    for (const { unmet, value } of bounds) {
      expect(unmet).toEqual([]);
      expect(value).toBeGreaterThan(0.02);
    }
    // Depth 2: 2 against 2.18.
    expect(bounds[3]!.value).toBeLessThan(bounds[4]!.value!);
  });

  it("are refused by name where the network is another one", () => {
    const refused = (change: object) =>
      classifierBounds({ ...facts, ...change }).flatMap(({ id, value }) => (value === undefined ? [id] : []));
    const norms = [
      "rademacher-norm-exponential",
      "rademacher-norm-depth-free",
      "spectral-margin",
      "pac-bayes-margin",
    ];
    expect(refused({ biasFree: false })).toEqual(norms);
    expect(refused({ activation: "tanh" })).toEqual(["vc-network", ...norms]);
    expect(refused({ layered: false })).toEqual(["vc-network", ...norms, "covering"]);
    expect(refused({ inputRadius: Number.POSITIVE_INFINITY })).toEqual(["pac-bayes-margin", "covering"]);
    expect(refused({ fullyConnected: false })).toEqual(["covering"]);
    expect(refused({ margins: [-1, -2] })).toEqual([...norms, "covering"]);
  });

  it("choose the margin at which they are least", () => {
    const at = (o: { margin: number; marginLoss: number }) => normMarginBound({ ...layer, ...o });
    const margins = facts.margins;
    const best = bestOverMargins(margins, at).value!;
    const tried = [0.1, 0.5, 1, 1.5].map(
      (margin) =>
        at({ margin, marginLoss: margins.filter((t) => t <= margin).length / margins.length }).value!,
    );
    expect(best).toBeLessThanOrEqual(Math.min(...tried) * 1.1);
  });

  it("share delta, those without a value take none of it", () => {
    const bounds = [
      normMarginBound(layer),
      spectralMarginBound({ ...layer, biasFree: false }),
      pacBayesMarginBound(layer),
    ];
    const best = tightestBound(bounds)!;
    expect(best.value).toBe(Math.min(bounds[0]!.value!, bounds[2]!.value!));
    expect(best.delta).toBeCloseTo(0.1, 12);
    expect(tightestBound([bounds[1]!])).toBeUndefined();
  });
});

describe("noise that the PAC-Bayes margin bound adds to weights", () => {
  // sigma = margin / (42 L B beta^(L-1) sqrt(h ln(4 L h))) must move outputs by less than a quarter of the margin, for
  // every input of the ball at once, with probability at least 1/2.
  it("moves outputs by less than a quarter of the margin", () => {
    const random = createRandom("noise in weights");
    for (let k = 0; k < 12; k++) {
      const L = random.integer(1, 4);
      const widths = Array.from({ length: L + 1 }, () => random.integer(1, 6));
      const h = Math.max(...widths);
      const drawn = widths.slice(1).map((rows, l) => random.normal(rows * widths[l]!));
      const norms = drawn.map((entries, l) =>
        spectralNorm({ rows: widths[l + 1]!, columns: widths[l]!, entries }),
      );
      const layers = drawn.map((entries, l) => entries.map((v) => v / norms[l]!)); // beta = 1
      const margin = 1;
      const sigma = margin / (42 * L * Math.sqrt(h * Math.log(4 * L * h)));
      const inputs = Array.from({ length: 40 }, () => random.sphere(widths[0]!));
      let within = 0;
      for (let draw = 0; draw < 40; draw++) {
        const moved = layers.map((entries) => entries.map((v) => v + sigma * random.normal()));
        const farthest = Math.max(
          ...inputs.flatMap((x) => {
            const [f, g] = [layers, moved].map((weights) => reluOutputs(weights, widths, x));
            return Array.from(f!, (v, i) => Math.abs(v - g![i]!));
          }),
        );
        if (farthest < margin / 4) within++;
      }
      expect(within).toBeGreaterThanOrEqual(20);
    }
  });
});

function reluOutputs(
  weights: readonly Float64Array[],
  widths: readonly number[],
  x: Float64Array,
): Float64Array {
  return weights.reduce((input, entries, l) => {
    const columns = widths[l]!;
    return Float64Array.from({ length: widths[l + 1]! }, (_, i) => {
      let z = 0;
      for (let k = 0; k < columns; k++) z += entries[i * columns + k]! * input[k]!;
      return l === weights.length - 1 ? z : Math.max(0, z);
    });
  }, x);
}

describe("parts of the spectral margin bound, which is too loose to be refuted by risks", () => {
  const random = createRandom("parts of the spectral bound");
  it("has the complexity that Dudley's integral of its covering numbers gives", () => {
    for (let trial = 0; trial < 20; trial++) {
      const [n, margin, W] = [random.integer(2, 3000), 0.1 + random.uniform(), random.integer(1, 40)];
      const [s, b] = [0.5 + random.uniform(), 2 + random.uniform()];
      const dataNorm = Math.sqrt(n) * (0.1 + random.uniform());
      const base = { n, delta: 0.05, margin, marginLoss: 0, biasFree: true, homogeneous: true };
      const options = { ...base, widths: [W, 1], spectralNorms: [s], rowNormSums: [b], dataNorm };
      const [scale, ratio] = [gridLevel(s / margin), gridLevelFromOne(b / s)];
      const level = (2 * scale.cost * ratio.cost) / 0.05;
      const deviation = 3 * Math.sqrt(Math.log(level) / (2 * n));
      // ln N(eps) = K / eps^2: scores to within eps in the norm over the sample, margins sqrt 2 times that.
      const K = 5 * 2 * dataNorm ** 2 * Math.log(2 * W * W) * (scale.level * ratio.level) ** 2;
      const alpha = 1 / Math.sqrt(n);
      let integral = 0;
      const [steps, width] = [4000, Math.log(Math.sqrt(n) / alpha)];
      for (let k = 0; k < steps; k++) {
        const eps = alpha * Math.exp(((k + 0.5) * width) / steps);
        integral += (Math.sqrt(K / eps ** 2) * eps * width) / steps;
      }
      const dudley = 2 * ((4 * alpha) / Math.sqrt(n) + (12 / n) * integral);
      expect(spectralMarginBound(options).value! / (dudley + deviation)).toBeCloseTo(1, 9);
    }
  });

  it("covers products X A by averages of k atoms as Maurey's lemma says, and no better", () => {
    for (let trial = 0; trial < 20; trial++) {
      const [n, d, W, k] = [6, random.integer(1, 5), random.integer(1, 4), random.integer(1, 8)];
      const X = Array.from({ length: n }, () => [...random.normal(d)]);
      const A = Array.from({ length: d }, () => [...random.normal(W)]);
      const column = (M: readonly number[][], j: number): number => Math.hypot(...M.map((row) => row[j]!));
      const [lengths, columns] = [
        Array.from({ length: d }, (_, i) => column(X, i)),
        Array.from({ length: W }, (_, j) => column(A, j)),
      ];
      // X A = sum_ij (A_ij |X e_i|) (X e_i / |X e_i|) e_j^T: atoms of norm 1, 2 d W of them with their signs.
      const weights = A.flatMap((row, i) => row.map((v) => Math.abs(v) * lengths[i]!));
      const total = weights.reduce((a, b) => a + b, 0);
      const bound = Math.hypot(...lengths) * columns.reduce((a, b) => a + b, 0);
      expect(total).toBeLessThanOrEqual(bound * (1 + 1e-12));
      const product = X.map((row) => columns.map((_, j) => row.reduce((s, v, i) => s + v * A[i]![j]!, 0)));
      const square = product.flat().reduce((s, v) => s + v * v, 0);
      const errors = Array.from({ length: 400 }, () => {
        const mean = product.map((row) => row.map(() => 0));
        for (let draw = 0; draw < k; draw++) {
          let [u, at] = [random.uniform() * total, 0];
          while (at < weights.length - 1 && u >= weights[at]!) u -= weights[at++]!;
          const [i, j] = [Math.floor(at / W), at % W];
          X.forEach((row, r) => {
            mean[r]![j]! += (((Math.sign(A[i]![j]!) * total) / k) * row[i]!) / lengths[i]!;
          });
        }
        return mean.reduce((s, row, r) => s + row.reduce((t, v, j) => t + (v - product[r]![j]!) ** 2, 0), 0);
      });
      // E |mean - X A|^2 = (total^2 - |X A|^2) / k, so that some average of k atoms is within total / sqrt k.
      expect(Math.min(...errors)).toBeLessThanOrEqual((total ** 2 / k) * (1 + 1e-12));
      const [expected, seen] = [(total ** 2 - square) / k, errors.reduce((a, b) => a + b) / 400];
      const spread = Math.sqrt(errors.reduce((s, e) => s + (e - seen) ** 2, 0) / 400 / 399);
      expect(Math.abs(seen - expected)).toBeLessThanOrEqual(6 * spread + 1e-9 * total ** 2);
    }
  });
});

describe("the best of some margins", () => {
  it("tries margins from the least to the greatest, each with the share of examples that do not exceed it", () => {
    const margins = Array.from({ length: 90 }, (_, k) => Math.round(40 * Math.sin(k + 0.3)) / 20);
    const tried: { margin: number; marginLoss: number }[] = [];
    bestOverMargins(margins, (at) => {
      tried.push(at);
      return { name: "", value: at.margin, unmet: [] } as unknown as GeneralizationBound;
    });
    expect(tried.length).toBeGreaterThan(20);
    for (const { margin, marginLoss } of tried)
      expect(marginLoss).toBe(margins.filter((t) => t <= margin).length / margins.length);
    expect(Math.max(...tried.map((t) => t.margin))).toBe(Math.max(...margins));
    expect(Math.max(...tried.map((t) => t.marginLoss))).toBe(1);
  });
});

it("depth costs the lesser of two factors: 2^(L-1) up to two layers, 1 + sqrt(2 (L-1) ln 2) from three on", () => {
  const factor = (depth: number): number => normRademacher({ depth, normProduct: 1, dataNorm: 1, n: 1 });
  expect([1, 2].map(factor)).toEqual([1, 2]);
  expect(factor(3)).toBeCloseTo(1 + 2 * Math.sqrt(Math.log(2)), 12);
  expect(factor(9)).toBeCloseTo(1 + 4 * Math.sqrt(Math.log(2)), 12);
});
