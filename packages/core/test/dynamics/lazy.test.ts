// Two-layer networks near their start: formulas against the passes, and the certificate against descent.
import { describe, expect, it } from "vitest";
import { lazyCertificate } from "../../src/dynamics/lazy/certificate.ts";
import { descend } from "../../src/dynamics/lazy/descent.ts";
import {
  drawTwoLayer,
  featureMatrix,
  leastDirection,
  padded,
  spectralNorm,
} from "../../src/dynamics/lazy/features.ts";
import { hessianBound, hessianNorm, type SmoothNetwork } from "../../src/dynamics/lazy/hessian.ts";
import { squaredRisk } from "../../src/dynamics/lazy/squared-risk.ts";
import { kernelRegression, tangentGram, tangentModel } from "../../src/dynamics/lazy/tangent-model.ts";
import { sampleGradients, tangentKernel } from "../../src/dynamics/sample-gradients.ts";
import { shallowGraph } from "../../src/dynamics/shallow-network.ts";
import { tensor } from "../../src/graph/tensor.ts";
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

  it("asks for less when the rate is small", () => {
    const network = draw("tanh", 400);
    const wide = lazyCertificate(network, examples).promised!;
    expect(lazyCertificate(network, examples, { eta: 1e-6 }).promised!.radius).toBeLessThan(wide.radius);
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
