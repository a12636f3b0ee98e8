// The figure of C3-28: the size of a tree of equal networks by the number of variables, next to the theorem's counts.
import type { Compiled } from "../../compile/compile.ts";
import type { Figure } from "../../figure/figure.ts";
import { sizes } from "../../passes/sizes.ts";

const mostDrawn = 1e12;

export async function compositionalFigure<Name extends string>(
  name: Name,
  eps: number,
  nodeNetwork: (name: Name, k: number, eps: number) => Promise<Compiled>,
  levels: number,
): Promise<Figure> {
  const ks = Array.from({ length: levels }, (_, k) => k + 1);
  const nodes = await Promise.all(ks.map(async (k) => sizes((await nodeNetwork(name, k, eps)).graph)));
  const dimensions = Array.from({ length: 2 ** levels - 1 }, (_, k) => k + 2);
  return {
    title: `Trees of ${name} nodes within ${eps}, one network for each node`,
    panels: [
      {
        title: "Nonzero weights by the number of variables",
        x: { label: "variables d = 2^k", scale: "log" },
        y: { label: "weights M", scale: "log" },
        series: [
          {
            name: "composed, error by the recursion",
            mark: "dots",
            points: ks.map((k) => [2 ** k, (2 ** k - 1) * nodes[k - 1]!.nonzeros]),
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
        title: "The network of one node",
        x: { label: "variables d = 2^k", scale: "log" },
        y: { label: "count" },
        series: [
          { name: "units", mark: "line", points: ks.map((k) => [2 ** k, nodes[k - 1]!.hiddenUnits!]) },
          { name: "nonzero weights", mark: "line", points: ks.map((k) => [2 ** k, nodes[k - 1]!.nonzeros]) },
          { name: "hidden layers", mark: "line", points: ks.map((k) => [2 ** k, nodes[k - 1]!.depth]) },
        ],
      },
    ],
  };
}
