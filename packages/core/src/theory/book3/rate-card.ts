import { exponentGap, rateCard } from "../../approximate/rates/card.ts";
import { featureWidth } from "../../approximate/rates/fixed-features.ts";
import { type RateMeasurement, rateMeasurements, ratePoints } from "../../approximate/rates/measurements.ts";
import { atLeast, atMost, checked, equals, fitted, type Measurement, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { rateCardFigure } from "./rate-card-figure.ts";

const claimOf = ({ of, name }: RateMeasurement): string => `${of} by size, ${name}`;

export default lemma({
  id: "C3-06",
  covers: ["C3-06", "C1a-17"],
  kind: "bound",
  title: "The rate card: every exponent, next to those that are measured",
  source: "Book, chapter 3, Theorems 3.6 to 3.18, and Theorem 1.18",
  statement: String.raw`\text{size} \sim \varepsilon^{-e}: \quad \tfrac{d-1}{n} \le e_{\text{shallow}} \le \tfrac{d}{n}, \quad \tfrac{d}{2(n-r)} \le e_{\text{ReLU}} \le \tfrac{d}{n-r}, \quad e_{\text{Barron}} \le \tfrac{2d}{d+1}, \quad e_{\text{mixed}} \le \tfrac12`,
  parameters: {
    d: integer({ min: 1, max: 12, default: 2, label: "variables d" }),
    n: integer({ min: 1, max: 5, default: 2, label: "derivatives n" }),
    z: real({ min: 0, max: 0.999, default: 0.5, label: "where ζ is between d/2n (0) and d/n (1)" }),
    beta: real({ min: 0.25, max: 4, default: 2, label: "Hölder exponent β" }),
  },
  claims: {
    "least upper exponent less lower exponent, same model": atLeast("0"),
    "Theorem 3.10 at r = 0 less Theorem 3.7": equals("0"),
    ...Object.fromEntries(
      rateMeasurements.map((m) => [claimOf(m), equals(String.raw`\text{${m.theorem} (${m.lemma})}`).rate()]),
    ),
    "fixed features: error of least squares over its lower bound": atLeast("1"),
    "fixed features: exponent of the error, Theorem 1.18": atLeast("d/k").printed({
      where: "Theorem 1.18",
      printed: String.raw`$\inf_{\theta^{(2)} \in \mathbb{R}^{1 \times n} \times \mathbb{R}} \|\Phi_a(\cdot, (\theta^{(1)}, \theta^{(2)})) - g\|_{L^p((0, 1)^d)} \leq cn^{-d/k} \|g\|_{W^{k,p}((0, 1)^d)}$`,
      corrected: String.raw`$c n^{-k/d}$: whatever the first layer, some $g$ of the unit ball of $W^{k,\infty}$ stays at a distance of at least a constant times $n^{-k/d}$ (here $k$ is the parameter n)`,
    }),
    "exponent of Theorem 3.6 as printed": atMost(
      String.raw`d/n, \text{ the upper bound of Theorem 3.8}`,
    ).printed({
      where: "Theorem 3.6",
      printed: String.raw`Then $N \gtrsim \epsilon^{-(d-1/n)}$.`,
      corrected: String.raw`$N \gtrsim \epsilon^{-(d-1)/n}$, as Section 3.2.3 has it; the printed exponent is above that of Theorem 3.8, which is attained`,
    }),
    "exponent of L in Remark 3.13 as printed": atLeast("0").printed({
      where: "Remark 3.13",
      printed: String.raw`for every $\zeta \in [d/(2n), d/n)$ [...] $L_\varepsilon \lesssim \varepsilon^{-d/(r(\zeta-1))}$ layers`,
      corrected: String.raw`$L_\varepsilon \lesssim \varepsilon^{-(d/n - \zeta)}$: about 1 at $\zeta = d/n$, about $M_\varepsilon$ at $\zeta = d/(2n)$; as printed ($r$ is 0 there; read as $n$) the number of layers goes to 0 for $\zeta < 1$`,
    }),
    "layers of Theorem 3.14 as printed, up to a constant": atLeast("0").printed({
      where: "Theorem 3.14",
      printed: String.raw`$L(\Phi_{f,\epsilon}) \lesssim \log_2((n+\zeta)) \cdot (n+\zeta)/d$ layers`,
      corrected: String.raw`not positive for $\beta = n + \zeta \le 1$: the logarithm needs a summand, as in $2 + \lceil \log_2 \beta \rceil$`,
    }),
  },
  mutants: {
    "splines of order one": { [claimOf(rateMeasurements[0]!)]: () => -1 },
    "d/n for n/d": Object.fromEntries(
      rateMeasurements
        .filter((m) => m.theorem === "n/d")
        .map((m) => [claimOf(m), ({ d, n }: { d: number; n: number }) => -Math.min(d, 3) / n]),
    ),
  },
  async run({ d, n, z, beta }, { random, progress, budget }) {
    const measuredIn = Math.min(d, 3); // grids of more variables would not fit
    const found: Record<string, Measurement | undefined> = {};
    const exponents: { name: string; measured: number; theory: number }[] = [];
    for (const [k, m] of rateMeasurements.entries()) {
      const points = ratePoints(m, random.split(m.name), measuredIn, n);
      const theory = m.exponent(measuredIn, n);
      const fit = fitted(points, -theory);
      found[claimOf(m)] = fit;
      if (fit) exponents.push({ name: m.name, measured: -Number(fit.measured), theory });
      await progress((k + 1) / (rateMeasurements.length + 1));
    }
    const rows = [0, ...(n > 1 ? [0.5, 1] : [])].map((r) => rateCard({ d, n, r }));
    const of = (theorem: string): number => rows[0]!.find((row) => row.theorem === theorem)!.exponent;
    const zeta = (d / (2 * n)) * (1 + z);
    const width = featureWidth("tanh", measuredIn, n, 3, random);
    const fixed = exponents.find((e) => e.name.startsWith("fixed features"));
    return {
      ...(budget === "cheap" ? {} : { figure: rateCardFigure(n, exponents) }),
      claims: {
        "least upper exponent less lower exponent, same model": checked(
          Math.min(...rows.map(exponentGap)),
          0,
        ),
        "Theorem 3.10 at r = 0 less Theorem 3.7": checked(of("Theorem 3.10") - of("Theorem 3.7"), 0),
        ...found,
        "fixed features: error of least squares over its lower bound": sampled(
          width.leastSquares / width.lower,
          1,
          { tolerance: 1e-9 }, // an orthogonal projection in doubles
        ),
        ...(fixed &&
          d === measuredIn && {
            "fixed features: exponent of the error, Theorem 1.18": checked(fixed.measured, measuredIn / n, {
              tolerance: 1e-6, // at d = n both readings agree, but for the rounding of the fit
            }),
          }),
        ...(d >= 2 ? { "exponent of Theorem 3.6 as printed": checked(d - 1 / n, d / n) } : {}),
        ...(Math.abs(zeta - 1) > 1e-9
          ? { "exponent of L in Remark 3.13 as printed": checked(d / (n * (zeta - 1)), 0) }
          : {}),
        "layers of Theorem 3.14 as printed, up to a constant": checked((Math.log2(beta) * beta) / d, 0),
      },
    };
  },
});
