import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { layersOf } from "../../networks/layers/layers.ts";
import { gridIndicator, hardThreshold } from "../../networks/threshold/threshold.ts";
import { add, div, type Exact, toNumber } from "../../numbers/exact/rational.ts";
import { type Enclosure, isExact } from "../../numbers/interval/exact.ts";
import { distance, distanceToQuadratic } from "../../passes/distance.ts";
import { evaluate, linearPieces, type PiecewiseLinear } from "../../passes/pieces.ts";
import { sizes } from "../../passes/sizes.ts";
import { checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { greatestError } from "../line.ts";
import { integer } from "../parameter.ts";

export default lemma({
  id: "P-10",
  covers: ["P-10"],
  kind: "construction",
  title: "A hard threshold from two ReLUs",
  source: "Poggio, section 6.8.1, the remark on machine numbers after Lemma 2",
  statement: String.raw`\frac{(x + \varepsilon)_+ - (x - \varepsilon)_+}{2 \varepsilon} = \mathbf{1}[x \ge 0] \quad \text{for } |x| \ge \varepsilon`,
  parameters: {
    q: integer({ min: 0, max: 8, default: 3, label: "bits after the point" }),
    from: integer({ min: -8, max: 7, default: -3, label: "interval from, in steps of the grid" }),
    width: integer({ min: 1, max: 8, default: 8, label: "its width, in steps of the grid" }),
  },
  claims: {
    "value at 0": equals("1/2"),
    "value at -ε": equals("0"),
    "value at ε": equals("1"),
    "error for |x| >= ε": equals("0"),
    "error inside the guard band |x| < ε": equals("1/2"),
    "squared L2 error": equals(String.raw`\varepsilon / 6`),
    "error on the fixed-point numbers but 0": equals("0"),
    "indicator of an interval, error on all fixed-point numbers": equals("0"),
    "threshold, units": equals("2"),
    "indicator, units": equals("4"),
    "largest weight, as a power of two": equals("q"),
    "error on ONNX Runtime": equals("0"),
  },
  mutants: {
    "a band of 2ε, from -ε to ε, taken for ε": { "squared L2 error": ({ q }) => 2 ** -q / 24 },
    "the slope 1/ε for 1/(2ε)": { "largest weight, as a power of two": ({ q }) => q + 1 },
    "0 counted as not negative": { "value at 0": () => 1 },
  },
  async run({ q, from, width }, { budget }) {
    const to = from + width;
    const [spacing, e] = [2 ** -q, 2 ** -q / 2];
    const step = hardThreshold(e);
    const indicator = gridIndicator(from * spacing, to * spacing, spacing);
    const h = linearPieces(step, -16, 16);
    const error = distance(h, jump);
    const away = [linearPieces(step, -16, -e), linearPieces(step, e, 16)];
    const points = Array.from({ length: 33 }, (_, k) => (k - 16) * spacing);
    const inside = (x: number): number => (x >= from * spacing && x < to * spacing ? 1 : 0);
    const heaviside = (x: number): number => (x >= 0 ? 1 : 0);
    const nonzero = points.filter((x) => x !== 0);
    const largest = Math.max(
      ...layersOf(step).layers.flatMap(({ weights }) => [...weights.values].map(Math.abs)),
    );
    return {
      graph: indicator,
      ...(budget === "cheap" ? {} : { figure: figure(e, spacing, from, to) }),
      claims: {
        "value at 0": proved(evaluate(h, 0), 1 / 2),
        "value at -ε": proved(evaluate(h, -e), 0),
        "value at ε": proved(evaluate(h, e), 1),
        "error for |x| >= ε": proved(add(supFrom(away[0]!, 0), supFrom(away[1]!, 1)), 0),
        "error inside the guard band |x| < ε": proved(known(error.sup), 1 / 2),
        "squared L2 error": proved(known(error.squaredL2), div(e, 6)),
        "error on the fixed-point numbers but 0": proved(exactError(step, nonzero, heaviside), 0),
        "indicator of an interval, error on all fixed-point numbers": proved(
          exactError(indicator, points, inside),
          0,
        ),
        "threshold, units": checked(sizes(step).hiddenUnits!, 2),
        "indicator, units": checked(sizes(indicator).hiddenUnits!, 4),
        "largest weight, as a power of two": checked(Math.log2(largest), q),
        "error on ONNX Runtime": sampled(
          Math.max(
            await greatestError(step, nonzero, heaviside),
            await greatestError(indicator, points, inside),
          ),
          0,
        ),
      },
    };
  },
});

type Line = ReturnType<typeof linearPieces>;
const supFrom = (f: Line, level: number): Exact => distanceToQuadratic(f, [level, 0, 0]).sup;

/** An enclosed number that is known exactly; NaN, which fails every claim, if it is not. */
const known = (e: Enclosure): Exact => (isExact(e) ? e.lower : Number.NaN);

/** 1[x >= 0] on [-16, 16]. */
const jump: PiecewiseLinear = {
  knots: [-16, 0, 16],
  values: [0, 1, 1],
  limits: { left: [0, 0, 1], right: [0, 1, 1] },
};

/** The exact function of the network at points, against a function. */
function exactError(network: Graph, points: readonly number[], f: (x: number) => number): number {
  const pieces = linearPieces(network, points[0]!, points.at(-1)!);
  return Math.max(...points.map((x) => Math.abs(toNumber(evaluate(pieces, x)) - f(x))));
}

const curve = ({ knots, values }: Line) => knots.map((t, k) => [toNumber(t), toNumber(values[k]!)] as const);

function figure(e: number, spacing: number, from: number, to: number): Figure {
  const step = hardThreshold(e);
  const indicator = gridIndicator(from * spacing, to * spacing, spacing);
  const points = Array.from({ length: 19 }, (_, k) => (k - 9) * spacing);
  const [low, high] = [points[0]!, points.at(-1)!];
  const dots = (network: Graph) => {
    const pieces = linearPieces(network, low, high);
    return points.map((x) => [x, toNumber(evaluate(pieces, x))] as const);
  };
  return {
    title: `Hard thresholds on multiples of ${spacing}`,
    panels: [
      {
        title: "Two ReLUs: a step, exact but at 0",
        x: { label: "x" },
        y: { label: "value" },
        series: [
          { name: "between fixed-point numbers", mark: "line", points: curve(linearPieces(step, low, high)) },
          { name: "at fixed-point numbers", mark: "dots", points: dots(step) },
        ],
      },
      {
        title: `Four ReLUs: the indicator of [${from * spacing}, ${to * spacing})`,
        x: { label: "x" },
        y: { label: "value" },
        series: [
          {
            name: "between fixed-point numbers",
            mark: "line",
            points: curve(linearPieces(indicator, low, high)),
          },
          { name: "at fixed-point numbers", mark: "dots", points: dots(indicator) },
        ],
      },
    ],
  };
}
