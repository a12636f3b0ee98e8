// The figure of C3-28: the size of a tree of equal networks by the number of variables, next to the theorem's counts.
import type { Figure } from "../../figure/figure.ts";
import type { sizes } from "../../passes/sizes.ts";

type Points = readonly (readonly [number, number])[];
const mostDrawn = 1e12;
const levels = 5;

export async function compositionalFigure<Name extends string>(
  name: Name,
  eps: number,
  treeSizes: (name: Name, k: number, eps: number) => Promise<ReturnType<typeof sizes>>,
  rates: { readonly deep: Points; readonly one: Points },
): Promise<Figure> {
  const ks = Array.from({ length: levels }, (_, k) => k + 1);
  const trees = await Promise.all(ks.map((k) => treeSizes(name, k, eps)));
  const dimensions = Array.from({ length: 2 ** levels - 1 }, (_, k) => k + 2);
  return {
    title: `Trees of ${name} nodes within ${eps}, a network for each node`,
    panels: [
      {
        title: "Nonzero weights by the number of variables",
        x: { label: "variables d = 2^k", scale: "log" },
        y: { label: "weights M", scale: "log" },
        series: [
          {
            name: "composed, error by the recursion",
            mark: "dots",
            points: ks.map((k) => [2 ** k, trees[k - 1]!.nonzeros]),
          },
          {
            name: "theory, deep: (d-1) ε^(-2/n), n = 2",
            mark: "line",
            role: "theory",
            points: dimensions.map((d) => [d, (d - 1) / eps]),
          },
          {
            name: "theory, shallow: ε^(-d/n)",
            mark: "line",
            role: "theory",
            points: dimensions.map((d) => [d, eps ** (-d / 2)] as const).filter(([, M]) => M <= mostDrawn),
          },
        ],
      },
      {
        title: "The network of one node, on average",
        x: { label: "variables d = 2^k", scale: "log" },
        y: { label: "count" },
        series: [
          {
            name: "units",
            mark: "line",
            points: ks.map((k) => [2 ** k, each(k, trees[k - 1]!.hiddenUnits!)]),
          },
          {
            name: "nonzero weights",
            mark: "line",
            points: ks.map((k) => [2 ** k, each(k, trees[k - 1]!.nonzeros)]),
          },
          { name: "hidden layers", mark: "line", points: ks.map((k) => [2 ** k, trees[k - 1]!.depth / k]) },
        ],
      },
      {
        title: "Interpolation, d = 4",
        x: { label: "1/error", scale: "log" },
        y: { label: "cells", scale: "log" },
        series: [
          { name: "a grid at every node: ε^(-1)", mark: "dots", points: finite(rates.deep) },
          { name: "one grid: ε^(-2)", mark: "dots", points: finite(rates.one) },
        ],
      },
    ],
  };
}

const each = (k: number, total: number): number => total / (2 ** k - 1);
/** Products have no error on a grid. */
const finite = (points: Points): Points => points.filter(([x]) => x < 1e12);
