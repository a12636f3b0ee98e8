import { atLeast, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import {
  biasParameter,
  type DenseLayer,
  deviation,
  drawLayers,
  forward,
  propagated,
  taken,
  total,
} from "./dense-relu.ts";
import { alphaBetaRule, explainPlainly } from "./plain-rules.ts";
import { figure } from "./rule-alpha-beta-figure.ts";

export default lemma({
  id: "C5-10",
  covers: ["C5-10"],
  kind: "algorithm",
  title: "LRP-alpha-beta, and neurons that have contributions of one sign only",
  source: "Book, Table 5.1, sections 5.4.1 and 5.4.2",
  statement: String.raw`R_j = \sum_k \left( \alpha \frac{(x_j w_{jk})^+}{\sum_{l \ge 0} (x_l w_{lk})^+} - \beta \frac{(x_j w_{jk})^-}{\sum_{l \ge 0} (x_l w_{lk})^-} \right) R_k, \qquad \alpha - \beta = 1`,
  parameters: {
    d: integer({ min: 1, max: 6, default: 4, label: "inputs" }),
    n: integer({ min: 1, max: 8, default: 5, label: "width" }),
    L: integer({ min: 1, max: 4, default: 3, label: "layers" }),
    alpha: real({ min: 1, max: 3, default: 2, label: "alpha" }),
    biases: biasParameter,
  },
  claims: {
    "the pass against plain loops, deviation": equals("0"),
    "alpha = 1, beta = 0: inputs and biases together": equals("f(x)"),
    "alpha = 1, beta = 0: least relevance, for f > 0": atLeast("0"),
    "one layer: inputs and bias together": equals(
      String.raw`f, \; \alpha f \text{ with nothing against}, \; -\beta f \text{ with nothing for}`,
    ),
    "balanced: inputs and biases together": equals("f(x)"),
    "inputs and biases together": equals("f(x)").printed({
      where: "section 5.4, before (5.8)",
      printed: "LRP propagation rules will be shown to enforce the conservation *locally* at each neuron",
      corrected: String.raw`not LRP-$\alpha\beta$: a neuron with nothing against it hands on $\alpha R_k$, one with nothing for it $-\beta R_k$; conserved where both are there, or if such a neuron uses $\alpha = 1, \beta = 0$ or $\alpha = 0, \beta = -1$`,
    }),
    "one layer, alpha = 0, beta = 1: inputs and bias together": equals("f(x)").printed({
      where: "section 5.4.2, Relevance Function",
      printed: String.raw`A similar argument can be made for other propagation rules, e.g., LRP-0 and LRP-$\epsilon$, as well as for LRP-$\alpha\beta$ with $\alpha = 0$ and $\beta = 1$.`,
      corrected: String.raw`$\alpha = 1$ and $\beta = 0$, as in Table 5.1; the other way round $\alpha - \beta = -1$, and the sum is $-f(x)$`,
    }),
  },
  mutants: {
    "more alpha": ({ alpha }) => ({ alpha: alpha + 0.5 }),
    "conserved whatever the signs": {
      "one layer: inputs and bias together": ({ alpha }, { theory }) => theory / alpha,
    },
  },
  async run({ d, n, L, alpha, biases }, { random }) {
    const beta = alpha - 1;
    const layers = drawLayers(random, [d, ...Array.from({ length: L - 1 }, () => n), 2], biases);
    const x = [...random.uniform(d)];
    const { inputs, scores } = forward(layers, x);
    const [top, a] = [layers.at(-1)!, inputs.at(-1)!];
    const f = scores[0]!;
    const first = await sumsOf(layers, x, { alpha, beta });
    const positive = await sumsOf(layers, x, { alpha: 1, beta: 0 });
    const balanced = await sumsOf(layers, x, { alpha, beta, balanced: true });
    const one = await sumsOf([top], a, { alpha, beta });
    const exchanged = await sumsOf([top], a, { alpha: 0, beta: 1 });
    const plainly = layers.map(() => alphaBetaRule(alpha, beta));
    const expected = explainPlainly(layers, x, plainly, 0);
    const rounding = ({ scale }: Sums) => ({ tolerance: 1e-10 * scale });
    const signs = signsOf(top, a);
    return {
      graph: first.graph,
      figure: figure(layers, x, beta, { plain: first.sum, ...(alpha > 1 && { balanced: balanced.sum }) }),
      claims: {
        "the pass against plain loops, deviation": checked(deviation(first.R, expected.relevance[0]!), 0, {
          tolerance: 1e-9,
        }),
        ...(f > 0 && {
          "alpha = 1, beta = 0: inputs and biases together": checked(positive.sum, f, rounding(positive)),
          "alpha = 1, beta = 0: least relevance, for f > 0": checked(Math.min(...positive.R), 0),
        }),
        ...(f !== 0 && {
          "one layer: inputs and bias together": checked(
            one.sum,
            !signs.against ? alpha * f : !signs.for ? -beta * f : f,
            rounding(one),
          ),
          "inputs and biases together": checked(first.sum, f, rounding(first)),
          "one layer, alpha = 0, beta = 1: inputs and bias together": checked(
            exchanged.sum,
            f,
            rounding(exchanged),
          ),
        }),
        ...(alpha > 1 && {
          "balanced: inputs and biases together": checked(balanced.sum, f, rounding(balanced)),
        }),
      },
    };
  },
});

interface Sums {
  readonly R: readonly number[];
  readonly sum: number;
  readonly scale: number;
  readonly graph: Awaited<ReturnType<typeof propagated>>["graph"];
}

async function sumsOf(
  layers: readonly DenseLayer[],
  x: readonly number[],
  numbers: { readonly alpha: number; readonly beta: number; readonly balanced?: boolean },
): Promise<Sums> {
  const rule = { kind: "alpha-beta", stabilizer: 0, ...numbers } as const;
  const everywhere = layers.map(() => rule);
  const { R, books, graph } = await propagated(layers, x, everywhere, 0);
  const { bias } = taken(books);
  const scale = 1 + Math.max(...books.flatMap((row) => [row.arrived, row.handed, row.bias].map(Math.abs)));
  return { R, sum: total(R) + bias, scale, graph };
}

function signsOf(
  { W, b }: DenseLayer,
  a: readonly number[],
): { readonly for: boolean; readonly against: boolean } {
  const contributions = [...W[0]!.map((w, j) => w * a[j]!), b[0]!];
  return { for: contributions.some((v) => v > 0), against: contributions.some((v) => v < 0) };
}
