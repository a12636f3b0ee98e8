import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { complexity } from "../../networks/layers/layers.ts";
import { bottleneckSquare } from "../../networks/square/nary.ts";
import { square } from "../../networks/square/square.ts";
import { zigzagSquare } from "../../networks/square/zigzags.ts";
import { toNumber } from "../../numbers/exact/rational.ts";
import { distanceToQuadratic, l1Distance } from "../../passes/distance.ts";
import { linearPieces } from "../../passes/pieces.ts";
import { atLeast, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";
import { greatestError } from "../telgarsky/plane.ts";

export default lemma({
  id: "C3-12",
  covers: ["C3-12"],
  kind: "construction",
  title: "Squaring, from deep and narrow to shallow and wide",
  source: "Mathematical Aspects of Deep Learning, Theorem 3.10, proof, and Theorem 3.14",
  statement: String.raw`f = x + \sum_{j=1}^{k} n^{-2(j-1)} p(z_{j-1}), \; z_j = \mathrm{zigzag}_n(z_{j-1}), \qquad \sup_{[0,1]} |f - x^2| = n^{-2k} / 4`,
  parameters: {
    n: integer({ min: 2, max: 10, default: 4, label: "teeth a layer" }),
    k: integer({ min: 1, max: 3, default: 3, label: "layers of teeth" }),
  },
  claims: {
    "sup error": equals("n^{-2k} / 4"),
    "least error (one-sided)": atLeast("0"),
    "linear pieces": equals("n^k"),
    "hidden layers": equals("k"),
    width: equals(String.raw`n + 1 \; (k \ge 2), \; n \; (k = 1)`),
    "nonzero weights": equals("(k-1) n^2 + (2k+1) n - 1"),
    "with bottlenecks, sup error": equals("n^{-2k} / 4"),
    "with bottlenecks, hidden layers": equals("2k - 1"),
    "with bottlenecks, nonzero weights": equals("(4k - 1) n + k - 2"),
    "error on ONNX Runtime": equals("n^{-2k} / 4"),
    "two teeth: hidden units": equals("3k - 1"),
    "two teeth: nonzero weights": equals("8k - 3"),
    "two teeth: distance from the squaring network": equals("0"),
  },
  mutants: {
    "the error of a chord halved": { "sup error": ({ n, k }) => n ** (-2 * k) / 8 },
    "no unit for the sum": { width: ({ n }) => n },
    "a layer lost": ({ k }) => ({ k: k - 1 }),
  },
  async run({ n, k }, { budget, progress }) {
    const [network, narrow] = [zigzagSquare(new Array<number>(k).fill(n)), bottleneckSquare(n, k)];
    const two = zigzagSquare(new Array<number>(k).fill(2));
    const pieces = linearPieces(network, 0, 1);
    await progress(0.5);
    const { sup, least } = distanceToQuadratic(pieces, [0, 0, 1]);
    const error = n ** (-2 * k) / 4;
    // 1/n^2 is rounded unless n is a power of two: weights with k roundings times units of at most n each.
    const tolerance = (n & (n - 1)) === 0 ? 0 : k * n * 2 ** -52;
    const [wide, thin] = [complexity(network), complexity(narrow)];
    const middles = Array.from({ length: n ** k }, (_, j) => [(j + 0.5) / n ** k]);
    return {
      graph: network,
      figure: budget === "cheap" ? undefined : figure(),
      claims: {
        "sup error": proved(sup, error, { tolerance }),
        "least error (one-sided)": proved(least, 0, { tolerance }),
        "linear pieces": proved(pieces.knots.length - 1, n ** k),
        "hidden layers": checked(wide.layers - 1, k),
        width: checked(wide.width, k === 1 ? n : n + 1),
        "nonzero weights": checked(wide.weights, (k - 1) * n ** 2 + (2 * k + 1) * n - 1),
        "with bottlenecks, sup error": proved(
          distanceToQuadratic(linearPieces(narrow, 0, 1), [0, 0, 1]).sup,
          error,
          { tolerance },
        ),
        "with bottlenecks, hidden layers": checked(thin.layers - 1, 2 * k - 1),
        "with bottlenecks, nonzero weights": checked(thin.weights, bottleneckWeights(n, k)),
        // Tolerance: the middles of pieces, and the sums of the layers, round to doubles near 1.
        "error on ONNX Runtime": sampled(await greatestError(network, middles, ([x]) => x! ** 2), error, {
          tolerance: tolerance + k * n * 2 ** -52,
        }),
        "two teeth: hidden units": checked(hiddenUnits(two), 3 * k - 1),
        "two teeth: nonzero weights": checked(complexity(two).weights, 8 * k - 3),
        "two teeth: distance from the squaring network": proved(
          l1Distance(linearPieces(two, 0, 1), linearPieces(square(k), 0, 1)).upper,
          0,
        ),
      },
    };
  },
});

const hiddenUnits = (f: Graph): number => complexity(f).neurons - 2;

const bottleneckWeights = (n: number, k: number): number => (4 * k - 1) * n + k - 2;

/** Error against units and weights, for several depths. */
function figure(): Figure {
  const depths = [1, 2, 3, 6];
  const of = (k: number) =>
    [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64].filter((n) => n ** k <= 2 ** 12).map((n) => ({ n, k }));
  const proven = ({ n, k }: { n: number; k: number }): number =>
    n ** k <= 256
      ? toNumber(distanceToQuadratic(linearPieces(zigzagSquare(new Array(k).fill(n)), 0, 1), [0, 0, 1]).sup)
      : n ** (-2 * k) / 4;
  const panel = (title: string, label: string, size: (n: number, k: number) => number) => ({
    title,
    x: { label, scale: "log" as const },
    y: { label: "sup error", scale: "log" as const },
    series: depths.map((k) => ({
      name: `${k} hidden layer${k > 1 ? "s" : ""} of teeth`,
      mark: "line" as const,
      points: of(k).map(({ n }) => [size(n, k), proven({ n, k })] as const),
    })),
  });
  return {
    title: "Squaring: depth buys accuracy",
    panels: [
      panel("Error against hidden units", "hidden units", (n, k) =>
        hiddenUnits(zigzagSquare(new Array(k).fill(n))),
      ),
      panel("Error against weights, each sawtooth in one unit", "nonzero weights", bottleneckWeights),
    ],
  };
}
