import { drawPairs, representedValue } from "../../approximate/barron/representation.ts";
import {
  ballPoints,
  meanSquaredGap,
  type Points,
  type RidgeSum,
  ridgeNetwork,
  ridgeValues,
  sharpNetwork,
} from "../../approximate/barron/ridge-sum.ts";
import {
  euclideanLength,
  type SpectralFunction,
  type WeightedWave,
} from "../../approximate/barron/spectral-function.ts";
import { spectralNodes } from "../../approximate/barron/spectral-quadrature.ts";
import { barronTarget } from "../../approximate/barron/targets.ts";
import { geometricSizes } from "../../approximate/rates/sizes.ts";
import { run } from "../../engine/run.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { dot } from "../../linear-algebra/dot.ts";
import { complexity } from "../../networks/layers/layers.ts";
import { mean } from "../../numbers/sum.ts";
import { atMost, checked, equals, fitted, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { barronSamplingFigure } from "./barron-sampling-figure.ts";

const counts = geometricSizes(2, 64, 14);
/** 1.96 standard errors, and 0.475 times the third moment over sqrt(N), which is less than 0.05 (Berry and Esseen). */
const [quantile, delta] = [1.959964, 0.1];

export default lemma({
  id: "C1b-04",
  covers: ["C1b-04"],
  kind: "construction",
  title: "Barron's network: pairs of steps drawn from the Fourier transform",
  source: "Book, chapter 1, equations (1.35) to (1.37)",
  statement: String.raw`g(x) - g(0) = 2 \pi C_g \, \mathbb{E} \big[ -\sin(a t + \vartheta) \mathbf{1}[\langle u, x \rangle > t] + \sin(\vartheta - a t) \mathbf{1}[-\langle u, x \rangle > t] \big], \quad \xi \sim \|\xi\| |\hat g| / C_g, \; t \sim U[0, 1], \; a = 2 \pi \|\xi\|, \; u = \xi / \|\xi\|, \; \vartheta = \arg \hat g(\xi), \quad \mathbb{E} \|\Phi - g\|^2 \le \frac{(2 \pi C_g)^2}{n}`,
  parameters: {
    g: choice(["gaussian", "odd", "packet", "bumps", "waves"], { label: "function" }),
    d: integer({ min: 1, max: 10, default: 2, label: "variables d" }),
    s: real({ min: 0.4, max: 2, default: 0.5, label: "width s" }),
    n: integer({ min: 1, max: 100, default: 64, label: "pairs n" }),
    sigma: choice(["relu", "logistic", "threshold"], { label: "activation" }),
    lambda: real({ min: 1, max: 1000, default: 50, label: "steepness λ" }),
  },
  claims: {
    "steps of infinite width, off g - g(0)": equals("0"),
    "ReLUs of infinite width, off g - g(0) - ∇g(0)x": equals("0"),
    "mean of N pairs at a point, off g - g(0)": atMost(
      String.raw`1.96 \, \sigma / \sqrt N, \text{ but for a chance of } 0.1`,
    ).probable(),
    "greatest of N pairs at a point, in size": atMost(String.raw`2 \pi C_g`),
    "n times the squared error, mean of samples": atMost(String.raw`(2 \pi C_g)^2`).looseBy(2.5),
    "rate of the error": equals("n^{-1/2}").rate(),
    "|g - g(0)| in the ball": atMost(String.raw`2 \pi C_g`).looseBy(1.1),
    "|g - g(0)| in the ball, as printed": atMost("C_g").printed({
      where: "(1.36)",
      printed: String.raw`$g(x) - g(0) = [...] = C_g \mathbb{E}[\Gamma(\Xi, \tilde{\Xi})(x)], \quad x \in \mathbb{R}^d$ [...] $s(\xi, \tilde{\xi}) \in \{-1, 1\}$`,
      corrected: String.raw`$2 \pi C_g \mathbb{E}[\Gamma]$, $\|x\|_2 \le 1$: as printed, $|\Gamma| \le 1$ and so $|g(x) - g(0)| \le C_g$`,
    }),
    "even part of g - g(0), as printed": equals("0").printed({
      where: "after (1.36)",
      printed: String.raw`\Gamma(\xi, \tilde{\xi}) := s(\xi, \tilde{\xi}) (1_{(0, \infty)}(-\langle \xi / \|\xi\|_2, \cdot \rangle - \tilde{\xi}) - 1_{(0, \infty)}(\langle \xi / \|\xi\|_2, \cdot \rangle - \tilde{\xi}))`,
      corrected: String.raw`the two steps of a pair have coefficients of their own, $\sin(\vartheta - a t)$ and $-\sin(a t + \vartheta)$, equal where $\hat g > 0$: the printed $\Gamma$ is odd in $x$, and so would be $g - g(0)$`,
    }),
    "mass of μ_g, as printed": equals("1").printed({
      where: "(1.35)",
      printed: String.raw`$C_g \int_{\mathbb{R}^d} \frac{1}{\|\xi\|_2} (e^{2\pi i \langle \cdot, \xi \rangle} - 1) \frac{1}{C_g} \|\xi\|_2 \hat{g}(\xi) d\xi = C_g \int_{\mathbb{R}^d} \frac{1}{\|\xi\|_2} (e^{2\pi i \langle \cdot, \xi \rangle} - 1) d\mu_g(\xi)$, [...] where $\mu_g$ is a probability measure`,
      corrected: String.raw`it is a complex measure of total variation 1, a probability measure only if $\hat g \ge 0$`,
    }),
    "a pair of steep ramps, off its steps": atMost(
      String.raw`\textstyle\sum_k |w_k| \, \bigl\| (1 - \lambda z_k) \mathbf{1}[0 \le z_k < 1/\lambda] \bigr\|_{L^2}, \; z_k = \langle u_k, x \rangle - t_k`,
    ),
    units: equals(String.raw`2n, \text{ and } 4n \text{ for ReLUs}`),
    "values on ONNX Runtime": equals("values of the steps"),
  },
  mutants: {
    "the factor 2π forgotten": {
      "n times the squared error, mean of samples": (_, { theory }) => theory / (2 * Math.PI) ** 2,
      "greatest of N pairs at a point, in size": (_, { theory }) => theory / (2 * Math.PI),
    },
    "rate 1/n": { "rate of the error": () => -1 },
    "one unit a step, of ReLUs too": { units: ({ n }) => 2 * n },
  },
  async run({ g: name, d, s, n, sigma, lambda }, { random, scale, progress, budget }) {
    const g = barronTarget(name, d, s);
    const C = g.moment(1); // 2 pi C_g
    const points = ballPoints(d, scale(1000), random.split("points"));
    const truth = Float64Array.from(points, (x) => g.value(x));
    const sample = drawPairs(g, "threshold", n, random.split("sample"));
    const values = ridgeValues(sample, points);
    const isSmall = d <= 2 || (d === 3 && budget !== "cheap");
    const nodes = g.atoms || isSmall ? spectralNodes(g) : undefined;
    await progress(0.3);
    const many = scale(10000);
    const atPoint = pairValues(drawPairs(g, "threshold", many, random.split("mean")), points.at(-1)!);
    const repeats = Math.max(40, scale(100));
    const few = points.filter((_, i) => i % Math.ceil(points.length / 50) === 0);
    const wanted = Float64Array.from(few, (x) => g.value(x));
    const squares = counts.map((k) => {
      const stream = random.split(k);
      const errors = Array.from({ length: repeats }, () =>
        meanSquaredGap(wanted, ridgeValues(drawPairs(g, "threshold", k, stream), few)),
      );
      return [k, mean(errors)] as const;
    });
    await progress(0.7);
    const network = sigma === "threshold" ? ridgeNetwork(sample) : sharpNetwork(sample, sigma, lambda);
    const onRuntime = await valuesOn(network, points);
    const pair = { ...sample, units: sample.units.slice(0, 2) };
    const ramps = await valuesOn(sharpNetwork(pair, "relu", lambda), points);
    const off = Math.max(...truth.map((v) => Math.abs(v - sample.bias)));
    return {
      graph: network,
      ...(budget === "cheap" ? {} : { figure: barronSamplingFigure(g, random.split("figure")) }),
      claims: {
        ...(nodes ? quadratureClaims(g, nodes, points.slice(0, 2)) : {}),
        "mean of N pairs at a point, off g - g(0)": sampled(
          Math.abs(mean(atPoint) - (truth.at(-1)! - sample.bias)),
          (quantile * deviation(atPoint)) / Math.sqrt(many),
          { delta },
        ),
        "greatest of N pairs at a point, in size": sampled(Math.max(...atPoint.map(Math.abs)), C),
        "n times the squared error, mean of samples": sampled(mean(squares.map(([k, e]) => k * e)), C ** 2),
        "rate of the error": fitted(
          squares.map(([k, e]) => [k, Math.sqrt(e)]),
          -1 / 2,
        ),
        "|g - g(0)| in the ball": sampled(off, C),
        // The book has integrable functions, which waves are not.
        ...(!g.atoms && {
          "|g - g(0)| in the ball, as printed": sampled(off, C / (2 * Math.PI)),
          "even part of g - g(0), as printed": sampled(evenPart(g, points), 0, {
            tolerance: 1e-12, // of the function's values
          }),
        }),
        ...(sigma === "relu"
          ? {
              "a pair of steep ramps, off its steps": sampled(
                Math.sqrt(meanSquaredGap(ridgeValues(pair, points), ramps)),
                rampBound(pair, points, lambda),
                { tolerance: 1e-12 * lambda * (1 + C) }, // differences of ReLUs of the size lambda
              ),
            }
          : {}),
        units: checked(complexity(network).architecture[1]!, sigma === "relu" ? 4 * n : 2 * n),
        ...(sigma === "threshold"
          ? {
              "values on ONNX Runtime": sampled(Math.sqrt(meanSquaredGap(values, onRuntime)), 0, {
                tolerance: 1e-12 * (1 + C), // sums in another order
              }),
            }
          : {}),
      },
    };
  },
});

function quadratureClaims(g: SpectralFunction, nodes: readonly WeightedWave[], points: Points) {
  const zero = g.value(new Float64Array(g.dimension));
  const off = (activation: "threshold" | "relu"): number =>
    Math.max(
      ...points.map((x) => {
        const linear = activation === "relu" ? dot(g.slope, x) : 0;
        return Math.abs(representedValue(nodes, activation, x) - (g.value(x) - zero - linear));
      }),
    );
  const weights = nodes.map(({ omega, weight }) => weight * euclideanLength(omega));
  const total = weights.reduce((sum, w) => sum + w, 0);
  const real = nodes.reduce((sum, { phase }, i) => sum + weights[i]! * Math.cos(phase), 0);
  // The quadrature over frequencies.
  const tolerance = 1e-6;
  return {
    "steps of infinite width, off g - g(0)": checked(off("threshold"), 0, { tolerance }),
    "ReLUs of infinite width, off g - g(0) - ∇g(0)x": checked(off("relu"), 0, { tolerance }),
    ...(!g.atoms && { "mass of μ_g, as printed": checked(real / total, 1, { tolerance }) }),
  };
}

function deviation(values: readonly number[]): number {
  const centre = mean(values);
  return Math.sqrt(mean(values.map((v) => (v - centre) ** 2)));
}

/** What each pair has at the point, times the number of pairs: draws with the mean g - g(0). */
const pairValues = ({ units }: RidgeSum, x: ArrayLike<number>): readonly number[] => {
  const on = units.map(({ direction, offset, weight }) => (dot(direction, x) >= offset ? weight : 0));
  return Array.from(
    { length: units.length / 2 },
    (_, k) => (on[2 * k]! + on[2 * k + 1]!) * (units.length / 2),
  );
};

/** The greatest even part of g - g(0) at points. */
const evenPart = (g: SpectralFunction, points: Points): number => {
  const zero = g.value(new Float64Array(g.dimension));
  return Math.max(...points.map((x) => Math.abs((g.value(x) + g.value(x.map((v) => -v))) / 2 - zero)));
};

/** The L2 norms of steps less ramps, which differ only where the ramp rises. */
const rampBound = ({ units }: RidgeSum, points: Points, lambda: number): number =>
  units.reduce((sum, { direction, offset, weight }) => {
    const squares = points.map((x) => {
      const z = dot(direction, x) - offset;
      return z >= 0 && z < 1 / lambda ? (1 - lambda * z) ** 2 : 0;
    });
    return sum + Math.abs(weight) * Math.sqrt(mean(squares));
  }, 0);

async function valuesOn(network: Graph, points: Points): Promise<Float64Array> {
  const { y } = await run(network, { x: tensor(points.map((x) => [...x])) });
  return Float64Array.from(numbers(y!));
}
