import { gridPoint, labelledFunction, labelNetwork } from "../../approximate/shattering/labels.ts";
import { splineBump } from "../../approximate/shattering/spline-bump.ts";
import {
  fewestWeights,
  fewestWeightsOfAnyDepth,
  mostShattered,
  reluVcBound,
} from "../../approximate/shattering/vc-bound.ts";
import { complexity } from "../../construct/layers.ts";
import { mulUp } from "../../engine/rounding.ts";
import { run } from "../../engine/run.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { atLeast, atMost, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { shatteringFigure } from "./shattering-figure.ts";

export default lemma({
  id: "C3-17",
  covers: ["C3-17"],
  kind: "bound",
  title: "Lower bounds by shattering",
  source: "Book, Theorem 3.12 and Figure 3.4 (Yarotsky 2017)",
  statement: String.raw`f_y(x) = \sum_m y_m \, c_{n,d} N^{-n} \varphi(N(x - x_m)), \quad \|R(\Phi_y) - f_y\|_\infty < \tfrac{c}{2} N^{-n} \ \forall y \implies N^d \le \mathrm{VCdim} \le L + \bar L W \log_2(4eR \log_2(2eR))`,
  parameters: {
    d: integer({ min: 1, max: 2, default: 2, label: "dimension d" }),
    n: integer({ min: 1, max: 5, default: 2, label: "derivatives n" }),
    N: integer({ min: 2, max: 8, default: 5, label: "points a side N" }),
    eps: real({ min: 1e-4, max: 0.5, default: 0.04, label: "error ε, as the proof uses it" }),
  },
  claims: {
    "greatest |D^α f_y|, |α| <= n": atMost("1"),
    "the same at points": atMost("1"),
    "sup |network - f_y|": atMost(String.raw`\tfrac{c}{2} N^{-n}`),
    "labels that 1[R(Φ) > c N^-n / 2] gives": equals("N^d"),
    "labels that 1_{(-∞, a]} gives": equals("N^d").printed({
      where: "proof of Theorem 3.12",
      printed: "the thresholded network 1_{(-∞, a]} ∘ R(Φ) has the values y_m",
      corrected:
        "it has the values 1 - y_m; it is 1_{(a, ∞)} that has y_m (for the VC dimension both will do)",
    }),
    "N^-n - 2ε with N = floor(ε^(-1/n))": atLeast("0").printed({
      where: "proof of Theorem 3.12",
      printed: "N := floor(ε^(-1/n))",
      corrected:
        "values 0 and c N^-n are told apart at error ε only if 2ε < c N^-n: N = floor((c / 2ε)^(1/n)) or less",
    }),
    "|f^(n)| that values y_m N^-n force": atMost("1").printed({
      where: "proof of Theorem 3.12",
      printed: "f_y in the unit ball with f_y(x_m) = y_m N^-n",
      corrected:
        "alternating labels have an n-th difference of 2^(n-1) N^-n at distance 1/N: f_y(x_m) = c y_m N^-n with c < 1",
    }),
    "most points with all sign patterns, this network": atMost("L + \\bar L W \\log_2(4eR \\log_2(2eR))"),
    "VC dimension of half-spaces, d + 1": atMost("the same bound, one layer"),
    "weights of a network for any labels": atLeast(
      String.raw`\min W: N^d \le L + L W \log_2(4eLW \log_2(2eLW)), \; L = 3`,
    ),
    "exponent of the fewest weights in 1/ε, any depth": atMost("d / (2n)"),
    "exponent of the fewest weights in 1/ε, three layers": atMost("d / n"),
  },
  async run({ d, n, N, eps }, { random, scale, budget }) {
    const labels = Float64Array.from(random.uniform(N ** d), (u) => (u < 0.5 ? 0 : 1));
    labels[random.integer(0, labels.length - 1)] = 1;
    const f = labelledFunction(d, n, N, labels);
    const network = labelNetwork(d, N, labels, f.amplitude);
    const full = labelNetwork(
      d,
      N,
      labels.map(() => 1),
      f.amplitude,
    );
    const centres = Array.from(labels, (_, m) => gridPoint(m, N, d));
    const atCentres = await valuesOf(network, centres);
    const points = Array.from({ length: scale(2000) }, () => Array.from(random.uniform(d)));
    const computed = await valuesOf(network, points);
    const off = points.reduce((most, x, k) => Math.max(most, Math.abs(f.value(x) - computed[k]!)), 0);
    const read = (threshold: (v: number) => boolean): number =>
      labels.filter((y, m) => (threshold(atCentres[m]!) ? 1 : 0) === y).length;
    const sideOfProof = Math.floor(eps ** (-1 / n));
    const { layers, weights, architecture } = complexity(full);
    const counts = layerCounts(full);
    return {
      graph: network,
      ...(budget === "cheap" ? {} : { figure: await shatteringFigure(f, network, d, n) }),
      claims: {
        "greatest |D^α f_y|, |α| <= n": proved(greatestDerivative(d, n, N, f.amplitude), 1),
        "the same at points": sampled(derivativesAt(f, d, n, points), 1, { tolerance: 1e-9 }), // some 30 roundings, N^n-fold
        "sup |network - f_y|": sampled(off, f.amplitude / 2),
        "labels that 1[R(Φ) > c N^-n / 2] gives": checked(
          read((v) => v > f.amplitude / 2),
          N ** d,
        ),
        "labels that 1_{(-∞, a]} gives": checked(
          read((v) => v <= f.amplitude / 2),
          N ** d,
        ),
        "N^-n - 2ε with N = floor(ε^(-1/n))": checked(sideOfProof ** -n - 2 * eps, 0),
        ...(N > n ? { "|f^(n)| that values y_m N^-n force": checked(alternatingDifference(n), 1) } : {}),
        "most points with all sign patterns, this network": checked(
          mostShattered(counts),
          reluVcBound(counts),
        ),
        "VC dimension of half-spaces, d + 1": checked(
          d + 1,
          reluVcBound({ parameters: [d + 1], units: [1] }),
        ),
        "weights of a network for any labels": checked(weights, fewestWeights(N ** d, layers)),
        "exponent of the fewest weights in 1/ε, any depth": checked(
          growth(fewestWeightsOfAnyDepth) * (d / n),
          d / (2 * n),
        ),
        "exponent of the fewest weights in 1/ε, three layers": checked(
          growth((m) => fewestWeights(m, architecture.length - 1), 45) * (d / n),
          d / n,
        ),
      },
    };
  },
});

/** max_{|α| <= n} amplitude N^|α| prod_j sup |b^(α_j)|. */
function greatestDerivative(d: number, n: number, N: number, amplitude: number): number {
  const { bounds } = splineBump(n);
  const orders = (left: number, rest: number): number[] =>
    rest === 0
      ? [1]
      : Array.from({ length: left + 1 }, (_, k) =>
          orders(left - k, rest - 1).map((b) => mulUp(mulUp(b, bounds[k]!), N ** k)),
        ).flat();
  return mulUp(amplitude, Math.max(...orders(n, d)));
}

function derivativesAt(
  f: ReturnType<typeof labelledFunction>,
  d: number,
  n: number,
  points: readonly number[][],
): number {
  const alphas =
    d === 1 ? range(n).map((a) => [a]) : range(n).flatMap((a) => range(n - a).map((b) => [a, b]));
  return Math.max(...alphas.flatMap((alpha) => points.map((x) => Math.abs(f.derivative(alpha, x)))));
}
const range = (n: number): number[] => Array.from({ length: n + 1 }, (_, k) => k);

/** |sum_i (-1)^i C(n, i) y_i| for y = 0, 1, 0, 1, ...: N^n times the n-th difference quotient of y N^-n. */
function alternatingDifference(n: number): number {
  let [sum, binomial] = [0, 1];
  for (let i = 0; i <= n; i++) {
    sum += (i % 2) * binomial;
    binomial = (binomial * (n - i)) / (i + 1);
  }
  return sum;
}

/** Parameters of an architecture, zeros that it never has left out, and units. */
function layerCounts(network: Graph): {
  readonly parameters: readonly number[];
  readonly units: readonly number[];
} {
  const { weightsByLayer, architecture } = complexity(network);
  return { parameters: weightsByLayer, units: architecture.slice(1) };
}

/** The exponent of the fewest weights in the number of points, between 2^30 and 2^to of them. */
const growth = (fewest: (points: number) => number, to = 80): number =>
  Math.log2(fewest(2 ** to) / fewest(2 ** 30)) / (to - 30);

async function valuesOf(network: Graph, points: readonly (readonly number[])[]): Promise<Float64Array> {
  const { y } = await run(network, { x: tensor(points) });
  return Float64Array.from(numbers(y!));
}
