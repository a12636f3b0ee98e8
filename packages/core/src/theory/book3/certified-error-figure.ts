// The figure of C3-04: what was asked for, what is certified, what is seen, and what a grid could prove.
import type { Figure, Series } from "../../figure/figure.ts";

export interface ErrorKinds {
  readonly eps: number;
  readonly certified: number;
  readonly seen: number;
  readonly grid: number;
}

export function certifiedErrorFigure(target: string, sweep: readonly ErrorKinds[]): Figure {
  const series = (name: string, measure: (kinds: ErrorKinds) => number): Series => ({
    name,
    mark: "dots",
    points: sweep.map((kinds) => [kinds.eps, measure(kinds)]),
  });
  return {
    title: `${target}: how far is the compiled network from it?`,
    panels: [
      {
        title: "Error by the kind of its proof",
        x: { label: "ε asked for", scale: "log" },
        y: { label: "error", scale: "log" },
        series: [
          series("bound by a grid and Lipschitz constants", (kinds) => kinds.grid),
          series("certified", (kinds) => kinds.certified),
          series("seen at points", (kinds) => kinds.seen),
          { name: "ε", mark: "line", role: "theory", points: sweep.map(({ eps }) => [eps, eps]) },
        ],
      },
    ],
  };
}
