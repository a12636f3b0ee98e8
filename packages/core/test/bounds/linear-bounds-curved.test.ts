// Curved operators, products and operators that are known by bounds only.
import { describe, expect, it } from "vitest";
import { linearBounds } from "../../src/bounds/linear.ts";
import { splitBounds } from "../../src/bounds/split.ts";
import { run } from "../../src/engine/run.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";
import { outputBounds } from "../../src/passes/interval.ts";
import { patience } from "../patience.ts";
import { curvedOperations, operations, randomNetwork, width } from "./linear-bounds-networks.ts";

interface Range {
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

function randomBox(random: Random): Range {
  const size = 10 ** (2.5 * random.uniform() - 2);
  const lower = random.normal(width);
  return { lower, upper: lower.map((l) => l + (random.uniform() < 0.1 ? 0 : size * random.uniform())) };
}

/** Points inside and corners, one after the other. */
const pointsOf = ({ lower, upper }: Range, random: Random, count: number): Float64Array =>
  Float64Array.from({ length: count * width }, (_, k) => {
    const [i, share] = [k % width, random.uniform()];
    const atCorner = Math.floor(k / width) % 2 === 0;
    return Math.min(upper[i]!, lower[i]! + (atCorner ? Math.round(share) : share) * (upper[i]! - lower[i]!));
  });

/** How far outputs leave their bounds, relative to their size; a run in f64 rounds by some 1e-15 of what it adds up. */
function excess(values: ArrayLike<number>, { lower, upper }: Range): number {
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
/** For each operator. */
const points = Number(process.env["LEMMATA_FUZZ_POINTS"] ?? 1e5);

async function sampled(net: Graph, box: Range, random: Random, count: number): Promise<Float64Array> {
  const { y } = await run(net, { x: tensor(pointsOf(box, random, count), { dims: [count, width] }) });
  return Float64Array.from(numbers(y!));
}

/** No sampled point outside, finite, and no looser than intervals; gives the width of the bounds over that of intervals. */
async function checkedRatio(net: Graph, seed: string, count: number): Promise<number> {
  const random = createRandom(seed);
  const box = randomBox(random);
  const bounds = linearBounds(net, box);
  const plain = [...outputBounds(net, { x: box }).values()][0]!;
  expect([seed, excess(await sampled(net, box, random, count), bounds) < runRounding]).toEqual([seed, true]);
  let ratio = 0;
  bounds.lower.forEach((l, k) => {
    expect([seed, Number.isFinite(l - bounds.upper[k]!)]).toEqual([seed, true]);
    expect(l).toBeGreaterThanOrEqual(plain.lower[k]! - runRounding * (1 + Math.abs(plain.lower[k]!)));
    expect(bounds.upper[k]).toBeLessThanOrEqual(
      plain.upper[k]! + runRounding * (1 + Math.abs(plain.upper[k]!)),
    );
    ratio += (bounds.upper[k]! - l) / (plain.upper[k]! - plain.lower[k]!) / bounds.lower.length;
  });
  return ratio;
}

describe("sampled points never leave the bounds, which are no looser than intervals", () => {
  it.each(Object.keys(curvedOperations))(
    "%s",
    async (name) => {
      const trials = 10;
      let ratio = 0;
      for (let trial = 0; trial < trials; trial++)
        ratio +=
          (await checkedRatio(
            randomNetwork(`${name}/${trial}`, [name]),
            `${name}/${trial}`,
            points / trials,
          )) / trials;
      if (process.env["LEMMATA_DEBUG"]) console.log(name, ratio.toPrecision(3));
      expect(ratio).toBeLessThan(1);
    },
    120_000,
  );

  it(
    "random chains of all operators",
    async () => {
      const names = [...Object.keys(operations), ...Object.keys(curvedOperations)];
      for (let trial = 0; trial < 40; trial++) {
        const random = createRandom(`chain/${trial}`);
        const picked = Array.from({ length: 3 }, () => names[random.integer(0, names.length - 1)]!);
        const net = randomNetwork(trial, picked);
        const box = randomBox(random);
        const bounds = linearBounds(net, box, { steps: trial % 2 });
        const found = excess(await sampled(net, box, random, points / 40), bounds);
        expect([picked, found < runRounding]).toEqual([picked, true]);
      }
    },
    patience(300_000),
  );
});

describe("whole networks", () => {
  const weights = (random: Random, rows: number, columns: number): number[][] =>
    Array.from({ length: rows }, () => Array.from(random.normal(columns), (w) => w / Math.sqrt(columns)));

  it("a transformer block: attention, two normalizations, Gelu", async () => {
    const [tokens, d] = [4, 6];
    const random = createRandom("block");
    const matrices = Array.from({ length: 4 }, () => weights(random, d, d));
    const net = graph({ x: float64("N", tokens, d) }, ({ x }) => {
      const [q, k, v] = matrices.map((W) => x.matmul(W)) as [typeof x, typeof x, typeof x];
      const scores = q.matmul(k.transpose([0, 2, 1])).mul(d ** -0.5);
      const attended = x.add(scores.op("Softmax", [], { axis: -1 }).matmul(v));
      const normal = (y: typeof x) =>
        y.op("LayerNormalization", [Array(d).fill(1), Array(d).fill(0)], { epsilon: 1e-3 });
      const h = normal(attended);
      return { y: normal(h.add(h.matmul(matrices[3]!).op("Gelu"))) };
    });
    const center = random.normal(tokens * d);
    const box = { lower: center.map((c) => c - 0.003), upper: center.map((c) => c + 0.003) };
    const { lower, upper } = linearBounds(net, box);
    for (let k = 0; k < lower.length; k++) expect(upper[k]! - lower[k]!).toBeLessThan(1);
    const values = await sampledBlock(net, box, random, 1000, [tokens, d]);
    expect(excess(values, { lower, upper })).toBeLessThan(runRounding);
  });

  const classifier = (scale: number) => {
    const random = createRandom("classifier");
    return graph({ x: float64("N", width) }, ({ x }) => ({
      y: x
        .affine(weights(random, 16, width), Array.from(random.normal(16)))
        .relu()
        .affine(weights(random, 10, 16), Array.from(random.normal(10)))
        .mul(scale)
        .op("Softmax", [], { axis: -1 }),
    }));
  };

  it("a softmax classifier: between 0 and 1, also where exponentials overflow", () => {
    for (const scale of [1, 1e4]) {
      const box = { lower: new Float64Array(width).fill(-1), upper: new Float64Array(width).fill(1) };
      const { lower, upper } = linearBounds(classifier(scale), box);
      lower.forEach((l, k) => {
        expect(l).toBeGreaterThanOrEqual(-1e-12);
        expect(upper[k]).toBeLessThanOrEqual(1 + 1e-12);
        expect(upper[k]).toBeGreaterThan(l);
      });
    }
  });

  it("a softmax classifier's probability is found by branch and bound", async () => {
    const box = { lower: new Float64Array(width).fill(0.1), upper: new Float64Array(width).fill(0.2) };
    const { lower, upper, attained, complete } = await splitBounds(classifier(1), box, {
      tolerance: 1e-2,
      seconds: 20,
    });
    expect(complete).toBe(true);
    lower.forEach((l, k) => {
      expect(attained.lower[k]! - l).toBeLessThan(0.03);
      expect(upper[k]! - attained.upper[k]!).toBeLessThan(0.03);
    });
  });

  it("what is not defined on all of a box is refused by name", () => {
    const logarithm = graph({ x: float64(1, 1) }, ({ x }) => ({ y: x.log() }));
    expect(() => linearBounds(logarithm, { lower: [-1], upper: [1] })).toThrow(/Log.*may be -1/);
    const quotient = graph({ x: float64(1, 1) }, ({ x }) => ({ y: x.div(x.add(1)) }));
    expect(() => linearBounds(quotient, { lower: [-2], upper: [1] })).toThrow(/Div.*may be zero/);
  });
});

async function sampledBlock(net: Graph, box: Range, random: Random, count: number, dims: readonly number[]) {
  const size = box.lower.length;
  const x = Float64Array.from({ length: count * size }, (_, k) => {
    const [l, u] = [box.lower[k % size]!, box.upper[k % size]!];
    return Math.min(u, l + random.uniform() * (u - l));
  });
  const { y } = await run(net, { x: tensor(x, { dims: [count, ...dims] }) });
  return numbers(y!) as ArrayLike<number>;
}
