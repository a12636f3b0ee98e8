import { type HardMargin, hardMargin } from "../../dynamics/hard-margin.ts";
import {
  exponentialFlow,
  marginFlow,
  marginFlowWithClock,
  marginOf,
  smoothedMargin,
  smoothedMarginSlope,
} from "../../dynamics/max-margin.ts";
import type { FlowState } from "../../dynamics/runge-kutta.ts";
import { tensor } from "../../graph/tensor.ts";
import { dot } from "../../linear-algebra/dot.ts";
import type { Random } from "../../numbers/random.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { empiricalRisk } from "../../train/empirical-risk.ts";
import { atLeast, atMost, checked, equals, fitted, type Measurement } from "../claim.ts";
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
    "1 - cos of the angle to the support vector machine": atMost(
      String.raw`(\ln m + \textstyle\sum_i \alpha_i \ln \alpha_i) / (\gamma^* \|\theta\|), \; \gamma^* u^* = \sum_i \alpha_i y_i x_i`,
    ).looseBy(1.3),
    "tangent of that angle against ln t, t the time of plain gradient flow, exponent": equals("-1").rate(),
    "norm of θ": atLeast(String.raw`\gamma^* t`),
    "smoothed margin below the margin, at most": atMost("0"),
    "smoothed margin above the margin, at most": atMost(String.raw`\ln m`),
    "greatest fall of the smoothed margin in a step": atMost("0"),
    "gradient of the risk by the gradient pass, error": equals("0"),
    "velocity of the direction against (1/β) P ∇r_β": equals("0"),
    "end of plain gradient flow, on its own clock": equals(String.raw`\text{the same point}`),
    "γ(θ) for θ = u + 10⁶ w, all ⟨w, z⟩ ≥ 0, one of them 0": equals("1"),
    "|∇r| there": equals(String.raw`0, \text{ the limit as } \|\theta\| \to \infty`).printed({
      where: "sect. 1.2.3, before (1.26)",
      printed: String.raw`A critical point $\nabla_{\theta} r(\theta) = 0$ can therefore be approached if and only if for every $i \in [m]$ we have $\ell'(y^{(i)} \langle \theta, x^{(i)} \rangle) = -e^{-y^{(i)} \langle \theta, x^{(i)} \rangle} \rightarrow 0$, which is equivalent to $\|\theta\|_2 \rightarrow \infty$ and $\gamma(\theta) > 0$`,
      corrected: String.raw`which is equivalent to $\gamma(\theta) \to \infty$: some $w \ne 0$ has all $y^{(i)} \langle w, x^{(i)} \rangle \ge 0$, one of them 0, and along $\theta = u + n w$, $\gamma(\theta) = 1$, that example's $\ell'$ stays $-e^{-1}$`,
    }),
  },
  mutants: {
    "ln(m - 1) for ln m": { "smoothed margin above the margin, at most": ({ m }) => Math.log(m - 1) },
    "t for γ* t": { "norm of θ": ({ T }) => T },
    "1/√(ln t)": {
      "tangent of that angle against ln t, t the time of plain gradient flow, exponent": () => -1 / 2,
    },
  },
  async run({ m, d, gap, T }, { random, budget, progress }) {
    const points = separablePoints(random, m, d, gap);
    const best = hardMargin(points);
    const path = await marginFlow(points, { until: T, tolerance: flowTolerance });
    await progress(0.4);
    const { state: theta } = path.at(-1)!;
    const longest = Math.max(...points.map(norm));
    const claims: Record<string, Measurement | undefined> = {
      ...endOfFlow(points, best, path, longest),
      ...alongFlow(points, path, longest),
      "gradient of the risk by the gradient pass, error": await passError(points, theta, random),
      "velocity of the direction against (1/β) P ∇r_β": velocity(points, path[path.length >> 1]!.state),
      "end of plain gradient flow, on its own clock": await plainFlow(points, Math.min(T, 4), longest),
      "tangent of that angle against ln t, t the time of plain gradient flow, exponent": await angleRate(
        points,
        best,
      ),
      ...alongBoundary(points, best, random.split("boundary")),
    };
    const figure = budget === "cheap" ? undefined : await drawn(points, best, path, random, { m, gap, T });
    return { graph: denseNetwork([{ W: [[...theta]] }], "linear"), figure, claims };
  },
});

const entropy = (weights: readonly number[]): number =>
  weights.reduce((sum, w) => (w > 0 ? sum - w * Math.log(w) : sum), 0);

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
      (Math.log(points.length) - entropy(best.weights)) / (best.margin * size),
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
  return checked(error, 0, {
    tolerance: (m + 2 * d * (1 + longest) + 4) * 2 ** -52 * longest * Math.exp(-marginOf(points, near)),
  });
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

/**
 * The flow turns to u*: what it has across u* converges, and ln t = gamma* <theta, u*> + O(1), so that the tangent falls
 * like 1 / ln t. How far both are from that at the first point used is how large the further terms are.
 */
async function angleRate(points: Points, { margin, direction }: HardMargin) {
  const d = direction.length;
  const until = Math.min(1500, 60 / margin ** 2);
  const path = await marginFlowWithClock(points, { until, tolerance: 1e-8, head: 1 });
  const seen = path.map(({ state }) => {
    const along = dot(state.subarray(0, d), direction);
    const across = norm(state.subarray(0, d).map((v, k) => v - along * direction[k]!));
    return { time: state[d]!, along, across };
  });
  const last = seen.at(-1)!;
  const used = Array.from(
    { length: 10 },
    (_, k) => seen.find((p) => p.time >= last.time * 4 ** (k / 9 - 1))!,
  );
  const first = used[0]!;
  if (last.across < 1e-3) return undefined; // the flow starts in the direction where it ends
  const late = Math.abs(first.time / (margin * first.along) - 1);
  const settling = Math.abs(first.across / last.across - 1);
  return fitted(
    used.map((p) => [p.time, p.across / p.along]),
    -1,
    late + settling,
  );
}

/** theta = u + 10^6 w: w = u* - tau v, where the first example comes to lie on the boundary, and u has the margin 1 there. */
function alongBoundary(
  points: Points,
  { direction }: HardMargin,
  random: Random,
): Record<string, Measurement> {
  const drawn = random.sphere(direction.length);
  const sign = points.some((z) => dot(z, drawn) > 0) ? 1 : -1;
  const times = points.map((z) => dot(z, direction) / (sign * dot(z, drawn)));
  const tau = Math.min(...times.filter((t) => t > 0));
  const height = dot(points[times.indexOf(tau)]!, direction);
  const far = 1e6;
  const theta = direction.map((v, k) => v / height + far * (v - tau * sign * drawn[k]!));
  const longest = Math.max(...points.map(norm));
  const risk = Math.exp(-smoothedMargin(points, theta, 1));
  return {
    "γ(θ) for θ = u + 10⁶ w, all ⟨w, z⟩ ≥ 0, one of them 0": checked(marginOf(points, theta), 1, {
      tolerance: 2 ** -48 * far * longest * (1 + tau), // products of that size cancel
    }),
    "|∇r| there": checked(risk * norm(smoothedMarginSlope(points, theta)), 0),
  };
}

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
