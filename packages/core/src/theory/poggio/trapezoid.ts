import type { Figure, Panel } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { sum } from "../../networks/calculus/calculus.ts";
import { layersOf } from "../../networks/layers/layers.ts";
import { type Ramps, trapezoid } from "../../networks/trapezoid.ts";
import { div, type Exact, mul, toNumber } from "../../numbers/exact/rational.ts";
import { type Enclosure, isExact } from "../../numbers/interval/exact.ts";
import { distance, distanceToQuadratic } from "../../passes/distance.ts";
import { linearPieces, type PiecewiseLinear } from "../../passes/pieces.ts";
import { sizes } from "../../passes/sizes.ts";
import { checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { valuesAt } from "../line.ts";
import { integer } from "../parameter.ts";

const grid = 64;

export default lemma({
  id: "P-06",
  covers: ["P-06"],
  kind: "construction",
  title: "Four ReLUs nearly indicate an interval",
  source: "Poggio, section 6.8.1, the construction before Lemma 2",
  statement: String.raw`R(x) = \tfrac{1}{\eta}\left[(x - x_0)_+ - (x - x_0 - \eta)_+ - (x - x_1)_+ + (x - x_1 - \eta)_+\right], \quad \|\chi_{[x_0, x_1)} - R\|_{L^2[0,1]}^2 = \tfrac{2}{3}\eta`,
  parameters: {
    start: integer({ min: 0, max: 48, default: 16, label: "x0, in 64ths" }),
    width: integer({ min: 8, max: 48, default: 28, label: "x1 - x0, in 64ths, if both ramps fit" }),
    k: integer({ min: 3, max: 12, default: 4, label: "η = 2^-k" }),
  },
  claims: {
    "squared L2 error": equals(String.raw`\tfrac{2}{3} \eta`),
    "L1 error": equals(String.raw`\eta`),
    "sup error (the indicator jumps)": equals("1"),
    "squared L2 error, ramps outside": equals(String.raw`\tfrac{2}{3} \eta`),
    "squared L2 error, ramps centred": equals(String.raw`\tfrac{1}{6} \eta`),
    "largest weight": equals(
      String.raw`2 / (3 \varepsilon^2), \; \varepsilon \text{ the } L^2 \text{ error}`,
    ),
    "hidden units": equals("4"),
    "neighbours add up, least value on [x_0 + eta, x_k]": equals("1"),
    "neighbours add up, greatest value there": equals("1"),
    "squared L2 error on ONNX Runtime": equals(String.raw`\tfrac{2}{3} \eta`),
  },
  mutants: {
    "one ramp counted": {
      "squared L2 error": ({ k }) => ({ numerator: 1n, denominator: 3n * 2n ** BigInt(k) }),
    },
    "half a ramp on each side errs half as much": {
      "squared L2 error, ramps centred": ({ k }) => 2 ** -k / 3,
    },
    "1/ε² for 2/(3ε²)": { "largest weight": (_, { theory }) => 1.5 * theory },
  },
  async run({ start, width, k }, { budget }) {
    const eta = 2 ** -k;
    const [x0, x1] = [start / grid, Math.min((start + width) / grid, 1 - eta)];
    const network = trapezoid(x0, x1, eta);
    const error = errors(network, x0, x1);
    const squared = (ramps: Ramps): Exact => errors(trapezoid(x0, x1, eta, { ramps }), x0, x1).squaredL2;
    const weights = layersOf(network).layers.flatMap(({ weights: w }) => [...w.values]);
    const ramp = narrower(x0, x1, eta);
    const total = distanceToQuadratic(linearPieces(neighbours(x0, x1, ramp), x0 + ramp, x1), [0, 0, 0]);
    const third = { numerator: 2n, denominator: 3n * 2n ** BigInt(k) };
    return {
      graph: network,
      ...(budget === "cheap" ? {} : { figure: figure(x0, x1, eta) }),
      claims: {
        "squared L2 error": proved(error.squaredL2, third),
        "L1 error": proved(error.l1, eta),
        "sup error (the indicator jumps)": proved(error.sup, 1),
        // A ramp that begins left of 0 would be cut off.
        ...(x0 >= eta
          ? {
              "squared L2 error, ramps outside": proved(squared("outside"), third),
              "squared L2 error, ramps centred": proved(squared("centred"), div(eta, 6)),
            }
          : {}),
        "largest weight": proved(Math.max(...weights.map(Math.abs)), div(2, mul(3, error.squaredL2))),
        "hidden units": checked(sizes(network).hiddenUnits!, 4),
        "neighbours add up, least value on [x_0 + eta, x_k]": proved(total.least, 1),
        "neighbours add up, greatest value there": proved(total.greatest, 1),
        // The runtime's values at the knots, integrated in floating point.
        "squared L2 error on ONNX Runtime": sampled(await runtimeError(network, x0, x1, eta), (2 * eta) / 3, {
          tolerance: 1e-12,
        }),
      },
    };
  },
});

/** Four trapezoids side by side between x0 and x1, with ramps of this width. */
function neighbours(x0: number, x1: number, ramp: number): Graph {
  const edges = [0, 1, 2, 3, 4].map((j) => x0 + (j * (x1 - x0)) / 4);
  return sum(edges.slice(1).map((to, j) => trapezoid(edges[j]!, to, ramp)));
}

/** The greatest power of two that is at most eta and a quarter of the interval. */
const narrower = (x0: number, x1: number, eta: number): number =>
  2 ** Math.floor(Math.log2(Math.min(eta, (x1 - x0) / 4)));

/** An enclosed number that is known exactly; NaN, which fails every claim, if it is not. */
const known = (e: Enclosure): Exact => (isExact(e) ? e.lower : Number.NaN);

/** The indicator of [x0, x1) on [0, 1]. */
const indicator = (x0: number, x1: number): PiecewiseLinear =>
  x0 === 0
    ? { knots: [0, x1, 1], values: [1, 0, 0], limits: { left: [1, 1, 0], right: [1, 0, 0] } }
    : { knots: [0, x0, x1, 1], values: [0, 1, 0, 0], limits: { left: [0, 0, 1, 0], right: [0, 1, 0, 0] } };

function errors(network: Graph, x0: number, x1: number) {
  const { sup, l1, squaredL2 } = distance(linearPieces(network, 0, 1), indicator(x0, x1));
  return { sup: known(sup), l1: known(l1), squaredL2: known(squaredL2) };
}

/** The square of a linear function from p to q integrates to length (p^2 + p q + q^2) / 3. */
async function runtimeError(network: Graph, x0: number, x1: number, eta: number): Promise<number> {
  const knots = [...new Set([0, x0, x0 + eta, x1, x1 + eta, 1])].sort((a, b) => a - b);
  const y = await valuesAt(network, knots);
  return knots.slice(1).reduce((total, to, k) => {
    const level = knots[k]! >= x0 && knots[k]! < x1 ? 1 : 0;
    const [p, q] = [y[k]! - level, y[k + 1]! - level];
    return total + ((to - knots[k]!) * (p * p + p * q + q * q)) / 3;
  }, 0);
}

const shape = (network: Graph) => {
  const { knots, values } = linearPieces(network, 0, 1);
  return knots.map((t, k) => [toNumber(t), toNumber(values[k]!)] as const);
};

function figure(x0: number, x1: number, eta: number): Figure {
  const box = [
    [0, 0],
    [x0, 0],
    [x0, 1],
    [x1, 1],
    [x1, 0],
    [1, 0],
  ] as const;
  const shapes: Panel = {
    title: `The interval [${x0}, ${x1}), η = ${eta}`,
    x: { label: "x" },
    y: { label: "value" },
    series: [
      { name: "indicator", mark: "line", role: "theory", points: box },
      { name: "R, ramps as printed", mark: "line", points: shape(trapezoid(x0, x1, eta)) },
      ...(x0 >= eta
        ? [
            {
              name: "ramps centred on the ends",
              mark: "line" as const,
              points: shape(trapezoid(x0, x1, eta, { ramps: "centred" })),
            },
          ]
        : []),
    ],
  };
  const widths = Array.from({ length: 9 }, (_, k) => 2 ** -(k + 4)).filter(
    (w) => w <= Math.min(x1 - x0, 1 - x1),
  );
  const squared = (w: number, ramps: Ramps) =>
    toNumber(errors(trapezoid(x0, x1, w, { ramps }), x0, x1).squaredL2);
  const decay: Panel = {
    title: "Squared L² error against the largest weight 1/η",
    x: { label: "largest weight", scale: "log" },
    y: { label: "squared L² error", scale: "log" },
    series: [
      { name: "as printed, exact", mark: "dots", points: widths.map((w) => [1 / w, squared(w, "right")]) },
      {
        name: "centred, exact",
        mark: "dots",
        points: widths.filter((w) => w <= x0).map((w) => [1 / w, squared(w, "centred")]),
      },
      { name: "theory: 2η/3", mark: "line", role: "theory", points: widths.map((w) => [1 / w, (2 * w) / 3]) },
      { name: "theory: η/6", mark: "line", role: "theory", points: widths.map((w) => [1 / w, w / 6]) },
    ],
  };
  return { title: "An interval's indicator from 4 ReLUs", panels: [shapes, decay] };
}
