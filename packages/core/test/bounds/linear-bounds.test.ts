import { existsSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { lowerNetwork } from "../../src/bounds/linear/lowering.ts";
import { linearBounds, linearBoundsInTime, type OutputBounds } from "../../src/bounds/linear.ts";
import { splitBounds } from "../../src/bounds/split.ts";
import { run } from "../../src/engine/run.ts";
import { type Curve, linesAround } from "../../src/functions/curves.ts";
import { clip } from "../../src/functions/library/clip.ts";
import { eluCurve } from "../../src/functions/library/elu.ts";
import { partsOf } from "../../src/functions/library.ts";
import type { Lines } from "../../src/functions/lines.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import { GraphError } from "../../src/graph/error.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { loadModel } from "../../src/graph/onnx/index.ts";
import { elementCount, type NumericType, numbers, tensor } from "../../src/graph/tensor.ts";
import { add, compare, type Exact, mul } from "../../src/numbers/exact/rational.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";
import { inputShapes } from "../../src/passes/affine/compile.ts";
import { outputBounds } from "../../src/passes/interval.ts";
import { type Layer, randomLayers, relu } from "../passes/regions-networks.ts";
import { patience } from "../patience.ts";
import { curvedOperations, operations, randomNetwork, width } from "./linear-bounds-networks.ts";

interface Range {
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/** Boxes of many sizes, some sides of length 0. */
function randomBox(random: Random, count: number): Range {
  const size = 10 ** (2 * random.uniform() - 1.5);
  const lower = random.normal(count);
  return { lower, upper: lower.map((l) => l + (random.uniform() < 0.1 ? 0 : size * random.uniform())) };
}

/** Points inside and corners, one after the other. */
const pointsOf = ({ lower, upper }: Range, random: Random, count: number): Float64Array =>
  Float64Array.from({ length: count * lower.length }, (_, k) => {
    const [i, share] = [k % lower.length, random.uniform()];
    const atCorner = Math.floor(k / lower.length) % 2 === 0;
    return Math.min(upper[i]!, lower[i]! + (atCorner ? Math.round(share) : share) * (upper[i]! - lower[i]!));
  });

/** How far outputs leave their bounds, relative to their size; a run in f64 rounds by some 1e-15 of it. */
function excess(values: ArrayLike<number>, { lower, upper }: Omit<OutputBounds, "names">): number {
  let worst = 0;
  for (let k = 0; k < values.length; k++) {
    const [value, j] = [values[k]!, k % lower.length];
    worst = Math.max(
      worst,
      (lower[j]! - value) / (1 + Math.abs(value)),
      (value - upper[j]!) / (1 + Math.abs(value)),
    );
  }
  return worst;
}
const runRounding = 1e-12;

/** Sampled points: about four times as many in all. */
const points = Number(process.env["LEMMATA_FUZZ_POINTS"] ?? 1e5);

async function worstExcess(net: Graph, seed: string, count: number): Promise<number> {
  const random = createRandom(seed);
  const box = randomBox(random, width);
  const { y } = await run(net, { x: tensor(pointsOf(box, random, count), { dims: [count, width] }) });
  const values = numbers(y!);
  return Math.max(
    excess(values, linearBounds(net, box)),
    excess(values, linearBounds(net, box, { steps: 5 })),
  );
}

describe("sampled points never leave the bounds", () => {
  it.each(Object.keys(operations))("%s", async (name) => {
    for (let trial = 0; trial < 6; trial++) {
      const net = randomNetwork(`${name}/${trial}`, [name, name]);
      expect(await worstExcess(net, `${name}/box/${trial}`, points / 100)).toBeLessThan(runRounding);
    }
  });

  it(
    "random chains of all operators",
    async () => {
      const names = Object.keys(operations);
      for (let trial = 0; trial < 60; trial++) {
        const random = createRandom(`chain/${trial}`);
        const picked = Array.from({ length: 5 }, () => names[random.integer(0, names.length - 1)]!);
        const found = await worstExcess(randomNetwork(trial, picked), `chain/box/${trial}`, points / 50);
        expect([picked, found < runRounding]).toEqual([picked, true]);
      }
    },
    patience(300_000),
  );
});

describe("extreme boxes", () => {
  /** Points, tiny and huge boxes, around 0 or not. */
  const boxOf = (random: Random, size: number): Range => {
    const lower = random.normal(width).map((v) => (random.uniform() < 0.5 ? v : v * size));
    return { lower, upper: lower.map((l) => l + (random.uniform() < 0.3 ? 0 : size * random.uniform())) };
  };
  /** Without the one with a factor of 0.7 at a matrix product: the runtime fuses them and rounds the factor to f32. */
  const names = Object.keys({ ...operations, ...curvedOperations }).filter((name) => name !== "Attention");

  it.each([0, 1e-12, 1e-6, 1e4, 1e10])(
    "sides of %d: no method is left by points",
    async (size) => {
      const limit = Math.max(1, points / 1e5);
      let bounded = 0;
      for (let trial = 0; trial < 25 * limit; trial++) {
        const random = createRandom(`extreme/${size}/${trial}`);
        const picked = [0, 1].map(() => names[random.integer(0, names.length - 1)]!);
        const net = randomNetwork(`extreme/${trial}`, picked);
        const box = boxOf(random, size);
        const { y } = await run(net, { x: tensor(pointsOf(box, random, 200), { dims: [200, width] }) });
        const values = numbers(y!);
        // The run overflows where the real function does not.
        if (!values.every(Number.isFinite)) continue;
        const found = [
          () => linearBounds(net, box),
          () => [...outputBounds(net, { x: box }).values()][0]!,
          () => splitBounds(net, box, { seconds: 0.02 }),
        ];
        for (const [k, method] of found.entries())
          try {
            const bounds = await method();
            bounded++;
            // A run rounds numbers as large as the box.
            expect([picked, k, excess(values, bounds) < runRounding * Math.max(1, size)]).toEqual([
              picked,
              k,
              true,
            ]);
          } catch (error) {
            // a division by what may be 0, bounds beyond all doubles: refused with a reason
            if (!(error instanceof GraphError)) throw error;
          }
      }
      expect(bounded).toBeGreaterThan(40 * limit);
    },
    600_000,
  );
});

describe("lines around curves", () => {
  const curves: readonly Curve[] = [
    ...partsOf("curve").map(([, f]) => f),
    eluCurve(1),
    eluCurve(0.3),
    clip(-1, 2),
    clip(-1, Number.POSITIVE_INFINITY),
  ];
  it.each(curves.map((f) => [f.name, f] as const))("%s", (_, f) => {
    const random = createRandom(f.name);
    const lines: Lines = { lowSlope: 0, lowShift: 0, highSlope: 0, highShift: 0 };
    for (let trial = 0; trial < 2000; trial++) {
      const low = 6 * random.normal();
      const high = low + 10 ** (4 * random.uniform() - 3);
      linesAround(f, low, high, lines);
      let [below, above] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      for (let k = 0; k <= 100; k++) {
        const z = low + (k / 100) * (high - low);
        below = Math.min(below, f.value(z) - (lines.lowSlope * z + lines.lowShift));
        above = Math.min(above, lines.highSlope * z + lines.highShift - f.value(z));
      }
      expect([low, high, below >= 0, above >= 0]).toEqual([low, high, true, true]);
    }
  });
});

describe("sound in floating point", () => {
  it("bounds are about the real function, where running it in floating point gives something else", async () => {
    const net = graph({ x: float64(1, 1) }, ({ x }) => ({ y: x.add(1e16).sub(1e16) }));
    const { lower, upper } = linearBounds(net, { lower: [0.25], upper: [0.5] });
    const { y } = await run(net, { x: tensor([[0.25]]) });
    expect(numbers(y!)[0]).toBe(0);
    expect(lower[0]).toBeLessThanOrEqual(0.25);
    expect(upper[0]).toBeGreaterThanOrEqual(0.5);
  });

  it("exact values of affine chains at the corners that attain the bound are inside, by very little", () => {
    const values = ({ W, b }: Layer, x: readonly Exact[]): Exact[] =>
      W.map((row, i) => row.reduce<Exact>((sum, w, j) => add(sum, mul(w, x[j]!)), b[i]!));
    let rounded = 0;
    for (let trial = 0; trial < 100; trial++) {
      const layers = randomLayers(`affine/${trial}`, [3, 8, 8, 1]);
      const net = graph({ x: float64(1, 3) }, ({ x }) => ({
        y: layers.reduce((h, { W, b }) => h.affine(W, b), x),
      }));
      const box = randomBox(createRandom(trial), 3);
      const { lower } = linearBounds(net, box);
      const corners = Array.from({ length: 8 }, (_, c) =>
        [0, 1, 2].map((i) => ((c >> i) & 1 ? box.upper : box.lower)[i]!),
      );
      const images = corners.map((x) => layers.reduce<Exact[]>((h, layer) => values(layer, h), x)[0]!);
      const least = images.reduce((p, q) => (compare(q, p) < 0 ? q : p));
      expect(compare(lower[0]!, least)).toBeLessThanOrEqual(0);
      // at most 2 gamma_100 times sizes of some hundreds
      expect(compare(lower[0]! + 1e-10, least)).toBeGreaterThan(0);
      if (compare(lower[0]!, least) < 0) rounded++;
    }
    expect(rounded).toBeGreaterThan(50);
  });
});

/** Interval bounds, layer by layer, by the plainest code. */
function intervals(layers: readonly Layer[], box: Range): Range {
  let [lower, upper] = [[...box.lower], [...box.upper]];
  layers.forEach(({ W, b }, l) => {
    const side = (low: number[], high: number[]) =>
      W.map((row, i) => row.reduce((sum, w, j) => sum + w * (w > 0 ? low : high)[j]!, b[i]!));
    const [low, high] = [side(lower, upper), side(upper, lower)];
    const active = (v: number) => (l < layers.length - 1 ? Math.max(0, v) : v);
    [lower, upper] = [low.map(active), high.map(active)];
  });
  return { lower: Float64Array.from(lower), upper: Float64Array.from(upper) };
}

describe("in time", () => {
  const net = relu(randomLayers("in time", [12, 300, 300, 300, 2]));
  const box = { lower: new Float64Array(12).fill(-1), upper: new Float64Array(12).fill(1) };

  it("with enough of it the same bounds, with progress on the way", async () => {
    const shares: number[] = [];
    const found = await linearBoundsInTime(net, box, { onProgress: (share) => shares.push(share) });
    expect(found).toMatchObject({ ...linearBounds(net, box), complete: true });
    expect(shares.length).toBeGreaterThan(0);
    expect(shares.every((s, k) => s >= (shares[k - 1] ?? 0) && s <= 1)).toBe(true);
  });

  it("without, looser bounds that hold", async () => {
    const [hurried, done] = [await linearBoundsInTime(net, box, { seconds: 0 }), linearBounds(net, box)];
    expect(hurried.complete).toBe(false);
    done.lower.forEach((l, k) => {
      expect(hurried.lower[k]).toBeLessThan(l);
      expect(hurried.upper[k]).toBeGreaterThan(done.upper[k]!);
    });
    const { y } = await run(net, { x: tensor(pointsOf(box, createRandom(1), 500), { dims: [500, 12] }) });
    expect(excess(numbers(y!), hurried)).toBeLessThan(runRounding);
    await expect(linearBoundsInTime(net, box, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  });
});

describe("tightness", () => {
  it("never looser than intervals on ReLU networks, and mostly far tighter", () => {
    let ratio = 0;
    for (let trial = 0; trial < 50; trial++) {
      const layers = randomLayers(trial, [4, 12, 12, 12, 2]);
      const box = randomBox(createRandom(`box/${trial}`), 4);
      const [linear, plain] = [linearBounds(relu(layers), box), intervals(layers, box)];
      plain.lower.forEach((l, k) => {
        const slack = 1e-12 * (1 + plain.upper[k]! - l);
        expect(linear.lower[k]).toBeGreaterThanOrEqual(l - slack);
        expect(linear.upper[k]).toBeLessThanOrEqual(plain.upper[k]! + slack);
        ratio += (linear.upper[k]! - linear.lower[k]!) / (plain.upper[k]! - l) / 100;
      });
    }
    expect(ratio).toBeLessThan(0.5);
  });

  it("optimized slopes are never looser, and tighter on the whole", () => {
    let gain = 0;
    for (let trial = 0; trial < 30; trial++) {
      const net = relu(randomLayers(`slopes/${trial}`, [4, 12, 12, 12, 2]));
      const box = { lower: new Float64Array(4).fill(-1), upper: new Float64Array(4).fill(1) };
      const [fixed, optimized] = [linearBounds(net, box), linearBounds(net, box, { steps: 20 })];
      fixed.lower.forEach((l, k) => {
        expect(optimized.lower[k]).toBeGreaterThanOrEqual(l);
        expect(optimized.upper[k]).toBeLessThanOrEqual(fixed.upper[k]!);
        gain += 1 - (optimized.upper[k]! - optimized.lower[k]!) / (fixed.upper[k]! - l);
      });
    }
    expect(gain / 60).toBeGreaterThan(0.05);
  });
});

const models = new URL("../../../../../shared/models/", import.meta.url).pathname;
const missing = !existsSync(models);
if (missing) console.warn("tests on ../shared/models left out: no such folder");

describe.skipIf(missing)("networks that nobody here wrote", () => {
  const small = missing ? [] : readdirSync(`${models}zoo`).map((f) => `zoo/${f}`);
  const files = [
    ...small,
    "Convnet_maxpool.onnx",
    "Convnet_avgpool.onnx",
    "mnist-net_256x2.onnx",
    "test_small.onnx",
  ];
  it.each(files)(
    "%s: bounded, or refused with a reason",
    async (file) => {
      const net = await loadModel(models + file);
      const random = createRandom(file);
      let shapes: ReturnType<typeof inputShapes>;
      let bounds: OutputBounds;
      const box = (count: number) => {
        const lower = random.uniform(count).map(Math.fround);
        return { lower, upper: lower.map((l) => Math.fround(l + 0.02)) };
      };
      let range: Range;
      try {
        shapes = inputShapes(net);
        range = box(shapes.reduce((n, { dims }) => n + elementCount(dims), 0));
        bounds = linearBounds(net, range);
      } catch (error) {
        expect(error).toBeInstanceOf(GraphError);
        expect([
          "zoo/cast_int_to_float.onnx",
          "zoo/gbt_model.onnx",
          "zoo/dropout_training_mode_true.onnx",
          "zoo/maxpool_2d.onnx",
        ]).toContain(file);
        return;
      }
      for (let n = 0; n < 20; n++) {
        const x = pointsOf(range, random, 2).subarray(0, range.lower.length);
        let first = 0;
        const inputs = shapes.map(({ name, type, dims }) => {
          const part = x.slice(first, first + elementCount(dims));
          first += part.length;
          return [name, tensor(part, { type: type.type as NumericType, dims })] as const;
        });
        const outputs = await run(net, Object.fromEntries(inputs));
        const values = net.outputs.flatMap(({ name }) => [...numbers(outputs[name]!)]);
        // f32 runs round by some 1e-7 of the numbers that they add up
        expect(excess(values, bounds)).toBeLessThan(1e-5);
      }
    },
    60_000,
  );
});

it("what shapes decide is a constant: the network stays piecewise linear", () => {
  const net = graph({ x: float64("N", 6) }, ({ x }) => {
    const rows = x
      .op("Shape")
      .op("Slice", [tensor([0], { type: "int64", dims: [1] }), tensor([1], { type: "int64", dims: [1] })]);
    const target = rows.op("Concat", [tensor([2, 3], { type: "int64", dims: [2] })], { axis: 0 });
    return { y: x.op("Reshape", [target]).relu() };
  });
  expect(lowerNetwork(net).layers.map(({ kind }) => kind)).toEqual(["hinge", "linear"]);
  const box = { lower: new Float64Array(6).fill(-1), upper: new Float64Array(6).fill(2) };
  for (const upper of linearBounds(net, box).upper) expect(upper).toBeCloseTo(2, 12);
});
