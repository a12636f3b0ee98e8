// The ascent for many parts at a time against the one that rounds outward: same bounds for the same slopes and multipliers.
import { describe, expect, it } from "vitest";
import { BoxBounder } from "../../src/bounds/linear/box-bounds.ts";
import { networkOf } from "../../src/bounds/linear.ts";
import { DualBatch, type DualTask } from "../../src/bounds/split/batched/dual-batch.ts";
import { placesOf, takeRows } from "../../src/bounds/split/batched/tightening.ts";
import type { Held } from "../../src/bounds/split/held.ts";
import { NeuronBounder } from "../../src/bounds/split/neuron-bounds.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { tensor } from "../../src/graph/tensor.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";

const matrix = (random: Random, rows: number, columns: number): number[][] =>
  Array.from({ length: rows }, () => Array.from({ length: columns }, () => random.normal()));

/** Three layers of bends, the second with a way around it. */
const dense = (random: Random): Graph =>
  graph({ x: float64(1, 4) }, ({ x }) => {
    const first = x
      .matmul(matrix(random, 4, 6))
      .add(matrix(random, 1, 6))
      .relu();
    const inner = first.matmul(matrix(random, 6, 6)).add(matrix(random, 1, 6));
    const second = inner.op("LeakyRelu", [], { alpha: 0.25 }).add(first);
    const third = second
      .matmul(matrix(random, 6, 5))
      .add(matrix(random, 1, 5))
      .relu();
    return { y: third.matmul(matrix(random, 5, 2)).add(matrix(random, 1, 2)) };
  });

const convolutional = (random: Random): Graph =>
  graph({ x: float64(1, 1, 4, 4) }, ({ x }) => {
    const kernels = (...dims: number[]) =>
      tensor(
        Array.from({ length: dims.reduce((n, d) => n * d, 1) }, () => random.normal()),
        { dims },
      );
    const first = x.op("Conv", [kernels(2, 1, 3, 3), kernels(2)], { pads: [1, 1, 1, 1] }).relu();
    const second = first.op("Conv", [kernels(2, 2, 3, 3)], { strides: [2, 2], pads: [1, 1, 1, 1] }).relu();
    return { y: second.op("Flatten").matmul(matrix(random, 8, 2)) };
  });

describe("parts by the batch", () => {
  it.each([
    ["dense, with a way around", dense],
    ["convolutional", convolutional],
  ] as const)(
    "%s: bounds are those of single parts, whatever slopes, multipliers and pulls",
    async (_, make) => {
      for (let trial = 0; trial < 6; trial++) {
        const random = createRandom("dual batch").split(trial);
        const net = make(random);
        const network = networkOf(net);
        const bounder = new BoxBounder(network);
        const box = {
          lower: new Float64Array(network.inputs).fill(-1),
          upper: new Float64Array(network.inputs).fill(1),
        };
        const neurons = new NeuronBounder(bounder, bounder.bound(box));
        const batch = DualBatch.of(net, network, 8)!;
        const places = placesOf(batch, neurons);
        const target = {
          slots: [network.firstOutput, network.firstOutput + 1],
          weights: [random.normal(), random.normal()],
          constant: random.normal(),
        };
        const rows = {
          lower: new Float64Array(batch.units).fill(1),
          upper: new Float64Array(batch.units).fill(1),
        };
        const known = bounder.bound(box);
        for (const { layer, first, units } of batch.layers) {
          const { firstRow } = network.layers[layer]!;
          rows.lower.set(known.rowLower.subarray(firstRow, firstRow + units), first);
          rows.upper.set(known.rowUpper.subarray(firstRow, firstRow + units), first);
        }
        takeRows(neurons, places, rows);
        const parts = Array.from({ length: 5 }, () => {
          const order = random.permutation(neurons.bends.length);
          const held = Array.from(
            order.slice(0, random.integer(0, 4)),
            (bend): Held => ({ bend, side: random.uniform() < 0.5 ? 1 : -1 }),
          );
          const duals = Float32Array.from(neurons.bends, ({ layer, unit }) => {
            const below = network.layers[layer]!.below[unit]!;
            return below + (1 - below) * random.uniform();
          });
          return { held, duals };
        });
        const tasks = parts.map(({ held, duals }): DualTask => {
          const [side, dual] = [new Float64Array(batch.units), new Float64Array(batch.units)];
          duals.forEach((d, k) => {
            dual[places[k]!] = d;
          });
          for (const { bend, side: way } of held) side[places[bend]!] = way;
          return { seed: target.weights, shift: target.constant, box, rows, side, dual };
        });
        const found = await batch.ascend(tasks, 0);
        const later = await batch.ascend(tasks, 25);
        for (const [p, { held, duals }] of parts.entries()) {
          const shares = Float64Array.of(1);
          const dualOf = (slopes: ArrayLike<number>) => ({
            slopes: Float32Array.from(slopes),
            multipliers: Float32Array.from(held, ({ bend }) => slopes[bend]!),
            shares,
          });
          const single = neurons.bounded([target], box, held, dualOf(duals), 0);
          expect(found[p]!.bound).toBeCloseTo(single.least, 9);
          // What the ascent has found counts as what it says, up to the precision in which slopes are kept.
          const slopes = Array.from(places, (place) => later[p]!.dual[place]!);
          const again = neurons.bounded([target], box, held, dualOf(slopes), 0);
          const size = 1 + Math.abs(again.least);
          expect(Math.abs(later[p]!.bound - again.least)).toBeLessThan(1e-5 * size);
          expect(later[p]!.bound).toBeGreaterThanOrEqual(found[p]!.bound);
        }
      }
    },
  );

  it("bounds of rows where the target is <= 0: no sample there is beyond, and the target helps", async () => {
    let helped = 0;
    for (let trial = 0; trial < 6; trial++) {
      const random = createRandom("dual rows").split(trial);
      const net = dense(random);
      const network = networkOf(net);
      const bounder = new BoxBounder(network);
      const box = { lower: new Float64Array(4).fill(-1), upper: new Float64Array(4).fill(1) };
      const known = bounder.bound(box);
      const neurons = new NeuronBounder(bounder, known);
      const batch = DualBatch.of(net, network, 8)!;
      const places = placesOf(batch, neurons);
      const rows = { lower: new Float64Array(batch.units), upper: new Float64Array(batch.units) };
      for (const { layer, first, units } of batch.layers) {
        const { firstRow } = network.layers[layer]!;
        rows.lower.set(known.rowLower.subarray(firstRow, firstRow + units), first);
        rows.upper.set(known.rowUpper.subarray(firstRow, firstRow + units), first);
      }
      const [seed, side] = [[1, -1], new Float64Array(batch.units)];
      const dual = new Float64Array(batch.units).fill(0.5);
      const targets = [{ slots: [network.firstOutput, network.firstOutput + 1], weights: seed, constant: 0 }];
      for (const pullReach of [0, 0.5]) {
        const bends = [...neurons.bends.keys()].slice(-4);
        const tasks = bends.map(
          (bend): DualTask => ({
            ...{ seed, shift: 0, box, rows, side, dual },
            row: { place: places[bend]!, sign: 1, pullReach },
          }),
        );
        const found = await batch.ascend(tasks, 20);
        for (const [k, bend] of bends.entries()) {
          const { bound, dual: slopes, pull } = found[k]!;
          const own = neurons.copy();
          const given = {
            slopes: Float32Array.from(places, (place) => slopes[place]!),
            multipliers: new Float32Array(0),
          };
          own.boundRowWithin(bend, 1, targets, box, [], { ...given, shares: Float64Array.of(1) }, pull);
          const before = neurons.rangeOf(bend)[0];
          expect(own.rangeOf(bend)[0]).toBeGreaterThanOrEqual(
            Math.max(before, bound - 1e-4 * (1 + Math.abs(bound))),
          );
          if (pullReach > 0 && pull > 0 && bound > before + 1e-3) helped++;
          if (pullReach === 0) expect(pull).toBe(0);
        }
      }
    }
    expect(helped).toBeGreaterThan(3);
  });
});
