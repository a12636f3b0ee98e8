// The figure of C3-06: fitted exponents next to those of the theorems, and the card over the dimension.
import { rateCard } from "../../approximate/rates/card.ts";
import type { Figure } from "../../figure/figure.ts";

interface FittedExponent {
  readonly name: string;
  readonly measured: number;
  readonly theory: number;
}

const dimensions = [1, 2, 3, 4, 6, 8, 12, 16];
const short = (name: string): string => name.split(",")[0]!;

export function rateCardFigure(n: number, exponents: readonly FittedExponent[]): Figure {
  const curves = new Map<
    string,
    { names: string[]; lower: boolean; points: (readonly [number, number])[] }
  >();
  const rows = dimensions.map((d) => rateCard({ d, n }));
  for (const theorem of new Set(rows.flat().map((row) => row.theorem))) {
    const points = rows.flatMap((card, k) =>
      card.filter((row) => row.theorem === theorem).map((row) => [dimensions[k]!, row.exponent] as const),
    );
    const isLower = rows.flat().find((row) => row.theorem === theorem)!.bound === "lower";
    const curve = curves.get(String(points)) ?? { names: [], lower: true, points };
    curve.names.push(theorem.replace(/Theorem |Theorems /g, ""));
    curve.lower &&= isLower;
    curves.set(String(points), curve);
  }
  return {
    title: `Rates with ${n} derivatives`,
    panels: [
      {
        title: "Error ~ size^-e: fitted over the theorem's",
        x: { label: "number in the legend" },
        y: { label: "e fitted / e of the theorem" },
        series: [
          {
            name: "equal",
            mark: "line",
            role: "theory",
            points: [
              [0, 1],
              [exponents.length + 1, 1],
            ],
          },
          // Many rates are equal: side by side, none hides another.
          ...exponents.map(({ name, measured, theory }, k) => ({
            name: `${k + 1}: ${short(name)}, e = ${Number(theory.toFixed(2))}`,
            mark: "dots" as const,
            points: [[k + 1, measured / theory]] as const,
          })),
        ],
      },
      {
        title: "Size ~ ε^-e: exponents by dimension",
        x: { label: "variables d" },
        y: { label: "e" },
        series: [...curves.values()].map(({ names, lower, points }) => ({
          name: `${names.join("; ")}${lower ? " (lower bound)" : ""}`,
          mark: "line",
          ...(lower ? { role: "theory" as const } : {}),
          points,
        })),
      },
    ],
  };
}
