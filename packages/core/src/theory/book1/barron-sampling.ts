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
  innerProduct,
  type SpectralFunction,
  type WeightedWave,
} from "../../approximate/barron/spectral-function.ts";
import { spectralNodes } from "../../approximate/barron/spectral-quadrature.ts";
import { barronTarget } from "../../approximate/barron/targets.ts";
import { geometricSizes } from "../../approximate/rates/sizes.ts";
import { complexity } from "../../construct/layers.ts";
import { run } from "../../engine/run.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { atMost, checked, equals, fitted, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { barronSamplingFigure } from "./barron-sampling-figure.ts";

const delta = 0.05;
const counts = geometricSizes(2, 64, 20);

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
      String.raw`2 \pi C_g \sqrt{2 \ln(2/\delta) / N} \quad (\text{Hoeffding})`,
    ).probable(),
    "squared error of a sample": atMost(
      String.raw`\tfrac{(2 \pi C_g)^2}{n} (1 + \sqrt{2 \ln(1/\delta)})^2 \quad (\text{McDiarmid})`,
    ).probable(),
    "rate of the error": equals("n^{-1/2}").rate(),
    "|g - g(0)| in the ball": atMost(String.raw`2 \pi C_g`),
    "|g - g(0)| in the ball, as printed": atMost("C_g").printed({
      where: "(1.36)",
      printed: String.raw`$g - g(0) = C_g \mathbb{E}[\Gamma]$ with $|\Gamma| \le 1$`,
      corrected: String.raw`$\Gamma$ needs the factor $2 \pi$`,
    }),
    "even part of g - g(0), as printed": equals("0").printed({
      where: "after (1.36)",
      printed: String.raw`$\Gamma = s (\mathbf{1}_{(0,\infty)}(-\langle \xi / \|\xi\|, \cdot \rangle - \tilde \xi) - \mathbf{1}_{(0,\infty)}(\langle \xi / \|\xi\|, \cdot \rangle - \tilde \xi))$, which is odd in $x$, and so is $g - g(0) = C_g \mathbb{E}[\Gamma]$`,
      corrected: String.raw`the two steps of a pair have coefficients of their own, $\sin(\vartheta - a t)$ and $-\sin(a t + \vartheta)$: equal, not opposite, where $\hat g > 0$`,
    }),
    "mass of μ_g, as printed": equals("1").printed({
      where: "(1.35)",
      printed: String.raw`$\|\xi\|_2 \hat g(\xi) \, d\xi / C_g$ is a probability measure $\mu_g$`,
      corrected: String.raw`it is a complex measure of total variation 1, a probability measure only if $\hat g \ge 0$`,
    }),
    "steep ramps, off the steps": atMost(
      String.raw`\sum_k |w_k| P\{0 < \langle u_k, x \rangle - t_k < 1/\lambda\}^{1/2}`,
    ),
    units: equals(String.raw`2n, \text{ and } 4n \text{ for ReLUs}`),
    "values on ONNX Runtime": equals("values of the steps"),
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
    const mean = ridgeValues(drawPairs(g, "threshold", many, random.split("mean")), [points.at(-1)!])[0]!;
    const repeats = Math.max(60, scale(100));
    const few = points.slice(0, 60);
    const rate = counts.map((k) => {
      const stream = random.split(k);
      const errors = Array.from({ length: repeats }, () =>
        meanSquaredGap(truth.subarray(0, few.length), ridgeValues(drawPairs(g, "threshold", k, stream), few)),
      );
      return [k, Math.sqrt(errors.reduce((sum, e) => sum + e / repeats, 0))] as const;
    });
    await progress(0.7);
    const network = sigma === "threshold" ? ridgeNetwork(sample) : sharpNetwork(sample, sigma, lambda);
    const onRuntime = await valuesOn(network, points);
    const off = Math.max(...truth.map((v) => Math.abs(v - sample.bias)));
    return {
      graph: network,
      ...(budget === "cheap" ? {} : { figure: barronSamplingFigure(g, random.split("figure")) }),
      claims: {
        ...(nodes ? quadratureClaims(g, nodes, points.slice(0, 2)) : {}),
        "mean of N pairs at a point, off g - g(0)": sampled(
          Math.abs(mean - truth.at(-1)!),
          C * Math.sqrt((2 * Math.log(2 / delta)) / many),
          { delta },
        ),
        "squared error of a sample": sampled(
          meanSquaredGap(truth, values),
          (C ** 2 / n) * (1 + Math.sqrt(2 * Math.log(1 / delta))) ** 2,
          { delta },
        ),
        "rate of the error": fitted(rate, -1 / 2),
        "|g - g(0)| in the ball": sampled(off, C),
        "|g - g(0)| in the ball, as printed": sampled(off, C / (2 * Math.PI)),
        "even part of g - g(0), as printed": sampled(
          Math.max(
            ...points.map((x, i) => Math.abs((truth[i]! + g.value(x.map((v) => -v))) / 2 - sample.bias)),
          ),
          0,
          { tolerance: 1e-12 }, // of the function's values
        ),
        ...(sigma === "relu"
          ? {
              "steep ramps, off the steps": sampled(
                Math.sqrt(meanSquaredGap(values, onRuntime)),
                rampBound(sample, points, lambda),
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
        const linear = activation === "relu" ? innerProduct(g.slope, x) : 0;
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
    "mass of μ_g, as printed": checked(real / total, 1, { tolerance }),
  };
}

/** A ramp and its step differ by at most 1, and only where the ramp rises. */
const rampBound = ({ units }: RidgeSum, points: Points, lambda: number): number =>
  units.reduce((sum, { direction, offset, weight }) => {
    const rising = points.filter((x) => {
      const z = innerProduct(direction, x) - offset;
      return z >= 0 && z < 1 / lambda;
    });
    return sum + Math.abs(weight) * Math.sqrt(rising.length / points.length);
  }, 0);

async function valuesOn(network: Graph, points: Points): Promise<Float64Array> {
  const { y } = await run(network, { x: tensor(points.map((x) => [...x])) });
  return Float64Array.from(numbers(y!));
}
