import { explain } from "../../explain/explain.ts";
import { gradientTimesInput } from "../../explain/methods/gradients.ts";
import { modelAt, row } from "../../explain/model-at.ts";
import type { Figure } from "../../figure/figure.ts";
import { numbers } from "../../graph/tensor.ts";
import { checked, equals, type Measurement } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import {
  apart,
  type DrawnLayer,
  deltas,
  dot,
  drawLayers,
  drawnNetwork,
  dyadic,
  isSmoothAt,
  preActivations,
  sum,
} from "./drawn.ts";

export default lemma({
  id: "C5-04",
  covers: ["C5-04"],
  kind: "algorithm",
  title: "Gradient times input is LRP-0",
  source: "Book, chapter 5, sects. 5.4.2 and 5.5 (Shrikumar et al. 2016)",
  statement: String.raw`R_i = x_i \frac{\partial f_c}{\partial x_i}(x), \qquad \sum_i R_i = f_c(x) - \sum_{l, k} b^{[l]}_k \frac{\partial f_c}{\partial z^{[l]}_k}(x)`,
  parameters: {
    d: integer({ min: 1, max: 8, default: 6, label: "inputs" }),
    width: integer({ min: 1, max: 10, default: 8, label: "width" }),
    depth: integer({ min: 0, max: 4, default: 2, label: "hidden layers" }),
    biases: choice(["some", "none"], { label: "biases" }),
  },
  claims: {
    "sum of relevance": equals(String.raw`f(x) - \langle b, \partial_z f \rangle`),
    "without biases: sum of relevance": equals("f(x)"),
    "LRP-0 less gradient x input, greatest": equals("0"),
    "LRP-0: what the biases take, by the books": equals(String.raw`\langle b, \partial_z f \rangle`),
    "x_i times the difference quotient less relevance, greatest": equals("0"),
  },
  mutants: {
    "conservation despite biases": {
      "LRP-0: what the biases take, by the books": () => 0,
    },
    "an input lost": ({ d }) => ({ d: d - 1 }),
  },
  async run({ d, width, depth, biases }, { random }) {
    const widths = [d, ...new Array<number>(depth).fill(width), 1];
    const layers = drawLayers(random, widths, biases === "some");
    const x = dyadic(random, d);
    const graph = drawnNetwork(layers);
    const f = preActivations(layers, x).at(-1)![0]!;
    const share = deltas(layers, x).reduce((s, delta, l) => s + dot(delta, layers[l]!.b), 0);
    const { relevance } = await gradientTimesInput(await modelAt(graph, row(x)));
    const claims: Record<string, Measurement> = {
      "sum of relevance": checked(sum(relevance), f - share),
    };
    if (biases === "none") claims["without biases: sum of relevance"] = checked(sum(relevance), f);
    if (isSmoothAt(layers, x))
      claims["x_i times the difference quotient less relevance, greatest"] = checked(
        apart(relevance, quotients(layers, x)),
        0,
      );
    // A score of 0 has nothing to hand back: the quotients of LRP-0 are 0/0.
    if (f !== 0) {
      const found = await explain(graph, row(x), { composite: "uniform(zero)" });
      const taken = sum((found.ledger ?? []).map((line) => line.bias));
      // Quotients z_jk / z_k R_k round, and are as large as weights of a layer are larger than their sum.
      const tolerance = 2 ** -36 * (1 + Math.max(...relevance.map(Math.abs)) + Math.abs(share));
      claims["LRP-0 less gradient x input, greatest"] = checked(
        apart(relevance, numbers(found.relevance.get("x")!) as Float64Array),
        0,
        { tolerance },
      );
      claims["LRP-0: what the biases take, by the books"] = checked(taken, share, { tolerance });
    }
    return { graph, figure: figure(relevance, x), claims };
  },
});

/** x_i (f(x + h e_i) - f(x)) / h within the linear region of x, where it is exact. */
function quotients(layers: readonly DrawnLayer[], x: Float64Array): number[] {
  const f = (p: ArrayLike<number>): number => preActivations(layers, p).at(-1)![0]!;
  const h = 2 ** -30;
  return Array.from(x, (v, i) => (v * (f(x.map((u, k) => (k === i ? u + h : u))) - f(x))) / h);
}

const figure = (relevance: Float64Array, x: Float64Array): Figure => ({
  title: "Gradient, and gradient times input",
  panels: [
    {
      title: "One input",
      x: { label: "feature" },
      y: { label: "value" },
      series: [
        { name: "gradient x input", mark: "dots", points: Array.from(relevance, (v, i) => [i + 1, v]) },
        { name: "gradient", mark: "dots", points: Array.from(relevance, (v, i) => [i + 1, v / x[i]!]) },
      ],
    },
  ],
});
