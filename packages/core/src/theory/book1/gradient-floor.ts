import {
  drawTwoLayer,
  featureMatrix,
  leastDirection,
  type Points,
  padded,
  spectralNorm,
} from "../../dynamics/lazy/features.ts";
import { gradientFloor, worstMove } from "../../dynamics/lazy/gradient-floor.ts";
import type { CurvedName } from "../../dynamics/lazy/hessian.ts";
import { squaredLength, squaredRisk } from "../../dynamics/lazy/squared-risk.ts";
import { type ShallowNetwork, shallowGraph, shallowValue } from "../../dynamics/shallow-network.ts";
import type { Figure, Series } from "../../figure/figure.ts";
import { activation } from "../../functions/activation.ts";
import { tensor } from "../../graph/tensor.ts";
import { dot } from "../../linear-algebra/dot.ts";
import type { Random } from "../../numbers/random.ts";
import { empiricalRisk } from "../../train/empirical-risk.ts";
import { atLeast, atMost, checked, equals, fitted, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

const widths = [100, 160, 250, 400, 630, 1000, 1600, 2500];

export default lemma({
  id: "C1b-22",
  covers: ["C1b-22"],
  kind: "bound",
  title: "The gradient of a wide network is not small while its risk is not",
  source: "Book, chapter 1, sect. 1.5.2, (1.49) and (1.51)",
  statement: String.raw`\|\nabla r(\theta)\|^2 \ge \alpha(R) \, r(\theta), \quad \alpha(R) = \frac4m \bigl( \sigma_{\min}(A) - \mathrm{Lip}(\varrho) \|\tilde X\| R \bigr)_+^2 \quad (\|\theta - \Theta\| \le R), \qquad A_{ik} = \varrho(\langle \Theta^{(1)}_k, \tilde x^{(i)} \rangle), \; \alpha(0) = \tfrac4m \lambda_{\min}(A A^T)`,
  parameters: {
    sigma: choice(["tanh", "logistic", "softplus"], { label: "activation" }),
    d: integer({ min: 1, max: 4, default: 2, label: "inputs d" }),
    m: integer({ min: 1, max: 5, default: 3, label: "examples m" }),
    n: integer({ min: 8, max: 200, default: 100, label: "neurons n" }),
    inner: real({ min: 0.05, max: 2, default: 1, label: "deviation of the inner weights" }),
    tau: real({ min: 0, max: 1, default: 1, label: "size of the outer weights, times √n" }),
    share: real({ min: 0.01, max: 0.9, default: 0.3, label: "R as a part of σ_min / (Lip ‖X‖)" }),
  },
  claims: {
    "|∇r|² by formulas less that of the gradient pass": equals("0"),
    "|∇r|² / r at the start, errors along the least direction": atLeast(
      String.raw`\tfrac4m \lambda_{\min}(A A^T)`,
    ),
    "its part by the last layer": equals(String.raw`\tfrac4m \lambda_{\min}(A A^T)`),
    "|∇r|² / r in the ball, worst and random weights": atLeast(String.raw`\alpha(R)`),
    "fall of σ_min(A) in the ball, over Lip ‖X‖ R": atMost("1"),
    "fall of λ_min by a move of length 1 against the width, one example, exponent":
      equals(String.raw`\tfrac12`).rate(),
    "the same, inner weights of variance 1/n": equals("0").rate().printed({
      where: "sect. 1.5.2, (1.51)",
      printed: String.raw`\frac{1}{m^2} (\lambda_{\min}(\bar{K}_\Theta) + O(1)) \|(\Phi(x^{(i)}, \Theta + \bar{\theta}) - y^{(i)})_{i=1}^m\|_2^2`,
      corrected: String.raw`$\lambda_{\min}(\bar{K}_\Theta) + O(\sqrt n)$, as $(\sqrt{\lambda_{\min}} + O(1))^2$ has it: small beside $n$ all the same`,
    }),
  },
  mutants: {
    "no square of the singular value": {
      "its part by the last layer": ({ m }, { theory }) => (4 / m) * Math.sqrt((theory * m) / 4),
    },
    "half of the gradient's factor": {
      "its part by the last layer": (_, { theory }) => theory / 2,
    },
    "the ball of twice the radius": ({ share }) => ({ share: 2 * share }),
  },
  async run({ sigma, d, m, n, inner, tau, share }, { random, budget, progress }) {
    const points: Points = Array.from({ length: m }, (_, i) => padded(random.split(`x${i}`).normal(d)));
    const network = drawTwoLayer(
      sigma,
      n,
      d + 1,
      { inner, outer: tau / Math.sqrt(n) },
      random.split("network"),
    );
    const { least } = leastDirection(featureMatrix(network, points));
    const norm = activation(sigma).lipschitz * spectralNorm(points);
    const R = (share * least) / norm;
    const worst = worstMove(network, points, R);
    const ball = [worst, ...[0, 1, 2].map((k) => randomMove(network, R, random.split(`move${k}`)))];
    const start = steepness(network, points);
    const floor = gradientFloor(network, points, R);
    await progress(0.3);
    const ratios = ball.map((each) => steepness(each, points).whole);
    const fallen = least - leastDirection(featureMatrix(worst, points)).least;
    // Errors of sums of n products; those of the least singular value are a part of the greatest.
    const rounding = 2 ** -48 * (1 + n) * spectralNorm(featureMatrix(network, points)) ** 2;
    const falls = fallsByWidth(sigma, points.slice(0, 1), () => 1, random.split("falls"));
    const single = fallsByWidth(
      sigma,
      points.slice(0, 1),
      (width) => 1 / Math.sqrt(width),
      random.split("falls"),
    );
    return {
      graph: shallowGraph(network),
      ...(budget !== "cheap" && { figure: figure(sigma, points, network, random) }),
      claims: {
        "|∇r|² by formulas less that of the gradient pass": checked(await againstPass(network, points), 0, {
          tolerance: 1e-12,
        }),
        "|∇r|² / r at the start, errors along the least direction": checked(
          start.whole,
          (4 / m) * least ** 2,
          {
            tolerance: rounding,
          },
        ),
        "its part by the last layer": checked(start.outer, (4 / m) * least ** 2, { tolerance: rounding }),
        "|∇r|² / r in the ball, worst and random weights": sampled(Math.min(...ratios), floor, {
          tolerance: rounding,
        }),
        ...(R > 0 && {
          "fall of σ_min(A) in the ball, over Lip ‖X‖ R": sampled(fallen / (norm * R), 1, {
            tolerance: rounding / (norm * R * least),
          }),
        }),
        // (s - c)^2 = s^2 - 2 s c + c^2: the second part shifts the exponent of the first.
        "fall of λ_min by a move of length 1 against the width, one example, exponent": fitted(
          falls.map(({ width, fall }) => [width, fall] as const),
          0.5,
          falls[0]!.secondOrder,
        ),
        ...(sigma !== "tanh" && {
          "the same, inner weights of variance 1/n": fitted(
            single.map(({ width, fall }) => [width, fall] as const),
            0,
            single[0]!.secondOrder,
          ),
        }),
      },
    };
  },
});

/** |grad r|^2 / r where the errors are along the least singular direction: labels that make it as small as they can. */
function steepness(
  network: ShallowNetwork,
  points: Points,
): { readonly whole: number; readonly outer: number } {
  const { left } = leastDirection(featureMatrix(network, points));
  const values = points.map((x, i) => shallowValue(network, x) - left[i]!);
  const { gradient, value } = squaredRisk(network, { points, values });
  return { whole: squaredLength(gradient) / value, outer: dot(gradient.outer, gradient.outer) / value };
}

/** At distance R in a direction that is drawn. */
function randomMove(network: ShallowNetwork, R: number, random: Random): ShallowNetwork {
  const { V, a } = network;
  const width = V[0]!.length;
  const direction = random.sphere(a.length * (width + 1));
  return {
    ...network,
    V: V.map((v, k) => Float64Array.from(v, (value, j) => value + R * direction[k * width + j]!)),
    a: a.map((value, k) => value + R * direction[a.length * width + k]!),
  };
}

async function againstPass(network: ShallowNetwork, points: Points): Promise<number> {
  const values = points.map((_, i) => Math.cos(i));
  const target = tensor(values, { dims: [values.length, 1] });
  const risk = empiricalRisk(shallowGraph(network), "square", {
    x: tensor(points.map((x) => [...x])),
    target,
  });
  const { gradient, value } = await risk.at(risk.start);
  const mine = squaredRisk(network, { points, values });
  const size = squaredLength(mine.gradient);
  return Math.abs(size - dot(gradient, gradient)) / (1 + size) + Math.abs(mine.value - value) / (1 + value);
}

interface Fall {
  readonly width: number;
  /** lambda_min at the start less that after the worst move of length 1. */
  readonly fall: number;
  /** c^2 beside 2 s c. */
  readonly secondOrder: number;
}

const fallsByWidth = (
  sigma: CurvedName,
  points: Points,
  inner: (width: number) => number,
  random: Random,
): readonly Fall[] =>
  widths.map((width) => {
    const network = drawTwoLayer(sigma, width, points[0]!.length, { inner: inner(width), outer: 0 }, random);
    const before = leastDirection(featureMatrix(network, points)).least;
    const after = leastDirection(featureMatrix(worstMove(network, points, 1), points)).least;
    return { width, fall: before ** 2 - after ** 2, secondOrder: (before - after) / (2 * before) };
  });

function figure(sigma: CurvedName, points: Points, network: ShallowNetwork, random: Random): Figure {
  const { least } = leastDirection(featureMatrix(network, points));
  const reach = least / (activation(sigma).lipschitz * spectralNorm(points));
  const frobenius =
    least / (activation(sigma).lipschitz * Math.hypot(...points.map((x) => Math.hypot(...x))));
  const parts = Array.from({ length: 31 }, (_, k) => (1.2 * k) / 30);
  const line = (name: string, f: (R: number) => number, role: Series["role"]): Series => ({
    name,
    mark: "line",
    role,
    points: parts.map((part) => [part * reach, f(part * reach)]),
  });
  const floorWith = (most: number) => (R: number) =>
    (4 / points.length) * (least * Math.max(0, 1 - R / most)) ** 2;
  const falls = fallsByWidth(sigma, points, () => 1, random.split("figure"));
  const last = falls.at(-1)!;
  return {
    title: "A gradient that cannot vanish before the risk does",
    panels: [
      {
        title: "|∇r|² / r at distance R",
        x: { label: "R" },
        y: { label: "|∇r|² / r" },
        series: [
          line("α(R)", floorWith(reach), "theory"),
          line("with the Frobenius norm of X", floorWith(frobenius), "theory"),
          line("worst direction", (R) => steepness(worstMove(network, points, R), points).whole, "measured"),
          line(
            "a random direction",
            (R) => steepness(randomMove(network, R, random.split("one")), points).whole,
            "measured",
          ),
        ],
      },
      {
        title: "A move of length 1",
        x: { label: "neurons n", scale: "log" },
        y: { label: "fall of λ_min", scale: "log" },
        series: [
          {
            name: "worst direction",
            mark: "dots",
            role: "measured",
            points: falls.map(({ width, fall }) => [width, fall]),
          },
          {
            name: "proportional to √n",
            mark: "line",
            role: "theory",
            points: falls.map(({ width }) => [width, last.fall * Math.sqrt(width / last.width)]),
          },
        ],
      },
    ],
  };
}
