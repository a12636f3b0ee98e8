import { normalDesignVariance } from "../../generalization/double-descent/bias-variance.ts";
import {
  bestRidge,
  type LimitTask,
  limitRisk,
  marchenkoPastur,
  secondDescent,
} from "../../generalization/double-descent/marchenko-pastur.ts";
import { leftOut, sweetSpots } from "../../generalization/double-descent/ordered-features.ts";
import type { Random } from "../../numbers/random.ts";
import { atLeast, atMost, checked, equals, sampled } from "../claim.ts";
import { HypothesisError, lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { gramSpectrum, limitVariance, ordered, shown, totalRisk } from "./marchenko-pastur-figure.ts";

const delta = 0.1;
/** An integrand that is analytic near the interval is integrated to rounding by 4096 nodes if |1 - sqrt(kappa)| is not tiny. */
const quadrature = 1e-11;

export default lemma({
  id: "C1a-44",
  covers: ["C1a-44"],
  kind: "bound",
  title: "The Marchenko-Pastur law and double descent",
  source: "Book, chapter 1, sect. 1.2.4 and Figure 1.6; Hastie, Montanari, Rosset, Tibshirani",
  statement: String.raw`\operatorname{Tr}(\Sigma^+ \mathbb E[XX^T]) \to \frac{1 - \max\{1 - \kappa, 0\}}{|1 - \kappa|}, \qquad \frac dm \to \kappa`,
  parameters: {
    kappa: real({ min: 0.1, max: 8, default: 2.5, label: "features an example κ" }),
    ridge: real({ min: 0.01, max: 4, default: 0.2, label: "ridge λ" }),
    snr: real({ min: 0.2, max: 5, default: 2, label: "|θ*| over the size of the noise" }),
    m: integer({ min: 12, max: 24, default: 24, label: "examples drawn m" }),
  },
  claims: {
    "all eigenvalues": equals("1"),
    "fourth moment of the law": equals(String.raw`1 + 6 \kappa + 6 \kappa^2 + \kappa^3`),
    "variance, an integral over the law": equals(String.raw`\frac{1 - \max\{1 - \kappa, 0\}}{|1 - \kappa|}`),
    "ridge, bias as an integral": equals(String.raw`|\theta^*|^2 \lambda^2 s'(\lambda)`),
    "ridge, variance as an integral": equals(String.raw`\sigma^2 \kappa (s - \lambda s')`),
    "variance of drawn designs": equals(
      String.raw`\frac{1 - \max\{1 - \kappa, 0\}}{|1 - \kappa|}`,
    ).probable(),
    "least risk beyond the peak, found by search": equals(
      String.raw`2 r \sigma - \sigma^2, \; r = |\theta^*| > \sigma`,
    ),
    "risk with another ridge": atLeast(String.raw`\text{that with } \lambda = \kappa \sigma^2 / r^2`),
    "risk with the best ridge": atMost(String.raw`r^2`),
    // An exact number for each of the 13 m: the two are 1.2405 apart for m = 24, more for fewer examples.
    "Figure 1.6, features by importance: least risk beyond the peak":
      atMost(String.raw`\text{the least before it}`).looseBy(1.24),
    "mean eigenvalue of Σ^+/m": equals("1").printed({
      where: "section 1.2.4, before Figure 1.7",
      printed: String.raw`the distribution of the eigenvalues of $\frac{1}{m}\Sigma^+$ in the limit [...] can be described via the Marchenko–Pastur law`,
      corrected: String.raw`the eigenvalues of $\frac{1}{m}\Sigma$; those of $\frac{1}{m}\Sigma^+$ tend to $0$ like $m^{-2}$`,
    }),
  },
  mutants: {
    "as many eigenvalues as features beyond the peak": {
      "variance, an integral over the law": ({ kappa }) => kappa / Math.abs(1 - kappa),
    },
    "features that are left out are no noise": {
      "Figure 1.6, features by importance: least risk beyond the peak": ({ m }) =>
        Math.min(
          ...Array.from({ length: m - 2 }, (_, k) => leftOut(ordered(m), k + 1) + (k + 1) / (m - k - 2)),
        ),
    },
    "the ridge not divided by m": ({ ridge, m }) => ({ ridge: Math.min(4, ridge * m) }),
    "the noise counted twice": {
      "least risk beyond the peak, found by search": ({ snr }) => 2 * snr,
    },
  },
  async run({ kappa, ridge, snr, m }, context) {
    if (Math.abs(kappa - 1) < 0.05) throw new HypothesisError("κ = 1 is the peak: the variance is infinite");
    const { random, budget, scale } = context;
    const task: LimitTask = { kappa, signal: snr ** 2, noise: 1 };
    const law = marchenkoPastur(kappa);
    const kept = limitRisk({ ...task, ridge });
    const best = totalRisk({ ...task, ridge: bestRidge(task) });
    const variance = limitVariance(kappa);
    const near = (value: number) => ({ tolerance: quadrature * Math.max(1, Math.abs(value)) });
    const fourth = 1 + kappa * (6 + kappa * (6 + kappa));
    const drawn = drawnVariance(m, kappa, scale(400), random);
    return {
      ...(budget === "cheap" ? {} : await shown(snr, context)),
      claims: {
        "all eigenvalues": checked(law.atom + law.integral(() => 1), 1, near(1)),
        "fourth moment of the law": checked(
          law.integral((x) => x ** 4),
          fourth,
          near(fourth),
        ),
        "variance, an integral over the law": checked(
          kappa * law.integral((x) => 1 / x),
          variance,
          near(variance),
        ),
        "ridge, bias as an integral": checked(
          snr ** 2 * (law.atom + law.integral((x) => (ridge / (x + ridge)) ** 2)),
          kept.bias,
          near(snr ** 2),
        ),
        "ridge, variance as an integral": checked(
          kappa * law.integral((x) => x / (x + ridge) ** 2),
          kept.variance,
          near(variance),
        ),
        ...(drawn && {
          "variance of drawn designs": sampled(drawn.mean, variance, { tolerance: drawn.spread, delta }),
          "mean eigenvalue of Σ^+/m": sampled(drawn.mean / (m * Math.round(kappa * m)), 1),
        }),
        // Where the search ends, within 1e-5 of the place, the risk is flat: off by the square of that.
        ...(snr > 1.1 && {
          "least risk beyond the peak, found by search": checked(
            leastBeyondPeak(task),
            secondDescent(snr ** 2, 1).risk,
            { tolerance: 1e-8 * snr ** 2 },
          ),
        }),
        "Figure 1.6, features by importance: least risk beyond the peak": checked(
          sweetSpots(ordered(m))[1].risk,
          sweetSpots(ordered(m))[0].risk,
        ),
        "risk with another ridge": checked(totalRisk({ ...task, ridge }), best, near(best)),
        "risk with the best ridge": checked(best, snr ** 2),
      },
    };
  },
});

/**
 * The mean of Tr(Sigma^+) over normal designs with d near kappa m. It is off the limit by what the expectation for this m is
 * (an inverse Wishart matrix), and by Chebyshev's inequality.
 */
function drawnVariance(m: number, kappa: number, draws: number, random: Random) {
  const d = Math.round(kappa * m);
  const expected = normalDesignVariance(m, d);
  if (d === 0 || expected.variance === Infinity) return undefined;
  let mean = 0;
  for (let k = 0; k < draws; k++)
    for (const lambda of gramSpectrum(m, d, () => random.normal())) mean += 1 / lambda / draws;
  const offset = Math.abs(expected.mean - limitVariance(kappa));
  return { mean, spread: offset + Math.sqrt(expected.variance / (draws * delta)) };
}

/** Golden sections in 1/kappa, which is between 0 and 1 beyond the peak. */
function leastBeyondPeak(task: LimitTask): number {
  const risk = (inverse: number): number => totalRisk({ ...task, kappa: 1 / inverse });
  const golden = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [0.001, 0.999];
  for (let k = 0; k < 40; k++) {
    const [x, y] = [high - golden * (high - low), low + golden * (high - low)];
    if (risk(x) < risk(y)) high = y;
    else low = x;
  }
  return risk((low + high) / 2);
}
