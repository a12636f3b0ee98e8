import type { Figure, Panel } from "../../figure/figure.ts";
import { normalDesignVariance } from "../../generalization/double-descent/bias-variance.ts";
import {
  bestRidge,
  type LimitTask,
  limitRisk,
  marchenkoPastur,
  secondDescent,
} from "../../generalization/double-descent/marchenko-pastur.ts";
import { dot } from "../../linear-algebra/dot.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import type { Random } from "../../numbers/random.ts";
import { atLeast, atMost, checked, equals, sampled } from "../claim.ts";
import { HypothesisError, type LemmaTable, lemma, type RunContext } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

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
        "risk with another ridge": checked(totalRisk({ ...task, ridge }), best, near(best)),
        "risk with the best ridge": checked(best, snr ** 2),
      },
    };
  },
});

const limitVariance = (kappa: number): number => limitRisk({ kappa, signal: 0, noise: 1 }).variance;
const totalRisk = (task: LimitTask): number => {
  const { bias, variance } = limitRisk(task);
  return bias + variance;
};

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

/** The eigenvalues of Sigma that are not 0. */
function gramSpectrum(m: number, d: number, draw: () => number): readonly number[] {
  const [p, n] = [Math.min(m, d), Math.max(m, d)];
  const rows = Array.from({ length: p }, () => Float64Array.from({ length: n }, draw));
  return symmetricEigen(rows.map((a) => rows.map((b) => dot(a, b)))).values;
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

const laws: Readonly<Record<string, (random: Random) => number>> = {
  normal: (random) => random.normal(),
  "±1": (random) => (random.uniform() < 0.5 ? -1 : 1),
  uniform: (random) => Math.sqrt(12) * (random.uniform() - 0.5),
};

async function shown(
  snr: number,
  { random, scale, progress }: RunContext,
): Promise<{ figure: Figure; table: LemmaTable }> {
  const m = 40;
  const draws = scale(4);
  const kappas = [0.1, 0.25, 0.5, 0.75, 0.9, 1.15, 1.5, 2, 3, 5, 8];
  const rows: { kappa: number; seen: number[] }[] = [];
  for (const kappa of kappas) {
    const seen = Object.values(laws).map((draw) => {
      let mean = 0;
      for (let k = 0; k < draws; k++)
        for (const lambda of gramSpectrum(m, kappa * m, () => draw(random))) mean += 1 / lambda / draws;
      return mean;
    });
    rows.push({ kappa, seen });
    await progress(kappa / 8);
  }
  const fine = Array.from({ length: 160 }, (_, k) => 10 ** (-1 + (k / 159) * 1.9031)).filter(
    (k) => Math.abs(k - 1) > 0.02,
  );
  const task = { signal: snr ** 2, noise: 1 };
  const curve = (of: (kappa: number) => number): (readonly [number, number])[] =>
    fine.map((kappa) => [kappa, of(kappa)] as const);
  const variances: Panel = {
    title: `Variance: ${m} examples, means of ${draws} designs`,
    x: { label: "features an example κ", scale: "log" },
    y: { label: "Tr Σ⁺", scale: "log" },
    series: [
      { name: "limit", mark: "line", role: "theory", points: curve(limitVariance) },
      ...Object.keys(laws).map((name, k) => ({
        ...{ name: `entries ${name}`, mark: "dots" as const },
        points: rows.map((r) => [r.kappa, r.seen[k]!] as const),
      })),
    ],
  };
  const risks: Panel = {
    title: `Figure 1.6 as it comes out: risk in the limit, |θ*|/σ = ${snr}`,
    x: { label: "features an example κ", scale: "log" },
    y: { label: "excess risk", scale: "log" },
    series: [
      { name: "least norm", mark: "line", points: curve((kappa) => totalRisk({ ...task, kappa })) },
      {
        name: "ridge 0.1",
        mark: "line",
        points: curve((kappa) => totalRisk({ ...task, kappa, ridge: 0.1 })),
      },
      {
        ...{ name: "the best ridge for each κ", mark: "line" },
        points: curve((kappa) => totalRisk({ ...task, kappa, ridge: bestRidge({ ...task, kappa }) })),
      },
      { name: "the zero function", mark: "line", role: "theory", points: curve(() => snr ** 2) },
    ],
  };
  return {
    figure: {
      title: "Double descent of linear regression",
      panels: [variances, risks, histogram(0.5, scale(3), random)],
    },
    table: {
      title: `Tr Σ⁺, m = ${m}, means of ${draws} designs, and the limit`,
      columns: ["κ", "limit", ...Object.keys(laws).map((name) => `entries ${name}`)],
      rows: rows.map((r) => [r.kappa, limitVariance(r.kappa), ...r.seen]),
    },
  };
}

/** Eigenvalues of Sigma/m of a few designs, and the density. */
function histogram(kappa: number, draws: number, random: Random): Panel {
  const [m, bins] = [80, 24];
  const law = marchenkoPastur(kappa);
  const [a, b] = [Math.max(0, law.edges[0] - 0.1), law.edges[1] + 0.2];
  const width = (b - a) / bins;
  const counts = new Float64Array(bins);
  for (let k = 0; k < draws; k++)
    for (const lambda of gramSpectrum(m, kappa * m, () => random.normal())) {
      const bin = Math.floor((lambda / m - a) / width);
      if (bin >= 0 && bin < bins) counts[bin]! += 1 / (draws * kappa * m * width);
    }
  return {
    title: `Eigenvalues of Σ/m, m = ${m}, κ = ${kappa}`,
    x: { label: "eigenvalue" },
    y: { label: "density" },
    series: [
      { name: `${draws} designs`, mark: "step", points: Array.from(counts, (v, k) => [a + k * width, v]) },
      {
        ...{ name: "the law", mark: "line", role: "theory" },
        points: Array.from({ length: 200 }, (_, k) => a + ((b - a) * k) / 199).map((x) => [
          x,
          law.density(x),
        ]),
      },
    ],
  };
}
