import { countedMaureyError, countedStratifiedError } from "../../approximate/barron/all-draws.ts";
import { orthogonalGreedy, relaxedGreedy } from "../../approximate/barron/greedy.ts";
import {
  expectedMaureyError,
  expectedStratifiedError,
  maureySample,
  totalMass,
} from "../../approximate/barron/maurey.ts";
import {
  ballPoints,
  meanSquare,
  meanSquaredGap,
  type Points,
  type RidgeActivation,
  type RidgeSum,
  ridgeNetwork,
  ridgeValues,
  unitRows,
} from "../../approximate/barron/ridge-sum.ts";
import { strata } from "../../approximate/barron/strata.ts";
import { run } from "../../engine/run.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { complexity } from "../../networks/layers/layers.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { HypothesisError, lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { barronMaureyFigure } from "./barron-maurey-figure.ts";

/** Chebyshev's inequality says little about rare failures. */
const delta = 0.25;
/** Few enough to draw in every way. */
const [fewUnits, fewDraws] = [6, 4];

export default lemma({
  id: "T-10",
  covers: ["T-10"],
  kind: "algorithm",
  title: "Maurey's sampling of a signed measure over units",
  source: "Telgarsky, Lemmas 2.16 and 2.17",
  statement: String.raw`X = \mathbb{E} V: \quad \mathbb{E} \Big\| X - \tfrac1k \sum_{i \le k} V_i \Big\|^2 = \frac{\mathbb{E} \|V\|^2 - \|X\|^2}{k} \le \frac{\|\mu\|_1^2 \, \sup_w \|g(\cdot; w)\|^2_{L_2(P)}}{k}`,
  parameters: {
    sigma: choice(["threshold", "relu"], { label: "activation" }),
    network: choice(["random", "orthogonal"], { label: "units of the wide network" }),
    d: integer({ min: 1, max: 6, default: 2, label: "variables d" }),
    M: integer({ min: 1, max: 300, default: 200, label: "units M of the wide network" }),
    k: integer({ min: 1, max: 64, default: 24, label: "units k drawn" }),
  },
  claims: {
    "mean squared error over all ways to draw n ≤ 4 of 6 units": equals(
      String.raw`(\mathbb{E} \|V\|^2 - \|X\|^2) / n`,
    ),
    "mean squared error of samples": equals(
      String.raw`e \pm \sqrt{(2 e^2 + 4 B^2 e / k^2) / r \delta}, \; B = \|\mu\|_1 \sup \|g\| \quad (\text{Chebyshev})`,
    ).probable(),
    "expected squared error": atMost(String.raw`\|\mu\|_1^2 \sup_w \|g(\cdot; w)\|^2 / k`),
    "relaxed greedy choice, squared error": atMost(
      String.raw`(\mathbb{E} \|V\|^2 - \|X\|^2) / k \quad (\text{so the units that Lemma 2.16 promises are found})`,
    ),
    "orthogonal greedy choice, error over its bound, worst n ≤ k": atMost(
      String.raw`1, \text{ the bound } \textstyle\sum_j |w_j| \|g_j\| / \sqrt{n + 1}`,
    ).looseBy(1.3),
    "mean squared error over all ways to draw one of each stratum, 6 units": equals(
      String.raw`\textstyle\sum_c (\mathbb{E} \|V_c\|^2 - \|\mathbb{E} V_c\|^2)`,
    ),
    "one draw from each of k strata, expected squared error": atMost(
      String.raw`\frac{k \max_c m_c}{\|\mu\|_1} \cdot \frac{\mathbb{E} \|V\|^2 - \|X\|^2}{k}, \; m_c \text{ the masses of the strata}`,
    ),
    units: equals("k"),
    "values on ONNX Runtime": equals("values of the sample"),
  },
  mutants: {
    "draws that do not average": {
      "mean squared error over all ways to draw n ≤ 4 of 6 units": ({ k }, { theory }) =>
        theory * Math.min(k, fewDraws),
    },
    "the square of the mean subtracted twice": {
      "expected squared error": ({ M }, { theory }) => theory * (1 - 2 / M),
    },
    "k + 1 for k": {
      "relaxed greedy choice, squared error": ({ k }, { theory }) => (theory * k) / (k + 1),
      "mean squared error of samples": ({ k }, { theory }) => (theory * k) / (k + 1),
    },
  },
  async run({ sigma, network: kind, d, M, k }, { random, scale, progress, budget }) {
    const { wide, points } =
      kind === "orthogonal"
        ? orthogonalNetwork(sigma, d, M)
        : {
            wide: wideNetwork(sigma, d, M, random.split("wide")),
            points: ballPoints(d, Math.max(30, scale(150)), random.split("points")),
          };
    const [rows, values] = [unitRows(wide, points), ridgeValues(wide, points)];
    const expected = expectedMaureyError(wide, rows, k);
    const mass = totalMass(wide);
    const largest = Math.sqrt(Math.max(...rows.map(meanSquare)));
    if (!(largest > 0))
      throw new HypothesisError("T-10: no unit is active at a point: the measure is 0 in L2(P)");
    const repeats = Math.max(40, scale(200));
    const stream = random.split("mean");
    const mean =
      Array.from({ length: repeats }, () =>
        meanSquaredGap(values, ridgeValues(maureySample(wide, k, stream), points)),
      ).reduce((sum, e) => sum + e) / repeats;
    await progress(0.5);
    const [relaxed, orthogonal] = [relaxedGreedy(wide, rows, k), orthogonalGreedy(wide, rows, k)];
    const sample = maureySample(wide, k, random.split("sample"));
    const network = ridgeNetwork(sample);
    const { y } = await run(network, { x: tensor(points.map((x) => [...x])) });
    // Sums of M terms, squared: what is left of values of the size mass * largest.
    const rounding = { tolerance: 1e-12 * (mass * largest) ** 2 };
    return {
      graph: network,
      ...(budget === "cheap" ? {} : { figure: barronMaureyFigure(wide, points, random.split("figure")) }),
      claims: {
        ...countedClaims(wide, points, k),
        "mean squared error of samples": sampled(mean, expected, {
          delta,
          tolerance:
            Math.sqrt(
              (2 * expected ** 2 + (4 * (mass * largest) ** 2 * expected) / k ** 2) / (repeats * delta),
            ) + rounding.tolerance,
        }),
        "expected squared error": checked(expected, (mass * largest) ** 2 / k, rounding),
        "relaxed greedy choice, squared error": checked(relaxed.squaredErrors.at(-1)!, expected, rounding),
        "orthogonal greedy choice, error over its bound, worst n ≤ k": checked(
          Math.max(...orthogonal.squaredErrors.map((e, n) => Math.sqrt(e * (n + 2)))) /
            wide.units.reduce((sum, u, j) => sum + Math.abs(u.weight) * Math.sqrt(meanSquare(rows[j]!)), 0),
          1,
        ),
        ...(k >= 4 && {
          // two signs, in one variable two directions too
          "one draw from each of k strata, expected squared error": checked(
            expectedStratifiedError(wide, rows, k),
            ((k * Math.max(...strata(wide.units, k).map((c) => c.mass))) / mass) * expected,
            rounding,
          ),
        }),
        units: checked(complexity(network).architecture[1]!, k),
        "values on ONNX Runtime": sampled(
          Math.sqrt(meanSquaredGap(ridgeValues(sample, points), Float64Array.from(numbers(y!)))),
          0,
          { tolerance: 1e-12 * mass },
        ),
      },
    };
  },
});

/** Random units with weights of both signs: a network that somebody wants narrower. */
function wideNetwork(activation: RidgeActivation, d: number, M: number, random: Random): RidgeSum {
  const units = Array.from({ length: M }, () => ({
    direction: random.sphere(d),
    offset: 2 * random.uniform() - 1,
    weight: random.normal() / Math.sqrt(M),
  }));
  return { dimension: d, activation, units, bias: random.normal() };
}

/**
 * M units, each active at one of M points of a circle and nowhere else: orthogonal in L2 of the points, with equal norms
 * and weights, so that no unit helps another and the bounds are reached.
 */
function orthogonalNetwork(
  activation: RidgeActivation,
  d: number,
  M: number,
): { readonly wide: RidgeSum; readonly points: Points } {
  const [dimension, count] = [Math.max(2, d), Math.max(2, Math.min(M, 100))];
  const points = Array.from({ length: count }, (_, j) => {
    const turn = (2 * Math.PI * j) / count;
    return Float64Array.from({ length: dimension }, (_, i) => [Math.cos(turn), Math.sin(turn)][i] ?? 0);
  });
  const offset = (1 + Math.cos((2 * Math.PI) / count)) / 2; // between a point with itself and with its neighbour
  const weight = 1 / (activation === "relu" ? count * (1 - offset) : count);
  return {
    wide: {
      dimension,
      activation,
      units: points.map((direction) => ({ direction, offset, weight })),
      bias: 0,
    },
    points,
  };
}

/** The first units of the measure, drawn in every way. */
function countedClaims(wide: RidgeSum, points: Points, k: number) {
  const few: RidgeSum = { ...wide, units: wide.units.slice(0, fewUnits) };
  const rows = unitRows(few, points);
  const n = Math.min(k, fewDraws);
  const rounding = {
    tolerance: 1e-12 * (totalMass(few) * Math.sqrt(Math.max(...rows.map(meanSquare)))) ** 2,
  }; // sums of some 1000 terms
  return {
    "mean squared error over all ways to draw n ≤ 4 of 6 units": checked(
      countedMaureyError(few, rows, n),
      expectedMaureyError(few, rows, n),
      rounding,
    ),
    "mean squared error over all ways to draw one of each stratum, 6 units": checked(
      countedStratifiedError(few, rows, 4),
      expectedStratifiedError(few, rows, 4),
      rounding,
    ),
  };
}
