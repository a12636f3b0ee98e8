import { probabilityLeft } from "../../dynamics/noisy-descent.ts";
import { run } from "../../engine/run.ts";
import { float64, graph } from "../../graph/builder.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";
import { binomialTail } from "../../numbers/statistics.ts";
import { gradient } from "../../passes/gradient.ts";
import { atMost, checked, equals, type Measurement, sampled } from "../claim.ts";
import { lemma, type RunContext } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import type { DoubleWell } from "./double-well.ts";
import { twoMinimaFigure } from "./two-minima-figure.ts";

/** Below 1/44, the greatest curvature on [-2, 2]: there descent keeps the order of points, so that basins are intervals. */
const rate = 0.02;
const domain = [-4, 4] as const;
const delta = 0.01;

export default lemma({
  id: "C1a-10",
  covers: ["C1a-10"],
  kind: "experiment",
  title: "Descent with a wrong minimum next to the right one",
  source: "Book, chapter 1, Figure 1.3",
  statement: String.raw`r(\theta) = \theta^4 - 2\theta^2 + a\theta: \quad \text{gradient descent from } \theta_0 \text{ ends in the global minimum iff } \theta_0 < \text{barrier}; \quad D = r' + \tau\xi \text{ ends there with a probability in } (0, 1)`,
  parameters: {
    a: real({ min: 0.05, max: 1.2, default: 0.3, label: "tilt" }),
    start: real({ min: -2, max: 2, default: 1, label: "start" }),
    tau: real({ min: 2, max: 10, default: 6, label: "noise τ" }),
    K: integer({ min: 10, max: 300, default: 150, label: "steps of stochastic descent" }),
  },
  claims: {
    "stationary points": equals("3"),
    "minima among them, by the second derivative": equals("2"),
    "slope at the stationary points": equals("0"),
    "value at the left minimum less that at the right one": atMost(
      String.raw`-a (\theta_{\text{right}} - \theta_{\text{left}})`,
    ),
    "starts whose descent ends in the wrong basin": equals("0"),
    "distance of descent's ends to a minimum": equals("0"),
    "descent started on the barrier: distance moved in one step": equals("0"),
    "stochastic descent: frequency of success": equals(
      String.raw`\text{its probability, by quadrature}, \; \pm \, 2 \text{ to } 3 \text{ deviations}`,
    ).probable(),
    "starts from which stochastic descent surely succeeds or surely fails": equals("0"),
  },
  mutants: {
    "half the noise": ({ tau }) => ({ tau: tau / 2 }),
    "half the steps": ({ K }) => ({ K: Math.floor(K / 2) }),
    "the tilt counted twice": {
      "value at the left minimum less that at the right one": (_, { theory }) => 2 * theory,
    },
  },
  async run({ a, start, tau, K }, context) {
    const well = doubleWell(a);
    const starts = Array.from({ length: 80 }, (_, k) => -1.99 + k * 0.05).filter(
      (s) => Math.abs(s - well.barrier) > 1e-3,
    );
    const ends = await descend(well, starts, 4000, 0, context.random);
    await context.progress(0.4);
    const noisy = await noiseClaims(well, { start, tau, K }, context);
    await context.progress(0.7);
    return {
      graph: well.graph,
      ...(context.budget !== "cheap" && {
        figure: await figure(well, { tau, K, starts, ends }, context.random),
      }),
      claims: {
        ...stationaryClaims(a, well),
        "starts whose descent ends in the wrong basin": checked(
          starts.filter((s, k) => s < well.barrier !== ends[k]! < well.barrier).length,
          0,
        ),
        "distance of descent's ends to a minimum": checked(
          Math.max(...ends.map((t) => Math.min(Math.abs(t - well.left), Math.abs(t - well.right)))),
          0,
          { tolerance: remaining(well) + rounding },
        ),
        "descent started on the barrier: distance moved in one step": checked(
          Math.abs((await descend(well, [well.barrier], 1, 0, context.random))[0]! - well.barrier),
          0,
          { tolerance: rate * rounding },
        ),
        ...noisy,
      },
    };
  },
});

/** A root of the cubic is found to its last digits, and r' rounds in numbers up to 8. */
const rounding = 2 ** -46;

function stationaryClaims(a: number, well: DoubleWell): Record<string, Measurement> {
  const { left, barrier, right, slope, value } = well;
  const stationary = [left, barrier, right];
  const curvature = (t: number) => 12 * t ** 2 - 4;
  return {
    "stationary points": checked(new Set(stationary).size, 3),
    "minima among them, by the second derivative": checked(
      stationary.filter((t) => curvature(t) > 0).length,
      2,
    ),
    "slope at the stationary points": checked(Math.max(...stationary.map((t) => Math.abs(slope(t)))), 0, {
      tolerance: rounding,
    }),
    // Its derivative by a is left - right, and the minima come nearer to each other as a grows. Values are about 1.
    "value at the left minimum less that at the right one": checked(
      value(left) - value(right),
      -a * (right - left),
      { tolerance: 8 * Number.EPSILON },
    ),
  };
}

async function noiseClaims(
  well: DoubleWell,
  { start, tau, K }: { readonly start: number; readonly tau: number; readonly K: number },
  { random, scale }: RunContext,
): Promise<Record<string, Measurement>> {
  const runs = scale(2000);
  const finals = await descend(well, new Array<number>(runs).fill(start), K, tau, random.split("noise"));
  const frequency = finals.filter((t) => t < well.barrier).length / runs;
  const line = { slope: well.slope, rate, noise: tau, steps: K, domain };
  const probability = Math.min(1, probabilityLeft(line, well.barrier, [start])[0]!); // weights may sum to 1 + 1e-15
  const probabilities = probabilityLeft(line, well.barrier, [well.left, well.right]);
  return {
    "stochastic descent: frequency of success": sampled(frequency, probability, {
      delta,
      tolerance: likelyDistance(runs, probability),
    }),
    ...(tau >= 6 &&
      K >= 50 && {
        "starts from which stochastic descent surely succeeds or surely fails": checked(
          probabilities.filter((p) => !(p > 1e-6 && p < 1 - 1e-6)).length,
          0,
        ),
      }),
  };
}

/** The least distance that a frequency of n throws keeps from p with probability 1 - delta: exact binomial tails. */
function likelyDistance(n: number, p: number): number {
  // P(X > n p + n width) + P(X < n p - n width)
  const outside = (width: number): number =>
    binomialTail(n, p, Math.floor(n * (p + width)) + 1) +
    binomialTail(n, 1 - p, Math.floor(n * (1 - p + width)) + 1);
  let k = 0;
  while (outside(k / n) > delta) k++;
  return k / n;
}

/** r = theta^4 - 2 theta^2 + a theta; its stationary points are the three roots of 4 t^3 - 4 t + a, by the cosine formula. */
function doubleWell(a: number): DoubleWell {
  const objective = graph({ theta: float64("S") }, ({ theta }) => {
    const square = theta.mul(theta);
    return { r: square.mul(square).sub(square.mul(2)).add(theta.mul(a)) };
  });
  const slope = (t: number): number => 4 * t ** 3 - 4 * t + a;
  const angle = Math.acos((-3 * Math.sqrt(3) * a) / 8) / 3;
  const root = (k: number): number => {
    const first = (2 / Math.sqrt(3)) * Math.cos(angle - (2 * Math.PI * k) / 3);
    return first - slope(first) / (12 * first ** 2 - 4); // one step of Newton's for the last digits
  };
  const [left, barrier, right] = [root(0), root(1), root(2)].sort((s, t) => s - t);
  return {
    graph: objective,
    slopes: gradient(objective, { unitSeeds: true }),
    value: (t) => t ** 4 - 2 * t ** 2 + a * t,
    slope,
    left: left!,
    barrier: barrier!,
    right: right!,
  };
}

/** theta <- theta - eta (r'(theta) + tau xi), all starts at once, r' by the gradient pass on ONNX Runtime. */
async function descend(
  { slopes }: DoubleWell,
  starts: readonly number[],
  steps: number,
  tau: number,
  random: Random,
): Promise<readonly number[]> {
  let theta = Float64Array.from(starts);
  for (let k = 0; k < steps; k++) {
    const found = await run(slopes, { theta: tensor(theta) }, { threads: 1, outputs: ["grad_theta"] });
    const slope = numbers(found.grad_theta!);
    const noise = tau > 0 ? random.normal(theta.length) : undefined;
    const before = theta;
    theta = before.map((t, i) => t - rate * (slope[i]! + tau * (noise?.[i] ?? 0)));
    if (theta.every((t, i) => t === before[i])) break; // descent without noise has come to rest
  }
  return [...theta];
}

/**
 * How far from a minimum 4000 steps may still be. A start is 1e-3 or more from the barrier and leaves it by a factor
 * 1 + eta |r''(barrier)| a step while it is near; then it nears the minimum by a factor 1 - eta r''(minimum) a step.
 */
function remaining({ barrier, left, right }: DoubleWell): number {
  const curvature = (t: number) => Math.abs(12 * t ** 2 - 4);
  // Half of the curvatures, as they shrink on the way, and at most 4 to go.
  const leaving = Math.log(4000) / Math.log1p((rate * curvature(barrier)) / 2);
  const slowest = Math.min(curvature(left), curvature(right));
  return 4 * Math.exp(-(4000 - leaving) * rate * 0.5 * slowest);
}

async function figure(
  well: DoubleWell,
  shown: {
    readonly tau: number;
    readonly K: number;
    readonly starts: readonly number[];
    readonly ends: readonly number[];
  },
  random: Random,
) {
  const { tau, K, starts, ends } = shown;
  const noisy = await descend(well, starts, K, tau, random.split("figure"));
  const levels = [2, 3, 4, 5, 6, 7, 8, 9, 10];
  const success: [number, number][] = [];
  for (const level of levels) {
    const finals = await descend(
      well,
      new Array<number>(400).fill(well.right),
      K,
      level,
      random.split(`level ${level}`),
    );
    success.push([level, finals.filter((t) => t < well.barrier).length / finals.length]);
  }
  const finer = Array.from({ length: 17 }, (_, k) => 2 + k / 2);
  const probabilities = finer.map((noise) => {
    const line = { slope: well.slope, rate, noise, steps: K, domain };
    return [noise, probabilityLeft(line, well.barrier, [well.right])[0]!] as const;
  });
  return twoMinimaFigure(well, { ...shown, starts, ends, noisy, success, probabilities });
}
