import {
  type ConvexCombination,
  combinationSizes,
  greedyAverage,
  reduceCombination,
  sampleAverage,
} from "../../approximate/pruning/index.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Matrix } from "../../linear-algebra/index.ts";
import type { Random } from "../../numbers/random.ts";
import { sum } from "../../numbers/sum.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";

const delta = 1 / 4;

export default lemma({
  id: "C1b-37",
  covers: ["C1b-37"],
  kind: "algorithm",
  title: "Few atoms for a convex combination",
  source: "Book, chapter 1, section 1.6.5, the Carathéodory lemma",
  statement: String.raw`g = \sum_i p_i f_i, \; \|f_i\| \le C: \qquad \min_{i_1, \dots, i_k} \Big\| g - \frac1k \sum_{t=1}^k f_{i_t} \Big\| \le \sqrt{\frac{C^2 - \|g\|^2}{k}} \le \frac{C}{\sqrt k}; \qquad \text{in } \mathbb R^N, \; N + 1 \text{ atoms give } g \text{ itself}`,
  parameters: {
    atoms: choice(["sphere", "normal", "corners"], { label: "atoms" }),
    n: integer({ min: 1, max: 300, default: 200, label: "number of atoms" }),
    N: integer({ min: 1, max: 60, default: 30, label: "dimension N" }),
    k: integer({ min: 1, max: 100, default: 60, label: "atoms in the average k" }),
  },
  claims: {
    "greedy error, the greatest over t ≤ k of √t times it": atMost(String.raw`\sqrt{C^2 - \|g\|^2}`),
    "greedy error": atMost(String.raw`C / \sqrt k`).loose({
      where: "section 1.6.5",
      printed: String.raw`\left\| g - \sum_{i=1}^n c_i f_i \right\| \leq \frac{C}{\sqrt{n}}`,
      corrected: String.raw`\left\| g - \sum_{i=1}^n c_i f_i \right\| \leq \sqrt{\frac{C^2 - \|g\|^2}{n}}`,
    }),
    "mean square of a drawn average's error": equals(String.raw`(\sum_i p_i \|f_i\|^2 - \|g\|^2) / k`),
    "error of a drawn average": atMost(
      String.raw`\sqrt{(\textstyle\sum_i p_i \|f_i\|^2 - \|g\|^2) / (k \delta)}, \; \delta = \tfrac14`,
    ).probable(),
    "atoms of the exact combination": atMost("N + 1"),
    "its distance to g": equals("0"),
    "its sum of weights": equals("1"),
    "atoms, if the weights may have a lesser sum": atMost("N"),
    "that sum": atMost("1"),
  },
  mutants: {
    "k for its root": { "error of a drawn average": ({ k }, { theory }) => theory / Math.sqrt(k) },
    "C² for C² - |g|²": {
      "mean square of a drawn average's error": ({ atoms, k }) => (atoms === "sphere" ? 1 / k : Number.NaN),
    },
    "N atoms for N + 1": { "atoms of the exact combination": ({ N }) => N },
  },
  async run({ atoms: law, n, N, k }, { random, budget, progress }) {
    const combination = drawn(law, n, N, random);
    const sizes = combinationSizes(combination);
    const greedy = greedyAverage(combination, k);
    const sample = sampleAverage(combination, k, random.split("sample"));
    await progress(0.4);
    const convex = await reduceCombination(withOne(combination.atoms), combination.probabilities);
    const conic = await reduceCombination(combination.atoms, combination.probabilities);
    const rounding = n * 2 ** -48 * sizes.greatest;
    return {
      ...(budget === "cheap" ? {} : { figure: figure(combination, k, random) }),
      claims: {
        "greedy error, the greatest over t ≤ k of √t times it": checked(
          greedy.errors.reduce((most, e, t) => Math.max(most, e * Math.sqrt(t + 1)), 0),
          sizes.constant,
          { tolerance: rounding * k },
        ),
        "greedy error": checked(greedy.errors[k - 1]!, sizes.greatest / Math.sqrt(k), {
          tolerance: rounding,
        }),
        "mean square of a drawn average's error": checked(
          exactMeanSquare(combination, k),
          sizes.deviation ** 2 / k,
          { tolerance: rounding * sizes.greatest },
        ),
        // Markov's inequality for the square.
        "error of a drawn average": sampled(sample.errors[k - 1]!, sizes.deviation / Math.sqrt(k * delta), {
          tolerance: rounding, // of one atom, which is g
          delta,
        }),
        "atoms of the exact combination": checked(positive(convex.weights), N + 1),
        // Each of n eliminations rounds; the sum is the last coordinate of the combination.
        "its distance to g": checked(convex.residual, 0, {
          tolerance: n * 2 ** -46 * Math.max(1, sizes.greatest),
        }),
        "its sum of weights": checked(sum(convex.weights), 1, { tolerance: n * 2 ** -46 }),
        "atoms, if the weights may have a lesser sum": checked(positive(conic.weights), N),
        "that sum": checked(sum(conic.weights), 1, { tolerance: n * 2 ** -46 }),
      },
    };
  },
});

const positive = (x: Float64Array): number => x.filter((w) => w > 0).length;

/** Atoms on the unit sphere, of any length, or few of them at the corners of a cube many times over. */
function drawn(
  law: "sphere" | "normal" | "corners",
  n: number,
  N: number,
  random: Random,
): ConvexCombination {
  const normal = random.split("atoms").normal(n * N);
  const entries = law === "corners" ? normal.map(Math.sign) : normal;
  if (law === "sphere")
    for (let i = 0; i < n; i++) {
      const row = entries.subarray(i * N, (i + 1) * N);
      const length = Math.hypot(...row);
      row.set(row.map((x) => x / length));
    }
  const u = random
    .split("weights")
    .uniform(n)
    .map((v) => v ** 3 + 1e-9);
  const total = sum(u);
  return { atoms: { rows: n, columns: N, entries }, probabilities: u.map((v) => v / total) };
}

/** A coordinate 1 more. */
function withOne({ rows, columns, entries }: Matrix): Matrix {
  const more = new Float64Array(rows * (columns + 1)).fill(1);
  for (let i = 0; i < rows; i++)
    more.set(entries.subarray(i * columns, (i + 1) * columns), i * (columns + 1));
  return { rows, columns: columns + 1, entries: more };
}

/** E |(1/k) sum f_it - g|^2 = (1/k) sum_c Var f_i(c), coordinate by coordinate, from the law of one draw. */
function exactMeanSquare({ atoms, probabilities }: ConvexCombination, k: number): number {
  let variance = 0;
  for (let c = 0; c < atoms.columns; c++) {
    const at = (i: number) => atoms.entries[i * atoms.columns + c]!;
    const mean = probabilities.reduce((s, p, i) => s + p * at(i), 0);
    variance += probabilities.reduce((s, p, i) => s + p * (at(i) - mean) ** 2, 0);
  }
  return variance / k;
}

function figure(combination: ConvexCombination, k: number, random: Random): Figure {
  const { constant, greatest } = combinationSizes(combination);
  const ts = Array.from({ length: Math.max(k, 10) }, (_, t) => t + 1);
  const greedy = greedyAverage(combination, ts.length).errors;
  const draws = Array.from(
    { length: 3 },
    (_, r) => sampleAverage(combination, ts.length, random.split(`draw ${r}`)).errors,
  );
  const shown = (errors: Float64Array) => ts.map((t) => [t, Math.max(errors[t - 1]!, 1e-16)] as const);
  return {
    title: "Averages of few atoms",
    panels: [
      {
        title: `${combination.atoms.rows} atoms in dimension ${combination.atoms.columns}`,
        x: { label: "atoms in the average", scale: "log" },
        y: { label: "distance to the combination", scale: "log" },
        series: [
          { name: "greedy", mark: "line", points: shown(greedy) },
          ...draws.map((errors, r) => ({
            name: `drawn by weight, ${r + 1}`,
            mark: "line" as const,
            points: shown(errors),
          })),
          {
            name: "theory: √((C² - |g|²) / k)",
            mark: "line",
            role: "theory",
            points: ts.map((t) => [t, constant / Math.sqrt(t)]),
          },
          {
            name: "theory, printed: C / √k",
            mark: "line",
            role: "theory",
            points: ts.map((t) => [t, greatest / Math.sqrt(t)]),
          },
        ],
      },
    ],
  };
}
