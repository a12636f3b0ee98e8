// Random small networks with planted symmetries and near-symmetries under every activation: what simplify, compare and
// fingerprints say of them is held against ONNX Runtime in f64. LEMMATA_HUNT sets their number, LEMMATA_SEED the first.
import { expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { release } from "../../src/engine/session.ts";
import { canonicalForm, compareNetworks, simplify } from "../../src/equivalence/index.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";

const hunt = Number(process.env["LEMMATA_HUNT"] ?? 0);
const first = Number(process.env["LEMMATA_SEED"] ?? (hunt ? Date.now() % 1e9 : 1));
const count = hunt || 60;

const f64 = (values: readonly number[], ...dims: number[]): Tensor =>
  tensor(values, { type: "float64", dims });
const plain =
  "Relu Abs Tanh Sin Cos Erf Softsign Sign Round Sigmoid HardSigmoid HardSwish Elu Selu Celu Gelu Mish Softplus Floor Exp Atan ThresholdedRelu";
const activations: Readonly<Record<string, (h: Value, random: Random) => Value>> = {
  ...Object.fromEntries(plain.split(" ").map((op) => [op, (h: Value) => h.op(op as "Tanh")])),
  LeakyRelu: (h, random) => h.op("LeakyRelu", [], { alpha: random.normal() }),
  Clip: (h) => h.op("Clip", [f64([-0.5]), f64([0.5])]),
  "half-line": (h) => h.op("Clip", [f64([0])]),
  square: (h) => h.mul(h),
  "squared relu": (h) => {
    const r = h.relu();
    return r.mul(r);
  },
  gate: (h) => h.mul(h.sigmoid()),
};

interface Layers {
  readonly W: number[][];
  readonly b: number[];
  readonly V: number[][];
  readonly c: number[];
}

const normals = (random: Random, n: number): number[] => Array.from({ length: n }, () => random.normal());

/** Rows with copies, multiples by powers of two, negatives and near-copies of others. */
function planted(random: Random): Layers {
  const base = Array.from({ length: 3 }, () => normals(random, 3)); // two weights and a bias
  const rows = [...base];
  for (let k = random.integer(1, 4); k > 0; k--) {
    const row = base[random.integer(0, 2)]!;
    const factor = [1, 2, 0.25, -1, -2, 1 + 2 ** -30, 3][random.integer(0, 6)]!;
    const isBiased = random.uniform() < 0.8;
    rows.push(row.map((w, i) => (i === 2 && !isBiased ? w : factor * w)));
  }
  return {
    W: rows.map((row) => row.slice(0, 2)),
    b: rows.map((row) => row[2]!),
    V: [0, 1].map(() => normals(random, rows.length)),
    c: normals(random, 2),
  };
}

/** What may be a symmetry, or only looks like one: units in another order, scaled, negated, and their readers likewise. */
function disguised({ W, b, V, c }: Layers, random: Random): Layers {
  const order = [...random.permutation(W.length)];
  const kind = random.integer(0, 3);
  const factors = order.map(
    () => [1, 2 ** random.integer(-2, 2), random.uniform() < 0.5 ? -1 : 1, 1.5][kind]!,
  );
  const isOdd = random.uniform() < 0.5;
  const near = random.uniform() < 0.2 ? 1 + 2 ** -20 : 1;
  return {
    W: order.map((u, k) => W[u]!.map((w) => factors[k]! * w)),
    b: order.map((u, k) => factors[k]! * b[u]!),
    V: V.map((row) => order.map((u, k) => (near * row[u]!) / (isOdd ? factors[k]! : Math.abs(factors[k]!)))),
    c,
  };
}

function network({ W, b, V, c }: Layers, f: (h: Value) => Value, isChannels: boolean): Graph {
  const n = W.length;
  if (isChannels)
    return graph({ x: float64("N", 2, 1, 1) }, ({ x }) => ({
      y: f(x!.op("Conv", [f64(W.flat(), n, 2, 1, 1), f64(b, n)])).op("Conv", [
        f64(V.flat(), 2, n, 1, 1),
        f64(c, 2),
      ]),
    }));
  return graph({ x: float64("N", 2) }, ({ x }) => ({
    y: f(x!.affine(f64(W.flat(), n, 2), f64(b, n))).affine(f64(V.flat(), 2, n), f64(c, 2)),
  }));
}

/** Both networks on points near and far. */
async function seen(a: Graph, b: Graph, random: Random, isChannels: boolean, reach: number) {
  const x = Array.from(
    { length: 128 },
    (_, k) => reach * (k % 3 === 0 ? 1 : 0.2) * (2 * random.uniform() - 1),
  );
  const given = { x: f64(x, 64, 2, ...(isChannels ? [1, 1] : [])) };
  const options = { optimization: "none", threads: 1 } as const;
  const [u, v] = [numbers((await run(a, given, options)).y!), numbers((await run(b, given, options)).y!)];
  let [difference, size] = [0, 0];
  for (let k = 0; k < u.length; k++) {
    if (Number(u[k]) === Number(v[k])) continue; // infinite, too
    difference = Math.max(difference, Math.abs(Number(u[k]) - Number(v[k])));
    size = Math.max(size, Math.abs(Number(u[k])));
  }
  return { difference, size };
}

/** Runs round, and exact powers of two do not change by how much. */
const rounding = 2 ** -38;

async function tryOne(seed: number): Promise<void> {
  const random = createRandom(`near symmetries ${seed}`);
  const names = Object.keys(activations);
  const name = names[random.integer(0, names.length - 1)]!;
  const isChannels = random.uniform() < 0.5;
  const layers = planted(random);
  const f = (h: Value): Value => activations[name]!(h, createRandom(`slope ${seed}`));
  const [net, other] = [network(layers, f, isChannels), network(disguised(layers, random), f, isChannels)];
  const where = `seed ${seed}: ${name}, ${isChannels ? "channels" : "dense"}`;
  const box = { lower: [-2, -2], upper: [2, 2] };
  for (const options of [{}, { exactOnly: true }, { box }]) {
    const found = await simplify(net, options);
    const { difference, size } = await seen(net, found.graph, random, isChannels, "box" in options ? 2 : 50);
    expect(difference, `${where}, simplify ${Object.keys(options)}`).toBeLessThanOrEqual(
      (found.change ?? 2 ** -45 * (1 + size)) + rounding * (1 + size),
    );
    if (found.graph !== net) await release(found.graph);
  }
  const apart = await seen(net, other, random, isChannels, 50);
  const [p, q] = [canonicalForm(net), canonicalForm(other)];
  if (p.exactFingerprint === q.exactFingerprint)
    expect(apart.difference, `${where}, fingerprints`).toBeLessThanOrEqual(rounding * (1 + apart.size));
  const result = await compareNetworks(net, other, { box, seconds: 5 });
  const near = await seen(net, other, random, isChannels, 2);
  if (result.verdict === "equivalent")
    expect(apart.difference, `${where}, ${result.because}`).toBeLessThanOrEqual(
      (result.strength === "proved" ? rounding : 2 ** -18) * (1 + apart.size),
    );
  if (result.verdict === "within")
    expect(near.difference, `${where}, within`).toBeLessThanOrEqual(
      result.maxDifference.upper + rounding * (1 + near.size),
    );
  if (result.verdict === "different") expect(result.witness!.difference).toBeGreaterThan(result.tolerance);
  await Promise.all([release(net), release(other)]);
}

it(
  `holds what is said of ${count} networks, from seed ${first}`,
  async () => {
    for (let seed = first; seed < first + count; seed++) await tryOne(seed);
  },
  hunt ? 86_400_000 : 300_000,
);
