import { coveringExcessBound } from "../../capacity/bounds/covering-bound.ts";
import { excessRiskBound, printedExcessRisk } from "../../capacity/risk-from-covering.ts";
import type { Random } from "../../engine/random.ts";
import type { Figure } from "../../figure/figure.ts";
import { atMost, checked } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

const delta = 0.01;

export default lemma({
  id: "S-17",
  covers: ["S-17"],
  kind: "bound",
  title: "From covering numbers to the stochastic error",
  source: "Shen, Definition 2 and Benefits to Generalization",
  statement: String.raw`\text{loss in } [0, M], \; \lambda\text{-Lipschitz}: \qquad \mathcal R(\hat f_n) - \mathcal R(f_n^*) \le 4 \lambda \varepsilon + 2 M \sqrt{\frac{\ln 2 \mathcal N(\varepsilon) + \ln 1/\delta}{2n}} \quad \text{with probability } 1 - \delta`,
  parameters: {
    n: integer({ min: 2, max: 500, default: 100, label: "examples n" }),
    logB: integer({ min: -10, max: 0, default: 0, label: "log₂ B, bound of the constants" }),
    p: real({ min: 0.3, max: 0.7, default: 0.55, label: "P(Y = 1)" }),
  },
  claims: {
    "excess risk of the minimizer": atMost(String.raw`\text{the bound, least over } \varepsilon`).probable(),
    "excess risk of a minimizer that is wrong wherever it can": atMost(
      String.raw`\text{the bound for all functions from } n \text{ points to } [-1, 1]`,
    ).probable(),
    "greatest excess risk seen": atMost(
      String.raw`\sqrt{\ln \mathcal N(\mathcal F, 1/n, \|\cdot\|_\infty) / n}`,
    ).printed({
      where: "Benefits to Generalization, k = 1",
      printed: String.raw`$\mathcal R(\hat f_n) - \mathcal R(f_n^*) \le \big[\sqrt{\log[\mathcal N(\mathcal F, \tfrac{1}{n}, \|\cdot\|_\infty)] / n}\big]^k \text{ for } k = 1, 2$`,
      corrected: String.raw`constants, a probability and the scale of the loss are missing: a class that one function covers to within $1/n$ has the bound 0, and its minimizer errs; $4 \lambda \varepsilon + 2 M \sqrt{(\ln 2 \mathcal N(\varepsilon) + \ln 1/\delta) / 2n}$ holds`,
    }),
  },
  run({ n, logB, p }, { random, scale, budget }) {
    const B = 2 ** logB;
    const seen = Array.from({ length: scale(200) }, () => excess(B, p, n, random));
    const bound = excessRiskBound(covering(B), { n, M: 1 + B, lipschitz: 1, delta });
    return {
      ...(budget === "cheap" ? {} : { figure: figure(B, p, random) }),
      claims: {
        "excess risk of the minimizer": checked(seen[0]!, bound.value, { delta }),
        // Constants are too few for the covering number to be missed: here it is.
        "excess risk of a minimizer that is wrong wherever it can": checked(
          unseen(n, random),
          coveringExcessBound((eps) => n * Math.log(Math.max(1, Math.ceil(1 / eps))), {
            ...{ n, M: 1, lipschitz: 0.5, delta },
          }).value!,
          { delta },
        ),
        "greatest excess risk seen": checked(Math.max(...seen), printedExcessRisk(covering(B), n)),
      },
    };
  },
});

/** One label at each of n points, all alike, loss |f - y| / 2: the share of the points that n examples leave out. */
function unseen(n: number, random: Random): number {
  const seen = new Set(Array.from({ length: n }, () => random.integer(1, n)));
  return 1 - seen.size / n;
}

/** Constants c in [-B, B]: ceil(B / eps) of them come within eps of all. */
const covering = (B: number) => (eps: number) => Math.log(Math.max(1, Math.ceil(B / eps)));

/** Y = 1 with probability p, else -1; |c - Y| has the risk 1 + (1 - 2p) c; a minimizer is B or -B, whichever Y is more often. */
function excess(B: number, p: number, n: number, random: Random): number {
  let positive = 0;
  for (let i = 0; i < n; i++) if (random.uniform() < p) positive++;
  const chosen = 2 * positive >= n ? B : -B;
  return Math.abs(1 - 2 * p) * B - (2 * p - 1) * chosen;
}

function figure(B: number, p: number, random: Random): Figure {
  const sizes = [2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];
  const mean = (n: number): number =>
    Array.from({ length: 100 }, () => excess(B, p, n, random)).reduce((a, b) => a + b) / 100;
  return {
    title: "Constants, fitted to signs with the absolute loss",
    panels: [
      {
        title: `B = ${B}, P(Y = 1) = ${p}`,
        x: { label: "examples n", scale: "log" },
        y: { label: "excess risk" },
        series: [
          { name: "mean over 100 data sets", mark: "dots", points: sizes.map((n) => [n, mean(n)]) },
          {
            name: "bound, δ = 0.01",
            mark: "line",
            role: "theory",
            points: sizes.map((n) => [
              n,
              excessRiskBound(covering(B), { n, M: 1 + B, lipschitz: 1, delta }).value,
            ]),
          },
          {
            name: "as printed, without constants",
            mark: "line",
            role: "theory",
            points: sizes.map((n) => [n, printedExcessRisk(covering(B), n)]),
          },
        ],
      },
    ],
  };
}
