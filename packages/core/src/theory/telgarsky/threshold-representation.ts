import { geometricSizes } from "../../approximate/rates/sizes.ts";
import type { Figure, Panel } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { complexity } from "../../networks/layers/layers.ts";
import { type Target, targets } from "../../networks/spline/target.ts";
import {
  equalThresholds,
  expectedOverThresholds,
  expectedSquaredError,
  type InputLaw,
  infiniteNetwork,
  inputLaws,
  sampledNetwork,
  sampledSteps,
  sampleThresholds,
  squaredError,
} from "../../networks/threshold/sample.ts";
import { type Steps, staircaseError } from "../../networks/threshold/staircase.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals, fitted, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { greatestError } from "../line.ts";
import { choice, integer } from "../parameter.ts";

/** How often a probable claim may fail; Chebyshev's inequality says little about rare failures. */
const [delta, often] = [0.05, 0.25];
const widths = geometricSizes(1, 16, 20);

export default lemma({
  id: "T-07",
  covers: ["T-07"],
  kind: "construction",
  title: "Sampling a network of infinitely many thresholds",
  source: "Telgarsky, Proposition 2.8 and Example 2.18(1)",
  statement: String.raw`g(x) - g(0) = \int_0^1 g'(b) \mathbf{1}[x \ge b] \, db, \qquad \mathbb{E} \|f_m - g\|_{L_2(P)}^2 = \frac{Z^2 \, \mathbb{E}_b P(x \ge b) - \|g - g(0)\|_{L_2(P)}^2}{m} \le \frac{Z^2}{m}, \; Z = \int_0^1 |g'|`,
  parameters: {
    g: choice(["wave", "sine", "ramp", "square", "exp", "runge"], { label: "function" }),
    m: integer({ min: 1, max: 100, default: 60, label: "thresholds" }),
    law: choice(["uniform", "rising", "end"], { label: "law of the inputs" }),
  },
  claims: {
    "infinite width, sup error": equals("0"),
    "expected squared error": atMost("Z^2 / m"),
    "expected squared error of one threshold, by quadrature over it": equals(
      String.raw`Z^2 \, \mathbb{E}_b P(x \ge b) - \|g - g(0)\|_{L_2(P)}^2`,
    ),
    "mean squared error of samples": equals(
      String.raw`e \pm \sqrt{(2 e^2 + 4 Z^2 e / m^2) / r \delta}, \; e = \mathbb{E} \|f_m - g\|^2, \; r \text{ samples} \quad (\text{Chebyshev})`,
    ).probable(),
    "squared error of a sample": atMost(
      String.raw`(\sqrt{e} + Z \sqrt{2 \ln(1/\delta) / m})^2 \quad (\text{McDiarmid})`,
    )
      .probable()
      .looseBy(1.5),
    "squared error if all thresholds are at the quantile 1/64": atMost("Z^2 / m").printed({
      where: "Example 2.18(1)",
      printed: String.raw`a sample $((b_i, s_i))_{i=1}^k$ from $\tilde{\mu}$ satisfies $\left\| f(\cdot) - f(0) - \frac{\|\mu\|_1}{k} \sum_i s_i \mathbf{1}[\cdot \geq b_i] \right\|_{L_2(P)}^2 \leq \frac{\|\mu\|_1^2 \sup_{b \in [0, 1]} \|\mathbf{1}[\cdot \geq b]\|_{L_2(P)}^2}{k}$`,
      corrected: `in expectation over the samples, and so for some of them (all $b_i$ near the least quantiles of $|f'|$ is an event of positive probability)`,
    }),
    "sup error of a sample": atMost(
      String.raw`2 Z \sqrt{\ln(2/\delta) / 2m} \quad (\text{Dvoretzky, Kiefer, Wolfowitz, Massart})`,
    ).probable(),
    "rate of the expected squared error": equals("m^{-1}").rate(),
    "thresholds in flat parts": equals("0"),
    units: equals("m"),
    "error on ONNX Runtime": equals("sup error of the sample"),
  },
  mutants: {
    "Z for its square": { "expected squared error": ({ m }, { theory }) => Math.sqrt(theory / m) },
    "the square of the mean not subtracted": {
      "expected squared error of one threshold, by quadrature over it": ({ g, law }, { theory }) =>
        theory + inputLaws[law].mean((x) => (targets[g].value(x) - targets[g].value(0)) ** 2, [0, 1]),
    },
    "a threshold lost": ({ m }) => ({ m: m - 1 }),
  },
  async run({ g: name, m, law: lawName }, { random, scale, progress, budget }) {
    const [g, law]: [Target, InputLaw] = [targets[name], inputLaws[lawName]];
    const sample = sampleThresholds(g, m, random.split("sample"));
    const { variation: Z, thresholds } = sample;
    const steps = sampledSteps(g, sample);
    const network = sampledNetwork(g, sample);
    const [expected, realised, sup] = [
      expectedSquaredError(g, m, law),
      squaredError(law, steps, g),
      staircaseError(steps, g),
    ];
    const repeats = scale(200);
    const mean = meanSquaredError(g, m, law, repeats, random.split("mean"));
    await progress(0.3);
    const draws = Math.max(120, repeats); // a squared error spreads by about its own size
    const rate = widths.map((k) => [k, meanSquaredError(g, k, law, draws, random.split(k))] as const);
    await progress(0.8);
    return {
      graph: network,
      ...(budget === "cheap" ? {} : { figure: figure(g, steps, law, random.split("figure")) }),
      claims: {
        "infinite width, sup error": checked(representationError(g), 0, { tolerance: 1e-12 }), // of the quadrature
        "expected squared error": checked(expected, Z ** 2 / m, { tolerance: 1e-12 }), // of the quadrature
        "expected squared error of one threshold, by quadrature over it": checked(
          expectedOverThresholds(g, law),
          expectedSquaredError(g, 1, law),
          { tolerance: 1e-10 }, // of the quadrature in two variables
        ),
        "mean squared error of samples": sampled(mean, expected, {
          delta: often,
          tolerance: chebyshev(expected, Z, m, repeats) + 1e-12, // and the quadrature's
        }),
        "squared error of a sample": sampled(
          realised,
          (Math.sqrt(Math.max(0, expected)) + Z * Math.sqrt((2 * Math.log(1 / delta)) / m)) ** 2,
          { delta },
        ),
        "squared error if all thresholds are at the quantile 1/64": checked(
          squaredError(law, sampledSteps(g, equalThresholds(g, m, 1 / 64)), g),
          Z ** 2 / m,
        ),
        "sup error of a sample": sampled(sup, 2 * Z * Math.sqrt(Math.log(2 / delta) / (2 * m)), { delta }),
        // Where g is monotone, every sample is exact at x = 1.
        ...(expected > 1e-12 ? { "rate of the expected squared error": fitted(rate, -1) } : {}),
        ...(name === "ramp"
          ? { "thresholds in flat parts": checked(thresholds.filter((b) => b < 0.4 || b > 0.6).length, 0) }
          : {}),
        units: checked(complexity(network).architecture[1]!, m),
        "error on ONNX Runtime": sampled(await runtimeError(network, thresholds, g), sup, {
          tolerance: 1e-12,
        }),
      },
    };
  },
});

function meanSquaredError(g: Target, m: number, law: InputLaw, repeats: number, random: Random): number {
  let sum = 0;
  for (let r = 0; r < repeats; r++)
    sum += squaredError(law, sampledSteps(g, sampleThresholds(g, m, random)), g);
  return sum / repeats;
}

/**
 * Chebyshev's inequality for the mean of r squared errors. f_m - g is a mean of m independent terms with norm at most
 * 2 Z and mean zero, so E ||f_m - g||^4 <= 3 e^2 + 4 Z^2 e / m^2 with e = E ||f_m - g||^2.
 */
const chebyshev = (expected: number, Z: number, m: number, repeats: number): number =>
  Math.sqrt((2 * expected ** 2 + (4 * Z ** 2 * Math.max(0, expected)) / m ** 2) / (repeats * often));

const representationError = (g: Target): number =>
  Math.max(
    ...Array.from({ length: 33 }, (_, k) =>
      Math.abs(infiniteNetwork(g, k / 32) - (g.value(k / 32) - g.value(0))),
    ),
  );

/** At the thresholds, just before them, at the turning points of g, and at the ends: among them are all extremes. */
async function runtimeError(network: Graph, thresholds: readonly number[], g: Target): Promise<number> {
  const before = thresholds.map((b) => b * (1 - 2 ** -52));
  const points = [0, ...thresholds, ...before, ...g.turns, 1].filter((x) => x >= 0 && x <= 1);
  return greatestError(network, points, g.value);
}

function figure(g: Target, { thresholds, levels }: Steps, law: InputLaw, random: Random): Figure {
  const m = thresholds.length - 1;
  const xs = Array.from({ length: 201 }, (_, k) => k / 200);
  const sampledPanel: Panel = {
    title: `${m} thresholds drawn from |g'|`,
    x: { label: "x" },
    y: { label: "value" },
    series: [
      { name: g.formula, mark: "line", role: "theory", points: xs.map((x) => [x, g.value(x)]) },
      {
        name: "sampled network",
        mark: "step",
        points: [...thresholds.map((b, i) => [b, levels[i]!] as const), [1, levels.at(-1)!]],
      },
    ],
  };
  const bound = sampleThresholds(g, 1, random).variation ** 2;
  const draws = widths.flatMap((k) =>
    Array.from(
      { length: 12 },
      () => [k, squaredError(law, sampledSteps(g, sampleThresholds(g, k, random)), g)] as const,
    ),
  );
  const decay: Panel = {
    title: "Squared L² error against thresholds",
    x: { label: "thresholds m", scale: "log" },
    y: { label: "squared error", scale: "log" },
    series: [
      { name: "samples", mark: "dots", points: draws.filter(([, error]) => error > 1e-12) },
      {
        name: "theory: the exact expectation",
        mark: "line",
        role: "theory",
        points: widths.map((k) => [k, expectedSquaredError(g, k, law)]),
      },
      { name: "theory: Z²/m", mark: "line", role: "theory", points: widths.map((k) => [k, bound / k]) },
    ],
  };
  return { title: `${g.formula} as a sample of thresholds`, panels: [sampledPanel, decay] };
}
