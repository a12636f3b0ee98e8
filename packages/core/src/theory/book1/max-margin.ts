import type { Random } from "../../engine/random.ts";
import { tensor } from "../../graph/tensor.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { empiricalRisk } from "../../train/empirical-risk.ts";
import { type HardMargin, hardMargin } from "../../train/hard-margin.ts";
import {
  exponentialFlow,
  marginFlow,
  marginFlowWithClock,
  marginOf,
  smoothedMargin,
  smoothedMarginSlope,
} from "../../train/max-margin.ts";
import type { FlowState } from "../../train/runge-kutta.ts";
import { atLeast, atMost, checked, equals, type Measurement } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { marginFigure } from "./max-margin-figure.ts";

type Vector = ArrayLike<number>;
type Points = readonly (readonly number[])[];
const flowTolerance = 1e-10;

export default lemma({
  id: "C1a-41",
  covers: ["C1a-41"],
  kind: "algorithm",
  title: "Gradient flow maximizes the margin",
  source: "Book, chapter 1, (1.26); Lyu and Li 2019; Ji and Telgarsky 2019",
  statement: String.raw`\dot\theta = \nabla r_1(\theta), \; \theta(0) = 0: \qquad \gamma^* - \frac{\ln m}{\|\theta\|} \le \gamma\Bigl(\frac{\theta}{\|\theta\|}\Bigr) \le \gamma^*, \quad r_\beta(\theta) = -\tfrac{1}{\beta} \ln \tfrac{1}{m} \textstyle\sum_i e^{-\beta y_i \langle \theta, x_i \rangle}`,
  parameters: {
    m: integer({ min: 2, max: 12, default: 8, label: "examples" }),
    d: integer({ min: 2, max: 5, default: 2, label: "dimension" }),
    gap: real({ min: 0.1, max: 1, default: 0.4, label: "least margin of the data" }),
    T: real({ min: 5, max: 400, default: 100, label: "time" }),
  },
  claims: {
    "support vector machine: hull's distance from 0 less its margin": equals("0"),
    "margin of the direction": atMost(String.raw`\gamma^*`),
    "margin of the direction, from below": atLeast(String.raw`\gamma^* - \ln(m) / \|\theta\|`),
    "1 - cos of the angle to the support vector machine": atMost(String.raw`\ln(m) / (\gamma^* \|\theta\|)`),
    "norm of θ": atLeast(String.raw`\gamma^* t`),
    "smoothed margin below the margin, at most": atMost("0"),
    "smoothed margin above the margin, at most": atMost(String.raw`\ln m`),
    "greatest fall of the smoothed margin in a step": atMost("0"),
    "gradient of the risk by the gradient pass, error": atMost(
      String.raw`(m + 2d + 4) \, 2^{-52} \, \max \|x_i\| \, r`,
    ),
    "velocity of the direction against (1/β) P ∇r_β": equals("0"),
    "end of plain gradient flow, on its own clock": equals(String.raw`\text{the same point}`),
    "|∇r| along θ = (n, 1), x₁ = e₁, x₂ = e₂, n = 10⁴": equals(
      String.raw`0, \text{ as } \|\theta\| \to \infty \text{ and } \gamma(\theta) = 1 > 0`,
    ).printed({
      where: "sect. 1.2.3, before (1.26)",
      printed: String.raw`\ell'(y^{(i)} \langle \theta, x^{(i)} \rangle) \to 0 \text{ for every } i \text{ is equivalent to } \|\theta\|_2 \to \infty \text{ and } \gamma(\theta) > 0`,
      corrected: String.raw`\ell'(y^{(i)} \langle \theta, x^{(i)} \rangle) \to 0 \text{ for every } i \text{ is equivalent to } \gamma(\theta) \to \infty`,
    }),
  },
  async run({ m, d, gap, T }, { random, budget, progress }) {
    const points = separablePoints(random, m, d, gap);
    const best = hardMargin(points);
    const path = await marginFlow(points, { until: T, tolerance: flowTolerance });
    await progress(0.4);
    const { state: theta } = path.at(-1)!;
    const longest = Math.max(...points.map(norm));
    const claims: Record<string, Measurement> = {
      ...endOfFlow(points, best, path, longest),
      ...alongFlow(points, path, longest),
      "gradient of the risk by the gradient pass, error": await passError(points, theta, random),
      "velocity of the direction against (1/β) P ∇r_β": velocity(points, path[path.length >> 1]!.state),
      "end of plain gradient flow, on its own clock": await plainFlow(points, Math.min(T, 4), longest),
      "|∇r| along θ = (n, 1), x₁ = e₁, x₂ = e₂, n = 10⁴": checked(riskSlope(1e4), 0),
    };
    const figure = budget === "cheap" ? undefined : await drawn(points, best, path, random, { m, gap, T });
    return { graph: denseNetwork([{ W: [[...theta]] }], "linear"), figure, claims };
  },
});

/** Where the flow has got to, against the support vector machine. */
function endOfFlow(
  points: Points,
  best: HardMargin,
  path: readonly FlowState[],
  longest: number,
): Record<string, Measurement> {
  const { t, state: theta } = path.at(-1)!;
  const size = norm(theta);
  const margin = marginOf(points, theta) / size;
  const slack = Math.log(points.length) / size;
  // Wolfe's method ends within 1e-14 max |z|^2 of the least squared norm; a step of the flow errs by its tolerance.
  const exact = (4e-14 * longest ** 2) / best.margin;
  const drift = (path.length * flowTolerance * 2 * longest) / size + exact;
  return {
    "support vector machine: hull's distance from 0 less its margin": checked(
      best.margin - marginOf(points, best.direction),
      0,
      { tolerance: exact },
    ),
    "margin of the direction": checked(margin, best.margin, { tolerance: exact }),
    "margin of the direction, from below": checked(margin, best.margin - slack, { tolerance: drift }),
    "1 - cos of the angle to the support vector machine": checked(
      1 - dot(theta, best.direction) / size,
      slack / best.margin,
      { tolerance: drift / best.margin + exact },
    ),
    "norm of θ": checked(size, best.margin * t, { tolerance: path.length * flowTolerance + exact * t }),
  };
}

/** At every step: the smoothed margin and the margin. */
function alongFlow(points: Points, path: readonly FlowState[], longest: number): Record<string, Measurement> {
  const margins = path.map(({ state }) => marginOf(points, state));
  const smoothed = path.map(({ state }) => smoothedMargin(points, state, 1));
  const rounding = 2 ** -48 * longest * norm(path.at(-1)!.state);
  return {
    "smoothed margin below the margin, at most": checked(greatest(margins, smoothed), 0, {
      tolerance: rounding,
    }),
    "smoothed margin above the margin, at most": checked(
      greatest(smoothed, margins),
      Math.log(points.length),
      { tolerance: rounding },
    ),
    "greatest fall of the smoothed margin in a step": checked(
      greatest(smoothed.slice(0, -1), smoothed.slice(1)),
      0,
      { tolerance: flowTolerance * longest + rounding },
    ),
  };
}

const dot = (a: Vector, b: Vector): number => {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!;
  return sum;
};
const norm = (v: Vector): number => Math.sqrt(dot(v, v));
const greatest = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((most, v, k) => Math.max(most, v - b[k]!), Number.NEGATIVE_INFINITY);

/**
 * Points z_i = y_i x_i that some unit vector has at distance at least `gap` on its side. Every third one lies far out to
 * one side: it pulls the mean, where the flow starts, and not the margin, where it ends.
 */
function separablePoints(random: Random, m: number, d: number, gap: number): Points {
  const side = random.sphere(d);
  const away = random.sphere(d);
  return Array.from({ length: m }, (_, i) => {
    const z = random.normal(d);
    if (i % 3 === 2) for (let k = 0; k < d; k++) z[k]! += 3 * away[k]! + 2 * side[k]!;
    const height = dot(z, side);
    return Array.from(z, (v, k) => v + (gap + Math.abs(height) - height) * side[k]!);
  });
}

/** grad r = -r grad r_1, against the exponential loss of a linear network: two orders of adding the same m terms. */
async function passError(points: Points, theta: Float64Array, random: Random): Promise<Measurement> {
  const signs = points.map(() => (random.uniform() < 0.5 ? -1 : 1));
  const near = theta.map((v) => v / norm(theta)); // far out, e^-margin loses the rounding of the margin
  const risk = empiricalRisk(denseNetwork([{ W: [[...near]] }], "linear"), "exponential", {
    x: tensor(points.map((z, i) => z.map((v) => v * signs[i]!))),
    target: tensor(
      signs.map((s) => (s + 1) / 2),
      { type: "int64" },
    ),
  });
  const { gradient, value } = await risk.at(near);
  const slope = smoothedMarginSlope(points, near);
  const error = norm(gradient.map((g, k) => g + value * slope[k]!));
  const [m, d] = [points.length, near.length];
  const longest = Math.max(...points.map(norm));
  // Margins of size up to max |z| round in their d products, and the exponential passes that on, times the margin.
  return checked(
    error,
    (m + 2 * d * (1 + longest) + 4) * 2 ** -52 * longest * Math.exp(-marginOf(points, near)),
  );
}

/** d/dt theta / |theta| by differences along the flow, and (1/beta) P grad r_beta by differences of r_beta. */
function velocity(points: Points, theta: Float64Array): Measurement {
  const beta = norm(theta);
  const h = 1e-5;
  const slope = smoothedMarginSlope(points, theta);
  const unit = (shift: number): Float64Array => {
    const moved = theta.map((v, k) => v + shift * slope[k]!);
    return moved.map((v) => v / norm(moved));
  };
  const [ahead, behind, here] = [unit(h * beta), unit(-h * beta), unit(0)];
  const ascent = here.map((_, k) => {
    const value = (shift: number) =>
      smoothedMargin(
        points,
        here.map((v, j) => (j === k ? v + shift : v)),
        beta,
      );
    return (value(h / beta) - value(-h / beta)) / ((2 * h) / beta);
  });
  const along = dot(ascent, here);
  const gap = here.map((v, k) => (ahead[k]! - behind[k]!) / (2 * h * beta) - (ascent[k]! - along * v) / beta);
  const longest = Math.max(...points.map(norm));
  // Central differences: h^2 times third derivatives, at most 2 (|z| / beta)^3 beta^2 and 2 |z|^3 beta^2 (h / beta)^2 a
  // component, and roundings 2^-52 of values up to |z| over h (/ beta).
  const truncation = (2 * h ** 2 * longest ** 3 * (1 + beta) * Math.sqrt(theta.length)) / beta;
  return checked(norm(gap), 0, { tolerance: truncation + (2 ** -50 * longest * (1 + 1 / beta)) / h });
}

/** Plain gradient flow for as long as its clock says, against the flow of the smoothed margin: both contract. */
async function plainFlow(points: Points, until: number, longest: number): Promise<Measurement> {
  const d = points[0]!.length;
  const clocked = await marginFlowWithClock(points, { until, tolerance: flowTolerance, head: 1 });
  const { state } = clocked.at(-1)!;
  const clock = Math.exp(state[d]!);
  const plain = await exponentialFlow(points, { until: clock - 1, tolerance: flowTolerance });
  const error = norm(plain.at(-1)!.state.map((v, k) => v - state[k]!));
  const speed = (s: FlowState) => Math.exp(smoothedMargin(points, s.state.subarray(0, d), 1) - s.state[d]!);
  const fastest = Math.max(...clocked.map(speed));
  // Errors of steps add up; ln clock also feels those of theta, and the end moves by |z| / speed for an error in it.
  const steps = clocked.length * flowTolerance;
  const clockError = steps * (1 + until * fastest * longest);
  const tolerance = steps + plain.length * flowTolerance + (clockError * longest) / speed(clocked.at(-1)!);
  return checked(error, 0, { tolerance });
}

/** |grad r| of the exponential risk with x_1 = e_1, x_2 = e_2, both of class 1, at theta = (n, 1). */
const riskSlope = (n: number): number => Math.hypot(Math.exp(-n) / 2, Math.exp(-1) / 2);

/** The figure is in the plane: of these points, or of others like them. */
async function drawn(
  points: Points,
  best: HardMargin,
  path: readonly FlowState[],
  random: Random,
  { m, gap, T }: { readonly m: number; readonly gap: number; readonly T: number },
) {
  if (points[0]!.length === 2) return marginFigure(points, best, path);
  const plane = separablePoints(random.split("plane"), m, 2, gap);
  return marginFigure(
    plane,
    hardMargin(plane),
    await marginFlow(plane, { until: T, tolerance: flowTolerance }),
  );
}
