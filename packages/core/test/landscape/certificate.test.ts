// Certificates of global optimality: values known from convex programs, bounds against grids, networks that are stuck.
import { describe, expect, it } from "vitest";
import { tensor } from "../../src/graph/tensor.ts";
import { descended, objectiveOf, resized } from "../../src/landscape/certificate/descent.ts";
import { climbed, onKinks, responseOf } from "../../src/landscape/certificate/polar-climb.ts";
import {
  certifiedMinimum,
  certifyTwoLayer,
  convexLoss,
  describePoint,
  factorizationGap,
  grownFactors,
  homogeneity,
  readTwoLayer,
  reluPolar,
  singularThresholding,
  slid,
  type TwoLayer,
  variationalExcess,
} from "../../src/landscape/index.ts";
import { matrixOfRows } from "../../src/linear-algebra/index.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { denseNetwork } from "../../src/train/dense-network.ts";

const vectors = (...rows: number[][]) => rows.map((row) => Float64Array.from(row));
const points = vectors([1, 0], [0, 1], [-1, 1], [1, -2], [2, 1]);

describe("factorizations", () => {
  const y = matrixOfRows([
    [5, 0, 0],
    [0, 3, 0],
    [0, 0, 1],
  ]);

  it("thresholds singular values", async () => {
    const { z, value, rank } = await singularThresholding(y, 2);
    expect(value).toBeCloseTo(12.5, 12);
    expect(rank).toBe(2);
    [3, 0, 0, 0, 1, 0, 0, 0, 0].forEach((v, k) => {
      expect(z.entries[k]).toBeCloseTo(v, 12);
    });
  });

  it("grows to the same value, each column lowering it by (sigma - lambda)^2 / 2", async () => {
    const { steps } = await grownFactors(y, 2);
    expect(steps.map((s) => s.objective)).toEqual([17.5, 13, 12.5].map((v) => expect.closeTo(v, 10)));
  });

  it("certifies what is best and bounds what is not", async () => {
    const best = await singularThresholding(y, 2);
    expect((await factorizationGap(y, 2, best)).gap).toBeCloseTo(0, 10);
    const narrow = {
      u: matrixOfRows([[Math.sqrt(3)], [0], [0]]),
      v: matrixOfRows([[Math.sqrt(3)], [0], [0]]),
    };
    const { gap, objective, polar } = await factorizationGap(y, 2, narrow);
    expect(polar).toBeCloseTo(3, 12);
    expect(objective - best.value).toBeCloseTo(0.5, 10);
    expect(gap).toBeGreaterThanOrEqual(0.5);
    expect(await variationalExcess(narrow)).toBeCloseTo(0, 12);
  });
});

describe("the polar problem of ReLU neurons", () => {
  it("has the value of the catalogue's instance", () => {
    const { lower, upper, neuron } = reluPolar(points, vectors([1, -1, 2, 0.5, -0.25]));
    expect(lower).toBeCloseTo(Math.sqrt(5), 9);
    expect(upper).toBeCloseTo(Math.sqrt(5), 7);
    expect(neuron[0]).toBeCloseTo(-2 / Math.sqrt(5), 6);
  });

  it.each([1, 2, 3, 4])("is bounded both ways in %i dimensions", (d) => {
    const random = createRandom(`polar ${d}`);
    const x = Array.from({ length: 12 }, () => random.normal(d));
    const q = [random.normal(12), random.normal(12)];
    const { lower, upper } = reluPolar(x, q, { cones: 4000, tolerance: 1e-4 });
    expect(lower).toBeLessThanOrEqual(upper);
    expect(upper).toBeLessThan(lower * 1.02);
    for (let trial = 0; trial < 2000; trial++) {
      const v = random.sphere(d);
      const active = x.map((row) =>
        Math.max(
          0,
          row.reduce((s, a, c) => s + a * v[c]!, 0),
        ),
      );
      const value = Math.hypot(...q.map((row) => row.reduce((s, w, i) => s + w * active[i]!, 0)));
      expect(value).toBeLessThanOrEqual(upper);
    }
  });
});

describe("the bounds on the polar close", () => {
  // d inputs, m examples, outputs, cones that are enough; maxima lie on kinks and between, several nearly as great.
  it.each([
    [2, 40, 1, 60],
    [2, 40, 3, 200],
    [3, 40, 1, 400],
    [3, 40, 2, 1200],
    [3, 150, 1, 800],
    [4, 40, 1, 1000],
    [4, 150, 1, 4000],
  ])("in %i dimensions, with %i examples and %i outputs, to 1e-9", (d, m, outputs, cones) => {
    const random = createRandom(`p ${d} ${m}`);
    const x = Array.from({ length: m }, () => random.normal(d));
    const q = Array.from({ length: outputs }, () => random.normal(m));
    const { lower, upper } = reluPolar(x, q, { cones });
    expect(upper / lower - 1).toBeLessThan(1.1e-9);
    // No place that is climbed to from elsewhere is above.
    for (let k = 0; k < 50; k++) {
      const top = climbed(x, q, random.sphere(d));
      expect(Math.hypot(...responseOf(x, q, onKinks(x, q, top)))).toBeLessThanOrEqual(upper);
    }
  });
});

describe("certificates of ReLU networks", () => {
  const y = Float64Array.of(1, -1, 0.5, 0.25, 2);
  const loss = convexLoss("square", { values: [y] });
  const empty: TwoLayer = { neurons: [], hasBias: false };

  // 1/2 |y - z|^2 + lambda theta, by a convex program over all sectors of the plane; ours is 2/m of it with decay 2 lambda / m.
  it.each([
    [0.1, 0.4038652397],
    [0.5, 1.223685282],
    [1, 1.6341676296],
  ])("reaches the convex program's value at lambda %f", (lambda, value) => {
    const { certificate } = certifiedMinimum(empty, points, loss, 1, {
      decay: (2 * lambda) / 5,
      gapTolerance: 1e-7,
      tolerance: 1e-10,
    });
    expect(certificate.verdict).toBe("globally optimal");
    expect((certificate.objective * 5) / 2).toBeCloseTo(value, 8);
    expect(certificate.lowerBound).toBeLessThanOrEqual((value * 2) / 5 + 1e-10);
  });

  it("has no bound above any objective, to the last digits", () => {
    const random = createRandom("sound");
    const ends = Array.from({ length: 12 }, (_, k) => {
      const neurons = Array.from({ length: k % 8 }, () => ({
        incoming: random.normal(2).map((w) => w / 2),
        outgoing: random.normal(1).map((w) => w / 2),
      }));
      const options = { decay: 0.2, gapTolerance: 1e-12, tolerance: 1e-13 };
      return certifiedMinimum({ neurons, hasBias: false }, points, loss, 1, options).certificate;
    });
    expect(Math.max(...ends.map((c) => c.lowerBound))).toBeLessThanOrEqual(
      Math.min(...ends.map((c) => c.objective)),
    );
  });

  it("says that a stuck network is not optimal, and repairs it without going up", () => {
    const stuck: TwoLayer = {
      neurons: [{ incoming: Float64Array.of(-1, -1), outgoing: Float64Array.of(0.5) }],
      hasBias: false,
    };
    const options = { decay: 0.04, gapTolerance: 1e-7 };
    expect(certifyTwoLayer(stuck, points, loss, 1, options).verdict).toBe("not optimal");
    const { path, certificate } = certifiedMinimum(stuck, points, loss, 1, options);
    expect(certificate.verdict).toBe("globally optimal");
    path.slice(1).forEach(({ objective }, k) => {
      expect(objective).toBeLessThanOrEqual(path[k]!.objective * (1 + 1e-12));
    });
  });

  it.each(["logistic", "cross-entropy"] as const)("bounds the %s loss from below, with biases", (name) => {
    const classes = Int32Array.of(0, 1, 1, 0, 1);
    const outputs = name === "logistic" ? 1 : 2;
    const other = convexLoss(name, { classes });
    const start: TwoLayer = { neurons: [], hasBias: true, offset: new Float64Array(outputs) };
    const { certificate } = certifiedMinimum(start, points, other, outputs, {
      decay: 0.05,
      gapTolerance: 1e-4,
      tolerance: 1e-5,
      rounds: 8,
    });
    expect(certificate.gap).toBeGreaterThanOrEqual(0);
    expect(certificate.gap).toBeLessThan(0.05 * certificate.objective);
    const random = createRandom(name);
    for (let trial = 0; trial < 50; trial++) {
      const neurons = Array.from({ length: 4 }, () => ({
        incoming: random.normal(3),
        outgoing: random.normal(outputs),
      }));
      const found = certifyTwoLayer({ ...start, neurons }, points, other, outputs, {
        decay: 0.05,
        cones: 50,
      });
      expect(found.objective).toBeGreaterThanOrEqual(certificate.lowerBound);
      expect(found.lowerBound).toBeLessThanOrEqual(certificate.objective);
    }
  });

  it("has the objective that training minimizes", async () => {
    const net = denseNetwork(
      [
        {
          W: [
            [1, 2],
            [0.5, -1],
          ],
          b: [0.1, 0.2],
        },
        { W: [[1, -1]], b: [0.3] },
      ],
      "relu",
    );
    const data = { x: tensor(points.map((p) => [...p])), target: tensor([...y].map((t) => [t])) };
    const point = await describePoint(net, data, { loss: "square", decay: 0.1 });
    const certificate = certifyTwoLayer(readTwoLayer(net), points, loss, 1, { decay: 0.1 });
    expect(certificate.objective).toBeCloseTo(point.loss, 12);
  });

  it("reads nothing but two layers", () => {
    const deep = denseNetwork([{ W: [[1]] }, { W: [[1]] }, { W: [[1]] }], "relu");
    expect(() => readTwoLayer(deep)).toThrow("more after the second affine map");
    expect(() => readTwoLayer(denseNetwork([{ W: [[1]] }, { W: [[1]] }], "tanh"))).toThrow("comes Tanh");
    expect(() => certifyTwoLayer(empty, points, loss, 1, { decay: 0 })).toThrow("weight decay above 0");
  });
});

describe("sliding along a plateau", () => {
  it("keeps the outputs and lowers the penalty until the neurons are independent", () => {
    const random = createRandom("slide");
    const x = Array.from({ length: 6 }, () => random.normal(3));
    const neurons = Array.from({ length: 9 }, () => ({
      incoming: random.normal(3),
      outgoing: random.normal(1),
    }));
    const outputs = (net: TwoLayer) =>
      x.map((row) =>
        net.neurons.reduce(
          (sum, { incoming, outgoing }) =>
            sum +
            outgoing[0]! *
              Math.max(
                0,
                row.reduce((s, a, c) => s + a * incoming[c]!, 0),
              ),
          0,
        ),
      );
    const { net, removed, penalties } = slid({ neurons, hasBias: false }, x);
    expect(removed).toBeGreaterThanOrEqual(3);
    const [before, after] = [outputs({ neurons, hasBias: false }), outputs(net)];
    before.forEach((v, i) => {
      expect(after[i]).toBeCloseTo(v, 10);
    });
    penalties.slice(1).forEach((p, k) => {
      expect(p).toBeLessThanOrEqual(penalties[k]! + 1e-12);
    });
  });
});

describe("slides of numbers that overflow", () => {
  it("leave the network as it is, and its certificate says why there is none", () => {
    const neurons = [1e200, 1].map((w) => ({ incoming: Float64Array.of(w), outgoing: Float64Array.of(w) }));
    const x = vectors([1], [2], [3]);
    expect(slid({ neurons, hasBias: false }, x).net.neurons).toEqual(neurons);
    const loss = convexLoss("square", { values: [Float64Array.of(1, 2, 3)] });
    expect(() => certifiedMinimum({ neurons, hasBias: false }, x, loss, 1, { decay: 1 })).toThrow(
      "too great",
    );
  });
});

describe("descent", () => {
  const loss = convexLoss("square", { values: [Float64Array.of(1, -1, 0.5, 0.25, 2)] });
  const settings = { outputs: 1, decay: 0.04 };
  const start = (label: string, width: number): TwoLayer => {
    const random = createRandom(label);
    const neurons = Array.from({ length: width }, () => ({
      incoming: random.normal(2).map((w) => w / 2),
      outgoing: random.normal(1).map((w) => w / 2),
    }));
    return { neurons, hasBias: false };
  };

  it("is near its end after sixty steps where nothing bends, though one input is ten times the other", () => {
    const random = createRandom("smooth");
    const x = Array.from({ length: 8 }, () =>
      Float64Array.of(1 + random.uniform(), 10 + 10 * random.uniform()),
    );
    const smooth = convexLoss("square", { values: [Float64Array.from(x, ([a, b]) => 3 * a! + b!)] });
    const neurons = [0.5, 1].map((w) => ({ incoming: Float64Array.of(w, 1), outgoing: Float64Array.of(w) }));
    const at = (steps: number) =>
      objectiveOf(
        descended({ neurons, hasBias: false }, x, smooth, { ...settings, steps }),
        x,
        smooth,
        settings,
      );
    // 5e-6; descent along slopes alone is off by 8e-2 then, a wrong sign in the two loops by 4e-2.
    expect(Math.abs(at(60) / at(4000) - 1)).toBeLessThan(1e-4);
  });

  it("holds neurons on kinks where minima lie there", () => {
    // At the minimum of this instance a neuron is on the kink of an example.
    const ends = Array.from({ length: 6 }, (_, k) =>
      descended(start(`kinks ${k}`, 12), points, loss, settings),
    );
    const angles = ends.flatMap(({ neurons }) =>
      neurons
        .filter(({ incoming, outgoing }) => Math.hypot(...incoming) * Math.abs(outgoing[0]!) > 1e-3)
        .flatMap(({ incoming: [a, b] }) =>
          points.map(([p, q]) => Math.abs(a! * p! + b! * q!) / (Math.hypot(a!, b!) * Math.hypot(p!, q!))),
        ),
    );
    // On a kink, or clearly off it: not on the way there.
    expect(angles.filter((angle) => angle > 1e-12 && angle < 1e-5)).toEqual([]);
    expect(angles.some((angle) => angle <= 1e-12)).toBe(true);
  });

  it("gives neurons their best size", () => {
    const net = descended(start("size", 6), points, loss, settings);
    const { neurons } = net;
    const off = { ...net, neurons: neurons.map((n) => ({ ...n, incoming: n.incoming.map((w) => 1.3 * w) })) };
    const value = (of: TwoLayer) => objectiveOf(of, points, loss, settings);
    const right = resized(off, points, loss, settings);
    expect(value(right)).toBeLessThan(value(off) - 1e-3);
    // No neuron is better a little longer or shorter.
    for (const by of [0.999, 1.001])
      right.neurons.forEach((_, j) => {
        const other = right.neurons.map((n, k) =>
          k === j ? { incoming: n.incoming.map((w) => by * w), outgoing: n.outgoing.map((w) => by * w) } : n,
        );
        expect(value({ ...right, neurons: other })).toBeGreaterThan(value(right) - 1e-9);
      });
  });
});

describe("homogeneity", () => {
  const random = createRandom("degree");
  const relu = (v: number) => Math.max(0, v);
  it.each([
    [
      "a neuron",
      async (w: Float64Array) => Float64Array.of(w[0]! * relu(w[1]! + 2 * w[2]!), w[0]! * relu(w[2]!)),
      2,
    ],
    [
      "three layers",
      async (w: Float64Array) => Float64Array.of(w[0]! * relu(w[1]! * relu(w[2]!)), w[0]! * w[1]! * w[2]!),
      3,
    ],
    [
      "a bias behind the first layer",
      async (w: Float64Array) => Float64Array.of(w[0]! * relu(w[1]! * 2 + 1)),
      undefined,
    ],
  ] as const)("of %s", async (_, f, degree) => {
    expect((await homogeneity(f, 3, random)).degree).toBe(degree);
  });
});
