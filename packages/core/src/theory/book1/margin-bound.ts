import type { Figure } from "../../figure/figure.ts";
import { normMarginBound, rademacherMarginBound } from "../../generalization/bounds/margin.ts";
import { pacBayesMarginBound } from "../../generalization/bounds/pac-bayes-margin.ts";
import { spectralMarginBound } from "../../generalization/bounds/spectral-margin.ts";
import type { Random } from "../../numbers/random.ts";
import { normalCdf } from "../../numbers/statistics.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

/** A unit vector theta, y <theta, x> of the examples, and what the bounds read. */
interface Trained {
  readonly theta: Float64Array;
  /** y x. */
  readonly examples: readonly Float64Array[];
  readonly margins: Float64Array;
  readonly dataNorm: number;
  readonly risk: number;
}

export default lemma({
  id: "C1a-36",
  covers: ["C1a-36"],
  kind: "bound",
  title: "Margins: how many examples are close, and a complexity over the margin",
  source: "Book, chapter 1, sect. 1.2.2, after Theorem 1.23; Bartlett et al. 2017, Neyshabur et al. 2018",
  statement: String.raw`\mathbb P[\operatorname{sgn} f(X) \ne Y] \le \frac1m \sum_i 1_{(-\infty,\gamma)}(y_i f(x_i)) + \frac{2}{\gamma} \mathfrak R_S(\mathcal F) + 3 \sqrt{\frac{\ln(2/\delta)}{2m}}`,
  parameters: {
    n: integer({ min: 2, max: 1500, default: 1000, label: "examples" }),
    d: integer({ min: 1, max: 1000, default: 4, label: "dimension" }),
    gap: real({ min: 0, max: 4, default: 2, label: "distance of the classes' means from 0" }),
    gamma: real({ min: 0.05, max: 3, default: 1, label: "margin γ, fixed beforehand" }),
    delta: real({ min: 0.001, max: 0.05, default: 0.05, label: "δ" }),
  },
  claims: {
    "risk, margin fixed beforehand": atMost(
      String.raw`\widehat{\mathcal R}_\gamma + (2/\gamma) \mathfrak R_S + 3 \sqrt{\ln(2/\delta) / (2n)}`,
    )
      .probable()
      .looseBy(1.5),
    "risk, best margin of all": atMost(
      String.raw`\text{least bound over margins and norms, a grid shares } \delta`,
    )
      .probable()
      .looseBy(1.5),
    "risk 1/2 of labels that nothing predicts, best margin of all": atMost(
      String.raw`\text{least bound over margins, of a classifier fitted to them}`,
    )
      .probable()
      .looseBy(1.5),
    "risk, spectral margin bound": atMost(String.raw`\text{its least value over margins}`)
      .probable()
      .looseBy(1.5),
    "risk, PAC-Bayes margin bound": atMost(String.raw`\text{its least value over margins}`)
      .probable()
      .looseBy(1.5),
    "complexity of unit vectors, mean over N draws of signs": atMost(
      String.raw`\tfrac1n \bigl(\textstyle\sum \|x_i\|^2\bigr)^{1/2} (1 + \sqrt{2 \ln(1/\delta) / N})`,
    ).probable(),
    "mean ramp loss": atMost(String.raw`\tfrac1n \sum 1_{(-\infty,\gamma)}(y_i f(x_i))`),
    "training error": atMost(String.raw`\tfrac1n \sum \ell_\gamma(y_i f(x_i))`),
    "bound of c f at c γ": equals(String.raw`\text{bound of } f \text{ at } \gamma`),
  },
  mutants: {
    "the ramp ends at 2γ": ({ gamma }) => ({ gamma: 2 * gamma }),
    "half the complexity": {
      "complexity of unit vectors, mean over N draws of signs": (_, { theory }) => theory / 2,
    },
  },
  run({ n, d, gap, gamma, delta }, { random, budget }) {
    const trained = meanClassifier(n, d, gap, random);
    const { margins, dataNorm, risk, theta } = trained;
    const blind = meanClassifier(n, d, 0, random);
    const marginLoss = below(margins, gamma);
    const fixed = rademacherMarginBound({ margin: gamma, marginLoss, complexity: dataNorm / n, n, delta });
    const layer = {
      widths: [d, 1],
      spectralNorms: [1],
      frobeniusNorms: [1],
      rowNormSums: [1],
      dataNorm,
      n,
      delta,
      biasFree: true,
      homogeneous: true,
      relu: true,
      outputs: 1,
      inputRadius: gap + Math.sqrt(d) + 6,
    };
    const at = (margin: number) => ({ ...layer, margin, marginLoss: below(margins, margin) });
    const least = (bound: (margin: number) => number): number => Math.min(...manyMargins.map(bound));
    const scaled = (c: number) =>
      normMarginBound({ ...layer, margin: c * gamma, marginLoss, frobeniusNorms: [c] }).value!;
    const ramp = margins.reduce((sum, t) => sum + Math.min(1, Math.max(0, 1 - t / gamma)), 0) / n;
    return {
      graph: denseNetwork([{ W: [[...theta]] }], "linear"),
      ...(budget === "cheap" ? {} : { figure: figure(trained, n, delta) }),
      claims: {
        "risk, margin fixed beforehand": checked(risk, fixed.value!, { delta }),
        "risk, best margin of all": checked(risk, Math.min(...curve(trained, n, delta).map(([, v]) => v)), {
          delta,
        }),
        "risk 1/2 of labels that nothing predicts, best margin of all": checked(
          blind.risk,
          Math.min(...curve(blind, n, delta).map(([, v]) => v)),
          { delta },
        ),
        "risk, spectral margin bound": checked(
          risk,
          least((t) => spectralMarginBound(at(t)).value!),
          { delta },
        ),
        "risk, PAC-Bayes margin bound": checked(
          risk,
          least((t) => pacBayesMarginBound(at(t)).value!) + beyondRadius,
          {
            delta: Math.min(1, delta + n * beyondRadius),
          },
        ),
        // A sign moves the length by 2 |x_i| (McDiarmid).
        "complexity of unit vectors, mean over N draws of signs": checked(
          meanSignedLength(trained.examples, draws, random) / n,
          (dataNorm / n) * (1 + Math.sqrt((2 * Math.log(1 / delta)) / draws)),
          { delta },
        ),
        "mean ramp loss": checked(ramp, marginLoss, { tolerance: 1e-12 }), // a sum of n terms
        "training error": checked(margins.filter((t) => t <= 0).length / n, ramp, { tolerance: 1e-12 }),
        "bound of c f at c γ": checked(scaled(3), scaled(1), { tolerance: 1e-12 * (1 + scaled(1)) }),
      },
    };
  },
});

/** P(|Z| > sqrt d + 6) for a standard normal Z, at most: the bound is of the law without that, and pays for it. */
const beyondRadius = Math.exp(-18);

const manyMargins = Array.from({ length: 60 }, (_, k) => 0.05 * 1.3 ** k);

const below = (margins: Float64Array, gamma: number): number =>
  margins.filter((t) => t <= gamma).length / margins.length;

/** Y is a coin, X = Y mu + a standard normal vector, |mu| = gap: <theta, X> Y is normal around <theta, mu>. */
function meanClassifier(n: number, d: number, gap: number, random: Random): Trained {
  const examples = Array.from({ length: n }, () => {
    const z = random.normal(d);
    z[0]! += gap;
    return z; // y x, which has one law for both labels
  });
  const sum = new Float64Array(d);
  for (const z of examples) for (let k = 0; k < d; k++) sum[k]! += z[k]!;
  const size = Math.hypot(...sum);
  const theta = sum.map((v) => v / size);
  return {
    theta,
    examples,
    margins: Float64Array.from(examples, (z) => z.reduce((s, v, k) => s + v * theta[k]!, 0)),
    dataNorm: Math.sqrt(examples.reduce((s, z) => s + z.reduce((t, v) => t + v * v, 0), 0)),
    risk: normalCdf(-theta[0]! * gap),
  };
}

const draws = 40;

/** The mean of |sum_i tau_i x_i| over draws of signs. */
function meanSignedLength(examples: readonly Float64Array[], count: number, random: Random): number {
  let total = 0;
  for (let k = 0; k < count; k++) {
    const sum = new Float64Array(examples[0]!.length);
    for (const z of examples) {
      const tau = random.uniform() < 0.5 ? -1 : 1;
      for (let c = 0; c < sum.length; c++) sum[c]! += tau * z[c]!;
    }
    total += Math.hypot(...sum) / count;
  }
  return total;
}

/** The bound that holds for all margins at once, over margins. */
function curve(
  { margins, dataNorm }: Trained,
  n: number,
  delta: number,
): readonly (readonly [number, number])[] {
  return Array.from({ length: 40 }, (_, k) => {
    const margin = 0.05 * 1.12 ** k;
    const bound = normMarginBound({
      margin,
      marginLoss: below(margins, margin),
      frobeniusNorms: [1],
      dataNorm,
      outputs: 1,
      n,
      delta,
      biasFree: true,
      homogeneous: true,
    });
    return [margin, bound.value!] as const;
  });
}

function figure(trained: Trained, n: number, delta: number): Figure {
  const sorted = Float64Array.from(trained.margins).sort();
  const step = Math.max(1, Math.floor(n / 200));
  const bounds = curve(trained, n, delta);
  return {
    title: `A linear classifier on two Gaussian classes, ${n} examples`,
    panels: [
      {
        title: "Margins",
        x: { label: "margin y f(x)" },
        y: { label: "share of examples below" },
        series: [
          {
            name: "distribution of margins",
            mark: "step",
            points: Array.from(sorted)
              .map((t, i) => [t, (i + 1) / n] as const)
              .filter((_, i) => i % step === 0),
          },
        ],
      },
      {
        title: "Bound over the margin",
        x: { label: "γ", scale: "log" },
        y: { label: "probability of error", scale: "log" },
        series: [
          { name: "bound for all γ at once", mark: "line", role: "theory", points: bounds },
          {
            name: "share below γ",
            mark: "line",
            points: bounds.flatMap(([g]) => {
              const share = below(trained.margins, g);
              return share > 0 ? [[g, share] as const] : [];
            }),
          },
          { name: "true risk", mark: "line", points: bounds.map(([g]) => [g, trained.risk]) },
        ],
      },
    ],
  };
}
