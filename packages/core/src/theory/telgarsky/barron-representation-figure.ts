// The figure of T-08: a sampled network along an axis, and its L2 error by the number of thresholds.
import { drawThresholds } from "../../approximate/barron/representation.ts";
import { ballPoints, meanSquaredGap, ridgeValues } from "../../approximate/barron/ridge-sum.ts";
import type { SpectralFunction } from "../../approximate/barron/spectral-function.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Random } from "../../numbers/random.ts";

const counts = [8, 16, 32, 64, 128, 256, 512];

export function barronRepresentationFigure(g: SpectralFunction, random: Random): Figure {
  const d = g.dimension;
  const axis = Array.from({ length: 241 }, (_, i) => 1.5 * (i / 120 - 1));
  const line = axis.map((t) => Float64Array.from({ length: d }, (_, i) => (i === 0 ? t : 0)));
  const wide = ridgeValues(drawThresholds(g, 2000, random), line);
  const points = ballPoints(d, 200, random);
  const truth = Float64Array.from(points, (x) => g.value(x));
  const errors = counts.flatMap((k) =>
    Array.from({ length: 8 }, () => {
      const values = ridgeValues(drawThresholds(g, k, random), points);
      return [k, Math.sqrt(meanSquaredGap(truth, values))] as const;
    }),
  );
  const C = g.moment(1);
  return {
    title: `${g.formula} as a network of thresholds, d = ${d}`,
    panels: [
      {
        title: "2000 thresholds, along the first axis: right for |x| ≤ 1",
        x: { label: "x₁" },
        y: { label: "value" },
        series: [
          {
            name: g.formula,
            mark: "line",
            role: "theory",
            points: axis.map((t, i) => [t, g.value(line[i]!)]),
          },
          { name: "sampled network", mark: "line", points: axis.map((t, i) => [t, wide[i]!]) },
        ],
      },
      {
        title: "L² error in the unit ball against thresholds",
        x: { label: "thresholds k", scale: "log" },
        y: { label: "error", scale: "log" },
        series: [
          { name: "samples", mark: "dots", points: errors },
          {
            name: "theory: 2C/√k",
            mark: "line",
            role: "theory",
            points: counts.map((k) => [k, (2 * C) / Math.sqrt(k)]),
          },
        ],
      },
    ],
  };
}
