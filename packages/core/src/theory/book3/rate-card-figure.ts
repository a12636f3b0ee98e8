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
  const most = Math.max(...exponents.map((e) => e.theory)) * 1.1;
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
        title: "Error ~ size^-e: fitted against the theorem's",
        x: { label: "e of the theorem" },
        y: { label: "e fitted" },
        series: [
          {
            name: "equal",
            mark: "line",
            role: "theory",
            points: [
              [0, 0],
              [most, most],
            ],
          },
          ...exponents.map(({ name, measured, theory }) => ({
            name: short(name),
            mark: "dots" as const,
            points: [[theory, measured]] as const,
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
