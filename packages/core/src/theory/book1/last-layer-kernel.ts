import {
  drawTwoLayer,
  featureMatrix,
  gramMatrix,
  leastDirection,
  type Points,
  padded,
} from "../../dynamics/lazy/features.ts";
import { type ShallowNetwork, shallowGraph, shallowValue } from "../../dynamics/shallow-network.ts";
import type { ActivationName } from "../../functions/activation.ts";
import { tensor } from "../../graph/tensor.ts";
import { limitKernel } from "../../kernels/limit-kernel.ts";
import { dot } from "../../linear-algebra/dot.ts";
import { type Rows, symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import type { Random } from "../../numbers/random.ts";
import { empiricalRisk } from "../../train/empirical-risk.ts";
import { atLeast, atMost, checked, equals, fitted, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { lastLayerKernelFigure } from "./last-layer-kernel-figure.ts";
import { fullRankBound, fullRankProbability, isFullRank } from "./relu-pair-rank.ts";

const widths = [128, 181, 256, 362, 512, 724, 1024, 1448];
/** Neurons that are drawn for each width: of narrow networks there are more, so that all means are as sure. */
const neuronsInAll = 4096;
const delta = 1e-3;

export default lemma({
  id: "C1b-21",
  covers: ["C1b-21"],
  kind: "measure",
  title: "The kernel of the last layer and its least eigenvalue",
  source: "Book, chapter 1, sect. 1.5.2, (1.46)-(1.48)",
  statement: String.raw`\bar K_\Theta = A A^T, \quad A_{ik} = \varrho(\langle \Theta^{(1)}_k, \tilde x^{(i)} \rangle), \qquad \|\nabla_{\theta^{(2)}} r\|^2 = \tfrac{4}{m^2} e^T \bar K_\Theta e, \qquad \Theta^{(1)}_k \sim \mathcal{N}(0, I): \; \tfrac1n \bar K_\Theta \to \mathbb{E} [\varrho(g_i) \varrho(g_j)], \; g \sim \mathcal{N}(0, \tilde X \tilde X^T), \quad \lambda_{\min}(\bar K_\Theta) \sim n`,
  parameters: {
    sigma: choice(["tanh", "logistic", "relu"], { label: "activation" }),
    d: integer({ min: 1, max: 4, default: 3, label: "inputs d" }),
    m: integer({ min: 2, max: 5, default: 4, label: "examples m" }),
    n: integer({ min: 256, max: 2048, default: 1000, label: "neurons n" }),
    k: integer({ min: 2, max: 12, default: 4, label: "ReLUs that shall tell two examples apart" }),
  },
  claims: {
    "|∇r|² by the last layer, gradient pass": equals(String.raw`\tfrac{4}{m^2} e^T \bar K_\Theta e`),
    "entries of K / n less those of the limit, in deviations, the greatest": equals("0").probable(),
    "the limit for ReLUs, by the recursion of kernels, greatest difference": equals(
      String.raw`0: \; \tfrac{\|\tilde x\| \|\tilde x'\|}{2 \pi} ( \sin \omega + (\pi - \omega) \cos \omega )`,
    ),
    "λ_min(K) / n": atMost(
      String.raw`\langle u, K u \rangle / n, \; u \text{ the least direction of the limit}`,
    ),
    "⟨u, K u⟩ / n less λ_min of the limit, in deviations": equals("0").probable(),
    "λ_min(K) against the width, exponent": equals("1").rate(),
    "λ_min(K) against the width, exponent, as printed": equals("1").rate().printed({
      where: "sect. 1.5.2, before (1.46) and after (1.48)",
      printed: String.raw`Let us further assume that  $\Theta_j^{(1)} \sim \mathcal{N}(0, 1/n)^{d+1}$ [...] for sufficiently large  $n$ , with high probability  $\bar{K}_\Theta$  is a positive definite kernel with smallest eigenvalue  $\lambda_{\min}(\bar{K}_\Theta)$  scaling linearly with  $n$ .`,
      corrected: String.raw`$\Theta_j^{(1)} \sim \mathcal{N}(0, 1)^{d+1}$, with variance $1/n$ for the second layer only: otherwise $\varrho$ is nearly affine where it is used, $\bar{K}_\Theta \approx n \varrho(0)^2 \mathbf{1} \mathbf{1}^T + \varrho'(0)^2 \tilde X \tilde X^T$, and $\lambda_{\min}$ does not grow`,
    }),
    "P(K positive definite), two examples and k ReLUs": equals(
      String.raw`1 - 2 (p_0 + p_1)^k + p_0^k - k p_2 p_0^{k-1}, \; p_1 = \tfrac{\theta}{2 \pi}, \, p_0 = p_2 = \tfrac{\pi - \theta}{2 \pi}`,
    ).probable(),
    "that probability": atLeast(
      String.raw`1 - (1 - \delta)^{\lfloor k/m \rfloor}, \; \delta \text{ that of } k = m`,
    ),
  },
  mutants: {
    "2/m² for 4/m²": { "|∇r|² by the last layer, gradient pass": (_, { theory }) => theory / 2 },
    "λ_min like the root of the width": { "λ_min(K) against the width, exponent": () => 0.5 },
    "a neuron lost": ({ k }) => ({ k: k - 1 }),
  },
  async run({ sigma, d, m, n, k }, { random, budget, progress, scale }) {
    const points: Points = Array.from({ length: m }, (_, i) => padded(random.split(`x${i}`).normal(d)));
    const network = draw(sigma, n, d, 1, random.split("network"));
    const A = featureMatrix(network, points);
    const limit = await limitOf(sigma, points);
    const { values, vectors } = symmetricEigen(limit.kernel);
    const along = inDeviations(
      weighted(A, vectors[0]!).map((v) => v * v),
      values[0]!,
    );
    const K = gramMatrix(A);
    const growing = leastByWidth(sigma, points, () => 1, random.split("variance 1"));
    const printed = leastByWidth(
      sigma,
      points,
      (width) => 1 / Math.sqrt(width),
      random.split("variance 1/n"),
    );
    await progress(0.4);
    const [x, z] = points as unknown as [Float64Array, Float64Array];
    const probability = fullRankProbability(x, z, k);
    const trials = scale(4000);
    const stream = random.split("ranks");
    let full = 0;
    for (let t = 0; t < trials; t++) if (isFullRank(x, z, k, stream)) full++;
    return {
      graph: shallowGraph(network),
      ...(budget !== "cheap" && {
        figure: lastLayerKernelFigure({
          growing,
          printed,
          limit: values[0]!,
          x,
          z,
          random: random.split("figure"),
        }),
      }),
      claims: {
        ...(await gradientClaim(network, points, K)),
        ...concentration(A, limit),
        ...(sigma === "relu" && {
          "the limit for ReLUs, by the recursion of kernels, greatest difference": checked(
            greatestDifference(
              limit.kernel,
              points.map((p) => points.map((q) => arcCosine(p, q))),
            ),
            0,
            { tolerance: 2 ** -24 * Math.max(...points.map((p) => dot(p, p))) }, // small angles are known to the root of a rounding
          ),
        }),
        "λ_min(K) / n": checked(
          leastDirection(A).least ** 2 / n,
          dot(weighted(A, vectors[0]!), weighted(A, vectors[0]!)) / n,
          {
            tolerance: 2 ** -44 * m * K[0]![0]!,
          },
        ),
        // The terms of a sum of 256 at least have finite moments of all orders: beyond 7 deviations there is nothing.
        "⟨u, K u⟩ / n less λ_min of the limit, in deviations": sampled(along, 0, { tolerance: 7, delta }),
        ...exponents(sigma, growing, printed),
        "P(K positive definite), two examples and k ReLUs": sampled(full / trials, probability, {
          delta,
          tolerance: bernstein(probability, trials),
        }),
        "that probability": checked(probability, fullRankBound(x, z, k), { tolerance: 2 ** -50 }),
      },
    };
  },
});

const draw = (sigma: ActivationName, n: number, d: number, inner: number, random: Random): ShallowNetwork =>
  drawTwoLayer(sigma, n, d + 1, { inner, outer: 1 / Math.sqrt(n) }, random);

/** sum_i u_i A_ik, neuron by neuron. */
const weighted = (A: Points, u: readonly number[]): Float64Array =>
  A[0]!.map((_, k) => u.reduce((s, v, i) => s + v * A[i]![k]!, 0));

interface Limit {
  readonly kernel: Rows;
  /** Of activations without a closed form. */
  readonly error: number;
}

/** E rho(g_i) rho(g_j) for g ~ N(0, X X^T): with W_std = sqrt(inputs) units are as here, and the last layer multiplies. */
async function limitOf(sigma: ActivationName, points: Points): Promise<Limit> {
  const [m, inputs] = [points.length, points[0]!.length];
  const x = tensor(points.map((p) => [...p]));
  const spec = `${inputs}-8nobias-${sigma}-1nobias`;
  const { nngp, error } = await limitKernel(spec, x, { wStd: Math.sqrt(inputs) });
  return {
    kernel: points.map((_, i) => Array.from(nngp.subarray(i * m, (i + 1) * m), (v) => v / inputs)),
    error,
  };
}

/** |x| |x'| (sin w + (pi - w) cos w) / (2 pi) at the angle w between them. */
function arcCosine(x: Float64Array, z: Float64Array): number {
  const lengths = Math.sqrt(dot(x, x) * dot(z, z));
  const angle = Math.acos(Math.max(-1, Math.min(1, dot(x, z) / lengths)));
  return (lengths * (Math.sin(angle) + (Math.PI - angle) * Math.cos(angle))) / (2 * Math.PI);
}

const greatestDifference = (a: Rows, b: Rows): number =>
  Math.max(...a.flatMap((row, i) => row.map((v, j) => Math.abs(v - b[i]![j]!))));

/** (mean - expected) / (deviation / sqrt(n)). */
function inDeviations(terms: Float64Array, expected: number): number {
  const n = terms.length;
  const mean = terms.reduce((s, v) => s + v, 0) / n;
  const variance = terms.reduce((s, v) => s + (v - mean) ** 2, 0) / (n - 1);
  return variance === 0 ? 0 : (mean - expected) / Math.sqrt(variance / n);
}

function concentration(A: Points, { kernel }: Limit) {
  const scores = A.flatMap((a, i) =>
    A.map((b, j) =>
      Math.abs(
        inDeviations(
          a.map((v, k) => v * b[k]!),
          kernel[i]![j]!,
        ),
      ),
    ),
  );
  return {
    "entries of K / n less those of the limit, in deviations, the greatest": sampled(Math.max(...scores), 0, {
      tolerance: 7,
      delta,
    }),
  };
}

/** The gradient pass by the last layer's weights alone, for labels that are off by some errors e. */
async function gradientClaim(network: ShallowNetwork, points: Points, K: Rows) {
  const m = points.length;
  const errors = points.map((_, i) => Math.cos(1 + i));
  const values = points.map((x, i) => shallowValue(network, x) - errors[i]!);
  const target = tensor(values, { dims: [m, 1] });
  const risk = empiricalRisk(shallowGraph(network), "square", {
    x: tensor(points.map((x) => [...x])),
    target,
  });
  const { gradient } = await risk.at(risk.start);
  const outer = risk.block(gradient, "W2");
  const form = errors.reduce((s, e, i) => s + e * dot(K[i]!, errors), 0);
  return {
    "|∇r|² by the last layer, gradient pass": checked(dot(outer, outer), (4 / m ** 2) * form, {
      tolerance: 2 ** -44 * K.reduce((s, row, i) => s + row[i]!, 0), // errors e are what a subtraction leaves
    }),
  };
}

/** The mean least eigenvalue by width, all networks drawn anew; above rounding. */
const leastByWidth = (
  sigma: ActivationName,
  points: Points,
  inner: (width: number) => number,
  random: Random,
): readonly (readonly [number, number])[] =>
  widths.flatMap((width) => {
    const count = Math.round(neuronsInAll / width);
    let [least, size] = [0, 0];
    for (let c = 0; c < count; c++) {
      const network = draw(sigma, width, points[0]!.length - 1, inner(width), random.split(`${width}/${c}`));
      const A = featureMatrix(network, points);
      least += leastDirection(A).least ** 2 / count;
      size = Math.max(size, dot(A[0]!, A[0]!));
    }
    return least > 1e-12 * size ? [[width, least] as const] : [];
  });

/** A mean of least eigenvalues is below that of the limit by m / n of it or so, which shifts an exponent a little. */
const lowerOrders = 0.03;

function exponents(
  sigma: ActivationName,
  growing: readonly (readonly [number, number])[],
  printed: typeof growing,
) {
  const all = widths.length;
  return {
    ...(growing.length === all && {
      "λ_min(K) against the width, exponent": fitted(growing, 1, lowerOrders),
    }),
    // The text has a smooth activation.
    ...(sigma !== "relu" &&
      printed.length === all && {
        "λ_min(K) against the width, exponent, as printed": fitted(printed, 1, lowerOrders),
      }),
  };
}

/** How far a frequency is from its probability, but for one case in a thousand (Bernstein). */
function bernstein(p: number, trials: number): number {
  const log = Math.log(2 / delta);
  return Math.sqrt((2 * p * (1 - p) * log) / trials) + (2 * log) / (3 * trials);
}
