// Figure of C1b-38: the error by the number of units kept, next to the bounds and to the size of the network itself.
import { type FewUnits, pruneOnData, pruneToFew, twoLayerOf } from "../../approximate/pruning/index.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import type { Matrix } from "../../linear-algebra/index.ts";
import { sizes } from "../../passes/sizes.ts";

/** One run of the greedy and of the random method for each number of units. */
export async function unitPruningFigure(wide: Graph, points: Matrix, mass: number): Promise<Figure> {
  const rows: { readonly units: number; readonly greedy: FewUnits; readonly sample: FewUnits }[] = [];
  for (const units of [1, 2, 4, 8, 16, 32, 64])
    rows.push({
      units,
      greedy: await pruneToFew(wide, points, { units }),
      sample: await pruneToFew(wide, points, { units, method: "sample" }),
    });
  const exact = await pruneOnData(wide, points);
  const least = 1e-12 * mass;
  const line = (of: (row: (typeof rows)[number]) => number) =>
    rows.map((row) => [row.units, Math.max(of(row), least)] as const);
  const { size } = rows[0]!.greedy;
  return {
    title: `A network of ${sizes(wide).hiddenUnits} units on ${points.rows} points, pruned`,
    panels: [
      {
        title: "Error in the mean square",
        x: { label: "units in the average", scale: "log" },
        y: { label: "|Φ - pruned| in L²(μ)", scale: "log" },
        series: [
          { name: "greedy", mark: "line", points: line(({ greedy }) => greedy.error) },
          {
            name: "greedy, then least squares",
            mark: "line",
            points: line(({ greedy }) => greedy.refit.error),
          },
          { name: "drawn by weight", mark: "dots", points: line(({ sample }) => sample.error) },
          {
            name: "theory: atoms of equal norm",
            mark: "line",
            role: "theory",
            points: line(({ greedy }) => greedy.bound),
          },
          {
            name: "theory: |v|₁ / √k",
            mark: "line",
            role: "theory",
            points: line(({ units }) => mass / Math.sqrt(units)),
          },
          {
            name: "size of the network itself",
            mark: "line",
            role: "theory",
            points: line(() => size),
          },
        ],
      },
      {
        title: "Caratheodory: the same values on the data",
        x: { label: "unit, by output weight" },
        y: { label: "|output weight|" },
        series: [
          {
            name: `after: ${exact.kept.length} units, sum ${exact.mass.after.toPrecision(3)}`,
            mark: "dots",
            points: outerSizes(exact.network),
          },
          { name: `before: sum ${exact.mass.before.toPrecision(3)}`, mark: "line", points: outerSizes(wide) },
        ],
      },
    ],
  };
}

function outerSizes(network: Graph): (readonly [number, number])[] {
  return [...twoLayerOf(network).outer.entries]
    .map(Math.abs)
    .sort((a, b) => b - a)
    .map((v, i) => [i + 1, v] as const);
}
