import { type FlowPoint, gradientFlow } from "../../dynamics/gradient-flow.ts";
import { sampleGradients, tangentKernel } from "../../dynamics/sample-gradients.ts";
import type { Figure } from "../../figure/figure.ts";
import { type Tensor, tensor } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";
import { sum } from "../../numbers/sum.ts";
import { type DenseLayer, denseNetwork, layersFrom, preActivations } from "../../train/dense-network.ts";
import { type EmpiricalRisk, empiricalRisk } from "../../train/empirical-risk.ts";
import { lossFormulas, type ScalarLossName } from "../../train/loss/formulas.ts";
import { atMost, checked, equals, type Measurement, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

const flowTolerance = 1e-9;
/** For differences in time. */
const fineTolerance = 1e-13;
/** Differences in time are over twice this share of the time in which the flow changes. */
const shareOfTime = 0.01;

export default lemma({
  id: "C1a-30",
  covers: ["C1a-30"],
  kind: "algorithm",
  title: "Gradient flow and what it dissipates",
  source: "Book, chapter 1, (1.20)-(1.22)",
  statement: String.raw`\frac{d\Theta}{dt} = -\nabla \widehat{\mathcal R}: \qquad \frac{d\Phi(x)}{dt} = -\frac{1}{m} \sum_i K_\Theta(x, x_i) D_i, \quad \frac{d\widehat{\mathcal R}}{dt} = -\frac{1}{m^2} \sum_{i,j} D_i K_\Theta(x_i, x_j) D_j = -\|\nabla \widehat{\mathcal R}\|^2`,
  parameters: {
    loss: choice(["square", "logistic", "exponential"], { label: "loss" }),
    d: integer({ min: 1, max: 4, default: 2, label: "inputs" }),
    n: integer({ min: 1, max: 12, default: 6, label: "hidden units (tanh)" }),
    m: integer({ min: 1, max: 8, default: 5, label: "examples" }),
    T: real({ min: 0.1, max: 4, default: 2, label: "time" }),
  },
  claims: {
    "gradient less (1/m) Σ D ∇Φ (1.20)": equals("0"),
    "|∇R|² (1.22)": equals(String.raw`\tfrac{1}{m^2} \textstyle\sum_{i,j} D_i K(x_i, x_j) D_j`),
    "risk lost": equals(String.raw`\int \|\nabla \widehat{\mathcal R}\|^2 dt`),
    "greatest rise of the risk in a step": atMost("0"),
    "speed of the risk, by differences": equals(String.raw`-\|\nabla \widehat{\mathcal R}\|^2`),
    "speed of Φ at a new point, by differences (1.21)": equals(
      String.raw`-\tfrac{1}{m} \textstyle\sum_i K(x, x_i) D_i`,
    ),
  },
  mutants: {
    "1/m for 1/m²": { "|∇R|² (1.22)": ({ m }, { theory }) => m * theory },
    "half of |∇R|² dissipated": { "risk lost": (_, { theory }) => theory / 2 },
    "ascent for descent": {
      "speed of Φ at a new point, by differences (1.21)": (_, { theory }) => -theory,
    },
  },
  async run({ loss, d, n, m, T }, { random, budget, progress }) {
    const problem = drawProblem(loss, [d, n, 1], m, random);
    const path = await gradientFlow(problem.risk, { until: T, tolerance: flowTolerance });
    await progress(0.5);
    const steepest = Math.max(...path.map(({ gradient }) => Math.sqrt(squaredNorm(gradient))));
    const { value, dissipated } = path.at(-1)!;
    // R + dissipated is constant along the exact flow from anywhere: errors of steps add up, times its slope.
    const drift = path.length * flowTolerance * (1 + steepest);
    return {
      graph: denseNetwork(problem.layers, "tanh"),
      ...(budget !== "cheap" && { figure: figure(path, loss) }),
      claims: {
        ...(await kernelIdentities(problem, path[path.length >> 1]!)),
        "risk lost": checked(path[0]!.value - value, dissipated, {
          tolerance: drift + 2 ** -48 * path[0]!.value,
        }),
        "greatest rise of the risk in a step": checked(
          Math.max(...path.slice(1).map((p, k) => p.value - path[k]!.value)),
          0,
          { tolerance: flowTolerance * steepest + 2 ** -50 * path[0]!.value },
        ),
        ...(await speeds(problem)),
      },
    };
  },
});

const squaredNorm = (v: Float64Array): number => v.reduce((sum, x) => sum + x * x, 0);

interface Problem {
  readonly loss: ScalarLossName;
  readonly widths: readonly number[];
  readonly layers: readonly DenseLayer[];
  readonly x: readonly (readonly number[])[];
  readonly y: readonly number[];
  /** A point that is no example. */
  readonly probe: readonly number[];
  readonly risk: EmpiricalRisk;
}

function drawProblem(loss: ScalarLossName, widths: readonly number[], m: number, random: Random): Problem {
  const layers = widths.slice(1).map((rows, l) => ({
    W: Array.from({ length: rows }, () =>
      Array.from(random.normal(widths[l]!), (w) => w / Math.sqrt(widths[l]!)),
    ),
    b: [...random.normal(rows)],
  }));
  const x = Array.from({ length: m }, () => [...random.normal(widths[0]!)]);
  const y = Array.from(random.normal(m), (v) => (loss === "square" ? v : Math.sign(v) || 1));
  const target: Tensor =
    loss === "square"
      ? tensor(y, { dims: [m, 1] })
      : tensor(
          y.map((v) => (v + 1) / 2),
          { type: "int64" },
        );
  const risk = empiricalRisk(denseNetwork(layers, "tanh"), loss, { x: tensor(x), target });
  return { loss, widths, layers, x, y, probe: [...random.normal(widths[0]!)], risk };
}

const outputAt = ({ risk, widths }: Problem, theta: Float64Array, x: readonly number[]): number =>
  preActivations(layersFrom(risk, theta, widths), "tanh", x).at(-1)![0]!;

/** D_i = dl/df at the predictions. */
const slopes = (problem: Problem, theta: Float64Array): readonly number[] =>
  problem.x.map((x, i) => lossFormulas[problem.loss].slope(outputAt(problem, theta, x), problem.y[i]!));

async function kernelIdentities(problem: Problem, { theta, gradient }: FlowPoint) {
  const { x, layers } = problem;
  const m = x.length;
  const D = slopes(problem, theta);
  const rows = await sampleGradients(denseNetwork(layers, "tanh"), tensor(x))(theta);
  const K = tangentKernel(rows);
  const pairs = D.flatMap((a, i) => D.map((b, j) => (a * K[i]![j]! * b) / m ** 2));
  const sum = theta.map((_, k) => rows.reduce((s, row, i) => s + (D[i]! * row[k]!) / m, 0));
  // Sums of fewer than P + m^2 terms; a prediction rounds by 2^-52 (n + d + 4) and D by as much, e^-m at most e^4 more.
  const roundings = 2 ** -46 * (theta.length + m ** 2);
  const size = D.reduce((s, v, i) => s + (Math.abs(v) * Math.sqrt(K[i]![i]!)) / m, 0);
  return {
    "gradient less (1/m) Σ D ∇Φ (1.20)": checked(
      Math.sqrt(squaredNorm(sum.map((v, k) => v - gradient[k]!))),
      0,
      {
        tolerance: roundings * (size + 1),
      },
    ),
    "|∇R|² (1.22)": checked(
      squaredNorm(gradient),
      pairs.reduce((a, b) => a + b, 0),
      { tolerance: roundings * (size + 1) ** 2 },
    ),
  };
}

/**
 * Differences over [0, 2h] against the mean of what the kernel says, by Simpson's rule at 0, h and 2h: it errs by
 * (2h)^4 / 2880 times the fourth derivative of the speed, 6e-11 of it if that is (flow's rate)^4 times the speed, and
 * 1e-8 if it changes three and a half times as fast.
 */
async function speeds(problem: Problem): Promise<Record<string, Measurement>> {
  const { risk, probe, x, layers } = problem;
  const m = x.length;
  const gradients = sampleGradients(denseNetwork(layers, "tanh"), tensor([...x, probe]));
  const kernelAt = async (theta: Float64Array) => tangentKernel(await gradients(theta));
  const K = await kernelAt(risk.start);
  // Gauss and Newton's trace (1/m) sum l'' K_ii: l'' is at most 2, for the exponential loss |D|.
  const rate = slopes(problem, risk.start).reduce(
    (sum, v, i) => sum + (K[i]![i]! * (2 + Math.abs(v))) / m,
    0,
  );
  const h = shareOfTime / rate;
  const start = await risk.at(risk.start);
  const first = await gradientFlow(risk, { from: risk.start, until: h, tolerance: fineTolerance });
  const middle = first.at(-1)!;
  const second = await gradientFlow(risk, { from: middle.theta, until: h, tolerance: fineTolerance });
  const end = second.at(-1)!;
  const terms = (theta: Float64Array, kernel: typeof K): readonly number[] =>
    slopes(problem, theta).map((v, i) => (-kernel[m]![i]! * v) / m);
  const ofProbe = [
    terms(risk.start, K),
    terms(middle.theta, await kernelAt(middle.theta)),
    terms(end.theta, await kernelAt(end.theta)),
  ];
  const speed = simpson(ofProbe.map((parts) => sum(parts)));
  // The probe's speed may be zero by chance; its size is that of the terms that make it up.
  const size = simpson(ofProbe.map((parts) => sum(parts.map(Math.abs))));
  const seen = (outputAt(problem, end.theta, probe) - outputAt(problem, risk.start, probe)) / (2 * h);
  const loss = simpson([start, middle, end].map(({ gradient }) => squaredNorm(gradient)));
  const lost = (end.value - start.value) / (2 * h);
  // What difference quotients lose where speeds are small: their rounding, and the flow's own errors times the slope.
  const astray = fineTolerance * (first.length + second.length);
  const noise = (slope: number): number => (2 ** -49 * (1 + Math.abs(start.value)) + astray * slope) / h;
  return {
    "speed of the risk, by differences": sampled(lost, -loss, {
      tolerance: 1e-8 * loss + noise(Math.sqrt(squaredNorm(start.gradient))),
    }),
    "speed of Φ at a new point, by differences (1.21)": sampled(seen, speed, {
      tolerance: 1e-8 * size + noise(Math.sqrt(K[m]![m]!)),
    }),
  };
}

const simpson = ([first, middle, last]: readonly number[]): number => (first! + 4 * middle! + last!) / 6;

function figure(path: readonly FlowPoint[], loss: string): Figure {
  return {
    title: "Gradient flow: the risk lost is the integral of |∇R|²",
    panels: [
      {
        title: `Risk, ${loss} loss`,
        x: { label: "time" },
        y: { label: "risk" },
        series: [
          { name: "risk", mark: "dots", points: path.map(({ t, value }) => [t, value]) },
          {
            name: "first risk less the integral of |∇R|²",
            mark: "line",
            role: "theory",
            points: path.map(({ t, dissipated }) => [t, path[0]!.value - dissipated]),
          },
        ],
      },
      {
        title: "Speed",
        x: { label: "time" },
        y: { label: "|∇R|²", scale: "log" },
        series: [
          { name: "|∇R|²", mark: "line", points: path.map(({ t, gradient }) => [t, squaredNorm(gradient)]) },
        ],
      },
    ],
  };
}
