// What C1b-24 promises at each width, and what descent does there.

import type { LazyCertificate } from "../../dynamics/lazy/certificate.ts";
import type { Descent } from "../../dynamics/lazy/descent.ts";
import type { Figure, Panel } from "../../figure/figure.ts";
import type { LemmaTable } from "../lemma.ts";

export interface CertifiedWidth {
  readonly n: number;
  readonly certificate: LazyCertificate;
  readonly path: Descent;
}

/** The condition, the way, and the risk of the widest network. */
export const lazyCertificateFigure = (shown: readonly CertifiedWidth[]): Figure => ({
  title: "Convergence, certified and seen",
  panels: [condition(shown), travel(shown), risk(shown.at(-1)!)],
});

const condition = (shown: readonly CertifiedWidth[]): Panel => ({
  title: "Certified where λ_min is above",
  x: { label: "neurons n", scale: "log" },
  y: { label: "λ_min", scale: "log" },
  series: [
    {
      name: "λ_min(AAᵀ)",
      mark: "dots",
      role: "measured",
      points: positive(shown.map(({ n, certificate }) => [n, certificate.leastEigenvalue])),
    },
    {
      name: "8 Lip ‖X‖ √(m r)",
      mark: "line",
      role: "theory",
      points: shown.map(({ n, certificate }) => [n, certificate.needed]),
    },
    {
      name: "half of it, for η → 0",
      mark: "line",
      role: "theory",
      points: shown.map(({ n, certificate }) => [n, certificate.needed / 2]),
    },
  ],
});

const travel = (shown: readonly CertifiedWidth[]): Panel => ({
  title: "Distance from the start",
  x: { label: "neurons n", scale: "log" },
  y: { label: "distance", scale: "log" },
  series: [
    {
      name: "gradient descent",
      mark: "dots",
      role: "measured",
      points: shown.map(({ n, path }) => [n, Math.max(...path.distances)]),
    },
    {
      name: "certified radius R",
      mark: "line",
      role: "theory",
      points: shown.flatMap(({ n, certificate: { promised } }) =>
        promised ? [[n, promised.radius] as const] : [],
      ),
    },
  ],
});

function risk({ n, certificate: { promised, risk: first }, path }: CertifiedWidth): Panel {
  const every = Math.max(1, Math.floor(path.risks.length / 200));
  const steps = path.risks.map((_, k) => k).filter((k) => k % every === 0);
  return {
    title: `Risk, ${n} neurons`,
    x: { label: "step k" },
    y: { label: "r(k)", scale: "log" },
    series: [
      {
        name: "gradient descent",
        mark: "line",
        role: "measured",
        points: steps.map((k) => [k, path.risks[k]!]),
      },
      ...(promised
        ? [
            {
              name: "certified",
              mark: "line" as const,
              role: "theory" as const,
              points: steps.map((k) => [k, first * promised.factor ** k] as const),
            },
          ]
        : []),
    ],
  };
}

const positive = (points: readonly (readonly [number, number])[]) => points.filter(([, v]) => v > 0);

/** How far the certificate is from the truth, width by width. */
export const lazyCertificateTable = (shown: readonly CertifiedWidth[]): LemmaTable => ({
  title: "Promised and measured",
  columns: ["neurons", "λ_min", "needed", "certified", "R", "distance", "risk left", "steps"],
  rows: shown.map(({ n, certificate: { leastEigenvalue, needed, promised, risk: first }, path }) => [
    n,
    leastEigenvalue.toPrecision(3),
    needed.toPrecision(3),
    promised ? "yes" : "no",
    promised ? promised.radius.toPrecision(3) : "-",
    Math.max(...path.distances).toPrecision(3),
    (path.risks.at(-1)! / first).toPrecision(2),
    path.risks.length - 1,
  ]),
});
