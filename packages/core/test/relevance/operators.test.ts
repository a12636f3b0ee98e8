// Each operator on its way back: LRP-0 is gradient times input on ReLU networks, the books add up, and what has no way
// back is refused by name.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { assign, composite, uniform } from "../../src/explain/composite.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";
import { gradient } from "../../src/passes/gradient.ts";
import { parseRule, type Rule, relevance } from "../../src/passes/relevance.ts";

const size = (dims: readonly number[]): number => dims.reduce((n, d) => n * d, 1);
const drawn = (random: Random, ...dims: number[]): Tensor =>
  tensor(random.normal(size(dims)), { type: "float64", dims });
const positive = (random: Random, n: number): Tensor =>
  tensor(
    random.uniform(n).map((v) => v + 0.5),
    { type: "float64" },
  );
const integers = (...values: number[]): Tensor => tensor(values, { type: "int64" });

/** A network for the operator: dense to three scores behind it. */
type Body = (x: Value, random: Random) => Value;
const conv =
  (out: number, into: number, kernel: readonly number[], attributes = {}): Body =>
  (x, random) =>
    x.op("Conv", [drawn(random, out, into, ...kernel), drawn(random, out)], attributes);
const normalized =
  (channels: number): Body =>
  (x, random) =>
    x.op("BatchNormalization", [
      positive(random, channels),
      drawn(random, channels),
      drawn(random, channels),
      positive(random, channels),
    ]);

const images = [2, 2, 6, 5] as const;
const bodies: Readonly<Record<string, readonly [readonly number[], Body]>> = {
  "Conv in one dimension": [[2, 3, 9], conv(4, 3, [3], { strides: [2], pads: [1, 0] })],
  "Conv in two dimensions": [images, conv(4, 2, [3, 2], { pads: [1, 0, 1, 1], dilations: [1, 2] })],
  "Conv in three dimensions": [[1, 2, 4, 4, 3], conv(3, 2, [2, 3, 2], { pads: [0, 1, 0, 0, 1, 0] })],
  "grouped Conv": [images, conv(4, 1, [3, 3], { group: 2 })],
  ConvTranspose: [
    images,
    (x, random) =>
      x.op("ConvTranspose", [drawn(random, 2, 3, 3, 3), drawn(random, 3)], {
        strides: [2, 1],
        pads: [1, 0, 0, 1],
      }),
  ],
  MaxPool: [
    images,
    (x, random) =>
      conv(
        3,
        2,
        [2, 2],
      )(x, random)
        .relu()
        .op("MaxPool", [], { kernel_shape: [2, 2], strides: [1, 2] }),
  ],
  "MaxPool before the Relu": [
    images,
    (x, random) => conv(3, 2, [2, 2])(x, random).op("MaxPool", [], { kernel_shape: [3, 2] }),
  ],
  AveragePool: [
    images,
    (x, random) =>
      conv(
        3,
        2,
        [2, 2],
      )(x, random)
        .relu()
        .op("AveragePool", [], { kernel_shape: [2, 2], strides: [2, 1], pads: [1, 0, 0, 1] }),
  ],
  "AveragePool that counts its padding": [
    images,
    (x, random) =>
      conv(
        3,
        2,
        [2, 2],
      )(x, random)
        .relu()
        .op("AveragePool", [], { kernel_shape: [2, 2], pads: [1, 1, 1, 1], count_include_pad: 1 }),
  ],
  GlobalAveragePool: [images, (x, random) => conv(5, 2, [2, 2])(x, random).relu().op("GlobalAveragePool")],
  GlobalMaxPool: [images, (x, random) => conv(5, 2, [2, 2])(x, random).relu().op("GlobalMaxPool")],
  "residual Add": [
    images,
    (x, random) => {
      const below = conv(3, 2, [1, 1])(x, random).relu();
      return conv(3, 3, [3, 3], { pads: [1, 1, 1, 1] })(below, random).add(below);
    },
  ],
  "Sub of two branches": [
    images,
    (x, random) => conv(3, 2, [2, 2])(x, random).sub(conv(3, 2, [2, 2])(x, random)),
  ],
  "Sum of three branches": [
    images,
    (x, random) =>
      conv(
        3,
        2,
        [2, 2],
      )(x, random).op("Sum", [conv(3, 2, [2, 2])(x, random), conv(3, 2, [2, 2])(x, random).relu()]),
  ],
  "Add that broadcasts": [
    images,
    (x, random) => {
      const below = conv(3, 2, [2, 2])(x, random).relu();
      return below.add(below.mean([2, 3], 1)).add(drawn(random, 1, 3, 1, 1));
    },
  ],
  Concat: [
    images,
    (x, random) => conv(2, 2, [2, 2])(x, random).concat([conv(1, 2, [2, 2])(x, random).relu()], 1),
  ],
  Slice: [
    images,
    (x, random) => {
      const below = conv(4, 2, [2, 2])(x, random).relu();
      return below.slice(1, 1, 3).add(below.slice(1, 0, 2));
    },
  ],
  Split: [
    images,
    (x, random) => {
      const below = conv(4, 2, [2, 2])(x, random).relu();
      const [a, b] = x.builder.apply("Split", [below, integers(1, 3)], { axis: 1 }, 2);
      return a!.add(b!);
    },
  ],
  Pad: [images, (x, random) => conv(2, 2, [3, 3])(x.op("Pad", [integers(0, 0, 1, 2, 0, 0, 0, 1)]), random)],
  "Pad with reflection": [
    images,
    (x, random) =>
      conv(2, 2, [3, 3])(x.op("Pad", [integers(0, 0, 1, 1, 0, 0, 1, 1)], { mode: "reflect" }), random),
  ],
  Trilu: [[2, 4, 5], (x, random) => x.matmul(drawn(random, 5, 4)).op("Trilu")],
  "Transpose, Reshape, Gather": [
    images,
    (x, random) =>
      conv(3, 2, [2, 2])(x, random).transpose([0, 2, 1, 3]).reshape([2, 5, 12]).gather([4, 0, 0, 2], 1),
  ],
  "BatchNormalization behind Conv": [
    images,
    (x, random) => normalized(3)(conv(3, 2, [2, 2])(x, random), random),
  ],
  "BatchNormalization behind Relu": [
    images,
    (x, random) => normalized(3)(conv(3, 2, [2, 2])(x, random).relu(), random),
  ],
  "constant factor": [images, (x, random) => conv(3, 2, [2, 2])(x, random).mul(drawn(random, 1, 3, 1, 1))],
  "constant divisor": [images, (x, random) => conv(3, 2, [2, 2])(x, random).div(drawn(random, 1, 3, 1, 1))],
  LeakyRelu: [images, (x, random) => conv(3, 2, [2, 2])(x, random).op("LeakyRelu", [], { alpha: 0.1 })],
  "factor that is a size": [
    images,
    (x, random) => {
      const below = conv(3, 2, [2, 2])(x, random);
      return below.mul(below.op("Size").op("Cast", [], { to: 11 }));
    },
  ],
  "ScatterND that adds": [
    [2, 4],
    (x, random) =>
      x.op("ScatterND", [tensor([[1], [1]], { type: "int64" }), drawn(random, 2, 4)], { reduction: "add" }),
  ],
  "MatMul in three dimensions": [
    [2, 4, 5],
    (x, random) => x.matmul(drawn(random, 5, 6)).add(drawn(random, 6)),
  ],
  "MatMul with the weights on the left": [
    [2, 4, 5],
    (x, random) => x.builder.lift(drawn(random, 3, 4), "float64").matmul(x),
  ],
};

function networkOf(name: string, random: Random): { readonly net: Graph; readonly x: Tensor } {
  const [dims, body] = bodies[name]!;
  const net = graph({ x: float64(...dims) }, ({ x }) => {
    const features = body(x!, random).relu().op("Flatten");
    const width = features.type.shape![1] as number;
    const hidden = features.affine(drawn(random, 4, width), drawn(random, 4)).relu();
    return { y: hidden.affine(drawn(random, 3, 4), drawn(random, 3)) };
  });
  return { net, x: drawn(random, ...dims) };
}

async function propagated(net: Graph, rule: Rule, x: Tensor) {
  const { graph: backward, rows } = relevance(net, {
    assign: (g, wrt) => assign(uniform(rule), g, wrt),
    target: { kind: "class", index: 1 },
    ledger: true,
  });
  const { relevance_x, ledger, score } = await run(backward, { x });
  const books = rows.map((row, k) => ({
    ...row,
    cells: [...numbers(ledger!)].slice(4 * k, 4 * k + 4) as number[],
  }));
  return { R: [...numbers(relevance_x!)] as number[], books, score: score! };
}

function expectNear(found: readonly number[], expected: readonly number[], tolerance: number): void {
  expect(found).toHaveLength(expected.length);
  const scale = Math.max(1, ...expected.map(Math.abs));
  const worst = Math.max(...found.map((v, k) => Math.abs(v - expected[k]!)));
  expect(worst / scale).toBeLessThan(tolerance);
}

describe("LRP-0 is gradient times input", () => {
  it.each(Object.keys(bodies))("%s", async (name) => {
    for (let trial = 0; trial < 2; trial++) {
      const random = createRandom(`${name}/${trial}`);
      const { net, x } = networkOf(name, random);
      const { R, score } = await propagated(net, parseRule("zero"), x);
      const seed_y = tensor(
        Array.from({ length: score.data.length }, (_, k) => (k % 3 === 1 ? 1 : 0)),
        { type: "float64", dims: score.dims },
      );
      const { grad_x } = await run(gradient(net), { x, seed_y });
      const g = numbers(grad_x!);
      expectNear(
        R,
        [...numbers(x)].map((v, k) => (v as number) * (g[k] as number)),
        1e-9,
      );
    }
  });
});

describe("the books add up", () => {
  const rules = ["epsilon=0.25rms", "gamma=0.3", "alpha-beta=2,1", "flat"];
  it.each(Object.keys(bodies))("%s", async (name) => {
    const random = createRandom(`books of ${name}`);
    const { net, x } = networkOf(name, random);
    for (const rule of rules) {
      const { R, books, score } = await propagated(net, parseRule(rule), x);
      for (const { node, rule: met, cells } of books) {
        const [arrived, handed, bias, absorbed] = cells as [number, number, number, number];
        const scale = 1 + cells.reduce((s, v) => s + Math.abs(v), 0);
        expect([node.op, met, Math.abs(arrived - handed - bias - absorbed) / scale < 1e-9]).toEqual([
          node.op,
          met,
          true,
        ]);
      }
      const explained = [...numbers(score)].filter((_, k) => k % 3 === 1).reduce<number>((s, v) => s + v, 0);
      const taken = books.reduce((s, { cells }) => s + cells[2]! + cells[3]!, 0);
      const total = R.reduce((s, v) => s + v, 0);
      const scale = 1 + books.reduce((s, { cells }) => s + Math.max(...cells.map(Math.abs)), 0);
      expect([rule, Math.abs(total + taken - explained) / scale < 1e-9]).toEqual([rule, true]);
    }
  });
});

describe("what says how much takes nothing", () => {
  const bodiesOf: Readonly<Record<string, (x: Value) => Value>> = {
    "slopes from the inputs": (x) => x.op("PRelu", [x.op("Sigmoid")]),
    "bounds from the inputs": (x) => x.op("Clip", [x.mean([0, 1], 0), undefined]),
  };
  it.each(Object.entries(bodiesOf))("%s", async (_, body) => {
    const random = createRandom("how much");
    const net = graph({ x: float64(2, 4) }, ({ x }) => ({ y: body(x!) }));
    const { books, R } = await propagated(net, parseRule("zero"), drawn(random, 2, 4));
    const [arrived] = books[0]!.cells;
    expect(R.reduce((s, v) => s + v, 0)).toBeCloseTo(arrived!, 9);
  });
});

describe("a neuron that is closed", () => {
  it("has relevance where what comes behind it is not 0 at 0", async () => {
    // Relu gives 0, and its sigmoid 1/2: gamma has a side for scores below 0.
    const net = graph({ x: float64(1, 2) }, ({ x }) => ({
      y: x!
        .affine([[-1, -2]], [0])
        .relu()
        .op("Sigmoid")
        .affine([[1], [3]], [0, 0]),
    }));
    const { R, books } = await propagated(
      net,
      parseRule("gamma=0.25"),
      tensor([[1, 1]], { type: "float64" }),
    );
    expectNear(R, [0.5, 1], 1e-5);
    expect(Math.abs(books.at(-1)!.cells[3]!)).toBeLessThan(1e-5);
  });
});

describe("what has no way back is refused by node and operator", () => {
  const refused: Readonly<Record<string, (x: Value) => Value>> = {
    Sign: (x) => x.op("Sign"),
    Mod: (x) => x.op("Mod", [tensor([2], { type: "float64" })], { fmod: 1 }),
  };
  it.each(Object.entries(refused))("%s", (op, body) => {
    const net = graph({ x: float64(2, 4) }, ({ x }) => ({ y: body(x!.relu()).op("Flatten") }));
    const name = net.nodes.find((node) => node.op === op)!.name;
    const attempt = () => relevance(net, { assign: (g, wrt) => assign(composite("text"), g, wrt) });
    expect(attempt).toThrow(op);
    expect(attempt).toThrow(`"${name}"`);
  });

  it("a value on no way to the score needs none", () => {
    const net = graph({ x: float64(2, 4) }, ({ x }) => ({ y: x!.relu(), z: x!.op("Sign") }));
    const { graph: backward } = relevance(net, {
      assign: (g, wrt) => assign(composite("text"), g, wrt),
      of: "y",
    });
    expect(backward.outputs.map((o) => o.name)).toEqual(["score", "relevance_x"]);
  });
});
