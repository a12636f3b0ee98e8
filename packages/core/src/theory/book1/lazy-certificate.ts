import { type LazyCertificate, lazyCertificate } from "../../dynamics/lazy/certificate.ts";
import { type Descent, descend } from "../../dynamics/lazy/descent.ts";
import {
  drawTwoLayer,
  featureMatrix,
  gramMatrix,
  padded,
  spectralNorm,
} from "../../dynamics/lazy/features.ts";
import type { CurvedName, SmoothNetwork } from "../../dynamics/lazy/hessian.ts";
import { type Examples, flatWeights, squaredRisk } from "../../dynamics/lazy/squared-risk.ts";
import { tangentGram } from "../../dynamics/lazy/tangent-model.ts";
import { shallowGraph } from "../../dynamics/shallow-network.ts";
import { activation } from "../../functions/activation.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import {
  type CertifiedWidth,
  lazyCertificateFigure,
  lazyCertificateTable,
} from "./lazy-certificate-figure.ts";

export default lemma({
  id: "C1b-24",
  covers: ["C1b-24"],
  kind: "bound",
  title: "A certificate that gradient descent converges, from what is known at its start",
  source: "Book, chapter 1, sect. 1.5.2, (1.52)",
  statement: String.raw`\exists R: \; R \, \bigl( \sigma_{\min}(A) - \mathrm{Lip}(\varrho) \|\tilde X\| R \bigr) \bigl( 1 - \tfrac12 \eta \beta(R) \bigr) \ge \sqrt{m \, r(\Theta)} \implies \|\Theta^{(k)} - \Theta\| \le R, \quad r(\Theta^{(k)}) \le \bigl( 1 - \eta (1 - \tfrac12 \eta \beta) \alpha(R) \bigr)^k r(\Theta) \quad \text{for all } k; \qquad \text{for some } \eta \text{ if } \lambda_{\min}(A A^T) > 8 \, \mathrm{Lip}(\varrho) \|\tilde X\| \sqrt{m \, r(\Theta)}`,
  parameters: {
    sigma: choice(["tanh", "logistic", "softplus"], { label: "activation" }),
    d: integer({ min: 1, max: 3, default: 2, label: "inputs d" }),
    m: integer({ min: 1, max: 3, default: 3, label: "examples m" }),
    n: integer({ min: 16, max: 1024, default: 800, label: "neurons n" }),
    y: real({ min: 0.001, max: 1, default: 0.2, label: "size of the labels" }),
    tau: real({ min: 0, max: 1, default: 0, label: "size of the outer weights, times √n" }),
    rate: real({ min: 0.02, max: 1, default: 0.3, label: "step size, times m / 2‖J‖²" }),
  },
  claims: {
    "greatest distance from the start, over R": atMost("1"),
    "steps to a hundredth of the risk, over those that the certificate has": atMost("1"),
    "greatest r(k) / r(0) over the certified factor to the power k, k ≥ 1": atMost("1"),
    "change of the gradient over a step, over β times its length": atMost("1"),
    "the greatest rate: margin of the certificate": equals(
      String.raw`\lambda_{\min}(A A^T) / (8 \, \mathrm{Lip}(\varrho) \|\tilde X\| \sqrt{m r})`,
    ),
    "the greatest rate: R (σ_min - Lip ‖X‖ R)": equals(String.raw`2 \sqrt{m \, r(\Theta)}`),
    "exponent of (1.52) at t = √(m / (η² n)) as η → 0, c = 1": equals(String.raw`\sqrt{n/m}`),
    "exponent of (1.52) at the printed t": equals(String.raw`\sqrt{n/m}`).printed({
      where: "sect. 1.5.2, after (1.52)",
      printed: String.raw`Setting  $t = \sqrt{m}/(\eta^2 n)$  and using the limit definition of the exponential function, i.e.,  $\lim_{t \rightarrow \infty} (1 - x/t)^t = e^{-x}$ , yields, for sufficiently small  $\eta$ , that (1.52) is bounded by  $e^{-c\sqrt{n/m}}$ .`,
      corrected: String.raw`$t = \sqrt{m / (\eta^2 n)}$: so many steps of length $\eta \sqrt{n/m} \sqrt{r}$ stay in the ball, and $(1 - c \eta n / m)^t \to e^{-c \sqrt{n/m}}$; that is not arbitrarily small for a given $n$, but the sum of geometric steps is`,
    }),
  },
  mutants: {
    "half of the radius": { "greatest distance from the start, over R": () => 0.5 },
    "twice the rate of decay": {
      "steps to a hundredth of the risk, over those that the certificate has": () => 0.5,
    },
    "4 for 8": { "the greatest rate: margin of the certificate": (_, { theory }) => 2 * theory },
  },
  async run({ sigma, d, m, n, y, tau, rate }, { random, budget, progress, scale }) {
    const examples: Examples = {
      points: Array.from({ length: m }, (_, i) => padded(random.split(`x${i}`).normal(d))),
      values: Array.from(random.split("y").normal(m), (v) => y * v),
    };
    const network = draw(sigma, n, d, tau, random.split("network"));
    const eta = (rate * m) / (2 * symmetricEigen(tangentGram(network, examples.points)).values.at(-1)!);
    const certificate = lazyCertificate(network, examples, { eta });
    const greatest = lazyCertificate(network, examples);
    const path =
      certificate.promised &&
      descend(network, examples, { eta, steps: scale(20_000), until: certificate.risk / 200 });
    await progress(0.5);
    const shown: CertifiedWidth[] = [];
    if (budget !== "cheap")
      for (const width of [16, 32, 64, 128, 256, 512, 1024, 2048, 4096]) {
        shown.push(atWidth(draw(sigma, width, d, tau, random.split("network")), examples));
        await progress(0.5 + width / 8192);
      }
    return {
      graph: shallowGraph(network),
      ...(shown.length > 0 && { figure: lazyCertificateFigure(shown), table: lazyCertificateTable(shown) }),
      claims: {
        ...(path && promises(certificate, path, network, examples)),
        ...greatestRate(greatest, network, examples),
        ...exponents(n, m),
      },
    };
  },
});

const draw = (sigma: CurvedName, n: number, d: number, tau: number, random: Random): SmoothNetwork => ({
  ...drawTwoLayer(sigma, n, d + 1, { inner: 1, outer: tau / Math.sqrt(n) }, random),
  sigma,
});

/** The way of descent beside what was promised of it. */
function promises(
  { promised, risk }: LazyCertificate,
  { risks, distances }: Descent,
  network: SmoothNetwork,
  examples: Examples,
) {
  const { radius, factor, beta, eta } = promised!;
  const steps = risks.findIndex((r) => r <= risk / 100);
  const allowed = Math.ceil(Math.log(100) / -Math.log(factor));
  const worst = Math.max(...risks.slice(1).map((r, k) => r / (risk * factor ** (k + 1))));
  return {
    "greatest distance from the start, over R": checked(Math.max(...distances) / radius, 1),
    ...(steps >= 0 && {
      "steps to a hundredth of the risk, over those that the certificate has": checked(steps / allowed, 1),
    }),
    ...(risks.length > 1 && {
      "greatest r(k) / r(0) over the certified factor to the power k, k ≥ 1": checked(worst, 1, {
        tolerance: 2 ** -40,
      }),
    }),
    "change of the gradient over a step, over β times its length": checked(
      bend(network, examples, eta) / beta,
      1,
    ),
  };
}

/** |grad r(theta') - grad r(theta)| / |theta' - theta| over the first step. */
function bend(network: SmoothNetwork, examples: Examples, eta: number): number {
  const { end } = descend(network, examples, { eta, steps: 1 });
  const flat = (each: typeof end): Float64Array[] => {
    const { outer, inner } = squaredRisk(each, examples).gradient;
    const weights = flatWeights(each);
    return [outer, inner, weights.outer, weights.inner];
  };
  const [before, after] = [flat(network), flat(end)];
  const distance = (k: number): number => after[k]!.reduce((s, v, j) => s + (v - before[k]![j]!) ** 2, 0);
  return Math.sqrt((distance(0) + distance(1)) / (distance(2) + distance(3)));
}

function greatestRate(
  { margin, promised, risk }: LazyCertificate,
  network: SmoothNetwork,
  { points }: Examples,
) {
  const m = points.length;
  const spectrum = symmetricEigen(gramMatrix(featureMatrix(network, points))).values;
  const slope = activation(network.sigma).lipschitz * spectralNorm(points);
  const wanted = Math.sqrt(m * risk);
  // The certificate takes off what rounding may have added to the least eigenvalue.
  const rounding = 2 ** -44 * network.V.length * spectrum.at(-1)!;
  return {
    "the greatest rate: margin of the certificate": checked(margin, spectrum[0]! / (8 * slope * wanted), {
      tolerance: rounding / (8 * slope * wanted),
    }),
    ...(promised && {
      "the greatest rate: R (σ_min - Lip ‖X‖ R)": checked(
        promised.radius * (Math.sqrt(spectrum[0]!) - slope * promised.radius),
        2 * wanted,
        { tolerance: (8 * wanted * rounding) / spectrum[0]! },
      ),
    }),
  };
}

/** -t ln(1 - c eta n / m) with c = 1 and a small eta, at both values of t. */
function exponents(n: number, m: number) {
  const eta = (1e-6 * m) / n;
  const exponent = (t: number): number => -t * Math.log1p((-eta * n) / m);
  const wanted = Math.sqrt(n / m);
  return {
    "exponent of (1.52) at t = √(m / (η² n)) as η → 0, c = 1": checked(
      exponent(Math.sqrt(m / (eta * eta * n))),
      wanted,
      { tolerance: 1e-6 * wanted }, // the next order in eta n / m
    ),
    "exponent of (1.52) at the printed t": checked(exponent(Math.sqrt(m) / (eta * eta * n)), wanted, {
      tolerance: 1e-6 * wanted,
    }),
  };
}

/** The verdict for one width, and what descent does whatever the verdict is. */
function atWidth(network: SmoothNetwork, examples: Examples): CertifiedWidth {
  const certificate = lazyCertificate(network, examples);
  const top = symmetricEigen(tangentGram(network, examples.points)).values.at(-1)!;
  const eta = certificate.promised?.eta ?? (0.5 * examples.points.length) / (2 * top);
  return {
    n: network.V.length,
    certificate,
    path: descend(network, examples, { eta, steps: 4000, until: certificate.risk / 1e4 }),
  };
}
