import type { Figure } from "../../figure/figure.ts";
import { validationBound } from "../../generalization/bounds/validation.ts";
import {
  bernsteinDeviation,
  bernsteinRoot,
  empiricalBernstein,
  hoeffdingDeviation,
  type SearchedFamily,
} from "../../generalization/memorization/searched-family.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

const delta = 0.1;

export default lemma({
  id: "C2-08",
  covers: ["C2-08"],
  kind: "bound",
  title: "The best of many models on a validation set",
  source: "Book, chapter 2, Proposition 2.5 and its proof",
  statement: String.raw`\mathcal R[f] \le \mathcal R_{S^{(\text{val})}}[f] + \frac{2 C \ln(|\mathcal F_{\text{val}}| / \delta)}{3 m_{\text{val}}} + \sqrt{\frac{2 \gamma^2 \ln(|\mathcal F_{\text{val}}| / \delta)}{m_{\text{val}}}} \quad \forall f \in \mathcal F_{\text{val}}`,
  parameters: {
    m: integer({ min: 2, max: 1500, default: 300, label: "validation examples" }),
    models: integer({ min: 1, max: 1000, default: 40, label: "models" }),
    risks: choice(["different", "alike"], { label: "risks of the models" }),
    least: real({ min: 0, max: 1, default: 0.05, label: "least risk of a model" }),
    reach: real({ min: 0, max: 1, default: 0.5, label: "how far other risks reach from it towards 1" }),
    training: integer({ min: 2, max: 60000, default: 60000, label: "training examples" }),
  },
  claims: {
    "worst case of the text, in %": equals("6.94"),
    "other case of the text, in %": equals("0.49"),
    "worst case for 0-1 loss by Hoeffding, in %": atMost("6.94").loose({
      where: "section 2.4, after Proposition 2.5",
      printed: String.raw`even in the worst case, with $C = 1$ and $\gamma^2 = 1$, and even with $|\mathcal{F}_{\text{val}}| = 1,000,000,000$, we have, with probability at least 0.9, that $\mathcal{R}[f] \leq \mathcal{R}_{S^{(\text{val})}}[f] + 6.94\%$`,
      corrected: "a loss in $[0, 1]$ has variance at most 1/4: 3.55%, and Hoeffding's inequality gives 3.39%",
    }),
    "greatest gap of a model": atMost("Proposition 2.5").probable(),
    "greatest gap of a model, root not split": atMost(
      String.raw`\tfrac{Cq}{3m} + \sqrt{(\tfrac{Cq}{3m})^2 + \tfrac{2 \gamma^2 q}{m}}, \; q = \ln(|\mathcal F| / \delta)`,
    ).probable(),
    "the root, not split": atMost("Proposition 2.5"),
    "greatest gap of a model, Hoeffding": atMost(String.raw`\sqrt{q / 2m}`).probable(),
    "risk of the best on validation": atMost("binomial tail inversion").probable(),
    "risk of the best on validation, variance estimated": atMost("empirical Bernstein").probable(),
    "greatest gap, as the proof ends": atMost(
      String.raw`\tfrac{2 C q}{3 m_{\text{val}}} + \sqrt{2 \gamma^2 q / m}`,
    )
      .probable()
      .printed({
        where: "proof of Proposition 2.5, the last inequality",
        printed: String.raw`\frac{1}{m_{\text{val}}} \sum_{i=1}^{m_{\text{val}}} \kappa_{f,i} \leq \frac{2C \ln(\frac{|\mathcal{F}_{\text{val}}|}{\delta})}{3m_{\text{val}}} + \sqrt{\frac{2\gamma^2 \ln(\frac{|\mathcal{F}_{\text{val}}|}{\delta})}{m}}`,
        corrected: String.raw`$m_{\text{val}}$ under the last root too, as in the proposition: $m$ counts the training examples`,
      }),
  },
  mutants: {
    "no union over the models": {
      "greatest gap of a model, Hoeffding": ({ m }) => Math.sqrt(Math.log(1 / delta) / (2 * m)),
    },
    "the linear term left out": { "other case of the text, in %": () => 0.34 },
  },
  run({ m, models, risks: law, least, reach, training }, { random, budget }) {
    const family: SearchedFamily = { m, models, delta };
    // Of models that are all alike the best on validation owes it to luck alone: no search is harder.
    const risks = Array.from({ length: models }, () =>
      law === "alike" ? least : least + (1 - least) * reach * random.uniform(),
    );
    const errors = risks.map((risk) => successes(m, risk, random));
    const gap = Math.max(...risks.map((risk, f) => risk - errors[f]! / m));
    const constants = {
      C: Math.max(...risks.map((r) => Math.max(r, 1 - r))),
      variance: Math.max(...risks.map((r) => r * (1 - r))),
    };
    const best = errors.indexOf(Math.min(...errors));
    const share = errors[best]! / m;
    const sampleVariance = (share * (1 - share) * m) / (m - 1);
    const large: SearchedFamily = { m: 10_000, models: 1e9, delta: 0.1 };
    const percent = (value: number): number => Math.round(1e4 * value) / 100;
    const proposition = bernsteinDeviation(family, constants);
    const q = Math.log(models / delta);
    return {
      ...(budget === "cheap" ? {} : { figure: searchFigure() }),
      claims: {
        "worst case of the text, in %": checked(
          percent(bernsteinDeviation(large, { C: 1, variance: 1 })),
          6.94,
        ),
        "other case of the text, in %": checked(
          percent(bernsteinDeviation(large, { C: 1, variance: 0.05 ** 2 })),
          0.49,
        ),
        "worst case for 0-1 loss by Hoeffding, in %": checked(percent(hoeffdingDeviation(large)), 6.94),
        "greatest gap of a model": checked(gap, proposition, { delta }),
        "greatest gap of a model, root not split": checked(gap, bernsteinRoot(family, constants), { delta }),
        "the root, not split": checked(bernsteinRoot(family, constants), proposition, {
          tolerance: 1e-15 * proposition, // equal where the variance is 0
        }),
        "greatest gap of a model, Hoeffding": checked(gap, hoeffdingDeviation(family), { delta }),
        "risk of the best on validation": checked(
          risks[best]!,
          validationBound({ errors: errors[best]!, n: m, models, delta }).value!,
          { delta },
        ),
        "risk of the best on validation, variance estimated": checked(
          risks[best]!,
          share + empiricalBernstein(family, sampleVariance),
          { delta },
        ),
        "greatest gap, as the proof ends": checked(
          gap,
          (2 * constants.C * q) / (3 * m) + Math.sqrt((2 * constants.variance * q) / training),
          { delta },
        ),
      },
    };
  },
});

function successes(trials: number, p: number, random: Random): number {
  let count = 0;
  for (let k = 0; k < trials; k++) if (random.uniform() < p) count++;
  return count;
}

function searchFigure(): Figure {
  const counts = Array.from({ length: 19 }, (_, k) => 10 ** (k / 2));
  const m = 10_000;
  const line = (name: string, of: (models: number) => number) => ({
    ...{ name, mark: "line" as const, role: "theory" as const },
    points: counts.map((models) => [models, 100 * of(models)] as const),
  });
  const errors = 200;
  const share = errors / m;
  return {
    title: "10,000 validation examples, validation error 2%, δ = 0.1",
    panels: [
      {
        title: "What is added to the error of the chosen model",
        x: { label: "models that the search chose from", scale: "log" },
        y: { label: "percent" },
        series: [
          line("text's worst case, γ² = 1", (n) =>
            bernsteinDeviation({ m, models: n, delta }, { C: 1, variance: 1 }),
          ),
          line("γ² = 1/4", (n) => bernsteinRoot({ m, models: n, delta }, { C: 1, variance: 0.25 })),
          line("Hoeffding", (n) => hoeffdingDeviation({ m, models: n, delta })),
          line("empirical Bernstein", (n) =>
            empiricalBernstein({ m, models: n, delta }, share * (1 - share)),
          ),
          line(
            "binomial tail",
            (n) => validationBound({ errors, n: m, models: Math.round(n), delta }).value! - share,
          ),
        ],
      },
    ],
  };
}
