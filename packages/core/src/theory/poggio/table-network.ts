import { cellIndicator, cellIndicatorDistance, cellTable } from "../../approximate/sobolev/table-network.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import type { Random } from "../../numbers/random.ts";
import { sizes } from "../../passes/sizes.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
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
    side: real({ min: 0, max: 1, default: 0.4, label: "side of one cell, from η to 1 - η" }),
    L: real({ min: 0.5, max: 6, default: 3, label: "Lipschitz constant L" }),
  },
  claims: {
    "one cell, hidden units": equals("11"),
    "one cell, hidden layers": equals("2"),
    "one cell, squared L2 distance": equals(String.raw`\tfrac{2\eta}{3}(s + t) - \tfrac{\eta^2}{3}`),
    "one cell, squared L2 distance over ε²": atMost("2"),
    "table, hidden units": equals("4(k+1) + 3k^2"),
    "sum of the indicators, off the corners": equals("1"),
    "sum of the indicators, greatest": atMost("2"),
    "sum of the indicators at a corner, error": equals(
      String.raw`0 \text{ against } 1 + 2 \min(a, 1-a, b, 1-b), \; a, b \text{ the ramps there}`,
    ),
    "table, error off the corners": atMost(String.raw`L (1/k + \eta)`),
  },
  mutants: {
    "corners of the ramps counted twice": {
      "one cell, squared L2 distance": ({ eta }, { theory }) => theory - eta ** 2 / 3,
    },
    "the greater of both distances for their sum": {
      "one cell, squared L2 distance over ε²": () => 1,
    },
    "a row of ramps for every cell": { "table, hidden units": ({ k }) => 8 * k + 3 * k ** 2 },
  },
  async run({ k, eta, side: share, L }, { random, scale, budget, progress }) {
    const side = eta + (1 - 2 * eta) * share;
    const cell = cellIndicator([0, 0], [side, side], eta);
    const one = sizes(cell);
    const distance = await squaredDistance(cell, side, eta);
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
    return {
      graph: table,
      figure: budget === "cheap" ? undefined : await figure(k, L),
      claims: {
        "one cell, hidden units": checked(one.hiddenUnits!, 11),
        "one cell, hidden layers": checked(one.depth, 2),
        "one cell, squared L2 distance": checked(distance, cellIndicatorDistance(side, side, eta), {
          tolerance: 2 ** -46 / eta, // values are differences of numbers up to 1 / eta
        }),
        "one cell, squared L2 distance over ε²": checked(distance / ((2 * eta) / 3), 2),
        "table, hidden units": checked(sizes(table).hiddenUnits!, 4 * (k + 1) + 3 * k ** 2),
        // Trapezoids are differences of numbers up to 1 / eta.
        "sum of the indicators, off the corners": sampled(
          off.reduce((worst, i) => (Math.abs(sums[i]! - 1) > Math.abs(worst - 1) ? sums[i]! : worst), 1),
          1,
          { tolerance: rounding },
        ),
        "sum of the indicators, greatest": sampled(Math.max(...sums), 2, { tolerance: rounding }),
        ...(k > 1 && {
          "sum of the indicators at a corner, error": sampled(await cornerError(ones, k, eta, random), 0, {
            tolerance: rounding,
          }),
        }),
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

/** On the ramps of four cells the sum is 1 + 2 min(a, 1 - a, b, 1 - b). */
async function cornerError(ones: Graph, k: number, eta: number, random: Random): Promise<number> {
  const corners = Array.from({ length: 50 }, () => ({
    at: [random.integer(1, k - 1), random.integer(1, k - 1)],
    ramps: [...random.uniform(2)],
  }));
  const sums = await valuesAt(
    ones,
    corners.map(({ at, ramps }) => at.map((i, axis) => i / k + eta * ramps[axis]!)),
  );
  return corners.reduce((most, { ramps: [a, b] }, i) => {
    const expected = 1 + 2 * Math.min(a!, 1 - a!, b!, 1 - b!);
    return Math.max(most, Math.abs(sums[i]! - expected));
  }, 0);
}

interface Node {
  readonly point: Point;
  readonly weight: number;
  readonly inside: number;
}

/** Of the network's own values, exact but for rounding: it is linear on each of these rectangles and triangles. */
async function squaredDistance(cell: Graph, side: number, eta: number): Promise<number> {
  const parts = [
    { from: 0, to: eta, isRamp: true, inside: 1 },
    { from: eta, to: side, isRamp: false, inside: 1 },
    { from: side, to: side + eta, isRamp: true, inside: 0 },
  ];
  const nodes = parts.flatMap((p) =>
    parts.flatMap((q): readonly Node[] => {
      const [inside, area] = [p.inside * q.inside, (p.to - p.from) * (q.to - q.from)];
      // Where two ramps meet, the minimum changes along a diagonal: both rise, or one rises and one falls.
      const places =
        p.isRamp && q.isRamp ? (p.inside === q.inside ? triangles : triangles.map(mirrored)) : gauss;
      return places.map(([u, v]) => ({
        point: [p.from + u * (p.to - p.from), q.from + v * (q.to - q.from)],
        weight: area / places.length,
        inside,
      }));
    }),
  );
  const values = await valuesAt(
    cell,
    nodes.map(({ point }) => point),
  );
  return nodes.reduce((sum, { weight, inside }, i) => sum + weight * (values[i]! - inside) ** 2, 0);
}

/** The middles of the sides of two triangles with the diagonal in common, exact for squares of linear functions. */
const triangles = [
  [0.5, 0.5],
  [0.5, 0],
  [1, 0.5],
  [0.5, 0.5],
  [0, 0.5],
  [0.5, 1],
] as const;
const mirrored = ([u, v]: readonly [number, number]): readonly [number, number] => [1 - u, v];
const gauss = [0.5 - Math.sqrt(1 / 12), 0.5 + Math.sqrt(1 / 12)].flatMap((u) =>
  [0.5 - Math.sqrt(1 / 12), 0.5 + Math.sqrt(1 / 12)].map((v) => [u, v] as const),
);

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
