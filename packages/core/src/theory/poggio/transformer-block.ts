import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import { float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { elementCount, numbers, type Tensor, tensor } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import type { Random } from "../../numbers/random.ts";
import { attention } from "../../sparse/attention.ts";
import { attend, layerNorm } from "../../train/spec/attention.ts";
import { checked, equals, fitted, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

type Rows = readonly (readonly number[])[];
type Form = "serial" | "parallel" | "printed";

export default lemma({
  id: "P-31",
  covers: ["P-31"],
  kind: "algorithm",
  title: "The serial and the parallel block of a transformer",
  source: "Poggio, section 6.10.1",
  statement: String.raw`\text{serial: } h = x + \operatorname{Attn}(\operatorname{LN} x), \; y = h + \operatorname{MLP}(\operatorname{LN} h); \qquad \text{parallel: } y = x + \operatorname{MLP}(\operatorname{LN} x) + \operatorname{Attn}(\operatorname{LN} x)`,
  parameters: {
    T: integer({ min: 2, max: 6, default: 4, label: "tokens" }),
    d: integer({ min: 3, max: 8, default: 4, label: "features of a token" }),
    hidden: integer({ min: 1, max: 12, default: 8, label: "hidden units of the MLP" }),
    gain: real({ min: 0.1, max: 1, default: 0.5, label: "size of the weights" }),
  },
  claims: {
    "serial block, against plain numbers": equals("0"),
    "parallel block, against plain numbers": equals("0"),
    "MLP = 0: serial against x + Attn(LN x)": equals("0"),
    "MLP = 0: parallel against serial": equals("0"),
    "Attn = 0: parallel against serial": equals("0"),
    "parameters, serial, k hidden units": equals("4 d^2 + 2 d k + k + d + 4 d"),
    "parameters, parallel, without its second normalization": equals("4 d^2 + 2 d k + k + d + 2 d"),
    "rate at which the blocks part, in the size of the branches": equals("2").rate(),
    "printed block, MLP = 0: what attention adds": equals(
      String.raw`\|\operatorname{Attn}(\operatorname{LN} x)\|`,
    ).printed({
      where: "section 6.10.1, after Lemma 3",
      printed: "$y = x + MLP(LayerNorm(x + Attention(LayerNorm(x))))$",
      corrected:
        "$h = x + Attention(LayerNorm(x))$, $y = h + MLP(LayerNorm(h))$: as printed the attention reaches $y$ through the MLP alone, and with $MLP = 0$ the block is the identity.",
    }),
  },
  mutants: {
    "one normalization counted": { "parameters, serial, k hidden units": (_, { theory }) => theory - 4 },
    "biases of attention counted": {
      "parameters, parallel, without its second normalization": ({ d }, { theory }) => theory + 4 * d,
    },
    "the blocks part at first order": {
      "rate at which the blocks part, in the size of the branches": () => 1,
    },
  },
  async run({ T, d, hidden, gain }, { random, budget }) {
    const weights = drawWeights(d, hidden, gain, random);
    const X = Array.from({ length: T }, () => Array.from(random.normal(d)));
    const blocks = { serial: block(T, weights, "serial"), parallel: block(T, weights, "parallel") };
    const of = (net: Graph, sizes: Partial<Sizes> = {}): Promise<Rows> => outputs(net, X, sizes);
    const [serial, parallel] = [await of(blocks.serial), await of(blocks.parallel)];
    const onlyAttention = { mlp: 0 };
    const [serialAttention, parallelAttention, printedAttention] = [
      await of(blocks.serial, onlyAttention),
      await of(blocks.parallel, onlyAttention),
      await of(block(T, weights, "printed"), onlyAttention),
    ];
    const [serialMlp, parallelMlp] = [
      await of(blocks.serial, { attention: 0 }),
      await of(blocks.parallel, { attention: 0 }),
    ];
    const parting: [number, number][] = [];
    for (const size of [2 ** -8, 2 ** -9, 2 ** -10, 2 ** -11, 2 ** -12, 2 ** -13]) {
      const both = { attention: size, mlp: size };
      parting.push([size, distance(await of(blocks.serial, both), await of(blocks.parallel, both))]);
    }
    const attended = plainAttention(normalized(X), weights);
    const whole = Math.max(...[...serial, ...parallel].flat().map(Math.abs), 1);
    // Sums of at most d + hidden products, in four layers; a normalization divides by no less than sqrt(1e-5).
    const tolerance = 2 ** -52 * (T + d + hidden) * 16 * whole * 320;
    // Third-order terms, relative to the second: 2^-8 times a few products of weights below 1.
    const rate = fitted(parting, 2, 2 ** -4);
    return {
      graph: blocks.serial,
      ...(budget === "cheap" ? {} : { figure: figure(parting) }),
      claims: {
        "serial block, against plain numbers": sampled(
          distance(serial, plainBlock(X, weights, "serial")),
          0,
          { tolerance },
        ),
        "parallel block, against plain numbers": sampled(
          distance(parallel, plainBlock(X, weights, "parallel")),
          0,
          { tolerance },
        ),
        "MLP = 0: serial against x + Attn(LN x)": sampled(distance(serialAttention, sum(X, attended)), 0, {
          tolerance,
        }),
        "MLP = 0: parallel against serial": sampled(distance(parallelAttention, serialAttention), 0, {
          tolerance,
        }),
        "Attn = 0: parallel against serial": sampled(distance(parallelMlp, serialMlp), 0, { tolerance }),
        "parameters, serial, k hidden units": checked(
          parametersOf(blocks.serial),
          4 * d * d + 2 * d * hidden + hidden + d + 4 * d,
        ),
        "parameters, parallel, without its second normalization": checked(
          parametersOf(blocks.parallel),
          4 * d * d + 2 * d * hidden + hidden + d + 2 * d,
        ),
        ...(rate ? { "rate at which the blocks part, in the size of the branches": rate } : {}),
        "printed block, MLP = 0: what attention adds": sampled(
          distance(printedAttention, X),
          distance(sum(X, attended), X),
          { tolerance },
        ),
      },
    };
  },
});

interface Weights {
  readonly query: Rows;
  readonly key: Rows;
  readonly value: Rows;
  readonly output: Rows;
  /** From features to hidden units and back. */
  readonly up: Rows;
  readonly upBias: readonly number[];
  readonly down: Rows;
  readonly downBias: readonly number[];
}

/** What the two branches are multiplied with. */
interface Sizes {
  readonly attention: number;
  readonly mlp: number;
}

function drawWeights(d: number, hidden: number, gain: number, random: Random): Weights {
  const normal = (rows: number, columns: number): number[][] =>
    Array.from({ length: rows }, () => Array.from(random.normal(columns), (v) => gain * v));
  const square = () => normal(d, d);
  return {
    ...{ query: square(), key: square(), value: square(), output: square() },
    ...{ up: normal(d, hidden), upBias: normal(1, hidden)[0]! },
    ...{ down: normal(hidden, d), downBias: normal(1, d)[0]! },
  };
}

/** A block on [N, T, d]; `attention` and `mlp` are the sizes of its branches. */
function block(T: number, weights: Weights, form: Form): Graph {
  const d = weights.query.length;
  const types = { x: float64("N", T, d), attention: float64(), mlp: float64() };
  return graph(types, ({ x, attention: a, mlp: m }) => {
    const named = (values: Rows | readonly number[], name: string): Value =>
      x.builder.weight(tensor(values as never), name);
    const norm = (v: Value, name: string): Value =>
      layerNorm(
        v,
        named(new Array<number>(d).fill(1), `${name}.scale`),
        named(new Array<number>(d).fill(0), `${name}.shift`),
      );
    const matrix = (name: keyof Weights) => (v: Value) => v.matmul(named(weights[name], name));
    const attn = (v: Value): Value =>
      attend(
        v,
        { query: matrix("query"), key: matrix("key"), value: matrix("value"), output: matrix("output") },
        1,
      ).mul(a);
    const mlp = (v: Value): Value =>
      v
        .matmul(named(weights.up, "up"))
        .add(named(weights.upBias, "up.bias"))
        .tanh()
        .matmul(named(weights.down, "down"))
        .add(named(weights.downBias, "down.bias"))
        .mul(m);
    if (form === "parallel") {
      const normed = norm(x, "norm");
      return { y: x.add(mlp(normed)).add(attn(normed)) };
    }
    const h = x.add(attn(norm(x, "norm1")));
    return { y: (form === "serial" ? h : x).add(mlp(norm(h, "norm2"))) };
  });
}

async function outputs(net: Graph, X: Rows, { attention: a = 1, mlp: m = 1 }: Partial<Sizes>): Promise<Rows> {
  const inputs = { x: tensor([X.map((row) => [...row])]), attention: tensor(a), mlp: tensor(m) };
  const values = numbers((await run(net, inputs))["y"]!);
  const d = X[0]!.length;
  return X.map((_, i) => Array.from(values.slice(i * d, (i + 1) * d)));
}

const parametersOf = ({ initializers }: Graph): number =>
  [...initializers.values()].reduce(
    (total, weight) => total + (weight.type === "float64" ? elementCount((weight as Tensor).dims) : 0),
    0,
  ) - 1; // but for the factor 1 / sqrt(d)

const distance = (a: Rows, b: Rows): number =>
  Math.max(...a.flatMap((row, i) => row.map((v, j) => Math.abs(v - b[i]![j]!))));
const sum = (a: Rows, b: Rows): Rows => a.map((row, i) => row.map((v, j) => v + b[i]![j]!));
const times = (a: Rows, b: Rows): Rows =>
  a.map((row) => b[0]!.map((_, j) => row.reduce((total, v, k) => total + v * b[k]![j]!, 0)));

const normalized = (X: Rows): Rows =>
  X.map((row) => {
    const mean = row.reduce((a, b) => a + b, 0) / row.length;
    const variance = row.reduce((total, v) => total + (v - mean) ** 2, 0) / row.length;
    return row.map((v) => (v - mean) / Math.sqrt(variance + Math.fround(1e-5)));
  });

const plainAttention = (X: Rows, { output, ...rest }: Weights): Rows =>
  times(attention(X, rest).output, output);

const plainMlp = (X: Rows, { up, upBias, down, downBias }: Weights): Rows =>
  times(
    times(X, up).map((row) => row.map((v, k) => Math.tanh(v + upBias[k]!))),
    down,
  ).map((row) => row.map((v, k) => v + downBias[k]!));

function plainBlock(X: Rows, weights: Weights, form: "serial" | "parallel"): Rows {
  const h = sum(X, plainAttention(normalized(X), weights));
  return sum(h, plainMlp(normalized(form === "serial" ? h : X), weights));
}

const figure = (parting: readonly (readonly [number, number])[]): Figure => ({
  title: "The serial and the parallel block are the same to first order",
  panels: [
    {
      title: "How far the blocks are apart",
      x: { label: "size of the branches", scale: "log" },
      y: { label: "greatest difference of the outputs", scale: "log" },
      series: [
        { name: "measured", mark: "dots", points: parting },
        {
          name: "slope 2",
          ...{ mark: "line", role: "theory" },
          points: parting.map(([size]) => [size, (parting[0]![1] * size ** 2) / parting[0]![0] ** 2]),
        },
      ],
    },
  ],
});
