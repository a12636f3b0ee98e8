// The methods on functions whose explanation is known: linear models, x y, max(x, y), ReLU networks.
import { describe, expect, it } from "vitest";
import { auditExplanation, spreadOf } from "../../src/explain/audit.ts";
import { explain } from "../../src/explain/explain.ts";
import { boxDescent } from "../../src/explain/methods/box-descent.ts";
import {
  gradientTimesInput,
  integratedGradients,
  smoothGradient,
} from "../../src/explain/methods/gradients.ts";
import { patchGroups } from "../../src/explain/methods/groups.ts";
import { mirroredNoise, rateDistortion } from "../../src/explain/methods/rate-distortion.ts";
import { occlusion, shapley } from "../../src/explain/methods/removal.ts";
import { kernelShap, lime } from "../../src/explain/methods/surrogate.ts";
import { taylor } from "../../src/explain/methods/taylor.ts";
import { modelAt, row } from "../../src/explain/model-at.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { layer, network } from "../../src/networks/layers/layers.ts";
import { createRandom } from "../../src/numbers/random.ts";

const sum = (values: ArrayLike<number>): number => Array.from(values).reduce((s, v) => s + v, 0);
const expectClose = (found: ArrayLike<number>, expected: ArrayLike<number>): void => {
  expect(found.length).toBe(expected.length);
  Array.from(found).forEach((v, k) => {
    expect(v).toBeCloseTo(expected[k]!, 9);
  });
};

const w = [2, -1, 0.5, 3];
const x = Float64Array.of(1, 2, -4, 0.25);
const contributions = w.map((v, i) => v * x[i]!);
const linear = network([layer([w], [0.75])]);
const zeros = new Float64Array(4);
const single = patchGroups([1, 4], 1);
const sampling = { groups: single, baseline: zeros, samples: 64, random: createRandom("methods") };

describe("a linear model", () => {
  it("gives every feature its summand, whatever the method", async () => {
    const model = await modelAt(linear, row(x));
    const found = [
      await gradientTimesInput(model),
      await integratedGradients(model, { steps: 3, baseline: zeros }),
      await occlusion(model, { groups: single, baseline: zeros }),
      await shapley(model, { ...sampling, permutations: 2 }),
      await kernelShap(model, sampling),
      await lime(model, sampling),
      await taylor(model, { root: "origin", baseline: zeros }),
    ];
    for (const { relevance } of found) expectClose(relevance, contributions);
    expectClose(
      (await smoothGradient(model, { draws: 3, level: 0.2, random: createRandom(1) })).relevance,
      w,
    );
  });

  it("shares the bias out at its nearest root", async () => {
    const model = await modelAt(linear, row(x));
    const { relevance, details } = await taylor(model, { root: "nearest", baseline: zeros });
    const f = sum(contributions) + 0.75;
    const square = sum(w.map((v) => v * v));
    expectClose(
      relevance,
      w.map((v) => (f * v * v) / square),
    );
    expect(details["zeroth"]).toBeCloseTo(0, 12);
  });

  it("is occluded group by group, from any baseline", async () => {
    const model = await modelAt(linear, row(x));
    const baseline = Float64Array.of(1, 1, 1, 1);
    const { relevance, details } = await occlusion(model, {
      groups: [
        [0, 1],
        [2, 3],
      ],
      baseline,
    });
    expect(relevance[0]! + relevance[1]!).toBeCloseTo(2 * 0 - 1 * 1, 12);
    expect(relevance[2]! + relevance[3]!).toBeCloseTo(0.5 * -5 + 3 * -0.75, 12);
    expect(details["runs"]).toBe(3);
  });
});

describe("f(x, y) = x y", () => {
  const product = graph({ x: float64("N", 2) }, ({ x: v }) => ({
    y: v!.slice(1, 0, 1).mul(v!.slice(1, 1, 2)),
  }));
  it.each([
    [0, 0, [0, 0], 6],
    [0, 2, [6, 0], 0],
    [3, 0, [0, 6], 0],
    [1, 1, [2, 1], 2],
  ] as const)("at the reference (%d, %d)", async (a, b, relevance, remainder) => {
    const model = await modelAt(product, row([3, 2]));
    const found = await taylor(model, { root: Float64Array.of(a, b), baseline: new Float64Array(2) });
    expectClose(found.relevance, relevance);
    expect(found.details["remainder"]).toBeCloseTo(remainder, 12);
  });
  it("is shared alike by Shapley values and integrated gradients", async () => {
    const model = await modelAt(product, row([3, 2]));
    const baseline = new Float64Array(2);
    const groups = patchGroups([1, 2], 1);
    expectClose((await integratedGradients(model, { steps: 1, baseline })).relevance, [3, 3]);
    expectClose((await kernelShap(model, { ...sampling, groups, baseline })).relevance, [3, 3]);
    expectClose((await occlusion(model, { groups, baseline })).relevance, [6, 6]);
  });
});

describe("ReLU networks", () => {
  const random = createRandom("relu");
  const drawn = (biased: boolean) =>
    network(
      [4, 7, 6, 1].slice(1).map((rows, l) => {
        const columns = [4, 7, 6][l]!;
        const weights = Array.from({ length: rows }, () => [...random.normal(columns)]);
        return layer(weights, biased ? random.normal(rows) : undefined);
      }),
    );

  it("without biases, gradient x input adds up to the score, and is LRP-0", async () => {
    const net = drawn(false);
    const model = await modelAt(net, row(x));
    const { relevance, details } = await gradientTimesInput(model);
    expect(details["gap"]).toBeCloseTo(0, 10);
    const handed = await explain(net, row(x), { composite: "uniform(zero)" });
    expectClose(relevance, numbers(handed.relevance.get("x")!) as Float64Array);
    expectClose((await integratedGradients(model, { steps: 5, baseline: zeros })).relevance, relevance);
  });

  it("with biases, the gap of LRP-0 is what the biases took", async () => {
    const audit = auditExplanation(await explain(drawn(true), row(x), { composite: "uniform(zero)" }));
    expect(Math.abs(audit.bias)).toBeGreaterThan(1e-3);
    expect(audit.gap).toBeCloseTo(audit.bias, 9);
    expect(audit.unexplained).toBeCloseTo(0, 9);
  });

  it("integrated gradients are complete as steps grow", async () => {
    const model = await modelAt(drawn(true), row(x));
    const errorAt = async (steps: number) =>
      (await integratedGradients(model, { steps, baseline: zeros })).details["completenessError"]!;
    expect(await errorAt(2000)).toBeLessThan(0.02);
  });

  it("Shapley values add up, by all coalitions, by orders and by least squares", async () => {
    const model = await modelAt(drawn(true), row(x));
    const exact = await shapley(model, { ...sampling, permutations: 1 });
    expect(sum(exact.relevance)).toBeCloseTo(exact.expected!, 10);
    expectClose((await kernelShap(model, sampling)).relevance, exact.relevance);
    const few = await kernelShap(model, { ...sampling, samples: 8 });
    expect(sum(few.relevance)).toBeCloseTo(exact.expected!, 10);
  });

  it("finds a root on a segment", async () => {
    const model = await modelAt(network([layer([[1]], [-2]), layer([[1]], [-1])]), row([5]));
    const { relevance, details } = await taylor(model, { root: "segment", baseline: Float64Array.of(0) });
    expect(details["zeroth"]).toBeCloseTo(0, 12);
    expectClose(relevance, [2]);
  });
});

describe("rate and distortion", () => {
  it("keeps what counts and masks what does not", async () => {
    const model = await modelAt(network([layer([[2, 0.01, -1.5, 0.01]], [1])]), row([1, 0, -2, 0]));
    const noises = mirroredNoise(4, { pairs: 16, mean: 0, deviation: 0.5, random: createRandom(3) });
    const { relevance } = await rateDistortion(model, { price: 0.05, steps: 200, noises });
    expect(relevance[1]).toBe(0);
    expect(relevance[3]).toBe(0);
    expect(relevance[0]).toBeGreaterThan(0.9);
    expect(relevance[2]).toBeGreaterThan(0.9);
  });

  it("keeps some of the input of a network that nobody trained", async () => {
    const random = createRandom("untrained");
    const net = network([
      layer(Array.from({ length: 12 }, () => [...random.normal(8)])),
      layer([[...random.normal(12)]]),
    ]);
    const { details, relevance } = await explain(net, row(random.normal(8)), { method: "rate-distortion" });
    expect(details["rate"]).toBeGreaterThan(0.1);
    expect(details["distortion"]).toBeLessThan(0.2);
    for (const v of numbers(relevance.get("x")!)) {
      expect(v).toBeGreaterThanOrEqual(0);
      expect(v).toBeLessThanOrEqual(1);
    }
  });

  it("descends in a box to where a quadratic is least", async () => {
    const centre = [0.25, 1.5, -1];
    const cost = async (p: Float64Array) => ({
      value: sum(p.map((v, k) => (k + 1) * (v - centre[k]!) ** 2)),
      slope: p.map((v, k) => 2 * (k + 1) * (v - centre[k]!)),
    });
    const { point } = await boxDescent(cost, new Float64Array(3).fill(1), 100);
    expectClose(point, [0.25, 1, 0]);
  });
});

describe("the spread of relevance", () => {
  it("is that of one input, or of all alike", () => {
    expect(spreadOf([0, 0, -2, 0])).toEqual({ negative: 1, entropy: 0, gini: 0.75 });
    const even = spreadOf([1, -1, 1, -1]);
    expect(even.negative).toBe(0.5);
    expect(even.entropy).toBeCloseTo(Math.log(4), 12);
    expect(even.gini).toBe(0);
  });
});

describe("groups", () => {
  it("are the same pixels wherever the channels are", () => {
    const [first, last] = [patchGroups([1, 3, 6, 8], 2), patchGroups([1, 6, 8, 3], 2)];
    expect(last.map((g) => g.length)).toEqual(first.map((g) => g.length));
    const pixelsOf = (group: readonly number[], pixel: (k: number) => number) =>
      [...new Set(group.map(pixel))].toSorted((a, b) => a - b);
    last.forEach((group, g) => {
      expect(pixelsOf(group, (k) => Math.floor(k / 3))).toEqual(pixelsOf(first[g]!, (k) => k % 48));
    });
  });

  it.each(["occlusion", "shapley", "kernel-shap"] as const)(
    "of two inputs, %s takes both away",
    async (method) => {
      const two = graph({ a: float64(1, 2), b: float64(1, 3) }, ({ a, b }) => ({
        y: a
          .mul([[2, 3]])
          .sum([1], 1)
          .add(b.mul([[1, 4, -2]]).sum([1], 1)),
      }));
      const inputs = {
        a: tensor([[1, 2]], { type: "float64" }),
        b: tensor([[3, 1, 1]], { type: "float64" }),
      };
      const { relevance } = await explain(two, inputs, { method });
      expectClose(numbers(relevance.get("a")!), [2, 6]);
      expectClose(numbers(relevance.get("b")!), [3, 4, -2]);
    },
  );
});

describe("one number for each example", () => {
  const squeezed = graph({ x: float64("N", 2) }, ({ x }) => ({ y: x.mul([[2, -1]]).sum([1], 0) }));
  it.each(["lrp", "gradient-x-input", "occlusion"] as const)("%s explains each", async (method) => {
    const x = tensor(
      [
        [1, 2],
        [3, 5],
        [4, 1],
      ],
      { type: "float64" },
    );
    const found = await explain(squeezed, { x }, { method, composite: "uniform(zero)" });
    expectClose(found.scores, [0, 1, 7]);
    if (method !== "lrp") expectClose(numbers(found.relevance.get("x")!), [2, -2, 6, -5, 8, -1]);
    expect(found.classes).toEqual([0, 0, 0]);
  });
});
