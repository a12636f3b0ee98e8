import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { square } from "../../src/networks/square/square.ts";
import { toNumber } from "../../src/numbers/exact/rational.ts";
import { distanceToQuadratic } from "../../src/passes/distance.ts";
import { linearPieces, type PiecewiseLinear } from "../../src/passes/pieces.ts";

const weight = fc.integer({ min: -64, max: 64 }).map((k) => k / 16);
const network = (w: readonly (readonly number[][])[], b: readonly number[][]): Graph =>
  graph({ x: float64("N", 1) }, ({ x }) => ({
    y: w.reduce(
      (layer, matrix, k) => (k === 0 ? layer : layer.relu()).affine(matrix as number[][], b[k]!),
      x,
    ),
  }));

const matrix = (rows: number, columns: number) =>
  fc.array(fc.array(weight, { minLength: columns, maxLength: columns }), {
    minLength: rows,
    maxLength: rows,
  });
const bias = (rows: number) => fc.array(weight, { minLength: rows, maxLength: rows });
const networks = fc
  .tuple(matrix(4, 1), bias(4), matrix(3, 4), bias(3), matrix(1, 3), bias(1))
  .map(([w1, b1, w2, b2, w3, b3]) => network([w1, w2, w3], [b1, b2, b3]));

function interpolate({ knots, values }: PiecewiseLinear, x: number): number {
  const t = knots.map(toNumber);
  const k = Math.max(0, Math.min(t.length - 2, t.findIndex((knot) => knot >= x) - 1));
  const [a, b] = [toNumber(values[k]!), toNumber(values[k + 1]!)];
  return a + ((b - a) * (x - t[k]!)) / (t[k + 1]! - t[k]!);
}

describe("exact pieces", () => {
  it("agree with the runtime at random points of random networks", async () => {
    await fc.assert(
      fc.asyncProperty(networks, async (net) => {
        const f = linearPieces(net, -2, 3);
        const x = Float64Array.from({ length: 301 }, (_, k) => -2 + (5 * k) / 300);
        const { y } = await run(net, { x: tensor(x, { dims: [301, 1] }) });
        numbers(y!).forEach((value, k) => {
          expect(interpolate(f, x[k]!)).toBeCloseTo(value, 8);
        });
      }),
      { numRuns: 40 },
    );
  });

  it("bend at every knot and nowhere else", () => {
    fc.assert(
      fc.property(networks, (net) => {
        const { knots, values } = linearPieces(net, -1, 1);
        const t = knots.map(toNumber);
        expect(t.every((knot, k) => k === 0 || knot > t[k - 1]!)).toBe(true);
        const slopes = t
          .slice(1)
          .map((knot, k) => (toNumber(values[k + 1]!) - toNumber(values[k]!)) / (knot - t[k]!));
        expect(slopes.every((s, k) => k === 0 || s !== slopes[k - 1])).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it("name the operator that they cannot read", () => {
    const net = graph({ x: float64("N", 1) }, ({ x }) => ({ y: x.tanh() }));
    expect(() => linearPieces(net, 0, 1)).toThrow(/pieces pass cannot read Tanh node "tanh"/);
    const product = graph({ x: float64("N", 1) }, ({ x }) => ({ y: x.mul(x) }));
    expect(() => linearPieces(product, 0, 1)).toThrow(/not piecewise linear/);
  });

  it("find 2^10 pieces of the squaring network, and its distance to the square", () => {
    const f = linearPieces(square(10), 0, 1);
    expect(f.knots.map(toNumber)).toEqual(Array.from({ length: 1025 }, (_, k) => k / 1024));
    expect(f.values.map(toNumber)).toEqual(f.knots.map((t) => toNumber(t) ** 2));
    expect(distanceToQuadratic(f, [0, 0, 1]).sup).toBe(4 ** -11);
  });

  it("find 2^16 pieces of the iterated triangle map", () => {
    const net = graph({ x: float64("N", 1) }, ({ x }) => {
      let y = x; // D(x) = 2 relu(x) - 4 relu(x - 1/2), sixteen times
      for (let k = 0; k < 16; k++)
        y = y
          .affine([[1], [1]], [0, -0.5])
          .relu()
          .affine([[2, -4]]);
      return { y };
    });
    const f = linearPieces(net, 0, 1);
    expect(f.knots).toHaveLength(2 ** 16 + 1);
    expect(f.knots.every((t, k) => t === k / 2 ** 16)).toBe(true);
    expect(f.values.every((v, k) => v === k % 2)).toBe(true);
  });

  it("measure the distance to other quadratics as dense sampling does", () => {
    fc.assert(
      fc.property(networks, weight, weight, weight, (net, c0, c1, c2) => {
        const f = linearPieces(net, 0, 1);
        const { sup, least, greatest, squaredL2 } = distanceToQuadratic(f, [c0, c1, c2]);
        const gaps = Array.from({ length: 4001 }, (_, k) => {
          const x = k / 4000;
          return interpolate(f, x) - (c0 + c1 * x + c2 * x * x);
        });
        const mean = gaps.reduce((sum, g) => sum + g * g, 0) / gaps.length;
        expect(Math.max(...gaps)).toBeLessThanOrEqual(toNumber(greatest) + 1e-9);
        expect(Math.min(...gaps)).toBeGreaterThanOrEqual(toNumber(least) - 1e-9);
        const scale = 1 + toNumber(sup);
        expect(Math.abs(Math.max(...gaps.map(Math.abs)) - toNumber(sup)) / scale).toBeLessThan(0.02);
        expect(Math.abs(mean - toNumber(squaredL2)) / scale ** 2).toBeLessThan(0.02);
      }),
      { numRuns: 40 },
    );
  });
});
