import { type Figure, power } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { complexity } from "../../networks/layers/layers.ts";
import { distanceToProduct } from "../../networks/product/distance.ts";
import {
  multiplication,
  multiplicationError,
  multiplicationLevels,
  polarizedMultiplication,
  signedProduct,
} from "../../networks/product/product.ts";
import { antidiagonalGrid, diamondGrid } from "../../networks/product/triangulation.ts";
import { max, toNumber } from "../../numbers/exact/rational.ts";
import { atMost, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import {
  exactProductOfPoint,
  gapCurve,
  greatestError,
  greatestErrorExactly,
  lattice,
  productOfPoint,
  slice,
  supOf,
  valuesAt,
} from "../telgarsky/plane.ts";

export default lemma({
  id: "C3-13",
  covers: ["C3-13"],
  kind: "construction",
  title: "Multiplication from two squares",
  source: "Mathematical Aspects of Deep Learning, Theorem 3.10, proof",
  statement: String.raw`D^2\left[f_m\left(\tfrac{|x+y|}{2D}\right) - f_m\left(\tfrac{|x-y|}{2D}\right)\right] = xy \pm D^2 4^{-m-1} \text{ on } [-D,D]^2`,
  parameters: {
    m: integer({ min: 1, max: 5, default: 4, label: "levels" }),
    D: integer({ min: 1, max: 9, default: 3, label: "bound of the factors" }),
    "log eps": real({ min: -12, max: 0, default: -6, label: "log10 of the error asked for" }),
  },
  claims: {
    "greatest error": equals("D^2 4^{-m-1}"),
    "least error": equals("-D^2 4^{-m-1}"),
    "on the axes": equals("0"),
    "greatest value": equals("D^2"),
    "least value": equals("-D^2"),
    asymmetry: equals("0"),
    "area of the proof": equals("4 D^2"),
    "affine maps, L": equals("m + 2"),
    "neurons, N": equals("6m + 5"),
    "nonzero weights, M": equals("16m + 6"),
    "one accumulator for both squares, N": equals("5m + 6"),
    "one accumulator for both squares, error": equals("D^2 4^{-m-1}"),
    "three squares, least error": equals("-D^2 4^{-m}"),
    "three squares, greatest error": equals("0"),
    "three squares, N": equals("9m + 6"),
    "three squares, one accumulator, N": equals("7m + 8"),
    "error on ONNX Runtime": equals("D^2 4^{-m-1}"),
    "certified error of a run in f64 at the levels for eps": atMost(String.raw`\varepsilon`),
    "error at the levels for eps, on ONNX Runtime": atMost(
      String.raw`\text{the certified error of a run in f64}`,
    ),
    "levels for eps": equals(
      String.raw`\max(1, \lceil \tfrac12 \log_2(D^2/(\varepsilon - \rho)) - 1 \rceil), \; \rho \text{ the rounding of a run}`,
    ),
  },
  mutants: {
    "two squares as bad as three": { "greatest error": ({ m, D }) => D ** 2 * 4 ** -m },
    "the bound D not squared": { "least error": ({ m, D }) => -D * 4 ** -(m + 1) },
    "a level lost": ({ m }) => ({ m: m - 1 }),
  },
  async run({ m, D, "log eps": logEps }, { budget, random, scale, progress }) {
    const bound = D;
    const network = multiplication(m, { bound });
    const shared = multiplication(m, { bound, accumulators: "shared" });
    const three = polarizedMultiplication(m, { bound });
    const [two, both] = [network, shared].map((f) => distanceToProduct(f, diamondGrid(D, 2 ** m)));
    await progress(0.4);
    const polarized = distanceToProduct(three, antidiagonalGrid(-D, D, 2 ** m));
    await progress(0.7);
    const eps = 10 ** logEps;
    const levels = multiplicationLevels(eps, D);
    const deep = multiplication(levels, { bound });
    const ofDeep = multiplicationError(levels, { bound });
    const left = eps - (ofDeep.runError - ofDeep.error);
    const nearest = D / 2 ** (m + 1); // odd multiples of it are the middles of the diamonds' sides
    const worst = lattice(-D + nearest, D - nearest, 2 ** (m + 1) - 1);
    const anywhere = Array.from({ length: scale(1000) }, () =>
      [0, 0].map(() => D * (2 * random.uniform() - 1)),
    );
    const swapped = await valuesAt(
      network,
      anywhere.map(([x, y]) => [y!, x!]),
    );
    const straight = await valuesAt(network, anywhere);
    const { layers, neurons, weights } = complexity(network);
    const axes = [
      [1, 0],
      [0, 1],
    ].map((direction) => supOf(slice(network, direction, [0, 0], -D, D)));
    return {
      graph: network,
      figure: budget === "cheap" ? undefined : figure(m, D),
      claims: {
        "greatest error": proved(two!.greatest, D ** 2 * 4 ** -(m + 1)),
        "least error": proved(two!.least, -(D ** 2) * 4 ** -(m + 1)),
        "on the axes": proved(max(axes[0]!, axes[1]!), 0),
        "greatest value": proved(two!.greatestValue, D ** 2),
        "least value": proved(two!.leastValue, -(D ** 2)),
        asymmetry: sampled(
          straight.reduce((most, z, k) => Math.max(most, Math.abs(z - swapped[k]!)), 0),
          0,
          { tolerance: D ** 2 * (m + 2) * 2 ** -52 }, // the two sums are rounded in another order
        ),
        "area of the proof": proved(two!.area, 4 * D ** 2),
        "affine maps, L": checked(layers, m + 2),
        "neurons, N": checked(neurons, 6 * m + 5),
        "nonzero weights, M": checked(weights, 16 * m + 6),
        "one accumulator for both squares, N": checked(complexity(shared).neurons, 5 * m + 6),
        "one accumulator for both squares, error": proved(both!.sup, D ** 2 * 4 ** -(m + 1)),
        "three squares, least error": proved(polarized.least, -(D ** 2) * 4 ** -m),
        "three squares, greatest error": proved(polarized.greatest, 0),
        "three squares, N": checked(complexity(three).neurons, 9 * m + 6),
        "three squares, one accumulator, N": checked(
          complexity(signedProduct(m, { bound })).neurons,
          7 * m + 8,
        ),
        // The points are dyadic multiples of D: the runtime does not round.
        "error on ONNX Runtime": sampled(
          await greatestError(network, worst, productOfPoint),
          D ** 2 * 4 ** -(m + 1),
        ),
        "certified error of a run in f64 at the levels for eps": proved(ofDeep.runError, eps),
        "error at the levels for eps, on ONNX Runtime": sampled(
          await greatestErrorExactly(deep, anywhere, exactProductOfPoint),
          ofDeep.runError,
        ),
        "levels for eps": checked(levels, Math.max(1, Math.ceil(Math.log2(D ** 2 / left) / 2 - 1))),
      },
    };
  },
});

function figure(m: number, D: number): Figure {
  const shown = Math.min(m, 4);
  const [two, three] = [multiplication(shown, { bound: D }), signedProduct(shown, { bound: D })];
  const line = (f: Graph) => gapCurve(slice(f, [1, 1 / 2], [0, 0], -D, D), (x) => x ** 2 / 2);
  const levels = Array.from({ length: 9 }, (_, k) => k + 1);
  const error = 4 ** -(shown + 1) * D ** 2;
  const supAt = (j: number): number =>
    toNumber(distanceToProduct(multiplication(j, { bound: D }), diamondGrid(D, 2 ** j)).sup);
  return {
    title: `Multiplication on [-${D}, ${D}]² with ${shown} levels: error ${D ** 2} · ${power(4, -(shown + 1))}, zero on the axes`,
    panels: [
      {
        title: "Error on the line y = x / 2",
        x: { label: "x" },
        y: { label: "network - x y" },
        series: [
          { name: "two squares", mark: "line", points: line(two) },
          { name: "three squares (polarization as printed)", mark: "line", points: line(three) },
          ...[-error, error].map((e) => ({
            name: `theory: ${e < 0 ? "-" : ""}D² 4^(-m-1)`,
            mark: "line" as const,
            role: "theory" as const,
            points: [-D, D].map((x) => [x, e] as const),
          })),
        ],
      },
      {
        title: "Error against hidden units",
        x: { label: "hidden units" },
        y: { label: "sup error / D²", scale: "log" },
        series: [
          {
            name: "two squares, one accumulator, proved",
            mark: "dots",
            points: levels.filter((j) => j <= 4).map((j) => [5 * j + 3, supAt(j) / D ** 2]),
          },
          {
            name: "theory: two squares, one accumulator, 5m + 3",
            mark: "line",
            role: "theory",
            points: levels.map((j) => [5 * j + 3, 4 ** -(j + 1)]),
          },
          {
            name: "theory: two squares side by side, 6m + 2",
            mark: "line",
            role: "theory",
            points: levels.map((j) => [6 * j + 2, 4 ** -(j + 1)]),
          },
          {
            name: "theory: three squares side by side, 9m + 3",
            mark: "line",
            role: "theory",
            points: levels.map((j) => [9 * j + 3, 4 ** -j]),
          },
        ],
      },
    ],
  };
}
