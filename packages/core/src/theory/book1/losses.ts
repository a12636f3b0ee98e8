import {
  type AffineFunction,
  fewestMistakes,
  type LabelledPoint,
  logisticMinimizer,
  mistakes,
} from "../../dynamics/surrogate.ts";
import { run } from "../../engine/run.ts";
import { float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";
import { gradient } from "../../passes/gradient.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { empiricalRisk } from "../../train/empirical-risk.ts";
import { lossFormulas, rampLoss, type ScalarLossName } from "../../train/loss/formulas.ts";
import { losses, targetType } from "../../train/loss.ts";
import { atMost, checked, equals, type Measurement, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { surrogateFigure } from "./losses-figure.ts";

export default lemma({
  id: "C1a-04",
  covers: ["C1a-04"],
  kind: "algorithm",
  title: "Losses and their surrogates",
  source: "Book, chapter 1, Definition 1.2, Remarks 1.3 and 1.9, sects. 1.2.2 and 1.2.3",
  statement: String.raw`M = y f(x): \quad \ln(1 + e^{-M}), \; e^{-M}, \; \ell_\gamma(M) = 1_{(-\infty, \gamma]}(M) - \tfrac{M}{\gamma} 1_{[0, \gamma]}(M), \; (f(x) - y)^2; \qquad 1_{(-\infty, 0]} \le \ell_\gamma \le 1_{(-\infty, \gamma)}`,
  parameters: {
    loss: choice(["logistic", "exponential", "hinge", "ramp", "square"], { label: "loss" }),
    gamma: real({ min: 0.125, max: 4, default: 1, label: "confidence γ of the ramp" }),
    c: integer({ min: 1, max: 100, default: 3, label: "bound c of labels and predictions" }),
    k: integer({ min: 1, max: 12, default: 4, label: "examples of each class at 0 and 1" }),
    far: real({ min: 2, max: 60, default: 6, label: "place of the example far out" }),
  },
  claims: {
    "graph's loss against its formula": equals("0"),
    "graph's derivative in the prediction against its formula": equals("0"),
    "cross-entropy of two outputs less the logistic loss of their difference": equals("0"),
    "ramp above the indicator of (-∞, γ)": atMost("0"),
    "ramp below the indicator of (-∞, 0]": atMost("0"),
    "steepest slope of the ramp": atMost(String.raw`1 / \gamma`),
    "0-1 loss of signs less (1 - y f)/2": equals("0"),
    "E[-2f(Z) + |f|²] - (|f - p|² - |p|²)": equals("0"),
    "greatest square loss for |f|, |y| ≤ c": equals("4c^2"),
    "probabilities where the pointwise minimizer has another sign than Bayes": equals("0"),
    "prediction of least expected loss, P(y = 1) = 7/8": equals(
      String.raw`\ln 7 \text{ (logistic)}, \; \tfrac12 \ln 7 \text{ (exponential)}, \; 1 \text{ (hinge)}, \; \tfrac34 \text{ (square)}`,
    ),
    "slope of the logistic risk at its minimizer": equals("0"),
    "mistakes of the minimizer of the logistic risk": atMost(
      String.raw`\min_{w, b} \#\{ i : \operatorname{sgn}(w x_i + b) \ne y_i \}`,
    ).printed({
      where: "Remark 1.9",
      printed: String.raw`a surrogate loss guaranteeing that $\operatorname{sgn}(\widehat{f}_s^{\text{surr}}) \in \operatorname{argmin}_{f \in \mathcal{F}_{a, \text{sgn}}} \widehat{\mathcal{R}}_s(f)$. A frequently used surrogate loss is the logistic loss`,
      corrected: String.raw`for the risk (not the empirical one) over all measurable $f$ (not a class of networks): $\operatorname{sgn}(f^{\text{surr}}) = f^*$; affine functions are networks of one layer`,
    }),
  },
  mutants: {
    "half the range squared": { "greatest square loss for |f|, |y| ≤ c": ({ c }) => c ** 2 },
    "slope γ for 1/γ": { "steepest slope of the ramp": ({ gamma }) => gamma },
    "the half of the exponential loss forgotten": {
      "prediction of least expected loss, P(y = 1) = 7/8": ({ loss }, { theory }) =>
        loss === "exponential" ? 2 * theory : theory,
    },
  },
  async run({ loss, gamma, c, k, far }, { random, budget }) {
    const points: readonly LabelledPoint[] = [
      { x: 0, y: 1, count: k },
      { x: 1, y: -1, count: k },
      { x: far, y: 1, count: 1 },
    ];
    const best = logisticMinimizer(points);
    const claims: Record<string, Measurement> = {
      ...(await againstFormulas(loss, random)),
      ...ramp(gamma),
      "0-1 loss of signs less (1 - y f)/2": proved(signGap(), 0),
      "E[-2f(Z) + |f|²] - (|f - p|² - |p|²)": proved(densityGap(random), 0),
      "greatest square loss for |f|, |y| ≤ c": proved(greatestSquare(c), 4 * c ** 2),
      "slope of the logistic risk at its minimizer": await slopeAt(points, best),
      "mistakes of the minimizer of the logistic risk": checked(
        mistakes(points, best),
        fewestMistakes(points),
      ),
    };
    return {
      graph: lossGraph(loss),
      ...(budget !== "cheap" && { figure: surrogateFigure(gamma, { points, best }) }),
      claims,
    };
  },
});

/** Losses [N] of predictions f [N, 1]. */
const lossGraph = (loss: ScalarLossName): Graph =>
  graph({ f: float64("N", 1), target: targetType(loss, float64("N", 1)) }, ({ f, target }) => ({
    each: losses[loss].each(f, target),
  }));

const targetsOf = (loss: ScalarLossName, y: readonly number[]): Tensor =>
  loss === "square"
    ? tensor([...y], { dims: [y.length, 1] })
    : tensor(
        y.map((v) => (v + 1) / 2),
        { type: "int64" },
      );

const greatest = (values: readonly number[]): number => values.reduce((most, v) => Math.max(most, v), 0);

async function againstFormulas(loss: ScalarLossName, random: Random): Promise<Record<string, Measurement>> {
  const formula = lossFormulas[loss];
  const f = [0, ...Array.from(random.uniform(64), (u) => 16 * u - 8)];
  const y = f.map(() => (random.uniform() < 0.5 ? -1 : 1));
  const inputs = { f: tensor(f, { dims: [f.length, 1] }), target: targetsOf(loss, y) };
  const slope = gradient(lossGraph(loss), { wrt: ["f"], unitSeeds: true });
  const found = await run(slope, inputs, { threads: 1 });
  const [each, slopes] = [numbers(found.each!), numbers(found.grad_f!)];
  const relative = (got: number, want: number) => Math.abs(got - want) / Math.max(1, Math.abs(want));
  // A few roundings, and exponentials and logarithms of two libraries, good to a unit in the last place each.
  const tolerance = 2 ** -49;
  return {
    "graph's loss against its formula": sampled(
      greatest(f.map((v, i) => relative(each[i]!, formula.value(v, y[i]!)))),
      0,
      { tolerance },
    ),
    "graph's derivative in the prediction against its formula": sampled(
      greatest(f.map((v, i) => relative(slopes[i]!, formula.slope(v, y[i]!)))),
      0,
      { tolerance },
    ),
    "cross-entropy of two outputs less the logistic loss of their difference": await crossEntropy(f, y),
    ...(await calibration(loss)),
  };
}

async function crossEntropy(f: readonly number[], y: readonly number[]): Promise<Measurement> {
  const pairs = graph({ f: float64("N", 2), target: targetType("cross-entropy", float64("N", 2)) }, (v) => ({
    each: losses["cross-entropy"].each(v.f, v.target),
  }));
  const outputs = f.map((v, i) => [i % 3, v + (i % 3)]); // the difference is the prediction
  const found = await run(pairs, { f: tensor(outputs), target: targetsOf("logistic", y) }, { threads: 1 });
  const gaps = Array.from(numbers(found.each!), (v, i) =>
    Math.abs(v - lossFormulas.logistic.value(outputs[i]![1]! - outputs[i]![0]!, y[i]!)),
  );
  return sampled(greatest(gaps), 0, { tolerance: 2 ** -48 * 10 });
}

/** For P(y = 1) = eta: the sign of the f that minimizes eta l(f, 1) + (1 - eta) l(f, -1) on a grid, on ONNX Runtime. */
async function calibration(loss: ScalarLossName): Promise<Record<string, Measurement>> {
  const grid = Array.from({ length: 257 }, (_, j) => -8 + j / 16);
  const lossesOf = async (y: number) => {
    const inputs = {
      f: tensor(grid, { dims: [grid.length, 1] }),
      target: targetsOf(
        loss,
        grid.map(() => y),
      ),
    };
    return numbers((await run(lossGraph(loss), inputs, { threads: 1 })).each!);
  };
  const [positive, negative] = [await lossesOf(1), await lossesOf(-1)];
  // At least 1/16 from 1/2, so that the minimizers are at least half a step of the grid from 0.
  const probabilities = Array.from({ length: 15 }, (_, j) => (j + 1) / 16).filter((eta) => eta !== 1 / 2);
  const minimizer = (eta: number): number => {
    const risk = grid.map((_, j) => eta * positive[j]! + (1 - eta) * negative[j]!);
    return grid[risk.reduce((best, v, j) => (v < risk[best]! ? j : best), 0)]!;
  };
  const wrong = probabilities.filter((eta) => Math.sign(minimizer(eta)) !== Math.sign(eta - 1 / 2));
  const unique = { logistic: Math.log(7), exponential: Math.log(7) / 2, hinge: 1, square: 3 / 4 };
  return {
    "probabilities where the pointwise minimizer has another sign than Bayes": checked(wrong.length, 0),
    ...(loss !== "ramp" && {
      // Convex losses: the least of a grid is next to the least of all.
      "prediction of least expected loss, P(y = 1) = 7/8": sampled(minimizer(7 / 8), unique[loss], {
        tolerance: 1 / 16,
      }),
    }),
  };
}

function ramp(gamma: number): Record<string, Measurement> {
  const points = [0, gamma, -gamma, gamma / 2, 2 * gamma, -1e-9, 1e-9, gamma * (1 + 2 ** -40)];
  const grid = [...points, ...Array.from({ length: 401 }, (_, j) => (j / 100 - 2) * gamma)];
  const step = gamma / 1000;
  const slopes = grid.map((t) => Math.abs(rampLoss(t + step, gamma) - rampLoss(t, gamma)) / step);
  const above = grid.map((t) => rampLoss(t, gamma) - (t < gamma ? 1 : 0));
  const below = grid.map((t) => (t <= 0 ? 1 : 0) - rampLoss(t, gamma));
  return {
    "ramp above the indicator of (-∞, γ)": checked(greatest(above), 0),
    "ramp below the indicator of (-∞, 0]": checked(greatest(below), 0),
    // A quotient of two differences of numbers up to 2 gamma: 2^-52 over the step of gamma / 1000.
    "steepest slope of the ramp": sampled(greatest(slopes), 1 / gamma, { tolerance: (2 ** -40 * 2) / gamma }),
  };
}

const signGap = (): number =>
  greatest([-1, 1].flatMap((f) => [-1, 1].map((y) => Math.abs((y * f < 0 ? 1 : 0) - (1 - y * f) / 2))));

/** On 16 points with the counting measure; densities in 256ths, so that every sum is exact. */
function densityGap(random: Random): number {
  const draw = () => {
    const cuts = [0, ...Array.from({ length: 15 }, () => random.integer(0, 256)).sort((s, t) => s - t), 256];
    return cuts.slice(1).map((v, j) => (v - cuts[j]!) / 256);
  };
  const [f, p] = [draw(), draw()];
  const square = (v: readonly number[]) => v.reduce((sum, t) => sum + t * t, 0);
  const risk = p.reduce((sum, v, j) => sum + v * (-2 * f[j]! + square(f)), 0);
  return risk - (square(f.map((v, j) => v - p[j]!)) - square(p));
}

const greatestSquare = (c: number): number =>
  greatest([-c, 0, c].flatMap((f) => [-c, 0, c].map((y) => lossFormulas.square.value(f, y))));

/** By the gradient pass on all examples: a second opinion on the minimizer. */
async function slopeAt(points: readonly LabelledPoint[], { w, b }: AffineFunction): Promise<Measurement> {
  const all = points.flatMap(({ x, y, count }) => Array.from({ length: count }, () => ({ x, y })));
  const risk = empiricalRisk(denseNetwork([{ W: [[w]], b: [b] }], "linear"), "logistic", {
    x: tensor(all.map(({ x }) => [x])),
    target: tensor(
      all.map(({ y }) => (y + 1) / 2),
      { type: "int64" },
    ),
  });
  const { gradient: slope } = await risk.at(risk.start);
  const size = Math.max(...points.map(({ x }) => Math.abs(x)), 1);
  // The minimizer is known to rounding: its slope is off by that times the curvature, at most size^2 / 4.
  const tolerance = 2 ** -44 * size ** 2 * (1 + Math.hypot(w, b));
  return checked(Math.hypot(...slope), 0, { tolerance });
}
