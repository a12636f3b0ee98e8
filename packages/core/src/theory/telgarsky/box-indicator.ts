import { boxIndicator, boxIndicatorDistance, boxShell } from "../../approximate/sobolev/box-indicator.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { toNumber } from "../../numbers/exact/rational.ts";
import type { Random } from "../../numbers/random.ts";
import { sizes } from "../../passes/sizes.ts";
import { atMost, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { type Point, valuesAt } from "./plane.ts";

export default lemma({
  id: "T-04",
  covers: ["T-04"],
  kind: "construction",
  title: "Indicators of boxes from 4d + 1 ReLUs",
  source: "Telgarsky, proof of Theorem 2.3",
  statement: String.raw`f_\gamma(x) = \sigma\Big(\sum_{i \le d} f_{\gamma,i}(x_i) - (d-1)\Big), \qquad \|f_\gamma - \mathbf 1_R\|_1 = \sum_{j=1}^d e_{d-j}(\text{sides}) \frac{(2\gamma)^j}{(j+1)!}`,
  parameters: {
    d: integer({ min: 1, max: 6, default: 2, label: "variables d" }),
    gamma: real({ min: 0.01, max: 0.5, default: 0.1, label: "width of the ramps γ" }),
  },
  claims: {
    "hidden units": equals("4d + 1"),
    "hidden layers": equals("2"),
    "least value on the box": equals("1"),
    "greatest value off the enlarged box": equals("0"),
    "greatest value": atMost("1"),
    "L1 distance to the box": atMost(String.raw`\prod_i (v_i - u_i + 2\gamma) - \prod_i (v_i - u_i)`).loose({
      where: "proof of Theorem 2.3, last display",
      printed: String.raw`\int_{[0,1]^d} |f_\gamma(x) - \mathbf{1}_{R_j}(x)| dx = [...] \leq 0 + \prod_{i=1}^d (v_i - u_i + 2\gamma) - \prod_{i=1}^d (v_i - u_i) + 0`,
      corrected: String.raw`\sum_{j \ge 1} e_{d-j} (2\gamma)^j / (j+1)!: \text{ about half for small } \gamma`,
    }),
    "L1 distance, seen": equals(String.raw`\sum_{j \ge 1} e_{d-j} (2\gamma)^j / (j+1)!`).probable(),
  },
  mutants: {
    "a ramp counted in full": { "L1 distance, seen": (_, { theory }) => 2 * theory },
    "the unit of the second layer forgotten": { "hidden units": ({ d }) => 4 * d },
    "ramps half as wide": ({ gamma }) => ({ gamma: gamma / 2 }),
  },
  async run({ d, gamma }, { random, scale, budget }) {
    const from = Array.from({ length: d }, () => -random.uniform());
    const to = from.map((u) => u + 0.25 + random.uniform());
    const sides = to.map((v, i) => v - from[i]!);
    const network = boxIndicator(from, to, gamma);
    const { hiddenUnits, depth } = sizes(network);
    const inside = await valuesAt(network, pointsIn(from, to, scale(1000), random));
    const [low, high] = [from.map((u) => u - gamma), to.map((v) => v + gamma)];
    const outside = await valuesAt(
      network,
      pointsIn(low, high, scale(1000), random).map((x) => pushedOut(x, low, high, random)),
    );
    const distance = boxIndicatorDistance(sides, gamma);
    const shell = boxShell(sides, gamma);
    const seen = await distanceSeen(network, { from, to, low, high }, scale(20_000), random);
    return {
      graph: network,
      figure: budget === "cheap" ? undefined : figure(gamma),
      claims: {
        "hidden units": checked(hiddenUnits!, 4 * d + 1),
        "hidden layers": checked(depth, 2),
        // Ramps end within rounding of 1 and 0: numbers up to 3 / gamma are added.
        "least value on the box": sampled(Math.min(...inside), 1, { tolerance: (d * 2 ** -48) / gamma }),
        "greatest value off the enlarged box": sampled(Math.max(...outside), 0, {
          tolerance: (d * 2 ** -48) / gamma,
        }),
        "greatest value": sampled(Math.max(...inside), 1, { tolerance: (d * 2 ** -48) / gamma }),
        "L1 distance to the box": proved(distance, shell),
        // Chebyshev: two standard deviations of the mean are passed once in four times at most.
        "L1 distance, seen": sampled(seen.mean, distance, { tolerance: 2 * seen.deviation, delta: 1 / 4 }),
      },
    };
  },
});

interface Boxes {
  readonly from: Point;
  readonly to: Point;
  readonly low: Point;
  readonly high: Point;
}

const pointsIn = (from: Point, to: Point, count: number, random: Random): Point[] =>
  Array.from({ length: count }, (_, k) =>
    from.map((u, i) => {
      const share = k % 4 === 0 ? random.integer(0, 1) : random.uniform();
      return share === 1 ? to[i]! : u + share * (to[i]! - u);
    }),
  );

/** One coordinate at or beyond an end. */
function pushedOut(x: Point, low: Point, high: Point, random: Random): Point {
  const k = random.integer(0, x.length - 1);
  const by = random.integer(0, 1) * random.uniform();
  const end = random.uniform() < 0.5 ? low[k]! - by : high[k]! + by;
  return x.map((c, i) => (i === k ? end : c));
}

/** Monte Carlo over the enlarged box: the mean of |f - 1_R| times the volume. */
async function distanceSeen(network: Graph, { from, to, low, high }: Boxes, count: number, random: Random) {
  const points = Array.from({ length: count }, () =>
    low.map((u, i) => u + random.uniform() * (high[i]! - u)),
  );
  const values = await valuesAt(network, points);
  const volume = low.reduce((p, u, i) => p * (high[i]! - u), 1);
  let [sum, squares] = [0, 0];
  points.forEach((x, k) => {
    const inside = x.every((c, i) => c >= from[i]! && c < to[i]!);
    const gap = Math.abs(values[k]! - (inside ? 1 : 0));
    sum += gap;
    squares += gap ** 2;
  });
  const mean = sum / count;
  const variance = Math.max(squares / count - mean ** 2, mean / count);
  return { mean: mean * volume, deviation: volume * Math.sqrt(variance / count) };
}

function figure(gamma: number): Figure {
  const dimensions = [1, 2, 3, 4, 5, 6, 8, 10];
  const widths = Array.from({ length: 25 }, (_, k) => 10 ** (-3 + k / 8));
  const unit = (d: number): number[] => new Array<number>(d).fill(1);
  return {
    title: "Smoothed indicators of the unit box: how far from the box in L1",
    panels: [
      {
        title: `By dimension, γ = ${gamma.toPrecision(2)}`,
        x: { label: "d" },
        y: { label: "L1 distance", scale: "log" },
        series: [
          {
            name: "exact",
            mark: "dots",
            points: dimensions.map((d) => [d, toNumber(boxIndicatorDistance(unit(d), gamma))]),
          },
          {
            name: "volume of the shell, printed",
            mark: "line",
            role: "theory",
            points: dimensions.map((d) => [d, toNumber(boxShell(unit(d), gamma))]),
          },
        ],
      },
      {
        title: "By width of the ramps",
        x: { label: "γ", scale: "log" },
        y: { label: "L1 distance", scale: "log" },
        series: [1, 2, 4].map((d) => ({
          name: `exact, d = ${d}`,
          mark: "line" as const,
          points: widths.map((g) => [g, toNumber(boxIndicatorDistance(unit(d), g))] as const),
        })),
      },
    ],
  };
}
