import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  InterpolationFailure,
  interpolateAlongLine,
  interpolateAlongSmoothLine,
  interpolateOn,
  interpolatePoints,
  interpolationBasis,
  polynomialDimension,
} from "../../src/approximate/interpolation/index.ts";
import { run } from "../../src/engine/run.ts";
import { type ActivationName, activation, activationFamilies } from "../../src/functions/activation.ts";
import { readModel, writeModel } from "../../src/graph/onnx/index.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { type Matrix, matrixOfRows, pivotedQr } from "../../src/linear-algebra/index.ts";
import { complexity, layersOf } from "../../src/networks/layers/layers.ts";
import { createRandom } from "../../src/numbers/random.ts";

const gaussian = (seed: number, rows: number, columns: number): Matrix => ({
  rows,
  columns,
  entries: createRandom(seed).normal(rows * columns),
});

/** The network by hand, in plain sums. */
function byHand(network: Parameters<typeof layersOf>[0], x: ArrayLike<number>): number[] {
  const { layers, activation: name } = layersOf(network);
  const rho = activation(name);
  return layers.reduce<number[]>((state, { weights, bias }, l) => {
    const input = l === 0 ? state : state.map((v) => rho.value(v));
    return Array.from(bias, (b, r) => {
      let sum = b;
      for (let k = weights.starts[r]!; k < weights.starts[r + 1]!; k++)
        sum += weights.values[k]! * input[weights.columnOf[k]!]!;
      return sum;
    });
  }, Array.from(x));
}

describe("m points by m neurons", () => {
  const families = activationFamilies.filter((name) => name !== "linear");
  test.each(families)("%s fits 60 points in five dimensions, two values each", async (name) => {
    const [points, values] = [gaussian(1, 60, 5), gaussian(2, 60, 2)];
    const fit = await interpolatePoints(points, values, { activation: name });
    expect(complexity(fit.network).architecture).toEqual([5, 60, 2]);
    expect(fit.parameters).toBe(60 * 5 + 60 + 2 * 60 + 2);
    // Backward stable: the residual is far below condition times unit rounding.
    expect(fit.relativeResidual).toBeLessThan(10);
    for (const i of [0, 31, 59]) {
      const y = byHand(fit.network, points.entries.subarray(5 * i, 5 * i + 5));
      const size = 2 ** -53 * fit.condition * 100;
      y.forEach((v, c) => {
        expect(Math.abs(v - values.entries[2 * i + c]!)).toBeLessThan(size);
      });
    }
  });

  test("the file written is the network: read again, it has the values", async () => {
    const [points, values] = [gaussian(3, 40, 3), gaussian(4, 40, 1)];
    const fit = await interpolatePoints(points, values, { activation: "tanh" });
    const again = readModel(writeModel(fit.network));
    const y = numbers((await run(again, { x: tensor(points.entries, { dims: [40, 3] }) })).y!);
    values.entries.forEach((v, i) => {
      expect(Math.abs(Number(y[i]) - v)).toBeLessThanOrEqual(2 * fit.residual + 1e-13);
    });
    expect(fit.float32.residual).toBeGreaterThan(fit.residual);
    expect(fit.float32.residual).toBeLessThan(2 ** -24 * fit.condition * 100);
  });

  test("other values use the same first layer", async () => {
    const points = gaussian(5, 30, 4);
    const basis = await interpolationBasis(points, { activation: "logistic" });
    const [a, b] = [
      await interpolateOn(basis, gaussian(6, 30, 1)),
      await interpolateOn(basis, gaussian(7, 30, 3)),
    ];
    expect(layersOf(a.network).layers[0]!.weights.values).toEqual(
      layersOf(b.network).layers[0]!.weights.values,
    );
    expect(Math.max(a.residual, b.residual)).toBeLessThan(1e-9);
  });

  test("the same seed gives the same network", async () => {
    const [points, values] = [gaussian(8, 20, 2), gaussian(9, 20, 1)];
    const [a, b] = [await interpolatePoints(points, values), await interpolatePoints(points, values)];
    expect(layersOf(a.network)).toEqual(layersOf(b.network));
  });

  test("units far from 1: data of size 1e-9 around 1e-3, and of size 1e6", async () => {
    for (const [size, centre] of [
      [1e-9, 1e-3],
      [1e6, 0],
    ] as const) {
      const g = gaussian(10, 40, 4);
      const points = { ...g, entries: g.entries.map((x) => centre + size * x) };
      const fit = await interpolatePoints(points, gaussian(11, 40, 1), { activation: "tanh" });
      expect(fit.condition).toBeLessThan(1e7);
    }
  });
});

describe("what is refused", () => {
  const values = (n: number) => gaussian(1, n, 1);
  test("a polynomial, with the dimension that its neurons span", async () => {
    await expect(interpolatePoints(gaussian(1, 9, 2), values(9), { activation: "linear" })).rejects.toThrow(
      /linear is a polynomial of degree 1: .* C\(3, 2\) = 3 dimensions .* 9 points need 9/,
    );
  });
  test("one point with two values, both rows named", async () => {
    const points = matrixOfRows([
      [1, 2],
      [3, 4],
      [0, 0],
      [1, 2],
    ]);
    const apart = matrixOfRows([[1], [2], [3], [1.5]]);
    for (const fit of [interpolatePoints, interpolateAlongLine])
      await expect(fit(points, apart)).rejects.toThrow(
        /rows 0 and 3 are the same point with different values, 1 and 1.5/,
      );
  });
  test("repetitions with one value are one point, -0 is 0", async () => {
    const points = matrixOfRows([
      [0, 2],
      [3, 4],
      [0, 0],
      [-0, 2],
      [3, 4],
    ]);
    const y = matrixOfRows([[1], [2], [3], [1], [2]]);
    const fit = await interpolatePoints(points, y);
    expect(fit.basis.lu.size).toBe(3);
    expect((await interpolateAlongLine(points, y)).parameters).toBe(3 + 6 + 3 + 1);
  });
  test("points too near each other for doubles: the condition and the rows", async () => {
    const g = gaussian(12, 30, 3);
    const points = { ...g, entries: g.entries.slice() };
    for (let c = 0; c < 3; c++) points.entries[17 * 3 + c] = points.entries[4 * 3 + c]! * (1 + 2 ** -52);
    const attempt = interpolatePoints(points, values(30), { activation: "tanh" });
    await expect(attempt).rejects.toThrow(InterpolationFailure);
    await expect(attempt).rejects.toThrow(/rows 4 and 17/);
    await expect(interpolateAlongLine(points, values(30))).rejects.toThrow(/apart/);
  });
  test("numbers that are none, shapes that do not fit", async () => {
    const holes = matrixOfRows([[1], [Number.NaN]]);
    await expect(interpolatePoints(holes, values(2))).rejects.toThrow(
      /row 1 of the points has the coordinate NaN/,
    );
    await expect(interpolatePoints(gaussian(1, 3, 1), values(2))).rejects.toThrow(
      /3 points have 2 rows of values/,
    );
    await expect(interpolatePoints(gaussian(1, 3, 1), values(3), { candidates: 2 })).rejects.toThrow(
      /too few/,
    );
    await expect(interpolatePoints(gaussian(1, 3, 1), values(3), { scale: 0 })).rejects.toThrow(/scale/);
    await expect(interpolateAlongLine(gaussian(1, 3, 1), values(3), { directions: 0 })).rejects.toThrow(
      /directions/,
    );
  });
});

test("neurons of z^q in d variables have rank C(q + d, d), not more", () => {
  const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k);
  for (const [q, d] of [
    [1, 1],
    [2, 1],
    [1, 4],
    [3, 2],
    [2, 3],
    [4, 2],
  ] as const) {
    const random = createRandom(`${q} ${d}`);
    const [neurons, points] = [40, 50];
    const [w, x] = [random.normal(neurons * (d + 1)), random.normal(points * d)];
    const entries = Float64Array.from({ length: neurons * points }, (_, k) => {
      const [j, i] = [Math.floor(k / points), k % points];
      let z = w[j * (d + 1) + d]!;
      for (let c = 0; c < d; c++) z += w[j * (d + 1) + c]! * x[i * d + c]!;
      return z ** q;
    });
    expect(pivotedQr({ rows: neurons, columns: points, entries }, { tolerance: 1e-10 }).rank).toBe(
      choose(q + d, d),
    );
    expect(polynomialDimension(q, d)).toBe(choose(q + d, d));
  }
});

describe("along a line", () => {
  test("random points: exact within rounding, parameters as counted", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 3 }),
        fc.integer(),
        async (m, d, k, seed) => {
          const [points, values] = [gaussian(seed, m, d), gaussian(seed + 1, m, k)];
          const fit = await interpolateAlongLine(points, values);
          expect(fit.residual).toBeLessThanOrEqual(fit.roundingBound);
          expect(complexity(fit.network).architecture).toEqual([d, 1, m, k]);
          const { layers } = layersOf(fit.network);
          const all = layers.reduce(
            (n, { weights, bias }) => n + weights.rows * weights.columns + bias.length,
            0,
          );
          expect(fit.parameters).toBe(all);
        },
      ),
      { numRuns: 12 },
    );
  });

  test("more directions: the gap does not shrink", async () => {
    const [points, values] = [gaussian(1, 200, 6), gaussian(2, 200, 1)];
    const few = await interpolateAlongLine(points, values, { directions: 1 });
    const many = await interpolateAlongLine(points, values, { directions: 100 });
    expect(many.projection.gap).toBeGreaterThan(few.projection.gap);
  });

  test("on a line it is the piecewise-linear function through the points", async () => {
    const points = matrixOfRows([[0], [1], [3]]);
    const { network } = await interpolateAlongLine(points, matrixOfRows([[1], [5], [-1]]));
    const y = numbers((await run(network, { x: tensor([0.5, 2], { dims: [2, 1] }) })).y!);
    expect(Number(y[0])).toBeCloseTo(3, 12);
    expect(Number(y[1])).toBeCloseTo(2, 12);
  });
});

describe("interpolation along a line, smooth activations", () => {
  test.each(["tanh", "softplus", "gaussian", "sin"] as const)(
    "%s: (d, 2, m, k), by hand too",
    async (name) => {
      const [points, values] = [gaussian(5, 40, 3), gaussian(6, 40, 2)];
      const fit = await interpolateAlongSmoothLine(points, values, { activation: name });
      expect(complexity(fit.network).architecture).toEqual([3, 2, 40, 2]);
      expect(fit.parameters).toBe(2 * 4 + 3 * 40 + 2 * 40 + 2);
      expect(fit.residual).toBeLessThan(1e-9);
      const found = byHand(fit.network, points.entries.subarray(3 * 7, 3 * 8));
      expect(found[1]).toBeCloseTo(values.entries[2 * 7 + 1]!, 6);
    },
  );

  test("two points that are the same, with other values, are refused; with the same value they are one", async () => {
    const points = matrixOfRows([
      [0, 1],
      [2, 2],
      [0, 1],
    ]);
    const at = (last: number) =>
      interpolateAlongSmoothLine(points, matrixOfRows([[1], [2], [last]]), { activation: "tanh" });
    await expect(at(3)).rejects.toThrow();
    expect((await at(1)).parameters).toBe(2 * 3 + 3 * 2 + 2 + 1);
  });
});

test.each<ActivationName>(["relu", "tanh", "sin"])("a hundred points on a line, %s", async (name) => {
  const fit = await interpolatePoints(gaussian(3, 100, 1), gaussian(4, 100, 1), { activation: name });
  expect(fit.residual).toBeLessThan(1e-8);
});

test.each<ActivationName>(["relu", "tanh", "gaussian"])("a single point, %s", async (name) => {
  const fit = await interpolatePoints(matrixOfRows([[5, 5]]), matrixOfRows([[3]]), { activation: name });
  expect(fit.residual).toBeLessThan(1e-14);
});

test("clusters a millionth wide are told apart by ReLUs", async () => {
  const points = gaussian(1, 100, 3);
  const clusters = { ...points, entries: points.entries.map((x, e) => (Math.floor(e / 3) % 5) + 1e-6 * x) };
  const fit = await interpolatePoints(clusters, gaussian(2, 100, 1));
  expect(fit.residual).toBeLessThan(1e-3);
});
