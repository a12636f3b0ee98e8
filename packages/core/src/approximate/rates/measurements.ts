// Constructions that are cheap enough to fit their exponents in one run: sizes and errors, next to the theorem's rate.

import { complexity } from "../../networks/layers/layers.ts";
import { splineError } from "../../networks/spline/error.ts";
import { uniformKnots } from "../../networks/spline/knots.ts";
import { targets } from "../../networks/spline/target.ts";
import { square, squareError } from "../../networks/square/square.ts";
import { inputLaws, sampledSteps, sampleThresholds, squaredError } from "../../networks/threshold/sample.ts";
import { createRandom, type Random } from "../../numbers/random.ts";
import { drawPairs } from "../barron/representation.ts";
import { ballPoints, meanSquaredGap, ridgeValues } from "../barron/ridge-sum.ts";
import { barronTarget } from "../barron/targets.ts";
import { taylorData } from "../sobolev/taylor-data.ts";
import { graphOnBox } from "../sobolev/yarotsky.ts";
import { sparseInterpolant, sparseValue } from "../sparse-grid/interpolant.ts";
import { mixedTargets } from "../sparse-grid/target.ts";
import { chebyshevTail } from "./chebyshev-tail.ts";
import { featureWidth } from "./fixed-features.ts";
import { localTaylorError } from "./local-taylor-error.ts";
import { geometricSizes } from "./sizes.ts";

/** A rate that can be measured: error ~ size^-exponent, logarithms divided out of the size. */
export interface RateMeasurement {
  readonly name: string;
  /** Whether the errors are those of functions that were built, or what a theorem's proof gives for each size. */
  readonly of: "error" | "bound";
  /** The lemma whose construction or bound it is. */
  readonly lemma: string;
  readonly theorem: string;
  /** As the theorem has it, for so many variables and derivatives. */
  exponent(d: number, n: number): number;
  /** What it depends on, besides chance. */
  readonly varies: readonly ("d" | "n")[];
  /** Sizes and errors. */
  measure(random: Random, d: number, n: number): readonly (readonly [size: number, error: number])[];
}

const powersOfTwo = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, k) => 2 ** (from + k));
/** The odd number of derivatives next to n: |x|^m has a kink for odd m only. */
const oddAbove = (n: number): number => n + 1 - (n % 2);

/** New constructions add themselves here, with a line each. */
export const rateMeasurements: readonly RateMeasurement[] = [
  {
    name: "linear splines of sin 3x, pieces",
    of: "error",
    lemma: "P-09",
    theorem: "d/n with d = 1, n = 2",
    varies: [],
    exponent: () => 2,
    measure: () =>
      powersOfTwo(5, 12).map((pieces) => {
        const knots = uniformKnots([-1, 1], pieces);
        return [pieces, splineError({ knots, values: knots.map(targets.sine.value) }, targets.sine).sup];
      }),
  },
  {
    name: "deep squares, units against log(1/ε)",
    of: "error",
    lemma: "T-27",
    theorem: "logarithmically many units",
    varies: [],
    exponent: () => 1,
    measure: () =>
      [4, 6, 8, 10, 12, 14, 16, 20].map((m) => {
        const { neurons } = complexity(square(m));
        return [neurons + 2, 1 / Math.log2(1 / squareError(m).error)]; // 3 (m + 1), and both ends counted
      }),
  },
  {
    name: "Chebyshev sums of |x|^m, degree",
    of: "error",
    lemma: "P-13",
    theorem: "dist(W^m, P_k) ~ k^-m",
    varies: ["n"],
    exponent: (_, n) => oddAbove(n),
    measure: (_, __, n) => powersOfTwo(6, 12).map((k) => [k + 1, chebyshevTail(oddAbove(n), k)]),
  },
  {
    name: "sampled thresholds, units",
    of: "error",
    lemma: "T-07",
    theorem: "1/2, whatever the dimension",
    varies: [],
    exponent: () => 1 / 2,
    measure: (random) =>
      geometricSizes(2, 64, 20).map((units) => {
        const runs = 60;
        let sum = 0;
        for (let k = 0; k < runs; k++)
          sum += squaredError(
            inputLaws.uniform,
            sampledSteps(targets.wave, sampleThresholds(targets.wave, units, random)),
            targets.wave,
          );
        return [units, Math.sqrt(sum / runs)];
      }),
  },
  {
    name: "sparse grid in the plane, points, both less logarithms",
    of: "error",
    lemma: "C3-30",
    theorem: "2 (the size exponent is 1/2)",
    varies: [],
    exponent: () => 2,
    measure: (random) => {
      const points = Array.from({ length: 300 }, () => random.uniform(2));
      return [3, 4, 5, 6, 7, 8, 9, 10].map((level) => {
        const f = sparseInterpolant(mixedTargets.sine, 2, level);
        const error = Math.max(
          ...points.map((x) => Math.abs(sparseValue(f, x) - mixedTargets.sine.value(x))),
        );
        // 2^l (l - 1) + 1 points, and 4^-l (l + 2) is what the theorem bounds their error by, up to a constant.
        return [(f.grid.points - 1) / (level - 1), error / (level + 2)];
      });
    },
  },
  {
    name: "drawn ReLUs of a Gaussian, units",
    of: "error",
    lemma: "C3-08",
    theorem: "1/2, whatever the dimension",
    varies: ["d"],
    exponent: () => 1 / 2,
    measure: (random, d) => {
      const f = barronTarget("gaussian", d, 0.5);
      const points = ballPoints(d, 60, random.split("points"));
      const truth = Float64Array.from(points, (x) => f.value(x));
      return geometricSizes(2, 64, 20).map((pairs) => {
        const runs = 60;
        let sum = 0;
        for (let k = 0; k < runs; k++)
          sum += meanSquaredGap(truth, ridgeValues(drawPairs(f, "relu", pairs, random), points));
        return [2 * pairs, Math.sqrt(sum / runs)];
      });
    },
  },
  {
    name: "local polynomials of (x_1 + ... + x_d)^n, cells",
    of: "error",
    lemma: "C3-15",
    theorem: "n/d",
    varies: ["d", "n"],
    exponent: (d, n) => n / d,
    measure: (random, d, n) => {
      const sides = Array.from({ length: d }, (__, k) => ({ name: `x${k + 1}`, lower: 0, upper: 1 }));
      const formula = graphOnBox(`(${sides.map((side) => side.name).join(" + ")})^${n}`, sides);
      const f = (x: readonly number[]): number => x.reduce((sum, t) => sum + t) ** n;
      // The same places of the first cell for every size: a sup of samples would be less for some than for others.
      const places = Array.from({ length: 40 }, () => Array.from(random.uniform(d)));
      return (d === 1 ? [4, 8, 16, 32, 64] : d === 2 ? [2, 3, 4, 6, 8] : [2, 3, 4, 5]).map((cells) => {
        const inFirst = places.map((x) => x.map((t) => t / cells));
        return [cells ** d, localTaylorError(taylorData(formula, sides, n, cells), f, inFirst)];
      });
    },
  },
  {
    name: "fixed features, bumps of the worst function",
    of: "bound",
    lemma: "C1a-17",
    theorem: "n/d",
    varies: ["d", "n"],
    exponent: (d, n) => n / d,
    measure: (random, d, n) =>
      (d === 1 ? [12, 16, 24, 32, 48] : d === 2 ? [4, 5, 6, 7, 8, 9] : [3, 4, 5]).map((side) => {
        const { features, lower } = featureWidth("tanh", d, n, side, random);
        return [features + 1, lower];
      }),
  },
];

const found = new Map<string, readonly (readonly [size: number, error: number])[]>();

/** The points of a measurement. One that has been made is not made again, but for a second one by other chance. */
export function ratePoints(m: RateMeasurement, random: Random, d: number, n: number) {
  const key = [m.name, m.varies.map((v) => (v === "d" ? d : n)), random.integer(0, 1)].join("/");
  const points = found.get(key) ?? m.measure(createRandom(key), d, n);
  found.set(key, points);
  return points;
}
