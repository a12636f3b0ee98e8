// Losses over the margin, and a surrogate's minimizer that makes more mistakes than needed.

import type { AffineFunction, LabelledPoint } from "../../dynamics/surrogate.ts";
import type { Figure, Panel } from "../../figure/figure.ts";
import { lossFormulas, rampLoss } from "../../train/loss/formulas.ts";

/** Losses side by side, and the counterexample of Remark 1.9. */
export function surrogateFigure(
  gamma: number,
  { points, best }: { readonly points: readonly LabelledPoint[]; readonly best: AffineFunction },
): Figure {
  const grid = Array.from({ length: 181 }, (_, k) => -1.5 + k / 40);
  const losses: Panel = {
    title: "Losses of the margin",
    x: { label: "margin y f(x)" },
    y: { label: "loss" },
    series: [
      { name: "0-1", mark: "step", points: grid.map((t) => [t, t < 0 ? 1 : 0]) },
      {
        name: `ramp, γ = ${gamma.toPrecision(2)}`,
        mark: "line",
        points: grid.map((t) => [t, rampLoss(t, gamma)]),
      },
      ...(["hinge", "logistic", "exponential"] as const).map((name) => ({
        name,
        mark: "line" as const,
        points: grid.map((t) => [t, lossFormulas[name].value(t, 1)] as const),
      })),
    ],
  };
  const end = Math.max(...points.map(({ x }) => x));
  const line = [-0.5, end].map((x) => [x, best.w * x + best.b] as const);
  const ofClass = (y: number) => ({
    name: `class ${y > 0 ? "+1" : "-1"}, ${points
      .map((p) => (p.y === y ? p.count : 0))
      .filter(Boolean)
      .join(" and ")}`,
    mark: "dots" as const,
    points: points.filter((p) => p.y === y).map(({ x }) => [x, y] as const),
  });
  const surrogate: Panel = {
    title: "Remark 1.9: a minimizer of the logistic risk",
    x: { label: "x" },
    y: { label: "f(x)" },
    series: [
      ofClass(1),
      ofClass(-1),
      { name: "f, of least logistic risk", mark: "line", points: line },
      {
        name: "0",
        mark: "line",
        role: "theory",
        points: [
          [-0.5, 0],
          [end, 0],
        ],
      },
    ],
  };
  return { title: "Losses, and what a surrogate does not guarantee", panels: [losses, surrogate] };
}
