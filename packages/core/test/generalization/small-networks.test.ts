import {
  epochRisk,
  fitNetwork,
  networkRisks,
  networkValue,
  networkWeights,
  tangentRate,
} from "@lemmata/core/generalization";
import { createRandom } from "@lemmata/core/numbers";
import { describe, expect, it } from "vitest";

const random = createRandom(7);
const drawn = (width: number, inputs: number) => ({
  ...{ inputs, width },
  weights: random.normal(networkWeights(width, inputs)),
});

describe("a small network", () => {
  it("has the gradient that differences have", () => {
    const network = drawn(3, 4);
    const x = random.normal(4);
    const gradient = new Float64Array(network.weights.length);
    networkValue(network, x, gradient);
    const at = (p: number, h: number): number =>
      networkValue({ ...network, weights: network.weights.map((w, q) => (q === p ? w + h : w)) }, x);
    network.weights.forEach((_, p) => {
      expect(gradient[p]).toBeCloseTo((at(p, 1e-5) - at(p, -1e-5)) / 2e-5, 7);
    });
  });

  it.each([
    { m: 6, decay: 0.5 },
    { m: 6, decay: 20 },
    { m: 60, decay: 20 },
    { m: 60, decay: 0 },
  ])("is fitted to $m examples where the gradient of errors and decay = $decay is 0", ({ m, decay }) => {
    const x = Array.from({ length: m }, () => random.normal(3));
    const y = x.map((v) => v[0]! + 0.3 * random.normal());
    const { start, network, error } = fitNetwork(2, { x, y }, random, decay);
    const slope = network.weights.map((w, p) => decay * (w - start.weights[p]!));
    const before = new Float64Array(slope.length);
    let squares = 0;
    x.forEach((v, i) => {
      const gradient = new Float64Array(slope.length);
      const r = networkValue(network, v, gradient) - networkValue(start, v) - y[i]!;
      squares += r * r;
      gradient.forEach((g, p) => {
        slope[p]! += r * g;
      });
      networkValue(start, v, gradient);
      gradient.forEach((g, p) => {
        before[p]! -= y[i]! * g;
      });
    });
    expect(error).toBeCloseTo(squares / m, 9);
    expect(Math.hypot(...slope)).toBeLessThan(0.003 * Math.hypot(...before));
  });

  it("learns in its first steps like the linear model, if it is wide and its units are small", () => {
    const wide = { width: 4096, deviation: 1 / 64 };
    const task = {
      features: [1, 1, 1, 0.02].map((energy) => ({ energy, target: energy === 1 ? 0.7 : 14 })),
      ...{ m: 8, noise: 6, rate: 0.05 },
    };
    const linear = { ...task, rate: task.rate * tangentRate(wide) };
    networkRisks(task, wide, [0, 1, 2], random).forEach((risk, k) => {
      expect(risk).toBeCloseTo(epochRisk(linear, k), 1);
    });
  });
});
