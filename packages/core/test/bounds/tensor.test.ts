// Bounds of networks whose convolutions are not written out, against those of written rows, and against points.
import { describe, expect, it, vi } from "vitest";
import { Evaluation } from "../../src/bounds/linear/evaluate.ts";
import { lowerNetwork } from "../../src/bounds/linear/lowering.ts";
import { linearBounds, linearBoundsInTime } from "../../src/bounds/linear.ts";
import { verifyQuery } from "../../src/bounds/query/verify.ts";
import { parseVnnlib } from "../../src/bounds/query/vnnlib.ts";
import { descend } from "../../src/bounds/split/attack.ts";
import { TensorBounder } from "../../src/bounds/tensor/bounder.ts";
import { Convolution } from "../../src/bounds/tensor/convolution.ts";
import { lowerTensors } from "../../src/bounds/tensor/lowering.ts";
import { isOperated, type Precision } from "../../src/bounds/tensor/operator.ts";
import { fieldsOf, packed } from "../../src/bounds/tensor/windows.ts";
import { run } from "../../src/engine/run.ts";
import { TimeOver } from "../../src/engine/time-over.ts";
import { float32, float64, graph } from "../../src/graph/builder.ts";
import { windowAxes } from "../../src/graph/elements/windows.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { depthwiseNetwork, residualNetwork } from "./image-networks.ts";

const random = createRandom(7);
const weights = (dims: readonly number[], scale: number) =>
  tensor(
    Float32Array.from(random.normal(dims.reduce((n, d) => n * d, 1)), (v) => v * scale),
    { type: "float32", dims: [...dims] },
  );
const numbersOf = (count: number, of: (v: number) => number) =>
  tensor(Float32Array.from(random.normal(count), of), { type: "float32", dims: [count] });
const normalized = (x: Value, channels: number): Value =>
  x.op("BatchNormalization", [
    numbersOf(channels, (v) => 0.8 + 0.2 * v),
    numbersOf(channels, (v) => 0.2 * v),
    numbersOf(channels, (v) => 0.2 * v),
    numbersOf(channels, (v) => 1 + 0.2 * Math.abs(v)),
  ]);
const dense = (x: Value, from: number, to: number): Value =>
  x.op("Flatten").op("Gemm", [weights([from, to], 1 / Math.sqrt(from)), numbersOf(to, (v) => v / 5)]);

const networks: Readonly<Record<string, { readonly size: number; readonly net: Graph }>> = {
  residual: { size: 8, net: residualNetwork(8, 4, 3) },
  depthwise: { size: 8, net: depthwiseNetwork(8, 4, 3) },
  "normalized, with a skip over one and pooling": {
    size: 12,
    net: graph({ image: float32(1, 3, 12, 12) }, ({ image }) => {
      const first = normalized(
        image.op("Conv", [weights([5, 3, 3, 3], 0.3)], { pads: [1, 1, 1, 1] }),
        5,
      ).relu();
      const second = normalized(first.op("Conv", [weights([5, 5, 3, 3], 0.2)], { pads: [1, 1, 1, 1] }), 5);
      const sum = second.add(first).relu();
      const pooled = sum.op("MaxPool", [], { kernel_shape: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1] });
      const third = pooled.op("Conv", [weights([4, 5, 3, 3], 0.2), numbersOf(4, (v) => v / 5)]).relu();
      return { y: dense(third, 4 * 4 * 4, 3) };
    }),
  },
  "odd kernels, groups, gaps and curves": {
    size: 11,
    net: graph({ image: float32(1, 3, 11, 11) }, ({ image }) => {
      const wide = image.op("Conv", [weights([6, 3, 2, 4], 0.3), numbersOf(6, (v) => v / 5)], {
        strides: [2, 3],
        pads: [1, 0, 2, 3],
      });
      const grouped = wide.tanh().op("Conv", [weights([4, 3, 3, 3], 0.3)], {
        group: 2,
        dilations: [2, 1],
        pads: [2, 1, 2, 1],
      });
      // A normalization of what two nodes read is no part of the convolution before.
      const both = normalized(grouped, 4)
        .relu()
        .sub(grouped.op("LeakyRelu", [], { alpha: 0.1 }));
      const pooled = both.op("AveragePool", [], { kernel_shape: [2, 2], strides: [2, 2] });
      return { y: dense(pooled, 4 * 3 * 2, 3) };
    }),
  },
};

const boxAround = (size: number, radius: number) => {
  const middle = Float64Array.from({ length: 3 * size * size }, (_, i) => Math.sin(i));
  return { lower: middle.map((v) => v - radius), upper: middle.map((v) => v + radius) };
};

async function bounded(net: Graph, box: ReturnType<typeof boxAround>, precision: Precision, work = 1e15) {
  const network = lowerTensors(net);
  const bounder = new TensorBounder(network);
  const known = await bounder.bound(box, { precision, work });
  const targets = network.outputNames.flatMap((_, k) =>
    [1, -1].map((sign) => ({ slots: [network.firstOutput + k], weights: [sign], constant: 0 })),
  );
  const leasts = await bounder.leasts(targets, known);
  const { firstRow } = network.layers.at(-1)!;
  return {
    bounder,
    lower: leasts.filter((_, n) => n % 2 === 0).map((v, k) => Math.max(v, known.rowLower[firstRow + k]!)),
    upper: leasts.filter((_, n) => n % 2 === 1).map((v, k) => Math.min(-v, known.rowUpper[firstRow + k]!)),
  };
}

describe.each(Object.entries(networks))("a %s network", (_, { size, net }) => {
  const box = boxAround(size, 0.03);
  const plain = linearBounds(net, box);
  const width = (k: number): number => plain.upper[k]! - plain.lower[k]!;

  it("has the bounds of written rows, up to rounding", async () => {
    const { lower, upper, bounder } = await bounded(net, box, "float64");
    expect(bounder.left).toBe(0);
    expect(bounder.network.layers.some(isOperated)).toBe(true);
    for (const k of lower.keys()) {
      expect(Math.abs(lower[k]! - plain.lower[k]!)).toBeLessThan(1e-6 * width(k));
      expect(Math.abs(upper[k]! - plain.upper[k]!)).toBeLessThan(1e-6 * width(k));
    }
  });

  it("loses little where rows are bounded in single precision, and never gains", async () => {
    const { lower, upper } = await bounded(net, box, "float32");
    for (const k of lower.keys()) {
      expect(lower[k]!).toBeLessThan(plain.lower[k]! + 1e-6 * width(k));
      expect(upper[k]!).toBeGreaterThan(plain.upper[k]! - 1e-6 * width(k));
      expect(upper[k]! - lower[k]!).toBeLessThan(1.1 * width(k) + 1e-3);
    }
  });

  it("has no point outside of them, also where only intervals bound the rows", async () => {
    const written = lowerNetwork(net);
    const evaluation = new Evaluation(written);
    for (const [precision, work] of [
      ["float32", 1e15],
      ["float32", 0],
      ["float64", 3e7],
    ] as const) {
      const { lower, upper } = await bounded(net, box, precision, work);
      const middle = box.lower.map((l, i) => (l + box.upper[i]!) / 2);
      for (const k of lower.keys())
        for (const sign of [1, -1]) {
          const edge = sign > 0 ? lower[k]! : -upper[k]!;
          const target = { slots: [written.firstOutput + k], weights: [sign], constant: -edge };
          expect(descend(evaluation, [target], box, middle, 8)).toBeUndefined();
        }
    }
  });
});

it("bounds at a point hold what exact weights give there, although single precision cancels", async () => {
  const net = graph({ image: float32(1, 3, 6, 6) }, ({ image }) => {
    const huge = image.op("Conv", [weights([8, 3, 3, 3], 3e5), numbersOf(8, (v) => 1e6 * v)], {
      pads: [1, 1, 1, 1],
    });
    const again = huge.relu().op("Conv", [weights([8, 8, 3, 3], 1)], { pads: [1, 1, 1, 1] });
    return { y: dense(again.relu().sub(huge.mul(1.0009765625).relu()), 8 * 36, 4) };
  });
  const box = boxAround(6, 0);
  const evaluation = new Evaluation(lowerNetwork(net));
  evaluation.at(box.lower);
  const { lower, upper } = await bounded(net, box, "float32");
  const { firstOutput } = evaluation.network;
  for (const k of lower.keys()) {
    expect(lower[k]!).toBeLessThanOrEqual(evaluation.slots[firstOutput + k]!);
    expect(upper[k]!).toBeGreaterThanOrEqual(evaluation.slots[firstOutput + k]!);
  }
});

describe("a convolution as an operator", () => {
  const cases = [
    { sizes: [7, 5], kernel: [3, 3], pads: [1, 1, 1, 1], strides: [1, 1], dilations: [1, 1], group: 1 },
    { sizes: [8, 9], kernel: [3, 2], pads: [0, 1, 2, 0], strides: [2, 3], dilations: [1, 1], group: 2 },
    { sizes: [9, 8], kernel: [2, 3], pads: [3, 0, 1, 4], strides: [1, 2], dilations: [3, 2], group: 1 },
    { sizes: [6, 6], kernel: [1, 1], pads: [0, 0, 0, 0], strides: [2, 2], dilations: [1, 1], group: 1 },
    { sizes: [5, 6], kernel: [2, 2], pads: [2, 0, 0, 3], strides: [1, 1], dilations: [1, 1], group: 4 },
  ];
  it.each(cases)("is the runtime's one, and its transpose: %o", async ({ sizes, group, kernel, ...rest }) => {
    const [channels, outputs] = [4, 8];
    const w = weights([outputs, channels / group, ...kernel], 1);
    const net = graph({ x: float64(1, channels, ...sizes) }, ({ x }) => ({
      y: x.op(
        "Conv",
        [tensor(Float64Array.from(w.data as Float32Array), { type: "float64", dims: w.dims })],
        {
          group,
          ...rest,
        },
      ),
    }));
    const x = Float64Array.from(random.normal(channels * sizes[0]! * sizes[1]!));
    const { y } = await run(net, { x: tensor(x, { type: "float64", dims: [1, channels, ...sizes] }) });
    const axes = windowAxes(sizes, kernel, y!.dims.slice(2), { auto_pad: "NOTSET", ...rest });
    const operator = new Convolution({
      ...{ weights: Float64Array.from(w.data as Float32Array), channels, outputs, group },
      axes: [axes[0]!, axes[1]!],
    });
    const twice = Float64Array.from([...x, ...x.map((v) => 2 * v)]);
    const found = await operator.forward(twice, 2, false);
    const wanted = y!.data as Float64Array;
    expect(operator.outputs).toBe(wanted.length);
    wanted.forEach((v, k) => {
      expect(found[k]).toBeCloseTo(v, 10);
      expect(found[wanted.length + k]).toBeCloseTo(2 * v, 10);
    });
    const g = Float64Array.from(random.normal(2 * wanted.length), Math.fround);
    for (const [given, digits] of [
      [g, 8],
      [Float32Array.from(g), 3],
    ] as const) {
      const back = await operator.back(given, 2);
      for (const n of [0, 1]) {
        let [ahead, behind] = [0, 0];
        for (let k = 0; k < wanted.length; k++) ahead += g[n * wanted.length + k]! * wanted[k]!;
        for (let j = 0; j < x.length; j++) behind += back[n * x.length + j]! * x[j]!;
        expect(behind).toBeCloseTo(ahead, digits);
      }
    }
  });
});

it("rows that cannot meet share images", () => {
  const net = graph({ image: float32(1, 3, 16, 16) }, ({ image }) => {
    const pads = { pads: [1, 1, 1, 1] };
    const first = image.op("Conv", [weights([4, 3, 3, 3], 0.3)], pads).relu();
    const second = first.op("Conv", [weights([4, 4, 3, 3], 0.3)], pads).relu();
    return { y: second.op("GlobalAveragePool").op("Flatten") };
  });
  const network = lowerTensors(net);
  const [, second] = network.layers;
  const rows = Array.from({ length: second!.rows }, (_, k) => k);
  // Windows of 5 x 5: in each of 25 images of a channel every fifth place along both axes.
  expect(packed(network, fieldsOf(network), 1, rows).groups.length).toBe(4 * 25);
});

/** Beyond what is written out: 64 * 32 * 32 rows of 72 terms. */
const large = graph({ image: float32(1, 3, 32, 32) }, ({ image }) => {
  const pads = { pads: [1, 1, 1, 1] };
  const first = image.op("Conv", [weights([8, 3, 3, 3], 0.3)], pads).relu();
  const second = normalized(first.op("Conv", [weights([64, 8, 3, 3], 0.2)], pads), 64).relu();
  return { scores: dense(second.op("GlobalAveragePool"), 64, 3) };
});

describe("a network that is too large to write out", () => {
  const box = boxAround(32, 0.002);
  const middle = tensor(
    box.lower.map((l, i) => (l + box.upper[i]!) / 2),
    { type: "float32", dims: [1, 3, 32, 32] },
  );
  const query = (...assertions: string[]) =>
    parseVnnlib(
      [
        ...Array.from(box.lower, (_, i) => `(declare-const X_${i} Real)`),
        ...[0, 1, 2].map((k) => `(declare-const Y_${k} Real)`),
        ...Array.from(box.lower, (l, i) => `(assert (and (>= X_${i} ${l}) (<= X_${i} ${box.upper[i]})))`),
        ...assertions.map((text) => `(assert ${text})`),
      ].join("\n"),
    );

  it("has bounds, the same ones each time; without time none; with little those of intervals", async () => {
    const found = await linearBoundsInTime(large, box);
    const y = (await run(large, { image: middle })).scores!.data as Float32Array;
    y.forEach((v, k) => {
      expect(found.lower[k]!).toBeLessThan(v);
      expect(found.upper[k]!).toBeGreaterThan(v);
      expect(found.upper[k]! - found.lower[k]!).toBeLessThan(0.1);
    });
    expect(found.names).toEqual(["scores[0]", "scores[1]", "scores[2]"]);
    let looks = 0;
    vi.spyOn(performance, "now").mockImplementation(() => 1000 * ++looks);
    await expect(linearBoundsInTime(large, box, { seconds: 5 })).rejects.toThrow(TimeOver);
    vi.restoreAllMocks();
    const hurried = await linearBoundsInTime(large, box, { seconds: 1e-3 });
    expect(hurried.complete).toBe(false);
    y.forEach((v, k) => {
      expect(hurried.lower[k]!).toBeLessThan(v);
      expect(hurried.upper[k]!).toBeGreaterThan(v);
    });
  });

  it("is verified by them, and attacked", async () => {
    const y = (await run(large, { image: middle })).scores!.data as Float32Array;
    const given = new Map([["", large]]);
    const above = await verifyQuery(
      query(`(or (and (>= Y_0 ${y[0]! + 0.1})) (and (<= Y_1 ${y[1]! - 0.1})))`),
      given,
    );
    expect(above).toMatchObject({ verdict: "unsat", strength: "proved" });
    const below = await verifyQuery(query(`(<= Y_0 ${y[0]! + 0.1})`), given);
    expect(below).toMatchObject({ verdict: "sat", strength: "checked" });
  });
});
