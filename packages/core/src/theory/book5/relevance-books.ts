import { parseRule, type Rule } from "../../passes/relevance.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import {
  type BookRow,
  biasParameter,
  deviation,
  drawLayers,
  propagated,
  taken,
  total,
} from "./dense-relu.ts";
import {
  alphaBetaRule,
  epsilonRule,
  explainPlainly,
  gammaRule,
  type PlainRule,
  zeroRule,
  zPlusRule,
} from "./plain-rules.ts";
import { figure } from "./relevance-books-figure.ts";

/** In the pass and in plain loops; nothing but epsilon itself keeps a denominator off 0. */
const rules = {
  zero: [parseRule("zero"), zeroRule],
  epsilon: [parseRule("epsilon=0.1"), epsilonRule(0.1)],
  gamma: [{ kind: "gamma", gamma: 0.25, stabilizer: 0 }, gammaRule(0.25)],
  "alpha-beta": [{ kind: "alpha-beta", alpha: 2, beta: 1, stabilizer: 0 }, alphaBetaRule(2, 1)],
  "z-plus": [{ kind: "z-plus", stabilizer: 0 }, zPlusRule],
} as const satisfies Record<string, readonly [Rule, PlainRule]>;
const plainRules = Object.fromEntries(Object.entries(rules).map(([name, [, plain]]) => [name, plain]));

export default lemma({
  id: "C5-06",
  covers: ["C5-06"],
  kind: "algorithm",
  title: "Relevance propagation: one way back, and books for every layer",
  source: "Book, (5.8)-(5.10), Figure 5.1",
  statement: String.raw`R_j^{[i-1]} = \sum_k \frac{z_{jk}}{\sum_{l \ge 0} z_{lk}} R_k^{[i]}, \qquad f(x) = \sum_{i \ge 1} R_i^{[0]} + \sum_{\ell} R_0^{[\ell]} + \text{absorbed}`,
  parameters: {
    d: integer({ min: 1, max: 6, default: 4, label: "inputs" }),
    n: integer({ min: 1, max: 10, default: 6, label: "width" }),
    L: integer({ min: 1, max: 5, default: 3, label: "layers" }),
    classes: integer({ min: 1, max: 4, default: 3, label: "scores" }),
    rule: choice(["zero", "epsilon", "gamma", "alpha-beta", "z-plus"], { label: "rule" }),
    biases: biasParameter,
  },
  claims: {
    "the pass against plain loops, deviation": equals("0"),
    "what the walk starts with": equals("z_c"),
    "imbalance of a node's account, at most": equals("0"),
    "inputs, biases of all layers and stabilizers together": equals("f(x)"),
    "products with weights, LRP-0": equals(String.raw`2L, \text{ as many as a gradient has}`),
    "inputs and the 0th index of the lowest layer": equals("f(x)").printed({
      where: "footnote 3",
      printed:
        "we could explicitly represent the relevance assigned to the biases at each layer by adding a 0th summation index in (5.8), resulting in an exact conservation throughout layers",
      corrected: String.raw`the index belongs in (5.10); what a bias got is handed on to nobody, so the sum at layer $\ell$ is $f(x)$ less the shares of the biases of all layers above`,
    }),
  },
  mutants: {
    "a layer lost": ({ L }) => ({ L: L - 1 }),
    "starts with 1": { "what the walk starts with": () => 1 },
    "a layer is walked twice": { "products with weights, LRP-0": ({ L }) => 2 * L + 1 },
  },
  async run({ d, n, L, classes, rule, biases }, { random }) {
    const widths = [d, ...Array.from({ length: L - 1 }, () => n), classes];
    const layers = drawLayers(random, widths, biases);
    const x = [...random.uniform(d)];
    const index = random.integer(0, classes - 1);
    const [chosen, plain] = rules[rule];
    const everywhere = layers.map(() => chosen);
    const { R, score, books, graph } = await propagated(layers, x, everywhere, index);
    const plainly = layers.map(() => plain);
    const expected = explainPlainly(layers, x, plainly, index);
    const { bias, absorbed } = taken(books);
    const scale = 1 + Math.max(...books.flatMap((row) => [row.arrived, row.handed, row.bias].map(Math.abs)));
    const rounding = { tolerance: 1e-10 * scale };
    return {
      graph,
      figure: figure(layers, x, index, books, plainRules),
      table: {
        title: `What came to each node and who took it (${rule})`,
        columns: ["node", "rule", "arrived", "handed on", "biases", "absorbed"],
        rows: books.map((row) => [
          row.node.op,
          row.rule,
          ...[row.arrived, row.handed, row.bias, row.absorbed].map((v) => Number(v.toPrecision(6))),
        ]),
      },
      claims: {
        "the pass against plain loops, deviation": checked(deviation(R, expected.relevance[0]!), 0, {
          tolerance: 1e-9,
        }),
        "what the walk starts with": checked(books[0]!.arrived, expected.score, { tolerance: 1e-12 * scale }),
        "imbalance of a node's account, at most": checked(Math.max(...books.map(imbalance)) / scale, 0, {
          tolerance: 1e-11,
        }),
        "inputs, biases of all layers and stabilizers together": checked(
          total(R) + bias + absorbed,
          score,
          rounding,
        ),
        ...(rule === "zero" && {
          "products with weights, LRP-0": checked(
            graph.nodes.filter(({ op }) => op === "Gemm" || op === "MatMul").length,
            2 * L,
          ),
        }),
        "inputs and the 0th index of the lowest layer": checked(
          total(R) + expected.biases[0]! + absorbed,
          score,
          rounding,
        ),
      },
    };
  },
});

const imbalance = ({ arrived, handed, bias, absorbed }: BookRow): number =>
  Math.abs(arrived - handed - bias - absorbed);
