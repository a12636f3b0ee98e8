// The figure of P-01: how constituents, their variables and the depth grow with n.
import type { SparsityReport } from "../../compile/sparsity.ts";
import type { Figure } from "../../figure/figure.ts";
import { families } from "./function-graph-families.ts";

const dimensions = [2, 3, 4, 6, 8, 12, 16, 24];

export function sparsityFigure(
  name: keyof typeof families,
  n: number,
  reportFor: (formula: string, n: number) => SparsityReport,
): Figure {
  const names = Object.keys(families) as (keyof typeof families)[];
  const reports = new Map(
    names.map((family) => [family, dimensions.map((k) => reportFor(families[family].formula(k), k))]),
  );
  const series = (measure: (report: SparsityReport) => number) =>
    names.map((family) => ({
      name: family,
      mark: "line" as const,
      points: reports.get(family)!.map((report, k) => [dimensions[k]!, measure(report)] as const),
    }));
  const own = reportFor(families[name].formula(n), n);
  return {
    title: `Sparsity of formulas in n variables; ${name}, n = ${n}: ${own.constituents} constituents, depth ${own.depth}`,
    panels: [
      {
        title: "Constituents of at most two variables",
        x: { label: "variables n", scale: "log" },
        y: { label: "|V|", scale: "log" },
        series: series((report) => report.constituentsOfTwo),
      },
      {
        title: "Depth",
        x: { label: "variables n", scale: "log" },
        y: { label: "depth of the graph", scale: "log" },
        series: series((report) => report.depth),
      },
      {
        title: "Most variables of one constituent",
        x: { label: "variables n", scale: "log" },
        y: { label: "d_v, a sum of many terms counted as one", scale: "log" },
        series: series((report) => report.maxArity),
      },
    ],
  };
}
