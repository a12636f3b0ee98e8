// Balances on networks small enough to do by hand, and against finite differences of the flow.
import { describe, expect, it } from "vitest";
import {
  layerBalances,
  matrixBalance,
  neuronBalances,
  neuronIdentities,
  printedIdentity,
  stepDrift,
} from "../../src/dynamics/balancedness.ts";
import { tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { backpropagate } from "../../src/train/backpropagation.ts";
import { denseNetwork, layersFrom, preActivations } from "../../src/train/dense-network.ts";
import { empiricalRisk, weightVector } from "../../src/train/empirical-risk.ts";

describe("balances", () => {
  const layers = [
    {
      W: [
        [1, 2],
        [3, 0],
      ],
      b: [1, 2],
    },
    {
      W: [
        [2, 1],
        [0, 4],
      ],
    },
  ];

  it("by hand", () => {
    expect(neuronBalances(layers)).toEqual([[4 - 5 - 1, 17 - 9 - 4]]);
    expect(layerBalances(layers)).toEqual([2]);
    expect(matrixBalance(layers, 0)).toEqual([
      [4 - 5, 2 - 3],
      [2 - 3, 17 - 9],
    ]);
    expect(stepDrift(layers, 0.5)).toEqual([[-0.5, 1]]);
  });

  it("one hidden unit a x: both weights feel the same product", () => {
    // R = (v u x - y)^2 with u = 2, v = 3, x = 1, y = 5: dR/du = 2 (1) 3, dR/dv = 2 (1) 2.
    expect(neuronIdentities([{ W: [[2]] }, { W: [[3]] }], [{ W: [[6]] }, { W: [[4]] }])).toEqual([[0]]);
    expect(neuronIdentities([{ W: [[2]] }, { W: [[3]] }], [{ W: [[6]] }, { W: [[5]] }])).toEqual([[3]]);
  });
});

describe("a ReLU network with biases", () => {
  const random = createRandom("balance");
  const widths = [3, 4, 5, 1];
  const layers = widths.slice(1).map((rows, l) => ({
    W: Array.from({ length: rows }, () => [...random.normal(widths[l]!)]),
    ...(l < 2 && { b: [...random.normal(rows)] }),
  }));
  const x = Array.from({ length: 7 }, () => [...random.normal(3)]);
  const y = [...random.normal(7)];
  const risk = empiricalRisk(denseNetwork(layers, "relu"), "square", {
    x: tensor(x),
    target: tensor(y, { dims: [7, 1] }),
  });

  it("has no first-order change of any balance along the gradient", async () => {
    const { gradient } = await risk.at(risk.start);
    const h = 1e-6;
    const moved = (s: number) =>
      neuronBalances(
        layersFrom(
          risk,
          risk.start.map((v, i) => v - s * gradient[i]!),
          widths,
        ),
      ).flat();
    const [ahead, behind] = [moved(h), moved(-h)];
    const size = gradient.reduce((s, v) => s + v * v, 0);
    ahead.forEach((v, k) => {
      expect(Math.abs(v - behind[k]!) / (2 * h)).toBeLessThan(1e-7 * size);
    });
    const identities = neuronIdentities(layers, layersFrom(risk, gradient, widths)).flat();
    expect(Math.max(...identities.map(Math.abs))).toBeLessThan(1e-12 * size);
  });

  it("drifts in one step by exactly eta^2 times the gradient's balance", async () => {
    const { gradient } = await risk.at(risk.start);
    const eta = 0.01;
    const after = neuronBalances(
      layersFrom(
        risk,
        risk.start.map((v, i) => v - eta * gradient[i]!),
        widths,
      ),
    ).flat();
    const before = neuronBalances(layers).flat();
    const drift = stepDrift(layersFrom(risk, gradient, widths), eta).flat();
    after.forEach((v, k) => {
      expect(v - before[k]!).toBeCloseTo(drift[k]!, 10);
    });
  });
});

describe("(1.27)", () => {
  const random = createRandom("1.27");
  const layers = [
    { W: Array.from({ length: 3 }, () => [...random.normal(2)]) },
    { W: [[...random.normal(3)]] },
  ];
  const x = [
    [1, 0.5],
    [-0.7, 1],
    [0.2, -1.1],
  ];
  const slopes = (point: readonly number[]) =>
    preActivations(layers, "relu", point)[0]!.map((v) => (v > 0 ? 1 : 0));

  it("holds for the gradient of one example, with the diagonal at that example", () => {
    for (const point of x)
      expect(
        printedIdentity(layers, backpropagate(layers, "relu", point, [1.5]), 0, slopes(point)),
      ).toBeLessThan(1e-14);
  });

  it("fails for a sum of examples, though its diagonal entries agree", async () => {
    const risk = empiricalRisk(denseNetwork(layers, "relu"), "square", {
      x: tensor(x),
      target: tensor([[1], [-1], [2]]),
    });
    const gradients = layersFrom(
      weightVector(denseNetwork(layers, "relu")),
      (await risk.at(risk.start)).gradient,
      [2, 3, 1],
    );
    expect(printedIdentity(layers, gradients, 0, slopes(x[0]!))).toBeGreaterThan(0.01);
    expect(Math.max(...neuronIdentities(layers, gradients).flat().map(Math.abs))).toBeLessThan(1e-14);
  });
});
