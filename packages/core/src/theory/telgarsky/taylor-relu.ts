import {
  drawShallow,
  frobeniusDistance,
  shallowGraph,
  shallowTaylor,
  shallowValue,
} from "../../dynamics/shallow-network.ts";
import { movedRows, reluGapBound, worstReluMove } from "../../dynamics/taylor-gap.ts";
import type { Figure } from "../../figure/figure.ts";
import { dot } from "../../linear-algebra/dot.ts";
import type { Random } from "../../numbers/random.ts";
import { normalCdf, normalQuantile } from "../../numbers/statistics.ts";
import { atMost, checked, equals, fitted, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

/** Few enough rows to try every subset of them. */
const fewRows = 12;

export default lemma({
  id: "T-14",
  covers: ["T-14"],
  kind: "bound",
  title: "ReLU networks stay near their Taylor expansion up to the cube root of their width",
  source: "Telgarsky, Proposition 3.7 and Lemma 3.8",
  statement: String.raw`\|V - V_0\|_F \le B: \quad |F(x; V) - F_0(x; V)| \le \|a\|_\infty m^{1/3} \left( 4 B^{4/3} + 2 B \ln(1/\delta)^{1/4} \right); \qquad \sup_V |F - F_0| = \max_n \Big( \sqrt n B - \sum_{i \le n} |z|_{(i)} \Big) \approx \tfrac34 (8\pi)^{-1/6} m^{1/3} B^{4/3}`,
  parameters: {
    d: integer({ min: 1, max: 10, default: 3, label: "variables d" }),
    m: integer({ min: 1, max: 5000, default: 1000, label: "units m" }),
    B: real({ min: 0.05, max: 5, default: 1, label: "distance B from the start" }),
    delta: real({ min: 0.01, max: 0.5, default: 0.1, label: "δ" }),
    tau: real({ min: 0.01, max: 2, default: 0.3, label: "nearness τ" }),
  },
  claims: {
    "rows with |<v, x>| ≤ τ": atMost(String.raw`m \tau + \sqrt{(m/2) \ln(1/\delta)}`).probable(),
    "rows with |<v, x>| ≤ τ, part of all": equals(
      String.raw`2\Phi(\tau) - 1 \pm \sqrt{\ln(2/\delta) / 2m}`,
    ).probable(),
    "gap at the worst weights, measured on the network": equals(
      String.raw`\max_n \sqrt n B - \sum_{i \le n} |z|_{(i)}`,
    ),
    "distance of the worst weights from the start": equals("B"),
    "worst gap of the first 12 rows, by every subset of them": equals("the same with 12 rows"),
    "gap of weights on the way to the worst and around it": atMost("the worst gap"),
    "worst gap": atMost(String.raw`m^{1/3} (4 B^{4/3} + 2 B \ln(1/\delta)^{1/4})`).probable().looseBy(3),
    "growth of the worst gap with m": equals("1/3").rate(),
    "worst gap over m^{1/3} B^{4/3}, 200,000 rows": equals(String.raw`\tfrac34 (8\pi)^{-1/6} \approx 0.438`),
  },
  mutants: {
    "rows of both signs together": {
      "worst gap over m^{1/3} B^{4/3}, 200,000 rows": (_, { theory }) => theory * 2 ** (1 / 3),
    },
    "a square root for the cube root": { "growth of the worst gap with m": () => 0.5 },
    "density of one side only": {
      "rows with |<v, x>| ≤ τ, part of all": ({ tau }) => normalCdf(tau) - 0.5,
    },
  },
  async run({ d, m, B, delta, tau }, { random, progress }) {
    const start = drawShallow("relu", m, d, random.split("start"));
    const x = random.split("x").sphere(d);
    const z = start.V.map((v) => dot(v, x));
    const worst = worstReluMove(z, start.a, B);
    const V = movedRows(start, x, worst);
    const gapAt = (rows: readonly ArrayLike<number>[]): number =>
      Math.abs(shallowValue({ ...start, V: rows }, x) - shallowTaylor(start, rows, x));
    await progress(0.3);
    const near = z.filter((v) => Math.abs(v) <= tau).length;
    const size = m * 4;
    const few = [z.slice(0, fewRows), start.a.slice(0, fewRows)] as const;
    return {
      graph: shallowGraph({ ...start, V }),
      figure: figure(B, delta, random.split("figure")),
      claims: {
        "rows with |<v, x>| ≤ τ": sampled(near, m * tau + Math.sqrt((m / 2) * Math.log(1 / delta)), {
          delta,
        }),
        "rows with |<v, x>| ≤ τ, part of all": sampled(near / m, 2 * normalCdf(tau) - 1, {
          delta,
          tolerance: Math.sqrt(Math.log(2 / delta) / (2 * m)),
        }),
        "gap at the worst weights, measured on the network": checked(gapAt(V), worst.gap, {
          tolerance: 1e-14 * size,
        }),
        "distance of the worst weights from the start": checked(
          frobeniusDistance(V, start.V),
          worst.rows.length === 0 ? 0 : B,
          { tolerance: 1e-12 * B },
        ),
        "worst gap of the first 12 rows, by every subset of them": checked(
          bySubsets(...few, B),
          worstReluMove(...few, B).gap,
          { tolerance: 1e-13 * B },
        ),
        "gap of weights on the way to the worst and around it": sampled(
          around(start.V, V, B, random.split("around")).reduce(
            (most, rows) => Math.max(most, gapAt(rows)),
            0,
          ),
          worst.gap,
          { tolerance: 1e-14 * size },
        ),
        "worst gap": sampled(worst.gap, reluGapBound(m, B, delta), { delta }),
        ...growth(),
      },
    };
  },
});

/** Rows of a subset share B equally, if each then gets to 0 and beyond: what the subset gives, at most. */
function bySubsets(z: readonly number[], a: readonly number[], B: number): number {
  let best = 0;
  for (let mask = 1; mask < 2 ** z.length; mask++) {
    const rows = z.flatMap((_, j) => ((mask >> j) & 1 ? [j] : []));
    if (rows.some((j) => a[j] !== a[rows[0]!])) continue;
    const step = B / Math.sqrt(rows.length);
    best = Math.max(
      best,
      rows.reduce((sum, j) => sum + Math.max(0, step - Math.abs(z[j]!)), 0),
    );
  }
  return best;
}

/** Weights in the ball: between the start and the worst, and the worst turned a little at random. */
function around(
  start: readonly ArrayLike<number>[],
  worst: readonly Float64Array[],
  B: number,
  random: Random,
): readonly (readonly Float64Array[])[] {
  const mixed = (part: number, noise: number): readonly Float64Array[] => {
    const move = worst.map((v, j) =>
      v.map(
        (value, k) => part * (value - start[j]![k]!) + (noise * random.normal()) / Math.sqrt(worst.length),
      ),
    );
    const length = Math.hypot(...move.map((row) => Math.hypot(...row)));
    const shrunk = Math.min(1, B / (length || 1));
    return move.map((row, j) => row.map((value, k) => start[j]![k]! + shrunk * value));
  };
  return [mixed(0.5, 0), mixed(1, 0.1 * B), mixed(1, B), mixed(0, B)];
}

/**
 * How the worst gap grows, and its constant where there are many rows: where the |z| of rows of one sign stand at the
 * quantiles of their law, so that nothing depends on a draw. Half of all rows have one sign.
 */
function growth() {
  const gapOf = (m: number): number => {
    const rows = Math.min(m / 2, 2000); // the others do not move
    const z = Array.from({ length: rows }, (_, j) => normalQuantile(0.5 + (j + 0.5) / m));
    return worstReluMove(z, new Array<number>(rows).fill(1), 1).gap;
  };
  const many = 200_000;
  return {
    "growth of the worst gap with m": fitted(
      [1000, 4000, 16000, 64000].map((m) => [m, gapOf(m)] as const),
      1 / 3,
      0.01, // rows that move are up to 0.15 from 0, where the density is 1 percent less
    ),
    "worst gap over m^{1/3} B^{4/3}, 200,000 rows": checked(
      gapOf(many) / Math.cbrt(many),
      0.75 * (8 * Math.PI) ** (-1 / 6),
      { tolerance: 1e-3 },
    ),
  };
}

function figure(B: number, delta: number, random: Random): Figure {
  const sizes = Array.from({ length: 10 }, (_, k) => 2 ** (k + 4));
  const drawn = sizes.map((m) => {
    const own = random.split(m);
    const [z, a] = [[...own.normal(m)], Array.from(own.uniform(m), (u) => (u < 0.5 ? -1 : 1))];
    return { m, z, a, worst: worstReluMove(z, a, B) };
  });
  const last = drawn.at(-1)!;
  const sorted = last.z
    .filter((_, j) => last.a[j] === 1)
    .map(Math.abs)
    .sort((p, q) => p - q);
  let sum = 0;
  const shown = Math.min(sorted.length, 4 * Math.max(10, last.worst.rows.length));
  const curve = sorted.slice(0, shown).map((v, k) => {
    sum += v;
    return [k + 1, Math.sqrt(k + 1) * B - sum] as const;
  });
  return {
    title: "The worst weights for the Taylor expansion of a ReLU network",
    panels: [
      {
        title: "They pay the cube root of the width",
        x: { label: "units m", scale: "log" },
        y: { label: "|F - F₀|", scale: "log" },
        series: [
          {
            name: "bound",
            mark: "line",
            role: "theory",
            points: drawn.map(({ m }) => [m, reluGapBound(m, B, delta)] as const),
          },
          {
            name: "0.438 m^(1/3) B^(4/3)",
            mark: "line",
            role: "theory",
            points: drawn.map(
              ({ m }) => [m, 0.75 * (8 * Math.PI) ** (-1 / 6) * Math.cbrt(m) * B ** (4 / 3)] as const,
            ),
          },
          {
            name: "worst weights",
            mark: "dots",
            points: drawn.map(({ m, worst }) => [m, Math.max(worst.gap, 1e-3)] as const),
          },
        ],
      },
      {
        title: `How many rows should move, of ${last.m}`,
        x: { label: "rows n that change their sign" },
        y: { label: "√n B - Σ |z|" },
        series: [{ name: "gap", mark: "line", points: curve }],
      },
    ],
  };
}
