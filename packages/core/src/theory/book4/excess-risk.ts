import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

export default lemma({
  id: "C4-01",
  covers: ["C4-01"],
  kind: "measure",
  title: "The excess risk in three parts, over all samples",
  source: "Book, chapter 4, (4.5) to (4.9)",
  statement: String.raw`\mathcal R(f_S) - \mathcal R(f^*) = [\mathcal R(f_S) - \mathcal R_S(f_S)] + [\mathcal R_S(f_S) - \mathcal R_S(f^*)] + [\mathcal R_S(f^*) - \mathcal R(f^*)], \quad \mathbb E_S[\dots] \le \mathbb E_S \sup_{f \in F} (\mathcal R(f) - \mathcal R_S(f))`,
  parameters: {
    N: integer({ min: 2, max: 4, default: 4, label: "points of the population" }),
    m: integer({ min: 1, max: 5, default: 3, label: "examples of a sample" }),
    K: integer({ min: 1, max: 6, default: 4, label: "functions of the class" }),
  },
  claims: {
    "greatest |excess less its three parts| over all samples": equals("0"),
    "greatest second part": atMost("0"),
    "mean of the third part": equals("0"),
    "mean excess": atMost(String.raw`\mathbb E_S \sup_F (\mathcal R - \mathcal R_S)`),
    "mean first part": atMost(String.raw`\mathbb E_S \sup_F (\mathcal R - \mathcal R_S)`),
    "greatest second part, f* the best of all functions": atMost("0").printed({
      where: "after (4.5); after (4.8)",
      printed: String.raw`The smallest expected risk  $\mathcal{R}(\hat{f})$  is called the *Bayes error*.`,
      corrected: String.raw`The smallest risk over $\mathcal F$ is the Bayes error only if $\mathcal F$ has the best of all functions. With that one for $\hat f$ outside of $\mathcal F$, the second group of terms in (4.8) is not "nonpositive": the approximation error is missing.`,
    }),
  },
  mutants: {
    "the third part has a mean of 1/m": { "mean of the third part": ({ m }) => 1 / m },
    "an inequality the wrong way round": { "mean first part": (_, { theory }) => theory / 4 - 0.01 },
    "the risk of the second part counted with a sign": {
      "greatest |excess less its three parts| over all samples": () => 0.25,
    },
  },
  run({ N, m, K }, { random, budget }) {
    const problem = drawProblem(N, K, random);
    const found = overSamples(problem, m, problem.best);
    const bayes = overSamples(problem, m, undefined);
    // Means of at most 4^5 numbers up to 1.
    const tolerance = 2 ** -42;
    return {
      ...(budget !== "cheap" && { figure: figure(problem) }),
      claims: {
        "greatest |excess less its three parts| over all samples": checked(found.mismatch, 0, { tolerance }),
        "greatest second part": checked(found.greatestSecond, 0),
        "mean of the third part": checked(found.third, 0, { tolerance }),
        "mean excess": checked(found.excess, found.sup, { tolerance }),
        "mean first part": checked(found.first, found.sup, { tolerance }),
        "greatest second part, f* the best of all functions": checked(bayes.greatestSecond, 0),
      },
    };
  },
});

interface Problem {
  readonly N: number;
  /** Zero-one losses of each function at each point of the population: labels are 0 and right is 0. */
  readonly losses: readonly (readonly number[])[];
  /** The function of least risk. */
  readonly best: readonly number[];
}

const mean = (v: readonly number[]): number => v.reduce((sum, x) => sum + x, 0) / v.length;

function drawProblem(N: number, K: number, random: Random): Problem {
  const losses = Array.from({ length: K }, (_, f) =>
    [...random.split(`f ${f}`).normal(N)].map((v) => (v > 0.3 ? 1 : 0)),
  );
  return { N, losses, best: losses.reduce((a, b) => (mean(b) < mean(a) ? b : a)) };
}

/** Means over all samples of m points, drawn with replacement; f* undefined: the function that is right everywhere. */
function overSamples({ N, losses, best }: Problem, m: number, star: Problem["best"] | undefined) {
  const reference = star ?? best.map(() => 0);
  const parts = Array.from({ length: N ** m }, (_, code) => {
    const sample = Array.from({ length: m }, (__, k) => Math.floor(code / N ** k) % N);
    const empirical = (f: readonly number[]): number => mean(sample.map((i) => f[i]!));
    const fitted = losses.reduce((a, b) => (empirical(b) < empirical(a) ? b : a));
    const [first, second, third] = [
      mean(fitted) - empirical(fitted),
      empirical(fitted) - empirical(reference),
      empirical(reference) - mean(reference),
    ];
    const sup = Math.max(...losses.map((f) => mean(f) - empirical(f)));
    return { excess: mean(fitted) - mean(reference), first, second, third, sup };
  });
  return {
    mismatch: Math.max(
      ...parts.map(({ excess, first, second, third }) => Math.abs(excess - first - second - third)),
    ),
    greatestSecond: Math.max(...parts.map(({ second }) => second)),
    third: mean(parts.map(({ third }) => third)),
    first: mean(parts.map(({ first }) => first)),
    excess: mean(parts.map(({ excess }) => excess)),
    sup: mean(parts.map(({ sup }) => sup)),
  };
}

function figure(problem: Problem) {
  const rows = [1, 2, 3, 4, 5, 6].map((m) => [m, overSamples(problem, m, problem.best)] as const);
  const line = (name: string, role: "measured" | "theory", of: (r: (typeof rows)[number][1]) => number) => ({
    name,
    mark: "line" as const,
    role,
    points: rows.map(([m, r]) => [m, of(r)] as const),
  });
  return {
    title: "Excess risk and its bound by the size of the sample",
    panels: [
      {
        title: "Means over all samples",
        x: { label: "examples m" },
        y: { label: "risk" },
        series: [
          line("excess", "measured", (r) => r.excess),
          line("first part: R(f_S) - R_S(f_S)", "measured", (r) => r.first),
          line("sup of R - R_S", "theory", (r) => r.sup),
        ],
      },
    ],
  };
}
