import {
  averageIterate,
  type ConvexObjective,
  type NoisyDescent,
  type NoisyPath,
  noisyPaths,
} from "../../dynamics/two-point-noise.ts";
import { dot } from "../../linear-algebra/dot.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals, type Measurement } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

type Vector = readonly number[];

export default lemma({
  id: "C1a-09",
  covers: ["C1a-09"],
  kind: "bound",
  title: "Stochastic gradient descent on convex functions",
  source: "Book, chapter 1, Theorem 1.15; Shalev-Shwartz and Ben-David 2014, chapter 14",
  statement: String.raw`r: \mathbb{R}^p \to \mathbb{R} \text{ convex}, \; \|D^{(k)}\| \le \rho, \; \eta = \tfrac{B}{\rho \sqrt{K}}: \qquad \mathbb{E}\, r\Bigl( \frac{1}{K} \sum_{k=0}^{K-1} \Theta^{(k)} \Bigr) - \min_{\|\theta\| \le B} r \le \frac{B \rho}{\sqrt{K}}`,
  parameters: {
    objective: choice(["bowl", "softplus", "linear", "last coordinate", "parabola"], { label: "objective" }),
    K: integer({ min: 1, max: 10, default: 9, label: "steps" }),
    noise: real({ min: 0, max: 1, default: 0.5, label: "noise, as a share of ρ" }),
    B: real({ min: 1, max: 4, default: 1, label: "radius B" }),
    rho: real({ min: 1, max: 4, default: 1, label: "bound ρ on the directions" }),
    A: integer({ min: 1, max: 100000, default: 1000, label: "curvature A of the parabola" }),
  },
  claims: {
    "excess of the average of Θ⁰ to Θᴷ⁻¹, expected": atMost(String.raw`B\rho / \sqrt{K}`),
    "excess of the average of Θ¹ to Θᴷ, expected, r Lipschitz": atMost(
      String.raw`\tfrac{B\rho}{\sqrt{K}} \bigl(1 + \tfrac{1}{\sqrt{K}} + \tfrac{1}{2K}\bigr)`,
    ).looseBy(1.25),
    "regret of a path": equals(
      String.raw`\textstyle\sum_k \langle \Theta^{(k-1)} - \theta^*, D^{(k)} \rangle = \tfrac{1}{2\eta} (\|\theta^*\|^2 - \|\Theta^{(K)} - \theta^*\|^2) + \tfrac{\eta}{2} \sum_k \|D^{(k)}\|^2`,
    ),
    "projected on the ball: excess, expected": atMost(String.raw`B\rho / \sqrt{K}`),
    "λ-strongly convex, η = 1/(λk), projected: excess, expected": atMost(
      String.raw`\rho^2 (1 + \ln K) / (2 \lambda K), \quad \mathbb{E} \|D^{(k)}\|^2 \le \rho^2`,
    ),
    "parabola, noise in the last step only: excess of the average of Θ¹ to Θᴷ": atMost(
      String.raw`B\rho / \sqrt{K}`,
    ).printed({
      where: "Theorem 1.15 (B = ρ = 1), the average",
      printed: String.raw`$\mathbb{E}[r(\bar{\Theta})] - r(\theta^*) \leq \frac{1}{\sqrt{K}}$, where $\bar{\Theta} := \frac{1}{K} \sum_{k=1}^K \Theta^{(k)}$`,
      corrected: String.raw`$\bar\Theta = \frac{1}{K} \sum_{k=0}^{K-1} \Theta^{(k)}$ (for $r = A \theta^2$, $D^{(1)} = \dots = D^{(K-1)} = 0$, $D^{(K)} = \pm \tau$, $\tau$ the noise, the printed average has the excess $A \tau^2 K^{-3}$); with the printed average $\frac{1}{\sqrt K} (1 + \frac{1}{\sqrt K} + \frac{1}{2K})$, if $r$ is 1-Lipschitz on $\mathbb{R}^p$ too`,
    }),
  },
  mutants: {
    "K for its root": {
      "excess of the average of Θ⁰ to Θᴷ⁻¹, expected": ({ K, B, rho }) => (B * rho) / K,
      "projected on the ball: excess, expected": ({ K, B, rho }) => (B * rho) / K,
    },
    "the radius forgotten": {
      "excess of the average of Θ⁰ to Θᴷ⁻¹, expected": ({ K, rho }) => rho / Math.sqrt(K),
    },
    "4λ for 2λ": {
      "λ-strongly convex, η = 1/(λk), projected: excess, expected": (_, { theory }) => theory / 2,
    },
  },
  async run({ objective, K, noise, B, rho, A }, { random, progress }) {
    const target = drawObjective({ objective, K, noise, B, rho, A }, random);
    const wind = Array.from({ length: K }, () => random.sphere(target.minimizer.length));
    const descent: NoisyDescent = {
      objective: target.r,
      dimension: target.minimizer.length,
      steps: K,
      rate: () => B / (rho * Math.sqrt(K)),
      noise: (k) => [...wind[k - 1]!].map((v) => (objective === "parabola" && k < K ? 0 : v * noise * rho)),
    };
    const free = statistics(descent, target.minimizer);
    await progress(0.4);
    const kept = statistics({ ...descent, radius: B }, target.minimizer);
    const bound = (B * rho) / Math.sqrt(K);
    // Sums of K products of numbers up to B sqrt(K) and rho, over 2^K paths: a mean of them rounds no more than one.
    const tolerance = 2 ** -44 * K * (1 + B * rho);
    return {
      claims: {
        "excess of the average of Θ⁰ to Θᴷ⁻¹, expected": checked(free.early, bound, { tolerance }),
        ...(objective === "parabola"
          ? {
              "parabola, noise in the last step only: excess of the average of Θ¹ to Θᴷ": checked(
                free.late,
                bound,
              ),
            }
          : {
              "excess of the average of Θ¹ to Θᴷ, expected, r Lipschitz": checked(
                free.late,
                bound * (1 + 1 / Math.sqrt(K) + 1 / (2 * K)),
                { tolerance },
              ),
            }),
        "regret of a path": checked(free.regret.measured, free.regret.formula, {
          tolerance: 8 * tolerance * Math.sqrt(K),
        }),
        "projected on the ball: excess, expected": checked(kept.early, bound, { tolerance }),
        "λ-strongly convex, η = 1/(λk), projected: excess, expected": stronglyConvex(
          { ...descent, noise: (k) => [...wind[k - 1]!].map((v) => v * noise * rho) },
          target.minimizer,
          B,
        ),
      },
    };
  },
});

interface Objective {
  readonly r: ConvexObjective;
  /** The least point of the ball of radius B. */
  readonly minimizer: Vector;
}

interface Drawn {
  readonly objective: "bowl" | "softplus" | "linear" | "last coordinate" | "parabola";
  readonly K: number;
  readonly noise: number;
  readonly B: number;
  readonly rho: number;
  readonly A: number;
}

/** Convex functions with slopes up to s = (1 - noise) rho, whose minimizer on the ball of radius B is known. */
function drawObjective({ objective: name, K, noise, B, rho, A }: Drawn, random: Random): Objective {
  if (name === "parabola") return parabola((A * rho) / B);
  const s = (1 - noise) * rho;
  if (name === "last coordinate") return lastCoordinate(K, s, B);
  const [u] = [[...random.sphere(2)]];
  if (name === "bowl") {
    const c = u!.map((v) => v * B * random.uniform());
    const width = 0.1;
    const size = (theta: Vector) => Math.hypot(width, ...theta.map((v, k) => v - c[k]!));
    const slope = (theta: Vector) => theta.map((v, k) => (s * (v - c[k]!)) / size(theta));
    return { r: { value: (theta) => s * size(theta), slope }, minimizer: c };
  }
  const minimizer = u!.map((v) => v * B);
  if (name === "linear") {
    const slope = u!.map((v) => -s * v);
    return { r: { value: (theta) => dot(slope, theta), slope: () => slope }, minimizer };
  }
  // s ln(1 + e^{1 - <u, theta>})
  const share = (theta: Vector) => 1 / (1 + Math.exp(dot(u!, theta) - 1));
  const value = (theta: Vector) => s * Math.log1p(Math.exp(1 - dot(u!, theta)));
  return { r: { value, slope: (theta) => u!.map((v) => -s * share(theta) * v) }, minimizer };
}

/** r = c theta^2: its slope at 0, where noise is awaited, is 0, whatever c. */
const parabola = (c: number): Objective => ({
  r: { value: ([t]) => c * t! ** 2, slope: ([t]) => [2 * c * t!] },
  minimizer: [0],
});

/**
 * s max_i (-theta_i), smoothed: descent raises one coordinate a step, and the last one is still 0 on average, which
 * is all that the bound allows. Ties go to the first: its coordinates are worth a little more.
 */
function lastCoordinate(K: number, s: number, B: number): Objective {
  const tie = (1e-7 * B) / K;
  const shares = (theta: Vector) => {
    const heights = theta.map((v, i) => (K - i) * tie - v);
    const top = Math.max(...heights);
    const weights = heights.map((h) => Math.exp((40 * (h - top)) / tie));
    return { top, weights, sum: weights.reduce((a, b) => a + b) };
  };
  const value = (theta: Vector) => {
    const { top, sum } = shares(theta);
    return s * (top + (tie / 40) * Math.log(sum));
  };
  const slope = (theta: Vector) => {
    const { weights, sum } = shares(theta);
    return weights.map((w) => (-s * w) / sum);
  };
  return { r: { value, slope }, minimizer: new Array<number>(K).fill(B / Math.sqrt(K)) };
}

/** Exact expectations over all 2^K paths, and the regret of the first of them. */
function statistics(descent: NoisyDescent, minimizer: Vector) {
  const { objective, steps: K } = descent;
  const least = objective.value(minimizer);
  let [early, late] = [0, 0];
  const squares = new Array<number>(K).fill(0);
  let first: NoisyPath | undefined;
  for (const path of noisyPaths(descent)) {
    first ??= path;
    early += (objective.value(averageIterate(path, 0, K - 1)) - least) / 2 ** K;
    late += (objective.value(averageIterate(path, 1, K)) - least) / 2 ** K;
    path.directions.forEach((D, k) => {
      squares[k]! += dot(D, D) / 2 ** K;
    });
  }
  return {
    early,
    late,
    regret: regret(first!, minimizer, descent.rate(1)),
    greatestSquare: Math.max(...squares),
  };
}

const minus = (a: Vector, b: Vector): Vector => a.map((v, k) => v - b[k]!);

function regret({ iterates, directions }: NoisyPath, minimizer: Vector, eta: number) {
  const left = minus(iterates.at(-1)!, minimizer);
  const squares = directions.reduce((sum, D) => sum + dot(D, D), 0);
  return {
    measured: directions.reduce((sum, D, k) => sum + dot(minus(iterates[k]!, minimizer), D), 0),
    formula: (dot(minimizer, minimizer) - dot(left, left)) / (2 * eta) + (eta / 2) * squares,
  };
}

/** r = (lambda / 2) |theta - c|^2 on the ball. */
function stronglyConvex(descent: NoisyDescent, c: Vector, B: number): Measurement {
  const lambda = 0.5;
  const K = descent.steps;
  const objective: ConvexObjective = {
    value: (theta) => (lambda / 2) * theta.reduce((sum, v, k) => sum + (v - c[k]!) ** 2, 0),
    slope: (theta) => theta.map((v, k) => lambda * (v - c[k]!)),
  };
  const { early, greatestSquare } = statistics(
    { ...descent, objective, rate: (k) => 1 / (lambda * k), radius: B },
    c,
  );
  return checked(early, (greatestSquare * (1 + Math.log(K))) / (2 * lambda * K), {
    tolerance: 2 ** -44 * K * (1 + B ** 2),
  });
}
