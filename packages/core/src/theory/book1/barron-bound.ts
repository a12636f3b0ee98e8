import {
  type BarronActivation,
  barronBound,
  barronFactor,
  barronUnits,
} from "../../approximate/barron/bound.ts";
import { type GreedyCourse, orthogonalGreedy } from "../../approximate/barron/greedy.ts";
import { drawPairs } from "../../approximate/barron/representation.ts";
import {
  ballPoints,
  meanSquaredGap,
  type Points,
  type RidgeSum,
  ridgeNetwork,
  ridgeValues,
  unitRows,
} from "../../approximate/barron/ridge-sum.ts";
import { euclideanLength, type SpectralFunction } from "../../approximate/barron/spectral-function.ts";
import { barronTarget } from "../../approximate/barron/targets.ts";
import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { complexity } from "../../networks/layers/layers.ts";
import type { Random } from "../../numbers/random.ts";
import { mean } from "../../numbers/sum.ts";
import { atLeast, atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

/** The book's constant belongs to transforms with e^{-2 pi i <xi, x>}: it is the angular one over 2 pi. */
const turn = 2 * Math.PI;
const mostUnits = 48;

export default lemma({
  id: "C1b-05",
  covers: ["C1b-05"],
  kind: "bound",
  title: "Barron's theorem with its constant",
  source: "Book, chapter 1, Theorem 1.27",
  statement: String.raw`\inf_\theta \|\Phi_{((d, n, 1), \varrho)}(\cdot, \theta) - g\|_{L^2(\mu)} \le \frac{c}{\sqrt n} C_g, \qquad c = 2 \pi \sqrt 3 \; (\varrho \text{ sigmoidal}), \quad c = 2 \pi \sqrt 7 \; (\varrho \text{ the ReLU})`,
  parameters: {
    g: choice(["gaussian", "odd", "packet", "bumps", "waves"], { label: "function" }),
    d: integer({ min: 1, max: 10, default: 3, label: "variables d" }),
    s: real({ min: 0.4, max: 2, default: 0.5, label: "width s" }),
    n: integer({ min: 1, max: mostUnits, default: mostUnits, label: "units n" }),
    rho: choice(["sigmoidal", "relu"], { label: "activation" }),
    mu: choice(["ball", "sphere"], { label: "law of the inputs" }),
    eps: real({ min: 1e-3, max: 1, default: 0.1, label: "error ε" }),
  },
  claims: {
    "error of a network of n units": atMost(String.raw`c C_g / \sqrt n`).looseBy(4.5),
    "error of a network of n units, sharper for this n": atMost(
      String.raw`2 \pi C_g / \sqrt{\max(1, \lfloor n/2 \rfloor)}, \text{ for ReLUs } \lfloor n/4 \rfloor`,
    ).looseBy(3),
    "greatest of the sharper bounds over C_g/√n, n ≤ 10000": equals("c"),
    "greedy networks, error √n / C_g, all n ≤ 48": atMost("c").looseBy(4.5),
    "bound at the width for ε": atMost(String.raw`\varepsilon`),
    "bound one pair below the width for ε": atLeast(String.raw`\varepsilon`),
    units: atMost("n"),
    "error on ONNX Runtime": equals("error of the network"),
  },
  mutants: {
    "the constant of whole pairs for every n": {
      "greatest of the sharper bounds over C_g/√n, n ≤ 10000": ({ rho }) =>
        turn * Math.sqrt(rho === "relu" ? 4 : 2),
    },
    "the angular constant, taken for the book's": {
      "greatest of the sharper bounds over C_g/√n, n ≤ 10000": (_, { theory }) => theory / turn,
      "error of a network of n units": (_, { theory }) => theory / turn,
    },
    "a unit too many": ({ n }) => ({ n: n + 1 }),
  },
  async run({ g: name, d, s, n, rho, mu, eps }, { random, scale, budget }) {
    const g = barronTarget(name, d, s);
    const [angular, C] = [g.moment(1), g.moment(1) / turn];
    const c = turn * barronFactor(rho);
    const points = inputs(mu, d, Math.max(100, scale(250)), random.split("points"));
    const truth = Float64Array.from(points, (x) => g.value(x));
    const dictionary = unitsOf(g, rho, Math.max(250, scale(800)), random.split("units"));
    const rows = unitRows(dictionary, points).map(centred); // a constant is free
    const { sum } = orthogonalGreedy(dictionary, rows, n, centred(truth));
    const idle = dictionary.units.slice(0, 1).map((unit) => ({ ...unit, weight: 0 })); // where a constant is all
    const chosen = withBestConstant(sum.units.length > 0 ? sum : { ...sum, units: idle }, points, truth);
    const long = orthogonalGreedy(dictionary, rows, mostUnits, centred(truth));
    const network = ridgeNetwork(chosen);
    const error = Math.sqrt(meanSquaredGap(truth, ridgeValues(chosen, points)));
    const { y } = await run(network, { x: tensor(points.map((x) => [...x])) });
    const width = barronUnits(angular, eps, rho);
    const pair = rho === "relu" ? 4 : 2;
    return {
      graph: network,
      ...(budget === "cheap" ? {} : { figure: figure(g, rho, long, truth) }),
      claims: {
        "error of a network of n units": sampled(error, (c * C) / Math.sqrt(n)),
        "error of a network of n units, sharper for this n": sampled(error, barronBound(angular, n, rho)),
        "greatest of the sharper bounds over C_g/√n, n ≤ 10000": checked(greatestFactor(rho), c, {
          tolerance: 1e-13, // of the roots
        }),
        "greedy networks, error √n / C_g, all n ≤ 48": sampled(
          Math.max(...long.squaredErrors.map((e, k) => Math.sqrt(e * (k + 1)) / C)),
          c,
        ),
        "bound at the width for ε": checked(barronBound(angular, width, rho), eps),
        ...(width > pair
          ? { "bound one pair below the width for ε": checked(barronBound(angular, width - pair, rho), eps) }
          : {}),
        units: checked(complexity(network).architecture[1]!, n),
        "error on ONNX Runtime": sampled(
          Math.sqrt(meanSquaredGap(truth, Float64Array.from(numbers(y!)))),
          error,
          { tolerance: 1e-9 * (1 + angular) }, // greedy weights may cancel each other
        ),
      },
    };
  },
});

/** The theorem allows every law on the ball: uniform in it, or on its boundary only. */
const inputs = (mu: "ball" | "sphere", d: number, count: number, random: Random): Points =>
  ballPoints(d, count, random).map((x) => (mu === "ball" ? x : x.map((v) => v / euclideanLength(x))));

const centred = (v: Float64Array): Float64Array => {
  const m = mean(v);
  return v.map((x) => x - m);
};
const withBestConstant = (sum: RidgeSum, points: Points, truth: Float64Array): RidgeSum => ({
  ...sum,
  bias: mean(truth) - mean(ridgeValues({ ...sum, bias: 0 }, points)),
});

/** Units of the representation, with the linear part of the ReLU's as two units more. */
function unitsOf(g: SpectralFunction, rho: BarronActivation, pairs: number, random: Random): RidgeSum {
  const { slope, ...sum } = drawPairs(g, rho === "relu" ? "relu" : "threshold", pairs, random);
  const size = slope ? euclideanLength(slope) : 0;
  if (!slope || size === 0) return sum;
  const linear = [1, -1].map((sign) => ({
    direction: slope.map((v) => (sign * v) / size),
    offset: 0,
    weight: sign * size,
  }));
  return { ...sum, units: [...linear, ...sum.units] };
}

const greatestFactor = (rho: BarronActivation): number => {
  let most = 0;
  for (let n = 1; n <= 10000; n++) most = Math.max(most, barronBound(turn, n, rho) * Math.sqrt(n));
  return most;
};

function figure(
  g: SpectralFunction,
  rho: BarronActivation,
  course: GreedyCourse,
  truth: Float64Array,
): Figure {
  const C = g.moment(1) / turn;
  const factor = turn * barronFactor(rho);
  const ns = Array.from({ length: mostUnits }, (_, k) => k + 1);
  const constant = Math.sqrt(
    truth.reduce((sum, v) => sum + (v - g.value(g.slope.map(() => 0))) ** 2, 0) / truth.length,
  );
  return {
    title: `${g.formula}, d = ${g.dimension}: Theorem 1.27 with c = 2π√${rho === "relu" ? 7 : 3}`,
    panels: [
      {
        title: "Error against units",
        x: { label: "units n", scale: "log" },
        y: { label: "L²(μ) error", scale: "log" },
        series: [
          {
            name: "networks chosen greedily",
            mark: "dots",
            points: course.squaredErrors
              .map((e, k) => [k + 1, Math.sqrt(e)] as const)
              .filter(([, e]) => e > 1e-8),
          },
          { name: "the constant g(0)", mark: "line", points: ns.map((n) => [n, constant]) },
          {
            name: "theory: c C/√n",
            mark: "line",
            role: "theory",
            points: ns.map((n) => [n, (factor * C) / Math.sqrt(n)]),
          },
          {
            name: "theory: for this n",
            mark: "line",
            role: "theory",
            points: ns.map((n) => [n, barronBound(turn * C, n, rho)]),
          },
        ],
      },
    ],
  };
}
