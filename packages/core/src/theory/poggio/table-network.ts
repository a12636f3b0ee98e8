import { cellIndicator, cellIndicatorDistance, cellTable } from "../../approximate/sobolev/table-network.ts";
import type { Random } from "../../engine/random.ts";
import type { Figure } from "../../figure/figure.ts";
import { sizes } from "../../passes/sizes.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { HypothesisError, lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { type Point, valuesAt } from "../telgarsky/plane.ts";

/** A function with Lipschitz constant L in the maximum norm. */
const wave = (L: number) => (x: number, y: number) => Math.sin((L * (x + y)) / 2);

export default lemma({
  id: "P-07",
  covers: ["P-07"],
  kind: "construction",
  title: "A cell's indicator with 11 units, and tables of functions of two variables",
  source: "Poggio, section 6.8.1, before Lemma 2",
  statement: String.raw`\Phi_I(x,y) = \min(R_{x_0,x_1}(x), R_{y_0,y_1}(y)), \qquad \|\chi_I - \Phi_I\|_{L^2}^2 \le 2 \epsilon^2, \; \epsilon^2 = 2\eta/3; \qquad G = \sum_{ij} g(x_i, y_j) \Phi_{ij}`,
  parameters: {
    k: integer({ min: 1, max: 16, default: 8, label: "cells a side k" }),
    eta: real({ min: 0.002, max: 0.05, default: 0.01, label: "width of the ramps η" }),
    L: real({ min: 0.5, max: 6, default: 3, label: "Lipschitz constant L" }),
  },
  claims: {
    "one cell, hidden units": equals("11"),
    "one cell, hidden layers": equals("2"),
    "one cell, squared L2 distance": equals(
      String.raw`\tfrac{2\eta}{3}(s + t) - \tfrac{\eta^2}{3}`,
    ).probable(),
    "one cell, squared L2 distance over ε²": atMost("2"),
    "table, hidden units": equals("4(k+1) + 3k^2"),
    "sum of the indicators, off the corners": equals("1"),
    "sum of the indicators, greatest": atMost("2"),
    "share of the square where the sum is not 1": atMost(String.raw`(k-1)^2 \eta^2`).probable(),
    "table, error off the corners": atMost(String.raw`L (1/k + \eta)`),
  },
  async run({ k, eta, L }, { random, scale, budget, progress }) {
    if (eta > 1 / k) throw new HypothesisError(`P-07: ramps of width ${eta} do not fit cells of side 1/${k}`);
    const side = Math.max(eta, 0.1 + 0.4 * random.uniform());
    const cell = cellIndicator([0.25, 0.2], [0.25 + side, 0.2 + side], eta);
    const one = sizes(cell);
    const distance = await squaredDistance(cell, side, eta, scale(40_000), random);
    const exact = cellIndicatorDistance(side, side, eta);
    await progress(0.4);
    const g = wave(L);
    const [table, ones] = [cellTable(g, k, eta), cellTable(() => 1, k, eta)];
    // The first ramps begin at 0: the sum is 1 from eta on.
    const points = Array.from({ length: scale(10_000) }, () =>
      [...random.uniform(2)].map((c) => eta + c * (1 - eta)),
    );
    const sums = await valuesAt(ones, points);
    const values = await valuesAt(table, points);
    const isCorner = ([x, y]: Point): boolean => onRamp(x!, k, eta) && onRamp(y!, k, eta);
    const off = points.flatMap((x, i) => (isCorner(x) ? [] : [i]));
    const rounding = (k * 2 ** -46) / eta;
    const odd = sums.filter((s) => Math.abs(s - 1) > rounding).length / points.length;
    const corners = ((k - 1) * eta) ** 2;
    const share = corners / (1 - eta) ** 2; // of the points drawn
    return {
      graph: table,
      figure: budget === "cheap" ? undefined : await figure(k, L),
      claims: {
        "one cell, hidden units": checked(one.hiddenUnits!, 11),
        "one cell, hidden layers": checked(one.depth, 2),
        "one cell, squared L2 distance": sampled(distance.mean, exact, {
          tolerance: 6 * distance.deviation,
          delta: 1e-6,
        }),
        "one cell, squared L2 distance over ε²": checked(exact / ((2 * eta) / 3), 2),
        "table, hidden units": checked(sizes(table).hiddenUnits!, 4 * (k + 1) + 3 * k ** 2),
        // Trapezoids are differences of numbers up to 1 / eta.
        "sum of the indicators, off the corners": sampled(
          off.reduce((worst, i) => (Math.abs(sums[i]! - 1) > Math.abs(worst - 1) ? sums[i]! : worst), 1),
          1,
          { tolerance: rounding },
        ),
        "sum of the indicators, greatest": sampled(Math.max(...sums), 2, { tolerance: rounding }),
        "share of the square where the sum is not 1": sampled(
          odd - 6 * Math.sqrt((share + 1 / points.length) / points.length) - 6 / points.length,
          share,
          { delta: 1e-6 },
        ),
        "table, error off the corners": sampled(
          off.reduce(
            (most, i) => Math.max(most, Math.abs(values[i]! - g(points[i]![0]!, points[i]![1]!))),
            0,
          ),
          L * (1 / k + eta),
        ),
      },
    };
  },
});

const onRamp = (x: number, k: number, eta: number): boolean => {
  const i = Math.floor(x * k);
  return x - i / k <= eta * (1 + 2 ** -30);
};

/** Monte Carlo over the square that the indicator lives on, most points near the ramps. */
async function squaredDistance(
  cell: Parameters<typeof valuesAt>[0],
  side: number,
  eta: number,
  count: number,
  random: Random,
): Promise<{ readonly mean: number; readonly deviation: number }> {
  const width = side + eta;
  const points = Array.from({ length: count }, () => [...random.uniform(2)].map((u) => u * width));
  const values = await valuesAt(
    cell,
    points.map(([x, y]) => [0.25 + x!, 0.2 + y!]),
  );
  let [sum, squares] = [0, 0];
  points.forEach(([x, y], i) => {
    const gap = (values[i]! - (x! < side && y! < side ? 1 : 0)) ** 2;
    sum += gap;
    squares += gap ** 2;
  });
  const mean = sum / count;
  const variance = Math.max(squares / count - mean ** 2, mean / count);
  return { mean: mean * width ** 2, deviation: width ** 2 * Math.sqrt(variance / count) };
}

async function figure(k: number, L: number): Promise<Figure> {
  const eta = 1 / (8 * k);
  const xs = Array.from({ length: 601 }, (_, i) => i / 600);
  const along = (y: number): Point[] => xs.map((x) => [x, y]);
  const middle = (Math.floor(k / 2) + 0.5) / k;
  const g = wave(L);
  const values = await valuesAt(cellTable(g, k, eta), along(middle));
  const sums = await valuesAt(
    cellTable(() => 1, k, eta),
    along(Math.floor(k / 2) / k + eta / 2),
  );
  return {
    title: `Tables with ${k} x ${k} cells, ramps of width ${eta.toPrecision(2)}`,
    panels: [
      {
        title: "The table along a line",
        x: { label: "x" },
        y: { label: "value" },
        series: [
          { name: "network", mark: "line", points: xs.map((x, i) => [x, values[i]!]) },
          { name: "g", mark: "line", role: "theory", points: xs.map((x) => [x, g(x, middle)]) },
        ],
      },
      {
        title: "Sum of the indicators along a ramp",
        x: { label: "x" },
        y: { label: "sum" },
        series: [
          { name: "sum", mark: "line", points: xs.map((x, i) => [x, sums[i]!]) },
          { name: "1", mark: "line", role: "theory", points: [[0, 1] as const, [1, 1] as const] },
        ],
      },
    ],
  };
}
