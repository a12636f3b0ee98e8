// The figure of C3-15: certified and seen error against the weights that are not zero, for both layouts.
import { type SobolevLayout, sobolevApproximation } from "../../approximate/sobolev/yarotsky.ts";
import type { Figure, Series } from "../../figure/figure.ts";
import type { Random } from "../../numbers/random.ts";
import { gridPoints, smoothErrorSeen, unitSides } from "../telgarsky/sobolev-targets.ts";

interface Request {
  readonly formula: string;
  readonly d: number;
  readonly n: number;
  readonly eps: number;
  readonly random: Random;
}

export async function sobolevFigure({ formula, d, n, eps, random }: Request): Promise<Figure> {
  const errors = [0.1, 0.03, 0.01, 0.001, 0.0001].filter((e) => e >= eps / 101);
  const found = async (layout: SobolevLayout, least: number) => {
    const points: { nonzeros: number; units: number; certified: number; seen: number }[] = [];
    for (const e of errors.filter((x) => x >= least)) {
      const made = sobolevApproximation({ formula, box: unitSides(d), eps: e, order: n, layout });
      const seen = await smoothErrorSeen(made.network, formula, gridPoints(d, made.cells, 500, random));
      points.push({ nonzeros: made.nonzeros, units: made.units, certified: made.certificate.runError, seen });
    }
    return points;
  };
  const [table, products] = [await found("table", 0), await found("products", d === 1 ? 1e-3 : 0.01)];
  const series = (name: string, points: Series["points"], mark: "dots" | "line" = "dots"): Series => ({
    name,
    mark,
    points,
  });
  const last = table.at(-1)!;
  const rate = table.map(
    ({ nonzeros }) => [nonzeros, last.certified * (nonzeros / last.nonzeros) ** (-n / d)] as const,
  );
  return {
    title: `${formula}: error against size, n = ${n}, d = ${d}`,
    panels: [
      {
        title: "Error",
        x: { label: "weights that are not zero", scale: "log" },
        y: { label: "sup error", scale: "log" },
        series: [
          series(
            "tables, certified",
            table.map((p) => [p.nonzeros, p.certified]),
          ),
          series(
            "tables, seen",
            table.map((p) => [p.nonzeros, p.seen]),
          ),
          series(
            "products, certified",
            products.map((p) => [p.nonzeros, p.certified]),
          ),
          { name: `theory: slope -n/d = -${n}/${d}`, mark: "line", role: "theory", points: rate },
        ],
      },
    ],
  };
}
