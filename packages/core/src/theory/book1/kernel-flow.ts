import { integrate } from "../../dynamics/runge-kutta.ts";
import { descendWide, drawWide, type WideNetwork, wideValue } from "../../dynamics/wide-network.ts";
import type { Figure, Panel } from "../../figure/figure.ts";
import { tensor } from "../../graph/tensor.ts";
import { type KernelFlow, kernelFlow } from "../../kernels/kernel-flow.ts";
import { limitKernel } from "../../kernels/limit-kernel.ts";
import { dot } from "../../linear-algebra/dot.ts";
import { matrixOfRows } from "../../linear-algebra/rows.ts";
import { type Rows, symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import type { Random } from "../../numbers/random.ts";
import { studentTQuantile } from "../../numbers/statistics.ts";
import { mean } from "../../numbers/sum.ts";
import { checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

const activations = ["relu", "tanh", "softplus"] as const;
/** Finite networks are trained at the first width and at the last; so many of each. */
const [narrow, wide, networks] = [16, 512, 32];
/** How often the exponent of these may be further off than it is said to be known. */
const delta = 1e-3;

export default lemma({
  id: "C1a-33",
  covers: ["C1a-33"],
  kind: "algorithm",
  title: "The training of an infinitely wide network, solved",
  source: "Book, chapter 1, (1.24)",
  statement: String.raw`\Phi(\cdot, \Theta(t)) = C(t) y + \big( \Phi_0 - C(t) \Phi_0(X) \big), \quad C(t) = k^\top \bar K^{-1} \big( I - e^{-2 \bar K t / m} \big), \qquad \mathrm{Var} = \Sigma(x, x) - 2 C \Sigma(X, x) + C \Sigma(X, X) C^\top, \qquad \lim_{t \to \infty} C(t) y = \arg\min_{f(X) = y} \|f\|_{K^\infty}`,
  parameters: {
    rho: choice(activations, { label: "activation" }),
    L: integer({ min: 2, max: 4, default: 2, label: "layers" }),
    d: integer({ min: 2, max: 5, default: 3, label: "inputs" }),
    m: integer({ min: 2, max: 6, default: 4, label: "examples" }),
    t: real({ min: 0.1, max: 6, default: 2, label: "time t" }),
  },
  claims: {
    "mean at t, by the flow (1.21) with the kernel frozen": equals("C(t) y"),
    "variance at t, by the same flow from each direction of the prior": equals(
      String.raw`\Sigma(x, x) - 2 C \Sigma(X, x) + C \Sigma(X, X) C^\top`,
    ),
    "variance at t = 0": equals(String.raw`\Sigma(x, x)`),
    "rest of the fastest mode at t": equals(String.raw`e^{-2 \lambda t / m}`),
    "mean at an example, t = ∞": equals("y_1"),
    "variance at an example, t = ∞": equals("0"),
    "squared norm of another interpolant": equals(
      String.raw`y^\top \bar K^{-1} y + s^2 / (K(z, z) - k^\top \bar K^{-1} k) \quad (s \text{ off the shortest at } z)`,
    ),
    "networks under gradient descent: exponent of their squared distance in the width":
      equals("-1").probable(),
  },
  mutants: {
    "a half before the squares": ({ t }) => ({ t: t / 2 }),
    "mean and variance of the start kept": {
      "variance at t, by the same flow from each direction of the prior": (_, { theory }) => 2 * theory,
    },
    "no nearer with the width": {
      "networks under gradient descent: exponent of their squared distance in the width": () => 0,
    },
  },
  async run({ rho, L, d, m, t }, { random, budget, progress }) {
    const points = Array.from({ length: m + 1 }, () => [...random.normal(d)]);
    const y = [...random.normal(m)];
    const spec = [d, ...Array<string>(L - 1).fill(`8-${rho}`), 1].join("-");
    const { ntk, nngp } = await limitKernel(spec, tensor(points), { bStd: 0.5 });
    const [kernel, prior] = [asRows(ntk, m + 1), asRows(nngp, m + 1)];
    const [K, k] = [leading(kernel, m), kernel[m]!.slice(0, m)];
    const flow = await kernelFlow(matrixOfRows(K));
    const C = await weightsAt(flow, k, t);
    const variance = async (i: number, time: number): Promise<number> => {
      const initial = { train: matrixOfRows(leading(prior, m)), test: matrixOfRows([prior[i]!.slice(0, m)]) };
      const test = matrixOfRows([kernel[i]!.slice(0, m)]);
      return (await flow.at(time).variance(test, Float64Array.of(prior[i]![i]!), initial))[0]!;
    };
    const greatest = flow.eigenvalues.at(-1)!;
    const fast = [...flow.vectors.entries.subarray((m - 1) * m)];
    // A mode of the flow: the data's residuals go along it, and its part alone falls.
    const frozen = await frozenFlow(kernel, y, t);
    const directions = await priorFlow(kernel, prior, t);
    const rest = dot(fast, frozen.map((v, i) => v - (y[i] ?? 0)).slice(0, m)) / -dot(fast, y);
    await progress(0.4);
    const last = await weightsAt(flow, K[0]!, Number.POSITIVE_INFINITY);
    const size = Math.max(...y.map(Math.abs)) * (1 + Math.max(...C.map(Math.abs)));
    const condition = greatest / flow.eigenvalues[0]!;
    const away = random.normal();
    const limit = await shallowLimit(rho, d, points);
    const fall = exponentOf(
      await Promise.all(
        [narrow, wide].map((n) => logSquaredGaps(rho, points, y, limit, n, Math.min(t, 2), random.split(n))),
      ),
    );
    return {
      ...(budget !== "cheap" && { figure: await figure(rho, random.split("figure")) }),
      claims: {
        // The integrator keeps each step's error below 1e-12.
        "mean at t, by the flow (1.21) with the kernel frozen": checked(frozen[m]!, dot(C, y), {
          tolerance: 1e-8 * (1 + size),
        }),
        "variance at t, by the same flow from each direction of the prior": checked(
          directions,
          await variance(m, t),
          { tolerance: 1e-8 * (1 + prior[m]![m]!) * (1 + size) },
        ),
        "variance at t = 0": checked(await variance(m, 0), prior[m]![m]!),
        "rest of the fastest mode at t": checked(rest, Math.exp((-2 * greatest * t) / m), {
          tolerance: (1e-9 * size) / Math.abs(dot(fast, y)),
        }),
        "mean at an example, t = ∞": checked(dot(last, y), y[0]!, { tolerance: 1e-13 * condition * size }),
        "variance at an example, t = ∞": checked(await variance(0, Number.POSITIVE_INFINITY), 0, {
          tolerance: 1e-13 * condition * prior[0]![0]!,
        }),
        ...(await anotherInterpolant(kernel, flow, k, y, away)),
        "networks under gradient descent: exponent of their squared distance in the width": sampled(
          fall.exponent,
          -1,
          { tolerance: fall.uncertainty, delta },
        ),
      },
    };
  },
});

const asRows = (flat: Float64Array, n: number): Rows =>
  Array.from({ length: n }, (_, i) => [...flat.subarray(i * n, (i + 1) * n)]);

/** C(t) at one point, from its kernel with the data; after steps of descent, if there is a rate. */
async function weightsAt(
  flow: KernelFlow,
  cross: readonly number[],
  time: number,
  rate?: number,
): Promise<readonly number[]> {
  return [...(await flow.at(time, rate).weights(matrixOfRows([cross]))).entries];
}

/** y^T K^{-1} y, the squared kernel norm of the interpolant of least norm. */
async function squaredNorm(flow: KernelFlow, y: readonly number[]): Promise<number> {
  const column = { rows: y.length, columns: 1, entries: Float64Array.from(y) };
  return dot(y, [...(await flow.at(Number.POSITIVE_INFINITY).coefficients(column)).entries]);
}

const leading = (matrix: Rows, m: number): Rows => matrix.slice(0, m).map((row) => row.slice(0, m));

/** Predictions at all points, the last a new one, by (1.21) from 0, or from `start`. */
async function frozenFlow(
  kernel: Rows,
  y: readonly number[],
  until: number,
  start: readonly number[] = kernel.map(() => 0),
): Promise<Float64Array> {
  const m = y.length;
  const field = (state: Float64Array): Float64Array =>
    state.map((_, i) => y.reduce((sum, yk, j) => sum - (2 / m) * kernel[i]![j]! * (state[j]! - yk), 0));
  return (await integrate(field, Float64Array.from(start), { until, tolerance: 1e-12 })).at(-1)!.state;
}

/** The variance at the new point: each eigenvector of the prior's covariance flows towards 0 on the data. */
async function priorFlow(kernel: Rows, prior: Rows, until: number): Promise<number> {
  const { values, vectors } = symmetricEigen(prior);
  const m = kernel.length - 1;
  let sum = 0;
  for (const [k, v] of vectors.entries()) {
    const end = await frozenFlow(kernel, Array<number>(m).fill(0), until, v);
    sum += values[k]! * end[m]! ** 2;
  }
  return sum;
}

/** The interpolant of least norm on the data and one more point, where it is asked to be `away` from that on the data. */
async function anotherInterpolant(
  kernel: Rows,
  flow: KernelFlow,
  k: readonly number[],
  y: readonly number[],
  away: number,
) {
  const forever = await weightsAt(flow, k, Number.POSITIVE_INFINITY);
  const [shortest, free] = [await squaredNorm(flow, y), kernel.at(-1)!.at(-1)! - dot(forever, k)];
  const all = await kernelFlow(matrixOfRows(kernel));
  const longer = await squaredNorm(all, [...y, dot(forever, y) + away]);
  const theory = shortest + away ** 2 / free;
  return {
    "squared norm of another interpolant": checked(longer, theory, {
      tolerance: (1e-13 * theory * all.eigenvalues.at(-1)!) / all.eigenvalues[0]!,
    }),
  };
}

/** The limit kernel of the networks that are trained: one hidden layer, no biases. */
async function shallowLimit(rho: string, d: number, points: Rows): Promise<Rows> {
  const { ntk } = await limitKernel(`${d}-8nobias-${rho}-1nobias`, tensor(points.map((x) => [...x])));
  return asRows(ntk, points.length);
}

/** How far networks of this width are from the closed form after gradient descent, at the last point: ln of the squares. */
async function logSquaredGaps(
  rho: (typeof activations)[number],
  points: Rows,
  y: readonly number[],
  kernel: Rows,
  n: number,
  t: number,
  random: Random,
): Promise<readonly number[]> {
  const m = y.length;
  const flow = await kernelFlow(matrixOfRows(leading(kernel, m)));
  // So many that no step goes farther than a quarter of the way, of the fastest mode.
  const steps = Math.max(8, Math.ceil((8 * t * flow.eigenvalues.at(-1)!) / m));
  const data = { x: points.slice(0, m), y, rate: t / steps, steps };
  const weights = await weightsAt(flow, kernel[m]!.slice(0, m), steps, data.rate);
  return Array.from({ length: networks }, (_, r) => {
    const start = drawWide(rho, points[0]!.length, n, random.split(r));
    const before = points.map((x) => wideValue(start, x));
    const moved = weights.reduce((sum, c, i) => sum + c * (y[i]! - before[i]!), 0);
    return Math.log((wideValue(descendWide(start, data), points[m]!) - before[m]! - moved) ** 2);
  });
}

/**
 * The slope of the mean of ln of the squares, and how well it is known: in the limit the distance is n^(-1/2) times one
 * random number, so that the two samples differ by a shift; Welch's statistic of it, with at least as many degrees of freedom
 * as the smaller sample has, and a relative error of n^(-1/2) of the narrow networks' distances, once for each root.
 */
function exponentOf([narrower, wider]: readonly (readonly number[])[]): {
  readonly exponent: number;
  readonly uncertainty: number;
} {
  const squaredError = (logs: readonly number[]): number => {
    const centre = mean(logs);
    return logs.reduce((sum, v) => sum + (v - centre) ** 2, 0) / (logs.length - 1) / logs.length;
  };
  const error = Math.sqrt(squaredError(narrower!) + squaredError(wider!));
  const spread = studentTQuantile(networks - 1, 1 - delta / 2) * error;
  const logRatio = Math.log(wide / narrow);
  return {
    exponent: (mean(wider!) - mean(narrower!)) / logRatio,
    uncertainty: (spread + 2 / Math.sqrt(narrow)) / logRatio,
  };
}

/** Outputs over training, by gradient descent and by the closed form, at three widths. */
async function figure(rho: (typeof activations)[number], random: Random): Promise<Figure> {
  const points = [0.3, 1.5, 2.9, 4.4, 5.2].map((t) => [2 * Math.cos(t), 2 * Math.sin(t)]);
  const y = [1, -0.5, 0.8, -1];
  const kernel = await shallowLimit(rho, 2, points);
  return {
    title: `Outputs of networks of ${rho} over training`,
    panels: await Promise.all(
      [16, 128, 1024].map((n) => outputsOverTime(points, y, kernel, drawWide(rho, 2, n, random.split(n)))),
    ),
  };
}

async function outputsOverTime(
  points: Rows,
  y: readonly number[],
  kernel: Rows,
  start: WideNetwork,
): Promise<Panel> {
  const m = y.length;
  const flow = await kernelFlow(matrixOfRows(leading(kernel, m)));
  const shown = [0, 1, m];
  const names = ["example 1", "example 2", "a new point"];
  const [until, steps] = [8, 120];
  const before = points.map((x) => wideValue(start, x));
  const dots = shown.map((): [number, number][] => []);
  const watch = (network: WideNetwork, step: number): void => {
    if (step % 6 !== 0) return;
    shown.forEach((i, s) => {
      dots[s]!.push([(step * until) / steps, wideValue(network, points[i]!)]);
    });
  };
  descendWide(start, { x: points.slice(0, m), y, rate: until / steps, steps, watch });
  const times = Array.from({ length: 81 }, (_, k) => (until * k) / 80);
  const curves = shown.map((): [number, number][] => []);
  for (const t of times)
    for (const [s, i] of shown.entries()) {
      const weights = await weightsAt(flow, kernel[i]!.slice(0, m), t);
      curves[s]!.push([t, before[i]! + weights.reduce((sum, c, j) => sum + c * (y[j]! - before[j]!), 0)]);
    }
  return {
    title: `${start.n} units`,
    x: { label: "time t" },
    y: { label: "output" },
    series: shown.flatMap((_, s) => [
      {
        name: `closed form, ${names[s]}`,
        mark: "line" as const,
        role: "theory" as const,
        points: curves[s]!,
      },
      {
        name: `descent, ${names[s]}`,
        mark: "dots" as const,
        role: "measured" as const,
        like: `closed form, ${names[s]}`,
        points: dots[s]!,
      },
    ]),
  };
}
