// Paths between networks: known profiles, bounds against what is seen, graphs of curves against the weights themselves.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { convexLoss } from "../../src/landscape/certificate/convex-loss.ts";
import { objectiveOf } from "../../src/landscape/certificate/descent.ts";
import { outputsOf, type TwoLayer } from "../../src/landscape/certificate/two-layer.ts";
import {
  describePaths,
  isConnectedBelow,
  keptHalf,
  lowBarrierPath,
  midpointExcess,
  mixedTwoLayer,
  pathCertificate,
  pathProfile,
  rescaledPath,
  trainedCurve,
  weightPath,
} from "../../src/landscape/index.ts";
import { curveGraph, placedExamples } from "../../src/landscape/path/curve-graph.ts";
import { weightsOf } from "../../src/measures/weight-risk.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";
import { denseNetwork } from "../../src/train/dense-network.ts";

const points = [[0], [1], [4]].map((p) => Float64Array.from(p));

describe("paths", () => {
  it("go through the points of a polygon, and towards those of a curve", () => {
    const [polygon, curve] = [weightPath("polygon", points), weightPath("bezier", points)];
    expect([0, 0.25, 0.5, 0.75, 1].map((t) => polygon(t)[0])).toEqual([0, 0.5, 1, 2.5, 4]);
    // 2 t (1 - t) + 4 t^2
    expect([0, 0.25, 0.5, 1].map((t) => curve(t)[0])).toEqual([0, 0.625, 1.5, 4]);
    expect(() => weightPath("bezier", [Float64Array.of(1), Float64Array.of(1, 2)])).toThrow(
      "as many weights",
    );
  });

  it("have barriers above the higher end", async () => {
    const { barrier, isMonotone } = await pathProfile(async (t) => t + 4 * t * (1 - t), 8);
    expect(barrier).toBeCloseTo(0.625 + 4 * 0.625 * 0.375 - 1, 12);
    expect(isMonotone).toBe(false);
    expect((await pathProfile(async (t) => -t, 3)).isMonotone).toBe(true);
  });

  it("are judged by their sublevels and midpoints", () => {
    const hill = [0, 2, 1].map((v, k) => [k, v] as const);
    expect([0, 1, 2].map((level) => isConnectedBelow(level, hill))).toEqual([true, false, true]);
    expect(midpointExcess(hill)).toBe(1.5);
    expect(midpointExcess([0, 1, 4, 9].map((v, k) => [k, v] as const))).toBe(-1);
  });
});

const drawn = (random: Random, n: number, offset = false): TwoLayer => ({
  neurons: Array.from({ length: n }, () => ({
    incoming: random.sphere(3),
    outgoing: random.normal(2).map((w) => w / n),
  })),
  hasBias: true,
  ...(offset ? { offset: random.normal(2) } : {}),
});

describe("the path through halves of the neurons", () => {
  const random = createRandom("halves");
  const inputs = Array.from({ length: 15 }, () => random.normal(2));
  const x = inputs.map((row) => Float64Array.of(...row, 1));
  const classes = Int32Array.from(inputs, ([a]) => (a! > 0 ? 1 : 0));
  const losses = {
    square: convexLoss("square", { values: [0, 1].map(() => random.normal(15)) }),
    "cross-entropy": convexLoss("cross-entropy", { classes }),
  } as const;

  it.each([true, false])(
    "gathers a network on kept neurons without changing it (multiples %s)",
    (multiples) => {
      const { moved, gathered, moves } = keptHalf(drawn(random, 9), (j) => j < 5, { multiples });
      const [a, b] = [outputsOf(moved, x, 2), outputsOf(gathered, x, 2)];
      a.forEach((row, k) => {
        row.forEach((v, i) => {
          expect(b[k]![i]).toBeCloseTo(v, 12);
        });
      });
      expect([...moves.subarray(0, 5)]).toEqual([0, 0, 0, 0, 0]);
      gathered.neurons.slice(5).forEach(({ outgoing }) => {
        expect([...outgoing]).toEqual([0, 0]);
      });
    },
  );

  it.each(["square", "cross-entropy"] as const)("stays below its bound (%s)", (name) => {
    const loss = losses[name];
    for (const [n, decay] of [
      [2, 0],
      [7, 0],
      [20, 0.1],
    ] as const) {
      const path = lowBarrierPath(drawn(random, n, true), drawn(random, n, true));
      const { greatest } = pathCertificate(path, inputs, loss, 2, decay);
      const at = (segment: number, t: number): number =>
        objectiveOf(mixedTwoLayer(path.nodes[segment]!, path.nodes[segment + 1]!, t), x, loss, {
          outputs: 2,
          decay,
        });
      path.segments.forEach((kind, s) => {
        const values = Array.from({ length: 9 }, (_, k) => at(s, k / 8));
        expect(Math.max(...values)).toBeLessThanOrEqual(greatest);
        if (kind === "convex")
          expect(midpointExcess(values.map((v, k) => [k, v] as const))).toBeLessThan(1e-12);
        if (kind === "constant" && decay === 0)
          expect(Math.max(...values) - Math.min(...values)).toBeLessThan(1e-12);
      });
    }
  });

  it("has a bound that is attained: one neuron moves straight away from the target", () => {
    // Outputs move by |u| e |x| where the neuron moves along x.
    const neuron = (v: number, u: number) => ({ incoming: Float64Array.of(v), outgoing: Float64Array.of(u) });
    const from: TwoLayer = { neurons: [neuron(1, 1), neuron(3, 1)], hasBias: false };
    const to: TwoLayer = { neurons: [neuron(1, 0), neuron(1, 0)], hasBias: false };
    const path = lowBarrierPath(from, to, { multiples: false });
    const loss = convexLoss("square", { values: [Float64Array.of(4)] });
    const { greatest, moves } = pathCertificate(path, [Float64Array.of(1)], loss, 1);
    expect(moves).toEqual([2, 0]);
    expect(greatest).toBe(16);
    const high = convexLoss("square", { values: [Float64Array.of(6)] });
    // The loss rises from 4 at z = 4 to 16 at z = 2.
    expect(outputsOf(path.nodes[1]!, [Float64Array.of(1)], 1)[0]![0]).toBe(2);
    const { greatest: bound } = pathCertificate(
      { ...path, nodes: [from, ...path.nodes.slice(1, -1), from] },
      [Float64Array.of(1)],
      high,
      1,
    );
    expect(bound).toBe(16);
  });

  it("wants networks of the same layout", () => {
    expect(() => lowBarrierPath(drawn(random, 3), drawn(random, 4))).toThrow("same layout");
    expect(() => lowBarrierPath(drawn(random, 3), drawn(random, 3, true))).toThrow("same layout");
  });
});

const small = (random: Random): Graph => {
  const rows = (n: number, d: number) => Array.from({ length: n }, () => [...random.normal(d)]);
  return denseNetwork(
    [
      { W: rows(4, 2), b: [...random.normal(4)] },
      { W: rows(1, 4), b: [0.3] },
    ],
    "relu",
  );
};

describe("trained curves", () => {
  const random = createRandom("curve");
  const [a, b] = [small(random), small(random)];
  const x = Array.from({ length: 30 }, () => [...random.normal(2)]);
  const data = { x: tensor(x), target: tensor(x.map(([p, q]) => [Math.sin(p! + q!)])) };

  it.each(["bezier", "polygon"] as const)("are graphs of the networks on the path (%s)", async (kind) => {
    const { names, start, tensors } = weightsOf(a);
    const end = weightsOf(b).start;
    const { graph, bends } = curveGraph(
      a,
      names,
      tensors(end, (name) => name),
      kind,
      2,
    );
    // Bends anywhere, for a path that is not a line.
    const others = bends.map(() => random.normal(start.length));
    const initializers = new Map(graph.initializers);
    bends.forEach((of, k) => {
      const parts = tensors(others[k]!, (name) => name);
      of.forEach((name, j) => {
        initializers.set(name, parts[names[j]!]!);
      });
    });
    const path = weightPath(kind, [start, ...others, end]);
    for (const t of [0.1, 0.4, 0.85]) {
      const input = tensor(x.map((row) => [...row, t]));
      const found = numbers((await run({ ...graph, initializers }, { x: input }))["y"]!);
      const parts = tensors(path(t), (name) => name);
      const net = { ...a, initializers: new Map<string, Tensor>(Object.entries(parts)) };
      const expected = numbers((await run({ ...a, ...net }, { x: data.x }))[a.outputs[0]!.name]!);
      found.forEach((v, i) => {
        expect(v).toBeCloseTo(expected[i]!, 10);
      });
    }
  });

  it("sees as many places as examples, each once", () => {
    const placed = placedExamples(data, "float64", createRandom(1));
    const values = numbers(placed.x);
    const places = Array.from({ length: placed.x.dims[0]! }, (_, i) => values[3 * i + 2]!).sort(
      (p, q) => p - q,
    );
    expect(places.length).toBeGreaterThanOrEqual(1024);
    places.forEach((t, k) => {
      expect(t).toBeCloseTo((k + 0.5) / places.length, 12);
    });
    expect(placed.target.dims[0]).toBe(places.length);
    expect(values[3 * 31]).toBe(x[1]![0]);
    expect(numbers(placed.target)[31]).toBe(numbers(data.target)[1]);
  });

  it("are lower than the line between permuted copies, where alignment finds no barrier at all", async () => {
    const swapped = (rows: readonly (readonly number[])[]) => rows.toReversed();
    const layers = [
      {
        W: [
          [2, 0.1],
          [-1, 1],
          [0.2, -2],
        ],
        b: [0, 0.5, 0.1],
      },
      { W: [[1, -1, 1.5]], b: [0.1] },
    ];
    const net = denseNetwork(layers, "relu");
    const twin = denseNetwork(
      [
        { W: swapped(layers[0]!.W), b: layers[0]!.b.toReversed() },
        { W: [layers[1]!.W[0]!.toReversed()], b: layers[1]!.b },
      ],
      "relu",
    );
    const fitted = { x: data.x, target: (await run(net, { x: data.x }))[net.outputs[0]!.name]! };
    const found = await describePaths(net, twin, fitted, { loss: "square", curve: { steps: 1500 } });
    expect(found.ends[0]).toBe(0);
    expect(found.distance.aligned).toBe(0);
    expect(found.aligned.barrier).toBe(0);
    expect(found.line.barrier).toBeGreaterThan(0.5);
    // Three neurons have no room to pass each other: 0 is not to be had.
    for (const { barrier } of Object.values(found.curves))
      expect(barrier).toBeLessThan(found.line.barrier / 2);
    expect(found.constructive!.barrier).toBeLessThanOrEqual(found.constructive!.certificate.barrier);
    expect(found.constructive!.points[0]![1]).toBeCloseTo(found.line.points[0]![1], 12);
    expect(found.constructive!.points.at(-1)![1]).toBeCloseTo(found.line.points.at(-1)![1], 12);
  });

  it("keep their ends", async () => {
    const end = weightsOf(b).start;
    const nodes = await trainedCurve(a, end, data, { loss: "square", kind: "polygon", bends: 1, steps: 3 });
    expect(nodes).toHaveLength(3);
    expect(nodes[0]).toEqual(weightsOf(a).start);
    expect(nodes[2]).toEqual(end);
  });
});

describe("a path made to go down", () => {
  it("has one factor for each level", () => {
    // Outputs a(s) on one example with target 1, from 4 over 0.1 to 1.
    const outputs = (s: number) => (s < 0.5 ? 4 - 7.8 * s : 0.1 + 1.8 * (s - 0.5));
    const { values, zero } = rescaledPath((s, c) => (c * outputs(s) - 1) ** 2, 20);
    expect(zero).toBe(1);
    values.slice(1).forEach((v, k) => {
      expect(v).toBeLessThan(values[k]!);
      expect(v).toBeCloseTo(9 - (8 / 2) * ((k + 1) / 20), 9);
    });
    expect(() => rescaledPath((s, c) => (c * s - 1) ** 2, 4)).toThrow("no worse than");
    expect(() => rescaledPath((s, c) => (c * 4 * (1 - s) - 1) ** 2, 4)).toThrow("0 on all examples");
    // Right on all examples, the logistic loss has no level above ln 2.
    expect(() => rescaledPath((s, c) => Math.log1p(Math.exp((s < 0.5 ? 3 : -3) * c)), 4)).toThrow(
      "falls with",
    );
  });
});
