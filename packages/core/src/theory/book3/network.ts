import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { readModel, writeModel } from "../../graph/onnx/index.ts";
import { sparseMatrix } from "../../graph/sparse.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import type { Layered } from "../../networks/layers/layered.ts";
import { complexity, layersOf, network } from "../../networks/layers/layers.ts";
import { dyadicPoints, randomNetwork } from "../../networks/layers/random.ts";
import { add, type Exact, max, mul, toNumber } from "../../numbers/exact/rational.ts";
import type { Random } from "../../numbers/random.ts";
import { sum } from "../../numbers/sum.ts";
import { checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

export default lemma({
  id: "C3-01",
  covers: ["C3-01", "T-01"],
  kind: "measure",
  title: "A network, its realization and its size",
  source: "Book, Definition 3.1; Telgarsky, Section 1",
  statement: String.raw`x^{[\ell]} = \sigma(W^{[\ell]} x^{[\ell-1]} + b^{[\ell]}), \quad N = d + \sum_{\ell} n_\ell, \quad M = \sum_{\ell} \|W^{[\ell]}\|_0 + \|b^{[\ell]}\|_0`,
  parameters: {
    d: integer({ min: 1, max: 6, default: 2, label: "inputs" }),
    L: integer({ min: 1, max: 6, default: 3, label: "affine maps" }),
    n: integer({ min: 1, max: 16, default: 5, label: "greatest width" }),
    s: integer({ min: 1, max: 4, default: 1, label: "outputs" }),
  },
  claims: {
    layers: equals("L"),
    neurons: equals(String.raw`d + \sum_\ell n_\ell`),
    weights: equals(String.raw`\sum_\ell \|W^{[\ell]}\|_0 + \|b^{[\ell]}\|_0`),
    width: equals(String.raw`\max_{1 \le \ell < L} n_\ell, \text{ and } 0 \text{ for } L = 1`),
    "numbers stored, zeros too": equals(String.raw`\sum_\ell n_\ell (n_{\ell-1} + 1)`),
    "realization on ONNX Runtime, error": equals("0"),
    "realization from a file, error": equals("0"),
    "layers read from a file, weights that differ": equals("0"),
    "without biases: F(2x) - 2F(x)": equals("0"),
    "hidden units in another order: change of the realization": equals("0"),
  },
  mutants: {
    "inputs are no neurons": { neurons: ({ d }, { theory }) => theory - d },
    "outputs count for the width": { width: ({ s }, { theory }) => Math.max(theory, s) },
    "no bias at the output": { "numbers stored, zeros too": ({ s }, { theory }) => theory - s },
  },
  async run({ d, L, n, s }, { random, scale, progress }) {
    const hidden = Array.from({ length: L - 1 }, () => random.integer(1, n));
    const architecture = [d, ...hidden, s];
    const phi = randomNetwork(random.split("weights"), architecture);
    const size = complexity(phi);
    const points = dyadicPoints(random.split("points"), scale(100), d);
    await progress(0.2);
    const exact = realization(layersOf(phi), points);
    const read = readModel(writeModel(phi));
    return {
      graph: phi,
      figure: figure(size.architecture, size.weightsByLayer),
      claims: {
        layers: checked(size.layers, L),
        neurons: checked(size.neurons, d + sum(hidden) + s),
        weights: checked(size.weights, countNonzeros(phi)),
        width: checked(size.width, Math.max(0, ...hidden)),
        "numbers stored, zeros too": checked(countStored(phi), fullSize(architecture)),
        "realization on ONNX Runtime, error": sampled(await runtimeError(phi, points, exact), 0),
        "realization from a file, error": sampled(await runtimeError(read, points, exact), 0),
        "layers read from a file, weights that differ": checked(differing(phi, read), 0),
        "without biases: F(2x) - 2F(x)": proved(homogeneityDefect(phi, points), 0),
        "hidden units in another order: change of the realization": sampled(
          await runtimeError(reordered(phi, random.split("order")), points, exact),
          0,
        ),
      },
    };
  },
});

const fullSize = (architecture: readonly number[]): number =>
  sum(architecture.slice(1).map((n, l) => n * (architecture[l]! + 1)));

/** The numbers that the graph itself stores. */
const stored = (graph: Graph): readonly number[] =>
  [...graph.initializers.values()].flatMap((w) => ("data" in w ? Array.from(numbers(w)) : []));
const countStored = (graph: Graph): number => stored(graph).length;
const countNonzeros = (graph: Graph): number => stored(graph).filter((v) => v !== 0).length;

/** Definition 3.1 in exact arithmetic, at points that stand one after the other. */
function realization({ layers }: Layered, points: Float64Array): Exact[] {
  const d = layers[0]!.weights.columns;
  return Array.from({ length: points.length / d }, (_, k) => k).flatMap((k) =>
    layers.reduce<Exact[]>(
      (x, { weights, bias }, l) => {
        const state = l === 0 ? x : x.map((v) => max(v, 0));
        return Array.from(bias, (b, r) => {
          let value: Exact = b;
          for (let e = weights.starts[r]!; e < weights.starts[r + 1]!; e++)
            value = add(value, mul(weights.values[e]!, state[weights.columnOf[e]!]!));
          return value;
        });
      },
      [...points.subarray(k * d, (k + 1) * d)],
    ),
  );
}

async function runtimeError(graph: Graph, points: Float64Array, exact: readonly Exact[]): Promise<number> {
  const d = complexity(graph).architecture[0]!;
  const { y } = await run(graph, { x: tensor(points, { dims: [points.length / d, d] }) });
  return Array.from(numbers(y!)).reduce(
    (worst, v, k) => Math.max(worst, Math.abs(v - toNumber(exact[k]!))),
    0,
  );
}

function differing(a: Graph, b: Graph): number {
  const [p, q] = [a, b].map((g) => layersOf(g).layers.flatMap((l) => [...l.weights.values, ...l.bias]));
  return Math.abs(p!.length - q!.length) + p!.filter((w, k) => w !== q![k]).length;
}

function homogeneityDefect(graph: Graph, points: Float64Array): number {
  const { layers, ...rest } = layersOf(graph);
  const linear = { ...rest, layers: layers.map((l) => ({ ...l, bias: l.bias.map(() => 0) })) };
  const once = realization(linear, points).map(toNumber);
  const twice = realization(
    linear,
    points.map((x) => 2 * x),
  ).map(toNumber);
  return once.reduce((worst, v, k) => Math.max(worst, Math.abs(twice[k]! - 2 * v)), 0);
}

/** The same function from other weights: the map from networks to realizations is not one-to-one. */
function reordered(graph: Graph, random: Random): Graph {
  const { layers, activation } = layersOf(graph);
  const orders = layers.map(({ bias }, l) =>
    l === layers.length - 1 ? Int32Array.from(bias.keys()) : random.permutation(bias.length),
  );
  const moved = layers.map(({ weights, bias }, l) => {
    const entries: [number, number, number][] = [];
    for (let r = 0; r < weights.rows; r++)
      for (let e = weights.starts[r]!; e < weights.starts[r + 1]!; e++) {
        const column = weights.columnOf[e]!;
        entries.push([orders[l]![r]!, l === 0 ? column : orders[l - 1]![column]!, weights.values[e]!]);
      }
    const shuffled = new Float64Array(bias.length);
    bias.forEach((b, r) => {
      shuffled[orders[l]![r]!] = b;
    });
    return { weights: sparseMatrix(weights.rows, weights.columns, entries), bias: shuffled };
  });
  return network(moved, { activation });
}

function figure(architecture: readonly number[], weightsByLayer: readonly number[]): Figure {
  return {
    title: `${sum(architecture)} neurons, ${sum(weightsByLayer)} weights`,
    panels: [
      {
        title: "Neurons by layer",
        x: { label: "layer" },
        y: { label: "neurons" },
        series: [{ name: "n", mark: "dots", points: architecture.map((n, l) => [l, n]) }],
      },
      {
        title: "Weights that are not zero, by layer",
        x: { label: "layer" },
        y: { label: "weights" },
        series: [
          { name: "counted", mark: "dots", points: weightsByLayer.map((m, l) => [l + 1, m]) },
          {
            name: "all weights of the architecture",
            mark: "line",
            role: "theory",
            points: weightsByLayer.map((_, l) => [l + 1, fullSize(architecture.slice(l, l + 2))]),
          },
        ],
      },
    ],
  };
}
