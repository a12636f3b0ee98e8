import { run } from "../../engine/run.ts";
import { type Figure, power } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { complexity } from "../../networks/layers/layers.ts";
import { recurrentSquare, recurrentSquareUnits, unrolledSquare } from "../../networks/square/recurrent.ts";
import { zigzagSquare } from "../../networks/square/zigzags.ts";
import { div, type Exact, toNumber } from "../../numbers/exact/rational.ts";
import { distanceToQuadratic } from "../../passes/distance.ts";
import { curvedSupBound } from "../../passes/piece-bounds.ts";
import { linearPieces } from "../../passes/pieces.ts";
import { sizes } from "../../passes/sizes.ts";
import { atLeast, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { grid, unitCurve, valuesAt } from "../line.ts";
import { integer } from "../parameter.ts";

export default lemma({
  id: "C1b-41",
  covers: ["C1b-41"],
  kind: "construction",
  title: "A recurrent network of five units that squares",
  source: "Book, section 1.6, recurrent networks (Bohn and Feischl 2019, Theorem 4.4)",
  statement: String.raw`u \leftarrow \sigma(A u) \text{ with five units}, \qquad \sup_{x \in [0,1]} |y_T(x) - x^2| = 4^{-(T+1)}`,
  parameters: { T: integer({ min: 0, max: 10, default: 6, label: "steps" }) },
  claims: {
    "sup error": equals("4^{-(T+1)}"),
    "least error (one-sided)": atLeast("0"),
    "linear pieces": equals("2^T"),
    "error on ONNX Runtime, as a Loop": equals("4^{-(T+1)}"),
    "Loop against the unrolled network, greatest difference": equals("0"),
    "units of the state": equals("5"),
    "weights of a step that are not zero": equals("10"),
    "unrolled, hidden layers": equals("T + 1"),
    "unrolled, hidden units": equals("5 (T + 1)"),
    "after six steps, as a part of what no five units reach without recurrence": equals(
      String.raw`\tfrac12, \text{ of } \tfrac{1}{8 \cdot 32^2} \text{ (C1a-55)}`,
    ),
    "five units without recurrence, the best built": atLeast(String.raw`\frac{1}{8 \cdot 32^2}`).looseBy(40),
  },
  mutants: {
    "exponent off by one": { "sup error": ({ T }) => 4 ** -T },
    "a step lost": ({ T }) => ({ T: T - 1 }),
    "two pieces more a step, not twice as many": { "linear pieces": ({ T }) => 2 * T },
  },
  async run({ T }, { budget }) {
    const network = recurrentSquare();
    const unrolled = unrolledSquare(T);
    const { sup, least } = distance(unrolled);
    const points = grid(2 ** (T + 1));
    const [looped, flat] = [await steps(network, points, T), await valuesAt(unrolled, points)];
    return {
      graph: network,
      ...(budget !== "cheap" && { figure: figure(T) }),
      claims: {
        "sup error": proved(sup, 4 ** -(T + 1)),
        "least error (one-sided)": proved(least, 0),
        "linear pieces": proved(linearPieces(unrolled, 0, 1).knots.length - 1, 2 ** T),
        "error on ONNX Runtime, as a Loop": sampled(
          greatest(looped, (k) => points[k]! ** 2),
          4 ** -(T + 1),
        ),
        "Loop against the unrolled network, greatest difference": sampled(
          greatest(looped, (k) => flat[k]!),
          0,
        ),
        "units of the state": checked(Math.max(...sizes(unrolled).widths.map((w) => w!)), 5),
        "weights of a step that are not zero": checked(complexity(unrolledSquare(1)).weightsByLayer[1]!, 10),
        "unrolled, hidden layers": checked(sizes(unrolled).depth, T + 1),
        "unrolled, hidden units": checked(sizes(unrolled).hiddenUnits!, 5 * (T + 1)),
        "after six steps, as a part of what no five units reach without recurrence": proved(
          div(distance(unrolledSquare(6)).sup, fiveUnits),
          1 / 2,
        ),
        "five units without recurrence, the best built": proved(
          distance(zigzagSquare([5], { best: "sup" })).sup,
          fiveUnits,
        ),
      },
    };
  },
});

/** No feed-forward network with five units comes nearer: at most 2^5 pieces. */
const fiveUnits: Exact = curvedSupBound(2 ** recurrentSquareUnits, 2);

const distance = (network: Graph) => distanceToQuadratic(linearPieces(network, 0, 1), [0, 0, 1]);

async function steps(network: Graph, points: readonly number[], T: number): Promise<number[]> {
  const x = tensor(points, { dims: [points.length, 1] });
  const { y } = await run(network, { x, steps: tensor(T, { type: "int64" }) });
  return Array.from(numbers(y!));
}

const greatest = (values: readonly number[], wanted: (k: number) => number): number =>
  values.reduce((worst, v, k) => Math.max(worst, Math.abs(v - wanted(k))), 0);

function figure(T: number): Figure {
  const all = Array.from({ length: 11 }, (_, k) => k);
  return {
    title: `Five recurrent ReLUs square: after ${T} steps to within ${power(4, -(T + 1))}`,
    panels: [
      {
        title: "After few steps",
        x: { label: "x" },
        y: { label: "value" },
        series: [
          { name: "x²", mark: "line", role: "theory", points: grid(200).map((x) => [x, x * x]) },
          ...[0, 1, 2].map((k) => ({
            name: `${k} steps`,
            mark: "line" as const,
            points: unitCurve(unrolledSquare(k)),
          })),
        ],
      },
      {
        title: "Error against steps, always the same five units",
        x: { label: "steps" },
        y: { label: "sup error", scale: "log" },
        series: [
          {
            name: "recurrent, measured",
            mark: "dots",
            points: all.filter((k) => k <= 8).map((k) => [k, toNumber(distance(unrolledSquare(k)).sup)]),
          },
          {
            name: "theory: 4^-(T+1)",
            mark: "line",
            role: "theory",
            points: all.map((k) => [k, 4 ** -(k + 1)]),
          },
          {
            name: "lower bound for any five units without recurrence",
            mark: "line",
            role: "theory",
            points: [0, 10].map((k) => [k, toNumber(fiveUnits)]),
          },
        ],
      },
    ],
  };
}
