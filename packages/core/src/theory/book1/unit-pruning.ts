import { normalizedUnits, pruneOnData, pruneToFew, twoLayerOf } from "../../approximate/pruning/index.ts";
import type { Graph } from "../../graph/graph.ts";
import { tensor } from "../../graph/tensor.ts";
import type { Matrix } from "../../linear-algebra/index.ts";
import { layersOf, network } from "../../networks/layers/layers.ts";
import { fromDense } from "../../networks/layers/matrix.ts";
import type { Random } from "../../numbers/random.ts";
import { initialNetwork } from "../../train/network.ts";
import { train } from "../../train/train.ts";
import { atLeast, atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { unitPruningFigure } from "./unit-pruning-figure.ts";

export default lemma({
  id: "C1b-38",
  covers: ["C1b-38"],
  kind: "construction",
  title: "Pruning a wide network to one unit in a hundred",
  source: "Book, chapter 1, Proposition 1.29",
  statement: String.raw`\Phi = \sum_{i=1}^n v_i \varrho_R(\langle w_i, \cdot \rangle + b_i), \; \|w_i\| \le \tfrac12, \; b_i \le \tfrac12, \; n \ge 100: \qquad \|\Phi - \tilde\Phi\|_{L^2(\mu)} \le \frac{\|v\|_1}{\sqrt{\lfloor n/100 \rfloor}} \le \frac{15 \|v\|_1}{\sqrt n}, \quad |I| \le \frac{n}{100}`,
  parameters: {
    weights: choice(["random", "trained", "one point each", "opposite"], { label: "network" }),
    n: integer({ min: 100, max: 1500, default: 800, label: "units n" }),
    d: integer({ min: 1, max: 12, default: 4, label: "dimension" }),
    m: integer({ min: 1, max: 60, default: 40, label: "points of the measure" }),
  },
  claims: {
    "units kept": atMost("n/100"),
    "share of parameters that are zero": atLeast("0.99"),
    "inner weights changed": equals("0"),
    "error in L²(μ)": atMost(String.raw`15 \|v\|_1 / \sqrt n`).loose({
      where: "Proposition 1.29",
      printed: String.raw`\|\Phi_a(\cdot, \theta) - \Phi_a(\cdot, \tilde{\theta})\|_{L^2(\mu)} \leq \frac{15\|w^{(2)}\|_1}{\sqrt{n}}`,
      corrected: String.raw`\big((\sum_i |v_i| \|\varrho_i\|_{L^2(\mu)})^2 - \|\Phi\|^2\big)^{1/2} / \sqrt{\lfloor n/100 \rfloor}`,
    }),
    "error, atoms as in the proof": atMost(String.raw`\sqrt{(\max_i \|f_i\|^2 - \|\Phi\|^2) / k}`),
    "that bound": atMost(String.raw`\|v\|_1 / \sqrt k`),
    "error, atoms of equal norm": atMost(
      String.raw`\big((\sum_i |v_i| \|\varrho_i\|)^2 - \|\Phi\|^2\big)^{1/2} / \sqrt k`,
    ),
    "bound with atoms of equal norm, squared": atMost("bound with the atoms of the proof, squared"),
    "error after least squares in the units kept, one point each": equals(
      String.raw`\sqrt{k / m} \text{ times the error before}, \; k < m, \; d \ge 2`,
    ),
    "units of the network that has the same values on the data": atMost("m"),
    "its greatest change of a value": equals("0"),
    "its sum of output weights": atMost(String.raw`\|v\|_1`),
    "greatest atom times its factor": atMost(String.raw`\|w^{(2)}\|_1`).printed({
      where: "Proposition 1.29, after equation (1.62)",
      printed: String.raw`\|f_i\|_{L^2(\mu)} \leq \|w^{(2)}\|_1 \|f_i\|_{L^\infty(B_1(0))} \leq \|w^{(2)}\|_1`,
      corrected: String.raw`\|f_i\|_{L^2(\mu)} \leq \|f_i\|_{L^\infty(B_1(0))} \leq \|w^{(2)}\|_1`,
    }),
  },
  mutants: {
    "k for its root": {
      "error, atoms as in the proof": ({ n }, { theory }) => theory / Math.sqrt(Math.floor(n / 100)),
    },
    "half of the sum of output weights": { "that bound": (_, { theory }) => theory / 2 },
    "a unit fewer than points": {
      "units of the network that has the same values on the data": ({ m }) => m - 1,
    },
  },
  async run({ weights, n, d, m }, { random, scale, budget, progress }) {
    const points = measure(weights, m, d, random.split("points"));
    const wide = normalizedUnits(await wideNetwork(weights, { n, d, points, steps: scale(300), random }));
    await progress(0.3);
    const k = Math.floor(n / 100);
    const printed = await pruneToFew(wide, points, { atoms: "output" });
    const balanced = await pruneToFew(wide, points);
    await progress(0.6);
    const exact = await pruneOnData(wide, points);
    const mass = exact.mass.before;
    // Sums of n terms in doubles, once for each of the two networks.
    const tolerance = n * 2 ** -50 * mass;
    const { kept } = balanced;
    return {
      graph: balanced.network,
      ...(budget === "cheap" ? {} : { figure: await unitPruningFigure(wide, points, mass) }),
      claims: {
        "units kept": checked(Math.max(kept.length, printed.kept.length), n / 100),
        // Of n (d + 2) + 1 parameters, those of the units kept and the output's bias may differ from zero.
        "share of parameters that are zero": checked(1 - (kept.length * (d + 2)) / (n * (d + 2) + 1), 0.99),
        "inner weights changed": checked(changedWeights(wide, balanced.network, kept), 0),
        "error in L²(μ)": sampled(printed.error, (15 * mass) / Math.sqrt(n), { tolerance }),
        "error, atoms as in the proof": sampled(printed.error, printed.bound, { tolerance }),
        "that bound": checked(printed.bound, mass / Math.sqrt(k), { tolerance }),
        "error, atoms of equal norm": sampled(balanced.error, balanced.bound, { tolerance }),
        "bound with atoms of equal norm, squared": checked(balanced.bound ** 2, printed.bound ** 2, {
          tolerance: tolerance * mass, // differences of squares
        }),
        // Each of the k units is then right at its point, and the other m - k points are lost.
        ...(weights === "one point each" &&
          d >= 2 &&
          k < m && {
            "error after least squares in the units kept, one point each": sampled(
              balanced.refit.error,
              Math.sqrt(k / m) * balanced.error,
              { tolerance },
            ),
          }),
        "units of the network that has the same values on the data": checked(exact.kept.length, m),
        // A basis of up to 60 units, inverted, and sums of n terms.
        "its greatest change of a value": sampled(exact.residual, 0, { tolerance: 8 * tolerance }),
        "its sum of output weights": checked(exact.mass.after, mass, { tolerance: n * 2 ** -38 * mass }),
        "greatest atom times its factor": checked(mass * greatestAtom(wide, mass), mass, { tolerance }),
      },
    };
  },
});

type Kind = "random" | "trained" | "one point each" | "opposite";

const inside = 1 - 2 ** -40;

/** Points of the unit ball, some on its boundary; on a circle where units are to know one each; or all the same. */
function measure(kind: Kind, m: number, d: number, random: Random): Matrix {
  const entries = new Float64Array(m * d);
  for (let i = 0; i < m; i++) {
    if (kind === "opposite") entries[i * d] = inside;
    else if (kind === "one point each") entries.set(onCircle(i, m).slice(0, d), i * d);
    else {
      const radius = i % 3 === 0 ? inside : random.uniform() ** (1 / d);
      entries.set(
        random.sphere(d).map((x) => radius * x),
        i * d,
      );
    }
  }
  return { rows: m, columns: d, entries };
}

/** The i-th of m points around the unit circle. */
const onCircle = (i: number, m: number): number[] =>
  [Math.cos((2 * Math.PI * i) / m), Math.sin((2 * Math.PI * i) / m)].map((x) => inside * x);

interface Wide {
  readonly n: number;
  readonly d: number;
  readonly points: Matrix;
  readonly steps: number;
  readonly random: Random;
}

/** Without an output bias, as in the proposition. */
async function wideNetwork(kind: Kind, wide: Wide): Promise<Graph> {
  const { n, d, random } = wide;
  if (kind === "trained") return withoutOutputBias(await trained(wide));
  if (kind === "one point each") return onePointEach(wide);
  if (kind === "opposite") return opposite(wide);
  const outer = random.split("outer").normal(n);
  return network([
    { weights: fromDense(n, d, random.split("inner").normal(n * d)), bias: random.split("bias").normal(n) },
    { weights: fromDense(1, n, outer), bias: Float64Array.of(0) },
  ]);
}

/** Units that (from d = 2 on) are zero at all points but one, and equal there: orthogonal functions. */
function onePointEach({ n, d, points: { rows: m, entries } }: Wide): Graph {
  const [inner, bias] = [new Float64Array(n * d), new Float64Array(n)];
  const outer = Float64Array.from({ length: n }, (_, i) => 1 / Math.ceil((n - (i % m)) / m)); // by units at the point
  const between = m === 1 ? -1 : Math.cos((2 * Math.PI) / m);
  for (let i = 0; i < n; i++) {
    inner.set(entries.subarray((i % m) * d, ((i % m) + 1) * d), i * d);
    bias[i] = -between * inside ** 2;
  }
  return network([
    { weights: fromDense(n, d, inner), bias },
    { weights: fromDense(1, n, outer), bias: Float64Array.of(0) },
  ]);
}

/** Units that are 1 at the only point, with either sign in turn. */
function opposite({ n, d }: Wide): Graph {
  const inner = Float64Array.from({ length: n * d }, (_, e) => (e % d === 0 ? 0.5 : 0));
  const outer = Float64Array.from({ length: n }, (_, i) => (i % 2 === 0 ? 1 : -1));
  return network([
    { weights: fromDense(n, d, inner), bias: new Float64Array(n).fill(0.5) },
    { weights: fromDense(1, n, outer), bias: Float64Array.of(0) },
  ]);
}

/** Fitted to sin(3 x_1) + |x|^2 on the points by Adam. */
async function trained({ n, d, points, steps, random }: Wide): Promise<Graph> {
  const values = Float64Array.from({ length: points.rows }, (_, i) => {
    const x = points.entries.subarray(i * d, (i + 1) * d);
    return Math.sin(3 * x[0]!) + x.reduce((s, v) => s + v * v, 0);
  });
  const { model } = await train(
    initialNetwork(`${d}-${n}-relu-1`, { seed: random.integer(0, 2 ** 30) }),
    {
      x: tensor(points.entries, { type: "float32", dims: [points.rows, d] }),
      target: tensor(values, { type: "float32", dims: [points.rows, 1] }),
    },
    { loss: "square", optimizer: "adam", rate: 3e-3, steps, batch: points.rows, seed: 1, threads: 1 },
  );
  return model;
}

function withoutOutputBias(source: Graph): Graph {
  const { layers, activation } = layersOf(source);
  return network(
    [layers[0]!, { weights: layers[1]!.weights, bias: new Float64Array(layers[1]!.bias.length) }],
    {
      activation,
    },
  );
}

/** How many weights and biases of the units kept are not as they were. */
function changedWeights(before: Graph, after: Graph, kept: Int32Array): number {
  const [wide, few] = [twoLayerOf(before), twoLayerOf(after)];
  const d = wide.weights.columns;
  let changed = 0;
  kept.forEach((i, j) => {
    if (wide.biases[i] !== few.biases[j]) changed++;
    for (let c = 0; c < d; c++)
      if (wide.weights.entries[i * d + c] !== few.weights.entries[j * d + c]) changed++;
  });
  return changed;
}

/** max_i |f_i| on the unit ball, f_i = |v|_1 relu(<w_i, .> + b_i). */
function greatestAtom(source: Graph, mass: number): number {
  const { weights, biases } = twoLayerOf(source);
  const d = weights.columns;
  return Math.max(
    ...biases.map(
      (b, i) => mass * Math.max(0, Math.hypot(...weights.entries.subarray(i * d, (i + 1) * d)) + b),
    ),
  );
}
