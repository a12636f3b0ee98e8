// Networks that are damaged a little, or moved by a symmetry and then damaged: `compare` and `simplify` must never prove
// what plain evaluation in double precision refutes. LEMMATA_HUNT sets the number of pairs.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { compareNetworks, simplify } from "../../src/equivalence/index.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";

type Activation = "Relu" | "Tanh";
/** Layers x -> W x + b, with the activation between them. */
interface Plain {
  readonly activation: Activation;
  readonly weights: readonly (readonly (readonly number[])[])[];
  readonly biases: readonly (readonly number[])[];
}
type Draft = { activation: Activation; weights: number[][][]; biases: number[][] };

const hunt = Number(process.env["LEMMATA_HUNT"] ?? 0);
const seed = process.env["LEMMATA_SEED"] ?? (hunt > 0 ? String(Date.now()) : "verdicts");
const pairs = hunt > 0 ? hunt : 120;
const inputs = 2;
/** One hidden layer, for which there are normal forms, or two. */
const shapes = [
  [inputs, 4, 3, 2],
  [inputs, 5, 2],
] as const;
type Shape = (typeof shapes)[number];

function drawn(random: Random, widths: Shape = shapes[0]): Plain {
  // Few digits: products and sums of them meet exactly now and then, which is where proofs by equality live.
  const number = (): number => Math.round(8 * random.normal()) / 8;
  const pairsOf = widths.slice(1).map((rows, l) => [rows, widths[l]!] as const);
  return {
    activation: random.uniform() < 0.7 ? "Relu" : "Tanh",
    weights: pairsOf.map(([rows, width]) =>
      Array.from({ length: rows }, () => Array.from({ length: width }, number)),
    ),
    biases: pairsOf.map(([rows]) => Array.from({ length: rows }, number)),
  };
}

const f64 = { type: "float64" } as const;
const graphOf = ({ activation, weights, biases }: Plain): Graph =>
  graph({ x: float64("N", inputs) }, ({ x }) => ({
    y: weights.reduce((h, W, l) => {
      const next = h.affine(
        tensor(
          W.map((row) => [...row]),
          f64,
        ),
        tensor([...biases[l]!], f64),
      );
      return l < weights.length - 1 ? next.op(activation) : next;
    }, x),
  }));

/** By plain loops. */
function valueAt({ activation, weights, biases }: Plain, x: readonly number[]): readonly number[] {
  let h = x;
  weights.forEach((W, l) => {
    const next = W.map((row, i) => row.reduce((s, w, j) => s + w * h[j]!, biases[l]![i]!));
    const bent = (v: number): number => (activation === "Relu" ? Math.max(0, v) : Math.tanh(v));
    h = l < weights.length - 1 ? next.map(bent) : next;
  });
  return h;
}

const copy = (net: Plain): Draft => structuredClone(net) as Draft;

/** The same function: units change places, scales (or signs) go from one layer to the next. */
function moved(net: Plain, random: Random): Draft {
  const draft = copy(net);
  for (let l = 0; l < draft.weights.length - 1; l++) {
    const order = random.permutation(draft.weights[l]!.length);
    const factors = Array.from(order, () =>
      net.activation === "Relu" ? 2 ** random.integer(-1, 1) : random.uniform() < 0.5 ? -1 : 1,
    );
    draft.weights[l] = Array.from(order, (k, i) => draft.weights[l]![k]!.map((w) => w * factors[i]!));
    draft.biases[l] = Array.from(order, (k, i) => draft.biases[l]![k]! * factors[i]!);
    draft.weights[l + 1] = draft.weights[l + 1]!.map((row) =>
      Array.from(order, (k, i) => row[k]! / factors[i]!),
    );
  }
  return draft;
}

/** One thing is wrong: a weight, a sign, a bias, the order of two columns, a unit's scale. */
function damaged(net: Draft, random: Random): Draft {
  const draft = copy(net);
  const l = random.integer(0, draft.weights.length - 1);
  const W = draft.weights[l]!;
  const [i, j] = [random.integer(0, W.length - 1), random.integer(0, W[0]!.length - 1)];
  const kind = random.integer(0, 6);
  /** Often less than samples show. */
  const little = 10 ** -random.integer(1, 12);
  if (kind === 0) W[i]![j]! *= 1 + 1e-3;
  if (kind === 1) W[i]![j] = -W[i]![j]!;
  if (kind === 2) draft.biases[l]![i]! += little;
  if (kind === 3) {
    const k = random.integer(0, W[0]!.length - 1);
    for (const row of W) [row[j], row[k]] = [row[k]!, row[j]!];
  }
  if (kind === 4) draft.weights[l] = W.map((row, r) => (r === i ? row.map((w) => 2 * w) : row));
  if (kind === 5) W[i]![j]! += little;
  if (kind === 6) draft.biases.at(-1)![random.integer(0, 1)]! += little;
  return draft;
}

const pointsIn = (random: Random, reach: number): number[][] =>
  Array.from({ length: 300 }, (_, k) =>
    Array.from(
      { length: inputs },
      () => (k < 8 ? Math.sign(random.normal()) : 2 * random.uniform() - 1) * reach,
    ),
  );

/** The greatest difference seen, and more than rounding of both evaluations. */
function seen(a: Plain, b: Plain, points: number[][]) {
  let [difference, size] = [0, 1];
  for (const x of points) {
    const [p, q] = [valueAt(a, x), valueAt(b, x)];
    difference = Math.max(difference, ...p.map((v, k) => Math.abs(v - q[k]!)));
    size = Math.max(size, ...p.map(Math.abs), ...x.map(Math.abs));
  }
  return { difference, rounding: 1e-12 * size };
}

describe(`compare, ${pairs} pairs with seed ${seed}`, () => {
  it("equivalent and within are never refuted by a point", {
    timeout: Math.max(120_000, 2000 * pairs),
  }, async () => {
    const count = { equivalent: 0, within: 0, different: 0, unknown: 0 };
    for (let k = 0; k < pairs; k++) {
      const random = createRandom(seed).split(k);
      const a = drawn(random, shapes[random.integer(0, 1)]);
      const b = k % 3 === 0 ? moved(a, random) : damaged(moved(a, random), random);
      const tolerance = k % 2 === 0 ? undefined : 10 ** -random.integer(1, 10);
      const options = { seconds: 1, ...(tolerance === undefined ? {} : { tolerance }) };
      const found = await compareNetworks(graphOf(a), graphOf(b), options);
      count[found.verdict]++;
      const points = pointsIn(random, 1);
      const { difference, rounding } = seen(a, b, points);
      const place = `seed ${seed}, pair ${k}`;
      expect(found.maxDifference.upper, place).toBeGreaterThanOrEqual(difference - rounding);
      if (found.verdict === "equivalent" && found.strength === "proved") {
        // everywhere, or on the box
        const far = pointsIn(random, /box/.test(found.because) ? 1 : 100);
        const everywhere = seen(a, b, far);
        expect(everywhere.difference, place).toBeLessThanOrEqual(everywhere.rounding);
      }
      if (found.verdict === "equivalent") expect(difference, place).toBeLessThan(1e-5);
      if (found.verdict === "within")
        expect(difference, place).toBeLessThanOrEqual(found.tolerance + rounding);
    }
    expect(count.equivalent).toBeGreaterThan(pairs / 6);
    expect(count.different).toBeGreaterThan(pairs / 6);
  });
});

const bends = [
  "Relu",
  "Tanh",
  "Erf",
  "Sin",
  "Cos",
  "Softsign",
  "Sigmoid",
  "HardSigmoid",
  "Abs",
  "Elu",
] as const;
type Layout = "Gemm" | "MatMul" | "skip";

/** The hidden layers with this operator between them, in the layout that exporters have. */
const laidOut = ({ weights, biases }: Plain, bend: (typeof bends)[number], layout: Layout): Graph =>
  graph({ x: float64("N", inputs) }, ({ x }) => {
    const layer = (h: typeof x, l: number): typeof x => {
      const [W, b] = [weights[l]!.map((row) => [...row]), tensor([...biases[l]!], f64)];
      if (layout === "Gemm") return h.affine(tensor(W, f64), b);
      const columns = W[0]!.map((_, j) => W.map((row) => row[j]!));
      return h.matmul(tensor(columns, f64)).add(b);
    };
    const first = layer(x, 0).op(bend);
    const second = layer(first, 1).op(bend);
    const end = layer(second, 2);
    return { y: layout === "skip" ? end.add(x.matmul(tensor([[1], [-1]], f64))) : end };
  });

const runAt = async (net: Graph, points: readonly number[][]): Promise<ArrayLike<number>> => {
  const x = tensor(points.flat(), { ...f64, dims: [points.length, inputs] });
  return numbers((await run(net, { x }))[net.outputs[0]!.name]!);
};

describe(`simplify, ${pairs} networks with seed ${seed}`, () => {
  it("what it calls the same, or within a bound, is", {
    timeout: Math.max(120_000, 2000 * pairs),
  }, async () => {
    let smaller = 0;
    for (let k = 0; k < pairs; k++) {
      const random = createRandom(seed).split(`simplify ${k}`);
      const net = copy(drawn(random));
      // Units that are others times 2^k or -1, or nearly so: to merge them is right for some operators only.
      for (const l of [0, 1]) {
        const j = random.integer(1, net.weights[l]!.length - 1);
        const factor = [1, 2, -1, 0.5, 1 + 2 ** -40][random.integer(0, 4)]!;
        net.weights[l]![j] = net.weights[l]![0]!.map((w) => w * factor);
        net.biases[l]![j] = net.biases[l]![0]! * factor;
      }
      const bend = bends[k % bends.length]!;
      const source = laidOut(net, bend, (["Gemm", "MatMul", "skip"] as const)[k % 3]!);
      const isBoxed = k % 2 === 0;
      const options = isBoxed ? { box: { lower: [-1, -1], upper: [1, 1] } } : {};
      const { graph: reduced, change, strength, removed } = await simplify(source, options);
      if (removed.length > 0) smaller++;
      if (strength !== "proved" || change === undefined) continue;
      const points = pointsIn(random, isBoxed ? 1 : 10);
      const [before, after] = [await runAt(source, points), await runAt(reduced, points)];
      Array.from(before).forEach((y, i) => {
        const place = `seed ${seed}, network ${k}, ${bend} at ${points[Math.floor(i / 2)]}`;
        expect(Math.abs(y - after[i]!), place).toBeLessThanOrEqual(change + 1e-9 * (1 + Math.abs(y)));
      });
    }
    expect(smaller).toBeGreaterThan(pairs / 10);
  });
});
