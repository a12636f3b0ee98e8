import { beforeAll, describe, expect, it } from "vitest";
import type { Audit } from "../../src/audit/audit.ts";
import { auditModel } from "../../src/audit/audit-model.ts";
import { boundLemmata } from "../../src/audit/bound-lemmata.ts";
import { classifierFacts, homogenizedFacts } from "../../src/audit/classifier-facts.ts";
import { compareAudits } from "../../src/audit/compare-audits.ts";
import { networkChain } from "../../src/audit/network-chain.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { float32, graph } from "../../src/graph/index.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { auditedModel } from "../../src/measures/audited-model.ts";
import { linearLayers } from "../../src/measures/linear-layers.ts";
import { measureModel } from "../../src/measures/measure-model.ts";
import { binomialTail } from "../../src/numbers/statistics.ts";
import { lemmaIds } from "../../src/theory/registry.ts";
import { twoMoons } from "../../src/train/data/plane.ts";
import { initialNetwork } from "../../src/train/network.ts";
import { train } from "../../src/train/train.ts";
import { patience } from "../patience.ts";

const [data, test] = [twoMoons(200, { seed: 1 }), twoMoons(150, { seed: 2 })];
const quick = { data, test, sharpnessExamples: 0, pacBayes: false } as const;
const trained = async (seed: number): Promise<Graph> =>
  (
    await train(
      initialNetwork("2-6-relu-2", { seed }),
      { x: data.x, target: data.y },
      {
        ...{ loss: "cross-entropy", optimizer: "adam", rate: 0.05, epochs: 20, seed },
      },
    )
  ).model;
const weights = (net: Graph, name: string): Float64Array =>
  Float64Array.from(numbers(net.initializers.get(name) as never));

describe("an audit of a small classifier", () => {
  let net: Graph;
  let audit: Audit;
  beforeAll(async () => {
    net = await trained(3);
    audit = await auditModel(net, { ...quick, delta: 0.1, inputRadius: 4, dataName: "moons" });
  });

  it("errors, margins and path norms are those of a computation by hand", () => {
    const [W, b, V, c] = ["layer1.weight", "layer1.bias", "layer2.weight", "layer2.bias"].map((n) =>
      weights(net, n),
    );
    // Matrices are stored [in, out].
    const scores = (x: ArrayLike<number>): number[] => {
      const h = Array.from({ length: 6 }, (_, i) =>
        Math.max(0, W![i]! * x[0]! + W![6 + i]! * x[1]! + b![i]!),
      );
      return [0, 1].map((k) => h.reduce((s, v, i) => s + V![2 * i + k]! * v, c![k]!));
    };
    const marginsOn = ({ x, y }: typeof data): number[] => {
      const [points, classes] = [numbers(x), numbers(y)];
      return Array.from(classes, (k, n) => {
        const s = scores([points[2 * n]!, points[2 * n + 1]!]);
        return s[k]! - s[1 - k]!;
      }).sort((p, q) => p - q);
    };
    const [onData, onTest] = [marginsOn(data), marginsOn(test)];
    expect(audit.measures.trainError).toBe(onData.filter((m) => m <= 0).length / 200);
    expect(audit.measures.testError).toBe(onTest.filter((m) => m <= 0).length / 150);
    expect(audit.measures.margins!.min).toBeCloseTo(onData[0]!, 4);
    expect(audit.measures.margins!.q10).toBeCloseTo(onData[19]!, 4);
    expect(audit.measures.margins!.median).toBeCloseTo(onData[99]!, 4);
    let [paths1, paths2] = [0, 0];
    // Paths begin at an input or at a bias.
    for (let k = 0; k < 2; k++) {
      const through = Array.from({ length: 6 }, (_, i) =>
        [W![i]!, W![6 + i]!, b![i]!].map((w) => w * V![2 * i + k]!),
      );
      for (const path of [...through.flat(), c![k]!]) {
        paths1 += Math.abs(path);
        paths2 += path ** 2;
      }
    }
    expect(audit.measures.pathNorm1).toBeCloseTo(paths1, 4);
    expect(audit.measures.pathNorm2).toBeCloseTo(Math.sqrt(paths2), 4);
    // |W|_2 of a matrix with two columns, from trace and determinant of W^T W.
    const [p, q, r] = [0, 1, 2].map((t) =>
      Array.from({ length: 6 }, (_, i) => W![(t === 2 ? 6 : 0) + i]! * W![(t === 0 ? 0 : 6) + i]!).reduce(
        (s, v) => s + v,
        0,
      ),
    );
    const spectral = Math.sqrt((p! + r! + Math.sqrt((p! - r!) ** 2 + 4 * q! ** 2)) / 2);
    expect(audit.measures.spectralNorms[0]).toBeCloseTo(spectral, 5);
  });

  it("bounds are sorted, refer to lemmata that exist, and have no value where a hypothesis is unmet", () => {
    const values = audit.bounds.map(({ value }) => value ?? Number.POSITIVE_INFINITY);
    expect(values).toEqual(values.toSorted((p, q) => p - q));
    const ids = new Set(lemmaIds);
    for (const lemma of Object.values(boundLemmata)) expect([...ids]).toContain(lemma);
    for (const { value, unmet, lemma, vacuous, delta } of audit.bounds) {
      expect(value === undefined).toBe(unmet.length > 0);
      expect(ids.has(lemma!)).toBe(true);
      if (value !== undefined) expect(vacuous).toBe(value >= 1);
      expect(delta).toBe(0.1);
    }
    const withValue = audit.bounds.flatMap(({ id, value }) => (value === undefined ? [] : [id])).sort();
    expect(withValue).toEqual(
      [
        "covering occam occam-kl pac-bayes-margin-homogenized rademacher-norm-depth-free-homogenized",
        "rademacher-norm-exponential-homogenized spectral-margin-homogenized validation vc-network",
      ]
        .join(" ")
        .split(" "),
    );
    const plain = audit.bounds.find(({ id }) => id === "spectral-margin")!;
    expect([plain.unmet, plain.remark]).toEqual([
      ["the network is layered and has no biases"],
      "it has biases",
    ]);
  });

  it("the test examples alone: both ends of the interval have a tail of half of delta", () => {
    const { trueError, testError, delta } = audit.errorDecomposition!;
    const wrong = Math.round(testError * 150);
    expect(delta).toBe(0.1);
    expect(binomialTail(150, trueError[0], wrong)).toBeCloseTo(0.05, 6);
    expect(1 - binomialTail(150, trueError[1], wrong + 1)).toBeCloseTo(0.05, 6);
    expect(audit.data).toMatchObject({
      classes: 2,
      examples: 200,
      testExamples: 150,
      features: 2,
      name: "moons",
    });
    expect(audit.data.constantError).toBe(0.5);
  });

  it("several models share delta, and measures are ranked by their gaps", async () => {
    const audits = await Promise.all(
      [1, 2, 3].map(async (seed) => auditModel(await trained(seed), { ...quick, models: 3 })),
    );
    const single = await auditModel(await trained(1), quick);
    const held = (a: Audit): number => a.bounds.find(({ id }) => id === "validation")!.value!;
    expect(held(audits[0]!)).toBeGreaterThan(held(single));
    const { ranking } = compareAudits(audits);
    expect(ranking.length).toBe(audits[0]!.measures.named.length);
    for (const { tau, count } of ranking) {
      expect(count).toBeLessThanOrEqual(3);
      if (tau !== undefined) expect(Math.abs(tau)).toBeLessThanOrEqual(1);
    }
  });

  it("the network on (x, 1): the norms that are used are not below those of the matrices written out", async () => {
    const model = await auditedModel(net);
    const { layers } = await linearLayers(model.graph);
    const chain = networkChain(model.graph, layers, 2);
    const measures = await measureModel(net, { data, sharpnessExamples: 0 });
    const input = { model, layers, chain, measures, x: data.x, delta: 0.1, inputRadius: 4 };
    const facts = homogenizedFacts(classifierFacts(input), input);
    const [b, c] = [weights(net, "layer1.bias"), weights(net, "layer2.bias")];
    expect([...chain.biases[0]!]).toEqual([...b]);
    const first = [
      ...Array.from({ length: 6 }, (_, i) => [...layers[0]!.entries.slice(2 * i, 2 * i + 2), b[i]!]),
      [0, 0, 1],
    ];
    const second = Array.from({ length: 2 }, (_, k) => [
      ...layers[1]!.entries.slice(6 * k, 6 * k + 6),
      c[k]!,
    ]);
    for (const [k, A] of [first, second].entries()) {
      const frobenius = Math.hypot(...A.flat());
      const rowSum = A.reduce((s, row) => s + Math.hypot(...row), 0);
      expect(facts.frobeniusNorms[k]).toBeCloseTo(frobenius, 6);
      expect(facts.rowNormSums[k]).toBeGreaterThanOrEqual(rowSum);
      let v = A[0]!.map((_, j) => Math.cos(j));
      let norm = 0;
      for (let step = 0; step < 500; step++) {
        const u = A.map((row) => row.reduce((s, a, j) => s + a * v[j]!, 0));
        norm = Math.hypot(...u) / Math.hypot(...v);
        v = v.map((_, j) => A.reduce((s, row, i) => s + row[j]! * u[i]!, 0) / norm);
      }
      expect(facts.spectralNorms[k]).toBeGreaterThanOrEqual(norm);
      expect(facts.spectralNorms[k]).toBeLessThanOrEqual(frobenius * 1.5);
    }
    expect(facts.widths).toEqual([3, 7, 2]);
  });
});

describe("PAC-Bayes in an audit", () => {
  it(
    "knows nothing of the audited weights, and is not vacuous on two moons",
    async () => {
      const options = {
        ...quick,
        test: twoMoons(50),
        data: twoMoons(600, { seed: 5 }),
        pacBayes: true,
        seed: 4,
      };
      const [first, second] = [
        await auditModel(await trained(1), options),
        await auditModel(await trained(2), options),
      ].map((a) => a.bounds.find(({ id }) => id === "pac-bayes-gaussian")!);
      expect(first!.value).toBe(second!.value);
      expect(first!.value).toBeLessThan(0.5);
      expect(first!.remark).toMatch(/not of the audited weights.*300 examples/);
      expect(first!.assumptions.join()).toMatch(/prior's mean does not depend on these 300 examples/);
    },
    patience(300_000),
  );

  it("is left out with a reason where it cannot be had", async () => {
    const few = {
      x: { ...data.x, dims: [4, 2], data: data.x.data.slice(0, 8) },
      y: { ...data.y, dims: [4], data: data.y.data.slice(0, 4) },
    };
    const { bounds } = await auditModel(await trained(1), { ...quick, data: few as never, pacBayes: true });
    const bound = bounds.find(({ id }) => id === "pac-bayes-gaussian")!;
    expect([bound.value, bound.unmet]).toEqual([undefined, ["there are at least 16 examples"]]);
  });
});

describe("what stands in the way of a bound is named", () => {
  const square = tensor(
    [
      [1, 0],
      [0, 1],
    ],
    { type: "float32" },
  );
  const chainOf = async (net: Graph) => {
    const { graph: scores } = await auditedModel(net);
    return networkChain(scores, (await linearLayers(scores)).layers, 2);
  };

  it("a residual path, another activation, two layers in one, an activation at the end", async () => {
    const named = async (body: Parameters<typeof graph>[1]) =>
      (await chainOf(graph({ x: float32("N", 2) }, body))).obstacles.join("; ");
    expect(await named(({ x }) => ({ y: x!.affine(square).relu().affine(square).add(x!) }))).toMatch(
      /Add .* joins several paths/,
    );
    expect(await named(({ x }) => ({ y: x!.affine(square).op("Elu").affine(square) }))).toMatch(
      /Elu .* is not ReLU/,
    );
    expect(await named(({ x }) => ({ y: x!.affine(square).affine(square) }))).toMatch(
      /no activation between/,
    );
    expect(await named(({ x }) => ({ y: x!.affine(square).relu() }))).toMatch(/behind the last layer/);
    expect(
      await named(({ x }) => ({ y: x!.affine(square).relu().affine(square).tanh().affine(square) })),
    ).toMatch(/mixed/);
    expect(await named(({ x }) => ({ y: x!.affine(square).op("LeakyRelu").affine(square) }))).toBe("");
  });

  it("zero biases are none", async () => {
    const bias = (b: number) =>
      graph({ x: float32("N", 2) }, ({ x }) => ({
        y: x!.affine(square, tensor([b, 0], { type: "float32" })),
      }));
    expect((await chainOf(bias(0))).biases[0]!.length).toBe(0);
    expect([...(await chainOf(bias(2))).biases[0]!]).toEqual([2, 0]);
  });
});

describe("an audit of a regression", () => {
  it("bounds the share of answers that are farther off than a tolerance from the training data", async () => {
    const line = (n: number, from: number) => {
      const x = Array.from({ length: n }, (_, k) => [from + k / n]);
      const y = x.map(([v], k) => [v! + (k % 10 === 0 ? 1 : 0)]);
      return { x: tensor(x, { type: "float32" }), y: tensor(y, { type: "float32" }) };
    };
    const identity = graph({ x: float32("N", 1) }, ({ x }) => ({
      y: x!.affine(tensor([[1]], { type: "float32" })),
    }));
    const {
      bounds,
      measures,
      data: about,
      errorDecomposition,
    } = await auditModel(identity, {
      ...{ data: line(100, 0), test: line(50, 1), sharpnessExamples: 0 },
    });
    expect(measures.trainError).toBeCloseTo(0.1, 6);
    expect(about.task).toBe("regression");
    expect(errorDecomposition).toBeUndefined();
    const [bound] = bounds;
    // t = 2 sqrt(0.1) = 0.63: each tenth answer is off by 1.
    expect(bound!.remark).toMatch(/5 of 50 were farther off/);
    expect(1 - binomialTail(50, bound!.value!, 6)).toBeCloseTo(0.05, 6);
  });
});

it("delta is a probability", async () => {
  await expect(auditModel(initialNetwork("2-2"), { ...quick, delta: 1 })).rejects.toThrow(/between 0 and 1/);
});
