import { gradientFlow } from "../../dynamics/gradient-flow.ts";
import {
  contraction,
  type LeastSquares,
  leastSquares,
  leastSquaresFlow,
  nearestSolution,
} from "../../dynamics/minimum-norm.ts";
import type { Figure, Panel } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { isSparse } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { dot } from "../../linear-algebra/dot.ts";
import type { TrainingData } from "../../train/advance.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { empiricalRisk } from "../../train/empirical-risk.ts";
import { type TrainOptions, train } from "../../train/train.ts";
import { atLeast, atMost, checked, equals, type Measurement } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

type Vector = readonly number[];
const flowTolerance = 1e-10;

export default lemma({
  id: "C1a-40",
  covers: ["C1a-40"],
  kind: "experiment",
  title: "Gradient descent finds the nearest solution",
  source: "Book, chapter 1, sect. 1.2.3; Soudry et al. 2018",
  statement: String.raw`\Theta^{(k)} \to \theta_0 + X^+(y - X\theta_0), \qquad \|\Theta^{(k)} - \Theta^{(\infty)}\| \le \max_i \bigl|1 - \tfrac{2\eta\lambda_i}{m}\bigr|^k \, \|\Theta^{(0)} - \Theta^{(\infty)}\|, \quad \lambda_i \in \operatorname{spec}(XX^T)`,
  parameters: {
    m: integer({ min: 1, max: 8, default: 5, label: "examples" }),
    more: integer({ min: 0, max: 12, default: 7, label: "weights beyond one for each example" }),
    start: real({ min: 0, max: 2, default: 0, label: "size of the start θ₀" }),
    step: real({ min: 0.05, max: 0.95, default: 0.5, label: "step size, in units of m/λ_max" }),
  },
  claims: {
    "distance to the limit": atMost(
      String.raw`\max_i |1 - 2\eta\lambda_i/m|^K \, \|\theta_0 - \theta_\infty\|`,
    ),
    "the part in ker X, moved by": equals("0"),
    "the part in ker X, moved by SGD": equals("0"),
    "distance to the limit, SGD against its start": atMost(String.raw`\|\theta_0 - \theta_\infty\|`),
    "residual of the limit": equals("0"),
    "norm of another solution": atLeast(String.raw`\|X^+ y\|`),
    "gradient flow against its closed form": equals("0"),
    "growth along the steepest direction, step 1.05 m/λ_max": equals("1.1^K"),
  },
  mutants: {
    "the 2 of the gradient forgotten": ({ step }) => ({ step: step / 2 }),
    "|1 - ηλ/m| beyond the greatest step": {
      "growth along the steepest direction, step 1.05 m/λ_max": () => 1.05 ** stepsBeyond,
    },
  },
  async run({ m, more, start, step }, { random, scale, budget, progress }) {
    const d = m + more;
    const X = Array.from({ length: m }, () => [...random.normal(d)]);
    const problem = leastSquares(X, [...random.normal(m)]);
    const theta0 = Array.from(random.normal(d), (v) => start * v);
    const rate = (step * m) / problem.spectrum.values.at(-1)!;
    const steps = scale(400);
    const descent = await descentClaims(problem, theta0, rate, steps);
    await progress(0.5);
    const beyond = await descended(problem, theta0, {
      rate: rate * (1.05 / step),
      steps: stepsBeyond,
      batch: "full",
    });
    const rounding = roundingOf(problem, [theta0, nearestSolution(problem, theta0)], steps);
    const another = nearestSolution(problem, [...random.split("another").normal(d)]);
    const zero = theta0.map(() => 0);
    return {
      graph: model(nearestSolution(problem, theta0)),
      ...(budget !== "cheap" && { figure: await figure(problem, theta0, rate) }),
      claims: {
        ...descent,
        "norm of another solution": checked(norm(another), norm(nearestSolution(problem, zero)), {
          tolerance: rounding + roundingOf(problem, [another], 0),
        }),
        "gradient flow against its closed form": await flowError(problem, theta0, rounding),
        "growth along the steepest direction, step 1.05 m/λ_max": growth(problem, theta0, beyond),
      },
    };
  },
});

/** Gradient descent with all examples, and with one at a time. */
async function descentClaims(
  problem: LeastSquares,
  theta0: Vector,
  rate: number,
  steps: number,
): Promise<Record<string, Measurement>> {
  const limit = nearestSolution(problem, theta0);
  const walked = await descended(problem, theta0, { rate, steps, batch: "full" });
  const stochastic = await descended(problem, theta0, {
    rate: 1 / (2 * Math.max(...problem.X.map(squaredNorm))), // each step is then no farther from any solution
    steps,
    batch: 1,
  });
  const far = distance(theta0, limit);
  const tolerance = roundingOf(problem, [theta0, limit], steps);
  const bound = contraction(problem, rate, steps) * far;
  return {
    "distance to the limit": checked(distance(walked, limit), bound, { tolerance }),
    "the part in ker X, moved by": checked(kernelPart(problem, walked, theta0), 0, { tolerance }),
    "the part in ker X, moved by SGD": checked(kernelPart(problem, stochastic, theta0), 0, { tolerance }),
    "distance to the limit, SGD against its start": checked(distance(stochastic, limit), far, { tolerance }),
    "residual of the limit": checked(norm(residual(problem, limit)), 0, {
      tolerance: tolerance * Math.sqrt(problem.spectrum.values.at(-1)!),
    }),
  };
}

const squaredNorm = (v: Vector): number => dot(v, v);
const norm = (v: Vector): number => Math.sqrt(squaredNorm(v));
const minus = (a: Vector, b: Vector): number[] => a.map((v, k) => v - b[k]!);
const distance = (a: Vector, b: Vector): number => norm(minus(a, b));
const residual = ({ X, y }: LeastSquares, theta: Vector): number[] =>
  X.map((row, i) => dot(row, theta) - y[i]!);

const model = (theta: Vector): Graph => denseNetwork([{ W: [theta] }], "linear");
const dataOf = ({ X, y }: LeastSquares): TrainingData => ({
  x: tensor(X),
  target: tensor([...y], { dims: [y.length, 1] }),
});

async function descended(
  problem: LeastSquares,
  theta0: Vector,
  options: Pick<TrainOptions, "rate" | "steps" | "batch">,
): Promise<number[]> {
  const trained = await train(model(theta0), dataOf(problem), { loss: "square", threads: 1, ...options });
  const weight = trained.model.initializers.get("W1")!;
  return isSparse(weight) ? [] : Array.from(numbers(weight));
}

/** The norm of the part of `a - b` that X does not see: X^+ X (a - b) is the least step with the same effect on X. */
function kernelPart(problem: LeastSquares, a: Vector, b: Vector): number {
  const change = minus(a, b);
  const seen = nearestSolution(
    { ...problem, y: problem.X.map((row) => dot(row, change)) },
    change.map(() => 0),
  );
  return distance(change, seen);
}

/**
 * What rounding does: a step rounds sums of m and of d products, and no step expands errors; the solution by the
 * spectrum of X X^T has the relative error 2^-52 times its condition number, a few times over.
 */
function roundingOf({ X, y, spectrum }: LeastSquares, thetas: readonly Vector[], steps: number): number {
  const [m, d] = [y.length, X[0]!.length];
  const size = Math.max(...thetas.map(norm)) + norm(y) / Math.sqrt(spectrum.values.at(-1)!);
  const condition = spectrum.values.at(-1)! / spectrum.values[0]!;
  return 2 ** -52 * size * (steps * 4 * (m + d) + 16 * m * condition);
}

/** Both flows contract, so that errors of single steps add up at most. */
async function flowError(problem: LeastSquares, theta0: Vector, rounding: number) {
  const until = problem.y.length / problem.spectrum.values.at(-1)!;
  const risk = empiricalRisk(model(theta0), "square", dataOf(problem));
  const path = await gradientFlow(risk, { until, tolerance: flowTolerance });
  const end = [...path.at(-1)!.theta];
  return checked(distance(end, leastSquaresFlow(problem, theta0, until)), 0, {
    tolerance: path.length * flowTolerance + rounding,
  });
}

/** Steps beyond the greatest step size, and by how much the steepest component grows in each. */
const [stepsBeyond, growthRate] = [20, 1.1];

function growth(problem: LeastSquares, theta0: Vector, theta: Vector) {
  const steepest = problem.spectrum.vectors.at(-1)!;
  const [before, after] = [theta0, theta].map((t) => dot(residual(problem, t), steepest));
  const grown = growthRate ** stepsBeyond;
  const tolerance = (grown * growthRounding(problem, theta0, theta, Math.abs(before!))) / Math.abs(before!);
  return checked(Math.abs(after! / before!), grown, { tolerance });
}

/**
 * Rounding of the steepest component of the residual, before it grows, with u = 2^-53, r = X theta_0 - y:
 * - a step errs by u (d + 2) (|X|_F |theta| + |y|) in the residual, u (m + 2) |X|_F |r| in the gradient, and 2 eta / m is
 *   2.1 / lambda_max; other components only shrink, so none is ever above those of the ends by more than 3 |r|;
 * - X X^T errs by u d |X|_F^2 <= u m d lambda_max, its spectrum by 8 u m lambda_max more: each step is wrong by that much
 *   relatively, and the direction by that much over the gap, which lets other components in.
 */
function growthRounding({ X, y, spectrum }: LeastSquares, theta0: Vector, theta: Vector, before: number) {
  const [m, d] = [y.length, X[0]!.length];
  const [top, second] = [spectrum.values.at(-1)!, spectrum.values.at(-2)];
  const first = norm(residual({ X, y, spectrum }, theta0));
  const frobenius = Math.sqrt(X.reduce((sum, row) => sum + squaredNorm(row), 0));
  const size = frobenius * (norm(theta0) + norm(theta)) + 3 * Math.sqrt(m) * first + norm(y);
  const ofSpectrum = m * (d + 8);
  const turned = second === undefined ? 0 : (2 * ofSpectrum * first * top) / (top - second);
  return 2 ** -53 * (stepsBeyond * (2.1 * (m + d + 5) * size + 2 * ofSpectrum * before) + turned);
}

async function figure(problem: LeastSquares, theta0: Vector, rate: number): Promise<Figure> {
  const counts = [0, 1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300];
  const limit = nearestSolution(problem, theta0);
  const far = distance(theta0, limit);
  const points: [number, number][] = [];
  for (const steps of counts.slice(1))
    points.push([steps, distance(await descended(problem, theta0, { rate, steps, batch: "full" }), limit)]);
  const decay: Panel = {
    title: `${problem.y.length} examples, ${theta0.length} weights`,
    x: { label: "steps" },
    y: { label: "distance to the limit", scale: "log" },
    series: [
      {
        name: "at most max |1 - 2ηλ/m|^k times the first",
        mark: "line",
        role: "theory",
        points: counts.map((k) => [k, Math.max(1e-16, contraction(problem, rate, k) * far)]),
      },
      { name: "gradient descent", mark: "dots", points: points.map(([k, v]) => [k, Math.max(v, 1e-16)]) },
    ],
  };
  return { title: "Of all solutions, descent finds the nearest to its start", panels: [plane(), decay] };
}

/** One example, two weights: every start goes straight to the line of solutions. */
function plane(): Panel {
  const problem = leastSquares([[1, 2]], [2]);
  const starts = [
    [0, 0],
    [-1, -0.5],
    [2.4, 1.6],
    [0.5, 2],
    [2, -1],
  ];
  const path = (start: Vector): [number, number][] =>
    Array.from({ length: 25 }, (_, k) => {
      const [a, b] = leastSquaresFlow(problem, start, k / 40);
      return [a!, b!];
    });
  return {
    title: "One example, two weights",
    x: { label: "first weight" },
    y: { label: "second weight" },
    series: [
      {
        name: "solutions of θ₁ + 2θ₂ = 2",
        mark: "line",
        role: "theory",
        points: [
          [-1.4, 1.7],
          [3, -0.5],
        ],
      },
      { name: "from 0: to the solution of least norm", mark: "dots", points: path(starts[0]!) },
      { name: "from elsewhere", mark: "dots", points: starts.slice(1).flatMap(path) },
      {
        name: "limits",
        mark: "dots",
        points: starts.map((s) => nearestSolution(problem, s) as [number, number]),
      },
    ],
  };
}
