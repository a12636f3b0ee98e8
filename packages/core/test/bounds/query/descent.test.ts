// The attack before the bounds: a batch computes what single examples do, or is not used; what is found satisfies the query.
import { describe, expect, it } from "vitest";
import { networkOf } from "../../../src/bounds/linear.ts";
import { batchedGraph } from "../../../src/bounds/query/batched.ts";
import { Descent } from "../../../src/bounds/query/descent.ts";
import { DescentGraph } from "../../../src/bounds/query/descent-graph.ts";
import type { Alternative } from "../../../src/bounds/split/attack.ts";
import { run } from "../../../src/engine/run.ts";
import { float32, graph } from "../../../src/graph/builder.ts";
import type { Graph } from "../../../src/graph/graph.ts";
import { tensor } from "../../../src/graph/tensor.ts";
import { createRandom } from "../../../src/numbers/random.ts";
import { residualNetwork } from "../image-networks.ts";

const size = 6;
const inputs = 3 * size * size;
const residual = residualNetwork(size, 4, 5);

const outputsOf = async (net: Graph, x: Float32Array, dims: readonly number[]): Promise<number[]> => {
  const { [net.outputs[0]!.name]: y } = await run(net, {
    [net.inputs[0]!.name]: tensor(x, { type: "float32", dims }),
  });
  return [...(y!.data as Float32Array)];
};

describe("many examples at a time", () => {
  it("a convolutional network with shapes that say 1: the same numbers as singly", async () => {
    const many = batchedGraph(residual, 3)!;
    const x = Float32Array.from(createRandom(1).normal(3 * inputs));
    const all = await outputsOf(many, x, [3, 3, size, size]);
    for (const k of [0, 1, 2]) {
      const one = await outputsOf(residual, x.slice(k * inputs, (k + 1) * inputs), [1, 3, size, size]);
      one.forEach((y, j) => {
        expect(all[k * one.length + j]).toBeCloseTo(y, 4);
      });
    }
  });

  it("a network that looks along the first axis is not one of examples, and is left out", async () => {
    const mixing = graph({ x: float32(1, 4) }, ({ x }) => ({ y: x.add(x.mean([0], 1)) }));
    const network = networkOf(mixing);
    const target = { slots: [network.firstOutput], weights: [1], constant: 0 };
    expect(await DescentGraph.of(mixing, network, [[target]], 8)).toBeUndefined();
    const unbatched = graph({ x: float32(4) }, ({ x }) => ({ y: x.relu() }));
    expect(batchedGraph(unbatched, 8)).toBeUndefined();
  });

  it("the greatest target of each point's own alternative, and slopes that finite differences confirm", async () => {
    const matrix = Array.from({ length: 4 }, (_, i) => [Math.sin(i + 1), Math.cos(3 * i)]);
    const net = graph({ x: float32(1, 4) }, ({ x }) => ({ y: x.matmul(matrix).sigmoid() }));
    const network = networkOf(net);
    const [y0, y1] = [network.firstOutput, network.firstOutput + 1];
    const alternatives: Alternative[] = [
      [{ slots: [y0, 0], weights: [2, 0.5], constant: -0.25 }],
      [
        { slots: [y0], weights: [1], constant: 0 },
        { slots: [y1], weights: [-1], constant: 0.75 },
      ],
    ];
    const made = (await DescentGraph.of(net, network, alternatives, 8))!;
    const points = Float32Array.from(createRandom(2).normal(32));
    const choice = [0, 1, 0, 1, 0, 0, 1, 1];
    const { values, slopes } = await made.at(points, choice);
    const at = (x: ArrayLike<number>, p: number): number[] => {
      const y = [0, 1].map((j) => 1 / (1 + Math.exp(-matrix.reduce((s, row, i) => s + row[j]! * x[i]!, 0))));
      return choice[p] === 0 ? [2 * y[0]! + 0.5 * x[0]! - 0.25] : [y[0]!, 0.75 - y[1]!];
    };
    for (let p = 0; p < 8; p++) {
      const x = points.slice(4 * p, 4 * p + 4);
      expect(values[p]).toBeCloseTo(Math.max(...at(x, p)), 5);
      // The first four points go down the greatest target, the others the sum of those above 0.
      const wanted = (z: ArrayLike<number>): number =>
        p < 4 ? Math.max(...at(z, p)) : at(z, p).reduce((s, v) => s + Math.max(0, v), 0);
      for (let i = 0; i < 4; i++) {
        const [up, down] = [1e-4, -1e-4].map((h) => wanted(Array.from(x, (v, k) => (k === i ? v + h : v))));
        expect(slopes[4 * p + i]).toBeCloseTo((up! - down!) / 2e-4, 3);
      }
    }
  });
});

describe("descent", () => {
  it("finds what random points do not, in the box, and where the alternative holds", async () => {
    const network = networkOf(residual);
    const random = createRandom("descent");
    const centre = Float64Array.from(random.normal(inputs), Math.fround);
    const box = { lower: centre.map((v) => v - 0.1), upper: centre.map((v) => v + 0.1) };
    const valueAt = async (x: ArrayLike<number>): Promise<number> => {
      const y = await outputsOf(residual, Float32Array.from(x), [1, 3, size, size]);
      return y[0]! - y[1]!;
    };
    let least = Number.POSITIVE_INFINITY;
    for (let n = 0; n < 100; n++)
      least = Math.min(least, await valueAt(centre.map((v) => v + 0.2 * random.uniform() - 0.1)));
    const atCentre = await valueAt(centre);
    // Twice as far below the centre's value as any of a hundred random points.
    const threshold = atCentre - 2 * (atCentre - least);
    const [y0, y1] = [network.firstOutput, network.firstOutput + 1];
    const impossible = [{ slots: [y0], weights: [1], constant: 1e6 }];
    const wanted = [{ slots: [y0, y1], weights: [1, -1], constant: -threshold }];
    const descent = (await Descent.of(residual, network, [impossible, wanted], 1))!;
    const found = await descent.whileItGains(
      box,
      async () => true,
      () => false,
    );
    expect(found).toBeDefined();
    expect(await valueAt(found!.x)).toBeLessThanOrEqual(threshold + 1e-4);
    found!.x.forEach((v, i) => {
      expect(Math.abs(v - centre[i]!)).toBeLessThanOrEqual(0.1 + 1e-6);
    });
  });

  it("ends when a few rounds have gained nothing", async () => {
    const net = graph({ x: float32(1, 4) }, ({ x }) => ({ y: x.relu().matmul([[1], [1], [1], [1]]) }));
    const network = networkOf(net);
    const target = { slots: [network.firstOutput], weights: [1], constant: 1 };
    const descent = (await Descent.of(net, network, [[target]], 1))!;
    const box = { lower: new Float64Array(4).fill(-1), upper: new Float64Array(4).fill(1) };
    expect(
      await descent.whileItGains(
        box,
        async () => true,
        () => false,
      ),
    ).toBeUndefined();
    expect(descent.least).toBeCloseTo(1, 6);
  });

  it("finds what lies behind a plateau, where another alternative leads", async () => {
    // The mean of 40 inputs: the first score bends only above 0.9, where no random point is; the second one falls towards 1.
    const net = graph({ x: float32(1, 40) }, ({ x }) => {
      const mean = x.matmul(Array.from({ length: 40 }, () => [1 / 40]));
      const behind = mean.sub(0.9).relu().mul(-50).add(1);
      return { y: behind.concat([mean.neg().add(2)], 1) };
    });
    const network = networkOf(net);
    const target = (k: number) => ({ slots: [network.firstOutput + k], weights: [1], constant: 0 });
    const box = { lower: new Float64Array(40), upper: new Float64Array(40).fill(1) };
    const found = async (alternatives: Alternative[]) =>
      (await Descent.of(net, network, alternatives, 1))!.whileItGains(
        box,
        async () => true,
        () => false,
      );
    expect(await found([[target(0)]])).toBeUndefined();
    expect((await found([[target(0)], [target(1)]]))?.value).toBeLessThanOrEqual(0);
  });
});
