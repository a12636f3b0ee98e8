// The figure of C2-23: each measure's rank correlation with the gap, overall and along one hyperparameter at a time.
import type { Figure, Panel, Series } from "../../figure/figure.ts";
import type { ChanceLevel, RankedRow } from "./measure-ranking-table.ts";

/** The measures one below the other, the best on top; chance's level from both sides. */
export function measureRankingFigure(
  rows: readonly RankedRow[],
  { level }: ChanceLevel,
  models: number,
): Figure {
  const sorted = [...rows].sort((a, b) => (a.tau ?? 0) - (b.tau ?? 0));
  const names = sorted.map(({ name, at }) => (at.length < models ? `${name} (${at.length} models)` : name));
  const dots = (name: string, of: (row: RankedRow) => number | undefined): Series => ({
    ...{ name, mark: "dots" },
    points: sorted.flatMap((row, k) => {
      const value = of(row);
      return value === undefined ? [] : [[value, k] as const];
    }),
  });
  const upright = (name: string, at: number): Series => ({
    ...{ name, mark: "line", role: "theory" },
    points: [
      [at, -0.5],
      [at, names.length - 0.5],
    ],
  });
  const panel = (title: string, series: readonly Series[]): Panel => ({
    ...{ title, x: { label: "Kendall\u2019s τ with the gap" }, y: { label: "measure", names }, series },
  });
  const axes = Object.keys(sorted.find(({ at }) => at.length === models)?.granulated.axes ?? {});
  return {
    title: `${rows.length} measures on ${models} trained networks`,
    panels: [
      panel("All pairs of models", [
        dots("overall", ({ tau }) => tau),
        dots("granulated: the mean over hyperparameters", ({ granulated }) => granulated.mean),
        upright("exceeded by chance in 5% of cases, by some measure", level),
        upright("the same on the other side", -level),
      ]),
      panel(
        "Pairs that differ in one hyperparameter",
        axes.map((axis) => dots(axis, (row) => row.granulated.axes[axis])),
      ),
    ],
  };
}
