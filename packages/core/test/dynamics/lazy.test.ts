// Two-layer networks near their start: formulas against the passes, and the certificate against descent.
import { describe, expect, it } from "vitest";
import { lazyCertificate } from "../../src/dynamics/lazy/certificate.ts";
import { descend } from "../../src/dynamics/lazy/descent.ts";
import { featureLaw } from "../../src/dynamics/lazy/feature-law.ts";
import {
  drawTwoLayer,
  featureMatrix,
  gramMatrix,
  leastDirection,
  padded,
  spectralNorm,
} from "../../src/dynamics/lazy/features.ts";
import { hessianBound, hessianNorm, type SmoothNetwork } from "../../src/dynamics/lazy/hessian.ts";
import { squaredRisk } from "../../src/dynamics/lazy/squared-risk.ts";
import {
  kernelRegression,
  meanTangent,
  tangentGram,
  tangentModel,
} from "../../src/dynamics/lazy/tangent-model.ts";
import { sampleGradients, tangentKernel } from "../../src/dynamics/sample-gradients.ts";
import { shallowGraph } from "../../src/dynamics/shallow-network.ts";
import { tensor } from "../../src/graph/tensor.ts";
import { limitKernel } from "../../src/kernels/limit-kernel.ts";
import { symmetricEigen } from "../../src/linear-algebra/symmetric-eigen.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { empiricalRisk } from "../../src/train/empirical-risk.ts";

const random = createRandom("lazy");
const points = [
  [-1, 0.5],
  [0.3, 1],
  [2, -0.7],
].map(padded);
const examples = { points, values: [0.02, -0.03, 0.01] };
const draw = (sigma: SmoothNetwork["sigma"], n: number): SmoothNetwork => ({
  ...drawTwoLayer(sigma, n, 3, { inner: 1, outer: 0.01 / Math.sqrt(n) }, random.split(`${sigma}${n}`)),
  sigma,
});

describe.each(["tanh", "logistic", "softplus"] as const)("a network of %s", (sigma) => {
  const network = draw(sigma, 20);

  it("has the gradient of the gradient pass", async () => {
    const target = tensor(examples.values, { dims: [3, 1] });
    const risk = empiricalRisk(shallowGraph(network), "square", {
      x: tensor(points.map((x) => [...x])),
      target,
    });
    const { value, gradient } = await risk.at(risk.start);
    const mine = squaredRisk(network, examples);
    expect(mine.value).toBeCloseTo(value, 14);
    [...mine.gradient.inner, ...mine.gradient.outer].forEach((g, k) => {
      expect(g).toBeCloseTo(gradient[k]!, 13);
    });
  });

  it("has the tangent kernel of the gradients' rows", async () => {
    const graph = shallowGraph(network);
    const rows = await sampleGradients(
      graph,
      tensor(points.map((x) => [...x])),
    )(
      empiricalRisk(graph, "square", {
        x: tensor(points.map((x) => [...x])),
        target: tensor([[0], [0], [0]]),
      }).start,
    );
    const wanted = tangentKernel(rows);
    tangentGram(network, points).forEach((row, i) => {
      row.forEach((k, j) => {
        expect(k).toBeCloseTo(wanted[i]![j]!, 12);
      });
    });
  });

  it("bends no more than the bound", () => {
    for (const x of points) expect(hessianNorm(network, x)).toBeLessThanOrEqual(hessianBound(network, x, 0));
  });
});

describe("the certificate", () => {
  it("is kept by descent, at its own rate and at a smaller one", () => {
    const network = draw("tanh", 400);
    for (const eta of [undefined, 1e-4]) {
      const { promised, risk } = lazyCertificate(network, examples, { ...(eta && { eta }) });
      expect(promised).toBeDefined();
      const { risks, distances } = descend(network, examples, { eta: promised!.eta, steps: 200 });
      expect(Math.max(...distances)).toBeLessThanOrEqual(promised!.radius);
      risks.forEach((r, k) => {
        expect(r).toBeLessThanOrEqual(risk * promised!.factor ** k * (1 + 1e-9));
      });
    }
  });

  it("promises nothing for few neurons or great labels, and says by how much", () => {
    const { promised, margin, widthWanted } = lazyCertificate(draw("tanh", 8), {
      points,
      values: [1, -1, 1],
    });
    expect(promised).toBeUndefined();
    expect(margin).toBeLessThan(1);
    expect(widthWanted).toBeGreaterThan(8);
  });

  it("promises nothing at a rate that is too great", () => {
    expect(lazyCertificate(draw("tanh", 400), examples, { eta: 10 }).promised).toBeUndefined();
    expect(() => lazyCertificate(draw("tanh", 4), examples, { eta: 0 })).toThrow("a rate is positive");
  });

  it("asks for less when the rate is small: half of it", () => {
    const network = draw("tanh", 400);
    const wide = lazyCertificate(network, examples).promised!;
    const { promised, margin, leastEigenvalue, needed } = lazyCertificate(network, examples, { eta: 1e-12 });
    expect(promised!.radius).toBeLessThan(wide.radius);
    expect(margin / (2 * (leastEigenvalue / needed))).toBeCloseTo(1, 8);
    // R (s - L R) = sqrt(m r), with needed = 8 L sqrt(m r).
    const slope = spectralNorm(points);
    const wanted = needed / (8 * slope);
    const s = Math.sqrt(leastEigenvalue);
    expect(promised!.radius * (s - slope * promised!.radius)).toBeCloseTo(wanted, 8);
    expect(promised!.alpha).toBeCloseTo((4 / points.length) * (s - slope * promised!.radius) ** 2, 10);
  });

  it("has the numbers that one neuron and one example have by hand", () => {
    // tanh(20) is 1 with slope 0: J = (1, 0), A = 1; the label is 0.1 away, so that 8 Lip |X| sqrt(m r) = 0.8.
    const network: SmoothNetwork = { sigma: "tanh", a: [0], V: [[20]] };
    const one = { points: [Float64Array.of(1)], values: [0.1] };
    const { promised, margin, needed } = lazyCertificate(network, one);
    expect([margin, needed].map((v) => Number(v.toFixed(10)))).toEqual([1.25, 0.8]);
    const radius = (1 - Math.sqrt(0.2)) / 2; // R (1 - R) = 0.2
    const bend = (4 / (3 * Math.sqrt(3))) * radius; // |v| <= R, sup |tanh''|
    const curvature = (bend + Math.sqrt(bend ** 2 + 4)) / 2;
    const beta = 2 * ((1 + radius * curvature) ** 2 + 0.1 * curvature);
    expect(promised!.radius).toBeCloseTo(radius, 10);
    expect(promised!.beta).toBeCloseTo(beta, 9);
    expect(promised!.beta).toBeCloseTo(3.64075, 4);
    expect(promised!.alpha).toBeCloseTo(4 * (1 - radius) ** 2, 10);
    expect(promised!.factor).toBeCloseTo(1 - promised!.alpha / (2 * beta), 10);
  });

  it("bounds the Hessian of the risk at all weights of the ball where the risk is no greater", () => {
    const random = createRandom("ball");
    for (const sigma of ["tanh", "logistic", "softplus"] as const) {
      const network: SmoothNetwork = {
        sigma,
        a: [0.1, -0.2],
        V: [
          [3, 1],
          [-2, 2],
        ],
      };
      const one = {
        points: [Float64Array.of(0.5, 1)],
        values: [0.2 + squaredRisk(network, { points: [Float64Array.of(0.5, 1)], values: [0] }).errors[0]!],
      };
      const { promised, risk } = lazyCertificate(network, one, { eta: 1e-6 });
      expect(promised).toBeDefined();
      const size = 1e-5;
      for (let draws = 0; draws < 60; draws++) {
        const direction = random.normal(6);
        const length = promised!.radius / Math.hypot(...direction);
        const at = (shift: readonly number[]): SmoothNetwork => {
          const w = Array.from(direction, (v, k) => v * length * (1 - 2 * size) + shift[k]!);
          return {
            sigma,
            a: [0.1 + w[0]!, -0.2 + w[1]!],
            V: [
              [3 + w[2]!, 1 + w[3]!],
              [-2 + w[4]!, 2 + w[5]!],
            ],
          };
        };
        if (squaredRisk(at([0, 0, 0, 0, 0, 0]), one).value > risk) continue;
        // The quotient of differences of gradients over short ways in the ball, along the coordinates.
        for (let k = 0; k < 6; k++) {
          const step = Array.from({ length: 6 }, (_, j) => (j === k ? size * promised!.radius : 0));
          const [before, after] = [squaredRisk(at([0, 0, 0, 0, 0, 0]), one), squaredRisk(at(step), one)];
          const change = [
            ...after.gradient.outer.map((v, j) => v - before.gradient.outer[j]!),
            ...after.gradient.inner.map((v, j) => v - before.gradient.inner[j]!),
          ];
          expect(Math.hypot(...change) / (size * promised!.radius)).toBeLessThan(promised!.beta * (1 + 1e-4));
        }
      }
    }
  });
});

describe("the linear model", () => {
  it("after many steps is regression with the kernel", () => {
    const kernel = [
      [2, 1],
      [1, 3],
    ];
    const end = kernelRegression(kernel, [1, -1]);
    const late = kernelRegression(kernel, [1, -1], { eta: 0.3, count: 500 });
    late.weights.forEach((w, i) => {
      expect(w).toBeCloseTo(end.weights[i]!, 12);
    });
    expect(end.weights[0]! * 2 + end.weights[1]!).toBeCloseTo(1, 12);
  });

  it("passes through the examples", () => {
    const model = tangentModel(draw("tanh", 50), examples);
    points.forEach((x, i) => {
      expect(model.value(x)).toBeCloseTo(examples.values[i]!, 9);
    });
  });
});

describe("features", () => {
  it("have a least direction", () => {
    const A = featureMatrix(draw("logistic", 30), points);
    const { least, left, right } = leastDirection(A);
    A[0]!.forEach((_, k) => {
      const image = A.reduce((s, row, i) => s + left[i]! * row[k]!, 0);
      expect(image).toBeCloseTo(least * right[k]!, 12);
    });
  });

  it("have the same spectral norm by rows and by columns", () => {
    const columns = [0, 1, 2].map((j) => Float64Array.from(points, (x) => x[j]!));
    expect(spectralNorm(points)).toBeCloseTo(spectralNorm(columns), 12);
    expect(spectralNorm(points.slice(0, 2))).toBeCloseTo(
      spectralNorm([0, 1, 2].map((j) => Float64Array.from(points.slice(0, 2), (x) => x[j]!))),
      12,
    );
  });
});

describe("the mean of the Jacobian on the way between two networks", () => {
  it("is known by hand where the networks are linear", () => {
    // a v x from a = 0 to 2 with v = 1, x = 3: the Jacobian is (3, 3 a), so J_0 = (3, 0) and its mean (3, 3).
    const [from, to] = [0, 2].map((a) => ({ sigma: "linear" as const, a: [a], V: [[1]] }));
    const found = meanTangent(from!, to!, [Float64Array.of(3)]);
    expect(found.changes[0]).toBeCloseTo(6, 14);
    expect(found.shortest).toBeCloseTo(Math.SQRT2, 14);
    expect(found.shortestAtStart).toBeCloseTo(2, 14);
    expect(found.turn).toBeCloseTo(1, 14);
  });

  it("turns by what its rows change in the metric of the first kernel", () => {
    const [from, to] = [draw("tanh", 12), draw("tanh", 12)].map((network, k) => ({
      ...network,
      a: network.a.map((v, j) => v + k * 0.3 * Math.cos(j)),
    }));
    const { turn } = meanTangent(from!, to!, points);
    // Only outer weights move: features stay, and what stands before x is in the mean that of the network half way.
    const half = { ...from!, a: from!.a.map((v, j) => (v + to!.a[j]!) / 2) };
    const moved = { ...from!, a: half.a.map((v, j) => v - from!.a[j]!) };
    const own = gramMatrix(featureMatrix(from!, points));
    const changes = tangentGram(moved, points).map((row, i) => row.map((v, j) => v - own[i]![j]!));
    const kernel = tangentGram(from!, points);
    // The least t for which t^2 K - G is positive semidefinite, by its eigenvalues.
    const least = (t: number): number =>
      symmetricEigen(kernel.map((row, i) => row.map((v, j) => t * t * v - changes[i]![j]!))).values[0]!;
    expect(least(turn * (1 + 1e-9))).toBeGreaterThan(0);
    expect(least(turn * (1 - 1e-6))).toBeLessThan(0);
  });
});

describe("the law of one neuron's features", () => {
  it("has the kernel of the infinitely wide layer", async () => {
    const x = [-1.5, -0.5, 0.5, 1.5];
    const { kernel } = featureLaw(x.map((v) => padded([v])));
    const limit = await limitKernel("1-8-tanh-1", tensor(x.map((v) => [v])), { bStd: 1 });
    kernel.forEach((row, i) => {
      row.forEach((v, j) => {
        expect(v).toBeCloseTo(limit.nngp[4 * i + j]! - 1, 7);
      });
    });
  });

  it("has the fourth moment of two features that are independent", () => {
    const { fourthMoment } = featureLaw([Float64Array.of(1, 0), Float64Array.of(0, 1)]);
    const moment = (power: number): number => {
      let sum = 0;
      for (let k = -1000; k <= 1000; k++)
        sum += Math.tanh(k / 100) ** power * Math.exp(-((k / 100) ** 2) / 2);
      return sum / 100 / Math.sqrt(2 * Math.PI);
    };
    expect(fourthMoment).toBeCloseTo((2 * moment(4)) / moment(2) ** 2 + 2, 8);
  });
});
