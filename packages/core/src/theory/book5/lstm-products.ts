import { composite, explain } from "../../explain/index.ts";
import type { Figure } from "../../figure/figure.ts";
import { float64, graph } from "../../graph/builder.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { type ProductRule, parseRule } from "../../passes/relevance.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { lstmNetwork, sequence } from "./lstm-network.ts";
import {
  drawCell,
  type Gate,
  type LstmCell,
  lstmForward,
  lstmRelevance,
  shareOfProduct,
} from "./plain-lstm.ts";

/** The stabilizer that the proportional rule has here: the document has none. */
const stabilizer = 1e-6;

export default lemma({
  id: "C5-18",
  covers: ["C5-18"],
  kind: "algorithm",
  title: "Relevance through gates: all to the signal, in proportion, or half and half",
  source: "Book, chapter 5, section 5.4.3, (5.20)",
  statement: String.raw`x_k = x_g x_j: \quad R_j = R_k, \; R_g = 0; \qquad R_j = \frac{x_j}{x_j + x_g} R_k, \; R_g = \frac{x_g}{x_j + x_g} R_k; \qquad R_j = R_g = \tfrac12 R_k`,
  parameters: {
    rule: choice(["all", "prop", "half"], { label: "rule of products" }),
    inputs: integer({ min: 1, max: 4, default: 3, label: "numbers of an input" }),
    units: integer({ min: 1, max: 4, default: 4, label: "units" }),
    steps: integer({ min: 1, max: 8, default: 6, label: "steps" }),
    epsilon: real({ min: 0, max: 0.05, default: 0.001, label: "ε of layers and sums" }),
    gap: real({ min: 0.001, max: 0.4, default: 0.01, label: "distance from the pole" }),
  },
  claims: {
    "relevance of the inputs: greatest difference to plain loops, of the greatest": equals("0"),
    "score less relevance, biases and what was absorbed": equals("0"),
    "a cell that only adds up: what its first input has of the score": equals(
      String.raw`c^{(1)} / c_T \text{ (all)}, \; 2^{-T-1} c^{(1)} / c_T \text{ (half)}`,
    ),
    "in proportion, near the pole: the signal's share": equals(String.raw`x_j / (x_j + x_g + \varepsilon)`),
    "in proportion, at the pole: handed on": equals("R_k").printed({
      where: "section 5.4.3, LRP-prop (of rules “verifying the layer-wise relevance conservation property”)",
      printed: String.raw`$R_j = \frac{x_j}{x_j+x_g}R_k$ and $R_g = \frac{x_g}{x_j+x_g}R_k$`,
      corrected: String.raw`the same with $x_j + x_g + \varepsilon \operatorname{sign}(x_j + x_g)$ below: signals of $\tanh$ may be $-x_g$, where the shares have a pole; no rule conserves there`,
    }),
  },
  mutants: {
    "products of the forget gate not halved": {
      "a cell that only adds up: what its first input has of the score": ({ rule, steps }, { theory }) =>
        rule === "half" ? theory * 2 ** (steps - 1) : Number.NaN,
    },
    "a pole at zero of the signal": {
      "in proportion, near the pole: the signal's share": (_, { theory }) => 1 / theory,
    },
    "another rule": ({ rule }) => ({ rule: rule === "all" ? "half" : "all" }),
  },
  async run({ rule, inputs, units, steps, epsilon, gap }, { random, progress }) {
    const cell = drawCell(inputs, units, random);
    const xs = Array.from({ length: steps }, (_, t) => [...random.split(`input ${t}`).normal(inputs)]);
    const classifier = { W: [[...random.split("classifier").normal(units)]], b: [random.normal()] };
    const network = lstmNetwork(cell, classifier, steps);
    const rules = { ...everywhere(`epsilon=${epsilon}`), product: rule };
    const found = await explain(network, { x: sequence(xs) }, { composite: rules, output: "y" });
    await progress(0.4);
    const plain = plainly(cell, classifier, xs, { product: rule, epsilon });
    const size = Math.max(...plain.flat().map(Math.abs), 1e-9);
    const parts = await accumulated(rule, steps, random.split("accumulator").normal(steps + 3));
    await progress(0.7);
    const pole = await nearPole(random.normal(), gap);
    return {
      graph: network,
      figure: figure(cell, classifier, xs, epsilon),
      claims: {
        "relevance of the inputs: greatest difference to plain loops, of the greatest": checked(
          Math.max(...plain.flat().map((v, k) => Math.abs(v - numbers(found.relevance.get("x")!)[k]!))) /
            size,
          0,
          { tolerance: 1e-6 }, // quotients by sums that nearly cancel
        ),
        "score less relevance, biases and what was absorbed": checked(
          found.conservationError / (1 + size),
          0,
          {
            tolerance: 1e-9,
          },
        ),
        ...(rule !== "prop" && {
          "a cell that only adds up: what its first input has of the score": checked(
            parts.measured,
            parts.part * (rule === "half" ? 2 ** -(steps + 1) : 1),
            { tolerance: 1e-9 * (1 + Math.abs(parts.part)) },
          ),
        }),
        "in proportion, near the pole: the signal's share": checked(pole.near.share, pole.near.theory, {
          tolerance: 1e-9 / gap ** 2,
        }),
        "in proportion, at the pole: handed on": checked(pole.handed, pole.product, { tolerance: 1e-9 }),
      },
    };
  },
});

const everywhere = (rule: string) => ({
  ...composite("text"),
  lines: [
    { at: "layer", rule: parseRule(rule) },
    { at: "sum", rule: parseRule(rule) },
  ] as const,
});

interface Linear {
  readonly W: readonly (readonly number[])[];
  readonly b: readonly number[];
}

/** The relevance of the only score, by loops. */
function plainly(
  cell: LstmCell,
  { W, b }: Linear,
  xs: readonly (readonly number[])[],
  { product, epsilon }: { readonly product: ProductRule; readonly epsilon: number },
): readonly (readonly number[])[] {
  const walked = lstmForward(cell, xs);
  const { y } = walked.at(-1)!;
  const parts = y.map((v, k) => v * W[0]![k]!);
  const score = parts.reduce((s, v) => s + v, b[0]!);
  const last = parts.map((part) => (part / (score + (score >= 0 ? epsilon : -epsilon))) * score);
  return lstmRelevance(cell, walked, last, { product, epsilon, stabilizer }).x;
}

/** One unit whose gates know no input: c_T is a sum, of which each input has its part. */
async function accumulated(
  product: ProductRule,
  steps: number,
  drawn: ArrayLike<number>,
): Promise<{ readonly measured: number; readonly part: number }> {
  const constant = (b: number): Gate => ({ W: [[0]], U: [[0]], b: [b] });
  const [i, f, o] = [drawn[0]!, drawn[1]! + 1, drawn[2]!];
  const cell = { z: { W: [[1]], U: [[0]], b: [0] }, i: constant(i), f: constant(f), o: constant(o) };
  // Of one sign, so that no sum of parts cancels.
  const xs = Array.from({ length: steps }, (_, t) => [0.1 + Math.abs(drawn[t + 3]!)]);
  const { relevance, scores } = await explain(
    lstmNetwork(cell, { W: [[1]], b: [0] }, steps),
    { x: sequence(xs) },
    { composite: { ...everywhere("zero"), product }, output: "y" },
  );
  const sigmoid = (v: number): number => 1 / (1 + Math.exp(-v));
  const written = xs.map(([x], t) => sigmoid(f) ** (steps - 1 - t) * Math.tanh(x!));
  return {
    measured: numbers(relevance.get("x")!)[0]! / scores[0]!,
    part: written[0]! / written.reduce((s, v) => s + v, 0),
  };
}

/** sigm(g) tanh(j) where the signal is the gate's opposite, and where the two add up to the gap. */
async function nearPole(g: number, gap: number) {
  const gate = 1 / (1 + Math.exp(-g));
  const product = graph({ g: float64("N", 1), j: float64("N", 1) }, ({ g, j }) => ({
    y: g.sigmoid().mul(j.tanh()),
  }));
  const signals = [-gate, -gate + gap];
  const { relevance, sums, scores } = await explain(
    product,
    { g: tensor([[g], [g]]), j: tensor(signals.map((v) => [Math.atanh(v)])) },
    { composite: { ...everywhere("zero"), product: "prop" }, target: { kind: "all" } },
  );
  return {
    handed: sums[0]!,
    product: scores[0]!,
    near: {
      share: numbers(relevance.get("j")!)[1]! / scores[1]!,
      theory: (-gate + gap) / (gap + stabilizer),
    },
  };
}

function figure(
  cell: LstmCell,
  classifier: Linear,
  xs: readonly (readonly number[])[],
  epsilon: number,
): Figure {
  const words = (product: ProductRule): readonly (readonly [number, number])[] =>
    plainly(cell, classifier, xs, { product, epsilon }).map(
      (row, t) => [t + 1, row.reduce((s, v) => s + v, 0)] as const,
    );
  const signals = Array.from({ length: 199 }, (_, k) => -0.99 + k / 100);
  const share = (rule: ProductRule) => ({
    name: rule,
    mark: "line" as const,
    points: signals.map((x) => [x, shareOfProduct(rule, 0.5, x, 1, stabilizer).signal] as const),
  });
  /** The pole of prop is at the gate's opposite: a curve on each side. */
  const beside = (name: string, isMine: (x: number) => boolean) => ({
    ...share("prop"),
    name,
    points: share("prop").points.filter(([x, v]) => isMine(x) && Math.abs(v) < 10),
  });
  return {
    title: "Three rules for a product of gate and signal",
    panels: [
      {
        title: "Relevance of each step of an LSTM",
        x: { label: "t" },
        y: { label: "relevance" },
        series: (["all", "half"] as const).map((name) => ({ name, mark: "line", points: words(name) })),
      },
      {
        title: "The signal's share, gate open by half",
        x: { label: "signal" },
        y: { label: "part of the relevance" },
        series: [
          share("all"),
          share("half"),
          beside("prop, signal below -1/2", (x) => x < -0.5),
          beside("prop, signal above -1/2", (x) => x > -0.5),
        ],
      },
    ],
  };
}
