import { orthogonalGreedy, relaxedGreedy } from "../../approximate/barron/greedy.ts";
import {
  expectedMaureyError,
  expectedStratifiedError,
  maureySample,
  samplingMoments,
  stratifiedSampler,
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
import { geometricSizes } from "../../approximate/rates/sizes.ts";
import { complexity } from "../../construct/layers.ts";
import type { Random } from "../../engine/random.ts";
import { run } from "../../engine/run.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { atMost, checked, equals, fitted, sampled } from "../claim.ts";
import { HypothesisError, lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { barronMaureyFigure } from "./barron-maurey-figure.ts";

const delta = 0.05;

export default lemma({
  id: "T-10",
  covers: ["T-10"],
  kind: "algorithm",
  title: "Maurey's sampling of a signed measure over units",
  source: "Telgarsky, Lemmas 2.16 and 2.17",
  statement: String.raw`X = \mathbb{E} V: \quad \mathbb{E} \Big\| X - \tfrac1k \sum_{i \le k} V_i \Big\|^2 = \frac{\mathbb{E} \|V\|^2 - \|X\|^2}{k} \le \frac{\|\mu\|_1^2 \, \sup_w \|g(\cdot; w)\|^2_{L_2(P)}}{k}`,
  parameters: {
    sigma: choice(["threshold", "relu"], { label: "activation" }),
    d: integer({ min: 1, max: 6, default: 2, label: "variables d" }),
    M: integer({ min: 1, max: 300, default: 200, label: "units M of the wide network" }),
    k: integer({ min: 1, max: 64, default: 24, label: "units k drawn" }),
  },
  claims: {
    "mean squared error, all pairs of draws enumerated": equals(
      String.raw`(\mathbb{E} \|V\|^2 - \|X\|^2) / 2`,
    ),
    "mean squared error of samples, off the exact one": atMost(
      String.raw`\sqrt{(2 e^2 + 4 B^2 e / k^2) / r \delta}, \; B = \|\mu\|_1 \sup \|g\| \quad (\text{Chebyshev})`,
    ).probable(),
    "expected squared error": atMost(String.raw`\|\mu\|_1^2 \sup_w \|g(\cdot; w)\|^2 / k`),
    "rate of the mean squared error": equals("k^{-1}").rate(),
    "relaxed greedy choice, squared error": atMost(
      String.raw`(\mathbb{E} \|V\|^2 - \|X\|^2) / k \quad (\text{so the units that Lemma 2.16 promises are found})`,
    ),
    "orthogonal greedy choice, error": atMost(String.raw`\sum_j |w_j| \|g_j\| / \sqrt{k + 1}`),
    "one draw from each of k strata, expected squared error": atMost(
      String.raw`\frac{k \max_c m_c}{\|\mu\|_1} \cdot \frac{\mathbb{E} \|V\|^2 - \|X\|^2}{k}, \; m_c \text{ the masses of the strata}`,
    ),
    "strata: mean squared error of samples, off the exact one": atMost(
      String.raw`\sqrt{(2 e^2 + 4 \max_c m_c^2 \sup \|g\|^2 e) / r \delta}`,
    ).probable(),
    units: equals("k"),
    "values on ONNX Runtime": equals("values of the sample"),
  },
  async run({ sigma, d, M, k }, { random, scale, progress, budget }) {
    const wide = wideNetwork(sigma, d, M, random.split("wide"));
    const points = ballPoints(d, Math.max(30, scale(150)), random.split("points"));
    const [rows, values] = [unitRows(wide, points), ridgeValues(wide, points)];
    const expected = expectedMaureyError(wide, rows, k);
    const mass = totalMass(wide);
    const largest = Math.sqrt(Math.max(...rows.map(meanSquare)));
    if (!(largest > 0))
      throw new HypothesisError("T-10: no unit is active at a point: the measure is 0 in L2(P)");
    const repeats = Math.max(40, scale(200));
    const meanError = (draw: (stream: Random) => RidgeSum, stream: Random, draws = repeats): number =>
      Array.from({ length: draws }, () => meanSquaredGap(values, ridgeValues(draw(stream), points))).reduce(
        (sum, e) => sum + e / draws,
        0,
      );
    const mean = meanError((stream) => maureySample(wide, k, stream), random.split("mean"));
    await progress(0.3);
    // A squared error spreads by about its own size: 200 of them for each n.
    const rate = geometricSizes(1, 32, 20).map(
      (n) => [n, meanError((stream) => maureySample(wide, n, stream), random.split(n), 200)] as const,
    );
    await progress(0.6);
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
        "mean squared error, all pairs of draws enumerated": pairsClaim(wide, points),
        "mean squared error of samples, off the exact one": sampled(
          Math.abs(mean - expected),
          Math.sqrt(
            (2 * expected ** 2 + (4 * (mass * largest) ** 2 * expected) / k ** 2) / (repeats * delta),
          ),
          { delta, ...rounding },
        ),
        "expected squared error": checked(expected, (mass * largest) ** 2 / k, rounding),
        ...(expected > 1e-9 ? { "rate of the mean squared error": fitted(rate, -1) } : {}),
        "relaxed greedy choice, squared error": checked(relaxed.squaredErrors.at(-1)!, expected, rounding),
        "orthogonal greedy choice, error": checked(
          Math.sqrt(orthogonal.squaredErrors.at(-1) ?? 0),
          wide.units.reduce((sum, u, j) => sum + Math.abs(u.weight) * Math.sqrt(meanSquare(rows[j]!)), 0) /
            Math.sqrt(k + 1),
          { tolerance: 1e-12 * mass * largest },
        ),
        ...strataClaims(wide, rows, k, expected, { repeats, largest, rounding }, (exact) =>
          Math.abs(meanError(stratifiedSampler(wide, k), random.split("strata")) - exact),
        ),
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

/** The mean over all pairs of draws, one by one, for the first units of the measure. */
function pairsClaim(wide: RidgeSum, points: Points) {
  const sum: RidgeSum = { ...wide, units: wide.units.slice(0, 12) };
  const rows = unitRows(sum, points);
  const [mass, bare] = [totalMass(sum), ridgeValues({ ...sum, bias: 0 }, points)];
  let mean = 0;
  sum.units.forEach((a, i) => {
    sum.units.forEach((b, j) => {
      const pair = bare.map(
        (_, p) => (mass / 2) * (Math.sign(a.weight) * rows[i]![p]! + Math.sign(b.weight) * rows[j]![p]!),
      );
      mean += Math.abs((a.weight * b.weight) / mass ** 2) * meanSquaredGap(bare, pair);
    });
  });
  const { meanSquareOfDraw, squareOfMean } = samplingMoments(sum, points);
  return checked(mean, (meanSquareOfDraw - squareOfMean) / 2, { tolerance: 1e-12 * mass ** 2 }); // sums of 144 terms
}

interface StrataContext {
  readonly repeats: number;
  readonly largest: number;
  readonly rounding: { readonly tolerance: number };
}

function strataClaims(
  wide: RidgeSum,
  rows: readonly Float64Array[],
  k: number,
  expected: number,
  { repeats, largest, rounding }: StrataContext,
  offBy: (exact: number) => number,
) {
  if (k < 4) return {}; // two signs, in one variable two directions too
  const exact = expectedStratifiedError(wide, rows, k);
  const heaviest = Math.max(...strata(wide.units, k).map(({ mass }) => mass));
  return {
    "one draw from each of k strata, expected squared error": checked(
      exact,
      ((k * heaviest) / totalMass(wide)) * expected,
      rounding,
    ),
    "strata: mean squared error of samples, off the exact one": sampled(
      offBy(exact),
      Math.sqrt((2 * exact ** 2 + 4 * (heaviest * largest) ** 2 * exact) / (repeats * delta)),
      { delta, ...rounding },
    ),
  };
}
