import { describe, expect, test } from "vitest";
import {
  chartNetwork,
  circleAngle,
  circleCharts,
  circleDistance,
  circlePoint,
  embeddedCircle,
  trigonometricSize,
  trigonometricValue,
} from "../../src/approximate/manifold/index.ts";
import { run } from "../../src/engine/run.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";

const g = { sines: [0, 0, 1], cosines: [0, 0, 0, 0, 0.5] }; // sin 3θ + cos(5θ) / 2
const radii = { inner: 0.5, outer: 0.85 };
const angles = Array.from({ length: 1500 }, (_, k) => (2 * Math.PI * k) / 1500);

function make(d: number, cells: number) {
  const circle = embeddedCircle(d, createRandom(d));
  const charts = circleCharts(circle, g, { count: 8, ...radii });
  return { circle, ...chartNetwork(charts, { ...radii, cells, levels: 10, bound: 1.5, overlap: 3 }) };
}

async function outputs(graph: Graph, circle: ReturnType<typeof embeddedCircle>): Promise<number[]> {
  const d = circle.plane[0].length;
  const x = Float64Array.from(angles.flatMap((theta) => [...circlePoint(circle, theta)]));
  return Array.from(numbers((await run(graph, { x: tensor(x, { dims: [angles.length, d] }) })).y!), Number);
}

async function sup(d: number, cells: number) {
  const made = make(d, cells);
  const y = await outputs(made.network, made.circle);
  const error = angles.reduce((most, t, k) => Math.max(most, Math.abs(y[k]! - trigonometricValue(g, t))), 0);
  return { error, bound: made.error };
}

describe("charts of the circle", () => {
  test("the angle of a distance, and back", () => {
    for (const phi of [0, 0.1, 0.7, 1.5]) expect(circleAngle(circleDistance(phi))).toBeCloseTo(phi, 12);
  });
  test("the plane is orthonormal, the points are on the unit sphere", () => {
    const circle = embeddedCircle(40, createRandom(1));
    const [a, b] = circle.plane;
    expect(Math.abs(a.reduce((s, x, c) => s + x * b[c]!, 0))).toBeLessThan(1e-15);
    for (const t of [0, 1, 4]) expect(Math.hypot(...circlePoint(circle, t))).toBeCloseTo(1, 14);
  });
  test("the local function is g, in tangent coordinates", () => {
    const circle = embeddedCircle(5, createRandom(2));
    const charts = circleCharts(circle, g, { count: 8, ...radii });
    charts.forEach(({ centre, tangent, local, reach }, i) => {
      for (const phi of [-0.5, 0.2, 0.6]) {
        const theta = (2 * Math.PI * i) / 8 + phi;
        const u = circlePoint(circle, theta).reduce((s, x, c) => s + tangent[c]! * (x - centre[c]!), 0);
        expect(Math.abs(u)).toBeLessThanOrEqual(reach);
        expect(local(u)).toBeCloseTo(trigonometricValue(g, theta), 12);
      }
    });
  });
  test("what does not cover is refused", () => {
    const circle = embeddedCircle(3, createRandom(1));
    expect(() => circleCharts(circle, g, { count: 4, ...radii })).toThrow(/do not cover/);
    expect(() => circleCharts(circle, g, { count: 8, inner: 0.9, outer: 0.8 })).toThrow(/0 < inner < outer/);
    expect(() => embeddedCircle(1, createRandom(1))).toThrow(/two dimensions/);
  });
  test("sizes of derivatives", () => {
    expect([0, 1, 2].map((order) => trigonometricSize(g, order))).toEqual([1.5, 5.5, 21.5]);
  });
});

describe("the network of charts", () => {
  test("within its bound, and four times better with twice the cells", async () => {
    const found = [await sup(3, 8), await sup(3, 16), await sup(3, 32)];
    for (const { error, bound } of found) expect(error).toBeLessThanOrEqual(bound);
    // The curvature of the charts and the products' share, no more: h^2 / 8 times g'' and its slope in a chart.
    for (const { error, bound } of found) expect(bound).toBeLessThan(4 * error + 3 * 1e-4);
    expect(found[0]!.error / found[2]!.error).toBeGreaterThan(12);
    expect(found[0]!.error / found[2]!.error).toBeLessThan(20);
  });

  test("the dimension around the circle does not matter", async () => {
    const [low, high] = [await sup(2, 16), await sup(200, 16)];
    expect(Math.abs(low.error - high.error)).toBeLessThan(1e-12);
    expect(low.bound).toBe(high.bound);
  });

  test("the partition sums to 1, is not negative, and vanishes outside of its charts", async () => {
    const { partition, circle } = make(6, 4);
    const phi = await outputs(partition, circle);
    angles.forEach((theta, k) => {
      const own = phi.slice(8 * k, 8 * k + 8);
      expect(Math.abs(own.reduce((a, b) => a + b, 0) - 1)).toBeLessThan(1e-13);
      own.forEach((value, i) => {
        expect(value).toBeGreaterThanOrEqual(-1e-14);
        const away = Math.acos(Math.cos(theta - (2 * Math.PI * i) / 8));
        if (away > circleAngle(radii.outer) + 1e-9) expect(Math.abs(value)).toBeLessThan(1e-14);
      });
    });
  });
});
