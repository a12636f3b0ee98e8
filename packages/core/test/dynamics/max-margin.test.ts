// The support vector machine against brute force, and the flow of the smoothed margin against its bounds.
import { describe, expect, it } from "vitest";
import { hardMargin } from "../../src/dynamics/hard-margin.ts";
import {
  exponentialFlow,
  marginFlow,
  marginFlowWithClock,
  marginOf,
  smoothedMargin,
  smoothedMarginSlope,
} from "../../src/dynamics/max-margin.ts";
import { tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { denseNetwork } from "../../src/train/dense-network.ts";
import { empiricalRisk } from "../../src/train/empirical-risk.ts";

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, v, k) => sum + v * b[k]!, 0);
const norm = (v: ArrayLike<number>): number => Math.sqrt(dot(v, v));

function separable(seed: string, m: number, d: number): number[][] {
  const random = createRandom(seed);
  const side = random.sphere(d);
  return Array.from({ length: m }, () => {
    const z = random.normal(d);
    const height = dot(z, side);
    return Array.from(z, (v, k) => v + (0.2 + Math.abs(height) - height) * side[k]!);
  });
}

describe("the hard-margin support vector machine", () => {
  it("in the plane: the best of all directions on a fine circle", () => {
    for (let trial = 0; trial < 30; trial++) {
      const points = separable(`plane ${trial}`, 2 + (trial % 9), 2);
      const { margin } = hardMargin(points);
      const angles = Array.from({ length: 20000 }, (_, k) => (2 * Math.PI * k) / 20000);
      const best = Math.max(...angles.map((a) => marginOf(points, [Math.cos(a), Math.sin(a)])));
      expect(best).toBeLessThanOrEqual(margin + 1e-12);
      const longest = Math.max(...points.map(norm));
      expect(best).toBeGreaterThan(margin - (longest * Math.PI) / 20000); // the grid misses by half a step
    }
  });

  it("in any dimension: optimal by duality, with complementary weights", () => {
    for (let trial = 0; trial < 60; trial++) {
      const points = separable(`space ${trial}`, 1 + (trial % 14), 1 + (trial % 6));
      const { margin, direction, weights } = hardMargin(points);
      expect(norm(direction)).toBeCloseTo(1, 12);
      expect(marginOf(points, direction)).toBeCloseTo(margin, 10);
      expect(Math.min(...weights)).toBeGreaterThanOrEqual(0);
      expect(weights.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 12);
      const hull = direction.map((_, j) => points.reduce((sum, z, i) => sum + weights[i]! * z[j]!, 0));
      hull.forEach((v, j) => {
        expect(v).toBeCloseTo(margin * direction[j]!, 11);
      });
      points.forEach((z, i) => {
        if (weights[i]! > 1e-9) expect(dot(z, direction)).toBeCloseTo(margin, 9);
      });
    }
  });

  it("takes equal points and points on a line", () => {
    expect(
      hardMargin([
        [1, 0],
        [1, 0],
        [2, 0],
      ]).margin,
    ).toBeCloseTo(1, 14);
    expect(
      hardMargin([
        [1, 1],
        [1, -1],
        [1, 0.5],
        [1, 0],
      ]).margin,
    ).toBeCloseTo(1, 14);
  });

  it("refuses what cannot be separated", () => {
    expect(() =>
      hardMargin([
        [1, 0],
        [-1, 0],
      ]),
    ).toThrow(/cannot be separated/);
    expect(() =>
      hardMargin([
        [1, 1],
        [-1, 1],
        [0, -1],
      ]),
    ).toThrow(/cannot be separated/);
  });
});

describe("the smoothed margin", () => {
  const points = separable("smooth", 6, 3);
  const random = createRandom("theta");

  it("lies between the margin and ln(m)/beta above it, for huge margins too", () => {
    for (const beta of [0.1, 1, 10, 1e4]) {
      const theta = random.normal(3);
      const [margin, smooth] = [marginOf(points, theta), smoothedMargin(points, theta, beta)];
      expect(smooth).toBeGreaterThanOrEqual(margin - 1e-12);
      expect(smooth).toBeLessThanOrEqual(margin + Math.log(6) / beta + 1e-12);
    }
    expect(smoothedMargin([[1], [2]], [5000], 1)).toBeCloseTo(5000 + Math.log(2), 9);
  });

  it("has the slope of -ln of the exponential risk", async () => {
    const theta = random.normal(3);
    const x = tensor(points);
    const target = tensor(
      points.map(() => 1),
      { type: "int64" },
    );
    const risk = empiricalRisk(denseNetwork([{ W: [[...theta]] }], "linear"), "exponential", { x, target });
    const { value, gradient } = await risk.at(theta);
    expect(-Math.log(value)).toBeCloseTo(smoothedMargin(points, theta, 1), 12);
    const slope = smoothedMarginSlope(points, theta);
    slope.forEach((v, k) => {
      expect(v).toBeCloseTo(-gradient[k]! / value, 12);
    });
  });

  it("flows up at least as fast as the greatest margin, into its direction", async () => {
    const best = hardMargin(points);
    const path = await marginFlow(points, { until: 200, tolerance: 1e-9 });
    for (const { t, state } of path.slice(1)) {
      expect(norm(state)).toBeGreaterThan(best.margin * t - 1e-6);
      expect(smoothedMargin(points, state, 1)).toBeGreaterThan(best.margin * norm(state) - 1e-6);
    }
    const { state } = path.at(-1)!;
    expect(marginOf(points, state) / norm(state)).toBeGreaterThan(best.margin - Math.log(6) / norm(state));
  });

  it("one point: theta = z t, and plain gradient flow is there at time (e^{|z|^2 t} - 1) / |z|^2", async () => {
    const [z, until] = [[0.6, 0.8], 2];
    const clocked = (await marginFlowWithClock([z], { until, head: 1, tolerance: 1e-11 })).at(-1)!.state;
    expect(clocked[0]).toBeCloseTo(1.2, 9);
    const time = Math.exp(clocked[2]!) - 1;
    expect(time).toBeCloseTo(Math.exp(2) - 1, 7);
    const plain = (await exponentialFlow([z], { until: time, tolerance: 1e-11 })).at(-1)!.state;
    expect(plain[0]).toBeCloseTo(1.2, 8);
    expect(plain[1]).toBeCloseTo(1.6, 8);
  });
});
