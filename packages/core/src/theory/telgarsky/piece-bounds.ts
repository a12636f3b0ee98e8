import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { sum } from "../../networks/calculus/calculus.ts";
import { layersOf, network as networkOf } from "../../networks/layers/layers.ts";
import { randomNetwork } from "../../networks/layers/random.ts";
import { mostPieces } from "../../networks/triangle/folds.ts";
import { type Exact, toNumber } from "../../numbers/exact/rational.ts";
import type { Random } from "../../numbers/random.ts";
import { pieceBounds } from "../../passes/piece-bounds.ts";
import { linearPieces } from "../../passes/pieces.ts";
import { sizes } from "../../passes/sizes.ts";
import { atMost, checked, equals, proved } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { curve, pieceCount } from "../line.ts";
import { integer } from "../parameter.ts";

export default lemma({
  id: "T-30",
  covers: ["T-30"],
  kind: "bound",
  title: "How many linear pieces widths allow",
  source: "Telgarsky, Lemmas 4.9 and 4.11",
  statement: String.raw`N_A(f) \le \prod_{j=1}^{H} (m_j + 1) \le \left(1 + \frac{M}{H}\right)^H \le \left(\frac{2M}{H}\right)^H, \quad M = \sum_j m_j`,
  parameters: {
    a: integer({ min: 1, max: 6, default: 3, label: "first width" }),
    b: integer({ min: 0, max: 6, default: 4, label: "second width (0: one hidden layer)" }),
    c: integer({ min: 0, max: 4, default: 3, label: "third width (0: none)" }),
  },
  claims: {
    "pieces of a random network": atMost(String.raw`\prod_j (m_j + 1)`),
    "pieces of a network built for it, widths at least 3": equals(String.raw`\prod_j (m_j + 1)`),
    "its hidden units": equals("M"),
    "its pieces, by their number": atMost("(1 + M/H)^H"),
    "its pieces, Lemma 4.9": atMost("(2M/H)^H").printed().looseBy(1.4),
    "its pieces, proof of Lemma 4.9": atMost(String.raw`2^H \prod_j m_j`).printed().looseBy(1.4),
    "pieces of a unit of its last hidden layer": atMost(String.raw`2^H \prod_{j<H} m_j`).printed(),
    "pieces of f + g": atMost("N_A(f) + N_A(g) - 1"),
    "pieces of f + g, as printed": equals("N_A(f) + N_A(g)").printed({
      where: "proof of Lemma 4.11, item 2",
      printed: String.raw`$N_A(a_i g_i) \leq N_A(g_i)$ (equality if $a_i \neq 0$), thus induction with the preceding gives $N_A(\sum_i a_i g_i) = \sum_i N_A(g_i)$`,
      corrected: String.raw`$N_A(\sum_i a_i g_i) \leq \sum_i N_A(g_i) - (k - 1)$`,
    }),
    "pieces of f after g": atMost(String.raw`N_A(f) \, N_A(g)`),
    "pieces when all widths are 1": atMost(String.raw`3 \text{, not } 2^H`),
  },
  mutants: {
    "m_j pieces from m_j bends": {
      "pieces of a random network": ({ a, b, c }) => pieceBounds(widthsOf(a, b, c).map((m) => m - 1)).product,
    },
    "bends counted, not pieces": { "pieces of f + g": (_, { theory }) => theory - 1 },
    "a ReLU adds no piece": {
      "pieces of a unit of its last hidden layer": (_, { theory }) => theory / 2,
    },
  },
  async run({ a, b, c }, { random, budget }) {
    const widths = widthsOf(a, b, c);
    const bounds = pieceBounds(widths);
    const network = drawn(random, widths);
    const wide = widths.map((m) => Math.max(m, 3));
    const folded = mostPieces(wide);
    const [most, ofWide] = [pieces(folded), pieceBounds(wide)];
    const [f, g] = [drawn(random, [a]), drawn(random, [Math.max(1, b)])];
    const narrow = drawn(
      random,
      widths.map(() => 1),
    );
    return {
      graph: folded,
      ...(budget !== "cheap" && { figure: figure(random) }),
      claims: {
        "pieces of a random network": proved(pieces(network), bounds.product),
        "pieces of a network built for it, widths at least 3": proved(most, ofWide.product),
        "its hidden units": checked(
          sizes(folded).hiddenUnits!,
          wide.reduce((all, m) => all + m, 0),
        ),
        "its pieces, by their number": proved(most, ofWide.mean),
        "its pieces, Lemma 4.9": proved(most, ofWide.doubledMean),
        "its pieces, proof of Lemma 4.9": proved(most, ofWide.doubled),
        "pieces of a unit of its last hidden layer": proved(
          Math.max(...unitsOfLastLayer(folded).map(pieces)),
          nodeBound(wide),
        ),
        "pieces of f + g": proved(pieces(sum([f, g])), pieces(f) + pieces(g) - 1),
        "pieces of f + g, as printed": proved(pieces(sum([f, g])), pieces(f) + pieces(g)),
        // The last fold after those before it.
        ...(wide.length > 1 && {
          "pieces of f after g": proved(
            most,
            pieces(mostPieces(wide.slice(-1))) * pieces(mostPieces(wide.slice(0, -1))),
          ),
        }),
        "pieces when all widths are 1": proved(pieces(narrow), 3),
      },
    };
  },
});

const widthsOf = (a: number, b: number, c: number): readonly number[] =>
  b === 0 ? [a] : c === 0 ? [a, b] : [a, b, c];

/** All bends lie within: on a piece a unit is a t + b, where a is a multiple of 8^-4 and |b| < 2^10. */
const line = 2 ** 24;
const pieces = (network: Graph): number => pieceCount(linearPieces(network, -line, line));

const drawn = (random: Random, widths: readonly number[]): Graph =>
  randomNetwork(random, [1, ...widths, 1], { density: 1, denominator: 8 });

/** 2^H prod_{j<H} m_j, for the output of a unit in layer H. */
const nodeBound = (widths: readonly number[]): Exact =>
  2 ** widths.length * widths.slice(0, -1).reduce((product, m) => product * m, 1);

/** Each unit of the last hidden layer, after its ReLU, as a network of its own. */
function unitsOfLastLayer(network: Graph): Graph[] {
  const { layers } = layersOf(network);
  const last = layers.at(-1)!;
  return Array.from({ length: last.weights.columns }, (_, unit) => {
    const weights = { ...last.weights, rows: 1, starts: Int32Array.of(0, 1), columnOf: Int32Array.of(unit) };
    return networkOf([
      ...layers.slice(0, -1),
      { weights: { ...weights, values: Float64Array.of(1) }, bias: new Float64Array(1) },
    ]);
  });
}

function figure(random: Random): Figure {
  const depths = [1, 2, 3, 4];
  const of = (depth: number) => Array<number>(depth).fill(3);
  const drawnCounts = depths.flatMap((depth) =>
    Array.from({ length: 5 }, () => [3 * depth, pieces(drawn(random, of(depth)))] as const),
  );
  const theory = (name: string, bound: (depth: number) => Exact) => ({
    name,
    mark: "line" as const,
    role: "theory" as const,
    points: depths.map((depth) => [3 * depth, toNumber(bound(depth))] as const),
  });
  const shown = linearPieces(mostPieces([3, 3]), -2.5, 5.5);
  return {
    title: "Widths of three: four pieces a layer, and no more",
    panels: [
      {
        title: "Two layers of three units, sixteen pieces",
        x: { label: "x" },
        y: { label: "value" },
        series: [
          {
            name: "network built for it",
            mark: "line",
            points: curve(shown),
          },
        ],
      },
      {
        title: "Linear pieces against hidden units, three a layer",
        x: { label: "hidden units" },
        y: { label: "linear pieces on the line", scale: "log" },
        series: [
          { name: "random networks", mark: "dots", points: drawnCounts },
          {
            name: "built for it",
            mark: "dots",
            points: depths.map((d) => [3 * d, pieces(mostPieces(of(d)))]),
          },
          theory("product of widths + 1", (depth) => pieceBounds(of(depth)).product),
          theory("printed: (2 units / layers)^layers", (depth) => pieceBounds(of(depth)).doubledMean),
          {
            name: "one hidden layer: units + 1",
            mark: "line",
            role: "theory",
            points: depths.map((d) => [3 * d, 3 * d + 1]),
          },
        ],
      },
    ],
  };
}
