// The figure of C3-07: a function, the network of few units near it, and errors by degree.
import type { Figure } from "../../figure/figure.ts";
import { chebyshevInterpolant, smoothTargets } from "./smooth-polynomials-targets.ts";

const degrees = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20];

export function smoothPolynomialsFigure(
  f: (x: number) => number,
  name: string,
  K: number,
  xs: readonly number[],
  values: Float64Array,
): Figure {
  return {
    title: `${name} by differences of an activation`,
    panels: [
      {
        title: `Degree ${K}, at most ${2 * K + 1} units`,
        x: { label: "x" },
        y: { label: "value" },
        series: [
          { name, mark: "line", points: xs.map((x) => [x, f(x)]) },
          { name: "network", mark: "line", points: xs.map((x, k) => [x, values[k]!]) },
        ],
      },
      {
        title: "Error of the polynomial by degree",
        x: { label: "degree K" },
        y: { label: "sup |f - p|", scale: "log" },
        series: Object.entries(smoothTargets).map(([target, g]) => ({
          name: target,
          mark: "line",
          points: degrees.map((degree) => {
            const c = chebyshevInterpolant(g, degree);
            const error = Math.max(...xs.map((x) => Math.abs(g(x) - c.reduceRight((s, t) => s * x + t, 0))));
            return [degree, Math.max(error, 1e-15)] as const;
          }),
        })),
      },
    ],
  };
}
