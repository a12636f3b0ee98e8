import type { Figure } from "../../figure/figure.ts";
import {
  finiteRademacher,
  linearRademacherBound,
  massartBound,
  supAgainstSigns,
} from "../../generalization/bounds/rademacher.ts";
import type { Random } from "../../numbers/random.ts";
import { drawSigns } from "../../numbers/signs.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

export default lemma({
  id: "C1a-23",
  covers: ["C1a-23"],
  kind: "measure",
  title: "Rademacher complexity, and symmetrization from both sides",
  source: "Book, chapter 1, (1.15), (1.16) and the symmetrization before it",
  statement: String.raw`\tfrac12 \Bigl(\mathfrak R_m(\mathcal G) - \frac{\sup_g |\mathbb E g|}{\sqrt m}\Bigr) \le \mathbb E\, \varepsilon^{\mathrm{gen}} \le 2 \mathfrak R_m(\mathcal G), \qquad \mathfrak R_m(\mathcal G) = \mathbb E \sup_{g \in \mathcal G} \Bigl| \frac1m \sum_i \tau_i g(Z^{(i)}) \Bigr|`,
  parameters: {
    m: integer({ min: 1, max: 5, default: 4, label: "examples" }),
    values: integer({ min: 2, max: 3, default: 3, label: "values of Z" }),
    functions: integer({ min: 1, max: 8, default: 5, label: "losses g, with values in [0, 1]" }),
    losses: choice(["any", "0 or 1", "0 but for rare Z"], { label: "losses" }),
    rare: real({ min: 0.001, max: 0.9, default: 0.5, label: "P(Z is not its first value)" }),
    d: integer({ min: 1, max: 6, default: 3, label: "dimension of linear functions" }),
    C: real({ min: 0.1, max: 5, default: 1, label: "bound of their norm" }),
  },
  claims: {
    "mean generalization error": atMost(String.raw`2 \mathfrak R_m(\mathcal G)`),
    "mean generalization error, from below": atLeast(
      String.raw`\tfrac12 (\mathfrak R_m(\mathcal G) - \sup_g |\mathbb E g| / \sqrt m)`,
    ).looseBy(2),
    "complexity on a sample, with absolute values": atMost(
      String.raw`\max |g|_2 \sqrt{2 \ln(2 |\mathcal G|)} / m`,
    ).looseBy(1.15),
    "complexity on a sample, without, |G| > 1": atMost(
      String.raw`\max |g|_2 \sqrt{2 \ln |\mathcal G|} / m`,
    ).looseBy(1.8),
    "complexity of -3 G over that of G": equals("3"),
    "complexity with random convex combinations added": equals(String.raw`\mathfrak R(\mathcal G)`),
    "complexity of linear functions": atMost(String.raw`(C/m) \sqrt{\sum \|x_i\|_2^2}`),
    "complexity of linear functions, from below": atLeast(
      String.raw`(C/m) \sqrt{\sum \|x_i\|_2^2} / \sqrt 2`,
    ),
    "g = 1: complexity on 15 examples": equals(String.raw`\binom{14}{7} 2^{-14}`),
  },
  mutants: {
    "one copy of the sample for two": { "mean generalization error": (_, { theory }) => theory / 2 },
    "the sum for its mean": { "g = 1: complexity on 15 examples": (_, { theory }) => 15 * theory },
    "Khintchine's constant forgotten": {
      "complexity of linear functions, from below": (_, { theory }) => Math.SQRT2 * theory,
    },
  },
  run({ m, values, functions, losses: kind, rare, d, C }, { random, budget }) {
    const weights = random.uniform(values - 1).map((u) => u + 0.05);
    const total = weights.reduce((a, b) => a + b);
    const law = [1 - rare, ...Array.from(weights, (w) => (rare * w) / total)];
    // Where losses are 0 but for rare values, two samples hardly ever have the same ones: there the factor 2 is attained.
    const losses = Array.from({ length: functions }, () =>
      random
        .uniform(values)
        .map((v, j) => (kind === "0 or 1" ? Math.round(v) : kind !== "any" && j === 0 ? 0 : v)),
    );
    const { gap, complexity } = exactly(law, losses, m);
    const means = losses.map((g) => g.reduce((sum, v, j) => sum + v * law[j]!, 0));
    const drawn = Array.from({ length: m }, () => random.integer(0, values - 1));
    const onSample = losses.map((g) => drawn.map((j) => g[j]!));
    const own = finiteRademacher(onSample);
    const mixed = Array.from({ length: 6 }, () => mixture(onSample, random));
    const points = Array.from({ length: m }, () => [...random.normal(d)]);
    const linear = linearComplexity(points, C);
    const rounding = { tolerance: 1e-13 * (1 + C) }; // sums of a few thousand numbers below that
    return {
      ...(budget === "cheap" ? {} : { figure: figure(random) }),
      claims: {
        "mean generalization error": checked(gap, 2 * complexity, rounding),
        // Constant losses have no error, and nothing to say about it.
        ...(gap > 1e-9 && {
          "mean generalization error, from below": checked(
            gap,
            0.5 * (complexity - Math.max(...means) / Math.sqrt(m)),
            rounding,
          ),
        }),
        ...(own.absolute > 0 && {
          "complexity on a sample, with absolute values": checked(
            own.absolute,
            massartBound(onSample, true),
            rounding,
          ),
        }),
        ...(functions > 1 &&
          own.absolute > 0 && {
            "complexity on a sample, without, |G| > 1": checked(own.plain, massartBound(onSample), rounding),
          }),
        ...(own.absolute > 0 && {
          "complexity of -3 G over that of G": checked(
            finiteRademacher(onSample.map((g) => g.map((v) => -3 * v))).absolute / own.absolute,
            3,
            { tolerance: 1e-12 },
          ),
        }),
        "complexity with random convex combinations added": checked(
          finiteRademacher([...onSample, ...mixed]).absolute,
          own.absolute,
          rounding,
        ),
        "complexity of linear functions": checked(linear, linearRademacherBound(C, points), rounding),
        // Khintchine's inequality with its best constant, for vectors (Latala and Oleszkiewicz).
        "complexity of linear functions, from below": checked(
          linear,
          linearRademacherBound(C, points) / Math.SQRT2,
          { tolerance: 1e-13 * (1 + C) * 10 },
        ),
        "g = 1: complexity on 15 examples": checked(
          finiteRademacher([new Array<number>(15).fill(1)]).absolute,
          3432 / 2 ** 14,
          rounding,
        ),
      },
    };
  },
});

/** E sup |R - R^| and the complexity, both over all samples of m values (and all signs). */
function exactly(
  law: readonly number[],
  losses: readonly Float64Array[],
  m: number,
): { readonly gap: number; readonly complexity: number } {
  const risks = losses.map((g) => g.reduce((sum, v, j) => sum + v * law[j]!, 0));
  let [gap, complexity] = [0, 0];
  const sample = new Array<number>(m).fill(0);
  for (let code = 0; code < law.length ** m; code++) {
    let rest = code;
    let chance = 1;
    for (let i = 0; i < m; i++) {
      sample[i] = rest % law.length;
      rest = Math.floor(rest / law.length);
      chance *= law[sample[i]!]!;
    }
    const vectors = losses.map((g) => sample.map((j) => g[j]!));
    const means = vectors.map((g) => g.reduce((a, b) => a + b) / m);
    gap += chance * Math.max(...means.map((mean, k) => Math.abs(mean - risks[k]!)));
    complexity += chance * finiteRademacher(vectors).absolute;
  }
  return { gap, complexity };
}

/** A random combination with weights that sum to 1 in absolute value. */
function mixture(vectors: readonly (readonly number[])[], random: Random): readonly number[] {
  const raw = random.normal(vectors.length);
  const size = raw.reduce((sum, v) => sum + Math.abs(v), 0);
  return vectors[0]!.map((_, i) => vectors.reduce((sum, g, k) => sum + (raw[k]! / size) * g[i]!, 0));
}

/** (C / m) E |sum tau_i x_i| over all signs. */
function linearComplexity(points: readonly (readonly number[])[], C: number): number {
  const m = points.length;
  let sum = 0;
  for (let mask = 0; mask < 2 ** m; mask++) {
    const total = points[0]!.map((_, k) =>
      points.reduce((s, x, i) => s + ((mask >> i) & 1 ? x[k]! : -x[k]!), 0),
    );
    sum += Math.hypot(...total);
  }
  return (C * sum) / (m * 2 ** m);
}

/** Thresholds on m points: patterns 1...1-1...-1. */
function figure(random: Random): Figure {
  const sizes = [5, 10, 20, 50, 100, 200, 500];
  const thresholds = (m: number) =>
    Array.from({ length: m + 1 }, (_, k) => Int8Array.from({ length: m }, (__, i) => (i < k ? -1 : 1)));
  const estimate = (vectors: readonly Int8Array[]): number => {
    const draws = Array.from(
      { length: 60 },
      () => supAgainstSigns(vectors, drawSigns(vectors[0]!.length, random)).absolute,
    );
    return draws.reduce((a, b) => a + b) / draws.length;
  };
  return {
    title: "Rademacher complexity of thresholds",
    panels: [
      {
        title: "With absolute values",
        x: { label: "examples m", scale: "log" },
        y: { label: "complexity", scale: "log" },
        series: [
          {
            name: "mean over 60 draws of signs",
            mark: "dots",
            points: sizes.map((m) => [m, estimate(thresholds(m))]),
          },
          {
            name: "Massart: √(2 ln(2(m + 1)) / m)",
            mark: "line",
            role: "theory",
            points: sizes.map((m) => [m, massartBound(thresholds(m), true)]),
          },
          {
            name: "one function: about √(2 / (π m))",
            mark: "line",
            role: "theory",
            points: sizes.map((m) => [m, Math.sqrt(2 / (Math.PI * m))]),
          },
        ],
      },
    ],
  };
}
