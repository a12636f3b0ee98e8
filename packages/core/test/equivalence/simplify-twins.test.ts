// Units in ratio 2^k are one unit only where every operator on their way is homogeneous: the function stays what it was.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { simplify } from "../../src/equivalence/index.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";

const f64 = (values: readonly number[], ...dims: number[]): Tensor =>
  tensor(values, { type: "float64", dims });
const scalar = (value: number): Tensor => f64([value]);

/** Functions of single numbers, by what they are under positive factors. */
const homogeneous: Readonly<Record<string, (h: Value) => Value>> = {
  Relu: (h) => h.relu(),
  LeakyRelu: (h) => h.op("LeakyRelu", [], { alpha: 0.25 }),
  "LeakyRelu with a negative slope": (h) => h.op("LeakyRelu", [], { alpha: -0.5 }),
  Abs: (h) => h.abs(),
  "Clip to a half-line": (h) => h.op("Clip", [scalar(0)]),
  "PRelu with one slope": (h) => h.op("PRelu", [f64([0.25], 1)]),
  "square of a Relu": (h) => {
    const r = h.relu();
    return r.mul(r);
  },
  "quotient of Relus": (h) =>
    h
      .abs()
      .div(h.relu())
      .op("Clip", [scalar(0), scalar(3)]),
};
const others: Readonly<Record<string, (h: Value) => Value>> = {
  ...Object.fromEntries(
    "Tanh Sin Cos Erf Softsign Sign Round Sigmoid HardSigmoid HardSwish Elu Selu Celu Gelu Mish Softplus Floor Ceil Exp Atan ThresholdedRelu"
      .split(" ")
      .map((op) => [op, (h: Value) => h.op(op as "Tanh")]),
  ),
  "HardSigmoid about 1/2": (h) => h.op("HardSigmoid", [], { alpha: 0.25, beta: 0.5 }),
  "Clip to an interval about 0": (h) => h.op("Clip", [scalar(-0.5), scalar(0.5)]),
  "Clip to an interval": (h) => h.op("Clip", [scalar(-0.5), scalar(0.75)]),
  "Tanh of a Relu": (h) => h.relu().tanh(),
  "Relu of a Tanh": (h) => h.tanh().relu(),
  "Relu plus its Tanh": (h) => h.relu().add(h.tanh()),
  gated: (h) => h.mul(h.sigmoid()),
  "Sqrt of Abs": (h) => h.abs().sqrt(),
  Reciprocal: (h) => h.abs().add(scalar(1)).op("Reciprocal"),
  Pow: (h) => h.abs().pow(3),
};

/** Multiples, copies, negatives and near-copies of two units. */
function plantedRows(random: Random, columns: number): number[][] {
  const [a, b] = [0, 1].map(() => Array.from({ length: columns }, () => random.normal()));
  const times = (row: readonly number[], c: number) => row.map((w) => c * w);
  const near = a!.map((w, k) => (k === 0 ? w * (1 + 2 ** -30) : w));
  return [a!, times(a!, 2), b!, times(b!, -1), times(a!, 0.25), a!, near, times(b!, 8), times(b!, -0.5)];
}

/** By dense layers, or by channels of convolutions. */
function planted(f: (h: Value) => Value, random: Random, kind: "dense" | "convolution"): Graph {
  const rows = plantedRows(random, 3); // two weights and a bias
  const [n, m] = [rows.length, 2];
  const out = f64([...random.normal(m * n)], m, n);
  const W = f64(
    rows.flatMap((row) => row.slice(0, 2)),
    n,
    2,
  );
  const b = f64(
    rows.map((row) => row[2]!),
    n,
  );
  if (kind === "dense")
    return graph({ x: float64("N", 2) }, ({ x }) => ({ y: f(x!.affine(W, b)).affine(out) }));
  const kernel = (t: Tensor, rows: number, columns: number): Tensor => ({
    ...t,
    dims: [rows, columns, 1, 1],
  });
  return graph({ x: float64("N", 2, 1, 1) }, ({ x }) => ({
    y: f(x!.op("Conv", [kernel(W, n, 2), b])).op("Conv", [kernel(out, m, n)]),
  }));
}

/** The greatest difference of two networks in double precision, and the greatest output, on points near and far. */
async function seenChange(a: Graph, b: Graph, random: Random, kind: "dense" | "convolution", size: number) {
  const x = Array.from({ length: 200 }, (_, k) => size * (k < 100 ? 1 : 0.1) * (2 * random.uniform() - 1));
  const given = { x: f64(x, 100, 2, ...(kind === "dense" ? [] : [1, 1])) };
  const [u, v] = await Promise.all(
    [a, b].map(async (net) => numbers((await run(net, given, { optimization: "none" })).y!)),
  );
  const worst = Array.from(u!, (w, k) => Math.abs(Number(w) - Number(v![k]))).filter((d) => !Number.isNaN(d));
  return {
    worst: Math.max(...worst),
    greatest: Math.max(...Array.from(u!, (w) => Math.abs(Number(w))).filter((w) => !Number.isNaN(w))),
  };
}

const cases = (["dense", "convolution"] as const).flatMap((kind) =>
  Object.entries({ ...homogeneous, ...others }).map(([name, f]) => [name, kind, f] as const),
);

describe("units in ratio 2^k", () => {
  it.each(cases)("%s, %s: the same function after it", async (name, kind, f) => {
    const random = createRandom(`${name} ${kind}`);
    const net = planted(f, random, kind);
    const box = { lower: [-3, -3], upper: [3, 3] };
    for (const options of [{}, { exactOnly: true }, { box }]) {
      const found = await simplify(net, options);
      const { worst, greatest } = await seenChange(net, found.graph, random, kind, 3);
      // Without a box the change is 0 or that of rounding merged weights.
      expect(worst, JSON.stringify(found.removed)).toBeLessThanOrEqual(
        (found.change ?? 0) + 2 ** -40 * (1 + greatest),
      );
      // At least the copy goes, unless nothing may be rounded, or nothing is known of the operator.
      if (Object.keys(options).length === 0 && name !== "Pow")
        expect(found.removed.filter(({ reason }) => reason === "merged").length).toBeGreaterThan(0);
    }
  });

  it.each(Object.keys(homogeneous).filter((name) => !name.startsWith("quotient")))(
    "%s lets multiples be merged",
    async (name) => {
      for (const kind of ["dense", "convolution"] as const) {
        const { removed } = await simplify(planted(homogeneous[name]!, createRandom(name), kind));
        expect(removed.length).toBeGreaterThanOrEqual(5);
      }
    },
  );
});

describe("what looks like units but is not", () => {
  it("a batch of matrices reads its units too: one that only the batch reads is not unused", async () => {
    const random = createRandom("batched reader");
    const own = f64([...random.normal(8)], 2, 4);
    const batch = f64([...random.normal(24)], 3, 4, 2);
    // Nobody reads unit 1 in the plain reader.
    const plain = f64(
      Array.from(random.normal(8), (w, k) => (Math.floor(k / 2) === 1 ? 0 : w)),
      4,
      2,
    );
    const net = graph({ x: float64(5, 2) }, ({ x }) => {
      const h = x!.matmul(own).tanh();
      return { y: h.matmul(batch).add(h.matmul(plain)) };
    });
    const { graph: after } = await simplify(net);
    const given = { x: f64([...random.normal(10)], 5, 2) };
    const [u, v] = await Promise.all([net, after].map(async (g) => numbers((await run(g, given)).y!)));
    u!.forEach((w: number, k: number) => {
      expect(Number(v![k])).toBeCloseTo(Number(w), 12);
    });
  });

  it("slopes of PRelu are part of a unit", async () => {
    const W = f64([1, 2, 1, 2, 2, 4], 3, 2);
    const slopes = f64([0.5, 0.25, 0.5], 3);
    const net = graph({ x: float64("N", 2) }, ({ x }) => ({
      y: x!
        .affine(W)
        .op("PRelu", [slopes])
        .affine(f64([1, 3, 5], 1, 3)),
    }));
    for (const options of [{}, { box: { lower: [-1, -1], upper: [1, 1] } }]) {
      const found = await simplify(net, options);
      expect(found.removed.map(({ unit, into }) => [unit, into])).toEqual([[2, 0]]);
      expect(found.change).toBe(0);
    }
  });

  it("a bias for each row is no bias for each channel", async () => {
    const C = f64([1, 2], 2, 1);
    const one = f64([1, 1], 2);
    const net = graph({ x: float64(2, 3) }, ({ x }) => ({
      y: x!.builder
        .apply("Gemm", [x!, f64([1, 2, 3, 4, 5, 6], 3, 2), x!.builder.weight(C)], {}, 1)[0]!
        .op("BatchNormalization", [f64([1, 3], 2), one, one, one])
        .relu(),
    }));
    const { graph: after } = await simplify(net);
    const given = { x: f64([1, -2, 3, 0.5, 0.25, 1], 2, 3) };
    const [u, v] = await Promise.all([net, after].map(async (g) => numbers((await run(g, given)).y!)));
    expect(Array.from(v!, Number)).toEqual(Array.from(u!, Number));
  });

  it("weights of half precision that a merge rounds are not said to be unchanged", async () => {
    const half = (values: readonly number[], ...dims: number[]) => tensor(values, { type: "float16", dims });
    const net = graph({ x: { type: "float16", shape: ["N", 1, 1, 1] } }, ({ x }) => ({
      y: x!
        .op("Conv", [half([1, 1], 2, 1, 1, 1)])
        .tanh()
        .op("Conv", [half([1, 2 ** -12], 1, 2, 1, 1)]),
    }));
    const found = await simplify(net);
    expect(found.removed).toHaveLength(1);
    expect(found.change).toBeUndefined();
  });
});
