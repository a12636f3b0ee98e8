import {
  leastSampleForOccam,
  logInverseBitWeight,
  occamBound,
  occamKlBound,
} from "../../capacity/bounds/finite-class.ts";
import { validationBound } from "../../capacity/bounds/validation.ts";
import type { Random } from "../../engine/random.ts";
import type { Figure } from "../../figure/figure.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

export default lemma({
  id: "C1a-19",
  covers: ["C1a-19"],
  kind: "bound",
  title: "Countable classes with weights: Occam's bound, and its kl form",
  source: "Book, chapter 1, Theorem 1.19 and (1.13)",
  statement: String.raw`\forall f: \; |\mathcal R(f) - \widehat{\mathcal R}_S(f)| \le \sqrt{\frac{\ln(1/p(f)) + \ln(2/\delta)}{2m}}, \qquad \mathrm{kl}\bigl(\widehat{\mathcal R}_S(f) \,\|\, \mathcal R(f)\bigr) \le \frac{\ln(1/p(f)) + \ln(1/\delta)}{m} \; \text{ where } \mathcal R \ge \widehat{\mathcal R}_S`,
  parameters: {
    m: integer({ min: 1, max: 400, default: 100, label: "examples" }),
    functions: integer({ min: 1, max: 1000, default: 30, label: "functions" }),
    weights: choice(["uniform", "halving"], { label: "weights p(f)" }),
    losses: choice(["independent", "common"], { label: "losses of different functions" }),
    level: real({ min: 0.05, max: 1, default: 0.2, label: "greatest risk" }),
    delta: real({ min: 0.001, max: 0.05, default: 0.05, label: "δ" }),
  },
  claims: {
    "deviation over its bound, greatest": atMost("1").probable(),
    "risk less its kl bound, greatest": atMost("0").probable(),
    "risk of the luckiest of |F| models alike, by held-out examples": atMost(
      String.raw`\max\{p : \mathbb P(\mathrm{Bin}(m, p) \le \text{errors}) \ge \delta / |\mathcal F|\}`,
    ).probable(),
    "kl bound less the Hoeffding bound, greatest": atMost("0"),
    "examples a parameter before b bits are not vacuous": equals(String.raw`b \ln 2 / 2`),
    "deviation of one function": atMost(String.raw`c \sqrt{\ln |\mathcal F| / m} = 0`).printed({
      where: "(1.13)",
      printed: String.raw`with high probability, $\varepsilon^{gen} \lesssim \sqrt{\ln(|\mathcal F|) / m}$`,
      corrected: String.raw`for $|\mathcal F| = 1$ the right side is 0 whatever the constant; $\sqrt{(\ln |\mathcal F| + \ln(2/\delta)) / (2m)}$ holds, so $\varepsilon^{gen} \lesssim \sqrt{\ln(2 |\mathcal F|) / m}$`,
    }),
  },
  run({ m, functions, weights, losses, level, delta }, { random, budget }) {
    const risks = random.uniform(functions).map((u) => level * u);
    const errors = drawErrors(risks, m, losses === "common", random);
    const cost = (k: number): number => (weights === "uniform" ? Math.log(functions) : (k + 1) * Math.LN2);
    const bounds = Array.from(risks, (risk, k) => {
      const options = { empirical: errors[k]! / m, logInverseWeight: cost(k), n: m, delta };
      const [wide, kl] = [occamBound(options).value!, occamKlBound(options).value!];
      return {
        deviation: Math.abs(risk - options.empirical) / (wide - options.empirical),
        over: risk - kl,
        kl,
        wide,
      };
    });
    // The hardest case for a search: models that are all alike, and one that was lucky.
    const alike = risks.map(() => level);
    const luckiest = Math.min(...drawErrors(alike, m, false, random));
    const held = validationBound({ errors: luckiest, n: m, models: functions, delta });
    const bits = [1, 8, 32][random.integer(0, 2)]!;
    return {
      ...(budget === "cheap" ? {} : { figure: figure(functions, delta) }),
      claims: {
        "deviation over its bound, greatest": checked(Math.max(...bounds.map((b) => b.deviation)), 1, {
          delta,
        }),
        "risk less its kl bound, greatest": checked(Math.max(...bounds.map((b) => b.over)), 0, { delta }),
        "risk of the luckiest of |F| models alike, by held-out examples": checked(level, held.value!, {
          delta,
        }),
        "kl bound less the Hoeffding bound, greatest": checked(
          Math.max(...bounds.map((b) => b.kl - b.wide)),
          0,
        ),
        "examples a parameter before b bits are not vacuous": checked(
          leastSampleForOccam(logInverseBitWeight(1e6, bits), delta) / 1e6,
          (bits * Math.LN2) / 2,
          { tolerance: 1e-5 }, // ln(2 / delta) and one example, over a million parameters
        ),
        ...(functions === 1 && {
          "deviation of one function": checked(Math.abs(risks[0]! - errors[0]! / m), 0),
        }),
      },
    };
  },
});

/** Errors of each function on m examples; with a common example, its difficulty decides for all of them at once. */
function drawErrors(risks: Float64Array, m: number, common: boolean, random: Random): readonly number[] {
  const errors = new Array<number>(risks.length).fill(0);
  for (let i = 0; i < m; i++) {
    const difficulty = random.uniform();
    risks.forEach((risk, k) => {
      if ((common ? difficulty : random.uniform()) < risk) errors[k]!++;
    });
  }
  return errors;
}

function figure(functions: number, delta: number): Figure {
  const sizes = Array.from({ length: 41 }, (_, k) => Math.round(10 ** (1 + k / 10)));
  const curve = (bound: typeof occamBound, empirical: number) =>
    sizes.map((n) => {
      const { value } = bound({ empirical, logInverseWeight: Math.log(functions), n, delta });
      return [n, value!] as const;
    });
  return {
    title: `${functions} functions: the risk that an empirical one allows, δ = ${Number(delta.toPrecision(2))}`,
    panels: [0, 0.1].map((empirical) => ({
      title: `Empirical risk ${empirical}`,
      x: { label: "examples m", scale: "log" as const },
      y: { label: "risk, at most", scale: "log" as const },
      series: [
        {
          name: "Theorem 1.19",
          mark: "line" as const,
          role: "theory" as const,
          points: curve(occamBound, empirical),
        },
        {
          name: "kl form",
          mark: "line" as const,
          role: "theory" as const,
          points: curve(occamKlBound, empirical),
        },
      ],
    })),
  };
}
