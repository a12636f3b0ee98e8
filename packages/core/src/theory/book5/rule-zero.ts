import { run } from "../../engine/run.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { gradient } from "../../passes/gradient.ts";
import { parseRule } from "../../passes/relevance.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";
import {
  biasParameter,
  type DenseLayer,
  denseGraph,
  deviation,
  drawLayers,
  preActivations,
  propagated,
  taken,
  total,
} from "./dense-relu.ts";
import { explainPlainly, zeroRule } from "./plain-rules.ts";
import { figure } from "./rule-zero-figure.ts";

export default lemma({
  id: "C5-07",
  covers: ["C5-07"],
  kind: "algorithm",
  title: "LRP-0 is gradient times input on ReLU networks",
  source: "Book, Table 5.1, section 5.4.2",
  statement: String.raw`\sum_k \frac{x_j w_{jk}}{\sum_{l \ge 0} x_l w_{lk}} R_k = x_j \frac{\partial f}{\partial x_j}, \qquad \sum_j R_j = f(x) - \sum_{\ell, k} b_k^{[\ell]} \frac{\partial f}{\partial b_k^{[\ell]}}`,
  parameters: {
    d: integer({ min: 1, max: 8, default: 5, label: "inputs" }),
    n: integer({ min: 1, max: 12, default: 8, label: "width" }),
    L: integer({ min: 1, max: 6, default: 4, label: "layers" }),
    biases: biasParameter,
  },
  claims: {
    "the pass against gradient times input, deviation": equals("0"),
    "the pass against plain loops, deviation": equals("0"),
    "sum of the relevance": equals(String.raw`f(x) - \sum b \, \partial f / \partial b`),
    "share of the biases in the books": equals(String.raw`\sum b \, \partial f / \partial b`),
    "sum of the relevance, no biases": equals("f(x)"),
    "relevance of the doubled input, no biases": equals("2 f(x)"),
  },
  mutants: {
    "biases take nothing": { "share of the biases in the books": () => 0 },
    "biases of another sign": { "share of the biases in the books": (_, { theory }) => -theory },
    "a layer more": ({ L }) => ({ L: L + 1 }),
  },
  async run({ d, n, L, biases }, { random }) {
    const widths = [d, ...Array.from({ length: L - 1 }, () => n), 2];
    const layers = drawLayers(random, widths, biases);
    const x = [...random.normal(d)];
    const everywhere = layers.map(() => parseRule("zero"));
    const { R, score, books, graph } = await propagated(layers, x, everywhere, 0);
    const { grad_x } = await run(gradient(denseGraph(layers)), {
      x: tensor([x], { type: "float64" }),
      seed_y: tensor([[1, 0]], { type: "float64" }),
    });
    const slopes = numbers(grad_x!);
    const plainly = explainPlainly(
      layers,
      x,
      layers.map(() => zeroRule),
      0,
    );
    const biasTerm = biasSensitivity(layers, x);
    const scale = 1 + Math.max(Math.abs(score), Math.abs(biasTerm), ...R.map(Math.abs));
    const rounding = { tolerance: 1e-11 * scale };
    const rest =
      biases === "none"
        ? {
            "sum of the relevance, no biases": checked(total(R), score, rounding),
            "relevance of the doubled input, no biases": checked(
              total(
                (
                  await propagated(
                    layers,
                    x.map((v) => 2 * v),
                    everywhere,
                    0,
                  )
                ).R,
              ),
              2 * score,
              rounding,
            ),
          }
        : {};
    return {
      graph,
      figure: figure(layers, x, R, slopes),
      table: {
        title: "Relevance of each input",
        columns: ["input", "x", "gradient", "relevance"],
        rows: R.map((r, j) => [j + 1, x[j]!, slopes[j]!, r]),
      },
      claims: {
        "the pass against gradient times input, deviation": checked(
          deviation(
            R,
            x.map((v, j) => v * slopes[j]!),
          ),
          0,
          { tolerance: 1e-10 },
        ),
        "the pass against plain loops, deviation": checked(deviation(R, plainly.relevance[0]!), 0, {
          tolerance: 1e-9, // the loops divide by z, which may be small
        }),
        "sum of the relevance": checked(total(R), score - biasTerm, rounding),
        "share of the biases in the books": checked(taken(books).bias, biasTerm, rounding),
        ...rest,
      },
    };
  },
});

/** sum b df/db of the first score, by a plain way back through the open units. */
function biasSensitivity(layers: readonly DenseLayer[], x: readonly number[]): number {
  const z: number[][] = [];
  let a = x;
  for (const layer of layers) {
    z.push(preActivations(layer, a));
    a = z.at(-1)!.map((v) => Math.max(0, v));
  }
  let slope: number[] = z.at(-1)!.map((_, k) => (k === 0 ? 1 : 0));
  let sum = 0;
  for (let l = layers.length - 1; l >= 0; l--) {
    const { W, b } = layers[l]!;
    sum += total(b.map((v, k) => v * slope[k]!));
    const below = W[0]!.map((_, j) => total(slope.map((s, k) => s * W[k]![j]!)));
    slope = below.map((s, j) => (l > 0 && z[l - 1]![j]! <= 0 ? 0 : s));
  }
  return sum;
}
