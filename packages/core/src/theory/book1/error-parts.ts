import type { Figure } from "../../figure/figure.ts";
import {
  drawIndexed,
  indexedRisk,
  type KnownLaw,
  knownBayesRisk,
  knownRisk,
} from "../../generalization/bounds/known-law.ts";
import type { Random } from "../../numbers/random.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

export default lemma({
  id: "C1a-06",
  covers: ["C1a-06"],
  kind: "measure",
  title: "Excess risk: optimization, generalization and approximation",
  source: "Book, chapter 1, (1.7) and Figure 1.2",
  statement: String.raw`\mathcal R(f_S) - \mathcal R^* \le \varepsilon^{\mathrm{opt}} + 2 \varepsilon^{\mathrm{gen}} + \varepsilon^{\mathrm{approx}}, \qquad \varepsilon^{\mathrm{gen}} = \sup_{f \in \mathcal F} |\mathcal R(f) - \widehat{\mathcal R}_S(f)|`,
  parameters: {
    inputs: integer({ min: 2, max: 40, default: 40, label: "inputs of the law" }),
    n: integer({ min: 1, max: 300, default: 60, label: "examples" }),
    tries: integer({ min: 1, max: 30, default: 4, label: "functions that training looks at" }),
    noise: real({ min: 0, max: 0.5, default: 0.2, label: "noise of the labels" }),
  },
  claims: {
    "excess risk": atMost(
      String.raw`\varepsilon^{\mathrm{opt}} + 2 \varepsilon^{\mathrm{gen}} + \varepsilon^{\mathrm{approx}}`,
    ),
    "excess risk as a sum": equals(
      String.raw`[\mathcal R - \widehat{\mathcal R}](f_S) + [\widehat{\mathcal R}(f_S) - \widehat{\mathcal R}(f^*_{\mathcal F})] + [\widehat{\mathcal R} - \mathcal R](f^*_{\mathcal F}) + \varepsilon^{\mathrm{approx}}`,
    ),
    "optimization error": atLeast(
      String.raw`\widehat{\mathcal R}(f_S) - \widehat{\mathcal R}(f^*_{\mathcal F})`,
    ),
    "optimization error is not negative": atLeast("0"),
    "generalization error": atLeast(
      String.raw`\max\{\mathcal R(f_S) - \widehat{\mathcal R}(f_S), \widehat{\mathcal R}(f^*_{\mathcal F}) - \mathcal R(f^*_{\mathcal F})\}`,
    ),
    "approximation error is not negative": atLeast("0"),
  },
  mutants: {
    "a fifth of the bound lost": { "excess risk": (_, { theory }) => 0.8 * theory },
    "noise of the labels forgotten": ({ noise }) => ({ noise: noise / 2 }),
  },
  run({ inputs, n, tries, noise }, { random, budget }) {
    const law = wavyLaw(inputs, noise, random);
    const sample = drawIndexed(law, n, random);
    // Thresholds, in both orientations: all of F.
    const functions = Array.from({ length: 2 * inputs + 2 }, (_, k) => {
      const from = k >> 1;
      return (j: number): number => (j >= from === (k % 2 === 0) ? 1 : 0);
    });
    const risks = functions.map((f) => knownRisk(law, f));
    const empirical = functions.map((f) => indexedRisk(sample, f));
    const looked = Array.from({ length: tries }, () => random.integer(0, functions.length - 1));
    const trained = looked.reduce((best, k) => (empirical[k]! < empirical[best]! ? k : best));
    const best = risks.indexOf(Math.min(...risks));
    const opt = empirical[trained]! - Math.min(...empirical);
    const gen = Math.max(...risks.map((r, k) => Math.abs(r - empirical[k]!)));
    const approx = risks[best]! - knownBayesRisk(law);
    const excess = excessOf(law, functions[trained]!);
    const gaps = [risks[trained]! - empirical[trained]!, empirical[best]! - risks[best]!];
    const rounding = { tolerance: 1e-13 }; // sums of at most 40 numbers below 1
    return {
      ...(budget === "cheap"
        ? {}
        : { figure: figure(risks, empirical, { trained, best, bayes: knownBayesRisk(law) }) }),
      claims: {
        "excess risk": checked(excess, opt + 2 * gen + approx, rounding),
        "excess risk as a sum": checked(
          excess,
          gaps[0]! + (empirical[trained]! - empirical[best]!) + gaps[1]! + approx,
          rounding,
        ),
        "optimization error": checked(opt, empirical[trained]! - empirical[best]!, rounding),
        "optimization error is not negative": checked(opt, 0),
        "generalization error": checked(gen, Math.max(...gaps)),
        "approximation error is not negative": checked(approx, 0, rounding),
      },
    };
  },
});

/** E |E[Y|X]| where f and the Bayes classifier disagree: (1.6). */
const excessOf = ({ probabilities, positive }: KnownLaw, says: (j: number) => number): number =>
  probabilities.reduce(
    (sum, p, j) => sum + (says(j) > 0 === positive[j]! > 0.5 ? 0 : p * Math.abs(2 * positive[j]! - 1)),
    0,
  );

/** Inputs 0, 1, ... with random weights; the likelier label changes now and then, so that no threshold is optimal. */
function wavyLaw(inputs: number, noise: number, random: Random): KnownLaw {
  const weights = random.uniform(inputs).map((u) => u + 0.1);
  const total = weights.reduce((a, b) => a + b);
  let sign = 1;
  return {
    points: Array.from(weights, (_, j) => [j]),
    probabilities: Array.from(weights, (w) => w / total),
    positive: Array.from(weights, () => {
      if (random.uniform() < 0.15) sign = -sign;
      return sign > 0 ? 1 - noise : noise;
    }),
  };
}

function figure(
  risks: readonly number[],
  empirical: readonly number[],
  at: { readonly trained: number; readonly best: number; readonly bayes: number },
): Figure {
  const upward = (values: readonly number[]) =>
    values.flatMap((v, k) => (k % 2 === 0 ? [[k / 2, v] as const] : []));
  const mark = (k: number, values: readonly number[]) => [[k >> 1, values[k]!] as const];
  const minimum = empirical.indexOf(Math.min(...empirical));
  const half = (k: number): string => (k % 2 === 0 ? "" : " (other orientation)");
  return {
    title: "Risk and empirical risk over the class",
    panels: [
      {
        title: "Thresholds, one orientation",
        x: { label: "threshold" },
        y: { label: "probability of error" },
        series: [
          { name: "risk", mark: "line", points: upward(risks) },
          { name: "empirical risk", mark: "line", points: upward(empirical) },
          {
            name: "Bayes risk",
            mark: "line",
            role: "theory",
            points: [
              [0, at.bayes],
              [risks.length / 2 - 1, at.bayes],
            ],
          },
          { name: `trained: its risk${half(at.trained)}`, mark: "dots", points: mark(at.trained, risks) },
          { name: `best in the class${half(at.best)}`, mark: "dots", points: mark(at.best, risks) },
          {
            name: `empirical minimizer: its risk${half(minimum)}`,
            mark: "dots",
            points: mark(minimum, risks),
          },
        ],
      },
    ],
  };
}
