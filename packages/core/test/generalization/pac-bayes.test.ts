import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { klUpperInverse } from "../../src/generalization/bounds/bernoulli-kl.ts";
import { chosenPrior, diagonalGaussian, gaussianKl } from "../../src/generalization/bounds/pac-bayes.ts";
import {
  certifyPosterior,
  drawnNetwork,
  freshWeights,
  halvedPacBayes,
  pacBayesStatement,
  sampledRisk,
  trainPacBayes,
} from "../../src/generalization/pac-bayes-training/index.ts";
import { divergenceValue } from "../../src/generalization/pac-bayes-training/posterior-objective.ts";
import { float32, graph } from "../../src/graph/builder.ts";
import { type Graph, isSparse } from "../../src/graph/graph.ts";
import { encode, numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { initialNetwork } from "../../src/train/network.ts";
import { trainableWeights } from "../../src/train/weights.ts";

const random = createRandom("pac-bayes");

/** Two normal clouds, some labels wrong. */
function clouds(n: number, d: number, noise = 0.05) {
  const y = Array.from({ length: n }, () => random.integer(0, 1));
  const x = Float32Array.from({ length: n * d }, (_, k) => {
    const label = 2 * y[Math.floor(k / d)]! - 1;
    return random.normal() + (k % d === 0 ? 2 * label : 0);
  });
  const labels = y.map((label) => (random.uniform() < noise ? 1 - label : label));
  return {
    x: tensor(x, { type: "float32", dims: [n, d] }),
    target: tensor(labels, { type: "int64", dims: [n] }),
  };
}

const weightMap = (model: Graph, of: (value: number) => number): ReadonlyMap<string, Tensor> =>
  new Map(
    trainableWeights(model).map((name) => {
      const weight = model.initializers.get(name)!;
      if (isSparse(weight)) throw new Error(name);
      return [name, { ...weight, data: encode(Float64Array.from(numbers(weight), of), "float32") }];
    }),
  );

describe("Gaussian divergence", () => {
  it("agrees with an integral", () => {
    const [mean, s, scale] = [0.7, 0.4, 1.3];
    const density = (x: number, mu: number, sd: number) =>
      Math.exp(-(((x - mu) / sd) ** 2) / 2) / (sd * Math.sqrt(2 * Math.PI));
    let integral = 0;
    for (let k = -4000; k <= 4000; k++) {
      const x = mean + (k / 4000) * 10 * s;
      const q = density(x, mean, s);
      if (q > 0) integral += q * Math.log(q / density(x, 0, scale)) * ((10 * s) / 4000);
    }
    const weights = { centre: [0], mean: [mean], deviation: [s] };
    expect(gaussianKl(diagonalGaussian(weights), scale ** 2)).toBeCloseTo(integral, 8);
    expect(gaussianKl(diagonalGaussian(weights, scale), 1)).toBeCloseTo(integral, 8);
  });

  it("is a sum over the weights, whatever the unit, for many of them", () => {
    const [count, scale] = [100_000, 0.03];
    const [mean, centre] = [random.normal(count), random.normal(count)].map((v) => v.map((t) => scale * t));
    const deviation = random.normal(count).map((v) => scale * Math.exp(0.1 * v));
    let sum = 0;
    for (let i = 0; i < count; i++) {
      const [ratio, shift] = [deviation[i]! / scale, (mean![i]! - centre![i]!) / scale];
      sum += (ratio * ratio - 1 + shift * shift) / 2 - Math.log(ratio);
    }
    const weights = { centre: centre!, mean: mean!, deviation };
    for (const unit of [scale, 1, 100])
      expect(gaussianKl(diagonalGaussian(weights, unit), (scale / unit) ** 2)).toBeCloseTo(sum, 5);
  });

  it("is least at the chosen scale of the grid around a unit, whose weights sum to 1", () => {
    const [unit, grid] = [2, { centre: 1, precision: 10 }];
    for (let trial = 0; trial < 50; trial++) {
      const size = 10 ** (2 * random.uniform() - 1);
      const q = diagonalGaussian(
        {
          centre: random.normal(5),
          mean: random.normal(5).map((v) => size * v),
          deviation: random.uniform(5).map((u) => size * (0.05 + u)),
        },
        unit,
      );
      const found = chosenPrior(q, grid);
      // Every prior of the grid, by hand.
      let best = Number.POSITIVE_INFINITY;
      for (let j = -400; j <= 400; j++) {
        const cost = Math.log(((Math.PI ** 2 + 3) / 3) * Math.max(1, j * j));
        best = Math.min(best, gaussianKl(q, Math.exp(-j / 10)) + cost);
      }
      expect(found.kl + found.logPriorCost).toBeCloseTo(best, 9);
      expect(found.variance).toBeCloseTo(Math.exp(-found.j / 10), 12);
    }
    let sum = 0;
    for (let j = -2000; j <= 2000; j++) {
      const q = { parameters: 1e12, squaredDistance: 0, varianceSum: 1e12 * Math.exp(-j / 1e4) };
      const { logPriorCost, j: at } = chosenPrior(
        { ...q, logVarianceSum: -1e12 * (j / 1e4) },
        { centre: 1, precision: 1e4 },
      );
      expect(at).toBe(j);
      sum += Math.exp(-logPriorCost);
    }
    expect(sum).toBeLessThan(1);
    expect(sum).toBeGreaterThan(0.9995);
  });
});

describe("the divergence in the graph", () => {
  it("is that of double precision, for hundred thousands of weights in f32", async () => {
    // Sums of many equal numbers round alike: as a difference of two means it would be off by tens.
    const count = 784 * 256;
    const type = float32(784, 256);
    const net = graph({ shift: type, spread: type }, (given) => ({
      y: divergenceValue(given.shift, given.spread),
    }));
    for (const [shared, sd] of [
      [0.0013, 0],
      [0.0031, 0],
      [-0.0043, 1e-4],
      [0.4, 0.02],
    ] as const) {
      const [shift, spread] = [0, shared].map((at) =>
        tensor(
          random.normal(new Float32Array(count)).map((v) => at + sd * v),
          { type: "float32", dims: [784, 256] },
        ),
      ) as [Tensor, Tensor];
      const found = numbers((await run(net, { shift, spread })).y!)[0]!;
      const deviation = Float64Array.from(numbers(spread), Math.exp);
      const gaussian = { centre: new Float32Array(count), mean: numbers(shift), deviation };
      const q = diagonalGaussian(gaussian);
      const exact = gaussianKl(q, (q.varianceSum + q.squaredDistance) / count);
      expect(Math.abs(found - exact)).toBeLessThan(0.02 + 1e-3 * exact);
    }
  });
});

describe("a network with normal weights", () => {
  it("has the moments of networks with drawn weights", async () => {
    const model = initialNetwork("3-4-tanh-2", { seed: 1 });
    const weights = trainableWeights(model);
    const { graph: net, noises, perExample } = drawnNetwork(model, weights);
    expect(perExample).toBe(true);
    const [mean, deviation] = [weightMap(model, (v) => v), weightMap(model, () => 0.3)];
    const count = 20000;
    const row = [0.5, -1, 2];
    const x = tensor(
      Float32Array.from({ length: 3 * count }, (_, k) => row[k % 3]!),
      {
        ...{ type: "float32", dims: [count, 3] },
      },
    );
    const inputs = Object.fromEntries([
      ...weights.flatMap((name) => [
        [`mean/${name}`, mean.get(name)!],
        [`deviation/${name}`, deviation.get(name)!],
      ]),
      ...noises.map(({ name, type }) => {
        const dims = [count, type.shape![1] as number];
        return [
          name,
          tensor(random.normal(new Float32Array(dims[0]! * dims[1]!)), { type: "float32", dims }),
        ];
      }),
    ]);
    const drawn = numbers((await run(net, { x, ...inputs })).y!);
    // The same by weights that are drawn one by one.
    const parts = weights.map((name) => numbers(mean.get(name)!));
    let [sum, squares] = [0, 0];
    for (let k = 0; k < count; k++) {
      const [W1, b1, W2, b2] = parts.map((p) => Array.from(p, (v) => v + 0.3 * random.normal()));
      const h = b1!.map((b, j) => Math.tanh(row.reduce((s, v, i) => s + v * W1![i * 4 + j]!, b)));
      const y = h.reduce((s, v, j) => s + v * W2![j * 2]!, b2![0]!);
      sum += y;
      squares += y * y;
    }
    const first = Array.from({ length: count }, (_, k) => drawn[2 * k]!);
    const average = first.reduce((a, b) => a + b) / count;
    const second = first.reduce((a, b) => a + b * b, 0) / count;
    // Five standard errors of the difference of two means.
    const spread = Math.sqrt(squares / count);
    expect(Math.abs(average - sum / count)).toBeLessThan((5 * Math.SQRT2 * spread) / Math.sqrt(count));
    expect(second / (squares / count)).toBeCloseTo(1, 1);
  });

  it("shares one draw among the examples of a group where a convolution reads the weights", async () => {
    const model = initialNetwork("1x6x6-conv2k3-relu-flatten-2", { seed: 2 });
    expect(drawnNetwork(model, trainableWeights(model)).perExample).toBe(false);
    const x = tensor(random.normal(new Float32Array(23 * 36)), { type: "float32", dims: [23, 1, 6, 6] });
    const outputs = numbers((await run(model, { x })).y!);
    const classes = Array.from({ length: 23 }, (_, i) => (outputs[2 * i + 1]! > outputs[2 * i]! ? 1 : 0));
    const target = tensor(classes, { type: "int64", dims: [23] });
    const posterior = { model, mean: weightMap(model, (v) => v), deviation: weightMap(model, () => 0) };
    const found = await sampledRisk(posterior, { x, target }, { delta: 0.1, random, passes: 2, group: 5 });
    expect(found.estimate).toBe(0); // no noise: the network itself, which is right on its own classes
    expect(found.draws).toBeCloseTo((2 * 23) / 5, 12);
    expect(found.upper).toBeCloseTo(klUpperInverse(0, Math.log(10) / found.draws), 12);
  });
});

describe("an untrained copy", () => {
  it("has the architecture, and weights of the usual scale that know nothing of the old ones", async () => {
    const model = initialNetwork("784-256-relu-10", { seed: 1 });
    const zeros = { ...model, initializers: new Map(model.initializers) };
    for (const [name, weight] of weightMap(model, () => 0)) zeros.initializers.set(name, weight);
    const [fresh, other] = [freshWeights(model, 3), freshWeights(zeros, 3)];
    for (const [name, weight] of fresh.initializers) expect(other.initializers.get(name)).toEqual(weight);
    const W = Array.from(numbers(fresh.initializers.get("layer1.weight") as Tensor));
    const variance = W.reduce((s, v) => s + v * v, 0) / W.length;
    expect(variance * (784 / 2)).toBeCloseTo(1, 1); // 2 / fan-in
    expect(numbers(fresh.initializers.get("layer1.bias") as Tensor).every((v: number) => v === 0)).toBe(true);
  });

  it("forgets the statistics of a normalization", () => {
    const numbersOf = (...values: number[]) => tensor(values, { type: "float32" });
    const F = tensor(random.normal(new Float32Array(2 * 9)), { type: "float32", dims: [2, 1, 3, 3] });
    const net = graph({ x: float32("N", 1, 5, 5) }, ({ x }) => ({
      y: x
        .op("Conv", [F], { kernel_shape: [3, 3] })
        .op("BatchNormalization", [numbersOf(5, 6), numbersOf(7, 8), numbersOf(1, 2), numbersOf(3, 4)]),
    }));
    const fresh = freshWeights(net, 1);
    const norm = fresh.nodes.find((n) => n.op === "BatchNormalization")!;
    const found = norm.inputs
      .slice(1)
      .map((name) => Array.from(numbers(fresh.initializers.get(name) as Tensor)));
    expect(found).toEqual([
      [1, 1],
      [0, 0],
      [0, 0],
      [1, 1],
    ]);
  });
});

describe("PAC-Bayes", () => {
  it("bounds the risk of the classifier that it trains", async () => {
    const data = clouds(1200, 4);
    const { bound, empirical, posterior, klDivergence, conditions, n, ...rest } = await halvedPacBayes(
      initialNetwork("4-8-relu-2", { seed: 3 }),
      data,
      {
        epochs: 5,
        passes: 3,
        threads: 1,
        prior: { loss: "cross-entropy", optimizer: "adam", rate: 0.02, epochs: 20 },
      },
    );
    expect(n).toBe(600);
    expect(rest.delta).toBe(0.05);
    expect(empirical.estimate).toBeLessThan(empirical.upper);
    expect(klDivergence).toBeGreaterThanOrEqual(0);
    expect(conditions.length).toBeGreaterThan(3);
    const fresh = await sampledRisk(posterior, clouds(5000, 4), { delta: 1e-6, random, passes: 1 });
    expect(fresh.estimate).toBeLessThan(bound);
    expect(bound).toBeLessThan(0.25);
    expect(pacBayesStatement({ bound, empirical, klDivergence, conditions, n, ...rest }).vacuous).toBe(false);
  });

  it("learns on the second part what the prior has not", async () => {
    const [prior, data] = [initialNetwork("4-8-relu-2", { seed: 4 }), clouds(4000, 4)];
    const units = new Map(trainableWeights(prior).map((name) => [name, 0.1]));
    const still = { model: prior, mean: weightMap(prior, (v) => v), deviation: weightMap(prior, () => 0.1) };
    const before = await certifyPosterior(still, { model: prior, units }, data, {
      delta: 0.05,
      random,
      passes: 1,
    });
    const after = await trainPacBayes(prior, data, { epochs: 20, passes: 1, threads: 1, rate: 0.02 });
    expect(before.klDivergence).toBeLessThan(1);
    expect(after.klDivergence).toBeGreaterThan(1);
    expect(after.bound).toBeLessThan(before.bound);
  });

  it("pays for each spread that it tries", async () => {
    const [prior, data] = [initialNetwork("4-6-relu-2", { seed: 6 }), clouds(300, 4)];
    const how = { epochs: 3, passes: 1, threads: 1, rate: 0.02, seed: 2 };
    const spreads = [0.05, 0.2, 0.8];
    const best = await trainPacBayes(prior, data, { ...how, spreads, delta: 0.03 });
    const alone = await Promise.all(
      spreads.map((spread) => trainPacBayes(prior, data, { ...how, spread, delta: 0.01 })),
    );
    expect(best.bound).toBe(Math.min(...alone.map(({ bound }) => bound)));
    expect(best.delta).toBe(0.03);
    expect(alone.find(({ spread }) => spread === best.spread)!.bound).toBe(best.bound);
    expect(best.conditions.at(-1)).toMatch(/best of 3 spreads/);
    await expect(trainPacBayes(prior, data, { ...how, spreads: [] })).rejects.toThrow(/no spread/);
    await expect(trainPacBayes(prior, data, { ...how, spreads: [0.1, 0] })).rejects.toThrow(/spread of 0/);
  });

  it("sees no structure in random labels", async () => {
    const data = clouds(400, 4, 0.5);
    const { bound, empirical } = await trainPacBayes(initialNetwork("4-8-relu-2", { seed: 5 }), data, {
      ...{ epochs: 20, passes: 2, threads: 1, rate: 0.03 },
    });
    expect(bound).toBeGreaterThan(0.5);
    expect(bound).toBeGreaterThan(empirical.upper);
  });

  it("says what is wrong with its input", async () => {
    const net = initialNetwork("4-2", { seed: 1 });
    await expect(trainPacBayes(net, clouds(20, 4), { delta: 2 })).rejects.toThrow(/delta = 2/);
    await expect(halvedPacBayes(net, clouds(20, 4), { priorShare: 1 })).rejects.toThrow(/prior share/);
    await expect(trainPacBayes(net, clouds(4, 4), { epochs: 1 })).rejects.toThrow(/at least 8 examples/);
  });
});
