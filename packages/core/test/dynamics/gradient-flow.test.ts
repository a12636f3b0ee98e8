// Flows against closed forms, and the vector of weights against the tensors it is made of.
import { describe, expect, it } from "vitest";
import { gradientFlow } from "../../src/dynamics/gradient-flow.ts";
import { leastSquares, leastSquaresFlow, nearestSolution } from "../../src/dynamics/minimum-norm.ts";
import { probabilityLeft } from "../../src/dynamics/noisy-descent.ts";
import { integrate } from "../../src/dynamics/runge-kutta.ts";
import { sampleGradients, tangentKernel } from "../../src/dynamics/sample-gradients.ts";
import { fewestMistakes, logisticMinimizer, mistakes } from "../../src/dynamics/surrogate.ts";
import { averageIterate, noisyPaths } from "../../src/dynamics/two-point-noise.ts";
import { tensor } from "../../src/graph/tensor.ts";
import { symmetricEigen } from "../../src/linear-algebra/symmetric-eigen.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { backpropagate } from "../../src/train/backpropagation.ts";
import { denseNetwork, layersFrom } from "../../src/train/dense-network.ts";
import { empiricalRisk, weightVector } from "../../src/train/empirical-risk.ts";
import { weightedGradient } from "../../src/train/example-losses.ts";

const distance = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Math.hypot(...Array.from(a, (v, k) => v - b[k]!));

describe("Dormand and Prince's method", () => {
  it("turns a circle once", async () => {
    const path = await integrate(([x, y]) => Float64Array.of(-y!, x!), Float64Array.of(1, 0), {
      until: 2 * Math.PI,
      tolerance: 1e-12,
    });
    expect(path.at(-1)!.t).toBe(2 * Math.PI);
    expect(distance(path.at(-1)!.state, [1, 0])).toBeLessThan(path.length * 1e-12);
  });

  it("is of order five: 32 times the tolerance, half as many steps", async () => {
    const steps = async (tolerance: number) =>
      (await integrate((y) => y.map((v) => -v), Float64Array.of(1), { until: 20, tolerance })).length;
    const ratio = (await steps(1e-12)) / (await steps(32e-12));
    expect(ratio).toBeGreaterThan(1.8);
    expect(ratio).toBeLessThan(2.2);
  });

  it("makes one step of 0.01 as exactly as order five can: a wrong coefficient shows", async () => {
    // y' = y^2 + z, z' = y z - 1 and u' = y z u: Taylor's series by its own recurrences.
    const field = ([y, z, u]: Float64Array) => Float64Array.of(y! * y! + z!, y! * z! - 1, y! * z! * u!);
    const start = [0.4, -0.3, 0.7];
    const [y, z, u, yz] = [[start[0]!], [start[1]!], [start[2]!], [] as number[]];
    const product = (a: readonly number[], b: readonly number[], n: number): number =>
      a.slice(0, n + 1).reduce((sum, v, k) => sum + v * b[n - k]!, 0);
    for (let n = 0; n < 12; n++) {
      yz.push(product(y, z, n));
      y.push((product(y, y, n) + z[n]!) / (n + 1));
      z.push((yz[n]! - (n === 0 ? 1 : 0)) / (n + 1));
      u.push(product(yz, u, n) / (n + 1));
    }
    const h = 0.01 / Math.hypot(...field(Float64Array.from(start)));
    const path = await integrate(field, Float64Array.from(start), { until: h, tolerance: 1 });
    expect(path.length).toBe(2);
    const at = (c: readonly number[]): number => c.reduceRight((sum, v) => sum * h + v, 0);
    expect(distance(path[1]!.state, [at(y), at(z), at(u)])).toBeLessThan(1e-13);
  });

  it("judges a step by the difference of two orders", async () => {
    // For y' = t^4 as a system the two orders differ by a known multiple of h^5: the steps follow from the tolerance.
    const field = ([, t]: Float64Array) => Float64Array.of(t! ** 4, 1);
    const path = await integrate(field, Float64Array.of(0, 0), { until: 3, tolerance: 1e-8 });
    const steps = path.slice(1).map(({ t }, k) => t - path[k]!.t);
    const weights = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40];
    const nodes = [0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1];
    const fifth = Math.abs(weights.reduce((sum, w, k) => sum + w * nodes[k]! ** 4, 0));
    // The next step has 0.9^5 of the tolerance as its error, but for the first ones, which grow, and the last one.
    for (const h of steps.slice(8, -1)) expect(fifth * h ** 5).toBeCloseTo(0.9 ** 5 * 1e-8, 12);
  });

  it("gives up, or ends early, where it cannot get on", async () => {
    const jump = ([x]: Float64Array) => Float64Array.of(x! > 0 ? -1 : 1);
    const options = { until: 2, tolerance: 1e-9, maximumSteps: 200 };
    await expect(integrate(jump, Float64Array.of(1), options)).rejects.toThrow(/more than 200 steps/);
    const path = await integrate(jump, Float64Array.of(1), { ...options, partial: true });
    // It reaches 0 at t = 1 and can only crawl from there on.
    expect(path.at(-1)!.t).toBeGreaterThan(0.999);
    expect(path.at(-1)!.t).toBeLessThan(1.01);
    expect(Math.abs(path.at(-1)!.state[0]!)).toBeLessThan(1e-3);
  });
});

describe("gradient flow", () => {
  const random = createRandom("flow");
  const X = Array.from({ length: 3 }, () => [...random.normal(5)]);
  const y = [...random.normal(3)];
  const start = [...random.normal(5)];
  const data = { x: tensor(X), target: tensor(y, { dims: [3, 1] }) };

  it("on least squares follows the matrix exponential, and its limit solves the equations", async () => {
    const problem = leastSquares(X, y);
    const risk = empiricalRisk(denseNetwork([{ W: [start] }], "linear"), "square", data);
    const path = await gradientFlow(risk, { until: 1, tolerance: 1e-11 });
    for (const { t, theta } of path)
      expect(distance(theta, leastSquaresFlow(problem, start, t))).toBeLessThan(1e-8);
    const limit = nearestSolution(problem, start);
    expect(distance(leastSquaresFlow(problem, start, 1e6), limit)).toBeLessThan(1e-10);
    expect(X.map((row) => row.reduce((s, v, k) => s + v * limit[k]!, 0))).toEqual(
      y.map((v) => expect.closeTo(v, 10)),
    );
  });

  it("loses as much risk as it dissipates, and never rises", async () => {
    const model = denseNetwork(
      [
        {
          W: [
            [1, -0.5, 0.3, 0, 1],
            [0.2, 1, -1, 0.4, 0],
          ],
          b: [0.1, -0.2],
        },
        { W: [[1, -1]], b: [0.3] },
      ],
      "tanh",
    );
    const path = await gradientFlow(empiricalRisk(model, "square", data), { until: 3, tolerance: 1e-9 });
    const [first, last] = [path[0]!, path.at(-1)!];
    expect(first.value - last.value).toBeCloseTo(last.dissipated, 6);
    for (let k = 1; k < path.length; k++) expect(path[k]!.value).toBeLessThanOrEqual(path[k - 1]!.value);
  });
});

describe("gradients example by example", () => {
  const layers = [
    {
      W: [
        [1, -2],
        [0.5, 1],
        [-1, 0.25],
      ],
      b: [0.1, 0.2, -0.3],
    },
    { W: [[1, 2, -1]], b: [0.5] },
  ];
  const x = [
    [0.3, -0.7],
    [1.2, 0.4],
  ];
  const model = denseNetwork(layers, "logistic");
  const vector = weightVector(model);

  it("are what backpropagation by hand gives", async () => {
    const rows = await sampleGradients(model, tensor(x))(vector.start);
    rows.forEach((row, i) => {
      const byHand = backpropagate(layers, "logistic", x[i]!, [1]).flatMap(({ W, b }) => [...W.flat(), ...b]);
      const flat = layersFrom(vector, row, [2, 3, 1]).flatMap(({ W, b = [] }) => [...W.flat(), ...b]);
      expect(distance(flat, byHand)).toBeLessThan(1e-14);
    });
    const K = tangentKernel(rows);
    expect(K[0]![1]).toBe(K[1]![0]);
    expect(K[0]![0]! * K[1]![1]!).toBeGreaterThanOrEqual(K[0]![1]! ** 2);
  });

  it("add up to the gradient of a weighted sum of losses", async () => {
    const data = { x: tensor(x), target: tensor([[1], [0]]) };
    const slope = weightedGradient(model, "square", data);
    const parts = [await slope(vector.start, [1, 0]), await slope(vector.start, [0, 1])];
    const whole = await slope(vector.start, [2, -1]);
    expect(
      distance(
        whole,
        parts[0]!.map((v, k) => 2 * v - parts[1]![k]!),
      ),
    ).toBeLessThan(1e-14);
    const { gradient } = await empiricalRisk(model, "square", data).at(vector.start);
    expect(
      distance(
        gradient,
        parts[0]!.map((v, k) => (v + parts[1]![k]!) / 2),
      ),
    ).toBeLessThan(1e-15);
  });
});

describe("small linear algebra", () => {
  it("takes a symmetric matrix apart and together", () => {
    const random = createRandom("eigen");
    const A = Array.from({ length: 7 }, () => [...random.normal(7)]);
    const S = A.map((r) => A.map((s) => r.reduce((sum, v, k) => sum + v * s[k]!, 0)));
    const { values, vectors } = symmetricEigen(S);
    expect(values).toEqual([...values].sort((a, b) => a - b));
    S.forEach((row, i) => {
      row.forEach((entry, j) => {
        const again = values.reduce((sum, v, k) => sum + v * vectors[k]![i]! * vectors[k]![j]!, 0);
        expect(again).toBeCloseTo(entry, 11);
      });
    });
  });

  it("refuses equations that depend on each other", () => {
    expect(() =>
      leastSquares(
        [
          [1, 2],
          [2, 4],
        ],
        [1, 1],
      ),
    ).toThrow(/dependent/);
  });
});

describe("noise whose law is known", () => {
  it("two-point noise: all paths, and their mean", () => {
    const paths = [
      ...noisyPaths({
        objective: { value: ([t]) => t!, slope: () => [1] },
        dimension: 1,
        steps: 2,
        rate: () => 1,
        noise: () => [0.5],
      }),
    ];
    expect(paths.map(({ iterates }) => iterates[2]![0])).toEqual([-1, -2, -2, -3]);
    expect(averageIterate(paths[0]!, 0, 1)).toEqual([-0.25]);
  });

  it("on a parabola the chain is an autoregression with a normal law", () => {
    const [rate, noise, steps] = [0.1, 1, 30];
    const [p] = probabilityLeft({ slope: (t) => t, rate, noise, steps, domain: [-3, 3] }, 0.05, [1]);
    const mean = 0.9 ** steps;
    const variance = (rate * noise) ** 2 * ((1 - 0.81 ** steps) / (1 - 0.81));
    const byNumbers = createRandom("ar");
    const z = (0.05 - mean) / Math.sqrt(variance);
    const share = byNumbers.normal(200000).filter((v) => v < z).length / 200000;
    expect(Math.abs(p! - share)).toBeLessThan(4.5 * Math.sqrt(0.25 / 200000));
  });
});

describe("logistic regression on a line", () => {
  const points = [
    { x: 0, y: 1, count: 4 },
    { x: 1, y: -1, count: 4 },
    { x: 20, y: 1, count: 1 },
  ];

  it("has the slope zero at its minimizer, and eight mistakes where one is possible", () => {
    const { w, b } = logisticMinimizer(points);
    const shares = points.map(({ x, y, count }) => (count * y) / (1 + Math.exp(y * (w * x + b))));
    expect(shares.reduce((s, v) => s + v, 0)).toBeCloseTo(0, 13);
    expect(shares.reduce((s, v, i) => s + v * points[i]!.x, 0)).toBeCloseTo(0, 13);
    expect([mistakes(points, { w, b }), fewestMistakes(points)]).toEqual([8, 1]);
  });

  it("counts mistakes as brute force over a grid does", () => {
    const random = createRandom("mistakes");
    for (let trial = 0; trial < 20; trial++) {
      const drawn = Array.from({ length: 6 }, () => ({
        x: random.integer(-4, 4),
        y: random.uniform() < 0.5 ? -1 : 1,
        count: random.integer(1, 3),
      }));
      const grid = Array.from({ length: 21 }, (_, k) => -5.25 + k / 2);
      const least = Math.min(...grid.flatMap((t) => [1, -1].map((w) => mistakes(drawn, { w, b: -w * t }))));
      expect(fewestMistakes(drawn)).toBe(least);
    }
  });
});
