// The figure of P-02: cells against accuracy, for a grid that knows no graph and for a network that follows it.
import { deepUnits, shallowUnits } from "../../compile/theory/approximation-degree.ts";
import type { Figure } from "../../figure/figure.ts";

type Points = readonly (readonly [number, number])[];
const node = { arity: 2, smoothness: 2 };

export function degreeFigure(name: string, n: number, grid: Points, deep: Points): Figure {
  const tree = Array.from({ length: n - 1 }, () => node);
  const accuracies = Array.from({ length: 30 }, (_, k) => 10 ** (1 + (7 * k) / 29));
  return {
    title: `A binary tree in ${n} variables, ${name} at every node`,
    panels: [
      {
        title: "Cells against accuracy",
        x: { label: "1/ε", scale: "log" },
        y: { label: "cells", scale: "log" },
        series: [
          { name: `one grid: cells^${n}, error sampled`, mark: "dots", points: grid },
          { name: "a grid at every node, error sampled", mark: "dots", points: deep },
          {
            name: `theory, shallow: ε^(-${n}/m), m = 2`,
            mark: "line",
            role: "theory",
            points: accuracies.map((a) => [a, shallowUnits(n, tree, 1 / a)]),
          },
          {
            name: `theory, deep: ${n - 1} ε^(-2/m)`,
            mark: "line",
            role: "theory",
            points: accuracies.map((a) => [a, deepUnits(tree, 1 / a)]),
          },
        ],
      },
    ],
  };
}
