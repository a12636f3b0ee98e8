// Basins of attraction on a line, and how noise mixes them.
import type { Figure, Panel } from "../../figure/figure.ts";
import type { DoubleWell } from "./double-well.ts";

type Points = readonly (readonly [number, number])[];

export interface Shown {
  readonly tau: number;
  readonly K: number;
  readonly starts: readonly number[];
  /** Where gradient descent ends, and where stochastic descent does. */
  readonly ends: readonly number[];
  readonly noisy: readonly number[];
  /** Success from the wrong minimum, over the noise: seen, and computed. */
  readonly success: Points;
  readonly probabilities: Points;
}

/** The objective, the ends over the starts, and the success over the noise. */
export function twoMinimaFigure(well: DoubleWell, shown: Shown): Figure {
  const grid = Array.from({ length: 161 }, (_, k) => -1.7 + k * 0.02125);
  const height = (t: number) => [t, well.value(t)] as const;
  const objective: Panel = {
    title: "Objective",
    x: { label: "θ" },
    y: { label: "r(θ)" },
    series: [
      { name: "r", mark: "line", points: grid.map(height) },
      { name: "ends of gradient descent", mark: "dots", points: [well.left, well.right].map(height) },
      { name: "barrier", mark: "dots", points: [height(well.barrier)] },
    ],
  };
  const ends: Panel = {
    title: "Where descent ends",
    x: { label: "start" },
    y: { label: "end" },
    series: [
      {
        name: "gradient descent",
        mark: "step",
        points: shown.starts.map((s, k) => [s, shown.ends[k]!]),
      },
      {
        name: `stochastic, τ = ${shown.tau.toPrecision(2)}, ${shown.K} steps`,
        mark: "dots",
        points: shown.starts.map((s, k) => [s, shown.noisy[k]!]),
      },
      {
        name: "barrier",
        mark: "line",
        role: "theory",
        points: [shown.starts[0]!, shown.starts.at(-1)!].map((s) => [s, well.barrier]),
      },
    ],
  };
  const success: Panel = {
    title: "From the wrong minimum to the right basin",
    x: { label: "noise τ" },
    y: { label: "share that ends in the right basin" },
    series: [
      { name: "400 runs each", mark: "dots", points: shown.success },
      { name: "probability, by quadrature", mark: "line", role: "theory", points: shown.probabilities },
    ],
  };
  return {
    title: "One global and one local minimum: the start decides, or the noise",
    panels: [objective, ends, success],
  };
}
