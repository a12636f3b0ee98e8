// The figure of C1b-04: L2 errors of drawn pairs, of steps and of ReLUs, by their number, and the bounds.
import { drawPairs } from "../../approximate/barron/representation.ts";
import {
  ballPoints,
  meanSquaredGap,
  type RidgeActivation,
  ridgeValues,
} from "../../approximate/barron/ridge-sum.ts";
import type { SpectralFunction } from "../../approximate/barron/spectral-function.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Random } from "../../numbers/random.ts";

const counts = [8, 16, 32, 64, 128, 256];

export function barronSamplingFigure(g: SpectralFunction, random: Random): Figure {
  const d = g.dimension;
  const points = ballPoints(d, 150, random);
  const truth = Float64Array.from(points, (x) => g.value(x));
  const errors = (activation: RidgeActivation) =>
    counts.flatMap((n) =>
      Array.from({ length: 6 }, () => {
        const values = ridgeValues(drawPairs(g, activation, n, random), points);
        return [n, Math.sqrt(meanSquaredGap(truth, values))] as const;
      }),
    );
  const axis = Array.from({ length: 201 }, (_, i) => i / 100 - 1);
  const line = axis.map((t) => Float64Array.from({ length: d }, (_, i) => (i === 0 ? t : 0)));
  const [steps, ramps] = (["threshold", "relu"] as const).map((a) =>
    ridgeValues(drawPairs(g, a, 256, random), line),
  );
  const [C, second] = [g.moment(1), g.moment(2)];
  return {
    title: `${g.formula}, d = ${d}: pairs drawn from its transform`,
    panels: [
      {
        title: "256 pairs, along the first axis",
        x: { label: "x₁" },
        y: { label: "value" },
        series: [
          {
            name: g.formula,
            mark: "line",
            role: "theory",
            points: axis.map((t, i) => [t, g.value(line[i]!)]),
          },
          { name: "steps", mark: "line", points: axis.map((t, i) => [t, steps![i]!]) },
          { name: "ReLUs", mark: "line", points: axis.map((t, i) => [t, ramps![i]!]) },
        ],
      },
      {
        title: "L² error against pairs",
        x: { label: "pairs n", scale: "log" },
        y: { label: "error", scale: "log" },
        series: [
          { name: "steps", mark: "dots", points: errors("threshold") },
          { name: "ReLUs", mark: "dots", points: errors("relu") },
          {
            name: "theory, steps: 2πC/√n",
            mark: "line",
            role: "theory",
            points: counts.map((n) => [n, C / Math.sqrt(n)]),
          },
          {
            name: "theory, ReLUs: second moment/√(3n)",
            mark: "line",
            role: "theory",
            points: counts.map((n) => [n, second / Math.sqrt(3 * n)]),
          },
        ],
      },
    ],
  };
}
