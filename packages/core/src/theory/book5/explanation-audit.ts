import { auditExplanation, spreadOf } from "../../explain/audit.ts";
import { explain } from "../../explain/explain.ts";
import type { Explanation } from "../../explain/explanation.ts";
import { row } from "../../explain/model-at.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import { checked, equals, type Measurement } from "../claim.ts";
import { type LemmaTable, lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { dot, drawLayers, drawnNetwork, dyadic, preActivations, sum } from "./drawn.ts";

export default lemma({
  id: "C5-20",
  covers: ["C5-20"],
  kind: "measure",
  title: "The books of an explanation",
  source: "Book, chapter 5, (5.3), (5.8) and Figure 5.1",
  statement: String.raw`f(x) - \sum_i R_i = \sum_{l} (\text{bias}_l + \text{stabilizer}_l), \qquad H = -\sum_i p_i \log p_i, \; G = \frac{\sum_{i, j} | \, |R_i| - |R_j| \, |}{2 d \sum_i |R_i|}`,
  parameters: {
    d: integer({ min: 2, max: 10, default: 6, label: "inputs" }),
    width: integer({ min: 2, max: 10, default: 8, label: "width" }),
    depth: integer({ min: 1, max: 3, default: 2, label: "hidden layers" }),
    biases: choice(["some", "none"], { label: "biases" }),
    epsilon: real({ min: 0.001, max: 1, default: 0.1, label: "ε of LRP-ε" }),
  },
  claims: {
    "LRP-0: gap less what the biases took": equals("0"),
    "LRP-0 without biases: gap": equals("0"),
    "LRP-ε: gap less what biases and stabilizers took": equals("0"),
    "LRP-ε, one layer: what the stabilizer took": equals(String.raw`\frac{\epsilon}{|f| + \epsilon} f`),
    "flat first layer: what arrives less what it hands on": equals("0"),
    "w² first layer: what arrives less what it hands on": equals("0"),
    "sensitivity of a linear model: gap": equals(String.raw`\sum_i w_i (x_i - 1) + b`),
    "Gini coefficient": equals(
      String.raw`\textstyle \sum_{i,j} | \, |R_i| - |R_j| \, | / (2 d \sum_i |R_i|)`,
    ),
    "entropy of k inputs that are alike": equals(String.raw`\log k`),
    "negative part of R and of -R, together": equals("1"),
    "LRP-ε: greatest loss of a layer": equals("0").printed({
      where: "Figure 5.1, caption, whose fully connected layers have the LRP-ε rule",
      printed:
        "Each neuron redistributes as much relevance to the lower layer as it has received from the higher layer, i.e., no relevance is lost or artificially added in the explanation process.",
      corrected: String.raw`a neuron with pre-activation $z_k$ and bias $b_k$ keeps the part $(b_k + \epsilon_k) / (z_k + \epsilon_k)$ of what it receives: all is handed on for $b_k = 0$ and $\epsilon = 0$`,
    }),
  },
  mutants: {
    "the stabilizer is counted twice": {
      "LRP-ε, one layer: what the stabilizer took": (_, { theory }) => 2 * theory,
    },
    "logarithms to the base 2": {
      "entropy of k inputs that are alike": (_, { theory }) => theory / Math.LN2,
    },
    "gap is sum less score": {
      "sensitivity of a linear model: gap": (_, { theory }) => -theory,
    },
  },
  async run({ d, width, depth, biases, epsilon }, { random }) {
    const layers = drawLayers(random, [d, ...new Array<number>(depth).fill(width), 1], biases === "some");
    const x = dyadic(random, d);
    const graph = drawnNetwork(layers);
    const f = preActivations(layers, x).at(-1)![0]!;
    const by = (composite: string): Promise<Explanation> => explain(graph, row(x), { composite });
    const claims: Record<string, Measurement> = {
      ...(await ofLinear(dyadic(random, d), x, random.integer(-8, 8) / 4, epsilon)),
      ...ofSpread(random.normal(d), random.integer(1, d)),
    };
    const explanations: Explanation[] = [];
    if (f !== 0) {
      const zero = await by("uniform(zero)");
      const stabilized = await by(`uniform(epsilon=${epsilon})`);
      const [plain, books] = [auditExplanation(zero), auditExplanation(stabilized)];
      const tolerance = roundingOf(zero);
      claims["LRP-0: gap less what the biases took"] = checked(plain.gap - plain.bias, 0, { tolerance });
      if (biases === "none") claims["LRP-0 without biases: gap"] = checked(plain.gap, 0, { tolerance });
      claims["LRP-ε: gap less what biases and stabilizers took"] = checked(books.unexplained, 0, {
        tolerance: roundingOf(stabilized),
      });
      claims["LRP-ε: greatest loss of a layer"] = checked(greatestLoss(stabilized), 0, {
        tolerance: roundingOf(stabilized),
      });
      explanations.push(zero, stabilized);
      for (const rule of ["flat", "w-square"] as const) {
        const found = await explain(graph, row(x), { composite: firstLayer(rule, epsilon) });
        const { in: into, out } = found.ledger!.at(-1)!;
        const name = rule === "flat" ? "flat" : "w²";
        // A unit without weights has nobody to hand on to.
        if (rule === "flat" || layers[0]!.W.every((weights) => dot(weights, weights) > 0))
          claims[`${name} first layer: what arrives less what it hands on`] = checked(into - out, 0, {
            tolerance: roundingOf(found),
          });
        explanations.push(found);
      }
      for (const method of ["gradient", "gradient-x-input", "integrated-gradients"] as const)
        explanations.push(await explain(graph, row(x), { method }));
    }
    // A score of 0 is not explained: there is nothing to show.
    if (explanations.length === 0) return { graph, claims };
    return { graph, figure: figure(explanations), table: table(explanations), claims };
  },
});

/** Sums of what passes through all layers round relative to their largest parts. */
const roundingOf = ({ ledger = [] }: Explanation): number =>
  2 ** -36 *
  (1 + Math.max(0, ...ledger.flatMap((line) => [line.in, line.out, line.bias, line.absorbed].map(Math.abs))));

const greatestLoss = ({ ledger = [] }: Explanation): number =>
  Math.max(0, ...ledger.map((line) => Math.abs(line.in - line.out)));

const firstLayer = (kind: "flat" | "w-square", epsilon: number) => ({
  name: `epsilon, ${kind} below`,
  lines: [
    { at: "first" as const, rule: { kind, stabilizer: 0 } },
    { at: "layer" as const, rule: { kind: "epsilon" as const, epsilon } },
  ],
  product: "all" as const,
});

async function ofLinear(
  w: Float64Array,
  x: Float64Array,
  b: number,
  epsilon: number,
): Promise<Record<string, Measurement>> {
  const linear: Graph = network([layer([[...w]], [b])]);
  const slope = auditExplanation(await explain(linear, row(x), { method: "gradient" }));
  const stabilized = auditExplanation(
    await explain(linear, row(x), { composite: `uniform(epsilon=${epsilon})` }),
  );
  const f = dot(w, x) + b;
  return {
    "sensitivity of a linear model: gap": checked(
      slope.gap,
      w.reduce((s, v, i) => s + v * (x[i]! - 1), b),
    ),
    "LRP-ε, one layer: what the stabilizer took": checked(
      stabilized.absorbed,
      (epsilon * f) / (Math.abs(f) + epsilon),
      { tolerance: 2 ** -44 * (1 + Math.abs(f)) },
    ),
  };
}

function ofSpread(values: Float64Array, k: number): Record<string, Measurement> {
  const sizes = Array.from(values, Math.abs);
  const pairs = sum(sizes.map((a) => sum(sizes.map((b) => Math.abs(a - b)))));
  const alike = Array.from(values, (_, i) => (i < k ? (i % 2 === 0 ? 3 : -3) : 0));
  return {
    "Gini coefficient": checked(spreadOf(values).gini, pairs / (2 * values.length * sum(sizes)), {
      tolerance: 1e-12,
    }),
    "entropy of k inputs that are alike": checked(spreadOf(alike).entropy, Math.log(k), { tolerance: 1e-12 }),
    "negative part of R and of -R, together": checked(
      spreadOf(values).negative + spreadOf(values.map((v) => -v)).negative,
      1,
      { tolerance: 1e-12 },
    ),
  };
}

const nameOf = ({ method, composite }: Explanation): string => composite ?? method;

const table = (explanations: readonly Explanation[]): LemmaTable => ({
  title: "The same prediction, by several methods",
  columns: ["method", "score", "sum", "gap", "biases", "stabilizers", "negative part", "entropy", "Gini"],
  rows: explanations.map((explanation) => {
    const { score, sum: total, gap, bias, absorbed, spread } = auditExplanation(explanation);
    return [
      nameOf(explanation),
      ...[score, total, gap, bias, absorbed, spread.negative, spread.entropy, spread.gini],
    ];
  }),
});

function figure(explanations: readonly Explanation[]): Figure {
  const audits = explanations.map(auditExplanation);
  // Names are long: they stand beside the rows, the first at the top.
  const names = explanations.map(nameOf).reverse();
  const points = (value: (audit: (typeof audits)[number]) => number) =>
    audits.map((audit, k): [number, number] => [value(audit), audits.length - 1 - k]);
  return {
    title: "Where the score went",
    panels: [
      {
        title: "Parts of the score",
        x: { label: "relevance" },
        y: { label: "method", names },
        series: [
          { name: "inputs", mark: "dots", points: points((a) => a.sum) },
          { name: "biases", mark: "dots", points: points((a) => a.bias) },
          { name: "stabilizers", mark: "dots", points: points((a) => a.absorbed) },
          { name: "score", mark: "line", role: "theory", points: points((a) => a.score) },
        ],
      },
      {
        title: "How it is spread",
        x: { label: "part" },
        y: { label: "method", names },
        series: [
          { name: "negative part", mark: "dots", points: points((a) => a.spread.negative) },
          { name: "Gini coefficient", mark: "dots", points: points((a) => a.spread.gini) },
        ],
      },
    ],
  };
}
