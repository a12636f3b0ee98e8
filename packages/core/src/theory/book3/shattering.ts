import {
  bumpConstant,
  gridPoint,
  labelledFunction,
  labelNetwork,
} from "../../approximate/shattering/labels.ts";
import { splineBump } from "../../approximate/shattering/spline-bump.ts";
import {
  fewestWeights,
  fewestWeightsOfAnyDepth,
  mostShattered,
  reluVcBound,
} from "../../approximate/shattering/vc-bound.ts";
import { run } from "../../engine/run.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { complexity } from "../../networks/layers/layers.ts";
import type { Random } from "../../numbers/random.ts";
import { mulUp } from "../../numbers/rounding.ts";
import { atLeast, atMost, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";
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
  },
  claims: {
    "greatest |D^α f_y|, |α| <= n": atMost("1"),
    "the same at points": atMost("1"),
    "sup |network - f_y|": atMost(String.raw`\tfrac{c}{2} N^{-n}`).looseBy(1.1),
    "labels that 1[R(Φ) > c N^-n / 2] gives": equals("N^d"),
    "most labels that 1_{(-∞, a]} gives, any a": equals("N^d").printed({
      where: "proof of Theorem 3.12",
      printed: String.raw`we have for a thresholded neural network realization $\mathbf{1}_{(-\infty, a]} \circ R_\sigma(\Phi_{f_y})$ that $R_\sigma(\Phi_{f_y})(x_m) = y_m$`,
      corrected: String.raw`it has the values $1 - y_m$; it is $\mathbf{1}_{(a, \infty)} \circ R_\sigma(\Phi_{f_y})$ that has $y_m$ (for the VC dimension both will do)`,
    }),
    "most labels that a constant gives, within ε = N^-n of f_y": equals("N^d").printed({
      where: "proof of Theorem 3.12",
      printed: String.raw`set $N := \lfloor \varepsilon^{-1/n} \rfloor$`,
      corrected: String.raw`values $0$ and $c N^{-n}$ are told apart at error $\varepsilon$ only if $2\varepsilon < c N^{-n}$: $N = \lfloor (c / (3\varepsilon))^{1/n} \rfloor$ will do (for $\varepsilon = N^{-n}$ the constant $\frac12 N^{-n}$ is within $\varepsilon$ of every $f_y$)`,
    }),
    "|f^(n)| that values y_m N^-n force": atMost("1").printed({
      where: "proof of Theorem 3.12",
      printed: String.raw`Yarotsky constructed a function $f_y \in F_{n,d}^\infty$ with $f_y(x_m) = y_m \cdot N^{-n}$ for $m = 1, \dots, N^d$`,
      corrected: String.raw`$f_y(x_m) = c\, y_m N^{-n}$, $c < 1$: of $N$ points in $[0, 1]$, some $n + 1$ neighbours lie within $1/q$, $q = \lfloor (N-1)/n \rfloor$, and values $0, N^{-n}, 0, \dots$ there force $|f^{(n)}| \ge n! \, 4^{n-1} (q/N)^n$ somewhere`,
    }),
    "Chebyshev points, values 0 and 1 in turn: divided difference": equals(
      "4^{n-1}, \\text{ the least for a span of 1}",
    ),
    "points drawn, values 0 and 1 in turn: divided difference": atLeast("4^{n-1}"),
    "most points with all sign patterns, this network": atMost("L + \\bar L W \\log_2(4eR \\log_2(2eR))"),
    "VC dimension of half-spaces, d + 1": atMost("the same bound, one layer").looseBy(7),
    "weights of a network for any labels": atLeast(
      String.raw`\min W: N^d \le L + L W \log_2(4eLW \log_2(2eLW)), \; L = 3`,
    ).looseBy(4),
    "exponent of the fewest weights in 1/ε, any depth": atMost("d / (2n)"),
    "exponent of the fewest weights in 1/ε, three layers": atMost("d / n"),
  },
  mutants: {
    "bumps of height N^-n": { "greatest |D^α f_y|, |α| <= n": ({ d, n }) => bumpConstant(n, d) },
    "three layers as good as any depth": {
      "exponent of the fewest weights in 1/ε, three layers": ({ d, n }) => d / (2 * n),
    },
    "T_n led by 2^{n-1} on an interval of length 1, too": {
      "Chebyshev points, values 0 and 1 in turn: divided difference": ({ n }) => 2 ** (n - 1),
    },
  },
  async run({ d, n, N }, { random, scale, budget }) {
    const labels = Float64Array.from(random.uniform(N ** d), (u) => (u < 0.5 ? 0 : 1));
    const one = random.integer(0, labels.length - 1);
    labels[one] = 1;
    labels[(one + 1) % labels.length] = 0;
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
        "most labels that 1_{(-∞, a]} gives, any a": checked(
          Math.max(...[-1, ...atCentres].map((a) => read((v) => v <= a))),
          N ** d,
        ),
        "most labels that a constant gives, within ε = N^-n of f_y": checked(
          Math.max(...[true, false].map((says) => read(() => says))),
          N ** d,
        ),
        ...(d === 1 && N > n && { "|f^(n)| that values y_m N^-n force": checked(forcedDerivative(n, N), 1) }),
        ...dividedDifferences(n, random),
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

/** n! times the least divided difference of values 0, N^-n, 0, ... at n + 1 of N points, which lie within 1/q. */
function forcedDerivative(n: number, N: number): number {
  const q = Math.floor((N - 1) / n);
  return range(n).reduce((product, k) => product * Math.max(1, k), 1) * 4 ** (n - 1) * (q / N) ** n;
}

/** |f[x_0, ..., x_n]| for f = 0, 1, 0, ... : the sum of 1 / prod_j |x_i - x_j| over odd i. */
const alternatingDifference = (xs: readonly number[]): number =>
  xs.reduce(
    (sum, x, i) => sum + (i % 2) / Math.abs(xs.reduce((p, t, j) => (j === i ? p : p * (x - t)), 1)),
    0,
  );

/** Where T_n is 1 and -1 in turn nothing is forced that T_n does not have; other points of a span of 1 force more. */
function dividedDifferences(n: number, random: Random) {
  const chebyshev = range(n).map((i) => (1 - Math.cos((i * Math.PI) / n)) / 2);
  const inner = [...random.uniform(n - 1)].sort((a, b) => a - b);
  return {
    "Chebyshev points, values 0 and 1 in turn: divided difference": checked(
      alternatingDifference(chebyshev),
      4 ** (n - 1),
      { tolerance: 2 ** -44 * 4 ** n }, // n products of n rounded differences
    ),
    "points drawn, values 0 and 1 in turn: divided difference": checked(
      alternatingDifference([0, ...inner, 1]),
      4 ** (n - 1),
    ),
  };
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
