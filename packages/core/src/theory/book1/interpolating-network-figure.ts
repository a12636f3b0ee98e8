// Figure of C1a-12: a fit on a line, its condition and residual by the number of points, and why polynomials fail.
import { interpolatePoints, polynomialDimension } from "../../approximate/interpolation/index.ts";
import type { Figure, Panel } from "../../figure/figure.ts";
import type { ActivationName } from "../../functions/activation.ts";
import type { Matrix } from "../../linear-algebra/index.ts";
import type { Random } from "../../numbers/random.ts";
import { valuesAt } from "../line.ts";
import { powerRank } from "./power-rank.ts";

interface Shown {
  readonly d: number;
  readonly q: number;
  readonly random: Random;
}

/** The panels for one activation. */
export async function interpolatingNetworkFigure(activation: ActivationName, shown: Shown): Promise<Figure> {
  return {
    title: `As many ${activation} neurons as points`,
    panels: [await onLine(activation, shown), await byPoints(activation, shown), ranks(shown)],
  };
}

async function onLine(activation: ActivationName, { random }: Shown): Promise<Panel> {
  const m = 12;
  const xs = Array.from({ length: m }, (_, i) => (i + 0.2 + 0.6 * random.uniform()) / m);
  const ys = random.normal(m);
  const points: Matrix = { rows: m, columns: 1, entries: Float64Array.from(xs) };
  const { network } = await interpolatePoints(points, { rows: m, columns: 1, entries: ys }, { activation });
  const grid = Array.from({ length: 401 }, (_, i) => xs[0]! + (i / 400) * (xs.at(-1)! - xs[0]!));
  const curve = await valuesAt(network, grid);
  return {
    title: `${m} points on a line`,
    x: { label: "x" },
    y: { label: "Φ(x)" },
    series: [
      { name: "network", mark: "line", points: grid.map((x, i) => [x, curve[i]!]) },
      { name: "data", mark: "dots", points: xs.map((x, i) => [x, ys[i]!]) },
    ],
  };
}

async function byPoints(activation: ActivationName, { d, random }: Shown): Promise<Panel> {
  const rows: {
    readonly m: number;
    readonly solved: number;
    readonly allowed: number;
    readonly single: number;
  }[] = [];
  for (const m of [5, 10, 20, 40, 80, 160]) {
    const points: Matrix = { rows: m, columns: d, entries: random.normal(m * d) };
    const values: Matrix = { rows: m, columns: 1, entries: random.normal(m) };
    const fit = await interpolatePoints(points, values, { activation }).catch(() => undefined);
    if (fit)
      rows.push({
        m,
        solved: Math.max(fit.residual, 2 ** -53),
        single: fit.float32.residual,
        allowed: 2 ** -53 * fit.condition,
      });
  }
  return {
    title: `Residual in dimension ${d}`,
    x: { label: "points m", scale: "log" },
    y: { label: "greatest |Φ(x) - y|", scale: "log" },
    series: [
      { name: "float64", mark: "dots", points: rows.map(({ m, solved }) => [m, solved]) },
      { name: "float32", mark: "dots", points: rows.map(({ m, single }) => [m, single]) },
      {
        name: "condition times 2⁻⁵³",
        mark: "line",
        role: "theory",
        points: rows.map(({ m, allowed }) => [m, allowed]),
      },
    ],
  };
}

/** Two variables, where the span of the polynomials is small. */
function ranks({ q, random }: Shown): Panel {
  const counts = Array.from({ length: 20 }, (_, i) => i + 1);
  const points = random.normal(2 * counts.length);
  const rank = (m: number) =>
    powerRank({ rows: m, columns: 2, entries: points.subarray(0, 2 * m) }, q, random.split(m));
  return {
    title: `Neurons of degree ${q} in two variables`,
    x: { label: "points m" },
    y: { label: "rank of the neurons' values" },
    series: [
      { name: "needed: m", mark: "line", points: counts.map((m) => [m, m]) },
      { name: `z^${q}, measured`, mark: "dots", points: counts.map((m) => [m, rank(m)]) },
      {
        name: "theory: C(q + 2, 2)",
        mark: "line",
        role: "theory",
        points: counts.map((m) => [m, polynomialDimension(q, 2)]),
      },
    ],
  };
}
