// The figure of P-09: a function with fixed and with free knots, the two errors, and how they fall.

import type { Figure, Panel, Series } from "../../figure/figure.ts";
import { splineError } from "../../networks/spline/error.ts";
import { freeKnots, rootCurvature, uniformKnots } from "../../networks/spline/knots.ts";
import { greatestSecond, type Segment, type Target } from "../../networks/spline/target.ts";

const sizes = [4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128];

const valueAt = (f: Target, knots: readonly number[], x: number): number => {
  const k = Math.min(
    knots.length - 2,
    knots.findLastIndex((t) => t <= x),
  );
  const [a, b] = [knots[k]!, knots[k + 1]!];
  return f.value(a) + ((f.value(b) - f.value(a)) * (x - a)) / (b - a);
};

const errorOf = (f: Target, knots: readonly number[]): number =>
  splineError({ knots, values: knots.map((x) => f.value(x)) }, f).sup;

export function splineFigure(
  f: Target,
  on: Segment,
  fixed: readonly number[],
  free: readonly number[],
): Figure {
  const n = fixed.length - 1;
  const grid = uniformKnots(on, 600);
  const heights = grid.map((x) => f.value(x));
  const [low, high] = [Math.min(...heights), Math.max(...heights)];
  /** Dots in a row below the curve. */
  const rug = (name: string, knots: readonly number[], row: number): Series => ({
    name,
    mark: "dots",
    points: knots.map((x) => [x, low - 0.08 * row * (high - low)]),
  });
  const shapes: Panel = {
    title: `Where ${n} pieces put their knots`,
    x: { label: "x" },
    y: { label: "value" },
    series: [
      { name: f.formula, mark: "line", role: "theory", points: grid.map((x, k) => [x, heights[k]!]) },
      rug("fixed knots", fixed, 1),
      rug("free knots: ∫√|f''| the same on each piece", free, 2),
    ],
  };
  const gap = (knots: readonly number[]) => grid.map((x) => [x, valueAt(f, knots, x) - f.value(x)] as const);
  const errors: Panel = {
    title: "Error",
    x: { label: "x" },
    y: { label: "Sf(x) - f(x)" },
    series: [
      { name: "fixed knots", mark: "line", points: gap(fixed) },
      { name: "free knots", mark: "line", points: gap(free) },
    ],
  };
  const [M, root] = [greatestSecond(f, on), rootCurvature(f, on).total];
  const decay: Panel = {
    title: "Sup error against units",
    x: { label: "units n", scale: "log" },
    y: { label: "sup error", scale: "log" },
    series: [
      { name: "fixed knots", mark: "dots", points: sizes.map((k) => [k, errorOf(f, uniformKnots(on, k))]) },
      { name: "free knots", mark: "dots", points: sizes.map((k) => [k, errorOf(f, freeKnots(f, on, k))]) },
      {
        name: "theory: h² max|f''| / 8",
        mark: "line",
        role: "theory",
        points: sizes.map((k) => [k, (M * (2 / k) ** 2) / 8]),
      },
      {
        name: "theory: (∫√|f''|)² / 8n²",
        mark: "line",
        role: "theory",
        points: sizes.map((k) => [k, root ** 2 / (8 * k ** 2)]),
      },
    ],
  };
  return { title: `${f.formula} by ${n} ReLUs, knots fixed and free`, panels: [shapes, errors, decay] };
}
