import type { Random } from "../../engine/random.ts";
import {
  averageIterate,
  type ConvexObjective,
  type NoisyDescent,
  type NoisyPath,
  noisyPaths,
} from "../../train/two-point-noise.ts";
import { atMost, checked, type Measurement } from "../claim.ts";
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
    objective: choice(["bowl", "softplus", "linear"], { label: "objective" }),
    K: integer({ min: 1, max: 10, default: 9, label: "steps" }),
    noise: real({ min: 0, max: 1, default: 0.5, label: "noise, as a share of ρ" }),
    B: real({ min: 0.25, max: 4, default: 1, label: "radius B" }),
    rho: real({ min: 0.25, max: 4, default: 1, label: "bound ρ on the directions" }),
    A: integer({ min: 1, max: 100000, default: 1000, label: "curvature A of the counterexample" }),
  },
  claims: {
    "excess of the average of Θ⁰ to Θᴷ⁻¹, expected": atMost(String.raw`B\rho / \sqrt{K}`),
    "excess of the average of Θ¹ to Θᴷ, expected, r Lipschitz": atMost(String.raw`2B\rho / \sqrt{K}`),
    "regret of any path over its bound": atMost(
      String.raw`0, \quad \textstyle\sum_k \langle \Theta^{(k-1)} - \theta^*, D^{(k)} \rangle \le \tfrac{\|\theta^*\|^2}{2\eta} + \tfrac{\eta}{2} \sum_k \|D^{(k)}\|^2`,
    ),
    "projected on the ball: excess, expected": atMost(String.raw`B\rho / \sqrt{K}`),
    "λ-strongly convex, η = 1/(λk), projected: excess, expected": atMost(
      String.raw`\rho^2 (1 + \ln K) / (2 \lambda K)`,
    ),
    "r = Aθ², noise in the last step only: excess of the average of Θ¹ to Θᴷ": atMost(
      String.raw`1 / \sqrt{K}`,
    ).printed({
      where: "Theorem 1.15, the average",
      printed: String.raw`\bar\Theta = \frac{1}{K} \sum_{k=1}^{K} \Theta^{(k)}`,
      corrected: String.raw`\bar\Theta = \frac{1}{K} \sum_{k=0}^{K-1} \Theta^{(k)}; \text{ with the printed average, } 2/\sqrt{K} \text{ if } r \text{ is 1-Lipschitz too}`,
    }),
    "r = -θ: greatest norm of an iterate where D is drawn": atMost(
      String.raw`1: \; r \text{ is given on } B_1(0)`,
    ).printed({
      where: "Theorem 1.15, the domain",
      printed: String.raw`r: \mathbb{R}^p \supset B_1(0) \to \mathbb{R} \text{ differentiable and convex}`,
      corrected: String.raw`r: \mathbb{R}^p \to \mathbb{R} \text{ differentiable and convex, or iterates projected on } B_1(0)`,
    }),
  },
  async run({ objective, K, noise, B, rho, A }, { random, progress }) {
    const target = drawObjective(objective, (1 - noise) * rho, B, random);
    const wind = Array.from({ length: K }, () => random.sphere(2));
    const descent: NoisyDescent = {
      objective: target.r,
      dimension: 2,
      steps: K,
      rate: () => B / (rho * Math.sqrt(K)),
      noise: (k) => [...wind[k - 1]!].map((v) => v * noise * rho),
    };
    const free = statistics(descent, target.minimizer);
    await progress(0.4);
    const kept = statistics({ ...descent, radius: B }, target.minimizer);
    const bound = (B * rho) / Math.sqrt(K);
    // Sums of K products of numbers up to B sqrt(K) and rho, over 2^K paths: a mean of them rounds no more than one.
    const rounding = 2 ** -44 * K * (1 + B * rho);
    const claims: Record<string, Measurement> = {
      "excess of the average of Θ⁰ to Θᴷ⁻¹, expected": checked(free.early, bound, { tolerance: rounding }),
      "excess of the average of Θ¹ to Θᴷ, expected, r Lipschitz": checked(free.late, 2 * bound, {
        tolerance: rounding,
      }),
      "regret of any path over its bound": checked(free.regret, 0, { tolerance: rounding * Math.sqrt(K) }),
      "projected on the ball: excess, expected": checked(kept.early, bound, { tolerance: rounding }),
      "λ-strongly convex, η = 1/(λk), projected: excess, expected": stronglyConvex(
        descent,
        target.minimizer,
        {
          B,
          noise: noise * rho,
        },
      ),
      ...counterexamples(K, A),
    };
    return { claims };
  },
});

const dot = (a: Vector, b: Vector): number => a.reduce((sum, v, k) => sum + v * b[k]!, 0);

interface Objective {
  readonly r: ConvexObjective;
  /** The least point of the ball of radius B. */
  readonly minimizer: Vector;
}

/** Convex functions on the plane with slopes up to s, whose minimizer on the ball of radius B is known. */
function drawObjective(
  name: "bowl" | "softplus" | "linear",
  s: number,
  B: number,
  random: Random,
): Objective {
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

/** Exact expectations over all 2^K paths. */
function statistics(descent: NoisyDescent, minimizer: Vector) {
  const { objective, steps: K } = descent;
  const least = objective.value(minimizer);
  let [early, late, regret] = [0, 0, Number.NEGATIVE_INFINITY];
  for (const path of noisyPaths(descent)) {
    early += (objective.value(averageIterate(path, 0, K - 1)) - least) / 2 ** K;
    late += (objective.value(averageIterate(path, 1, K)) - least) / 2 ** K;
    regret = Math.max(regret, overBound(path, minimizer, descent.rate(1)));
  }
  return { early, late, regret };
}

function overBound({ iterates, directions }: NoisyPath, minimizer: Vector, eta: number): number {
  const regret = directions.reduce(
    (sum, D, k) =>
      sum +
      dot(
        iterates[k]!.map((v, j) => v - minimizer[j]!),
        D,
      ),
    0,
  );
  const squares = directions.reduce((sum, D) => sum + dot(D, D), 0);
  return regret - dot(minimizer, minimizer) / (2 * eta) - (eta / 2) * squares;
}

/** r = (lambda / 2) |theta - c|^2 on the ball: slopes up to 2 lambda B, so |D| <= 2 lambda B + noise. */
function stronglyConvex(
  descent: NoisyDescent,
  c: Vector,
  { B, noise }: { readonly B: number; readonly noise: number },
): Measurement {
  const lambda = 0.5;
  const K = descent.steps;
  const objective: ConvexObjective = {
    value: (theta) => (lambda / 2) * theta.reduce((sum, v, k) => sum + (v - c[k]!) ** 2, 0),
    slope: (theta) => theta.map((v, k) => lambda * (v - c[k]!)),
  };
  const { early } = statistics({ ...descent, objective, rate: (k) => 1 / (lambda * k), radius: B }, c);
  const rho = 2 * lambda * B + noise;
  return checked(early, (rho ** 2 * (1 + Math.log(K))) / (2 * lambda * K), {
    tolerance: 2 ** -44 * K * (1 + B ** 2),
  });
}

/** Theorem 1.15 as printed, p = 1: all |D| <= 1, E[D | Theta] = r'(Theta), and all iterates of the first in the ball. */
function counterexamples(K: number, A: number): Record<string, Measurement> {
  const base = { dimension: 1, steps: K, rate: () => 1 / Math.sqrt(K) };
  const steep: ConvexObjective = {
    value: ([t]) => A * t! ** 2,
    slope: ([t]) => [2 * A * t!],
  };
  const { late } = statistics({ ...base, objective: steep, noise: (k) => [k === K ? 1 : 0] }, [0]);
  const slide: ConvexObjective = { value: ([t]) => -t!, slope: () => [-1] };
  const [path] = noisyPaths({ ...base, objective: slide, noise: () => [0] });
  const farthest = Math.max(...path!.iterates.slice(0, -1).map(([t]) => Math.abs(t!)));
  return {
    "r = Aθ², noise in the last step only: excess of the average of Θ¹ to Θᴷ": checked(
      late,
      1 / Math.sqrt(K),
    ),
    "r = -θ: greatest norm of an iterate where D is drawn": checked(farthest, 1),
  };
}
