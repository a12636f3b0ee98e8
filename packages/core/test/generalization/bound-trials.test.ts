// Every bound on hundreds of problems whose risk is known, at its own confidence; and the same bound without its complexity
// term, which the same trials must refute: else they would show nothing.
import { describe, expect, it } from "vitest";
import { coveringExcessBound, coveringMarginBound } from "../../src/generalization/bounds/covering-bound.ts";
import { occamBound, occamKlBound } from "../../src/generalization/bounds/finite-class.ts";
import { normMarginBound, rademacherMarginBound } from "../../src/generalization/bounds/margin.ts";
import { gaussianPacBayesBound, pacBayesBound } from "../../src/generalization/bounds/pac-bayes.ts";
import { pacBayesMarginBound } from "../../src/generalization/bounds/pac-bayes-margin.ts";
import { depthFreeFactor, exponentialDepthFactor } from "../../src/generalization/bounds/rademacher-norm.ts";
import { spectralMarginBound } from "../../src/generalization/bounds/spectral-margin.ts";
import { validationBound } from "../../src/generalization/bounds/validation.ts";
import { growthGapBound, networkVcBound, vcGapBound } from "../../src/generalization/bounds/vc.ts";
import { type CoinMemory, coinMemory } from "../../src/generalization/memorization/coin-memory.ts";
import {
  bernsteinDeviation,
  bernsteinRoot,
  empiricalBernstein,
  hoeffdingDeviation,
} from "../../src/generalization/memorization/searched-family.ts";
import { certifyPosterior } from "../../src/generalization/pac-bayes-training/index.ts";
import { type Tensor, tensor } from "../../src/graph/tensor.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";
import { binomialTail, normalCdf } from "../../src/numbers/statistics.ts";
import { initialNetwork } from "../../src/train/network.ts";

const delta = 0.05;
const trials = 300;

/** Too many failures to be true with probability 1 - delta. */
const isRefuted = (failures: number, count = trials): boolean => binomialTail(count, delta, failures) < 1e-6;

interface Trial {
  readonly risk: number;
  readonly bound: number;
  /** The bound of a problem without complexity. */
  readonly without: number;
  /** The part of the bound that is not the empirical risk, halved; where that is refuted, too. */
  readonly half?: number;
}

function failuresOf(name: string, trial: (random: Random) => Trial, count = trials) {
  const random = createRandom(`trials of ${name}`);
  const failures = { bound: 0, without: 0, half: 0 };
  for (let k = 0; k < count; k++) {
    const { risk, ...bounds } = trial(random);
    for (const key of ["bound", "without", "half"] as const) if (risk > (bounds[key] ?? 1)) failures[key]++;
  }
  return failures;
}

const halved = (empirical: number, bound: number): number => empirical + (bound - empirical) / 2;

/** The law of the fewest errors in n examples among models that are all wrong with this probability, independently. */
function luckiestOf(models: number, n: number, risk: number): (random: Random) => number {
  const atLeast = Array.from({ length: n + 2 }, (_, k) => binomialTail(n, risk, k));
  // P(all models have at least k errors) = P(one has)^models.
  return (random) => {
    const u = random.uniform();
    let k = 0;
    while (k < n && atLeast[k + 1]! ** models > u) k++;
    return k;
  };
}

describe("the luckiest of many models, all of one risk", () => {
  const [models, n, risk] = [1000, 2000, 0.4];
  const luckiest = luckiestOf(models, n, risk);
  const searched = (bound: (errors: number, models: number) => number) => (random: Random) => {
    const errors = luckiest(random);
    const value = bound(errors, models);
    return { risk, bound: value, without: bound(errors, 1), half: halved(errors / n, value) };
  };
  const occam = (of: typeof occamBound) => (errors: number, count: number) =>
    of({ empirical: errors / n, logInverseWeight: Math.log(count), n, delta }).value!;
  const deviation = (of: (count: number, share: number) => number) => (errors: number, count: number) =>
    errors / n + of(count, errors / n);
  const family = (count: number) => ({ m: n, models: count, delta });
  const constants = { C: 0.6, variance: 0.24 };
  const bounds: Readonly<Record<string, (errors: number, count: number) => number>> = {
    occamBound: occam(occamBound),
    occamKlBound: occam(occamKlBound),
    validationBound: (errors, count) => validationBound({ errors, models: count, n, delta }).value!,
    hoeffdingDeviation: deviation((count) => hoeffdingDeviation(family(count))),
    bernsteinDeviation: deviation((count) => bernsteinDeviation(family(count), constants)),
    bernsteinRoot: deviation((count) => bernsteinRoot(family(count), constants)),
    empiricalBernstein: deviation((count, share) =>
      empiricalBernstein(family(count), (share * (1 - share) * n) / (n - 1)),
    ),
  };
  it("has the errors of models that are drawn", () => {
    const random = createRandom("luckiest");
    const [draw, drawn] = [luckiestOf(5, 12, 0.4), luckiestOf(1, 12, 0.4)];
    const means = [0, 0];
    for (let k = 0; k < 20_000; k++) {
      means[0]! += draw(random) / 20_000;
      means[1]! += Math.min(...Array.from({ length: 5 }, () => drawn(random))) / 20_000;
    }
    expect(Math.abs(means[0]! - means[1]!)).toBeLessThan(0.1); // seven standard errors
  });
  for (const [name, bound] of Object.entries(bounds))
    it(`is no counterexample to ${name}, but to it without the search, and to half of it`, () => {
      const failures = failuresOf(name, searched(bound));
      expect(isRefuted(failures.bound), `${failures.bound} failures`).toBe(false);
      expect(isRefuted(failures.without), `${failures.without} failures without`).toBe(true);
      expect(isRefuted(failures.half), `${failures.half} failures of the half`).toBe(true);
    });
});

/** Networks that know coin throws by heart: their risk is 1/2, and the training error 0 or nearly so. */
const memories: Readonly<
  Record<string, (memory: CoinMemory, complexity: 0 | 1) => { value?: number; unmet: readonly string[] }>
> = (() => {
  const tiny = 1e-9;
  const layered = (o: CoinMemory) => ({
    ...{ ...o, n: o.examples, delta, margin: o.margin * (1 - 2 ** -40), marginLoss: o.trainError },
    ...{ outputs: 1, biasFree: true, homogeneous: true, relu: true },
  });
  const lengths = (o: CoinMemory, complexity: 0 | 1): CoinMemory =>
    complexity ? o : { ...o, dataNorm: tiny, inputRadius: tiny };
  return {
    growthGapBound: (o, c) => {
      const gap = growthGapBound({ logGrowth: c * o.examples * Math.LN2, n: o.examples, delta });
      return { ...gap, value: o.trainError + gap.value! };
    },
    vcGapBound: (o, c) => {
      const gap = vcGapBound({ dimension: c * o.widths[0]!, n: o.examples, delta });
      return { ...gap, value: o.trainError + gap.value! };
    },
    networkVcBound: (o, c) =>
      networkVcBound({
        ...{ empirical: o.trainError, piecewise: true, n: o.examples, delta },
        widths: c ? o.widths : [1, 1],
      }),
    occamBound: (o, c) =>
      occamBound({
        ...{ empirical: o.trainError, n: o.examples, delta },
        logInverseWeight: c * 64 * o.parameters * Math.LN2,
      }),
    rademacherMarginBound: (o, c) =>
      rademacherMarginBound({
        ...layered(o),
        // Of linear functions of norm sqrt(2 n) at most, fixed beforehand; counts are at least 1 where they are not 0.
        margin: 1,
        complexity: (c * Math.sqrt(2 * o.examples) * o.dataNorm) / o.examples,
      }),
    "normMarginBound, 2^(L-1)": (o, c) =>
      normMarginBound({ ...layered(lengths(o, c)), depthFactor: exponentialDepthFactor }),
    "normMarginBound, root of depth": (o, c) =>
      normMarginBound({ ...layered(lengths(o, c)), depthFactor: depthFreeFactor }),
    spectralMarginBound: (o, c) => spectralMarginBound(layered(lengths(o, c))),
    pacBayesMarginBound: (o, c) => pacBayesMarginBound(layered(lengths(o, c))),
    coveringMarginBound: (o, c) =>
      coveringMarginBound({
        ...layered(o),
        networks: {
          widths: c ? o.widths : [1, 1],
          B: o.greatestParameter,
          inputRadius: c ? o.inputRadius : tiny,
          activation: "relu",
        },
      }),
  };
})();

describe("a network that memorizes coin throws", () => {
  for (const [name, bound] of Object.entries(memories))
    it(`is no counterexample to ${name}, but to it without its complexity`, () => {
      const failures = failuresOf(name, (random) => {
        const memory = coinMemory(random.integer(1500, 4000), random.integer(2, 4), random);
        const [whole, without] = [bound(memory, 1), bound(memory, 0)];
        expect([...whole.unmet, ...without.unmet]).toEqual([]);
        return { risk: 0.5, bound: whole.value!, without: without.value! };
      });
      expect(isRefuted(failures.bound), `${failures.bound} failures`).toBe(false);
      expect(isRefuted(failures.without), `${failures.without} failures without`).toBe(true);
    });

  it("is no counterexample to PAC-Bayes, but to it without the divergence", () => {
    const failures = failuresOf("pacBayesBound", (random) => {
      const { examples: n, weights } = coinMemory(random.integer(200, 1000), 2, random);
      // N(r w / |w|, I) says y at a unit vector e_j with probability Phi(r |w_j| / |w|).
      const norm = Math.sqrt([...weights.values()].reduce((s, v) => s + v * v, 0));
      const r = 2 * Math.sqrt(n);
      let wrong = 0;
      for (const [, v] of weights) wrong += normalCdf((-r * Math.abs(v)) / norm);
      const empirical = Math.min(1, wrong / weights.size);
      const [kl, free] = [r ** 2 / 2, 0].map((k) => pacBayesBound({ empirical, kl: k, n, delta }).value!);
      return { risk: 0.5, bound: kl!, without: free! };
    });
    expect(isRefuted(failures.bound)).toBe(false);
    expect(isRefuted(failures.without)).toBe(true);
  });

  it("is no counterexample to a Gaussian posterior, but to one without distance", () => {
    const failures = failuresOf("gaussianPacBayesBound", (random) => {
      const n = random.integer(200, 1000);
      const d = 10 * n;
      const posterior = (squaredDistance: number) => ({
        ...{ parameters: d, squaredDistance, varianceSum: d / 4, logVarianceSum: -d * Math.log(4) },
      });
      // N(2 y on what was seen, I / 4): errs there with probability Phi(-4).
      const options = { empirical: normalCdf(-4), n, delta, grid: { ceiling: 10, precision: 100 } };
      const [whole, without] = [4 * n, 0].map((s) => gaussianPacBayesBound(posterior(s), options).value!);
      return { risk: 0.5, bound: whole!, without: without! };
    });
    expect(isRefuted(failures.bound)).toBe(false);
    expect(isRefuted(failures.without)).toBe(true);
  });
});

describe("minimizers of the empirical risk", () => {
  it("that are wrong wherever they can are no counterexample to covering numbers", () => {
    const failures = failuresOf("coveringExcessBound", (random) => {
      // All functions from N points to [-1, 1], the loss |f - y| / 2, and one y at each point.
      const [n, points] = [random.integer(150, 400), random.integer(100, 400)];
      const seen = new Set(Array.from({ length: n }, () => random.integer(1, points)));
      const risk = 1 - seen.size / points;
      const options = { n, M: 1, lipschitz: 0.5, delta };
      const logCovering = (eps: number): number => points * Math.log(Math.max(1, Math.ceil(1 / eps)));
      return {
        risk,
        bound: coveringExcessBound(logCovering, options).value!,
        without: coveringExcessBound(() => 0, options).value!,
      };
    });
    expect(isRefuted(failures.bound)).toBe(false);
    expect(isRefuted(failures.without)).toBe(true);
  });
});

describe("certified posteriors", () => {
  it("that memorize are no counterexample, but to the bound without the divergence", async () => {
    const random = createRandom("trials of posteriors");
    const [n, d, count] = [100, 1000, 200];
    const untrained = initialNetwork(`${d}-1`, { seed: 1 });
    const like = (name: string, values: Float32Array): [string, Tensor] => {
      const { dims } = untrained.initializers.get(name) as Tensor;
      return [name, { type: "float32", dims, data: values }];
    };
    const zeros = new Map([
      like("layer1.weight", new Float32Array(d)),
      like("layer1.bias", new Float32Array(1)),
    ]);
    const model = { ...untrained, initializers: new Map([...untrained.initializers, ...zeros]) };
    const units = new Map([...zeros.keys()].map((name) => [name, 0.5]));
    const deviation = new Map([
      like("layer1.weight", new Float32Array(d).fill(0.5)),
      like("layer1.bias", new Float32Array(1).fill(0.5)),
    ]);
    const failures = { bound: 0, without: 0 };
    for (let k = 0; k < count; k++) {
      const [x, w] = [new Float32Array(n * d), new Float32Array(d)];
      const labels = Array.from({ length: n }, (_, i) => {
        const [j, label] = [random.integer(0, d - 1), random.integer(0, 1)];
        x[i * d + j] = 1;
        w[j]! += 4 * (2 * label - 1);
        return label;
      });
      const posterior = { model, mean: new Map([...zeros, like("layer1.weight", w)]), deviation };
      const data = {
        x: tensor(x, { type: "float32", dims: [n, d] }),
        target: tensor(labels, { type: "int64", dims: [n] }),
      };
      const found = await certifyPosterior(posterior, { model, units }, data, { delta, random, passes: 3 });
      expect(found.klDivergence).toBeGreaterThan(n);
      const without = pacBayesBound({ empirical: found.empirical.upper, kl: 0, n, delta: 0.8 * delta });
      if (0.5 > found.bound) failures.bound++;
      if (0.5 > without.value!) failures.without++;
    }
    expect(isRefuted(failures.bound, count)).toBe(false);
    expect(isRefuted(failures.without, count)).toBe(true);
  });
});
