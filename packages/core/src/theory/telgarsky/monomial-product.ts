import type { Figure } from "../../figure/figure.ts";
import { productOf } from "../../networks/monomial.ts";
import { valueExactly } from "../../networks/product/distance.ts";
import { toNumber } from "../../numbers/exact/rational.ts";
import { sizes } from "../../passes/sizes.ts";
import { atLeast, atMost, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { printedChain } from "./partition-printed.ts";
import { exactProductOfPoint, greatestErrorExactly, type Point, valuesAt } from "./plane.ts";

export default lemma({
  id: "T-34",
  covers: ["T-34"],
  kind: "construction",
  title: "Products of many factors, exactly zero where a factor is zero",
  source: "Telgarsky, Lemma 5.3",
  statement: String.raw`\Big|\mathrm{prod}_{k,l}(x) - \prod_{j \le l} x_j\Big| \le l\,4^{-k}, \qquad \mathrm{prod}_{k,l}(x) \in [0,1], \qquad \mathrm{prod}_{k,l}(x) = 0 \text{ if some } x_j = 0`,
  parameters: {
    l: integer({ min: 2, max: 8, default: 4, label: "factors l" }),
    k: integer({ min: 1, max: 8, default: 4, label: "levels k" }),
    layout: choice(["chain", "tree"], { label: "layout" }),
  },
  claims: {
    "certified error": equals("(l - 1) 4^{-k-1}"),
    "certified error against the lemma's": atMost("l 4^{-k}").loose({
      where: "Lemma 5.3",
      printed: String.raw`\left| \text{prod}_{k,l}(x) - \prod_{j=1}^l x_j \right| \leq l \cdot 4^{-k}`,
      corrected: String.raw`(l - 1) 4^{-k-1}, \text{ with two squares on one scale for each product}`,
    }),
    "error on ONNX Runtime": atMost(String.raw`\text{the certified error of a run in f64}`),
    "least value": atLeast("0"),
    "greatest value": atMost("1"),
    "where a factor is zero": equals("0"),
    "hidden layers": equals(
      String.raw`(k + 1) (l - 1) \text{ or, as a tree, } (k + 1) \lceil \log_2 l \rceil`,
    ),
    "hidden units": atMost(
      String.raw`(l-1)(5k + 3) + (k+1)(l-1)(l-2)/2 \text{ or, as a tree, } (l-1)(5k+3) + (k+1)\lceil\log_2 l\rceil`,
    ),
    "printed product, error": atMost(String.raw`\tfrac12 (l - 1) 4^{-k}`),
  },
  mutants: {
    "l products for l factors": { "certified error": ({ l, k }) => l * 4 ** -(k + 1) },
    "k layers for a product": {
      "hidden layers": ({ l, k, layout }) => k * (layout === "chain" ? l - 1 : Math.ceil(Math.log2(l))),
    },
    "a level lost": ({ k }) => ({ k: k - 1 }),
  },
  async run({ l, k, layout }, { random, scale, budget, progress }) {
    const made = productOf(l, { levels: k, layout, nonnegative: true });
    const dyadic = (): number => random.integer(0, 2 ** (k + 2)) / 2 ** (k + 2);
    const points: Point[] = Array.from({ length: scale(2000) }, (_, i) =>
      Array.from({ length: l }, () => (i % 2 ? dyadic() : random.uniform() ** (i % 3 ? 0.2 : 1))),
    );
    const values = await valuesAt(made.network, points);
    await progress(0.5);
    const zeros = points.slice(0, scale(60)).map((x) => {
      const place = random.integer(0, l - 1);
      return x.map((c, i) => (i === place ? 0 : c));
    });
    const onZeros = zeros.reduce(
      (most, x) => Math.max(most, Math.abs(toNumber(valueExactly(made.network, x)))),
      0,
    );
    const printedError = points.reduce(
      (most, x) => Math.max(most, Math.abs(printedChain(k, x) - x.reduce((p, c) => p * c, 1))),
      0,
    );
    const { hiddenUnits, depth } = sizes(made.network);
    const stages = layout === "chain" ? l - 1 : Math.ceil(Math.log2(l));
    const carried = layout === "chain" ? ((l - 1) * (l - 2)) / 2 : stages;
    return {
      graph: made.network,
      figure: budget === "cheap" ? undefined : figure(k),
      claims: {
        "certified error": proved(made.error, (l - 1) * 4 ** -(k + 1)),
        "certified error against the lemma's": proved(made.error, l * 4 ** -k),
        "error on ONNX Runtime": sampled(
          await greatestErrorExactly(made.network, points, exactProductOfPoint),
          made.runError,
        ),
        "least value": sampled(Math.min(...values), 0, { tolerance: made.runError - made.error }),
        "greatest value": sampled(Math.max(...values), 1, { tolerance: made.runError - made.error }),
        "where a factor is zero": checked(onZeros, 0),
        "hidden layers": checked(depth, (k + 1) * stages),
        "hidden units": checked(hiddenUnits!, (l - 1) * (5 * k + 3) + (k + 1) * carried),
        // Values of x^2 and of its interpolant are rounded.
        "printed product, error": sampled(printedError, ((l - 1) / 2) * 4 ** -k, { tolerance: 2 ** -45 }),
      },
    };
  },
});

function figure(k: number): Figure {
  const factors = [2, 3, 4, 5, 6, 8, 10, 12, 16];
  const series = (layout: "chain" | "tree") => ({
    name: layout,
    mark: "dots" as const,
    points: factors.map((l) => {
      const { network } = productOf(l, { levels: k, layout, nonnegative: true });
      return [l, sizes(network).hiddenUnits!] as const;
    }),
  });
  return {
    title: `Products of l factors with ${k} levels: what carrying the factors costs`,
    panels: [
      {
        title: "Hidden units",
        x: { label: "factors l", scale: "log" },
        y: { label: "hidden units", scale: "log" },
        series: [
          series("chain"),
          series("tree"),
          { name: "5 k l", mark: "line", role: "theory", points: factors.map((l) => [l, 5 * k * l]) },
          { name: "k l²", mark: "line", role: "theory", points: factors.map((l) => [l, k * l * l]) },
        ],
      },
    ],
  };
}
