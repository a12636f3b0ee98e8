// The figure of C2-23: each measure's rank correlation with the gap, overall and along one hyperparameter at a time.
import type { Figure, Panel, Series } from "../../figure/figure.ts";
import type { ChanceLevel, RankedRow } from "./measure-ranking-table.ts";

/** Names that leave room for the plot beside them. */
const shorter: readonly (readonly [RegExp, string])[] = [
  [/^geometric mean of (\w+) norms(.*), d times$/, "mean of $1 norms$2"],
  [/^product of/, "∏"],
  [/^sum of/, "∑"],
  [/ over margin/, " / margin"],
  [/ bound/, ""],
  [/ by magnitude/, ", magnitude"],
  [/from the start/, "from start"],
  [/^greatest eigenvalue of the Hessian$/, "Hessian\u2019s greatest eigenvalue"],
  [/^variance of the gradients at the end$/, "variance of last gradients"],
  [/ of the (architecture|outputs)$/, ""],
];
const shortName = (name: string): string =>
  shorter.reduce((text, [long, short]) => text.replace(long, short), name);

/** The measures one below the other, the best on top; chance's level from both sides. */
export function measureRankingFigure(
  rows: readonly RankedRow[],
  { level }: ChanceLevel,
  models: number,
): Figure {
  const sorted = [...rows].sort((a, b) => (a.tau ?? 0) - (b.tau ?? 0));
  const names = sorted.map(({ name, at }) => (at.length < models ? `${shortName(name)} *` : shortName(name)));
  const dots = (name: string, of: (row: RankedRow) => number | undefined): Series => ({
    ...{ name, mark: "dots" },
    points: sorted.flatMap((row, k) => {
      const value = of(row);
      return value === undefined ? [] : [[value, k] as const];
    }),
  });
  const [bottom, top] = [-0.5, names.length - 0.5];
  const chance: Series = {
    ...{ name: "outside for some measure by chance in 5% of cases", mark: "line", role: "theory" },
    points: [
      [-level, bottom],
      [-level, top],
      [level, top],
      [level, bottom],
    ],
  };
  const panel = (title: string, series: readonly Series[]): Panel => ({
    ...{ title, x: { label: "Kendall\u2019s τ with the gap" }, y: { label: "measure", names }, series },
  });
  const axes = Object.keys(sorted.find(({ at }) => at.length === models)?.granulated.axes ?? {});
  return {
    title: `${rows.length} measures on ${models} trained networks${sorted.some(({ at }) => at.length < models) ? " (* fewer, by their margins)" : ""}`,
    panels: [
      panel("All pairs of models", [
        dots("overall", ({ tau }) => tau),
        dots("granulated: the mean over hyperparameters", ({ granulated }) => granulated.mean),
        chance,
      ]),
      panel(
        "Pairs that differ in one hyperparameter",
        axes.map((axis) => dots(axis, (row) => row.granulated.axes[axis])),
      ),
    ],
  };
}
