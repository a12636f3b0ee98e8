import type { Figure } from "../../figure/figure.ts";
import { bernoulliKl } from "../../generalization/bounds/bernoulli-kl.ts";
import { occamKlBound } from "../../generalization/bounds/finite-class.ts";
import {
  drawIndexed,
  halfSpaceLaw,
  type IndexedSample,
  indexedRisk,
  type KnownLaw,
  knownRisk,
} from "../../generalization/bounds/known-law.ts";
import {
  gaussianKl,
  gaussianPacBayesBound,
  klBudget,
  pacBayesBound,
} from "../../generalization/bounds/pac-bayes.ts";
import { integral } from "../../generalization/error-decomposition.ts";
import { dot } from "../../linear-algebra/dot.ts";
import { logFactorial } from "../../numbers/combinatorics.ts";
import type { Random } from "../../numbers/random.ts";
import { normalCdf } from "../../numbers/statistics.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

export default lemma({
  id: "C1a-39",
  covers: ["C1a-39"],
  kind: "bound",
  title: "PAC-Bayes: flat minima, random classifiers",
  source: "Book, chapter 1, sect. 1.2.3; McAllester 1999, Maurer 2004, Dziugaite and Roy 2017",
  statement: String.raw`\forall Q: \; \mathrm{kl}\bigl(\widehat{\mathcal R}_S(Q) \,\|\, \mathcal R(Q)\bigr) \le \frac{\mathrm{KL}(Q \| P) + \ln(2 \sqrt m / \delta)}{m}`,
  parameters: {
    n: integer({ min: 1, max: 400, default: 400, label: "examples" }),
    d: integer({ min: 1, max: 60, default: 5, label: "dimension" }),
    noise: real({ min: 0, max: 0.5, default: 0.05, label: "noise of the labels" }),
    delta: real({ min: 0.001, max: 0.05, default: 0.05, label: "δ" }),
    draws: integer({ min: 50, max: 400, default: 200, label: "classifiers drawn from Q" }),
    r: real({ min: 0, max: 10, default: 4, label: "length of the mean of Q" }),
  },
  claims: {
    "risk of Q, of the Q with the least bound": atMost(
      String.raw`\max\{r : \mathrm{kl}(\widehat{\mathcal R}_S(Q) \| r) \le (\mathrm{KL} + \ln(2\sqrt n/\delta))/n\}`,
    ).probable(),
    "risk 1/2 of Q on labels that nothing predicts": atMost(
      String.raw`\text{the least bound over } Q`,
    ).probable(),
    "n kl(R̂(Q) ‖ 1/2) on such labels": atMost(
      String.raw`\mathrm{KL}(Q \| P) + \ln(2 \sqrt n / \delta), \; \mathrm{KL} = r^2 / 2`,
    )
      .probable()
      .looseBy(2.5),
    "risk of Q, its empirical risk estimated by draws": atMost(
      String.raw`\text{the bound at the greatest } \widehat{\mathcal R}_S(Q) \text{ that the draws allow}`,
    ).probable(),
    "risk of Q, the prior's variance chosen afterwards": atMost(
      String.raw`\text{the bound with } \ln(\pi^2 j^2 / 6) \text{ added to } \mathrm{KL}`,
    ).probable(),
    "kl bound": atMost(
      String.raw`\widehat{\mathcal R}_S(Q) + \sqrt{(\mathrm{KL} + \ln(2\sqrt n/\delta)) / (2n)}`,
    ),
    "bound of a point mass": atLeast(String.raw`\text{Occam's (kl form), by } \ln(2 \sqrt n)`),
    "KL of Gaussians on the line": equals(
      String.raw`\tfrac12 \bigl[(s^2 + \mu^2)/\lambda - 1 + \ln \lambda - \ln s^2\bigr]`,
    ),
    "Maurer's sum": equals(String.raw`\textstyle\sum_{j=0}^{n} n! / ((n-j)! \, n^j)`),
    "Maurer's sum over the root, greatest up to n": atMost("2"),
  },
  mutants: {
    "the divergence left out": {
      "n kl(R̂(Q) ‖ 1/2) on such labels": ({ n, delta }) => Math.log((2 * Math.sqrt(n)) / delta),
    },
    "divergence without the half": { "KL of Gaussians on the line": (_, { theory }) => 2 * theory },
    "Maurer's sum from k = 1 on": { "Maurer's sum": (_, { theory }) => theory - 1 },
  },
  run({ n, d, noise, delta, draws, r }, { random, budget }) {
    const law = halfSpaceLaw(200, d, noise, random);
    const { sample, direction } = fitted(law, n, random);
    const coins = fitted(halfSpaceLaw(200, d, 0.5, random), n, random);
    const candidates = lengths.map((length) => gibbs(law, sample, direction, length, { n, delta }));
    const best = candidates.reduce((a, b) => (b.bound < a.bound ? b : a));
    const shown = gibbs(law, sample, direction, r, { n, delta });
    const estimate = drawnRisk(law, sample, direction, r, draws, random);
    const sampledBound = pacBayesBound({ empirical: estimate, kl: r ** 2 / 2, n, delta, draws });
    // Q = N((r / 2) direction, I / 4) says what N(r direction, I) says; the prior is found on the grid.
    const q = {
      parameters: d,
      squaredDistance: r ** 2 / 4,
      varianceSum: d / 4,
      logVarianceSum: -d * Math.log(4),
    };
    const grid = { ceiling: 10, precision: 100 };
    const chosen = gaussianPacBayesBound(q, { empirical: shown.empirical, n, delta, grid });
    const weight = Math.log(10);
    const point = pacBayesBound({ empirical: shown.empirical, kl: weight, n, delta });
    const occam = occamKlBound({ empirical: shown.empirical, logInverseWeight: weight, n, delta });
    const [mu, s, lambda] = [random.normal(), 0.3 + random.uniform(), 0.3 + random.uniform()];
    return {
      graph: denseNetwork([{ W: [[...direction]] }], "linear"),
      ...(budget === "cheap" ? {} : { figure: figure(law, sample, direction, { n, delta }) }),
      claims: {
        "risk of Q, of the Q with the least bound": checked(best.risk, best.bound, { delta }),
        "risk 1/2 of Q on labels that nothing predicts": checked(
          0.5,
          Math.min(
            ...lengths.map(
              (length) => gibbs(coins.law, coins.sample, coins.direction, length, { n, delta }).bound,
            ),
          ),
          { delta },
        ),
        "n kl(R̂(Q) ‖ 1/2) on such labels": checked(
          n * bernoulliKl(gibbs(coins.law, coins.sample, coins.direction, r, { n, delta }).empirical, 0.5),
          r ** 2 / 2 + Math.log((2 * Math.sqrt(n)) / delta),
          { delta },
        ),
        "risk of Q, its empirical risk estimated by draws": checked(shown.risk, sampledBound.value!, {
          delta,
        }),
        "risk of Q, the prior's variance chosen afterwards": checked(shown.risk, chosen.value!, { delta }),
        "kl bound": checked(
          shown.bound,
          shown.empirical + Math.sqrt(klBudget(r ** 2 / 2, n, delta) / 2),
          { tolerance: 1e-9 }, // the inverse is rounded up
        ),
        "bound of a point mass": checked(point.value!, occam.value!),
        "KL of Gaussians on the line": checked(
          lineDivergence(mu, s, lambda),
          gaussianKl(
            { parameters: 1, squaredDistance: mu ** 2, varianceSum: s ** 2, logVarianceSum: 2 * Math.log(s) },
            lambda,
          ),
          { tolerance: 1e-9 * (1 + mu ** 2 / lambda) }, // Gauss quadrature over 24 deviations, tails cut at 12
        ),
        // n + 1 terms by logarithms of factorials, which are off by some 1e-13 of themselves.
        "Maurer's sum": checked(maurerSum(n), fallingSum(n), { tolerance: 1e-10 * Math.sqrt(n) }),
        "Maurer's sum over the root, greatest up to n": checked(
          Math.max(...[...powersUpTo(n), n].map((k) => maurerSum(k) / Math.sqrt(k))),
          2,
          { tolerance: 1e-10 },
        ),
      },
    };
  },
});

const lengths = [0, 0.5, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32];

/** The mean of y x over the sample, of norm 1. */
function meanDirection({ points }: KnownLaw, { inputs, labels }: IndexedSample): Float64Array {
  const sum = new Float64Array(points[0]!.length);
  inputs.forEach((j, i) => {
    points[j]!.forEach((v, k) => {
      sum[k]! += labels[i]! * v;
    });
  });
  const size = Math.hypot(...sum) || 1;
  return sum.map((v) => v / size);
}

function fitted(law: KnownLaw, n: number, random: Random) {
  const sample = drawIndexed(law, n, random);
  return { law, sample, direction: meanDirection(law, sample) };
}

/** Q = N(length * direction, I), P = N(0, I): KL = length^2 / 2, and w says 1 at a unit x with chance Phi(<mean, x>). */
function gibbs(
  law: KnownLaw,
  sample: IndexedSample,
  direction: Float64Array,
  length: number,
  { n, delta }: { readonly n: number; readonly delta: number },
) {
  const chances = law.points.map((x) => normalCdf(length * dot(direction, x)));
  const empirical = indexedRisk(sample, (j) => chances[j]!);
  const bound = pacBayesBound({ empirical, kl: length ** 2 / 2, n, delta }).value!;
  return { empirical, risk: knownRisk(law, (j) => chances[j]!), bound };
}

/** The mean of the empirical risks of classifiers drawn from Q. */
function drawnRisk(
  law: KnownLaw,
  sample: IndexedSample,
  direction: Float64Array,
  length: number,
  draws: number,
  random: Random,
): number {
  let sum = 0;
  for (let k = 0; k < draws; k++) {
    const w = random.normal(direction.length).map((v, i) => v + length * direction[i]!);
    const says = law.points.map((x) => Number(dot(w, x) > 0));
    sum += indexedRisk(sample, (j) => says[j]!);
  }
  return Math.min(1, sum / draws);
}

/** KL(N(mu, s^2) || N(0, lambda)) by quadrature over 24 standard deviations. */
function lineDivergence(mu: number, s: number, lambda: number): number {
  const logRatio = (x: number): number =>
    -0.5 * ((x - mu) / s) ** 2 - Math.log(s) + (0.5 * x * x) / lambda + 0.5 * Math.log(lambda);
  return (
    24 *
    integral((u) => {
      const z = 24 * (u - 0.5);
      return (Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI)) * logRatio(mu + s * z);
    }, 64)
  );
}

/** sum_k C(n, k) (k/n)^k (1 - k/n)^(n - k). */
function maurerSum(n: number): number {
  let sum = 0;
  for (let k = 0; k <= n; k++) {
    const powers = (k === 0 ? 0 : k * Math.log(k / n)) + (k === n ? 0 : (n - k) * Math.log(1 - k / n));
    sum += Math.exp(logFactorial(n) - logFactorial(k) - logFactorial(n - k) + powers);
  }
  return sum;
}

/** sum_j n! / ((n - j)! n^j), term by term: Abel's identity makes it Maurer's. */
function fallingSum(n: number): number {
  let [sum, term] = [1, 1];
  for (let j = 0; j < n; j++) {
    term *= (n - j) / n;
    sum += term;
  }
  return sum;
}

const powersUpTo = (n: number): readonly number[] =>
  Array.from({ length: Math.floor(Math.log2(n)) + 1 }, (_, k) => 2 ** k);

function figure(
  law: KnownLaw,
  sample: IndexedSample,
  direction: Float64Array,
  options: { readonly n: number; readonly delta: number },
): Figure {
  const found = Array.from({ length: 49 }, (_, k) => k / 2).map(
    (length) => [length, gibbs(law, sample, direction, length, options)] as const,
  );
  return {
    title: `Linear classifiers N(r θ, I), ${options.n} examples`,
    panels: [
      {
        title: "Less noise costs distance from the prior",
        x: { label: "r, the length of the mean" },
        y: { label: "probability of error" },
        series: [
          {
            name: "PAC-Bayes bound",
            mark: "line",
            role: "theory",
            points: found.map(([r, g]) => [r, g.bound]),
          },
          { name: "risk", mark: "line", points: found.map(([r, g]) => [r, g.risk]) },
          { name: "empirical risk", mark: "line", points: found.map(([r, g]) => [r, g.empirical]) },
        ],
      },
    ],
  };
}
