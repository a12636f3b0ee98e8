import { describe, expect, it } from "vitest";
import { BoxBounder } from "../../src/bounds/linear/box-bounds.ts";
import { exactLeast, hasExactLines } from "../../src/bounds/linear/exact-least.ts";
import { networkOf } from "../../src/bounds/linear.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import { add, compare, type Exact, max, mul } from "../../src/numbers/exact/rational.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { type Layer, randomLayers, relu } from "../passes/regions-networks.ts";

/** What a ReLU network computes, in rational arithmetic. */
const exactValue = (layers: readonly Layer[], x: readonly Exact[]): Exact =>
  layers.reduce<readonly Exact[]>(
    (h, { W, b }, l) =>
      W.map((row, i) => {
        const sum = row.reduce<Exact>((total, w, j) => add(total, mul(w, h[j]!)), b[i]!);
        return l < layers.length - 1 ? max(0, sum) : sum;
      }),
    x,
  )[0]!;

describe("the least value in exact arithmetic", () => {
  it("no exact value of a ReLU network is below it, nor is the bound in floating point above it", () => {
    for (let trial = 0; trial < 30; trial++) {
      const random = createRandom(`exact/${trial}`);
      const layers = randomLayers(`exact/${trial}`, [3, 5, 4, 1]);
      const network = networkOf(relu(layers));
      expect(hasExactLines(network)).toBe(true);
      const lower = random.normal(3);
      const box = { lower, upper: lower.map((l) => l + 10 ** (1 - 3 * random.uniform())) };
      const bounder = new BoxBounder(network);
      const known = bounder.bound(box);
      for (const sign of [1, -1]) {
        const target = { slots: [network.firstOutput], weights: [sign], constant: 0 };
        const stored = exactLeast(network, bounder.lines, target, box, "stored")!;
        const level = exactLeast(network, bounder.lines, target, box, "level")!;
        const [form] = bounder.lowerForms([target], known);
        expect(compare(stored, form!.least)).toBeGreaterThanOrEqual(0);
        expect(compare(stored, form!.least + 1e-9 * (1 + Math.abs(form!.least)))).toBeLessThan(0);
        for (let n = 0; n < 20; n++) {
          const x = Array.from(lower, (l, i) => {
            const share = random.uniform();
            return Math.min(box.upper[i]!, l + (n % 2 ? share : Math.round(share)) * (box.upper[i]! - l));
          });
          const value = mul(sign, exactValue(layers, x));
          expect([compare(value, stored) >= 0, compare(value, level) >= 0]).toEqual([true, true]);
        }
      }
    }
  });

  it("is exactly 0 where floating point takes rounding off: |x - y|", () => {
    const box = { lower: Float64Array.of(-0.3, -0.7), upper: Float64Array.of(0.9, 1.1) };
    const distance = networkOf(graph({ x: float64(1, 2) }, ({ x }) => ({ y: x.matmul([[1], [-1]]).abs() })));
    const bounder = new BoxBounder(distance);
    bounder.bound(box);
    const target = { slots: [distance.firstOutput], weights: [1], constant: 0 };
    expect(exactLeast(distance, bounder.lines, target, box, "level")).toBe(0);
    expect(compare(exactLeast(distance, bounder.lines, target, box, "stored")!, 0)).toBeLessThan(0);
  });

  it("curves and rounded weights have none", () => {
    const curved = graph({ x: float64(1, 1) }, ({ x }) => ({ y: x.tanh() }));
    const rounded = graph({ x: float64(1, 1) }, ({ x }) => ({ y: x.div(3) }));
    const halved = graph({ x: float64(1, 1) }, ({ x }) => ({ y: x.div(2).relu() }));
    expect([curved, rounded, halved].map((net) => hasExactLines(networkOf(net)))).toEqual([
      false,
      false,
      true,
    ]);
  });
});
