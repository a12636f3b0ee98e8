// The figure of P-11: how many directions, coefficients and monomials there are, by degree, next to k^n.
import { formDimension } from "../../approximate/ridge/decomposition.ts";
import type { Figure } from "../../figure/figure.ts";

const degrees = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

export const ridgeFigure = (n: number): Figure => ({
  title: `Ridges of polynomials in ${n} variable${n === 1 ? "" : "s"}`,
  panels: [
    {
      title: "Counts by degree",
      x: { label: "degree k", scale: "log" },
      y: { label: "count", scale: "log" },
      series: [
        {
          name: "directions r = C(n-1+k, k)",
          mark: "line",
          points: degrees.map((k) => [k, formDimension(n, k)]),
        },
        {
          name: "coefficients r (k+1)",
          mark: "line",
          points: degrees.map((k) => [k, (k + 1) * formDimension(n, k)]),
        },
        {
          name: "monomials C(n+k, k)",
          mark: "line",
          points: degrees.map((k) => [k, formDimension(n + 1, k)]),
        },
        {
          name: "k^n, as printed for r",
          mark: "line",
          role: "theory",
          points: degrees.map((k) => [k, k ** n]),
        },
      ],
    },
  ],
});
