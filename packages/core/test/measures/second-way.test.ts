// Every measure a second way: plain loops over all examples, finite differences, Jacobi's rotations, paths one by one.
import { beforeAll, describe, expect, it } from "vitest";
import { tensor } from "../../src/graph/tensor.ts";
import { type ModelMeasures, measureModel } from "../../src/measures/measure-model.ts";
import { measureDefinitions } from "../../src/measures/measure-table.ts";
import { weightsOf } from "../../src/measures/weight-risk.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { denseNetwork } from "../../src/train/dense-network.ts";
import {
  answers,
  crossEntropy,
  errorShare,
  jacobiEigenvalues,
  layersOf,
  marginOf,
  meanLoss,
  norm,
  type Place,
  type PlainData,
  type PlainLayer,
  places,
  probabilities,
  singularValues,
  slopes,
  sum,
  weightAt,
} from "./plain-network.ts";

const random = createRandom("a second way");
const widths = [3, 5, 4, 3];
const drawn = (scale: number): readonly PlainLayer[] =>
  widths.slice(1).map((rows, l) => ({
    W: Array.from({ length: rows }, () => Array.from(random.normal(widths[l]!), (v) => scale * v)),
    b: Array.from(random.normal(rows), (v) => 0.3 * scale * v),
  }));
const [layers, start] = [drawn(0.9), drawn(0.4)];
/** Points at which no unit is about to bend, so that differences are derivatives. */
function pointsOf(n: number): number[][] {
  const points: number[][] = [];
  while (points.length < n) {
    const x = Array.from(random.normal(3));
    const { before } = answers(layers, x);
    if (before.flat().every((v) => Math.abs(v) > 0.02)) points.push(x);
  }
  return points;
}
/** The network's own answers, and every seventh one wrong. */
const labelled = (x: readonly number[][]): PlainData => ({
  x,
  y: x.map((point, n) => {
    const { scores } = answers(layers, point);
    const best = scores.indexOf(Math.max(...scores));
    return n % 13 === 3 ? (best + 1) % 3 : best;
  }),
});
const [train, test] = [labelled(pointsOf(40)), labelled(pointsOf(15))];
const tensors = ({ x, y }: PlainData) => ({
  x: tensor(x.map((p) => [...p])),
  y: tensor([...y], { type: "int64" }),
});
const seed = 5;
const losses = [2, 0.9, 0.4, 0.09, 0.05, 0.02, 0.009];

let m: ModelMeasures;
let order: readonly Place[];
beforeAll(async () => {
  const net = denseNetwork(layers, "relu");
  m = await measureModel(net, {
    ...{ data: tensors(train), test: tensors(test), initial: denseNetwork(start, "relu"), seed },
    history: { losses, afterFirstEpoch: denseNetwork(start, "relu") },
    sharpnessExamples: 1000, // all
  });
  // Weights have numbers of their own: that tells where each of them stands in the vector.
  const at = new Map(places(layers).map((place) => [weightAt(layers, place), place]));
  order = Array.from(weightsOf(net).start, (w) => at.get(w)!);
});

const theta = (): readonly number[] => order.map((place) => weightAt(layers, place));
const near = (value: number | undefined, expected: number, relative = 1e-9): void => {
  expect(Math.abs(value! - expected), `${value} for ${expected}`).toBeLessThanOrEqual(
    relative * Math.max(1e-12, Math.abs(expected)),
  );
};
const frobenius = (W: PlainLayer["W"]): number => norm(W.flat());

/** Products of weights along all paths to each output, from inputs and from biases. */
function paths(of: readonly PlainLayer[]): readonly (readonly number[])[] {
  let lists: readonly (readonly number[])[] = Array.from({ length: widths[0]! }, () => [1]);
  for (const { W, b } of of)
    lists = W.map((row, i) => [b[i]!, ...row.flatMap((w, j) => lists[j]!.map((p) => p * w))]);
  return lists;
}

/** |J|_2 at a point, J by central differences of each score. */
function jacobianNorm(x: readonly number[]): number {
  const rows = [0, 1, 2].map((k) => slopes((v) => answers(layers, v).scores[k]!, x, 1e-6));
  return singularValues(rows)[0]!;
}

describe("the weights", () => {
  it("norms, ranks and spectra of each layer", () => {
    m.layers.forEach((l, k) => {
      const { W } = layers[k]!;
      const s = singularValues(W).slice(0, Math.min(W.length, W[0]!.length));
      const [total, squares, fourths] = [1, 2, 4].map((p) => sum(s.map((v) => v ** p)));
      const entropy = -sum(s.map((v) => (v / total!) * Math.log(v / total!)));
      near(l.frobenius, frobenius(W));
      near(l.spectral.value, s[0]!, 1e-6);
      expect(l.spectral.upper).toBeGreaterThanOrEqual(s[0]! * (1 - 1e-12));
      near(l.norm21, sum(W.map(norm)));
      near(l.normInfinity, Math.max(...W.map((row) => sum(row.map(Math.abs)))));
      near(l.stableRank, (frobenius(W) / s[0]!) ** 2, 1e-6);
      near(l.participationRank, squares! ** 2 / fourths!, 1e-6);
      near(l.effectiveRank, Math.exp(entropy), 1e-5);
      l.singularValues!.forEach((v, i) => {
        near(v, s[i] ?? 0, 1e-5);
      });
      const gone = W.map((row, i) => row.map((w, j) => w - start[k]!.W[i]![j]!));
      near(l.fromInitial!.frobenius, frobenius(gone));
      near(l.fromInitial!.spectral, singularValues(gone)[0]!, 1e-6);
      near(l.fromInitial!.norm21, sum(gone.map(norm)));
    });
    near(
      m.spectralProduct,
      layers.reduce((p, { W }) => p * singularValues(W)[0]!, 1),
      1e-6,
    );
    expect(m.parameters).toBe(places(layers).length);
    near(m.weightNorm, norm(theta()));
    near(m.distanceFromInitial, norm(order.map((p) => weightAt(layers, p) - weightAt(start, p))));
  });

  it("paths one by one", () => {
    const all = paths(layers);
    near(m.pathNorm1, sum(all.flat().map(Math.abs)));
    near(m.pathNorm2, norm(all.flat()));
  });

  it("slopes: at every example, between what is seen and what is proved", () => {
    const steepest = Math.max(...train.x.map(jacobianNorm));
    near(m.lipschitzOnData, steepest, 1e-6);
    expect(m.restsOn["lipschitzOnData"]).toBe(40);
    expect(m.lipschitzLower!).toBeGreaterThanOrEqual(m.lipschitzOnData!);
    expect(m.lipschitzLower!).toBeLessThanOrEqual(m.lipschitzUpper!);
    expect(m.lipschitzUpper!).toBeLessThanOrEqual(m.spectralProduct * 1.01);
  });
});

describe("the examples", () => {
  it("errors, losses, margins and entropies of all of them", () => {
    const margins = train.x.map((x, n) => marginOf(answers(layers, x).scores, train.y[n]!));
    const sorted = margins.toSorted((a, b) => a - b);
    expect([m.trainError, m.testError]).toEqual([errorShare(layers, train), errorShare(layers, test)]);
    expect(m.trainError).toBeGreaterThan(0);
    near(m.trainLoss, meanLoss(layers, train));
    near(m.testLoss, meanLoss(layers, test));
    m.margins!.sorted.forEach((v, k) => {
      expect(v).toBeCloseTo(sorted[k]!, 9);
    });
    near(m.margins!.q10, sorted[3]!); // four of forty are not above it
    near(m.margins!.median, sorted[19]!);
    near(m.margins!.mean, sum(sorted) / 40);
    const entropies = train.x.map(
      (x) => -sum(probabilities(answers(layers, x).scores).map((p) => p * Math.log(p))),
    );
    near(m.outputEntropy, sum(entropies) / 40);
    expect([m.restsOn["trainError"], m.restsOn["testError"], m.restsOn["margins"]]).toEqual([40, 15, 40]);
  });

  it("activity of the units", () => {
    m.activity.forEach((a, l) => {
      const values = train.x.map((x) => answers(layers, x).hidden[l]!);
      const units = values[0]!.map((_, k) => values.map((row) => row[k]!));
      expect(a.units).toBe(units.length);
      near(a.dead, units.filter((unit) => unit.every((v) => v <= 0)).length / units.length);
      near(a.active, values.flat().filter((v) => v > 0).length / values.flat().length);
      near(a.mean, sum(values.flat()) / values.flat().length);
    });
    expect(m.activity.length).toBe(2);
  });

  it("Rademacher complexity of the last layer, by signs of our own", () => {
    const features = train.x.map((x) => answers(layers, x).hidden.at(-1)!);
    const radius = Math.max(...layers.at(-1)!.W.map(norm));
    const signs = createRandom("signs of our own");
    const values = Array.from({ length: 20_000 }, () => {
      const drawnSigns = features.map(() => (signs.integer(0, 1) === 1 ? 1 : -1));
      return (
        (radius / 40) * norm(features[0]!.map((_, j) => sum(features.map((f, n) => drawnSigns[n]! * f[j]!))))
      );
    });
    const mean = sum(values) / values.length;
    const spread = Math.sqrt(sum(values.map((v) => (v - mean) ** 2))) / values.length;
    near(m.rademacher!.upper, (radius / 40) * norm(features.flat()), 1e-7); // features are kept in f32
    expect(Math.abs(m.rademacher!.value - mean)).toBeLessThan(
      6 * Math.hypot(spread, m.rademacher!.standardError),
    );
  });
});

describe("around the weights", () => {
  const lossAt = (v: ArrayLike<number>): number => meanLoss(layersOf(layers, order, v), train);
  const errorAt = (v: ArrayLike<number>): number => errorShare(layersOf(layers, order, v), train);
  const noises = (): readonly Float32Array[] => {
    const draws = createRandom(seed).split("sharpness");
    return [0, 1, 2, 3].map((k) => draws.split(`noise ${k}`).normal(new Float32Array(order.length)));
  };
  const value = (found: { readonly value: number } | { readonly reason: string }): number => {
    if ("reason" in found) throw new Error(found.reason);
    return found.value;
  };

  it("gradient and both ends of the Hessian, by finite differences", () => {
    near(value(m.sharpness!.gradientNorm), norm(slopes(lossAt, theta())), 1e-6);
    const h = 1e-3;
    const moved = (i: number, by: number, j: number, and: number): number =>
      lossAt(theta().map((v, k) => v + (k === i ? by : 0) + (k === j ? and : 0)));
    const second = (i: number, j: number): number =>
      (moved(i, h, j, h) - moved(i, h, j, -h) - moved(i, -h, j, h) + moved(i, -h, j, -h)) / (4 * h * h);
    const rows = theta().map((_, i) => theta().map((__, j) => (j <= i ? second(i, j) : 0)));
    const eigenvalues = jacobiEigenvalues(
      rows.map((row, i) => row.map((v, j) => (j <= i ? v : rows[j]![i]!))),
    );
    const { hessian } = m.sharpness!;
    if ("reason" in hessian) throw new Error(hessian.reason);
    expect(hessian.converged).toEqual({ greatest: true, least: true });
    near(hessian.greatest, eigenvalues.at(-1)!, 2e-3);
    near(hessian.least, eigenvalues[0]!, 2e-2);
  });

  it("rises under the same noise", () => {
    const rise = (scale: (w: number) => number): number => {
      const found = noises().map((z) => lossAt(theta().map((w, k) => w + 0.01 * scale(w) * z[k]!)));
      return sum(found) / 4 - lossAt(theta());
    };
    near(
      m.sharpness!.randomRise.rise,
      rise(() => 1),
      1e-6,
    );
    near(m.sharpness!.randomRise.riseWithMagnitudes, rise(Math.abs), 1e-6);
  });

  it("radii: the error keeps below its limit up to them, and not a step further", () => {
    const limit = errorAt(theta()) + 0.1;
    const step = 4 ** (1 / 2 ** 5); // what the bisection leaves open
    const underNoise = (radius: number, size: (w: number) => number, floor: number): number =>
      sum(
        noises().map((z) => errorAt(theta().map((w, k) => w + Math.hypot(radius * size(w), floor) * z[k]!))),
      ) / 4;
    const from = createRandom(seed)
      .split("sharpness")
      .split("ascent")
      .uniform(new Float32Array(order.length));
    const ascended = (radius: number, size: (w: number) => number, floor: number): number => {
      const room = theta().map((w) => radius * size(w) + floor);
      let at: readonly number[] = theta().map((w, k) => w + (from[k]! - 0.5) * room[k]!);
      let worst = 0;
      for (let k = 0; k < 5 && worst <= limit; k++) {
        const slope = slopes(lossAt, at);
        at = at.map((v, i) => {
          const moved = v + ((room[i]! * 2) / (k + 2)) * Math.sign(slope[i]!);
          return Math.min(theta()[i]! + room[i]!, Math.max(theta()[i]! - room[i]!, moved));
        });
        worst = Math.max(worst, errorAt(at));
      }
      return worst;
    };
    const { sigma, sigmaMagnitude, alpha, alphaMagnitude } = m.sharpness!;
    for (const [radius, error, size, floor] of [
      [sigma, underNoise, () => 1, 0],
      [sigmaMagnitude, underNoise, Math.abs, 1e-3],
      [alpha, ascended, () => 1, 0],
      [alphaMagnitude, ascended, Math.abs, 1e-3],
    ] as const) {
      expect(error(value(radius), size, floor)).toBeLessThanOrEqual(limit + 1e-12);
      expect(error(value(radius) * step, size, floor)).toBeGreaterThan(limit);
    }
  });

  it("variance of gradients over batches of ten, and slopes along the weights of each example", () => {
    const chosen = createRandom(seed).split("examples").permutation(40);
    const noiseOf = (of: readonly PlainLayer[]): number => {
      const at = order.map((place) => weightAt(of, place));
      const means = [0, 1, 2, 3].map((b) => {
        const rows = Array.from(chosen.subarray(10 * b, 10 * b + 10));
        const batch = { x: rows.map((n) => train.x[n]!), y: rows.map((n) => train.y[n]!) };
        return slopes((v) => meanLoss(layersOf(layers, order, v), batch), at);
      });
      const centre = at.map((_, k) => sum(means.map((g) => g[k]!)) / 4);
      return (10 * sum(means.map((g) => norm(g.map((v, k) => v - centre[k]!)) ** 2))) / 3;
    };
    near(value(m.sharpness!.gradientNoise), noiseOf(layers), 1e-5);
    near(namedOf("grad-noise-epoch-1"), noiseOf(start), 1e-5);
    const along = train.x.map((x, n) => {
      const at = (t: number): number =>
        crossEntropy(
          layersOf(
            layers,
            order,
            theta().map((w) => t * w),
          ),
          x,
          train.y[n]!,
        );
      return (at(1 + 1e-5) - at(1 - 1e-5)) / 2e-5;
    });
    near(namedOf("fisher-rao"), (16 * norm(along) ** 2) / 40, 1e-6);
  });
});

const namedOf = (id: string): number => m.named.find((each) => each.id === id)!.value!;

describe("measures by name", () => {
  /** From plain numbers alone: norms by loops, radii as they were measured, which has its own test. */
  function expected(): Readonly<Record<string, number>> {
    const s = layers.map(({ W }) => singularValues(W)[0]! ** 2);
    const f = layers.map(({ W }) => frobenius(W) ** 2);
    const gone = layers.map(({ W }, l) => W.map((row, i) => row.map((w, j) => w - start[l]!.W[i]![j]!)));
    const far = gone.map((W) => frobenius(W) ** 2);
    const margins = train.x
      .map((x, n) => marginOf(answers(layers, x).scores, train.y[n]!))
      .sort((a, b) => a - b);
    const gamma = margins[3]! ** 2;
    const product = (v: readonly number[]): number => v.reduce((p, q) => p * q, 1);
    const d = 3;
    const w = theta();
    const v = order.map((p) => weightAt(layers, p) - weightAt(start, p));
    const omega = w.length;
    const tail = Math.log(40 / 0.05) + 10;
    const radius = (name: "sigma" | "sigmaMagnitude" | "alpha" | "alphaMagnitude"): number =>
      (m.sharpness![name] as { readonly value: number }).value;
    const byMagnitude = (u: readonly number[], r: number, extra: number): number =>
      sum(
        u.map((c) => Math.log((1e-6 + ((r * r + extra) * norm(u) ** 2) / omega) / (1e-6 + r * r * c * c))),
      ) /
        4 +
      tail;
    const union = 4 * Math.log((2 * omega) / 0.05);
    const box = Math.log(2 * omega);
    const entropies = train.x.map((x) =>
      sum(probabilities(answers(layers, x).scores).map((p) => p * Math.log(p))),
    );
    const [sigma, sigma2, alpha, alpha2] = [
      ...(["sigma", "sigmaMagnitude", "alpha", "alphaMagnitude"] as const).map(radius),
    ] as [number, number, number, number];
    return {
      params: omega,
      "vc-dim": omega * d * Math.log(omega),
      l2: norm(w),
      "l2-dist": norm(v),
      "param-norm": sum(f),
      "fro-dist": sum(far),
      "dist-spec-init": sum(gone.map((W) => singularValues(W)[0]! ** 2)),
      "prod-of-spec": product(s),
      "prod-of-spec-over-margin": product(s) / gamma,
      "sum-of-spec": d * product(s) ** (1 / d),
      "sum-of-spec-over-margin": d * (product(s) / gamma) ** (1 / d),
      "prod-of-fro": product(f),
      "prod-of-fro-over-margin": product(f) / gamma,
      "sum-of-fro": d * product(f) ** (1 / d),
      "sum-of-fro-over-margin": d * (product(f) / gamma) ** (1 / d),
      "fro-over-spec": sum(f.map((a, k) => a / s[k]!)),
      "spec-init-main": (product(s) * sum(far.map((a, k) => a / s[k]!))) / gamma,
      "spec-orig-main": (product(s) * sum(f.map((a, k) => a / s[k]!))) / gamma,
      "path-norm": norm(paths(layers).flat()) ** 2,
      "path-norm-over-margin": norm(paths(layers).flat()) ** 2 / gamma,
      "inverse-margin": 1 / gamma,
      "cross-entropy": meanLoss(layers, train),
      "neg-entropy": sum(entropies) / 40,
      "random-rise": m.sharpness!.randomRise.rise,
      "sharpness-flatness": 1 / alpha ** 2,
      "sharpness-orig": (norm(w) ** 2 * box) / (4 * alpha ** 2) + tail,
      "sharpness-init": (norm(v) ** 2 * box) / (4 * alpha ** 2) + tail,
      "sharpness-mag-flatness": 1 / alpha2 ** 2,
      "sharpness-mag-orig": byMagnitude(w, alpha2, union),
      "sharpness-mag-init": byMagnitude(v, alpha2, union),
      "pacbayes-flatness": 1 / sigma ** 2,
      "pacbayes-orig": norm(w) ** 2 / (4 * sigma ** 2) + tail,
      "pacbayes-init": norm(v) ** 2 / (4 * sigma ** 2) + tail,
      "pacbayes-mag-flatness": 1 / sigma2 ** 2,
      "pacbayes-mag-orig": byMagnitude(w, sigma2, 1),
      "pacbayes-mag-init": byMagnitude(v, sigma2, 1),
      "num-step-0.1": 3, // 0.09 is the fourth loss
      "num-step-0.1-to-0.01": 3, // 0.009 is the seventh
    };
  }
  /** These have tests of their own above. */
  const elsewhere = ["fisher-rao", "hessian", "grad-noise-final", "grad-noise-epoch-1"];

  it("each has a second way, and agrees with it", () => {
    const table = expected();
    expect([...Object.keys(table), ...elsewhere].sort()).toEqual(
      measureDefinitions.map(({ id }) => id).sort(),
    );
    for (const [id, wanted] of Object.entries(table)) {
      const found = m.named.find((each) => each.id === id)!;
      expect(Math.abs(found.value! - wanted), `${id}: ${found.value} for ${wanted}`).toBeLessThanOrEqual(
        1e-5 * Math.abs(wanted),
      );
      if (wanted > 0) expect(found.log).toBeCloseTo(Math.log(wanted), 4);
    }
    const { hessian, gradientNoise } = m.sharpness! as unknown as {
      hessian: { greatest: number };
      gradientNoise: { value: number };
    };
    expect([namedOf("hessian"), namedOf("grad-noise-final")]).toEqual([
      hessian.greatest,
      gradientNoise.value,
    ]);
  });

  it("says on how many examples it rests", () => {
    const weightsOnly = new Set(
      measureDefinitions
        .filter(({ needs }) => needs.every((n) => n === "weights" || n === "initial weights"))
        .map(({ id }) => id),
    );
    for (const { id, examples } of m.named)
      if (!id.startsWith("num-step")) expect(examples, id).toBe(weightsOnly.has(id) ? 0 : 40);
  });
});
