import type { Figure } from "../../figure/figure.ts";
import { logInverseBitWeight, occamBound, occamKlBound } from "../../generalization/bounds/finite-class.ts";
import { validationBound } from "../../generalization/bounds/validation.ts";
import type { Random } from "../../numbers/random.ts";
import { binomialTail } from "../../numbers/statistics.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
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
    delta: real({ min: 0.001, max: 0.5, default: 0.05, label: "δ" }),
  },
  claims: {
    "deviation over its bound, greatest": atMost("1").probable(),
    "deviation of |F| fair coins, greatest": atMost(
      String.raw`\sqrt{(\ln |\mathcal F| + \ln(2/\delta)) / (2m)}`,
    ).probable(),
    "risk over its kl bound, greatest": atMost("1").probable(),
    "risk of the luckiest of |F| models alike, by held-out examples": atMost(
      String.raw`\max\{p : \mathbb P(\mathrm{Bin}(m, p) \le \text{errors}) \ge \delta / |\mathcal F|\}`,
    ).probable(),
    "kl bound over the Hoeffding bound, greatest": atMost("1"),
    "examples a parameter before b bits are not vacuous": equals(String.raw`b \ln 2 / 2`),
    "one function of the greatest risk: chance that it deviates by at most c √(ln 1 / m) = 0": atLeast(
      String.raw`1 - \delta`,
    ).printed({
      where: "(1.13)",
      printed: String.raw`with high probability, $\varepsilon^{\text{gen}} \lesssim \sqrt{\frac{\ln(|\mathcal{F}|)}{m}}$`,
      corrected: String.raw`for $|\mathcal F| = 1$ the right side is 0 whatever the constant, and a function whose risk is no multiple of $1/m$ deviates surely; $\sqrt{(\ln |\mathcal F| + \ln(2/\delta)) / (2m)}$ holds, so $\varepsilon^{\text{gen}} \lesssim \sqrt{\ln(2 |\mathcal F|) / m}$`,
    }),
  },
  mutants: {
    "union bound forgotten": {
      "deviation of |F| fair coins, greatest": ({ m, delta }) => Math.sqrt(Math.log(2 / delta) / (2 * m)),
    },
    "a tenth of the bound lost": {
      "risk of the luckiest of |F| models alike, by held-out examples": (_, { theory }) => 0.9 * theory,
    },
    "bits for nats": {
      "examples a parameter before b bits are not vacuous": (_, { theory }) => theory / Math.LN2,
    },
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
        over: risk / kl,
        better: kl / wide,
      };
    });
    // The hardest case for a search: models that are all alike, and one that was lucky.
    const alike = risks.map(() => level);
    const luckiest = Math.min(...drawErrors(alike, m, false, random));
    const held = validationBound({ errors: luckiest, n: m, models: functions, delta });
    const coins = drawErrors(
      risks.map(() => 0.5),
      m,
      false,
      random,
    ).map((k) => Math.abs(k / m - 0.5));
    const bits = [1, 8, 32][random.integer(0, 2)]!;
    return {
      ...(budget === "cheap" ? {} : { figure: figure(functions, delta) }),
      claims: {
        "deviation over its bound, greatest": checked(Math.max(...bounds.map((b) => b.deviation)), 1, {
          delta,
        }),
        "deviation of |F| fair coins, greatest": checked(
          Math.max(...coins),
          Math.sqrt((Math.log(functions) + Math.log(2 / delta)) / (2 * m)),
          { delta },
        ),
        "risk over its kl bound, greatest": checked(Math.max(...bounds.map((b) => b.over)), 1, { delta }),
        "risk of the luckiest of |F| models alike, by held-out examples": checked(level, held.value!, {
          delta,
        }),
        "kl bound over the Hoeffding bound, greatest": checked(Math.max(...bounds.map((b) => b.better)), 1),
        "examples a parameter before b bits are not vacuous": checked(
          leastUseful(logInverseBitWeight(1e6, bits), delta) / 1e6,
          (bits * Math.LN2) / 2,
          { tolerance: 1e-5 }, // ln(2 / delta) and one example, over a million parameters
        ),
        "one function of the greatest risk: chance that it deviates by at most c √(ln 1 / m) = 0": checked(
          chanceOf(m * level, m, level),
          1 - delta,
        ),
      },
    };
  },
});

/** P(Bin(m, p) = k); 0 where k is no whole number. */
const chanceOf = (k: number, m: number, p: number): number =>
  Number.isInteger(k) ? Math.max(0, binomialTail(m, p, k) - binomialTail(m, p, k + 1)) : 0;

/** The least number of examples, by halving, at which the bound of a function without errors is below 1. */
function leastUseful(logInverseWeight: number, delta: number): number {
  let [low, high] = [1, 2 ** 40];
  while (high - low > 1) {
    const n = Math.floor((low + high) / 2);
    if (occamBound({ empirical: 0, logInverseWeight, n, delta }).value! < 1) high = n;
    else low = n;
  }
  return high;
}

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
