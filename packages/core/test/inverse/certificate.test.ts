// Certificates that look at all pairs of pieces, attacked: no pair of latent vectors may come nearer than gamma allows.
import { describe, expect, test } from "vitest";
import { float64, graph } from "../../src/graph/builder.ts";
import { tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { gaussianOperator, generatorOf, rangeIsometry } from "../../src/inverse/index.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";

interface Layer {
  readonly W: number[][];
  readonly b: number[];
}

const layersOf = (widths: readonly number[], random: Random, bias: number): Layer[] =>
  widths.slice(1).map((width, l) => ({
    W: Array.from({ length: widths[l]! }, () => [...random.normal(width)]),
    b: Array.from(random.normal(width), (v) => bias * v),
  }));

/** Dense layers with a leaky ReLU between them, as a graph and in plain loops. */
const written = (layers: readonly Layer[], alpha: number) =>
  graph({ z: float64("N", layers[0]!.W.length) }, ({ z }) => ({
    x: layers.reduce<Value>((v, { W, b }, l) => {
      const next = v.matmul(tensor(W, { type: "float64" })).add(tensor([b], { type: "float64" }));
      return l < layers.length - 1 ? next.op("LeakyRelu", [], { alpha }) : next;
    }, z),
  }));
const madeBy = (layers: readonly Layer[], alpha: number, z: readonly number[]): readonly number[] =>
  layers.reduce<readonly number[]>(
    (v, { W, b }, l) =>
      b.map((start, j) => {
        const sum = v.reduce((s, e, i) => s + e * W[i]![j]!, start);
        return l < layers.length - 1 && sum < 0 ? alpha * sum : sum;
      }),
    z,
  );

/** Differences that are shorter are mostly rounding: with 1e-7 one in fifty attacks seemed to succeed. */
const shortest = 1e-3;

describe("certificates of a generator's range", () => {
  test("no pair that a search finds is nearer than gamma allows, and some are almost", async () => {
    let [seen, tight] = [0, 0];
    for (let t = 0; t < 24; t++) {
      const random = createRandom(`attack ${t}`);
      const latent = t % 3 === 0 ? 2 : 1;
      const hidden = latent === 1 && t % 2 === 0 ? [4, 3] : [random.integer(2, 5)];
      const [n, radius, alpha] = [random.integer(4, 10), [0.5, 3, 10][t % 3]!, t % 7 === 1 ? 0.125 : 0];
      const layers = layersOf([latent, ...hidden, n], random, t % 5 === 0 ? 0 : 0.7);
      const map = gaussianOperator(random.integer(2, 4), n, random.split("A"));
      const found = await rangeIsometry(generatorOf(written(layers, alpha)), map, radius);
      if (!found) continue;
      seen++;
      const { gamma, delta } = found;
      /** (|A d| + delta) / |d| for d = G(z) - G(z'), which gamma is to be below. */
      const ratio = (pair: readonly number[]): number => {
        const [a, b] = [pair.slice(0, latent), pair.slice(latent)].map((z) => madeBy(layers, alpha, z));
        const d = Float64Array.from(a!, (v, k) => v - b![k]!);
        const length = Math.hypot(...d);
        return length < shortest ? Number.POSITIVE_INFINITY : (Math.hypot(...map.apply(d)) + delta) / length;
      };
      const within = (v: number): number => Math.max(-radius, Math.min(radius, v));
      const starts = Array.from({ length: 150 }, () => {
        const pair = Array.from({ length: 2 * latent }, () => radius * (2 * random.uniform() - 1));
        return { pair, value: ratio(pair) };
      }).toSorted((p, q) => p.value - q.value);
      let least = Number.POSITIVE_INFINITY;
      for (let { pair, value } of starts.slice(0, 3)) {
        for (let step = radius / 2; step > 1e-6; ) {
          const tries = Array.from({ length: 8 }, () => pair.map((v) => within(v + step * random.normal())));
          const better = tries.map((p) => ({ pair: p, value: ratio(p) })).find((p) => p.value < value);
          if (better) ({ pair, value } = better);
          else step /= 2;
        }
        least = Math.min(least, value);
      }
      expect(least).toBeGreaterThanOrEqual(gamma);
      if (least < 1.02 * gamma) tight++;
    }
    expect(seen).toBeGreaterThan(20);
    expect(tight).toBeGreaterThan(3);
  });
});
