// The figure of T-10: squared errors of drawn, stratified and greedily chosen networks by their number of units.
import { orthogonalGreedy, relaxedGreedy } from "../../approximate/barron/greedy.ts";
import {
  expectedMaureyError,
  expectedStratifiedError,
  maureySample,
} from "../../approximate/barron/maurey.ts";
import {
  meanSquaredGap,
  type Points,
  type RidgeSum,
  ridgeValues,
  unitRows,
} from "../../approximate/barron/ridge-sum.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Random } from "../../numbers/random.ts";

const counts = [4, 6, 8, 12, 16, 24, 32, 48, 64];

export function barronMaureyFigure(wide: RidgeSum, points: Points, random: Random): Figure {
  const [rows, values] = [unitRows(wide, points), ridgeValues(wide, points)];
  const draws = counts.flatMap((k) =>
    Array.from({ length: 6 }, () => {
      const drawn = ridgeValues(maureySample(wide, k, random), points);
      return [k, meanSquaredGap(values, drawn)] as const;
    }),
  );
  const [relaxed, orthogonal] = [relaxedGreedy(wide, rows, 64), orthogonalGreedy(wide, rows, 64)];
  const seen = (errors: readonly number[]) =>
    counts.filter((k) => (errors[k - 1] ?? 0) > 1e-12).map((k) => [k, errors[k - 1]!] as const);
  return {
    title: `${wide.units.length} units replaced by k of them, d = ${wide.dimension}, ${wide.activation}`,
    panels: [
      {
        title: "Squared L² error against units",
        x: { label: "units k", scale: "log" },
        y: { label: "squared error", scale: "log" },
        series: [
          { name: "drawn independently", mark: "dots", points: draws.filter(([, e]) => e > 1e-12) },
          {
            name: "theory: (E|V|² - |X|²)/k",
            mark: "line",
            role: "theory",
            points: counts.map((k) => [k, expectedMaureyError(wide, rows, k)]),
          },
          {
            name: "one from each of k strata, exact expectation",
            mark: "line",
            points: counts
              .map((k) => [k, expectedStratifiedError(wide, rows, k)] as const)
              .filter(([, e]) => e > 1e-12),
          },
          { name: "relaxed greedy", mark: "line", points: seen(relaxed.squaredErrors) },
          { name: "orthogonal greedy", mark: "line", points: seen(orthogonal.squaredErrors) },
        ],
      },
    ],
  };
}
