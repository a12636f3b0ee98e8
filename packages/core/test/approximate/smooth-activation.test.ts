import { describe, expect, it } from "vitest";
import {
  addExponentials,
  bernsteinExponentials,
  differenceError,
  differenceErrorAtLeast,
  differenceMonomial,
  differencePolynomial,
  exponentialNetwork,
  exponentialValue,
  fitExponential,
  measuredDifference,
  mollifiedSquare,
  multiplyExponentials,
  reducedNetwork,
  smoothActivations,
} from "../../src/approximate/smooth-activation/index.ts";
import { run } from "../../src/engine/run.ts";
import { activation } from "../../src/functions/activation.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { complexity } from "../../src/networks/layers/layers.ts";
import { createRandom } from "../../src/numbers/random.ts";

const xs = Array.from({ length: 401 }, (_, k) => k / 200 - 1);
async function supDistance(network: Graph, f: (x: number) => number): Promise<number> {
  const { y } = await run(network, { x: tensor(xs.map((x) => [x])) });
  return Math.max(...Array.from(numbers(y!), (v, k) => Math.abs(v - f(xs[k]!))));
}

describe("monomials by differences", () => {
  it("have the errors of the catalogue", async () => {
    const logistic = (k: number) => differenceMonomial("logistic", k, { at: 0.7, h: 0.1 }).network;
    expect(await supDistance(logistic(2), (x) => x ** 2)).toBeCloseTo(1.382e-3, 6);
    expect(await supDistance(logistic(3), (x) => x ** 3)).toBeCloseTo(9.378e-4, 6);
    const forward = { at: 0, h: 0.01, scheme: "forward" } as const;
    expect(measuredDifference("exp", 2, forward)).toBeCloseTo(0.01006, 5);
    expect(measuredDifference("exp", 3, forward)).toBeCloseTo(0.01513, 5);
  });

  it.each(smoothActivations)("of %s lie between both bounds, which meet as h goes to 0", (name) => {
    for (const scheme of ["central", "forward"] as const)
      for (const k of [1, 2, 3, 4]) {
        const at = activation(name).genericPoint!;
        const options = { h: 2 ** -5, radius: 1, at, scheme };
        const seen = measuredDifference(name, k, options, 201);
        const slack = differenceMonomial(name, k, { ...options }).rounding;
        expect(seen).toBeLessThanOrEqual(differenceError(name, k, options) + slack);
        expect(seen).toBeGreaterThanOrEqual(differenceErrorAtLeast(name, k, options) - slack);
      }
    const tiny = { h: 2 ** -14, at: activation(name).genericPoint!, scheme: "forward" } as const;
    expect(differenceErrorAtLeast(name, 2, tiny) / differenceError(name, 2, tiny)).toBeGreaterThan(0.98);
  });

  it("choose a step near the best one", () => {
    for (const k of [1, 2, 3, 4, 5]) {
      const { error, rounding, at } = differenceMonomial("tanh", k);
      const best = Math.min(
        ...Array.from({ length: 25 }, (_, e) => measuredDifference("tanh", k, { h: 2 ** -e, at })),
      );
      expect(error + rounding).toBeLessThan(60 * best);
    }
  });

  it("refuse orders and points that have none", () => {
    expect(() => differenceMonomial("tanh", 13)).toThrow("order from 1 to 12, not 13");
    expect(() => differenceMonomial("tanh", 2, { at: 0, h: 0.1 })).toThrow(
      "derivative 2 of tanh at 0 may be zero",
    );
    expect(() => differenceMonomial("tanh", 2, { h: 0 })).toThrow("a step is positive");
  });
});

describe("polynomials by differences", () => {
  it("share their nodes: 2K + 1 units, K + 1 for one parity", async () => {
    const p = [1, -2, 0.5, 3];
    const built = differencePolynomial("softplus", p);
    expect(complexity(built.network).width).toBe(7);
    expect(complexity(differencePolynomial("softplus", [0, 1, 0, 1]).network).width).toBe(4);
    const sup = await supDistance(built.network, (x) => p.reduceRight((s, c) => s * x + c, 0));
    expect(sup).toBeLessThanOrEqual(built.error + built.rounding);
    expect(sup).toBeGreaterThan(built.error / 100);
  });

  it("come from ReLUs, too, once these are mollified", async () => {
    for (const [h, nodes] of [
      [0.25, 64],
      [0.1, 400],
    ] as const) {
      const { network, error } = mollifiedSquare(h, nodes);
      expect(await supDistance(network, (x) => x * x)).toBeLessThanOrEqual(error);
    }
    expect(mollifiedSquare(0.1, 400).error).toBeLessThan(0.06);
  });
});

describe("exponential networks", () => {
  const random = createRandom(5);
  const draw = (terms: number) =>
    Array.from({ length: terms }, () => ({
      coefficient: random.integer(-8, 8) / 4,
      exponents: [random.integer(-2, 2), random.integer(-2, 2)],
    }));

  it("are an algebra", async () => {
    const [f, g] = [draw(4), draw(3)];
    const product = multiplyExponentials(f, g);
    const points = Array.from({ length: 30 }, () => Array.from(random.uniform(2)));
    const { y } = await run(exponentialNetwork(product), { x: tensor(points) });
    points.forEach((x, k) => {
      expect(numbers(y!)[k]).toBeCloseTo(exponentialValue(f, x) * exponentialValue(g, x), 9);
      expect(exponentialValue(addExponentials([2, f], [-1, g]), x)).toBeCloseTo(
        2 * exponentialValue(f, x) - exponentialValue(g, x),
        10,
      );
    });
  });

  it("interpolate the ends, and reproduce e^x, by Bernstein's polynomials", () => {
    const h = bernsteinExponentials((x) => Math.cos(x[0]!), 1, 6);
    expect(exponentialValue(h, [0])).toBeCloseTo(1, 10);
    expect(exponentialValue(h, [1])).toBeCloseTo(Math.cos(1), 9);
    const exact = bernsteinExponentials((x) => Math.exp(x[0]!), 1, 5);
    for (const x of [0.1, 0.5, 0.9]) expect(exponentialValue(exact, [x])).toBeCloseTo(Math.exp(x), 10);
  });

  it("become networks of another activation", async () => {
    const h = bernsteinExponentials((x) => Math.sin(3 * x[0]!), 1, 5);
    const p = fitExponential("tanh", 5, 16);
    const { y } = await run(reducedNetwork(h, p), { x: tensor(xs.map((x) => [(x + 1) / 2])) });
    const mass = h.reduce((sum, t) => sum + Math.abs(t.coefficient), 0);
    const off = Array.from(numbers(y!), (v, k) => Math.abs(v - exponentialValue(h, [(xs[k]! + 1) / 2])));
    expect(Math.max(...off)).toBeLessThan(1.001 * mass * p.error + 1e-9);
  });
});
