import { flipping } from "../../explain/evaluate.ts";
import { explain, prepare } from "../../explain/index.ts";
import { patchGroups } from "../../explain/methods/groups.ts";
import { ScoreModel } from "../../explain/score-model.ts";
import type { Figure } from "../../figure/figure.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

export default lemma({
  id: "C5-21",
  covers: ["C5-21"],
  kind: "measure",
  title: "Pixel flipping: for a linear score the order by contributions is the best at every step",
  source: "Book, chapter 5, section 5.3; Samek et al. 2017",
  statement: String.raw`f(x) = \langle w, x \rangle + b, \; s_i = w_i (x_i - x^0_i), \; s_{\pi(1)} \ge s_{\pi(2)} \ge \dots: \quad f(x^{(k)}_\pi) = \min_{|S| = k} f(x_S \to x^0_S) \text{ for every } k, \qquad \mathrm{AOPC} = \frac{1}{d+1} \sum_{i=1}^d (d + 1 - i) s_{\pi(i)}`,
  parameters: {
    d: integer({ min: 1, max: 12, default: 8, label: "inputs" }),
    baseline: real({ min: -2, max: 2, default: 0, label: "what replaces an input" }),
  },
  claims: {
    "most relevant first: score above the best of all subsets, greatest over k": equals("0"),
    "least relevant first: score below the best of all subsets, greatest over k": equals("0"),
    "mean drop along the curve (AOPC)": equals(String.raw`\frac{1}{d+1} \sum_i (d + 1 - i) s_{\pi(i)}`),
    "area between the curves (ABPC)": equals(String.raw`\frac{1}{d+1} \sum_i (d + 1 - 2i) s_{\pi(i)}`),
    "mean over all subsets: greatest distance from a line in k": equals("0"),
  },
  mutants: {
    "the whole image not counted": {
      "mean drop along the curve (AOPC)": ({ d }, { theory }) => (theory * (d + 1)) / d,
    },
    "ranks from 0": {
      "area between the curves (ABPC)": ({ d }, { theory, measured }) => theory + (2 * measured) / (d + 1),
    },
    "zero for nothing": ({ baseline }) => ({ baseline: baseline / 2 }),
  },
  async run({ d, baseline }, { random }) {
    const [w, x] = [[...random.normal(d)], [...random.normal(d)]];
    const network = denseNetwork([{ W: [w], b: [random.normal()] }], "linear");
    const inputs = { x: tensor([x]) };
    const { relevance } = await explain(network, inputs, {
      method: "integrated-gradients",
      samples: 1,
      baseline,
    });
    const model = await ScoreModel.create(await prepare(network, inputs), { kind: "class", index: 0 });
    const nothing = new Float64Array(d).fill(baseline);
    const found = await flipping(model, numbers(relevance.get("x")!), patchGroups([1, d], 1), nothing);
    const score = await model.score(Float64Array.from(x));
    const shares = w.map((v, i) => v * (x[i]! - baseline)).sort((a, b) => b - a);
    const subsets = bySize(shares);
    const size = 1 + shares.reduce((s, v) => s + Math.abs(v), Math.abs(score));
    const rounding = { tolerance: 1e-13 * size };
    const weighted = (weight: (i: number) => number): number =>
      shares.reduce((s, v, i) => s + weight(i + 1) * v, 0) / (d + 1);
    return {
      graph: network,
      figure: figure(
        score,
        found.most,
        found.least,
        subsets.map(({ mean }) => mean),
      ),
      claims: {
        "most relevant first: score above the best of all subsets, greatest over k": checked(
          Math.max(...found.most.map((f, k) => f - (score - subsets[k]!.most))),
          0,
          rounding,
        ),
        "least relevant first: score below the best of all subsets, greatest over k": checked(
          Math.max(...found.least.map((f, k) => score - subsets[k]!.least - f)),
          0,
          rounding,
        ),
        "mean drop along the curve (AOPC)": checked(
          found.drop,
          weighted((i) => d + 1 - i),
          rounding,
        ),
        "area between the curves (ABPC)": checked(
          found.between,
          weighted((i) => d + 1 - 2 * i),
          rounding,
        ),
        "mean over all subsets: greatest distance from a line in k": checked(
          Math.max(...subsets.map(({ mean }, k) => Math.abs(mean - (k / d) * subsets[d]!.mean))),
          0,
          rounding,
        ),
      },
    };
  },
});

interface Drops {
  readonly most: number;
  readonly least: number;
  readonly mean: number;
}

/** Of all subsets of each size: the greatest, the least and the mean sum of shares. */
function bySize(shares: readonly number[]): readonly Drops[] {
  const sums: number[][] = Array.from({ length: shares.length + 1 }, () => []);
  for (let mask = 0; mask < 2 ** shares.length; mask++) {
    const inside = shares.filter((_, i) => mask & (1 << i));
    sums[inside.length]!.push(inside.reduce((s, v) => s + v, 0));
  }
  return sums.map((of) => ({
    most: Math.max(...of),
    least: Math.min(...of),
    mean: of.reduce((s, v) => s + v, 0) / of.length,
  }));
}

function figure(
  score: number,
  most: readonly number[],
  least: readonly number[],
  mean: readonly number[],
): Figure {
  const over = (name: string, values: readonly number[]) => ({
    name,
    mark: "line" as const,
    points: values.map((v, k) => [k, v] as const),
  });
  return {
    title: "Inputs of a linear model taken away one by one",
    panels: [
      {
        title: "The score that is left",
        x: { label: "inputs taken away" },
        y: { label: "score" },
        series: [
          over("most relevant first", most),
          over("least relevant first", least),
          {
            ...over(
              "mean of all orders",
              mean.map((v) => score - v),
            ),
            role: "theory",
          },
        ],
      },
    ],
  };
}
