// The least eigenvalue of the last layer's kernel by width, and how soon ReLUs tell two examples apart.

import type { Figure } from "../../figure/figure.ts";
import type { Random } from "../../numbers/random.ts";
import { fullRankBound, fullRankProbability, isFullRank } from "./relu-pair-rank.ts";

type Curve = readonly (readonly [number, number])[];

interface Shown {
  readonly growing: Curve;
  readonly printed: Curve;
  /** The least eigenvalue of the limit. */
  readonly limit: number;
  readonly x: Float64Array;
  readonly z: Float64Array;
  readonly random: Random;
}

export function lastLayerKernelFigure({ growing, printed, limit, x, z, random }: Shown): Figure {
  const counts = Array.from({ length: 15 }, (_, i) => i + 2);
  const trials = 2000;
  const frequency = (k: number): number => {
    let full = 0;
    for (let t = 0; t < trials; t++) if (isFullRank(x, z, k, random)) full++;
    return full / trials;
  };
  return {
    title: "What the last layer alone can tell apart",
    panels: [
      {
        title: "Least eigenvalue by width",
        x: { label: "neurons n", scale: "log" },
        y: { label: "λ_min(K)", scale: "log" },
        series: [
          { name: "inner weights of variance 1", mark: "dots", role: "measured", points: growing },
          {
            name: "inner weights of variance 1/n, as printed",
            mark: "dots",
            role: "measured",
            points: printed,
          },
          {
            name: "n times that of the limit",
            mark: "line",
            role: "theory",
            points: growing.map(([n]) => [n, n * limit]),
          },
        ],
      },
      {
        title: "Two examples, k ReLUs",
        x: { label: "neurons k" },
        y: { label: "P(K positive definite)" },
        series: [
          {
            name: "exact",
            mark: "line",
            role: "theory",
            points: counts.map((k) => [k, fullRankProbability(x, z, k)]),
          },
          {
            name: "1 - (1 - δ)^⌊k/2⌋",
            mark: "line",
            role: "theory",
            points: counts.map((k) => [k, fullRankBound(x, z, k)]),
          },
          {
            name: `${trials} draws each`,
            mark: "dots",
            role: "measured",
            points: counts.map((k) => [k, frequency(k)]),
          },
        ],
      },
    ],
  };
}
