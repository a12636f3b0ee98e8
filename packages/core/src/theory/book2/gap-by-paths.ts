import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import {
  type GapDecomposition,
  gapDecomposition,
  type SquareLossProblem,
} from "../../generalization/path-space/gap-decomposition.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import { drawSample } from "../../measures/finite-population.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import { decomposePaths } from "../../networks/path-decomposition.ts";
import type { Random } from "../../numbers/random.ts";
import { advance, initialState, trainedModel } from "../../train/advance.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { training } from "../../train/training.ts";
import { atMost, checked, equals } from "../claim.ts";
import { type LemmaTable, lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";

export default lemma({
  id: "C2-14",
  covers: ["C2-14"],
  kind: "measure",
  title: "The generalization gap, exactly, in the space of paths",
  source: "Book, chapter 2, Theorem 2.7",
  statement: String.raw`\mathcal R - \mathcal R_S - c_y = \sum_k \Bigl( 2 \|v_k\| \|\bar w_k\| \cos\theta^{(2)}_k + \|\bar w_k\|^2 \sum_j \lambda_j \cos^2 \theta^{(1)}_{k,j} \Bigr) \le \sum_k \bigl( 2 \|v_k\| \|\bar w_k\| + \lambda_{\max}(G) \|\bar w_k\|^2 \bigr), \quad G = \mathbb E z z^\top - \tfrac1m \textstyle\sum_i z_i z_i^\top, \; v_k = \tfrac1m \sum_i Y_k^{(i)} z_i - \mathbb E Y_k z`,
  parameters: {
    inputs: integer({ min: 1, max: 3, default: 2, label: "inputs" }),
    width: integer({ min: 1, max: 4, default: 3, label: "units of a hidden layer" }),
    layers: integer({ min: 1, max: 3, default: 2, label: "layers L" }),
    outputs: integer({ min: 1, max: 3, default: 2, label: "outputs" }),
    biases: choice(["none", "drawn"], { label: "biases" }),
    points: integer({ min: 2, max: 10, default: 8, label: "points of the population" }),
    m: integer({ min: 1, max: 12, default: 4, label: "examples m" }),
    sample: choice(["drawn", "the best points"], { label: "how S came about" }),
  },
  claims: {
    "gap less c_y, losses on ONNX Runtime": equals("the theorem's sum, from the path kernel"),
    "the same, paths listed": equals(String.raw`\sum_k \bar w_k^\top G \bar w_k + 2 v_k^\top \bar w_k`),
    "gap less c_y": atMost(String.raw`\sum_k 2 \|v_k\| \|\bar w_k\| + \lambda_{\max}(G) \|\bar w_k\|^2`),
    "greatest eigenvalue, from the path kernel": equals(String.raw`\lambda_{\max}(G), \text{ paths listed}`),
    "norm of v_1, from the path kernel": equals(String.raw`\|v_1\|, \text{ paths listed}`),
    "sum of cos² over a basis of all paths": equals("1"),
  },
  mutants: {
    "the label term once": {
      "gap less c_y, losses on ONNX Runtime": ({ m }, { theory }) => theory * (1 - 1 / (m + 1)),
    },
    "the greatest eigenvalue alone, no labels": { "gap less c_y": (_, { theory }) => theory / 2 },
    "an example lost": ({ m }) => ({ m: m - 1 }),
  },
  async run(
    { inputs, width, layers, outputs, biases, points, m, sample: how },
    { random, budget, progress },
  ) {
    const widths = [inputs, ...Array.from({ length: layers - 1 }, () => width), outputs];
    const net = drawnNetwork(widths, biases === "drawn", random);
    const problem = await problemFor(net, { inputs, outputs, points, m, how, random });
    const [split, losses] = [await gapDecomposition(net, problem), await lossesOf(net, problem)];
    const gap = losses.reduce((s, v, i) => s + v * (problem.probabilities[i]! - problem.sample[i]!), 0);
    const listed = pathsListed(net, problem);
    // Each side is a sum of some 10^4 products of numbers up to the bound's own terms; eigenvectors lose n more digits.
    const scale = Math.max(...losses, listed.size);
    const rounding = { tolerance: 1e-12 * scale };
    const trained = budget === "cheap" ? undefined : await course(random, progress);
    return {
      graph: net,
      ...(trained && { figure: courseFigure(trained), table: courseTable(trained) }),
      claims: {
        "gap less c_y, losses on ONNX Runtime": checked(gap - split.labels, split.equality, rounding),
        "the same, paths listed": checked(gap - split.labels, listed.sum, rounding),
        "gap less c_y": checked(gap - split.labels, split.bound, rounding),
        "greatest eigenvalue, from the path kernel": checked(split.outputs[0]!.greatest, listed.greatest, {
          tolerance: 1e-12 * listed.energy,
        }),
        "norm of v_1, from the path kernel": checked(split.outputs[0]!.labelNorm, listed.labelNorm, {
          // The root of a rounded square: half of the digits where it is next to 0.
          tolerance: 1e-7 * Math.sqrt(scale) + 1e-12 * scale,
        }),
        "sum of cos² over a basis of all paths": checked(listed.cosines, 1, { tolerance: 1e-12 }),
      },
    };
  },
});

/** Normal weights: none is 0, so that every place of the architecture is a path. */
function drawnNetwork(widths: readonly number[], hasBiases: boolean, random: Random): Graph {
  return network(
    widths.slice(1).map((rows, l) =>
      layer(
        Array.from({ length: rows }, () => [...random.normal(widths[l]!)]),
        hasBiases ? random.normal(rows) : new Float64Array(rows),
      ),
    ),
  );
}

interface Wanted {
  readonly inputs: number;
  readonly outputs: number;
  readonly points: number;
  readonly m: number;
  readonly how: "drawn" | "the best points";
  readonly random: Random;
}

async function problemFor(
  net: Graph,
  { inputs, outputs, points, m, how, random }: Wanted,
): Promise<SquareLossProblem> {
  const drawn = Array.from({ length: points }, () => random.uniform() + 0.1);
  const whole = drawn.reduce((a, b) => a + b, 0);
  const problem = {
    points: drawn.map(() => [...random.normal(inputs)]),
    targets: drawn.map(() => [...random.normal(outputs)]),
    probabilities: drawn.map((p) => p / whole),
    sample: drawn.map(() => 0),
  };
  const losses = await lossesOf(net, problem);
  const best = losses.indexOf(Math.min(...losses));
  const chosen =
    how === "drawn" ? drawSample(problem.probabilities, m, random) : new Int32Array(m).fill(best);
  return { ...problem, sample: drawn.map((_, i) => chosen.filter((c) => c === i).length / m) };
}

/** |f(x) - y|^2 at each point. */
async function lossesOf(net: Graph, { points, targets }: SquareLossProblem): Promise<readonly number[]> {
  const x = tensor(points.flat(), { dims: [points.length, points[0]!.length] });
  const found = await run(net, { [net.inputs[0]!.name]: x }, { threads: 1 });
  const values = numbers(found[net.outputs[0]!.name]!);
  return targets.map((y, i) => y.reduce((sum, t, k) => sum + (Number(values[i * y.length + k]) - t) ** 2, 0));
}

/** The theorem's objects with every path written down. */
function pathsListed(net: Graph, { points, targets, probabilities, sample }: SquareLossProblem) {
  const excess = probabilities.map((p, i) => p - sample[i]!);
  const each = targets[0]!.map((_, output) => {
    const z = points.map((x) => decomposePaths(net, x, { output }).gated);
    const w = decomposePaths(net, points[0]!, { output }).paths.map((p) => p.weight);
    const v = w.map((_, j) => -z.reduce((s, at, i) => s + excess[i]! * targets[i]![output]! * at[j]!, 0));
    const G = w.map((_, a) => w.map((__, b) => z.reduce((s, at, i) => s + excess[i]! * at[a]! * at[b]!, 0)));
    const quadratic = w.reduce((s, x, a) => s + x * w.reduce((t, y, b) => t + G[a]![b]! * y, 0), 0);
    return { z, w, v, G, value: quadratic + 2 * w.reduce((s, x, j) => s + x * v[j]!, 0) };
  });
  const [{ w, v, G }] = each as [(typeof each)[number]];
  const { values, vectors } = symmetricEigen(G);
  const square = w.reduce((s, x) => s + x * x, 0);
  return {
    sum: each.reduce((s, { value }) => s + value, 0),
    size: each.reduce((s, { w, G }) => s + w.reduce((t, x) => t + x * x, 0) * Math.hypot(...G.flat()), 0),
    energy: Math.max(...each[0]!.z.map((at) => at.reduce((s, v) => s + v * v, 0))),
    greatest: Math.max(...values),
    labelNorm: Math.hypot(...v),
    cosines: vectors.reduce((s, u) => s + u.reduce((t, x, j) => t + x * w[j]!, 0) ** 2, 0) / square,
  };
}

interface Moment extends GapDecomposition {
  readonly step: number;
  readonly gap: number;
}

/** A network in training on 20 of 60 points: its gap and what it is made of. */
async function course(
  random: Random,
  progress: (fraction: number) => Promise<void>,
): Promise<readonly Moment[]> {
  const [inputs, width, m, n] = [2, 12, 20, 60];
  const points = Array.from({ length: n }, () => [...random.normal(inputs)]);
  const targets = points.map(([a, b]) => [Math.sin(2 * a!) * b! + 0.3 * random.normal()]);
  const problem = {
    ...{ points, targets, probabilities: points.map(() => 1 / n) },
    sample: points.map((_, i) => (i < m ? 1 / m : 0)),
  };
  const rows = (count: number, columns: number, size: number): number[][] =>
    Array.from({ length: count }, () => [...random.normal(columns)].map((v) => size * v));
  const start = denseNetwork(
    [{ W: rows(width, inputs, 1) }, { W: rows(width, width, 0.4) }, { W: rows(1, width, 0.3) }],
    "relu",
  );
  const of = training(start, { loss: "square", optimizer: "adam", batch: "full" });
  const data = { x: tensor(points.slice(0, m)), target: tensor(targets.slice(0, m)) };
  const moments: Moment[] = [];
  let state = initialState(of);
  for (const step of [0, 3, 10, 30, 100, 300, 1000]) {
    if (step > state.step) {
      const rates = Array.from({ length: step - state.step }, () => 0.02);
      state = (await advance(of, state, data, { rates, threads: 1 })).state;
    }
    const model = trainedModel(of, state);
    const losses = await lossesOf(model, problem);
    const gap = losses.reduce((s, v, i) => s + v * (1 / n - problem.sample[i]!), 0);
    moments.push({ step, gap, ...(await gapDecomposition(model, problem)) });
    await progress(step / 1000);
  }
  return moments;
}

const courseTable = (moments: readonly Moment[]): LemmaTable => ({
  title: "2-12-12-1 in training on 20 of 60 points (the text: “no issue of a vacuous or too loose a bound”)",
  columns: ["step", "gap - c_y", "equality", "bound", "path norm", "λ_max(G)", "|v|", "cos θ²"],
  rows: moments.map(({ step, gap, labels, equality, bound, outputs: [o] }) => [
    ...[step, gap - labels, equality, bound, o!.pathNorm, o!.greatest, o!.labelNorm, o!.labelCosine].map(
      (v) => Number(v.toPrecision(6)),
    ),
  ]),
});

function courseFigure(moments: readonly Moment[]): Figure {
  const line = (of: (m: Moment) => number) => moments.map((at) => [at.step + 1, of(at)] as const);
  return {
    title: "The gap is an equality in path space; its bound is another matter",
    panels: [
      {
        title: "A network in training",
        x: { label: "step + 1", scale: "log" },
        y: { label: "risk less empirical risk, less c_y" },
        series: [
          { name: "measured", mark: "dots", points: line((m) => m.gap - m.labels) },
          { name: "Theorem 2.7, equality", mark: "line", role: "theory", points: line((m) => m.equality) },
        ],
      },
      {
        title: "What it is made of",
        x: { label: "step + 1", scale: "log" },
        y: { label: "size", scale: "log" },
        series: [
          { name: "the theorem's bound", mark: "line", role: "theory", points: line((m) => m.bound) },
          { name: "|gap - c_y|", mark: "dots", points: line((m) => Math.abs(m.gap - m.labels)) },
          { name: "path norm", mark: "line", points: line((m) => m.outputs[0]!.pathNorm) },
          { name: "greatest eigenvalue of G", mark: "line", points: line((m) => m.outputs[0]!.greatest) },
        ],
      },
    ],
  };
}
