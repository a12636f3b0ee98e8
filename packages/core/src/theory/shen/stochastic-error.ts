import type { Figure } from "../../figure/figure.ts";
import { coveringExcessBound } from "../../generalization/bounds/covering-bound.ts";
import { excessRiskBound, printedExcessRisk } from "../../generalization/risk-from-covering.ts";
import type { Random } from "../../numbers/random.ts";
import { binomialTail } from "../../numbers/statistics.ts";
import { atMost, checked } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

export default lemma({
  id: "S-17",
  covers: ["S-17"],
  kind: "bound",
  title: "From covering numbers to the stochastic error",
  source: "Shen, Definition 2 and Benefits to Generalization",
  statement: String.raw`\text{loss in } [0, M], \; \lambda\text{-Lipschitz}: \qquad \mathcal R(\hat f_n) - \mathcal R(f_n^*) \le 4 \lambda \varepsilon + 2 M \sqrt{\frac{\ln 2 \mathcal N(\varepsilon) + \ln 1/\delta}{2n}} \quad \text{with probability } 1 - \delta`,
  parameters: {
    n: integer({ min: 2, max: 5000, default: 500, label: "examples n" }),
    logDelta: integer({ min: -24, max: -1, default: -12, label: "log₁₀ δ" }),
    p: real({ min: 0.3, max: 0.7, default: 0.55, label: "P(Y = 1)" }),
    share: real({ min: 0.01, max: 1, default: 0.5, label: "B in units of 1/n" }),
  },
  claims: {
    "least of the excess risks that occur with probability δ at most, two constants": atMost(
      String.raw`\text{the bound}, \; \mathcal N = 2`,
    ),
    "excess risk of a minimizer that is wrong wherever it can": atMost(
      String.raw`\text{the bound for all functions from } n \text{ points to } [-1, 1]`,
    )
      .probable()
      .looseBy(4),
    "expected excess risk of constants up to B ≤ 1/n": atMost(
      String.raw`\sqrt{\ln \mathcal N(\mathcal F, 1/n, \|\cdot\|_\infty) / n} = 0`,
    ).printed({
      where: "Benefits to Generalization",
      printed: String.raw`$\mathcal{R}(\hat{f}_n) - \mathcal{R}(f_n^*) \leq \left[ \sqrt{\frac{\log[\mathcal{N}(\mathcal{F}, \frac{1}{n}, \|\cdot\|_\infty)]}{n}} \right]^k \text{ for } k = 1, 2$`,
      corrected: String.raw`$\mathcal{R}(\hat{f}_n) - \mathcal{R}(f_n^*) \leq \frac{4 \lambda}{n} + 2 M \sqrt{\frac{\ln(2 \mathcal{N} / \delta)}{2n}}$ with probability $1 - \delta$: a class that one function covers to within $1/n$ has $\log \mathcal N = 0$, and yet an excess risk, whatever constant stands before the root`,
    }),
  },
  mutants: {
    "one deviation for two": {
      "least of the excess risks that occur with probability δ at most, two constants": (_, { theory }) =>
        theory / 2,
    },
    "4n for 2n": {
      "least of the excess risks that occur with probability δ at most, two constants": (_, { theory }) =>
        theory / Math.SQRT2,
    },
    "the covering number forgotten": {
      "excess risk of a minimizer that is wrong wherever it can": ({ n, logDelta }) =>
        2 * Math.sqrt(Math.log(2 / 10 ** logDelta) / (2 * n)),
    },
  },
  run({ n, logDelta, p, share }, { random, budget }) {
    const delta = 10 ** logDelta;
    const B = share / n;
    return {
      ...(budget === "cheap" ? {} : { figure: figure(p, random) }),
      claims: {
        // Losses |c - Y| - (1 - B) of c = -B, B lie in [0, 2B]; B = 1.
        "least of the excess risks that occur with probability δ at most, two constants": checked(
          2 * greatestGap(n, delta),
          excessRiskBound(() => Math.LN2, { n, M: 2, lipschitz: 1, delta }).value,
        ),
        "excess risk of a minimizer that is wrong wherever it can": checked(
          unseen(n, random),
          coveringExcessBound((eps) => n * Math.log(Math.max(1, Math.ceil(1 / eps))), {
            ...{ n, M: 1, lipschitz: 0.5, delta },
          }).value!,
          { delta },
        ),
        "expected excess risk of constants up to B ≤ 1/n": checked(
          expectedExcess(B, p, n),
          printedExcessRisk(covering(B), n),
        ),
      },
    };
  },
});

/** P(fewer than half of n signs are 1) if each is with probability p. */
const minorityChance = (n: number, p: number): number => binomialTail(n, 1 - p, Math.floor(n / 2) + 1);

/** The gap 2p - 1 at which the rarer sign wins with probability delta: with greater gaps it wins more rarely. */
function greatestGap(n: number, delta: number): number {
  let [low, high] = [0, 1];
  for (let k = 0; k < 60; k++) {
    const middle = (low + high) / 2;
    if (minorityChance(n, (1 + middle) / 2) > delta) low = middle;
    else high = middle;
  }
  return low;
}

/** One label at each of n points, all alike, loss |f - y| / 2: the share of the points that n examples leave out. */
function unseen(n: number, random: Random): number {
  const seen = new Set(Array.from({ length: n }, () => random.integer(1, n)));
  return 1 - seen.size / n;
}

/** Constants c in [-B, B]: ceil(B / eps) of them come within eps of all. */
const covering = (B: number) => (eps: number) => Math.log(Math.max(1, Math.ceil(B / eps)));

/** Y = 1 with probability p, else -1; |c - Y| has the risk 1 + (1 - 2p) c; a minimizer is B or -B, whichever Y is more often. */
const expectedExcess = (B: number, p: number, n: number): number => {
  const negative = minorityChance(n, p); // on a tie, B
  return p > 0.5 ? 2 * B * (2 * p - 1) * negative : 2 * B * (1 - 2 * p) * (1 - negative);
};

function figure(p: number, random: Random): Figure {
  const sizes = [2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];
  const delta = 0.01;
  const points = sizes.map((n) => [n, unseen(n, random)] as const);
  return {
    title: "Excess risks and their bounds",
    panels: [
      {
        title: `Constants in [-1, 1], P(Y = 1) = ${p}`,
        x: { label: "examples n", scale: "log" },
        y: { label: "excess risk" },
        series: [
          { name: "expected", mark: "dots", points: sizes.map((n) => [n, expectedExcess(1, p, n)]) },
          {
            name: "bound, δ = 0.01",
            mark: "line",
            role: "theory",
            points: sizes.map((n) => [
              n,
              excessRiskBound(covering(1), { n, M: 2, lipschitz: 1, delta }).value,
            ]),
          },
          {
            name: "as printed, without constants",
            mark: "line",
            role: "theory",
            points: sizes.map((n) => [n, printedExcessRisk(covering(1), n)]),
          },
        ],
      },
      {
        title: "All functions on n points, wrong where no example is",
        x: { label: "examples n", scale: "log" },
        y: { label: "excess risk" },
        series: [{ name: "seen", mark: "dots", points }],
      },
    ],
  };
}
